//! Arrays in parallel: the same as for `Vec`, and each element is dropped once, whatever panics.

use rayon::iter::plumbing::{Folder, Reducer, UnindexedConsumer};
use rayon::prelude::*;
use stayput::VmVec;
use std::collections::HashSet;
use std::mem;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Mutex;
use std::sync::atomic::{AtomicU32, Ordering::Relaxed};

const LENS: [usize; 7] = [0, 1, 2, 63, 1000, 4097, 50_000];

/// Counts drops, by number.
pub(crate) struct Drops(pub(crate) Vec<AtomicU32>);

impl Drops {
    pub(crate) fn of(count: usize) -> Self {
        Self((0..count).map(|_| AtomicU32::new(0)).collect())
    }

    pub(crate) fn token(&self, number: usize) -> Token<'_> {
        Token { drops: self, number, text: number.to_string() }
    }

    fn vec(&self) -> VmVec<Token<'_>> {
        (0..self.0.len()).map(|number| self.token(number)).collect()
    }

    /// Each was dropped exactly as often as it was made.
    pub(crate) fn assert_once(&self, made: impl Fn(usize) -> bool) {
        for (number, drops) in self.0.iter().enumerate() {
            assert_eq!(drops.load(Relaxed), u32::from(made(number)), "{number}");
        }
    }
}

/// Owns heap memory, so that sanitizers notice a second drop.
#[derive(Debug)]
pub(crate) struct Token<'d> {
    drops: &'d Drops,
    pub(crate) number: usize,
    text: String,
}

impl std::fmt::Debug for Drops {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Drops")
    }
}

impl Drop for Token<'_> {
    fn drop(&mut self) {
        assert_eq!(self.text, self.number.to_string());
        self.drops.0[self.number].fetch_add(1, Relaxed);
    }
}

#[test]
fn collecting_keeps_the_order_with_and_without_a_known_length() {
    for len in LENS {
        let expected: Vec<usize> = (0..len).collect();
        let known: VmVec<usize> = (0..len).into_par_iter().collect();
        assert_eq!(known, expected);
        let unknown: VmVec<usize> = (0..2 * len).into_par_iter().filter(|n| n % 2 == 0).collect();
        assert!(unknown.iter().map(|n| n / 2).eq(0..len));
        let mut vec = VmVec::from([7, 8]);
        let first = vec.as_ptr();
        vec.par_extend(&expected);
        vec.par_extend(expected.par_iter().filter(|n| **n < 5));
        vec.par_extend(known.into_par_iter().rev());
        assert_eq!(vec.as_ptr(), first);
        let rest = [7, 8].into_iter().chain(0..len).chain(0..len.min(5)).chain((0..len).rev());
        assert!(vec.into_iter().eq(rest));
    }
}

#[test]
fn elements_of_size_zero_are_counted() {
    let units: VmVec<()> = (0..12_345).into_par_iter().map(|_| ()).collect();
    assert_eq!(units.len(), 12_345);
    assert_eq!(units.into_par_iter().filter(|()| true).collect::<VmVec<()>>().len(), 12_345);
}

#[test]
fn slices_are_divided_among_tasks() {
    let mut vec: VmVec<u32> = (0..10_000).collect();
    vec.par_iter_mut().for_each(|n| *n += 1);
    (&mut vec).into_par_iter().for_each(|n| *n += 1);
    vec.par_chunks_mut(100).for_each(<[u32]>::reverse);
    assert_eq!(vec.par_iter().sum::<u32>(), (&vec).into_par_iter().sum());
    vec.par_sort();
    assert!(vec.into_iter().eq(2..10_002));
}

#[test]
fn by_value_each_element_is_yielded_once() {
    for len in LENS {
        let drops = Drops::of(len);
        let seen = Mutex::new(HashSet::new());
        drops.vec().into_par_iter().for_each(|token| {
            assert!(seen.lock().unwrap().insert(token.number));
        });
        assert_eq!(seen.into_inner().unwrap().len(), len);
        drops.assert_once(|_| true);
    }
    let vec: VmVec<u32> = (0..1000).collect();
    let iter = vec.into_par_iter();
    assert_eq!((iter.len(), iter.opt_len()), (1000, Some(1000)));
    assert!(iter.rev().enumerate().all(|(i, n)| i + n as usize == 999));
}

#[test]
fn a_drained_range_closes_its_gap() {
    for len in LENS {
        let drops = Drops::of(len);
        let mut vec = drops.vec();
        let range = len / 4..len / 2;
        let taken: VmVec<Token<'_>> = vec.par_drain(range.clone()).collect();
        assert!(taken.iter().map(|token| token.number).eq(range.clone()));
        drops.assert_once(|_| false);
        assert!(vec.iter().map(|token| token.number).eq((0..range.start).chain(range.end..len)));
        // Dropped without use, it still removes its range.
        drop(vec.par_drain(..range.start));
        drops.assert_once(|number| number < range.start);
        drop((taken, vec));
        drops.assert_once(|_| true);
    }
}

#[test]
fn elements_not_taken_are_dropped() {
    let drops = Drops::of(50_000);
    let mut vec = drops.vec();
    let found = vec.par_drain(100..).find_any(|token| token.number == 40_000);
    assert_eq!(found.map(|token| token.number), Some(40_000));
    drops.assert_once(|number| number >= 100);
    let taken: Vec<_> = vec.into_par_iter().skip(10).take(20).collect();
    drops.assert_once(|number| !(10..30).contains(&number));
    drop(taken);
    drops.assert_once(|_| true);
}

#[test]
fn when_a_task_panics_each_element_is_dropped_once() {
    for at in [0, 1, 2500, 9999] {
        let drops = Drops::of(10_000);
        let mut vec = drops.vec();
        let run = catch_unwind(AssertUnwindSafe(|| {
            vec.par_drain(10..9_990).for_each(|token| assert_ne!(token.number, at, "planned"));
        }));
        assert_eq!(run.is_err(), (10..9_990).contains(&at));
        assert_eq!(vec.len(), 20);
        drops.assert_once(|number| (10..9_990).contains(&number));
        vec.clear();

        let drops = Drops::of(10_000);
        let run = catch_unwind(AssertUnwindSafe(|| {
            let tokens = drops.vec();
            tokens.into_par_iter().map(|token| assert_ne!(token.number, at, "planned")).count()
        }));
        assert!(run.is_err());
        drops.assert_once(|_| true);

        for unknown in [false, true] {
            let (drops, count) = (Drops::of(10_001), Drops::of(10_000));
            let mut vec = VmVec::from([drops.token(10_000)]);
            let make = |number: usize| {
                assert_ne!(number, at, "planned");
                count.0[number].fetch_add(1, Relaxed);
                drops.token(number)
            };
            let run = catch_unwind(AssertUnwindSafe(|| {
                let tokens = (0..10_000).into_par_iter().map(make);
                if unknown {
                    vec.par_extend(tokens.filter(|_| true));
                } else {
                    vec.par_extend(tokens);
                }
            }));
            assert!(run.is_err());
            assert_eq!((vec.len(), vec[0].number), (1, 10_000), "the array is as before");
            drops.assert_once(|number| number < 10_000 && count.0[number].load(Relaxed) > 0);
        }
    }
}

#[test]
fn a_full_array_is_refused_before_items_are_produced() {
    let asked = AtomicU32::new(0);
    let mut vec = VmVec::with_max_len(100);
    vec.push(0);
    let run = catch_unwind(AssertUnwindSafe(|| {
        vec.par_extend((0..100).into_par_iter().inspect(|_| _ = asked.fetch_add(1, Relaxed)));
    }));
    assert!(run.is_err());
    assert_eq!((vec.len(), asked.into_inner()), (1, 0));
    vec.par_extend(1..100);
    assert!(vec.into_iter().eq(0..100));
}

#[test]
fn forgotten_it_leaks_and_no_more() {
    let drops = Drops::of(10);
    let mut vec = drops.vec();
    mem::forget(vec.par_drain(3..7));
    assert_eq!(vec.len(), 3);
    mem::forget(drops.token(0));
    drop(vec);
    drops.assert_once(|number| number < 3);
}

/// An iterator over tokens with any length, which uses its consumer in unusual ways.
#[derive(Clone, Copy)]
struct Liar<'d> {
    drops: &'d Drops,
    announced: usize,
    how: How,
}

#[derive(Clone, Copy, Debug)]
enum How {
    /// Yields this many at once.
    Give(usize),
    /// Yields this many to the left of a split, and this many to the right.
    Split {
        at: usize,
        left: usize,
        right: usize,
    },
    /// Returns the halves in the wrong order.
    Swap {
        at: usize,
    },
    /// Returns only one half.
    LeftOnly {
        at: usize,
    },
    RightOnly {
        at: usize,
    },
    /// Splits without a length.
    SplitOff,
}

impl<'d> ParallelIterator for Liar<'d> {
    type Item = Token<'d>;

    fn opt_len(&self) -> Option<usize> {
        Some(self.announced)
    }

    fn drive_unindexed<C: UnindexedConsumer<Token<'d>>>(self, consumer: C) -> C::Result {
        let drops = self.drops;
        let next = AtomicU32::new(0);
        let fill = |consumer: C, count: usize| {
            let mut folder = consumer.into_folder();
            for _ in 0..count {
                folder = folder.consume(drops.token(next.fetch_add(1, Relaxed) as usize));
            }
            folder.complete()
        };
        match self.how {
            How::Give(count) => fill(consumer, count),
            How::Split { at, left, right } => {
                let (one, other, reducer) = consumer.split_at(at);
                let (one, other) = (fill(one, left), fill(other, right));
                reducer.reduce(one, other)
            }
            How::Swap { at } => {
                let (one, other, reducer) = consumer.split_at(at);
                let (one, other) = (fill(one, at), fill(other, self.announced - at));
                reducer.reduce(other, one)
            }
            How::LeftOnly { at } => {
                let (one, other, _) = consumer.split_at(at);
                drop(fill(other, self.announced - at));
                fill(one, at)
            }
            How::RightOnly { at } => {
                let (one, other, _) = consumer.split_at(at);
                drop(fill(one, at));
                fill(other, self.announced - at)
            }
            How::SplitOff => {
                let left = consumer.split_off_left();
                let reducer = left.to_reducer();
                let (one, other) = (fill(left, 1), fill(consumer, 1));
                reducer.reduce(one, other)
            }
        }
    }
}

#[test]
fn an_iterator_with_a_wrong_length_is_stopped_and_nothing_is_lost() {
    let lies = [
        How::Give(9),
        How::Give(11),
        How::Give(0),
        How::Split { at: 4, left: 3, right: 6 },
        How::Split { at: 4, left: 4, right: 5 },
        How::Split { at: 4, left: 5, right: 5 },
        How::Split { at: 4, left: 3, right: 7 },
        How::Split { at: 11, left: 0, right: 0 },
        How::Swap { at: 4 },
        How::Swap { at: 5 },
        How::LeftOnly { at: 4 },
        How::RightOnly { at: 4 },
        How::SplitOff,
    ];
    for how in lies {
        let (drops, own) = (Drops::of(12), Drops::of(1));
        let mut vec = own.vec();
        let run = catch_unwind(AssertUnwindSafe(|| {
            vec.par_extend(Liar { drops: &drops, announced: 10, how });
        }));
        assert!(run.is_err(), "{how:?}");
        assert_eq!(vec.len(), 1, "{how:?}");
        own.assert_once(|_| false);
        assert!(drops.0.iter().all(|drops| drops.load(Relaxed) <= 1), "{how:?}");
    }
    let honest = [
        How::Give(10),
        How::Split { at: 4, left: 4, right: 6 },
        How::Swap { at: 0 },
        How::LeftOnly { at: 10 },
        How::RightOnly { at: 0 },
    ];
    for how in honest {
        let drops = Drops::of(10);
        let mut vec = VmVec::new();
        let run = catch_unwind(AssertUnwindSafe(|| {
            vec.par_extend(Liar { drops: &drops, announced: 10, how });
        }));
        // Swapping halves of which one is empty either changes nothing, or is detected.
        assert!(run.is_ok() || matches!(how, How::Swap { .. }), "{how:?}");
        assert!(vec.len() == if run.is_ok() { 10 } else { 0 });
        drop(vec);
        drops.assert_once(|_| true);
    }
}
