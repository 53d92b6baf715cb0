//! Brings a structure into the state that an operation needs, and times the operation.

use std::hint::black_box;
use std::time::{Duration, Instant};

use bench_common::compare::{self, Sample};
use bench_common::random::Random;

use crate::operation::Operation;
use crate::rows::Rows;

pub(crate) struct Stage<R> {
    rows: usize,
    /// With capacity for all rows and every page touched; created when first needed.
    warm: Option<R>,
    /// The rows that are looked up, and those that are removed one after the other.
    looked_up: Vec<usize>,
    removed: Vec<usize>,
}

impl<R: Rows> Stage<R> {
    pub(crate) fn new(rows: usize) -> Self {
        let mut random = Random::new(1);
        let mut draw = |operation: Operation, left: fn(usize, usize) -> usize| {
            let count = operation.count_in_pass(rows);
            (0..count).map(|done| random.below(left(rows, done))).collect()
        };
        Self {
            rows,
            warm: None,
            looked_up: draw(Operation::RandomRow, |rows, _| rows),
            removed: draw(Operation::SwapRemove, |rows, done| rows - done),
        }
    }

    /// Returns the structure with all rows, as they were first pushed.
    fn full(&mut self) -> &mut R {
        let warm = self.warm.get_or_insert_with(|| R::with_room(self.rows));
        warm.clear();
        fill(warm, self.rows);
        warm
    }

    fn push_warm(&mut self) -> (Duration, u64) {
        let (rows, passes) = (self.rows, Operation::PushWarm.passes(self.rows));
        let warm = self.full();
        let one = |_| {
            warm.clear();
            timed(|| fill(warm, rows)).0
        };
        let time = (0..passes).map(one).sum();
        (time, state(warm))
    }

    /// All structures stay until the end, so that none reuses the memory of another.
    fn push_fresh(&self) -> (Duration, u64) {
        let passes = Operation::PushFresh.passes(self.rows);
        let mut all = Vec::with_capacity(passes);
        let mut time = Duration::ZERO;
        for _ in 0..passes {
            let (took, filled) = timed(|| {
                let mut fresh = R::empty();
                fill(&mut fresh, self.rows);
                fresh
            });
            time += took;
            all.push(filled);
        }
        (time, all.iter().map(state).fold(0, u64::wrapping_add))
    }

    /// Times each push, from one reading of the clock to the next.
    fn worst_push(&self) -> (Duration, u64) {
        let mut fresh = R::empty();
        let mut longest = Duration::ZERO;
        let mut before = Instant::now();
        for number in numbers(self.rows) {
            fresh.push(black_box(number));
            let after = Instant::now();
            longest = longest.max(after - before);
            before = after;
        }
        (longest, state(&fresh))
    }

    fn integrate(&mut self) -> (Duration, u64) {
        let passes = Operation::Integrate.passes(self.rows);
        let warm = self.full();
        let (time, ()) =
            timed(|| (0..passes).for_each(|_| black_box(&mut *warm).integrate(black_box(0.5))));
        (time, state(warm))
    }

    fn sum(&mut self) -> (Duration, u64) {
        let passes = Operation::Sum.passes(self.rows);
        let warm = self.full();
        timed(|| (0..passes).fold(0, |sum, _| sum + u64::from(black_box(&*warm).sum())))
    }

    fn random_row(&mut self) -> (Duration, u64) {
        self.full();
        let warm = self.warm.as_ref().expect("the structure was filled");
        timed(|| {
            let pass = |sum: u64, _| sum.wrapping_add(look_up(black_box(warm), &self.looked_up));
            (0..Operation::RandomRow.passes(self.rows)).fold(0, pass)
        })
    }

    fn swap_remove(&mut self) -> (Duration, u64) {
        let (mut time, mut checksum) = (Duration::ZERO, 0_u64);
        for _ in 0..Operation::SwapRemove.passes(self.rows) {
            self.full();
            let Self { warm, removed, .. } = self;
            let warm = warm.as_mut().expect("the structure was filled");
            let (took, sum) = timed(|| remove(warm, removed));
            time += took;
            checksum = checksum.wrapping_add(sum).wrapping_add(state(warm));
        }
        (time, checksum)
    }

    fn sort(&mut self) -> (Duration, u64) {
        let (mut time, mut checksum) = (Duration::ZERO, 0_u64);
        for _ in 0..Operation::Sort.passes(self.rows) {
            let warm = self.full();
            time += timed(|| warm.sort()).0;
            checksum = checksum.wrapping_add(state(warm));
        }
        (time, checksum)
    }
}

impl<R: Rows> compare::Stage<Operation> for Stage<R> {
    fn can(&self, operation: Operation) -> bool {
        !R::LACKS.contains(&operation)
    }

    fn perform(&mut self, operation: Operation) -> Vec<Sample<Operation>> {
        let (time, checksum) = match operation {
            Operation::PushWarm => self.push_warm(),
            Operation::PushFresh => self.push_fresh(),
            Operation::WorstPush => self.worst_push(),
            Operation::Integrate => self.integrate(),
            Operation::Sum => self.sum(),
            Operation::RandomRow => self.random_row(),
            Operation::SwapRemove => self.swap_remove(),
            Operation::Sort => self.sort(),
            Operation::Aliasing | Operation::InColumns => {
                unreachable!("not an operation on these rows")
            }
        };
        vec![Sample::new(operation, time, operation.count(self.rows), checksum)]
    }
}

fn timed<T>(work: impl FnOnce() -> T) -> (Duration, T) {
    let start = Instant::now();
    let done = black_box(work());
    (start.elapsed(), done)
}

fn numbers(rows: usize) -> impl Iterator<Item = u32> {
    0..u32::try_from(rows).expect("rows are limited")
}

/// A number that depends on all fields of all rows, and on their order.
fn state<R: Rows>(all: &R) -> u64 {
    (0..all.len()).fold(0, |sum: u64, index| sum.rotate_left(1) ^ all.digest(index))
}

// The timed loops. Never inlined, so that all are compiled in the same surroundings.

#[inline(never)]
fn fill<R: Rows>(all: &mut R, rows: usize) {
    for number in numbers(rows) {
        all.push(black_box(number));
    }
}

#[inline(never)]
fn look_up<R: Rows>(all: &R, indices: &[usize]) -> u64 {
    indices.iter().fold(0, |sum, &index| sum.wrapping_add(all.digest(index)))
}

#[inline(never)]
fn remove<R: Rows>(all: &mut R, indices: &[usize]) -> u64 {
    indices.iter().fold(0, |sum, &index| sum.wrapping_add(all.swap_remove(index)))
}
