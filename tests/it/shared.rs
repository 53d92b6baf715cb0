//! Arrays that many threads append to, apart from what the model tests cover.

use crate::buffer::Buffer;
use crate::effort;
use crate::ledger::Ledger;
use static_assertions::{assert_impl_all, assert_not_impl_any};
use stayput::shared::{Drain, Gather, IterFinished, VecMut};
use stayput::{CommitAhead, ErrorKind, Growth, HugePages, SharedVec, VmVec};
use std::cell::Cell;
use std::collections::HashSet;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::io::Write;
use std::panic::{AssertUnwindSafe, RefUnwindSafe, UnwindSafe, catch_unwind};
use std::rc::Rc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Barrier};
use std::thread;

assert_impl_all!(SharedVec<u8>: Send, Sync, UnwindSafe, RefUnwindSafe);
assert_impl_all!(SharedVec<Cell<u8>>: Send);
assert_not_impl_any!(SharedVec<Cell<u8>>: Sync);
assert_not_impl_any!(SharedVec<Rc<u8>>: Send, Sync);
// References to a guard can be shared, but a guard cannot be sent to another thread.
assert_not_impl_any!(SharedVec<std::sync::MutexGuard<'static, u8>>: Send, Sync);
assert_impl_all!(Gather<'static, u8>: Send, Sync);
assert_not_impl_any!(Gather<'static, Cell<u8>>: Send);
assert_impl_all!(IterFinished<'static, u8>: Send, Sync);
assert_not_impl_any!(IterFinished<'static, Cell<u8>>: Send, Sync);
assert_impl_all!(Drain<'static, u8>: Send, Sync);
assert_impl_all!(VecMut<'static, u8>: Send, Sync);
assert_not_impl_any!(VecMut<'static, Rc<u8>>: Send, Sync);

pub(crate) const THREADS: usize = 4;

/// Runs the same closure on several threads at the same time.
pub(crate) fn together<R: Send>(run: impl Fn(usize) -> R + Sync) -> Vec<R> {
    let barrier = Barrier::new(THREADS);
    let (run, barrier) = (&run, &barrier);
    thread::scope(|scope| {
        let begin = |worker| {
            scope.spawn(move || {
                barrier.wait();
                run(worker)
            })
        };
        let workers: Vec<_> = (0..THREADS).map(begin).collect();
        workers.into_iter().map(|worker| worker.join().unwrap()).collect()
    })
}

/// One by one.
fn push_all<T>(vec: &SharedVec<T>, elements: impl IntoIterator<Item = T>) {
    for element in elements {
        vec.push(element);
    }
}

#[test]
fn closures_that_make_elements_may_panic_or_push() {
    let vec = SharedVec::<usize>::new();
    // A closure that panics leaves nothing, and one that pushes itself is called again.
    assert!(catch_unwind(AssertUnwindSafe(|| vec.push_with(|_| panic!("no")))).is_err());
    let (len, mut has_pushed) = (vec.len(), false);
    let (index, _) = vec.push_with(|index| {
        if !has_pushed {
            has_pushed = true;
            vec.push(index);
        }
        index
    });
    assert_eq!((index, vec.len()), (len + 1, len + 2));
}

#[test]
fn iterators_are_appended_completely_and_in_order() {
    let vec = SharedVec::new();
    vec.extend(0..1000);
    Extend::extend(&mut &vec, 1000..1010);
    assert!(vec.iter().copied().eq(0..1010));
    // One that pushes itself.
    let vec = SharedVec::new();
    vec.extend((0..200).inspect(|n| {
        vec.push(1000 + n);
    }));
    let (own, mut theirs): (Vec<_>, Vec<_>) = vec.iter().partition(|n| **n < 1000);
    theirs.sort_unstable();
    assert!(own.into_iter().copied().eq(0..200) && theirs.into_iter().copied().eq(1000..1200));
    // One that panics: elements before stay.
    let vec = SharedVec::new();
    let iter = (0..100).inspect(|n| assert!(*n < 70, "enough"));
    assert!(catch_unwind(AssertUnwindSafe(|| vec.extend(iter))).is_err());
    assert!(vec.iter().copied().eq(0..70));
    // Elements that do not fit are returned, in order.
    let vec = SharedVec::with_max_len(100);
    let refused = vec.try_extend(0..130_usize).unwrap_err();
    let len = vec.len();
    assert_eq!(refused.error.kind(), ErrorKind::MaxLen);
    assert!(vec.iter().copied().eq(0..len) && refused.value.eq(len..130));
}

#[test]
fn gathered_elements_are_appended_in_runs() {
    let vec = SharedVec::<usize>::new();
    together(|worker| {
        let mut gather = vec.gather();
        for n in 0..1000 {
            gather.push(worker * 1000 + n);
        }
        let left = gather.len();
        assert_eq!((gather.as_slice().len(), gather.is_empty()), (left, false));
        assert_eq!((left, gather.flush().len(), gather.len()), (1000 % 64, left, 0));
    });
    for run in vec.as_slice()[..THREADS * 960].chunks(8) {
        assert!(run.windows(2).all(|pair| pair[1] == pair[0] + 1) || run[0] % 1000 >= 952);
    }
    let mut all = vec.into_inner();
    all.sort_unstable();
    assert!(all.iter().copied().eq(0..THREADS * 1000));

    let small = SharedVec::with_max_len(70);
    let mut gather = small.gather();
    gather.extend(0..128);
    // The first run is stored, the second is refused with the element that did not fit.
    let refused = gather.try_push(128).unwrap_err();
    assert_eq!((refused.value, small.len(), gather.as_slice().len()), (128, 64, 64));
    drop(gather);
    assert_eq!(small.len(), 64);
    // Large elements are not gathered in large runs.
    let large = SharedVec::<[u8; 10_000]>::new();
    let mut gather = large.gather();
    gather.push([1; 10_000]);
    gather.push([2; 10_000]);
    assert_eq!((large.len(), gather.as_slice().len()), (1, 1));
}

#[test]
fn elements_of_size_zero_are_counted() {
    let mut vec = SharedVec::<()>::new();
    together(|_| push_all(&vec, [(); 1000]));
    assert_eq!((vec.len(), vec.get(3999), vec.get(4000)), (4000, Some(&()), None));
    assert_eq!(vec.extend_from_slice(&[(); 10]), 4000..4010);
    assert_eq!(vec.push_if_len(4009, ()), Err((None, ())));
    assert_eq!(vec.push_if_len(4010, ()), Ok(&()));
    assert_eq!(vec.drain(..4000).count(), 4000);
    assert_eq!((vec.len(), vec.stats().committed_bytes, vec.push_with(|_| ()).0), (11, 0, 11));
    let few = SharedVec::with_max_len(3);
    few.extend([(); 3]);
    let error = few.try_push(()).unwrap_err().error;
    assert_eq!((few.len(), error.kind(), error.limit()), (3, ErrorKind::MaxLen, Some(3)));
    assert!(error.to_string().contains("its `max_len`"), "{error}");
    let error = vec.try_reserve(usize::MAX).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::CapacityOverflow);
    assert!(!error.to_string().contains("its `max_len`"), "{error}");
}

#[test]
fn elements_are_aligned_and_may_be_large() {
    #[repr(align(8192))]
    struct Wide(u8);
    let vec = SharedVec::new();
    together(|worker| {
        for _ in 0..20 {
            let (_, wide) = vec.push(Wide(u8::try_from(worker).unwrap()));
            assert_eq!(std::ptr::from_ref(wide).addr() % 8192, 0);
        }
    });
    assert_eq!(vec.iter().map(|wide| usize::from(wide.0)).sum::<usize>(), 20 * (1 + 2 + 3));
}

#[test]
fn each_element_is_dropped_once() {
    let ledger = Ledger::new();
    let mut vec = SharedVec::new();
    vec.extend(ledger.tokens(0..100));
    drop(vec.drain(10..20));
    vec.push(ledger.token(1));
    assert_eq!((vec.len(), ledger.live()), (91, 91));
    vec.as_mut_vec().retain(|token| token.value % 2 == 0);
    assert_eq!(vec.len(), ledger.live());
    vec.clear();
    assert_eq!((vec.len(), ledger.live()), (0, 0));
    vec.extend(ledger.tokens(0..10));
    let mut vec: VmVec<_> = vec.into();
    vec.pop();
    let vec = SharedVec::from(vec);
    vec.push(ledger.token(1));
    assert_eq!((vec.len(), ledger.live()), (10, 10));
    assert_eq!(vec.into_iter().skip(3).count(), 7);
    ledger.assert_all_dropped_but(0);
}

#[test]
fn forgotten_guards_leak_and_the_array_stays_usable() {
    for forget in [
        |vec: &mut SharedVec<u64>| std::mem::forget(vec.as_mut_vec()),
        |vec: &mut SharedVec<u64>| {
            std::mem::forget(vec.drain(1..));
        },
    ] {
        let mut vec = SharedVec::with_max_len(1000);
        vec.extend(0..500);
        forget(&mut vec);
        assert_eq!((vec.len(), vec.get(0), vec.as_slice()), (0, None, &[][..]));
        vec.extend(0..1000);
        assert!(vec.iter().copied().eq(0..1000) && vec.try_push(1).is_err());
        forget(&mut vec);
        vec.as_mut_vec().push(7);
        vec.push(8);
        assert_eq!(vec, [7, 8]);
        forget(&mut vec);
        drop(vec);
    }
}

#[test]
fn an_array_put_into_a_leaked_guard_bounds_elements_without_a_size() {
    static DROPS: AtomicUsize = AtomicUsize::new(0);
    #[derive(Debug)]
    struct Unsized;
    impl Drop for Unsized {
        fn drop(&mut self) {
            DROPS.fetch_add(1, Ordering::Relaxed);
        }
    }

    let mut vec = SharedVec::new();
    let mut guard = vec.as_mut_vec();
    *guard = VmVec::with_max_len(2);
    std::mem::forget(guard);
    vec.reserve(2);
    assert!(vec.try_reserve(3).is_err());
    assert_eq!((vec.push_if_len(0, Unsized).is_ok(), vec.try_push(Unsized).is_ok()), (true, true));
    let refused = vec.try_push(Unsized).unwrap_err();
    assert!(refused.error.kind() == ErrorKind::MaxLen && vec.len() == vec.max_len());
    std::mem::forget(refused);
    assert_eq!((vec.as_mut_vec().len(), DROPS.load(Ordering::Relaxed)), (2, 0));
    drop(vec);
    assert_eq!(DROPS.load(Ordering::Relaxed), 2);
}

#[test]
fn arrays_converted_from_others_can_grow() {
    for len in [1, 100, 5000, 8191] {
        let mut vec = VmVec::<u64>::with_max_len(1 << 20);
        vec.extend(0..len);
        // Up to the existing elements, and beyond.
        while len == 1 && vec.len() < vec.capacity() {
            vec.push(1);
        }
        let (shared, more) = (SharedVec::from(vec.clone()), vec.capacity());
        shared.reserve(more);
        assert!(shared.capacity() - shared.len() >= more, "{} of {more}", shared.capacity());
        let shared = SharedVec::from(vec);
        shared.prefault(more);
        assert!(shared.capacity() - shared.len() >= more, "{} of {more}", shared.capacity());
    }
}

#[test]
#[cfg_attr(miri, ignore = "takes minutes")]
fn memory_after_removed_elements_is_returned() {
    let mut vec = SharedVec::<usize>::new();
    vec.extend(0..2_000_000);
    vec.as_mut_vec().truncate(100);
    let large = vec.stats().committed_bytes;
    vec.shrink_to_fit();
    assert!(vec.stats().committed_bytes < large / 10);
    vec.extend(0..10_000);
    assert_eq!((vec.len(), vec.get(10_100)), (10_100, None));
}

#[test]
#[cfg_attr(miri, ignore = "takes minutes")]
fn options_are_those_of_the_family() {
    let vec = SharedVec::<u64>::builder()
        .max_len(1 << 20)
        .capacity(10_000)
        .growth(Growth::Fixed { step_bytes: 1 << 20 })
        .huge_pages(HugePages::Never)
        .commit_ahead(CommitAhead::Auto)
        .build();
    assert!(vec.capacity() >= 10_000 && vec.max_len() == 1 << 20 && vec.is_empty());
    together(|worker| push_all(&vec, (0..100_000).map(|n| worker as u64 * n)));
    let stats = vec.stats();
    assert_eq!((stats.len, stats.max_len), (400_000, 1 << 20));
    assert!(stats.committed_bytes >= 400_000 * 9 && stats.reserved_bytes >= 9 << 20);
    vec.prefault(1000);
    assert!(vec.prefault_ahead(stayput::Budget::UNLIMITED).refused.is_none());
    let error = SharedVec::<u64>::builder().max_len(10).capacity(11).try_build().unwrap_err();
    assert_eq!(error.kind(), ErrorKind::MaxLen);
    let new = SharedVec::<u64>::new();
    assert_eq!((new.stats().reserved_bytes, new.capacity()), (0, 0));
    assert!(new.prefault_ahead(stayput::Budget::UNLIMITED).refused.is_none());
    new.try_prefault(100_000).unwrap();
    assert!(new.capacity() >= 100_000 && new.try_reserve(usize::MAX).is_err());
    if cfg!(all(target_os = "linux", not(no_vm), not(miri))) {
        assert!(new.stats().resident_bytes >= Some(100_000 * 9));
    }
    assert_eq!(new.push(1).0, 0);
    // Plus one byte per element.
    let vec = SharedVec::<u64>::with_max_len(1 << 20);
    vec.extend(0..1 << 20);
    let committed = vec.stats().committed_bytes;
    assert!(committed <= 10 << 20, "{committed}");
}

#[test]
fn traits_are_those_of_an_array() {
    let vec: SharedVec<u8> = [1, 2, 3].into_iter().collect();
    assert_eq!(vec, SharedVec::from([1, 2, 3]));
    assert_eq!(vec, SharedVec::from(vec![1, 2, 3]));
    assert_eq!(vec.clone(), SharedVec::from(&[1, 2, 3][..]));
    assert!(
        vec == [1, 2, 3][..] && SharedVec::eq(&vec, &&[1, 2, 3][..]) && vec != SharedVec::new()
    );
    assert_eq!(format!("{vec:?}"), "[1, 2, 3]");
    assert_eq!((vec[1], &vec[1..], vec.as_ref()), (2, &[2, 3][..], &[1, 2, 3][..]));
    let hash = |hashed: &dyn Fn(&mut DefaultHasher)| {
        let mut hasher = DefaultHasher::new();
        hashed(&mut hasher);
        hasher.finish()
    };
    assert_eq!(hash(&|to| vec.hash(to)), hash(&|to| [1_u8, 2, 3][..].hash(to)));
    let mut vec = vec;
    vec.iter_mut().for_each(|n| *n += 1);
    (&mut vec).into_iter().for_each(|n| *n += 1);
    *vec.get_mut(0).unwrap() = 9;
    Extend::extend(&mut vec, [7]);
    assert!(vec.into_iter().eq([9, 4, 5, 7]));
    assert!(SharedVec::<u8>::default().is_empty());
    let vec = SharedVec::with_capacity(1000);
    assert!(vec.capacity() >= 1000 && vec.is_empty());
    write!(&vec, "{}-{}", 12, 3).unwrap();
    assert_eq!(vec, b"12-3".to_vec());
    assert_eq!(vec, VmVec::from(b"12-3"));
    let less = SharedVec::from(*b"12");
    assert!(vec > less);
    assert_eq!(Vec::from(vec), b"12-3");
}

#[test]
fn all_finished_elements_are_visited_while_others_push() {
    let vec = SharedVec::new();
    together(|worker| {
        let mut own = Vec::new();
        for n in 0..effort::few(2000) {
            own.push(vec.push(worker << 16 | n).0);
            if n % effort::few(100) == 0 {
                vec.extend_from_slice(&[usize::MAX; 3]);
                let found: HashSet<_> = vec.iter_finished().map(|(index, _)| index).collect();
                assert!(own.iter().all(|index| found.contains(index)), "{worker}: {n}");
                assert!(vec.iter_finished().all(|(index, found)| vec.get(index) == Some(found)));
            }
        }
    });
    assert!(vec.iter_finished().eq(vec.iter().enumerate()));
    let unsized_elements = SharedVec::from([(); 5]);
    assert_eq!(unsized_elements.iter_finished().count(), 5);
    assert_eq!(SharedVec::<u8>::new().iter_finished().next(), None);
}

#[test]
fn a_backing_that_unwinds_loses_no_place() {
    let is_armed = Arc::new(AtomicBool::new(false));
    let armed = Arc::clone(&is_armed);
    let hook = move || assert!(!armed.swap(false, Ordering::Relaxed), "as planned");
    let buffer = Buffer::new(1 << 20, 4096, 8).hooked(hook);
    let builder = SharedVec::<usize>::builder().growth(Growth::Fixed { step_bytes: 4096 });
    let vec = builder.build_in(buffer);
    let stored = together(|worker| {
        let mut stored = Vec::new();
        for n in 0..3000 {
            if n == 1500 + worker {
                is_armed.store(true, Ordering::Relaxed);
            }
            let value = worker << 16 | n;
            let before = vec.len();
            match catch_unwind(AssertUnwindSafe(|| vec.try_push(value))) {
                Ok(Ok((index, _))) => stored.push((index, value)),
                // It was refused because another call was, or it unwound itself, where memory is taken ahead after its
                // own push.
                Ok(Err(refused)) => assert_eq!(refused.value, value),
                Err(_) => stored.extend(
                    (0..vec.capacity())
                        .find(|at| vec.get(*at) == Some(&value))
                        .map(|at| (at, value)),
                ),
            }
            assert!(vec.len() >= before);
        }
        stored
    });
    let stored: Vec<_> = stored.into_iter().flatten().collect();
    assert_eq!(vec.len(), stored.len());
    assert!(stored.iter().all(|(index, value)| vec[*index] == *value));
    assert_eq!(stored.iter().map(|(index, _)| index).collect::<HashSet<_>>().len(), vec.len());
    // A backing that has unwound is not called again. Existing elements remain usable.
    match vec.try_push(1) {
        Ok((index, _)) => assert_eq!(index, stored.len()),
        Err(refused) => assert_eq!((refused.value, refused.error.kind()), (1, ErrorKind::System)),
    }
    let mut vec = vec;
    vec.as_mut_vec().pop();
    assert_eq!(vec.push(7).0, vec.len() - 1);
}

#[test]
fn moved_elements_exist_once_if_memory_ahead_unwinds() {
    for is_vec in [true, false] {
        let ledger = Ledger::new();
        let is_armed = Arc::new(AtomicBool::new(false));
        let armed = Arc::clone(&is_armed);
        let hook = move || assert!(!armed.load(Ordering::Relaxed), "as planned");
        let buffer = Buffer::new(1 << 20, 4096, 16).hooked(hook);
        let builder = SharedVec::builder().growth(Growth::Fixed { step_bytes: 4096 });
        let vec = builder.build_in(buffer);
        vec.push(ledger.token(0));
        is_armed.store(true, Ordering::Relaxed);
        // Until the memory is three quarters full.
        let mut has_unwound = false;
        while !has_unwound {
            assert!(vec.len() < vec.capacity());
            let mut run: Vec<_> = ledger.tokens(0..10).collect();
            let append = || {
                if is_vec {
                    vec.append_vec(&mut run).len()
                } else {
                    vec.append(&mut run.drain(..).collect()).len()
                }
            };
            has_unwound = catch_unwind(AssertUnwindSafe(append)).is_err();
            assert!(run.is_empty());
        }
        // These were appended before.
        assert_eq!((vec.len() % 10, ledger.live()), (1, vec.len()));
        drop(vec);
        ledger.assert_all_dropped_but(0);
    }
}

#[test]
fn references_stay_while_others_push() {
    let vec = SharedVec::new();
    let (_, first) = vec.push(String::from("first"));
    together(|worker| push_all(&vec, (0..10_000).map(|n| format!("{worker} {n}"))));
    assert_eq!((first.as_str(), std::ptr::eq(first, &raw const vec[0])), ("first", true));
}
