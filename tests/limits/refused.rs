//! Refusals while other threads run, and while no other memory is available either.

#![allow(clippy::result_large_err, reason = "a refusal returns the memory that was supplied")]
#![expect(unsafe_code, reason = "is an allocator")]

use crate::effort;
use crate::linux::{assert_counts, beside, in_child, in_child_limiting, limit_softly, statm};
use crate::reentry;
use crate::supplied::Supplied;
use crate::{GIB, KIB, MIB};
use stayput::columns::in_columns;
use stayput::{
    Arena, Budget, CommitAhead, DefaultKey, Error, ErrorKind, HugePages, Refused, Release,
    Reservation, Reuse, SecondaryMap, SlotMap, SparseSecondaryMap, VmVec, service,
};
use std::alloc::{GlobalAlloc, Layout, System};
use std::sync::atomic::{AtomicBool, AtomicIsize, Ordering};
use std::thread;
use std::time::Duration;

/// The share of one of several arrays under one limit.
const EACH: usize = 12 * MIB;

/// An allocator that refuses everything while a flag is set, or one allocation. Code that cannot handle that ends the
/// process.
struct OnDemand;

#[global_allocator]
static GLOBAL: OnDemand = OnDemand;

static IS_REFUSING: AtomicBool = AtomicBool::new(false);
/// The number of allocations before the one that is refused; negative if none will be.
static BEFORE_REFUSED: AtomicIsize = AtomicIsize::new(-1);

// SAFETY: every call is passed to the system's allocator or to an arena, or returns null.
unsafe impl GlobalAlloc for OnDemand {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        if !is_main_thread() {
            let is_the_one = BEFORE_REFUSED.fetch_sub(1, Ordering::Relaxed) == 0;
            if is_the_one || IS_REFUSING.load(Ordering::Relaxed) {
                return std::ptr::null_mut();
            }
        }
        if let Some(start) = reentry::take(layout) {
            return start.as_ptr();
        }
        // SAFETY: guaranteed by the caller.
        unsafe { System.alloc(layout) }
    }

    unsafe fn dealloc(&self, start: *mut u8, layout: Layout) {
        if reentry::has(start) {
            return;
        }
        // SAFETY: guaranteed by the caller.
        unsafe { System.dealloc(start, layout) }
    }
}

/// The main thread belongs to the test harness.
fn is_main_thread() -> bool {
    // SAFETY: the call takes no arguments and cannot fail.
    let thread = unsafe { libc::gettid() };
    // SAFETY: as above.
    thread == unsafe { libc::getpid() }
}

/// Runs a closure while no allocation succeeds on this thread and the background thread.
fn without_memory<R>(run: impl FnOnce() -> R) -> R {
    IS_REFUSING.store(true, Ordering::Relaxed);
    let result = run();
    IS_REFUSING.store(false, Ordering::Relaxed);
    result
}

/// Runs a closure while one allocation is refused, after `before` others. Also returns whether there was such an
/// allocation.
fn with_one_refused<R>(before: usize, run: impl FnOnce() -> R) -> (R, bool) {
    BEFORE_REFUSED.store(isize::try_from(before).expect("few"), Ordering::Relaxed);
    let result = run();
    (result, BEFORE_REFUSED.swap(-1, Ordering::Relaxed) < 0)
}

fn leave_writable_memory(bytes: usize) {
    limit_softly(libc::RLIMIT_DATA, Some(statm(5) + bytes));
}

/// Pushes until that is refused, and returns the error.
fn fill_with(mut push: impl FnMut() -> Result<(), Error>) -> Error {
    loop {
        if let Err(error) = push() {
            return error;
        }
    }
}

#[test]
fn a_push_that_is_refused_beside_thousands_of_arrays_is_an_error() {
    in_child_limiting("writable memory", || {
        let builder = VmVec::<u8>::builder().max_len(4 * KIB).huge_pages(HugePages::Never);
        let served: Vec<_> =
            (0..6000).map(|_| builder.commit_ahead(CommitAhead::Bytes(4 * KIB)).build()).collect();
        assert_eq!(service::stats().arrays, 6000);
        let mut vec = VmVec::<u64>::builder().max_len(GIB).huge_pages(HugePages::Never).build();
        vec.push(0);
        leave_writable_memory(64 * MIB);
        let error = without_memory(|| {
            fill_with(|| vec.try_push(vec.len() as u64).map_err(|refused| refused.error))
        });
        assert_eq!(error.kind(), ErrorKind::DataLimit, "{error}");
        assert!(vec.len() > 7 * MIB);
        assert_counts(&vec, vec.len());
        drop(served);
    });
}

#[test]
fn in_columns_allocates_nothing_after_the_first_block() {
    in_child(|| {
        let mut rows: VmVec<[f32; 16]> = (0..1000).map(|_| [1.0; 16]).collect();
        in_columns(
            &mut rows,
            |row| (row[0], row[1], row[2], row[3], row[4], row[5]),
            |(sums, ..)| {
                IS_REFUSING.store(true, Ordering::Relaxed);
                sums.fill(2.0);
            },
            |row, (sum, ..)| row[0] = sum,
        );
        IS_REFUSING.store(false, Ordering::Relaxed);
        assert!(rows.iter().all(|row| (row[0] + row[1]).to_bits() == 3_f32.to_bits()));
    });
}

/// Each array is refused by a commit, or by the allocator itself, and continues when memory is available again.
#[test]
fn no_refusal_needs_memory() {
    in_child_limiting("writable memory", || {
        let small = HugePages::Never;
        for ahead in [CommitAhead::Off, CommitAhead::Auto, CommitAhead::Bytes(MIB)] {
            let vec_builder = VmVec::<u64>::builder().max_len(GIB).huge_pages(small);
            let mut vec = vec_builder.commit_ahead(ahead).release(Release::Background).build();
            let map_builder = SlotMap::<DefaultKey, u64>::builder().max_len(GIB / 64);
            let mut map = map_builder.commit_ahead(ahead).huge_pages(small).build();
            let builder = SecondaryMap::<DefaultKey, u64>::builder().max_len(GIB / 64);
            let mut second = builder.commit_ahead(ahead).huge_pages(small).build();
            let mut sparse = SparseSecondaryMap::<DefaultKey, u64>::new();
            let arena = Arena::builder().max_bytes(GIB).commit_ahead(ahead).build();
            let mut growing =
                Reservation::new(GIB).expect("addresses").growing().commit_ahead(ahead);
            let keys: Vec<_> = (0..100).map(|n| map.insert(n)).collect();
            let far = DefaultKey::from(
                stayput::KeyData::from_parts(20_000_000, 1, 0).expect("it is a key"),
            );
            let words = [0_u64; 1 << 10];
            vec.push(0);
            while ahead != CommitAhead::Off && vec.stats().ahead_bytes == 0 {
                // A thread that is being started allocates.
                thread::sleep(Duration::from_millis(1));
            }
            let lens = without_memory(|| {
                // The allocator refuses it, so nothing is committed.
                assert!(sparse.try_insert(keys[0], 1).is_err());
                let _ = map.try_insert(1);
                let _ = second.try_insert(keys[1], 1);
                (vec.len(), map.len(), second.len())
            });
            assert!(lens.0 == 1 && lens.1 >= 100);

            leave_writable_memory(24 * MIB);
            let errors = without_memory(|| {
                let vec_error =
                    fill_with(|| vec.try_push(vec.len() as u64).map_err(|refused| refused.error));
                [
                    Some(vec_error),
                    vec.try_reserve(1 << 25).err(),
                    vec.try_extend_from_slice(&words).err(),
                    map.try_reserve(1 << 23).err(),
                    second.try_reserve(1 << 23).err(),
                    second.try_insert(far, 1).err().map(|refused| refused.error),
                    arena.try_alloc_slice_fill_copy(1 << 20, 0_u64).err(),
                    growing.grow_to(GIB / 2).err(),
                    vec.prefault_ahead(Budget::bytes(GIB)).refused.or(Some(vec_error)),
                    VmVec::<u64>::try_with_capacity(1 << 25).err(),
                    vec_builder.commit_ahead(CommitAhead::Auto).try_build().map(drop).err(),
                ]
            });
            for error in errors {
                assert!(error.is_some_and(|error| error.bytes() > 0), "{errors:?}");
            }
            let alone = Reservation::new(GIB).expect("addresses").growing();
            // Arrays that cannot be served continue without.
            let alone = without_memory(|| alone.commit_ahead(CommitAhead::Auto));
            assert_eq!(alone.reserved_bytes(), GIB);
            assert_counts(&vec, vec.len());
            // Dropped when nothing can be allocated to queue it.
            without_memory(|| drop((vec, growing)));
            for n in 0..1000 {
                let key = map.insert(n);
                second.insert(key, n);
                sparse.insert(key, n);
            }
            limit_softly(libc::RLIMIT_DATA, None);
        }
    });
}

/// The first memory of an array also takes a block of the heap, which can be refused as well.
#[test]
fn an_array_without_a_heap_is_refused_and_can_be_tried_again() {
    in_child(|| {
        let options = VmVec::<u64>::builder().huge_pages(HugePages::Never);
        let (mut vec, one) = (VmVec::new(), VmVec::from([1_u64]));
        let mut map = SlotMap::<DefaultKey, u64>::new();
        let mut second = SecondaryMap::<DefaultKey, u64>::new();
        let key = DefaultKey::from(stayput::KeyData::from_parts(0, 1, 0).expect("it is a key"));
        let (empty, value, errors) = without_memory(|| {
            // Empty arrays need none.
            let empty = (VmVec::<u64>::new(), SlotMap::<DefaultKey, u64>::new(), vec.try_clone());
            let refused = vec.try_push(7_u64).expect_err("no heap");
            let errors = [
                Some(refused.error),
                vec.grow_only().try_push(7).err().map(|refused| refused.error),
                options.try_build().err(),
                options.max_len(10).try_build().err(),
                one.try_clone().err(),
                map.try_insert(7).err().map(|refused| refused.error),
                second.try_insert(key, 7).err().map(|refused| refused.error),
            ];
            (empty, refused.value, errors)
        });
        assert!(empty.2.is_ok_and(|clone| clone.is_empty()));
        assert_eq!(value, 7);
        for error in errors {
            let error = error.expect("no heap");
            assert_eq!(error.kind(), ErrorKind::Memory, "{error}");
            assert!((1..KIB).contains(&error.bytes()), "{error}");
        }
        assert_eq!((vec.stats().reserved_bytes, vec.capacity()), (0, 0));
        vec.push(value);
        let key = map.insert(value);
        second.insert(key, value);
        assert_eq!((&vec[..], map[key], second[key]), (&[7][..], 7, 7));
    });
}

/// Builds in caller-provided memory, while one allocation after another is refused, until all succeed. Each time the
/// memory is returned. Returns the number of refusals.
#[track_caller]
fn build_until_nothing_is_refused<C>(
    build: impl Fn(Supplied) -> Result<C, Refused<Supplied>>,
) -> (C, usize) {
    let mut supplied = Supplied::new(MIB, || ());
    let at = supplied.memory.as_ptr();
    for blocks in 0.. {
        let (result, was_refused) = with_one_refused(blocks, || build(supplied));
        match result {
            Ok(made) => {
                assert!(!was_refused, "it did without");
                return (made, blocks);
            }
            Err(refused) => {
                let error = refused.error;
                assert!(was_refused && error.kind() == ErrorKind::Memory, "{error}");
                assert!((1..=KIB).contains(&error.bytes()), "{error}");
                supplied = refused.value;
                assert_eq!(supplied.memory.as_ptr(), at);
            }
        }
    }
    unreachable!("it takes no end of blocks")
}

/// An array in caller-provided memory also takes a few small blocks of the heap.
#[test]
fn what_is_supplied_comes_back_whichever_block_of_the_heap_is_refused() {
    in_child(|| {
        let builder = VmVec::builder().capacity(100);
        let (mut vec, blocks) =
            build_until_nothing_is_refused(|supplied| builder.try_build_in(supplied));
        // Its state, what the backing reported, and the box of that.
        assert_eq!(blocks, 3);
        vec.push(7_u64);
        for reuse in [Reuse::Recent, Reuse::Lowest] {
            let builder = SlotMap::builder().capacity(100).reuse(reuse);
            let (mut map, blocks) =
                build_until_nothing_is_refused(|supplied| builder.try_build_in(supplied));
            // In addition: the state of holes, the recent ones, and the bits.
            assert_eq!(blocks, 3 + 3, "{reuse:?}");
            let key: DefaultKey = map.insert(7_u64);
            assert_eq!(map[key], 7);
        }
        let builder = SecondaryMap::builder().capacity(100);
        let (mut second, blocks) =
            build_until_nothing_is_refused(|supplied| builder.try_build_in(supplied));
        // In addition: the options of the bitmap of gaps, and the box of those.
        assert_eq!(blocks, 3 + 1 + 3);
        let key = DefaultKey::from(stayput::KeyData::from_parts(0, 1, 0).expect("it is a key"));
        second.insert(key, 7_u64);
        assert_eq!((&vec[..], second[key]), (&[7][..], 7));
    });
}

/// The box of the service's part, the service itself, and what is tested before the thread is started.
#[test]
fn memory_goes_on_alone_where_a_block_to_be_served_by_is_refused() {
    in_child(|| {
        let mut left = Vec::with_capacity(4);
        for before in 0..3 {
            let alone = Reservation::new(EACH).expect("addresses").growing();
            let at = alone.as_ptr();
            let (mut alone, was_refused) =
                with_one_refused(before, || alone.commit_ahead(CommitAhead::Auto));
            assert!(was_refused);
            let stats = service::stats();
            assert_eq!((stats.running, stats.arrays), (false, 0), "{before}");
            assert!(alone.as_ptr() == at && alone.grow_to(MIB).expect("memory") >= MIB);
            assert_eq!((alone.ahead_bytes(), alone.late()), (0, 0));
            left.push(alone);
        }
        // When they request it again, each is served.
        for alone in left {
            let served = alone.commit_ahead(CommitAhead::Auto);
            assert_eq!((service::stats().arrays, served.reserved_bytes()), (1, EACH));
            assert!(served.usable_bytes() >= MIB);
        }
    });
}

/// To save a map, the holes that are filled next are listed.
#[cfg(feature = "serde")]
#[test]
fn a_map_that_cannot_be_listed_is_not_written() {
    in_child(|| {
        let mut map: SlotMap<DefaultKey, u64> = (0..100).collect();
        let keys: Vec<_> = map.keys().collect();
        keys[..10].iter().for_each(|key| _ = map.remove(*key));
        let mut bytes = [0; KIB];
        let (written, was_refused) =
            with_one_refused(0, || postcard::to_slice(&map, &mut bytes).map(|bytes| bytes.len()));
        assert!(was_refused);
        assert_eq!(written, Err(postcard::Error::SerdeSerCustom));
        let bytes = postcard::to_slice(&map, &mut bytes).expect("it is written");
        let read: SlotMap<DefaultKey, u64> = postcard::from_bytes(bytes).expect("it is read");
        assert!(read.iter().eq(map.iter()));
    });
}

/// Memory that is being released in the background never causes a refusal, whatever the number of threads that need
/// memory, and whichever reads the statistics.
#[test]
fn no_commit_is_refused_while_its_memory_is_being_released() {
    in_child_limiting("writable memory", || {
        let builder = VmVec::<u8>::builder().max_len(EACH).huge_pages(HugePages::Never);
        let builder = builder.release(Release::Background);
        // The background thread has memory of its own, which must not count.
        let idle = VmVec::<u8>::builder().commit_ahead(CommitAhead::Bytes(1)).build();
        // For both, and for the threads and their stacks, but not for three.
        leave_writable_memory(2 * EACH + 10 * MIB);
        let push = || {
            for _ in 0..effort::rounds(75) {
                let mut vec = builder.build();
                vec.try_reserve(EACH).expect("there is memory for both");
                // Only some of it, so that releasing takes a while.
                vec.resize(MIB, 7);
            }
        };
        let look = |_, is_done: &dyn Fn() -> bool| {
            while !is_done() {
                assert!(service::stats().arrays <= 1);
                thread::sleep(Duration::from_micros(20));
            }
        };
        beside(1, look, || {
            thread::scope(|scope| {
                for _ in 0..2 {
                    scope.spawn(push);
                }
            });
        });
        drop(idle);
    });
}

#[test]
fn dropped_arrays_are_gone_though_others_look_at_them() {
    in_child_limiting("address space", || {
        let look = |_, is_done: &dyn Fn() -> bool| {
            while !is_done() {
                service::stats();
                thread::sleep(Duration::from_micros(20));
            }
        };
        beside(2, look, || {
            // Each thread's allocator takes addresses at first, including the background thread's.
            drop(VmVec::<u8>::builder().commit_ahead(CommitAhead::Bytes(MIB)).build());
            thread::sleep(Duration::from_millis(100));
            for release in [Release::Now, Release::Background] {
                let builder = VmVec::<u64>::builder().max_len(8 * MIB).release(release);
                let builder = builder.commit_ahead(CommitAhead::Bytes(MIB));
                let before = statm(0);
                let mut most = 0;
                let arrays: Vec<_> = (0..600)
                    .map(|n| {
                        let mut vec = builder.build();
                        vec.extend(0..n * 300);
                        vec
                    })
                    .collect();
                let each = (statm(0) - before) / 600;
                for (n, vec) in arrays.into_iter().enumerate() {
                    drop(vec);
                    if release == Release::Now && n % 50 == 0 {
                        most = most.max((statm(0) - before).saturating_sub((599 - n) * each));
                    }
                }
                service::drain();
                let left = statm(0).saturating_sub(before);
                assert!(left < 60 * MIB, "{release:?}: {} MiB stay", left / MIB);
                // Immediately, not only when the statistics are read.
                assert!(most < 60 * MIB, "{} MiB stayed", most / MIB);
                assert_eq!(service::stats().waiting_bytes, 0);
            }
        });
    });
}
