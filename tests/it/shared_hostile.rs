//! Unusual use of a `SharedVec`: its contents are swapped, sizes are huge, drops and backings panic, and threads
//! repeatedly request more than fits.

#![expect(clippy::cast_possible_truncation, reason = "numbers are small")]

use crate::buffer::{Buffer, Call, Failure};
use crate::effort;
use crate::ledger::{Ledger, Step};
use crate::shared::{THREADS, together};
use stayput::{Budget, CommitAhead, ErrorKind, Growth, HugePages, SharedVec, VmVec};
use std::collections::HashSet;
use std::mem;
use std::ops::Range;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering};
use std::sync::{Mutex, OnceLock, mpsc};
use std::thread;
use std::time::Duration;

/// An array over a buffer, whose memory grows by a run of 4 KiB.
fn buffered<T>(bytes: usize) -> (SharedVec<T>, crate::buffer::Log) {
    let buffer = Buffer::new(bytes, 4096, align_of::<T>().max(8));
    let log = buffer.log();
    let builder = SharedVec::builder().growth(Growth::Fixed { step_bytes: 4096 });
    (builder.build_in(buffer), log)
}

/// Arrays of all kinds, each with its elements.
fn insides(kind: usize, from: u32) -> (VmVec<u32>, Range<u32>) {
    let count = [0, 1, 700, 1024, 5000, 3][kind % 6];
    let mut vec = match kind % 5 {
        0 => VmVec::new(),
        1 => VmVec::with_max_len(5000),
        2 => VmVec::builder().build_in(Buffer::new(5000 * 4, 4096, 8)),
        3 => VmVec::builder().max_len(5000).capacity(4000).build(),
        _ => VmVec::builder().max_len(1 << 20).commit_ahead(CommitAhead::Auto).build(),
    };
    vec.extend(from..from + count);
    (vec, from..from + count)
}

#[test]
fn arrays_can_be_swapped_in_and_out_and_threads_push_after_their_elements() {
    let mut vec = SharedVec::<u32>::new();
    for kind in 0..30 * effort::rounds(1) as usize {
        let (inside, own) = insides(kind, kind as u32 * 10_000);
        *vec.as_mut_vec() = inside;
        assert!(vec.iter().copied().eq(own.clone()));
        assert_eq!(vec.get(own.len()), None);
        let stored = together(|worker| {
            let mut stored = Vec::new();
            for n in 0..kind as u32 * 20 {
                let value = 1 << 31 | (worker as u32) << 16 | n;
                match vec.try_push(value) {
                    Ok((at, _)) => stored.push((at, value)),
                    Err(refused) => {
                        assert_eq!(
                            (refused.value, refused.error.kind()),
                            (value, ErrorKind::MaxLen)
                        );
                    }
                }
            }
            stored
        });
        let stored: Vec<_> = stored.into_iter().flatten().collect();
        assert_eq!(vec.len(), own.len() + stored.len());
        assert!(stored.iter().all(|(at, value)| vec[*at] == *value));
        assert!(vec.iter().copied().take(own.len()).eq(own));
        match kind % 4 {
            0 => vec.clear(),
            1 => vec.shrink_to_fit(),
            2 => mem::forget(vec.as_mut_vec()),
            _ => drop(mem::take(&mut *vec.as_mut_vec())),
        }
    }
}

#[test]
#[cfg_attr(miri, ignore = "takes minutes")]
fn two_shared_arrays_can_be_swapped() {
    let (mut small, mut large) = (SharedVec::with_max_len(100), SharedVec::<u64>::new());
    small.extend(0..100);
    large.extend(1000..100_000);
    for round in 0..10 {
        mem::swap(&mut *small.as_mut_vec(), &mut *large.as_mut_vec());
        let (full, wide) = if round % 2 == 0 { (&large, &small) } else { (&small, &large) };
        assert_eq!((full.len(), full.max_len()), (100, 100));
        assert!(full.try_push(1).is_err() && full.iter().copied().eq(0..100));
        together(|_| (0..500).for_each(|n| assert!(wide.push(n).0 > 0)));
        assert_eq!(wide.len(), 99_000 + (round + 1) * 2000);
        assert!(wide.iter().take(99_000).copied().eq(1000..100_000));
        assert_eq!(wide.get(wide.len()), None);
    }
    // The arrays themselves, too.
    mem::swap(&mut small, &mut large);
    small.push(1);
    assert_eq!(large.len() + small.len(), 99_000 + 20_000 + 100 + 1);
}

#[test]
fn an_array_stays_usable_after_a_swapped_guard_is_forgotten() {
    for kind in 0..10 {
        let mut vec = (0..3000_u32).collect::<SharedVec<_>>();
        vec.push(1);
        let mut inner = vec.as_mut_vec();
        *inner = insides(kind, 7).0;
        mem::forget(inner);
        assert_eq!((vec.len(), vec.get(0)), (0, None));
        for n in 0..vec.max_len().min(5000) {
            assert_eq!(vec.push(n as u32).0, n);
        }
        assert!(vec.iter().enumerate().all(|(at, n)| at == *n as usize));
    }
}

#[test]
fn places_of_removed_elements_are_empty_for_later_threads() {
    let mut vec = SharedVec::<usize>::builder().max_len(1 << 16).build();
    for round in 0..effort::rounds(20) as usize {
        let each = 1 + effort::few(round * 337 % 9000);
        let is_done = AtomicBool::new(false);
        thread::scope(|scope| {
            let (vec, is_done) = (&vec, &is_done);
            let reader = scope.spawn(move || {
                let mut before = 0;
                loop {
                    let is_last = is_done.load(Ordering::Acquire);
                    let now = vec.as_slice();
                    assert!(now.len() >= before);
                    // The elements of an earlier round have other numbers.
                    assert!(now[before..].iter().all(|n| n >> 20 == round));
                    for at in now.len()..now.len() + 100 {
                        assert!(vec.get(at).is_none_or(|n| n >> 20 == round));
                    }
                    before = now.len();
                    if is_last {
                        return before;
                    }
                }
            });
            together(|worker| {
                let value = |n: usize| round << 20 | worker << 16 | n;
                let mut gather = vec.gather();
                for n in 0..each {
                    match (worker + round) % 4 {
                        0 => gather.push(value(n)),
                        1 => drop(vec.extend_from_slice(&[value(n)])),
                        2 => assert_eq!(*vec.push_with(|_| value(n)).1, value(n)),
                        _ => assert_eq!(vec.get(vec.push(value(n)).0), Some(&value(n))),
                    }
                }
            });
            is_done.store(true, Ordering::Release);
            assert_eq!(reader.join().unwrap(), THREADS * each);
        });
        match round % 3 {
            0 => vec.clear(),
            1 => drop(vec.drain(..)),
            _ => {
                vec.as_mut_vec().truncate(0);
                vec.shrink_to_fit();
            }
        }
        assert!((0..THREADS * each).all(|at| vec.get(at).is_none()));
    }
}

#[test]
fn repeatedly_refused_threads_take_and_lose_no_place() {
    // Under Miri, too, all places are taken.
    let (max_lens, rounds): (&[usize], _) =
        if cfg!(miri) { (&[0, 5, 64], 300) } else { (&[0, 1, 2, 5, 63, 64, 65, 1000, 4096], 3000) };
    for max_len in max_lens.iter().copied() {
        let (vec, _) = buffered::<u64>(4096);
        let bounded = SharedVec::<u64>::with_max_len(max_len);
        let most = [&vec, &bounded].map(SharedVec::max_len);
        let stored = together(|worker| {
            let mut stored = [0, 0];
            for n in 0..rounds {
                for (vec, stored) in [&vec, &bounded].into_iter().zip(&mut stored) {
                    match (n + worker) % 5 {
                        0 => *stored += usize::from(vec.try_push_with(|at| at as u64).is_ok()),
                        1 => {
                            *stored +=
                                vec.try_extend_from_slice(&[1, 2, 3]).map_or(0, |at| at.len());
                        }
                        2 => *stored += usize::from(vec.push_if_len(vec.len(), 1).is_ok()),
                        3 => {
                            *stored += 7 - vec
                                .try_extend(0..7)
                                .map_or_else(|left| left.value.count(), |()| 0);
                        }
                        _ => *stored += usize::from(vec.try_push(1).is_ok()),
                    }
                }
            }
            stored
        });
        let sum = stored.iter().fold([0, 0], |sum, one| [sum[0] + one[0], sum[1] + one[1]]);
        assert_eq!(([vec.len(), bounded.len()], sum), (most, most));
        // Room for one more is found at once.
        for mut vec in [vec, bounded] {
            if vec.as_mut_vec().pop().is_some() {
                let stored = together(|_| (0..100).filter(|_| vec.try_push(9).is_ok()).count());
                assert_eq!((stored.iter().sum::<usize>(), vec.as_slice().last()), (1, Some(&9)));
            }
        }
    }
}

#[test]
fn huge_numbers_are_refused_and_nothing_changes() {
    fn ask<T: Copy + PartialEq + std::fmt::Debug>(value: T) {
        let vec = SharedVec::new();
        vec.push(value);
        for absurd in [usize::MAX, usize::MAX - 1, isize::MAX as usize, usize::MAX / size_of::<T>()]
        {
            assert!(vec.try_reserve(absurd).is_err() && vec.try_prefault(absurd).is_err());
            assert!(vec.push_if_len(absurd, value).is_err());
            assert!(vec.get(absurd).is_none());
            assert!(SharedVec::<T>::try_with_max_len(absurd).map_or(true, |vec| vec.is_empty()));
            assert!(SharedVec::<T>::builder().capacity(absurd).try_build().is_err());
        }
        vec.prefault_ahead(Budget::bytes(0));
        assert_eq!((vec.push(value).0, vec.len(), vec.get(2)), (1, 2, None));
    }
    ask(1_u8);
    ask(1_u64);
    ask([1_u8; 3]);
    ask([1_u64; 2048]);
}

#[test]
fn elements_of_size_zero_are_counted_up_to_the_largest_number() {
    let vec = SharedVec::<()>::new();
    let most = vec.max_len();
    vec.extend_from_slice(&vec![(); most - 1000]);
    let stored = together(|worker| {
        let mut stored = 0;
        for n in 0..1000 {
            stored += match (n + worker) % 4 {
                0 => vec.try_extend_from_slice(&[(); 2]).map_or(0, |at| at.len()),
                1 => usize::from(vec.try_push_with(|_| ()).is_ok()),
                2 => usize::from(vec.push_if_len(vec.len(), ()).is_ok()),
                _ => usize::from(vec.try_push(()).is_ok()),
            };
        }
        stored
    });
    assert_eq!((stored.iter().sum::<usize>(), vec.len(), vec.as_slice().len()), (1000, most, most));
    assert_eq!(vec.try_extend_from_slice(&[(); usize::MAX]).unwrap_err().kind(), ErrorKind::MaxLen);
}

#[test]
fn gathered_elements_of_size_zero_are_dropped_once() {
    static DROPS: AtomicUsize = AtomicUsize::new(0);
    struct Mark;
    impl Drop for Mark {
        fn drop(&mut self) {
            DROPS.fetch_add(1, Ordering::Relaxed);
        }
    }
    let mut few = SharedVec::with_max_len(100);
    let mut gather = few.gather();
    for n in 0..164 {
        assert_eq!(gather.try_push(Mark).is_ok(), n < 128);
    }
    assert_eq!((few.len(), gather.as_slice().len(), DROPS.load(Ordering::Relaxed)), (64, 64, 36));
    drop(gather);
    mem::forget(few.drain(60..));
    assert_eq!((few.len(), DROPS.load(Ordering::Relaxed)), (0, 100));
    few.push(Mark);
    drop(few);
    assert_eq!(DROPS.load(Ordering::Relaxed), 101);
}

#[test]
fn elements_gathered_for_a_full_array_are_dropped_once_even_if_drops_panic() {
    for pass in 0..10 {
        let ledger = Ledger::new();
        let full = SharedVec::with_max_len(3);
        full.extend(ledger.tokens(0..3));
        let mut gather = full.gather();
        gather.extend(ledger.tokens(0..10));
        assert_eq!(gather.try_flush().unwrap_err().kind(), ErrorKind::MaxLen);
        ledger.set_fuse(Step::Drop, pass);
        let result = catch_unwind(AssertUnwindSafe(|| drop(gather)));
        ledger.clear_fuse();
        assert!(result.is_err() && ledger.live() == 3);
        drop(full);
        ledger.assert_all_dropped_but(0);
    }
}

#[test]
#[cfg_attr(miri, ignore = "takes minutes")]
fn each_is_dropped_once_whatever_a_backing_refuses_or_unwinds() {
    for failure in [Failure::Refuse, Failure::Panic] {
        for pass in 0..12 {
            let ledger = Ledger::new();
            let (mut vec, log) = buffered(1 << 16);
            log.plan(Call::Commit, failure, pass, 3);
            let mut kept = Vec::new();
            for n in 0..600 {
                let run = catch_unwind(AssertUnwindSafe(|| match n % 4 {
                    0 => kept
                        .extend(vec.try_push(ledger.token(n)).err().map(|refused| refused.value)),
                    1 => kept.extend(
                        vec.try_extend(ledger.tokens(0..n % 90))
                            .err()
                            .into_iter()
                            .flat_map(|r| r.value),
                    ),
                    2 => {
                        let mut run: Vec<_> = ledger.tokens(0..9).collect();
                        let is_moved = vec.try_append_vec(&mut run).is_ok();
                        assert_eq!(run.len(), if is_moved { 0 } else { 9 });
                        kept.append(&mut run);
                    }
                    _ => kept.extend(
                        vec.try_push_with(|at| ledger.token(at as u32))
                            .err()
                            .map(|refused| refused.value),
                    ),
                }));
                assert!(run.is_ok() || failure == Failure::Panic);
                assert_eq!(vec.len() + kept.len(), ledger.live(), "{failure:?} {pass} {n}");
                kept.clear();
            }
            assert!(vec.iter().all(|token| ledger.is_live(token)));
            // The elements can be taken out and put in again.
            let half = vec.len() / 2;
            drop(vec.drain(half..));
            while vec.len() < half + 5 && vec.try_push(ledger.token(1)).is_ok() {}
            assert_eq!(vec.len(), ledger.live());
            mem::forget(vec.as_mut_vec());
            let leaked = ledger.live();
            // If the first call has unwound, there is none.
            let is_stored = vec.try_push(ledger.token(7)).is_ok();
            assert!(is_stored || vec.capacity() == 0);
            drop(vec);
            ledger.assert_all_dropped_but(leaked);
        }
    }
}

#[test]
fn an_array_whose_drop_panics_makes_room_for_another() {
    let ledger = Ledger::new();
    let mut vec = SharedVec::new();
    vec.extend(ledger.tokens(0..10));
    ledger.set_fuse(Step::Drop, 3);
    let result = catch_unwind(AssertUnwindSafe(|| {
        *vec.as_mut_vec() = ledger.tokens(20..24).collect();
    }));
    ledger.clear_fuse();
    assert!(result.is_err());
    assert_eq!(vec.iter().map(|token| token.value).collect::<Vec<_>>(), [20, 21, 22, 23]);
    let (at, token) = vec.push(ledger.token(24));
    assert_eq!((at, token.value, ledger.live()), (4, 24, 5));
    drop(vec);
    ledger.assert_all_dropped_but(0);
}

#[test]
fn readers_see_runs_and_single_ones_whole_while_memory_is_made_ready() {
    let vec = SharedVec::<Box<usize>>::builder()
        .growth(Growth::Fixed { step_bytes: 1 << 16 })
        .commit_ahead(CommitAhead::Auto)
        .build();
    let is_done = AtomicBool::new(false);
    let each = effort::few(3000) * effort::rounds(1) as usize;
    thread::scope(|scope| {
        let (vec, is_done) = (&vec, &is_done);
        let helpers = [0, 1].map(|helper| {
            scope.spawn(move || {
                let mut before = 0;
                while !is_done.load(Ordering::Acquire) {
                    if helper == 0 {
                        vec.prefault_ahead(Budget::bytes(1 << 14));
                        vec.try_prefault(100).unwrap();
                        vec.try_reserve(1000).unwrap();
                        assert!(vec.stats().capacity >= before);
                    }
                    let len = vec.len();
                    assert!(
                        len >= before && vec.as_slice()[before..len].iter().all(|n| **n < 1 << 20)
                    );
                    assert!((len..len + 70).all(|at| vec.get(at).is_none_or(|n| **n < 1 << 20)));
                    before = len;
                }
            })
        });
        let stored = together(|worker| {
            let mut stored = Vec::new();
            for n in 0..each {
                if (n / 100 + worker) % 2 == 0 {
                    let value = worker << 18 | n;
                    stored.push((vec.push(Box::new(value)).0, value));
                } else if n % 10 == 0 {
                    let mut run: Vec<_> = (n..n + 10).map(|n| Box::new(worker << 18 | n)).collect();
                    let places = vec.append_vec(&mut run);
                    assert!(places.clone().all(|at| vec.get(at).is_some()));
                    stored.extend(places.zip((n..n + 10).map(|n| worker << 18 | n)));
                }
            }
            stored
        });
        is_done.store(true, Ordering::Release);
        for helper in helpers {
            helper.join().unwrap();
        }
        let stored: Vec<_> = stored.into_iter().flatten().collect();
        assert_eq!((vec.len(), stored.len()), (THREADS * each, THREADS * each));
        assert!(stored.iter().all(|(at, value)| *vec[*at] == *value));
        assert_eq!(stored.iter().map(|(at, _)| at).collect::<HashSet<_>>().len(), stored.len());
    });
}

#[test]
#[cfg_attr(miri, ignore = "takes minutes")]
fn pushes_from_a_backing_on_several_threads_succeed_or_are_returned() {
    static VEC: OnceLock<SharedVec<u64>> = OnceLock::new();
    static OUT_OF_IT: Mutex<Vec<(usize, u64)>> = Mutex::new(Vec::new());
    static BUSY: AtomicUsize = AtomicUsize::new(0);
    const OUT: u64 = 1 << 40;
    let made = AtomicU64::new(OUT);
    let wait = move || {
        let Some(vec) = VEC.get() else { return };
        for n in 0..3 {
            let value = made.fetch_add(1, Ordering::Relaxed);
            let stored = match n {
                0 => vec.try_push(value).map(|(at, _)| at).ok(),
                1 => vec.try_extend_from_slice(&[value]).map(|at| at.start).ok(),
                _ => vec.try_push_with(|_| value).map(|(at, _)| at).ok(),
            };
            assert!(vec.try_reserve(1 << 14).is_err());
            let refused = [
                vec.try_stats().err(),
                vec.try_max_len().err(),
                vec.push_if_len(usize::MAX, 1).err().and_then(|(error, _)| error),
            ];
            for error in refused.into_iter().flatten() {
                assert_eq!(error.kind(), ErrorKind::Busy);
                BUSY.fetch_add(1, Ordering::Relaxed);
            }
            OUT_OF_IT.lock().unwrap().extend(stored.map(|at| (at, value)));
            thread::yield_now();
        }
    };
    let backing = Buffer::new(1 << 20, 4096, 8).hooked(wait);
    let vec = SharedVec::builder().growth(Growth::Fixed { step_bytes: 4096 });
    let vec = VEC.get_or_init(|| vec.build_in(backing));
    let stored = together(|worker| {
        let mut stored = Vec::new();
        let mut is_full = false;
        for n in 0.. {
            let value = (worker as u64) << 24 | n;
            match vec.try_push(value) {
                Ok((at, _)) => stored.push((at, value)),
                Err(refused) => {
                    assert_eq!(refused.value, value);
                    is_full = vec.len() == vec.max_len();
                }
            }
            if is_full {
                break;
            }
        }
        stored
    });
    let own: Vec<_> = stored.into_iter().flatten().collect();
    let mut all = own.clone();
    all.extend(OUT_OF_IT.lock().unwrap().iter());
    assert_eq!((vec.len(), all.len()), (1 << 17, 1 << 17));
    assert!(BUSY.load(Ordering::Relaxed) > 0);
    assert!(all.iter().all(|(at, value)| vec[*at] == *value));
    assert_eq!(all.iter().map(|(at, _)| at).collect::<HashSet<_>>().len(), all.len());
}

#[test]
fn a_buffer_is_filled_whatever_the_maximum() {
    const MOST: usize = isize::MAX as usize;
    for max_len in [1 << 13, 1 << 20, MOST >> 17, MOST >> 13, MOST, usize::MAX] {
        for huge_pages in [HugePages::Never, HugePages::Always] {
            let alone = VmVec::<u64>::builder().max_len(max_len).huge_pages(huge_pages);
            assert_eq!(alone.build_in(Buffer::new(1 << 16, 4096, 8)).max_len(), 1 << 13);
            let vec = SharedVec::<u64>::builder().max_len(max_len).huge_pages(huge_pages);
            let vec = vec.build_in(Buffer::new(1 << 16, 4096, 8));
            let refused = loop {
                if let Err(refused) = vec.try_push(1) {
                    break refused.error;
                }
            };
            assert_eq!(
                (vec.len(), vec.max_len()),
                (1 << 13, 1 << 13),
                "{max_len}, {huge_pages:?}: {refused}"
            );
        }
    }
}

#[test]
fn one_of_size_zero_is_returned_without_an_error_if_it_is_not_next() {
    // Like those that have one.
    let sized = SharedVec::<u8>::with_max_len(100);
    assert_eq!(sized.push_if_len(100, 1).unwrap_err(), (None, 1));
    let few = SharedVec::<()>::with_max_len(100);
    assert_eq!(few.push_if_len(100, ()).unwrap_err(), (None, ()));
}

#[test]
fn several_elements_that_cannot_fit_take_no_memory() {
    let vec = SharedVec::<u64>::with_max_len(1 << 20);
    vec.push(1);
    let before = vec.stats().committed_bytes;
    let refused = vec.try_extend_from_slice(&vec![1; 1 << 20]).unwrap_err();
    assert_eq!(refused.kind(), ErrorKind::MaxLen);
    let now = vec.stats().committed_bytes;
    assert!(now < before + (1 << 20), "{before} before, {now} now");
}

#[test]
fn a_push_with_room_does_not_wait_for_a_thread_that_takes_memory() {
    let (go_on, gone_on) = mpsc::sync_channel::<()>(0);
    let (arrived, arrival) = mpsc::sync_channel(0);
    let gone_on = Mutex::new(gone_on);
    let is_armed = std::sync::Arc::new(AtomicBool::new(false));
    let is_set = std::sync::Arc::clone(&is_armed);
    let wait = move || {
        if is_set.swap(false, Ordering::Relaxed) {
            arrived.send(()).unwrap();
            let _ = gone_on.lock().unwrap().recv();
        }
    };
    let backing = Buffer::new(1 << 20, 4096, 8).hooked(wait);
    let vec = SharedVec::<u64>::builder().growth(Growth::Fixed { step_bytes: 4096 });
    let vec = vec.build_in(backing);
    vec.push(0);
    is_armed.store(true, Ordering::Relaxed);
    let has_pushed = thread::scope(|scope| {
        scope.spawn(|| vec.extend_from_slice(&vec![1; 10_000]));
        arrival.recv().unwrap();
        let (done, is_done) = mpsc::channel();
        let vec = &vec;
        scope.spawn(move || {
            assert!(vec.len() < vec.capacity());
            vec.push(2);
            let _ = done.send(());
        });
        let has_pushed = is_done.recv_timeout(Duration::from_secs(2)).is_ok();
        drop(go_on);
        has_pushed
    });
    assert!(has_pushed, "it waited for another thread that takes memory");
}
