//! `SharedVec` in parallel: the same as for `VmVec`, and tasks that append themselves.

use crate::vec_rayon::{Drops, Token};
use rayon::prelude::*;
use stayput::{ErrorKind, SharedVec, VmVec};
use std::mem;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};

const LENS: [usize; 7] = [0, 1, 2, 63, 1000, 4097, 50_000];

fn tokens(drops: &Drops, count: usize) -> SharedVec<Token<'_>> {
    (0..count).map(|number| drops.token(number)).collect()
}

#[test]
fn collecting_keeps_the_order_with_and_without_a_known_length() {
    for len in LENS {
        let expected: Vec<usize> = (0..len).collect();
        let known: SharedVec<usize> = (0..len).into_par_iter().collect();
        assert_eq!(known, expected[..]);
        let unknown: SharedVec<usize> =
            (0..2 * len).into_par_iter().filter(|n| n % 2 == 0).collect();
        assert!(unknown.iter().map(|n| n / 2).eq(0..len));
        let mut vec = SharedVec::from([7, 8]);
        let first = vec.as_slice().as_ptr();
        vec.par_extend(&expected);
        vec.push(9);
        vec.par_extend(expected.par_iter().filter(|n| **n < 5));
        vec.par_extend(known.into_par_iter().rev());
        assert_eq!(vec.as_slice().as_ptr(), first);
        let rest = [7, 8].into_iter().chain(0..len).chain([9]);
        assert!(vec.into_iter().eq(rest.chain(0..len.min(5)).chain((0..len).rev())));
    }
}

#[test]
fn tasks_append_all_elements_each_in_its_own_order() {
    for len in LENS {
        let expected: Vec<usize> = (0..len).collect();
        let vec = SharedVec::from([usize::MAX]);
        let first = vec.as_slice().as_ptr();
        (&vec).par_extend((0..len).into_par_iter().filter(|_| true));
        (&vec).par_extend(&expected);
        (&vec).par_extend(expected.par_iter().copied().rev());
        assert_eq!((vec.as_slice().as_ptr(), vec[0]), (first, usize::MAX));
        // Elements are stored in runs.
        let steps = vec.as_slice().windows(2).filter(|pair| pair[0].abs_diff(pair[1]) == 1);
        assert!(len < 1000 || steps.count() >= len, "{len}");
        let mut all = vec.into_inner();
        all.sort_unstable();
        assert_eq!(all.pop(), Some(usize::MAX));
        assert!(all.into_iter().eq((0..len).flat_map(|n| [n; 3])));
    }
}

#[test]
fn others_read_and_append_while_tasks_append() {
    let vec = SharedVec::<usize>::new();
    let (mut one, mut other) = (&vec, &vec);
    rayon::join(
        || one.par_extend((0..20_000).into_par_iter().map(|n| 2 * n)),
        || {
            other.par_extend((0..20_000).into_par_iter().map(|n| {
                assert!(vec.as_slice().iter().all(|n| *n < 40_000));
                2 * n + 1
            }));
        },
    );
    // Appends to an array that tasks iterate over.
    vec.par_iter().for_each(|n| _ = vec.push(40_000 + n));
    let mut all = vec.into_inner();
    all.par_sort_unstable();
    assert!(all.into_iter().eq(0..80_000));
}

#[test]
fn elements_of_size_zero_are_counted() {
    let units: SharedVec<()> = (0..12_345).into_par_iter().map(|_| ()).collect();
    (&units).par_extend((0..5).into_par_iter().map(|_| ()));
    assert_eq!(units.len(), 12_350);
    assert_eq!(units.into_par_iter().filter(|()| true).collect::<SharedVec<()>>().len(), 12_350);
}

#[test]
fn slices_are_divided_among_tasks() {
    let mut vec: SharedVec<u32> = (0..10_000).collect();
    vec.par_iter_mut().for_each(|n| *n += 1);
    (&mut vec).into_par_iter().for_each(|n| *n += 1);
    assert_eq!(vec.par_iter().sum::<u32>(), (&vec).into_par_iter().sum());
    assert!(vec.par_iter().enumerate().all(|(at, n)| *n as usize == at + 2));
    let iter = vec.into_par_iter();
    assert_eq!((iter.len(), iter.opt_len()), (10_000, Some(10_000)));
    assert!(iter.collect::<VmVec<_>>().into_iter().eq(2..10_002));
}

#[test]
fn a_drained_range_closes_its_gap() {
    for len in LENS {
        let drops = Drops::of(len);
        let mut vec = tokens(&drops, len);
        let range = len / 4..len / 2;
        let drain = vec.par_drain(range.clone());
        assert_eq!((drain.len(), drain.opt_len()), (range.len(), Some(range.len())));
        let taken: SharedVec<Token<'_>> = drain.collect();
        assert!(taken.iter().map(|token| token.number).eq(range.clone()));
        drops.assert_once(|_| false);
        assert!(vec.iter().map(|token| token.number).eq((0..range.start).chain(range.end..len)));
        // Dropped without use, it still removes its range.
        drop(vec.par_drain(..range.start));
        drops.assert_once(|number| number < range.start);
        assert_eq!(vec.len(), len - range.end);
        drop((taken, vec));
        drops.assert_once(|_| true);
    }
    let mut vec = SharedVec::from([1, 2, 3]);
    assert_eq!(format!("{:?}", vec.par_drain(1..)), "ParDrain([2, 3])");
    assert_eq!(vec, [1]);
}

#[test]
fn elements_not_taken_are_dropped_and_forgotten_ones_leak() {
    let drops = Drops::of(50_000);
    let mut vec = tokens(&drops, 50_000);
    let found = vec.par_drain(100..).find_any(|token| token.number == 40_000);
    assert_eq!((found.map(|token| token.number), vec.len()), (Some(40_000), 100));
    drops.assert_once(|number| number >= 100);
    let taken: Vec<_> = vec.into_par_iter().skip(10).take(20).collect();
    drops.assert_once(|number| !(10..30).contains(&number));
    drop(taken);
    drops.assert_once(|_| true);
    let mut vec = SharedVec::from([1, 2, 3]);
    mem::forget(vec.par_drain(1..2));
    assert!(vec.is_empty());
    vec.par_extend([4, 5]);
    assert_eq!(vec, [4, 5]);
}

#[test]
fn the_array_stays_usable_when_a_task_panics() {
    for at in [0, 1, 2500, 9999] {
        let drops = Drops::of(10_000);
        let mut vec = tokens(&drops, 10_000);
        let run = catch_unwind(AssertUnwindSafe(|| {
            vec.par_drain(10..9_990).for_each(|token| assert_ne!(token.number, at, "planned"));
        }));
        assert_eq!((run.is_err(), vec.len()), ((10..9_990).contains(&at), 20));
        drops.assert_once(|number| (10..9_990).contains(&number));

        for is_shared in [false, true] {
            let (drops, count) = (Drops::of(10_001), Drops::of(10_000));
            let mut vec = SharedVec::from([drops.token(10_000)]);
            let make = |number: usize| {
                assert_ne!(number, at, "planned");
                count.0[number].fetch_add(1, Relaxed);
                drops.token(number)
            };
            let tokens = (0..10_000).into_par_iter().map(make);
            let run = catch_unwind(AssertUnwindSafe(|| {
                if is_shared {
                    (&vec).par_extend(tokens);
                } else {
                    vec.par_extend(tokens);
                }
            }));
            assert!(run.is_err());
            let was_made = |number: usize| count.0[number].load(Relaxed) > 0;
            if is_shared {
                drops.assert_once(|_| false);
                let mut there: Vec<_> = vec.iter().skip(1).map(|token| token.number).collect();
                there.sort_unstable();
                assert!(there.into_iter().eq((0..10_000).filter(|number| was_made(*number))));
            } else {
                assert_eq!((vec.len(), vec[0].number), (1, 10_000), "the array is as before");
                drops.assert_once(|number| number < 10_000 && was_made(number));
            }
            drop(vec);
            drops.assert_once(|number| number == 10_000 || was_made(number));
        }
    }
}

#[test]
fn a_full_array_takes_what_fits_and_reports_that_it_is_full() {
    for max_len in [0, 1, 63, 64, 100, 5000] {
        let vec = SharedVec::<usize>::with_max_len(max_len);
        let run = catch_unwind(AssertUnwindSafe(|| (&vec).par_extend(0..max_len + 1)));
        let words = run.unwrap_err();
        let words = words.downcast_ref::<String>().expect("it has words");
        assert!(words.contains("this SharedVec is full"), "{words}");
        // A last run that does not fit as a whole is not stored.
        assert!(vec.len() <= max_len);
        let mut seen = vec![false; max_len + 1];
        assert!(vec.iter().all(|n| !mem::replace(&mut seen[*n], true)));
        let left = max_len - vec.len();
        (&vec).par_extend(vec![7; left]);
        assert_eq!(vec.len(), max_len);
        assert_eq!(vec.try_push(1).unwrap_err().error.kind(), ErrorKind::MaxLen);

        // With exclusive access, no memory is requested that cannot fit.
        let (mut vec, asked) = (vec, AtomicUsize::new(0));
        let more = (0..1).into_par_iter().inspect(|_| _ = asked.fetch_add(1, Relaxed));
        assert!(catch_unwind(AssertUnwindSafe(|| vec.par_extend(more))).is_err());
        assert_eq!((vec.len(), asked.into_inner()), (max_len, 0));
    }
}
