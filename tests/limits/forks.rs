//! Processes that are forked at any moment, while other threads make, grow and drop arrays: no child hangs.

use crate::effort;
use crate::linux::{assert_counts, forked, in_child, under_sanitizer};
use stayput::{
    Arena, Budget, CommitAhead, DefaultKey, ErrorKind, Release, Reservation, SharedVec, SlotMap,
    VmVec, service,
};
use std::hint;
use std::sync::Barrier;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;

const MIB: usize = 1 << 20;

/// Some of all that an array can need.
fn use_arrays() {
    let mut vec = VmVec::<u64>::new();
    vec.extend(0..10_000);
    vec.prefault(10_000);
    let _ = vec.prefault_ahead(Budget::bytes(1));
    assert_counts(&vec, 10_000);
    vec.truncate(100);
    vec.shrink_to_fit();

    // As much as waits to be released.
    let builder = VmVec::<[u64; 512]>::builder().max_len(1000).release(Release::Background);
    let mut named = builder.build();
    named.resize(400, [7; 512]);
    drop(named);
    let mut served = VmVec::<u64>::builder().commit_ahead(CommitAhead::Bytes(MIB)).build();
    served.extend(0..5000);
    assert_counts(&served, 5000);
    served.clear();
    served.shrink_to_fit();

    let mut map = SlotMap::<DefaultKey, u64>::new();
    let key = map.insert(7);
    assert_eq!(map[key], 7);
    assert_eq!(*Arena::new().alloc(7), 7);
    let error = Reservation::new(usize::MAX / 4).map(drop).unwrap_err();
    assert!(error.bytes() > 0);
}

#[test]
fn a_child_forked_while_others_make_the_first_array_makes_its_own() {
    in_child("forks::a_child_forked_while_others_make_the_first_array_makes_its_own", || {
        const THREADS: usize = 2;
        if under_sanitizer("threads of a forked child") {
            return;
        }
        // Each of these children has made no array yet.
        for n in 0..effort::rounds(50) as usize {
            forked(|| {
                let barrier = Barrier::new(THREADS + 1);
                thread::scope(|scope| {
                    for _ in 0..THREADS {
                        scope.spawn(|| {
                            barrier.wait();
                            use_arrays();
                        });
                    }
                    barrier.wait();
                    for _ in 0..n % 100 * 20 {
                        hint::spin_loop();
                    }
                    forked(use_arrays);
                });
            });
        }
    });
}

#[test]
fn children_forked_while_others_use_arrays_use_theirs() {
    in_child("forks::children_forked_while_others_use_arrays_use_theirs", || {
        const THREADS: usize = 3;
        if under_sanitizer("threads of a forked child") {
            return;
        }
        let forks = effort::rounds(50) as usize;
        let is_done = AtomicBool::new(false);
        thread::scope(|scope| {
            for _ in 0..THREADS {
                scope.spawn(|| {
                    while !is_done.load(Ordering::Relaxed) {
                        use_arrays();
                    }
                });
            }
            let result = std::panic::catch_unwind(|| {
                let mut own = VmVec::<u64>::builder().commit_ahead(CommitAhead::Auto).build();
                for n in 0..forks {
                    let len = own.len();
                    own.extend(len as u64..len as u64 + 100);
                    let mut copy = Some(own);
                    forked(|| {
                        let mut own = copy.take().expect("it is there");
                        own.extend(len as u64 + 100..len as u64 + 20_000);
                        assert_counts(&own, len + 20_000);
                        use_arrays();
                    });
                    own = copy.take().expect("it is the parent's");
                    for _ in 0..n * 37 % 1000 {
                        hint::spin_loop();
                    }
                }
                assert_counts(&own, forks * 100);
            });
            is_done.store(true, Ordering::Relaxed);
            result.unwrap_or_else(|panic| std::panic::resume_unwind(panic));
        });
        service::drain();
    });
}

#[test]
fn children_forked_while_others_push_have_what_was_pushed() {
    in_child("forks::children_forked_while_others_push_have_what_was_pushed", || {
        const THREADS: u64 = 3;
        if under_sanitizer("threads of a forked child") {
            return;
        }
        for fork in 0..effort::rounds(30) as usize {
            let mut vec = Some(SharedVec::<[u64; 2]>::new());
            let is_done = AtomicBool::new(false);
            thread::scope(|scope| {
                let shared = vec.as_ref().expect("it is there");
                for worker in 0..THREADS {
                    let is_done = &is_done;
                    scope.spawn(move || {
                        for n in 0..300_000 {
                            if is_done.load(Ordering::Relaxed) {
                                break;
                            }
                            shared.push([worker << 32 | n, !(worker << 32 | n)]);
                        }
                    });
                }
                while shared.len() < fork * 5000 {
                    hint::spin_loop();
                }
                let result = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| {
                    forked(|| {
                        let is_whole = |[n, not]: &[u64; 2]| *n == !*not;
                        let (len, room) = (shared.len(), shared.capacity());
                        assert!(len >= fork * 5000 && shared.iter().all(is_whole));
                        assert!((len..room).filter_map(|at| shared.get(at)).all(is_whole));
                        for n in 0..2000 {
                            match shared.try_push([n, !n]) {
                                Ok((at, own)) => assert_eq!(shared.get(at), Some(own)),
                                Err(refused) => {
                                    assert_eq!(refused.error.kind(), ErrorKind::Busy);
                                    break;
                                }
                            }
                        }
                        assert!(shared.len() >= len && shared.iter().all(is_whole));
                    });
                }));
                is_done.store(true, Ordering::Relaxed);
                result.unwrap_or_else(|panic| std::panic::resume_unwind(panic));
            });
            let len = vec.as_ref().map_or(0, SharedVec::len);
            assert_eq!(vec.take().expect("it is the parent's").into_inner().len(), len);
        }
    });
}
