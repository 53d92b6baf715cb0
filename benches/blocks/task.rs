//! The job of a process: all operations on one array.

use std::hint::black_box;
use std::iter;
use std::time::{Duration, Instant};

use bench_common::memory::{self, Element, Entity};
use bench_common::{harness, jobs, usage};
use serde::{Deserialize, Serialize};

use crate::arrays::{Array, Contender, Job};
use crate::case::{Case, Outcome, Size};

#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
pub(crate) struct Task {
    pub(crate) contender: Contender,
    pub(crate) case: Case,
    /// The least time for each operation except the first.
    pub(crate) ms: u64,
}

/// The least number of elements that are pushed before memory is reused.
const FIRST: usize = 1 << 18;
/// The most arrays in the first operation: some reserve addresses, which are limited.
const ARRAYS: usize = 1 << 10;
/// The least number of elements visited between two readings of the clock.
const RUN: usize = 1 << 15;
/// Random reads between two readings of the clock.
const READS: usize = 1 << 16;

impl jobs::Job for Task {
    type Outcome = Outcome;

    fn run(&self) -> harness::Result<Outcome> {
        let Self { contender, case, .. } = *self;
        // An array that is copied as it grows needs up to three times as much.
        memory::touch(3 * case.bytes().max(FIRST * case.element.bytes()))?;
        Ok(match case.element {
            Size::Number => contender.make::<u64, _>(*self),
            Size::Entity => contender.make::<Entity, _>(*self),
        })
    }
}

impl<E: Element> Job<E> for Task {
    type Outcome = Outcome;

    fn run<A: Array<E>>(self) -> Outcome {
        let count = self.case.count;
        let arrays = (FIRST / count).clamp(1, ARRAYS);
        let mut all = Vec::with_capacity(arrays);
        let faults = usage::page_faults();
        let begun = Instant::now();
        all.extend(iter::repeat_with(|| filled::<E, A>(count)).take(arrays));
        let took = begun.elapsed();
        let faults = faults.zip(usage::page_faults()).map(|(before, after)| after - before);

        let mut array = all.pop().expect("at least one array exists");
        let right = total(count);
        let sums = |sum: fn(&A) -> u64| {
            self.often(|| {
                assert_eq!(sum(black_box(&array)), right, "a pass read other elements");
            })
        };
        let (each, fold) = (sums(sum_each), sums(sum_fold));
        let slices = array.sum_of_slices().is_some();
        let slices = slices.then(|| sums(|array| array.sum_of_slices().unwrap_or_default()));
        let get = self.read(&array);
        let again = self.often(|| {
            array.clear();
            push_all(&mut array, count);
        });
        assert_eq!(sum_fold(&array), right, "the array has other elements");
        drop((array, all));
        Outcome {
            first: took.as_nanos() as f64 / (arrays * count) as f64,
            faults: faults.map(|faults| 1000.0 * faults as f64 / (arrays * count) as f64),
            again,
            over: self.often(|| check(&filled::<E, A>(count), count)),
            roomy: self.often(|| {
                let mut array = A::with_room(black_box(count));
                array.extend((0..count as u64).map(E::of));
                check(&array, count);
            }),
            each,
            fold,
            slices,
            get,
        }
    }
}

impl Task {
    /// Returns the median time for an element.
    fn often(&self, mut work: impl FnMut()) -> f64 {
        let Self { case: Case { count, .. }, ms, .. } = *self;
        let times = (RUN / count).max(1);
        let elements = (times * count) as f64;
        median(ms, || (0..times).for_each(|_| work())) / elements
    }

    /// Returns the median time for a random read.
    fn read<E: Element>(&self, array: &impl Array<E>) -> f64 {
        let mut seed = 1;
        median(self.ms, || {
            let (numbers, indices);
            (seed, numbers, indices) = read_at_random(array, self.case.count, seed);
            assert_eq!(numbers, indices, "a read returned another element");
        }) / READS as f64
    }
}

/// Repeats work for `ms` milliseconds, at least twice, and returns the median in nanoseconds. The first time
/// does not count.
fn median(ms: u64, mut work: impl FnMut()) -> f64 {
    work();
    let mut times = Vec::new();
    let begun = Instant::now();
    while times.is_empty() || begun.elapsed() < Duration::from_millis(ms) {
        let begun = Instant::now();
        work();
        times.push(begun.elapsed());
    }
    times.sort();
    times[times.len() / 2].as_nanos() as f64
}

fn total(count: usize) -> u64 {
    (0..count as u64).sum()
}

/// Checks the last element only, because a sum would take as long as the work.
fn check<E: Element>(array: &impl Array<E>, count: usize) {
    assert_eq!(black_box(array).at(count - 1).number(), count as u64 - 1);
}

fn filled<E: Element, A: Array<E>>(count: usize) -> A {
    let mut array = A::empty();
    push_all(&mut array, count);
    array
}

// Never inlined, so that loops are compiled in the same surroundings for all.

#[inline(never)]
fn push_all<E: Element>(array: &mut impl Array<E>, count: usize) {
    for number in 0..count as u64 {
        array.push(E::of(black_box(number)));
    }
}

#[inline(never)]
fn sum_each<E: Element>(array: &impl Array<E>) -> u64 {
    let mut sum = 0_u64;
    for element in array.each() {
        sum = sum.wrapping_add(element.number());
    }
    sum
}

#[inline(never)]
fn sum_fold<E: Element>(array: &impl Array<E>) -> u64 {
    array.each().fold(0, |sum, element| sum.wrapping_add(element.number()))
}

/// Returns the next seed, the sum of the numbers read, and the expected sum.
#[inline(never)]
fn read_at_random<E: Element>(
    array: &impl Array<E>,
    count: usize,
    mut seed: u64,
) -> (u64, u64, u64) {
    let (mut numbers, mut indices) = (0_u64, 0_u64);
    for _ in 0..READS {
        // A linear congruential step (Knuth's MMIX constants), of which the high half is random.
        seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        let index = ((seed >> 32) * count as u64) >> 32;
        let element = array.at(index as usize);
        numbers = numbers.wrapping_add(element.number());
        indices = indices.wrapping_add(index);
    }
    (seed, numbers, indices)
}
