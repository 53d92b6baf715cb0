//! Rows and their keys, operation by operation.

use std::hint::black_box;
use std::thread;
use std::time::{Duration, Instant};

use bench_common::compare;
use bench_common::memory::{List, list};
use bench_common::random::Random;
use bench_common::small;
use bench_common::usage::resident_bytes;

use super::{OTHERS, Row, Target, Unique, key, value};
use crate::operation::{Operation, SAMPLE_MAX};
use crate::stage::{Sample, narrow, timed};

/// The number of growths in which the longest insertion is searched for.
const GROWTHS: usize = 3;

/// One in this number of rows gets another key; the others are looked up.
const ONE_IN: usize = 10;

/// The bits of values that are modified.
const MASK: u64 = 0xFF00;

/// The number of insertions in a frame, and its duration, which leaves some idle time.
const FRAME_ROWS: usize = 20_000;
const FRAME: Duration = Duration::from_micros(8_333);

/// When insertions begin.
#[derive(Clone, Copy, Debug)]
enum Pace {
    AtOnce,
    InFrames,
}

/// Several structures if they are small, treated alike: an operation is applied to one after the other.
pub(crate) struct Stage<U: Unique> {
    rows: usize,
    /// Empty if they have been dropped.
    all: Vec<U>,
    state: State,
    /// For each structure and row, the row that it leads to, so that all rows form a circle.
    next: List<u32>,
    /// Slots, the first of which are drawn at random.
    order: List<u32>,
    handles: List<Option<U::Handle>>,
    random: Random,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum State {
    /// The structures have been dropped.
    Gone,
    /// The structures have no rows.
    Empty,
    Full,
    /// All rows except the first slots of `order`.
    Without(usize),
}

impl<U: Unique> Stage<U> {
    pub(crate) fn new(rows: usize) -> Self {
        let structures = small::structures(rows);
        let in_order = || (0..structures).flat_map(|_| 0..narrow(rows));
        let mut stage = Self {
            rows,
            all: Vec::with_capacity(structures),
            state: State::Gone,
            next: list(in_order()),
            order: list(in_order()),
            handles: list((0..structures * rows).map(|_| None)),
            random: Random::new(rows as u64),
        };
        stage.draw(rows);
        let slots = stage.order.chunks_exact(rows).zip(stage.next.chunks_exact_mut(rows));
        for (order, next) in slots {
            for (&one, &other) in order.iter().zip(order.iter().cycle().skip(1)) {
                next[one as usize] = other;
            }
        }
        stage
    }

    /// Moves `count` random slots to the front of each structure's order.
    fn draw(&mut self, count: usize) {
        for order in self.order.chunks_exact_mut(self.rows) {
            for place in 0..count {
                order.swap(place, place + self.random.below(order.len() - place));
            }
        }
    }

    fn bring_to(&mut self, wanted: State) {
        if self.state == wanted {
            return;
        }
        match wanted {
            State::Gone => self.all.clear(),
            State::Empty if self.state == State::Gone => self.make(),
            State::Empty => self.all.iter_mut().for_each(U::clear),
            State::Full => {
                if let State::Without(count) = self.state {
                    self.reinsert(count);
                } else {
                    self.bring_to(State::Empty);
                    self.fill();
                }
            }
            State::Without(count) => {
                self.bring_to(State::Full);
                self.draw(count);
                let keys = self.keys_drawn(count);
                for (one, keys) in self.all.iter_mut().zip(keys.chunks_exact(count)) {
                    remove_all(one, keys);
                }
            }
        }
        self.state = wanted;
    }

    /// Creates the structures, with stored rows if they do not have their own.
    fn make(&mut self) {
        let rows = self.rows;
        for (structure, next) in self.next.chunks_exact(rows).enumerate() {
            let first = (structure * rows) as u64;
            let row = |slot: u32| row(first, next, slot);
            let mut one = U::empty();
            one.warm(rows);
            one.keep((0..narrow(rows)).map(row));
            self.all.push(one);
        }
    }

    fn fill(&mut self) {
        self.insert(|rows, _| 0..narrow(rows));
    }

    fn reinsert(&mut self, count: usize) {
        self.insert(|_, order| order[..count].iter().copied());
    }

    /// Inserts the rows of some slots into each structure.
    fn insert<'s, S: Iterator<Item = u32>>(&'s mut self, slots: impl Fn(usize, &'s [u32]) -> S) {
        let rows = self.rows;
        let all = self.all.iter_mut().zip(self.order.chunks_exact(rows));
        let lists = self.next.chunks_exact(rows).zip(self.handles.chunks_exact_mut(rows));
        for (structure, ((one, order), (next, handles))) in all.zip(lists).enumerate() {
            insert_all(one, (structure * rows) as u64, next, slots(rows, order), handles);
        }
    }

    /// Returns the keys of the first `count` slots of each structure's order.
    fn keys_drawn(&self, count: usize) -> List<u64> {
        list(self.numbers(count).map(key))
    }

    /// Returns the numbers of their rows.
    fn numbers(&self, count: usize) -> impl Iterator<Item = u64> {
        self.order.chunks_exact(self.rows).enumerate().flat_map(move |(structure, order)| {
            let first = (structure * self.rows) as u64;
            order[..count].iter().map(move |&slot| first + u64::from(slot))
        })
    }

    /// Returns the sum of their values.
    fn sum_drawn(&self, count: usize) -> u64 {
        self.numbers(count).map(value).fold(0, u64::wrapping_add)
    }

    /// Returns the number of rows that one pass looks up or changes in a structure.
    fn sample(&self) -> usize {
        self.rows.min(SAMPLE_MAX)
    }

    fn removed(&self) -> usize {
        (self.rows / 2).min(SAMPLE_MAX)
    }

    fn passes(&self) -> usize {
        small::passes(self.rows)
    }

    fn structures(&self) -> usize {
        small::structures(self.rows)
    }

    fn insert_growing(&mut self) -> Vec<Sample> {
        self.bring_to(State::Gone);
        self.bring_to(State::Empty);
        let before = resident_bytes();
        let sample = self.insert_all(Operation::Insert);
        let rows = self.rows * self.structures();
        [Some(sample), Sample::bytes(Operation::Bytes, before, resident_bytes(), rows)]
            .into_iter()
            .flatten()
            .collect()
    }

    fn insert_warm(&mut self) -> Sample {
        self.bring_to(State::Full);
        self.bring_to(State::Empty);
        self.insert_all(Operation::InsertWarm)
    }

    fn insert_all(&mut self, operation: Operation) -> Sample {
        let (time, ()) = timed(|| self.fill());
        self.state = State::Full;
        Sample::new(operation, time, self.rows * self.structures(), self.sum_of_all())
    }

    /// Sums the values of all rows, or of a sample at regular distances, by looking them up.
    fn sum_of_all(&self) -> u64 {
        let step = self.rows.div_ceil(SAMPLE_MAX);
        self.all.iter().enumerate().fold(0, |sum, (structure, one)| {
            let first = (structure * self.rows) as u64;
            let numbers = (first..first + self.rows as u64).step_by(step);
            numbers.fold(sum, |sum, number| {
                let row = one.find(key(number)).expect("the row was inserted");
                assert_eq!(row.value, value(number), "the row belongs to the key");
                sum.wrapping_add(row.value)
            })
        })
    }

    /// Looks up keys, equally many in each structure, and sums the values.
    fn look_up(&self, operation: Operation, keys: &[u64]) -> Sample {
        let passes = self.passes();
        let (time, sum) = timed(|| {
            let all = self.all.iter().zip(keys.chunks_exact(keys.len() / self.all.len()));
            all.fold(0_u64, |sum, (one, keys)| {
                (0..passes).fold(sum, |sum, _| sum.wrapping_add(find_all(black_box(one), keys)))
            })
        });
        Sample::new(operation, time, passes * keys.len(), sum)
    }

    fn hit(&mut self) -> Sample {
        self.bring_to(State::Full);
        let count = self.sample();
        self.draw(count);
        let sample = self.look_up(Operation::Hit, &self.keys_drawn(count));
        assert_eq!(
            sample.checksum,
            self.sum_drawn(count).wrapping_mul(self.passes() as u64),
            "found"
        );
        sample
    }

    fn miss(&mut self) -> Sample {
        self.bring_to(State::Full);
        let count = self.sample();
        self.draw(count);
        let keys = list(self.numbers(count).map(|number| key(number + OTHERS)));
        let sample = self.look_up(Operation::Miss, &keys);
        assert_eq!(sample.checksum, 0, "no row is found");
        sample
    }

    fn dependent(&mut self) -> Sample {
        self.bring_to(State::Full);
        let (steps, passes) = (self.sample(), self.passes());
        let (time, sum) = timed(|| {
            let all = self.all.iter().enumerate();
            all.fold(0_u64, |sum, (structure, one)| {
                let first = key((structure * self.rows) as u64);
                let pass = |sum: u64, _| sum.wrapping_add(follow(black_box(one), first, steps));
                (0..passes).fold(sum, pass)
            })
        });
        let expected = self.next.chunks_exact(self.rows).enumerate().map(|(structure, next)| {
            let mut slot = 0;
            let values = (0..steps).map(|_| {
                let number = (structure * self.rows) as u64 + u64::from(slot);
                slot = next[slot as usize];
                value(number)
            });
            values.fold(0, u64::wrapping_add)
        });
        let expected = expected.fold(0, u64::wrapping_add).wrapping_mul(passes as u64);
        assert_eq!(sum, expected, "followed");
        Sample::new(Operation::Dependent, time, steps * passes * self.structures(), sum)
    }

    fn remove(&mut self) -> Sample {
        self.bring_to(State::Full);
        let count = self.removed();
        self.draw(count);
        let keys = self.keys_drawn(count);
        let (time, sum) = timed(|| {
            let all = self.all.iter_mut().zip(keys.chunks_exact(count));
            all.fold(0_u64, |sum, (one, keys)| sum.wrapping_add(remove_all(one, keys)))
        });
        assert_eq!(sum, self.sum_drawn(count), "removed");
        self.state = State::Without(count);
        Sample::new(Operation::Remove, time, count * self.structures(), sum)
    }

    fn insert_again(&mut self) -> Sample {
        let count = self.removed();
        self.bring_to(State::Without(count));
        let (time, ()) = timed(|| self.reinsert(count));
        self.state = State::Full;
        Sample::new(Operation::Reinsert, time, count * self.structures(), self.sum_of_all())
    }

    /// Returns the rows in the first `count` slots of each structure's order.
    fn targets_drawn(&self, count: usize) -> List<Target<U::Handle>> {
        let lists = self.order.chunks_exact(self.rows).zip(self.handles.chunks_exact(self.rows));
        list(lists.flat_map(|(order, handles)| {
            order[..count].iter().map(|&slot| {
                let handle = handles[slot as usize].expect("the row was inserted");
                Target { slot, handle }
            })
        }))
    }

    /// Gives rows other keys, and then the old ones again.
    fn rekey(&mut self) -> Sample {
        self.bring_to(State::Full);
        let count = self.sample();
        self.draw(count);
        let targets = self.targets_drawn(count);
        let (time, changed) = timed(|| {
            let all = self.all.iter_mut().zip(targets.chunks_exact(count));
            let all = all.zip((0..).step_by(self.rows));
            all.fold(0, |changed, ((one, targets), first)| {
                let there = rekey_all(one, targets, first, first + OTHERS);
                changed + there + rekey_all(one, targets, first + OTHERS, first)
            })
        });
        let all = 2 * count * self.structures();
        assert_eq!(changed, all, "all keys were replaced");
        Sample::new(Operation::Rekey, time, all, self.sum_of_all())
    }

    /// Changes rows, but not their keys, and then back.
    fn modify(&mut self) -> Sample {
        self.bring_to(State::Full);
        let count = self.sample();
        self.draw(count);
        let (targets, keys) = (self.targets_drawn(count), self.keys_drawn(count));
        let (time, sum) = timed(|| {
            let rows = targets.chunks_exact(count).zip(keys.chunks_exact(count));
            self.all.iter_mut().zip(rows).fold(0_u64, |sum, (one, (targets, keys))| {
                let there = modify_all(one, targets, keys);
                sum.wrapping_add(there).wrapping_add(modify_all(one, targets, keys))
            })
        });
        let changed = self.numbers(count).map(|number| value(number) ^ MASK);
        let expected = changed.fold(self.sum_drawn(count), u64::wrapping_add);
        assert_eq!(sum, expected, "modified");
        Sample::new(Operation::Modify, time, 2 * count * self.structures(), self.sum_of_all())
    }

    /// Looks up rows, and gives some of them other keys, and then the old ones again.
    fn mixed(&mut self) -> Sample {
        self.bring_to(State::Full);
        let count = self.sample();
        self.draw(count);
        let targets = self.targets_drawn(count);
        let (time, sum) = timed(|| {
            let all = self.all.iter_mut().zip(targets.chunks_exact(count));
            all.zip((0..).step_by(self.rows)).fold(0_u64, |sum, ((one, targets), first)| {
                let there = mix_all(one, targets, first, first, first + OTHERS);
                let back = mix_all(one, targets, first, first + OTHERS, first);
                sum.wrapping_add(there).wrapping_add(back)
            })
        });
        let values = self
            .numbers(count)
            .enumerate()
            .map(|(place, number)| if place % count % ONE_IN == 0 { 1 } else { value(number) });
        let expected = values.fold(0, u64::wrapping_add).wrapping_mul(2);
        assert_eq!(sum, expected, "looked up, and changed");
        Sample::new(Operation::Mixed, time, 2 * count * self.structures(), self.sum_of_all())
    }

    /// Takes, for each insertion, the shortest of several growths in the same memory, and of these the longest.
    /// Other users of the processor can only lengthen an insertion, and the structure does the same work each
    /// time.
    fn longest_warm(&mut self) -> Sample {
        let mut shortest = list((0..self.rows * self.structures()).map(|_| u32::MAX));
        self.bring_to(State::Full);
        for _ in 0..GROWTHS {
            self.bring_to(State::Empty);
            self.insert_one_by_one(Pace::AtOnce, |place, took| {
                let took = u32::try_from(took.as_nanos()).unwrap_or(u32::MAX);
                shortest[place] = shortest[place].min(took);
            });
        }
        let longest = shortest.iter().max().copied().unwrap_or(0);
        let longest = Duration::from_nanos(longest.into());
        Sample::new(Operation::LongestWarm, longest, 1, self.sum_of_all())
    }

    fn longest(&mut self, operation: Operation, pace: Pace) -> Sample {
        self.bring_to(State::Gone);
        self.bring_to(State::Empty);
        let mut longest = Duration::ZERO;
        self.insert_one_by_one(pace, |_, took| longest = longest.max(took));
        Sample::new(operation, longest, 1, self.sum_of_all())
    }

    /// Times each insertion, from one reading of the clock to the next.
    fn insert_one_by_one(&mut self, pace: Pace, mut took: impl FnMut(usize, Duration)) {
        let (rows, start) = (self.rows, Instant::now());
        let lists = self.next.chunks_exact(rows).zip(self.handles.chunks_exact_mut(rows));
        for (structure, (one, (next, handles))) in self.all.iter_mut().zip(lists).enumerate() {
            let first = structure * rows;
            let mut before = Instant::now();
            for (place, slot) in (first..).zip(0..narrow(rows)) {
                if matches!(pace, Pace::InFrames) && place % FRAME_ROWS == 0 {
                    let begins = start + FRAME * narrow(place / FRAME_ROWS);
                    thread::sleep(begins.saturating_duration_since(Instant::now()));
                    before = Instant::now();
                }
                handles[slot as usize] = Some(one.insert(slot, row(first as u64, next, slot)));
                let after = Instant::now();
                took(place, after - before);
                before = after;
            }
        }
        self.state = State::Full;
    }
}

impl<U: Unique> compare::Stage<Operation> for Stage<U> {
    fn can(&self, operation: Operation) -> bool {
        !U::LACKS.contains(&operation)
    }

    fn perform(&mut self, operation: Operation) -> Vec<Sample> {
        let sample = match operation {
            Operation::Insert => return self.insert_growing(),
            Operation::InsertWarm => self.insert_warm(),
            Operation::Hit => self.hit(),
            Operation::Dependent => self.dependent(),
            Operation::Miss => self.miss(),
            Operation::Remove => self.remove(),
            Operation::Reinsert => self.insert_again(),
            Operation::Rekey => self.rekey(),
            Operation::Modify => self.modify(),
            Operation::Mixed => self.mixed(),
            Operation::LongestWarm => self.longest_warm(),
            Operation::LongestCold => self.longest(operation, Pace::AtOnce),
            Operation::LongestPaced => self.longest(operation, Pace::InFrames),
            _ => unreachable!("belongs to another group"),
        };
        vec![sample]
    }
}

/// Returns the row in a slot of a structure whose first row has number `first`.
#[inline]
fn row(first: u64, next: &[u32], slot: u32) -> Row {
    Row::new(first + u64::from(slot), first + u64::from(next[slot as usize]))
}

// The timed loops. Never inlined, so that all are compiled in the same surroundings.

#[inline(never)]
fn insert_all<U: Unique>(
    one: &mut U,
    first: u64,
    next: &[u32],
    slots: impl Iterator<Item = u32>,
    handles: &mut [Option<U::Handle>],
) {
    for slot in slots {
        handles[slot as usize] = Some(one.insert(slot, row(first, next, slot)));
    }
}

#[inline(never)]
fn find_all<U: Unique>(one: &U, keys: &[u64]) -> u64 {
    keys.iter().fold(0, |sum, &key| sum.wrapping_add(one.find(key).map_or(0, |row| row.value)))
}

#[inline(never)]
fn follow<U: Unique>(one: &U, first: u64, steps: usize) -> u64 {
    let (mut key, mut sum) = (first, 0_u64);
    for _ in 0..steps {
        let Some(row) = one.find(key) else { break };
        sum = sum.wrapping_add(row.value);
        key = row.next;
    }
    sum
}

#[inline(never)]
fn remove_all<U: Unique>(one: &mut U, keys: &[u64]) -> u64 {
    keys.iter().fold(0, |sum, &key| sum.wrapping_add(one.remove(key).unwrap_or(0)))
}

/// Gives rows the keys of other numbers, and returns how many had the expected key.
#[inline(never)]
fn rekey_all<U: Unique>(one: &mut U, rows: &[Target<U::Handle>], from: u64, to: u64) -> usize {
    let rekeyed = rows.iter().filter(|&&row| {
        let slot = u64::from(row.slot);
        one.rekey(row, key(from + slot), key(to + slot))
    });
    rekeyed.count()
}

/// Changes the rows, and returns the sum of their new values.
#[inline(never)]
fn modify_all<U: Unique>(one: &mut U, rows: &[Target<U::Handle>], keys: &[u64]) -> u64 {
    let rows = rows.iter().zip(keys);
    rows.fold(0, |sum, (&row, &key)| sum.wrapping_add(one.modify(row, key, MASK).unwrap_or(0)))
}

/// Gives one row in ten the key of another number, and looks up the others; returns the sum of their values, and
/// one for each row that had the expected key.
#[inline(never)]
fn mix_all<U: Unique>(
    one: &mut U,
    rows: &[Target<U::Handle>],
    first: u64,
    from: u64,
    to: u64,
) -> u64 {
    rows.iter().enumerate().fold(0, |sum: u64, (place, &row)| {
        let slot = u64::from(row.slot);
        sum.wrapping_add(if place % ONE_IN == 0 {
            one.rekey(row, key(from + slot), key(to + slot)).into()
        } else {
            one.find(key(first + slot)).map_or(0, |row| row.value)
        })
    })
}
