//! The effects of Linux's limits on arrays and slot maps, and how to reach the limits.

#![expect(unsafe_code, reason = "uses up what is limited")]

use crate::child::{argument, passes, test_of};
pub(crate) use crate::process::{Resource, forked, limit_softly, set_limit, statm};
use crate::{GIB, KIB, MIB};
use stayput::{
    DefaultKey, Error, ErrorKind, HugePages, Key, Refused, Reservation, SlotMap, VmVec, page_size,
    region_cache,
};
use std::sync::Barrier;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;
use std::{env, fs, io, panic, thread};

/// Runs a test in a child process.
#[track_caller]
pub(crate) fn in_child<F: FnOnce()>(run: F) {
    if argument().is_some() { run() } else { passes(test_of::<F>(), "child") }
}

/// Runs a test in a child process, unless a sanitizer is active, under which this cannot be limited.
#[track_caller]
pub(crate) fn in_child_limiting<F: FnOnce()>(what: &str, run: F) {
    if argument().is_none() {
        passes(test_of::<F>(), "child");
    } else if !under_sanitizer(what) {
        run();
    }
}

/// Limits a resource to what a field of `statm` reports now, plus `bytes`. Returns the limit.
pub(crate) fn leave(resource: Resource, field: usize, bytes: usize) -> usize {
    let limit = (statm(field) + bytes) / page_size() * page_size();
    set_limit(resource, limit);
    limit
}

/// Limits writable memory likewise.
pub(crate) fn leave_writable(bytes: usize) -> usize {
    leave(libc::RLIMIT_DATA, 5, bytes)
}

/// Returns whether a sanitizer is active, which needs address space and mappings for itself.
pub(crate) fn under_sanitizer(what: &str) -> bool {
    let there = statm(0) >> 20 > 1 << 20;
    if there {
        eprintln!("SKIPPED: {what} cannot be limited under a sanitizer");
    }
    there
}

#[track_caller]
pub(crate) fn assert_limit(error: Error, kind: ErrorKind, limit: usize) {
    assert_eq!((error.kind(), error.limit()), (kind, Some(limit as u64)), "{error}");
}

#[track_caller]
fn assert_refused(error: Error, kind: ErrorKind, limit: usize, words: &str) {
    assert_limit(error, kind, limit);
    assert!(error.raw_os_error().is_some(), "{error}");
    let text = error.to_string();
    for part in [words, &limit.to_string(), &error.bytes().to_string()] {
        assert!(text.contains(part), "{part} is not in {text}");
    }
}

#[test]
fn under_an_address_limit_arrays_take_smaller_reservations() {
    in_child_limiting("address space", || {
        set_limit(libc::RLIMIT_AS, GIB);
        let mut vec = VmVec::new();
        vec.extend(0..1_000_000_u64);
        let stats = vec.stats();
        // A share of the limit, which everything else counts towards, too.
        assert!((GIB / 16..GIB / 4).contains(&stats.reserved_bytes), "{stats:?}");
        assert_eq!(vec.max_len(), stats.reserved_bytes / 8);

        // If other code has taken the addresses, another array finds some as long as there are any.
        let others = take_addresses();
        let mut arrays = Vec::with_capacity(100);
        let error = loop {
            assert!(arrays.len() < 100);
            let mut next = VmVec::new();
            match next.try_push(arrays.len()) {
                Ok(()) => arrays.push(next),
                Err(Refused { error, value }) => {
                    assert_eq!(value, arrays.len());
                    assert_eq!(next.stats().reserved_bytes, 0);
                    break error;
                }
            }
        };
        assert_refused(error, ErrorKind::AddressLimit, GIB, "RLIMIT_AS");
        assert!(arrays.iter().enumerate().all(|(i, array)| *array == [i]));
        drop(others);
        assert!(vec.iter().copied().eq(0..1_000_000));
        drop(arrays);
        drop(vec);
        assert!(VmVec::from([1]).stats().reserved_bytes >= GIB / 16);
    });
}

#[test]
fn addresses_of_cached_arrays_go_to_others_if_they_are_scarce() {
    in_child_limiting("address space", || {
        region_cache::set_most_bytes(64 * MIB);
        region_cache::set_time(Duration::from_secs(1000));
        drop(VmVec::from([1]));
        let large = || VmVec::<u64>::with_capacity(MIB);
        let first = large();
        assert_eq!(region_cache::stats().kept_blocks, 1);
        leave(libc::RLIMIT_AS, 0, 128 * MIB);
        let second = large();
        assert_eq!(region_cache::stats().kept_blocks, 0);
        // A share in addition to what it needs.
        assert!(second.stats().reserved_bytes > 8 * MIB);
        drop((first, second));
    });
}

#[test]
fn beyond_the_address_limit_a_named_maximum_is_refused() {
    in_child_limiting("address space", || {
        set_limit(libc::RLIMIT_AS, GIB);
        let errors = [
            VmVec::<u64>::try_with_max_len(GIB / 4).unwrap_err(),
            VmVec::<u8>::try_with_capacity(3 * GIB / 2).unwrap_err(),
            VmVec::<u8>::new().try_reserve(3 * GIB / 2).unwrap_err(),
            Reservation::new(3 * GIB / 2).unwrap_err(),
        ];
        for error in errors {
            assert_refused(error, ErrorKind::AddressLimit, GIB, "1.0 GiB");
            assert_eq!(error.raw_os_error(), Some(libc::ENOMEM));
        }
        let payload = panic::catch_unwind(|| VmVec::<u8>::with_max_len(2 * GIB)).unwrap_err();
        let words = payload.downcast_ref::<String>().expect("it has words");
        assert!(words.contains("RLIMIT_AS") && words.contains("max_len"), "{words}");
        VmVec::<u8>::with_max_len(GIB / 4).push(1);
    });
}

/// Reserves all available addresses, down to the size of small arrays.
pub(crate) fn take_addresses() -> Vec<Reservation> {
    let mut taken = Vec::with_capacity(1000);
    let mut bytes = GIB;
    while bytes >= 128 * KIB {
        match Reservation::builder().bytes(bytes).huge_pages(HugePages::Never).reserve() {
            Ok(range) => taken.push(range),
            Err(_) => bytes /= 2,
        }
    }
    taken
}

/// Fills an array until it is refused, and returns the error.
pub(crate) fn fill(vec: &mut VmVec<u64>) -> Error {
    loop {
        if let Err(refused) = vec.try_push(vec.len() as u64) {
            assert_eq!(refused.value, vec.len() as u64);
            return refused.error;
        }
    }
}

#[track_caller]
pub(crate) fn assert_counts(vec: &VmVec<u64>, len: usize) {
    assert_eq!(vec.len(), len);
    assert!(vec.iter().zip(0..).all(|(element, i)| *element == i));
}

#[test]
fn a_refused_commit_is_an_error_and_changes_nothing() {
    in_child_limiting("writable memory", || {
        let limit = leave_writable(32 * MIB);
        let mut vec = VmVec::builder().max_len(GIB).huge_pages(HugePages::Never).build();
        let base = vec.as_ptr();
        let error = fill(&mut vec);
        assert_refused(error, ErrorKind::DataLimit, limit, "RLIMIT_DATA");
        let len = vec.len();
        // Steps that are too large were reduced to what was needed.
        assert!(len * 8 > 24 * MIB, "only {len}");
        assert_counts(&vec, len);

        // Nothing that needs memory succeeds.
        let data_limit = |error: Error| assert_limit(error, ErrorKind::DataLimit, limit);
        data_limit(vec.try_insert(5, 7).unwrap_err().error);
        data_limit(vec.try_resize(2 * len, 7).unwrap_err().error);
        data_limit(vec.try_resize_with(2 * len, || unreachable!()).unwrap_err());
        data_limit(vec.try_reserve(len).unwrap_err());
        data_limit(vec.try_reserve_exact(1).unwrap_err());
        data_limit(vec.try_prefault(1).unwrap_err());
        data_limit(vec.try_extend_from_slice(&[1, 2]).unwrap_err());
        data_limit(vec.try_extend_from_within(..10).unwrap_err());
        data_limit(vec.try_clone().unwrap_err());
        data_limit(vec.try_split_off(len / 4).unwrap_err());
        data_limit(vec.grow_only().try_push(1).unwrap_err().error);
        let refused = vec.try_extend(100..110).unwrap_err();
        data_limit(refused.error);
        assert!(refused.value.eq(100..110));
        let mut few = VmVec::new();
        data_limit(few.try_push(1_u64).unwrap_err().error);
        #[cfg(feature = "bytemuck")]
        data_limit(vec.try_extend_zeroed(len).unwrap_err());
        let words = panic::catch_unwind(panic::AssertUnwindSafe(|| vec.push(1))).unwrap_err();
        assert!(words.downcast_ref::<String>().is_some_and(|text| text.contains("RLIMIT_DATA")));
        assert_counts(&vec, len);

        // After some memory is returned, it is available again.
        vec.truncate(len / 2);
        vec.shrink_to_fit();
        few.push(1);
        let mut clone = vec.try_split_off(len / 4).expect("there is room now");
        assert_counts(&vec, len / 4);
        assert_eq!(clone.pop(), Some(len as u64 / 2 - 1));
        drop(clone);
        assert_eq!(fill(&mut vec).kind(), ErrorKind::DataLimit);
        assert!(vec.len() * 8 > 24 * MIB);
        assert_eq!(vec.as_ptr(), base);

        let range = Reservation::new(GIB).expect("addresses are not limited");
        let error = range.commit(..64 * MIB).unwrap_err();
        assert_refused(error, ErrorKind::DataLimit, limit, "RLIMIT_DATA");
        assert_eq!(error.bytes(), 64 * MIB);
        assert_eq!(range.committed_bytes(), Ok(0));
    });
}

#[test]
fn a_slot_map_that_is_refused_memory_gives_the_value_back_and_goes_on() {
    in_child_limiting("writable memory", || {
        let limit = leave_writable(32 * MIB);
        let mut map: SlotMap<DefaultKey, [u64; 7]> =
            SlotMap::builder().max_len(GIB / 64).huge_pages(HugePages::Never).build();
        let refused = loop {
            let number = map.len() as u64;
            if let Err(refused) = map.try_insert([number; 7]) {
                break refused;
            }
        };
        let len = map.len();
        assert_refused(refused.error, ErrorKind::DataLimit, limit, "RLIMIT_DATA");
        assert_eq!(refused.value, [len as u64; 7]);
        assert!(len * 64 > 24 * MIB, "only {len}");
        let all = |map: &SlotMap<DefaultKey, [u64; 7]>, len| {
            map.len() == len && map.values().zip(0..).all(|(value, n)| *value == [n; 7])
        };
        assert!(all(&map, len));
        for error in [
            map.try_reserve(1).unwrap_err(),
            map.try_prefault(1).unwrap_err(),
            map.try_clone().unwrap_err(),
            map.grow_only().try_insert([1; 7]).map(drop).unwrap_err().error,
        ] {
            assert_limit(error, ErrorKind::DataLimit, limit);
        }

        // Holes need no memory, and returned memory is available again.
        let key = map.get_by_index(9).expect("it is there").0;
        map.remove(key);
        let again = map.insert([9; 7]);
        assert_eq!((again.index(), again.generation()), (9, 2));
        assert!(map.try_insert([1; 7]).is_err() && all(&map, len));
        let half = len as u64 / 2;
        map.retain(|_, value| value[0] < half);
        map.trim();
        let mut other: SlotMap<DefaultKey, [u64; 7]> = SlotMap::new();
        other.try_insert([1; 7]).expect("there is room now");
        assert!(all(&map, len / 2));
    });
}

#[test]
fn under_an_address_limit_slot_maps_take_smaller_reservations() {
    in_child_limiting("address space", || {
        set_limit(libc::RLIMIT_AS, GIB);
        let error = SlotMap::<DefaultKey, u64>::builder().max_len(GIB / 8).try_build();
        let error = error.map(drop).unwrap_err();
        assert_refused(error, ErrorKind::AddressLimit, GIB, "RLIMIT_AS");

        let mut map: SlotMap<DefaultKey, u64> = (0..1_000_000).collect();
        assert!((GIB / 16..GIB / 2).contains(&map.stats().reserved_bytes));
        let maps: Vec<SlotMap<DefaultKey, usize>> =
            (0..200).map(|n| [n].into_iter().collect()).collect();
        assert!(maps.iter().enumerate().all(|(n, map)| map.values().eq([&n])));
        map.retain(|_, value| *value % 2 == 0);
        map.extend(0..500_000);
        assert_eq!(map.len(), 1_000_000);
        drop(maps);
        SlotMap::<DefaultKey, u64>::new().try_insert(1).expect("addresses are free again");
    });
}

/// Returns the limit of mappings, if it can be reached here.
pub(crate) fn mapping_limit() -> Option<usize> {
    if under_sanitizer("the number of mappings") {
        return None;
    }
    let text = fs::read_to_string("/proc/sys/vm/max_map_count").expect("it is Linux");
    let limit = text.trim().parse().expect("a number");
    if limit > 300_000 {
        eprintln!("SKIPPED: vm.max_map_count is {limit}, too many to use up");
        return None;
    }
    Some(limit)
}

/// Returns the limit of mappings, if it has its usual value or more.
pub(crate) fn usual_mapping_limit() -> Option<usize> {
    let limit = mapping_limit()?;
    if limit < 65_000 {
        eprintln!("SKIPPED: vm.max_map_count is {limit}, and the arithmetic is for 65,530");
        return None;
    }
    Some(limit)
}

/// Returns the number of mappings of the process.
pub(crate) fn mappings() -> usize {
    fs::read_to_string("/proc/self/maps").expect("it is Linux").lines().count()
}

/// Commits every second page until that is refused. Returns how many were committed, and the error.
pub(crate) fn use_up_mappings(range: &Reservation) -> (usize, Error) {
    let page = page_size();
    for i in 0.. {
        let at = 2 * i * page;
        if let Err(error) = range.commit(at..at + page) {
            return (i, error);
        }
        // SAFETY: the page was just committed, and nothing else uses it.
        unsafe { range.as_ptr().wrapping_add(at).write(1) };
    }
    unreachable!()
}

#[test]
fn too_many_mappings_are_an_error_and_nothing_is_lost() {
    in_child(|| {
        let Some(limit) = mapping_limit() else { return };
        let page = page_size();
        let mut range = Reservation::new((limit + 8) * page).expect("addresses");
        let (count, error) = use_up_mappings(&range);
        assert!(count > limit / 2 - 200, "only {count} of {limit}");
        assert_refused(error, ErrorKind::MappingLimit, limit, "vm.max_map_count");
        assert_eq!(error.bytes(), page);

        // Libraries may have left a mapping or two.
        let mut more = Vec::new();
        let error = loop {
            match VmVec::<u8>::try_with_max_len(1) {
                Ok(one) => more.push(one),
                Err(error) => break error,
            }
        };
        assert_refused(error, ErrorKind::MappingLimit, limit, "vm.max_map_count");
        let error = VmVec::new().try_push(1).unwrap_err().error;
        assert_eq!(error.kind(), ErrorKind::MappingLimit);

        // Committed pages are unchanged; filling the gaps merges the mappings between.
        for i in 0..count {
            // SAFETY: the page is committed, and nothing else uses it.
            assert_eq!(unsafe { *range.as_ptr().wrapping_add(2 * i * page) }, 1);
        }
        range.commit(..1000 * page).expect("it takes fewer mappings");
        drop(VmVec::from([1]));
        range.decommit(..).expect("it takes fewer mappings");
        assert_eq!(range.committed_bytes(), Ok(0));
    });
}

#[test]
fn what_is_dropped_without_mappings_is_released_when_there_are_some() {
    in_child(|| {
        const COUNT: usize = 600;
        let Some(limit) = mapping_limit() else { return };
        let (base, reserve) = (statm(0), || Reservation::new(8 * MIB).expect("addresses"));
        let range = Reservation::new((limit + 8) * page_size()).expect("addresses");
        // Adjacent pages are one mapping.
        let mut all: Vec<_> = (0..COUNT).map(|_| Some(reserve())).collect();
        let mut arrays = [(); 4].map(|()| VmVec::<u8>::with_max_len(8 * MIB));
        let (_, error) = use_up_mappings(&range);
        assert_eq!(error.kind(), ErrorKind::MappingLimit);

        let before = statm(0);
        for n in (0..COUNT).filter(|n| n % 3 == 1) {
            all[n] = None;
        }
        assert!(before - statm(0) < COUNT * MIB, "nothing was refused");
        // Arrays that are created and dropped, and arrays with memory, take no more than available.
        for array in &mut arrays {
            let _ = array.try_push(1);
        }
        for _ in 0..10 {
            drop(Reservation::new(8 * MIB));
        }
        drop(arrays);
        assert!(statm(0) <= before);
        let last = |range: Reservation| {
            drop(range);
            drop(reserve());
            // A cached region that was not tried would be 8 MiB.
            let left = COUNT - COUNT / 3;
            let held = statm(0).saturating_sub(base);
            assert!(held < left * (8 * MIB + 64 * KIB) + 4 * MIB, "{held} bytes");
        };
        let mut range = Some(range);
        forked(|| last(range.take().expect("it is there")));
        last(range.take().expect("it is the parent's"));
        drop(all);
        assert!(statm(0) < base + 4 * MIB);
    });
}

/// At the limit of mappings, arrays grow and shrink, because neighbours merge.
fn go_on_without_mappings(huge_pages: HugePages) {
    let Some(limit) = mapping_limit() else { return };
    let range = Reservation::new((limit + 8) * page_size()).expect("addresses");
    let mut vec = VmVec::<u64>::builder().max_len(1_000_000).huge_pages(huge_pages).build();
    vec.extend(0..400_000);
    // An array that becomes large enough for huge pages only then.
    let mut large = VmVec::builder().huge_pages(huge_pages).build();
    large.resize(MIB, 7_u8);
    let (count, _) = use_up_mappings(&range);

    large.try_reserve(4 * HugePages::AUTO_FROM_BYTES).expect("it takes no more mappings");
    large.resize(2 * HugePages::AUTO_FROM_BYTES, 7);
    large.truncate(MIB);
    large.try_shrink_to_fit().expect("it takes no more mappings");
    large.try_reserve(4 * HugePages::AUTO_FROM_BYTES).expect("it takes no more mappings");
    assert!(large.len() == MIB && large.iter().all(|byte| *byte == 7));

    vec.extend(400_000..900_000);
    assert_counts(&vec, 900_000);
    vec.truncate(200_000);
    vec.try_shrink_to_fit().expect("it takes no more mappings");
    assert!(vec.capacity() < 400_000);
    vec.extend(200_000..800_000);
    assert_counts(&vec, 800_000);

    // Everything can be dropped and created again.
    drop(range);
    drop(vec);
    let range = Reservation::new((limit + 8) * page_size()).expect("addresses");
    assert!(use_up_mappings(&range).0 + 100 > count);
}

#[test]
fn at_the_limit_of_mappings_arrays_grow_shrink_and_drop() {
    in_child(|| {
        go_on_without_mappings(HugePages::Auto);
    });
}

#[test]
fn at_the_limit_of_mappings_arrays_with_huge_pages_grow_shrink_and_drop() {
    in_child(|| {
        go_on_without_mappings(HugePages::Always);
    });
}

#[test]
fn at_the_limit_of_mappings_arrays_without_huge_pages_grow_shrink_and_drop() {
    in_child(|| {
        go_on_without_mappings(HugePages::Never);
    });
}

/// Makes the process run as a user whose locked memory is limited, unlike the superuser's. Returns whether that
/// succeeded.
pub(crate) fn became_one_with_limits() -> bool {
    const NOBODY: libc::uid_t = 65_534;
    // SAFETY: no memory is passed.
    if unsafe { libc::geteuid() } != 0 {
        return true;
    }
    // SAFETY: no memory is passed.
    if unsafe { libc::setuid(NOBODY) } != 0 {
        eprintln!("SKIPPED: the superuser cannot become another");
        return false;
    }
    // Otherwise `/proc/self` is not accessible.
    // SAFETY: no memory is passed.
    let result = unsafe { libc::prctl(libc::PR_SET_DUMPABLE, 1, 0, 0, 0) };
    assert_eq!(result, 0);
    true
}

#[test]
fn where_all_that_is_mapped_is_locked_the_limit_of_that_is_named() {
    in_child_limiting("locked memory", || {
        let limit = 6 * MIB;
        set_limit(libc::RLIMIT_MEMLOCK, limit);
        if !became_one_with_limits() {
            return;
        }
        let before = Reservation::new(GIB).expect("nothing is locked yet");
        // SAFETY: no memory is passed.
        if unsafe { libc::mlockall(libc::MCL_FUTURE) } != 0 {
            eprintln!("SKIPPED: {}", io::Error::last_os_error());
            return;
        }
        for error in [
            Reservation::new(GIB).unwrap_err(),
            VmVec::<u64>::try_with_max_len(GIB / 8).unwrap_err(),
            VmVec::<u8>::try_with_capacity(GIB).unwrap_err(),
        ] {
            assert_refused(error, ErrorKind::LockLimit, limit, "RLIMIT_MEMLOCK");
        }
        // Requests that need less succeed.
        let mut vec = VmVec::new();
        vec.extend(0..1000_u64);
        assert_counts(&vec, 1000);
        let mut range = Reservation::new(2 * MIB).expect("the process may lock 2 MiB");
        range.commit(..).expect("it counts already");
        // Fresh pages in place of the old ones count in addition.
        let error = range.decommit(..).unwrap_err();
        assert_refused(error, ErrorKind::LockLimit, limit, "RLIMIT_MEMLOCK");
        assert_eq!(range.committed_bytes(), Ok(2 * MIB));
        before.commit(..MIB).expect("it was there before");
    });
}

#[test]
fn locking_a_part_is_refused_for_the_mapping_that_it_takes() {
    in_child(|| {
        let Some(limit) = mapping_limit() else { return };
        let page = page_size();
        let parts = Reservation::new(8 * page).expect("addresses");
        parts.commit(..).expect("it is little");
        let range = Reservation::new((limit + 8) * page).expect("addresses");
        let (_, error) = use_up_mappings(&range);
        assert_eq!(error.kind(), ErrorKind::MappingLimit);

        let lock = |at: usize| parts.lock(at * page..(at + 1) * page);
        // Libraries may have left a mapping or two.
        let mut locked = Vec::with_capacity(4);
        let error = (0..4).find_map(|n| match lock(2 * n + 1) {
            Ok(one) => {
                locked.push(one);
                None
            }
            Err(error) => Some(error),
        });
        let error = error.expect("there are no more mappings");
        assert_refused(error, ErrorKind::MappingLimit, limit, "vm.max_map_count");
        assert_eq!(error.bytes(), page);
    });
}

#[test]
fn locking_more_than_one_may_is_refused() {
    in_child_limiting("locked memory", || {
        let limit = 16 * page_size();
        set_limit(libc::RLIMIT_MEMLOCK, limit);
        if !became_one_with_limits() {
            return;
        }
        let range = Reservation::new(MIB).expect("addresses");
        let error = range.lock(..).map(|lock| lock.bytes()).unwrap_err();
        assert_refused(error, ErrorKind::LockLimit, limit, "RLIMIT_MEMLOCK");
        assert_eq!(error.bytes(), MIB);

        let few = range.lock(..8 * page_size()).expect("as many as one may");
        assert_eq!(few.bytes(), 8 * page_size());
        let error = range.lock(32 * page_size()..64 * page_size()).map(|lock| lock.bytes());
        assert_eq!(error.unwrap_err().kind(), ErrorKind::LockLimit);
        drop(few);
        assert_eq!(range.lock(..limit).expect("they are free again").bytes(), limit);
    });
}

/// Signals on drop that the work is done, also after a panic.
pub(crate) struct Done<'a>(pub(crate) &'a AtomicBool);

impl Drop for Done<'_> {
    fn drop(&mut self) {
        self.0.store(true, Ordering::Release);
    }
}

/// Runs `work` while `threads` threads run something else, which can ask whether the work is done or has failed.
pub(crate) fn beside<R>(
    threads: usize,
    work: impl Fn(usize, &dyn Fn() -> bool) + Sync,
    run: impl FnOnce() -> R,
) -> R {
    let (is_done, begin) = (AtomicBool::new(false), Barrier::new(threads + 1));
    thread::scope(|scope| {
        for worker in 0..threads {
            let (work, is_done, begin) = (&work, &is_done, &begin);
            scope.spawn(move || {
                begin.wait();
                work(worker, &|| is_done.load(Ordering::Acquire));
            });
        }
        begin.wait();
        let _done = Done(&is_done);
        run()
    })
}

#[test]
fn a_forked_child_has_a_copy_of_every_array() {
    in_child(|| {
        let mut words: VmVec<String> = (0..1000).map(|i| i.to_string()).collect();
        let mut numbers = VmVec::<u64>::with_max_len(10_000_000);
        numbers.extend(0..100_000);
        let addresses = (words.as_ptr().addr(), numbers.as_ptr().addr());

        forked(|| {
            assert_eq!((words.as_ptr().addr(), numbers.as_ptr().addr()), addresses);
            assert_counts(&numbers, 100_000);
            assert!(words.iter().enumerate().all(|(i, word)| *word == i.to_string()));
            numbers.extend(100_000..1_000_000);
            assert_counts(&numbers, 1_000_000);
            numbers.fill(7);
            words.truncate(1);
            words.shrink_to_fit();
            numbers.clear();
            numbers.shrink_to_fit();
        });

        assert_eq!((words.as_ptr().addr(), numbers.as_ptr().addr()), addresses);
        assert_counts(&numbers, 100_000);
        assert!(words.iter().enumerate().all(|(i, word)| *word == i.to_string()));
        numbers.extend(100_000..200_000);
        assert_counts(&numbers, 200_000);
    });
}

#[test]
fn a_variable_sets_the_default_reservation() {
    const VARIABLE: &str = "STAYPUT_RESERVE_BYTES";
    in_child(|| {
        // SAFETY: there is one thread.
        unsafe { env::set_var(VARIABLE, (64 * MIB).to_string()) };
        let mut vec = VmVec::<u8>::new();
        assert_eq!(vec.max_len(), 64 * MIB);
        vec.push(1);
        assert_eq!(vec.stats().reserved_bytes, 64 * MIB);
        // A starting point, not a requirement.
        let large = VmVec::<u8>::with_capacity(100 * MIB);
        assert!(large.stats().reserved_bytes >= 100 * MIB);
        let huge = VmVec::<[u8; 512 * KIB]>::new();
        assert_eq!(huge.max_len(), 128);
    });
}
