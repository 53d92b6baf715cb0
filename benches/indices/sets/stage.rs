//! Rows and their sets, operation by operation.

use std::hint::black_box;

use bench_common::compare;
use bench_common::memory::{List, list};
use bench_common::random::Random;
use bench_common::small;
use bench_common::usage::resident_bytes;

use super::{Member, Sets, Target, value};
use crate::operation::{Operation, SAMPLE_MAX};
use crate::stage::{Sample, narrow, timed};

/// One in this number of rows is moved; the others are looked up.
const ONE_IN: usize = 10;

pub(crate) struct Stage<S: Sets> {
    rows: usize,
    /// The mean number of rows in a set.
    mean: usize,
    sets: usize,
    /// The structure with all rows, if it exists.
    full: Option<S>,
    /// The set of each row.
    set_of: List<u32>,
    handles: List<Option<S::Handle>>,
    random: Random,
}

impl<S: Sets> Stage<S> {
    pub(crate) fn new(rows: usize, mean: usize) -> Self {
        let sets = (rows / mean).max(2);
        let mut random = Random::new(rows as u64);
        let set_of = list((0..rows).map(|_| narrow(random.below(sets))));
        Self {
            rows,
            mean,
            sets,
            full: None,
            set_of,
            handles: list((0..rows).map(|_| None)),
            random,
        }
    }

    /// Creates a structure without indexed rows.
    fn make(&mut self) -> S {
        self.full = None;
        let mut empty = S::empty();
        empty.keep((0..).zip(&self.set_of).map(|(id, &set)| Member::new(id, set)));
        empty
    }

    fn full(&mut self) -> S {
        self.full.take().unwrap_or_else(|| {
            let mut full = self.make();
            insert_all(&mut full, &self.set_of, &mut self.handles);
            full
        })
    }

    /// Draws some rows at random, each once.
    fn draw(&mut self, count: usize) -> List<Target<S::Handle>> {
        let mut slots = list(0..narrow(self.rows));
        for place in 0..count {
            slots.swap(place, place + self.random.below(self.rows - place));
        }
        list(slots[..count].iter().map(|&slot| {
            let handle = self.handles[slot as usize].expect("the row was inserted");
            Target { slot, handle }
        }))
    }

    /// Draws some sets at random.
    fn draw_sets(&mut self, count: usize) -> List<u32> {
        list((0..count).map(|_| narrow(self.random.below(self.sets))))
    }

    /// Returns the number of rows in each set, and the sum of their values.
    fn known(&self) -> Vec<(usize, u64)> {
        let mut known = vec![(0, 0_u64); self.sets];
        for (id, &set) in (0..).zip(&self.set_of) {
            let (count, sum) = &mut known[set as usize];
            *count += 1;
            *sum = sum.wrapping_add(value(id));
        }
        known
    }

    /// Checks that each set has all of its rows.
    fn check(&self, all: &S) -> u64 {
        (0..).zip(self.known()).fold(0, |checksum: u64, (set, (_, sum))| {
            assert_eq!(all.sum(set), sum, "the values of set {set}");
            checksum.rotate_left(1) ^ sum
        })
    }

    fn build(&mut self) -> Vec<Sample> {
        let mut built = self.make();
        let before = resident_bytes();
        let (time, ()) = timed(|| insert_all(&mut built, &self.set_of, &mut self.handles));
        let bytes = Sample::bytes(Operation::Bytes, before, resident_bytes(), self.rows);
        let checksum = self.check(&built);
        self.full = Some(built);
        let built = Sample::new(Operation::Build, time, self.rows, checksum);
        [Some(built), bytes].into_iter().flatten().collect()
    }

    fn walk(&mut self) -> Sample {
        let full = self.full();
        let sets = self.draw_sets((self.rows.min(SAMPLE_MAX) / self.mean).max(1));
        let passes = small::passes(self.rows);
        let (time, sum) = timed(|| {
            (0..passes).fold(0_u64, |sum, _| sum.wrapping_add(sum_all(black_box(&full), &sets)))
        });
        self.full = Some(full);
        let known = self.known();
        let walked = sets.iter().map(|&set| known[set as usize]);
        let (count, expected) = walked.fold((0, 0_u64), |(count, sum), (more, values)| {
            (count + more, sum.wrapping_add(values))
        });
        assert_eq!(sum, expected.wrapping_mul(passes as u64), "walked");
        Sample::new(Operation::Walk, time, passes * count, sum)
    }

    fn count(&mut self) -> Sample {
        let full = self.full();
        let sets = self.draw_sets((self.rows.min(SAMPLE_MAX) / self.mean).max(1));
        let passes = small::passes(self.rows);
        let (time, count) =
            timed(|| (0..passes).map(|_| count_all(black_box(&full), &sets)).sum::<usize>());
        self.full = Some(full);
        let known = self.known();
        let expected: usize = sets.iter().map(|&set| known[set as usize].0).sum();
        assert_eq!(count, passes * expected, "counted");
        Sample::new(Operation::Count, time, passes * sets.len(), count as u64)
    }

    /// Draws, for each row, a set that differs from its current one.
    fn draw_others(&mut self, rows: &[Target<S::Handle>]) -> List<u32> {
        list(rows.iter().map(|row| {
            let from = self.set_of[row.slot as usize] as usize;
            narrow((from + 1 + self.random.below(self.sets - 1)) % self.sets)
        }))
    }

    fn shift(&mut self) -> Sample {
        let mut full = self.full();
        let count = (self.rows / 2).min(SAMPLE_MAX);
        let rows = self.draw(count);
        let to = self.draw_others(&rows);
        let (time, ()) = timed(|| shift_all(&mut full, &rows, &to));
        for (row, &set) in rows.iter().zip(&to) {
            self.set_of[row.slot as usize] = set;
        }
        let checksum = self.check(&full);
        self.full = Some(full);
        Sample::new(Operation::Move, time, count, checksum)
    }

    /// Looks up rows by their id and by their set in turns, and moves one row in ten.
    fn mixed_moves(&mut self) -> Sample {
        let mut full = self.full();
        let rows = self.draw(self.rows.min(SAMPLE_MAX));
        let to = self.draw_others(&rows);
        let (time, checksum) = timed(|| mix_all(&mut full, &rows, &to));
        for (row, &set) in rows.iter().zip(&to).step_by(ONE_IN) {
            self.set_of[row.slot as usize] = set;
        }
        self.check(&full);
        self.full = Some(full);
        Sample::new(Operation::MixedMoves, time, rows.len(), checksum)
    }

    /// Removes half of the rows, which ends the structure.
    fn discard(&mut self) -> Sample {
        let mut full = self.full();
        let count = (self.rows / 2).min(SAMPLE_MAX);
        let rows = self.draw(count);
        let (time, sum) = timed(|| remove_all(&mut full, &rows));
        let expected = rows.iter().map(|row| value(row.slot)).fold(0, u64::wrapping_add);
        assert_eq!(sum, expected, "removed");
        let left = (0..narrow(self.sets)).fold(0, |left, set| left + full.count(set));
        assert_eq!(left, self.rows - count, "left");
        Sample::new(Operation::Discard, time, count, sum)
    }
}

impl<S: Sets> compare::Stage<Operation> for Stage<S> {
    fn can(&self, operation: Operation) -> bool {
        !S::LACKS.contains(&operation)
    }

    fn perform(&mut self, operation: Operation) -> Vec<Sample> {
        let sample = match operation {
            Operation::Build => return self.build(),
            Operation::Walk => self.walk(),
            Operation::Count => self.count(),
            Operation::Move => self.shift(),
            Operation::MixedMoves => self.mixed_moves(),
            Operation::Discard => self.discard(),
            _ => unreachable!("belongs to another group"),
        };
        vec![sample]
    }
}

// The timed loops. Never inlined, so that all are compiled in the same surroundings.

#[inline(never)]
fn insert_all<S: Sets>(all: &mut S, set_of: &[u32], handles: &mut [Option<S::Handle>]) {
    for ((id, &set), handle) in (0..).zip(set_of).zip(handles) {
        *handle = Some(all.insert(Member::new(id, set)));
    }
}

#[inline(never)]
fn sum_all<S: Sets>(all: &S, sets: &[u32]) -> u64 {
    sets.iter().fold(0, |sum, &set| sum.wrapping_add(all.sum(set)))
}

#[inline(never)]
fn count_all<S: Sets>(all: &S, sets: &[u32]) -> usize {
    sets.iter().map(|&set| all.count(set)).sum()
}

#[inline(never)]
fn shift_all<S: Sets>(all: &mut S, rows: &[Target<S::Handle>], to: &[u32]) {
    for (&row, &set) in rows.iter().zip(to) {
        all.shift(row, set);
    }
}

/// Returns the sum of the values found.
#[inline(never)]
fn mix_all<S: Sets>(all: &mut S, rows: &[Target<S::Handle>], to: &[u32]) -> u64 {
    rows.iter().zip(to).enumerate().fold(0, |sum: u64, (place, (&row, &set))| {
        sum.wrapping_add(match place % ONE_IN {
            0 => {
                all.shift(row, set);
                0
            }
            place if place % 2 == 0 => all.sum(set),
            _ => all.find(row.slot).unwrap_or(0),
        })
    })
}

#[inline(never)]
fn remove_all<S: Sets>(all: &mut S, rows: &[Target<S::Handle>]) -> u64 {
    rows.iter().fold(0, |sum, &row| sum.wrapping_add(all.remove(row)))
}
