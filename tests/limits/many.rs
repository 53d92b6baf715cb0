//! Very many arrays without a maximum: they leave addresses, mappings and threads for other code.

#![expect(unsafe_code, reason = "starts a thread on a stack of its own")]

use crate::linux::{
    assert_limit, in_child, in_child_limiting, mapping_limit, mappings, set_limit, statm,
    usual_mapping_limit,
};
use crate::{GIB, MIB};
use stayput::{
    Arena, DefaultKey, Error, ErrorKind, HugePages, Reservation, SecondaryMap, SlotMap, VmVec,
    region_cache,
};
use std::mem::MaybeUninit;
use std::sync::Barrier;
use std::{env, fs, ptr, thread};

/// What else a process does: some threads with their stacks at the same time, and a buffer of malloc's.
#[track_caller]
fn go_on_with_all_else() {
    const THREADS: usize = 8;
    let buffer = Vec::<u8>::with_capacity(256 * MIB);
    let barrier = Barrier::new(THREADS);
    thread::scope(|scope| {
        for n in 0..THREADS {
            let builder = thread::Builder::new().stack_size(8 * MIB);
            let work = || {
                barrier.wait();
                vec![1_u8; 10_000].len()
            };
            let thread = builder.spawn_scoped(scope, work);
            assert!(thread.is_ok(), "thread {n} cannot start");
        }
    });
    assert!(buffer.capacity() >= 256 * MIB);
}

/// Creates arrays of one element, at most `most`, until one is refused. Returns them and the error.
fn arrays(most: usize) -> (Vec<VmVec<u64>>, Option<Error>) {
    let mut arrays = Vec::with_capacity(most);
    for n in 0..most {
        let mut array = VmVec::new();
        if let Err(refused) = array.try_push(n as u64) {
            assert_eq!(array.stats().reserved_bytes, 0);
            return (arrays, Some(refused.error));
        }
        arrays.push(array);
    }
    (arrays, None)
}

#[track_caller]
fn assert_numbered(arrays: &[VmVec<u64>]) {
    assert!(arrays.iter().zip(0..).all(|(array, n)| *array == [n]));
}

#[test]
fn as_many_default_arrays_as_there_can_be_leave_addresses_mappings_and_threads() {
    in_child(|| {
        let Some(limit) = usual_mapping_limit() else { return };
        let before = statm(0);
        for _ in 0..2 {
            let (mut arrays, error) = arrays(100_000);
            let error = error.expect("the limit of mappings is lower");
            assert_limit(error, ErrorKind::MappingLimit, limit);
            assert_eq!(error.bytes(), 8, "what was needed, not what would have been reserved");
            assert!(arrays.len() > 25_000, "only {}: {error}", arrays.len());
            assert!(arrays[..1000].iter().all(|array| array.max_len() * 8 >= GIB));
            assert!(arrays[..14_334].iter().all(|array| array.max_len() * 8 >= 8 * MIB));
            assert!(arrays.iter().all(|array| array.max_len() * 8 >= MIB));
            assert_numbered(&arrays);
            let before = mappings();
            arrays[999].try_reserve(256 * MIB / 8).expect("it has room for a GiB");
            assert!(mappings() <= before, "two more would be for huge pages");

            go_on_with_all_else();
            drop(Reservation::new(32 << 40).expect("a quarter of the addresses"));
            let mut named = VmVec::<u64>::with_max_len(GIB);
            named.extend(0..1000);
            drop(arrays);
        }
        // Cached regions still have their addresses.
        region_cache::trim();
        assert!(statm(0) < before + GIB, "{} more", statm(0) - before);
        // Dropped arrays no longer count.
        let memory = VmVec::<u8>::new().max_len();
        let (arrays, _) = arrays(1);
        assert_eq!(arrays[0].stats().reserved_bytes, memory);
    });
}

#[test]
fn under_an_address_limit_thousands_of_arrays_leave_room_for_all_else() {
    in_child_limiting("address space", || {
        set_limit(libc::RLIMIT_AS, 4 * GIB);
        let first = VmVec::<u8>::from([1]);
        assert!(first.max_len() >= 256 * MIB, "{}", first.max_len());
        drop(first);

        let (mut arrays, error) = arrays(2000);
        assert_eq!(error, None);
        assert_numbered(&arrays);
        assert!(arrays[..800].iter().all(|array| array.stats().reserved_bytes >= MIB));
        go_on_with_all_else();
        let maps: Vec<SlotMap<DefaultKey, usize>> =
            (0..1000).map(|n| [n].into_iter().collect()).collect();
        assert!(maps.iter().enumerate().all(|(n, map)| map.values().eq([&n])));
        go_on_with_all_else();

        // An array that cannot grow gets an error that says what to do; one that requests more at once gets it.
        let last = arrays.last_mut().expect("there are many");
        let error = last.try_reserve(MIB).unwrap_err();
        assert_limit(error, ErrorKind::AddressLimit, 4 * GIB);
        assert!(error.to_string().contains("set `max_len`"), "{error}");
        let mut large = VmVec::<u8>::with_capacity(64 * MIB);
        large.resize(1000, 1);
        assert!(VmVec::<u8>::with_max_len(16 * MIB).try_reserve(16 * MIB).is_ok());
        // The same holds again after they are dropped.
        drop((arrays, maps));
        assert!(VmVec::<u8>::new().max_len() >= 128 * MIB);
    });
}

#[test]
fn what_named_reservations_have_taken_is_not_given_to_default_ones() {
    in_child_limiting("address space", || {
        set_limit(libc::RLIMIT_AS, 4 * GIB);
        let named = Reservation::new(2 * GIB + GIB / 2).expect("most of the addresses");
        let (arrays, error) = arrays(1000);
        assert_eq!(error, None);
        assert!(arrays[0].max_len() * 8 >= 64 * MIB);
        let reserved: usize = arrays.iter().map(|array| array.stats().reserved_bytes).sum();
        assert!(reserved < GIB + GIB / 4, "{reserved}");
        drop(named);
    });
}

#[test]
fn what_is_kept_takes_no_addresses_from_those_who_have_use_for_them() {
    in_child_limiting("address space", || {
        // SAFETY: no other thread accesses the environment.
        unsafe { env::set_var("STAYPUT_RESERVE_BYTES", (128 * MIB).to_string()) };
        set_limit(libc::RLIMIT_AS, 4 * GIB);
        let before = statm(0);
        drop(VmVec::<u8>::with_max_len(2 * GIB));
        let mut named = VmVec::<u8>::with_max_len(2 * GIB);
        named.push(1);
        drop(named);
        assert!(statm(0) < before + GIB, "a half of all is not kept");

        let (arrays, _) = arrays(20);
        let reserved: Vec<_> = arrays.iter().map(|array| array.stats().reserved_bytes).collect();
        assert!(reserved[0] == 128 * MIB && reserved[19] < 128 * MIB, "{reserved:?}");
        drop(arrays);
        assert!(region_cache::stats().kept_blocks > 0);
        // An array that needs none of these.
        let mut other = VmVec::<u64>::builder().huge_pages(HugePages::Never).build();
        other.push(1);
        assert_eq!(other.stats().reserved_bytes, 128 * MIB);
    });
}

#[test]
fn what_was_asked_for_at_once_is_reserved_whatever_the_default_is() {
    in_child_limiting("address space", || {
        // The default is an eighth.
        set_limit(libc::RLIMIT_AS, GIB);
        let ahead = stayput::CommitAhead::Bytes(MIB);
        let mut vec = VmVec::<u8>::builder().capacity(200 * MIB).commit_ahead(ahead).build();
        assert!(vec.capacity() >= 200 * MIB);
        vec.try_reserve(vec.capacity() + 1).expect("there is room to grow");
        drop(vec);
        let builder = SlotMap::<DefaultKey, u64>::builder().capacity(12 * MIB);
        let mut map = builder.commit_ahead(ahead).build();
        let key = map.insert(7);
        assert!(map.capacity() >= 12 * MIB);
        let builder = SecondaryMap::<DefaultKey, u64>::builder().capacity(12 * MIB);
        let mut second = builder.commit_ahead(ahead).build();
        second.insert(key, 8);
        assert_eq!((map[key], second[key]), (7, 8));
        drop((map, second));
        let arena = Arena::builder().capacity_bytes(200 * MIB).commit_ahead(ahead).build();
        assert!(arena.capacity_bytes() >= 200 * MIB);
    });
}

#[test]
fn where_no_file_can_be_opened_arrays_leave_mappings_to_others_too() {
    in_child(|| {
        if mapping_limit().is_none_or(|limit| limit != 65_530) {
            eprintln!("SKIPPED: vm.max_map_count is not the usual one, or not limited");
            return;
        }
        set_limit(libc::RLIMIT_NOFILE, 3);
        assert!(fs::File::open("/proc/self/maps").is_err());
        for _ in 0..2 {
            let (arrays, error) = arrays(100_000);
            let error = error.expect("the limit of mappings is lower");
            assert_limit(error, ErrorKind::MappingLimit, 65_530);
            assert_numbered(&arrays);
            go_on_with_all_else();
        }
    });
}

#[cfg(target_pointer_width = "64")]
#[test]
fn a_stack_at_a_low_address_makes_nothing_scarce() {
    in_child(|| {
        const STACK_BYTES: usize = MIB;
        extern "C" fn work(done: *mut libc::c_void) -> *mut libc::c_void {
            let array: VmVec<u64> = (0..100_000).collect();
            if array.stats().reserved_bytes >= GIB {
                // SAFETY: a flag of the thread that waits for this one.
                unsafe { done.cast::<bool>().write(true) };
            }
            ptr::null_mut()
        }
        let (access, flags) =
            (libc::PROT_READ | libc::PROT_WRITE, libc::MAP_PRIVATE | libc::MAP_ANON);
        let hint = ptr::without_provenance_mut(1 << 30);
        // SAFETY: a fresh mapping, at no place that is in use.
        let stack = unsafe { libc::mmap(hint, STACK_BYTES, access, flags, -1, 0) };
        if stack.addr() >> 32 != 0 {
            eprintln!("SKIPPED: no stack at a low address");
            return;
        }
        let mut done = false;
        let mut attributes = MaybeUninit::uninit();
        let mut thread = MaybeUninit::uninit();
        // SAFETY: it writes the attributes.
        assert_eq!(unsafe { libc::pthread_attr_init(attributes.as_mut_ptr()) }, 0);
        // SAFETY: the attributes were just written, and nothing else uses the stack.
        let set =
            unsafe { libc::pthread_attr_setstack(attributes.as_mut_ptr(), stack, STACK_BYTES) };
        assert_eq!(set, 0);
        let flag = (&raw mut done).cast();
        // SAFETY: the attributes are initialized, and the flag outlives the thread.
        let begun =
            unsafe { libc::pthread_create(thread.as_mut_ptr(), attributes.as_ptr(), work, flag) };
        assert_eq!(begun, 0);
        // SAFETY: initialized, since the thread was created.
        let thread = unsafe { thread.assume_init() };
        // SAFETY: the thread was not joined before.
        assert_eq!(unsafe { libc::pthread_join(thread, ptr::null_mut()) }, 0);
        assert!(done, "it has few addresses");
    });
}

#[test]
fn an_array_that_is_collected_reserves_what_its_elements_need() {
    in_child(|| {
        // SAFETY: no other thread accesses the environment.
        unsafe { env::set_var("STAYPUT_RESERVE_BYTES", MIB.to_string()) };
        let collected: VmVec<u64> = (0..1_000_000).collect();
        assert_eq!(collected.len(), 1_000_000);
    });
}
