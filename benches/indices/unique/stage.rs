//! Rows by their keys, operation by operation.

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

/// How often a structure grows while its longest insertion is looked for.
const GROWTHS: usize = 3;

/// How many are put in in a frame, and how long that is: there is some time left in each.
const FRAME_ROWS: usize = 20_000;
const FRAME: Duration = Duration::from_micros(8_333);

/// How insertions follow each other.
#[derive(Clone, Copy, Debug)]
enum Pace {
    AtOnce,
    InFrames,
}

/// Several structures if they are small, all treated alike: an operation is done to one after the other.
pub(crate) struct Stage<U: Unique> {
    rows: usize,
    /// None when they are gone.
    all: Vec<U>,
    state: State,
    /// For each structure as many as there are rows: which row each leads to, so that all are in a circle.
    next: List<u32>,
    /// Slots, the first of them drawn at random.
    order: List<u32>,
    handles: List<Option<U::Handle>>,
    random: Random,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum State {
    /// There is no structure.
    Gone,
    /// There are structures, without rows.
    Empty,
    Full,
    /// All but the first slots of the order.
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

    /// Brings that many slots to the front of each structure's order, at random.
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

    /// With their rows, if they have not these themselves.
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

    /// Puts in the rows of some slots of each structure.
    fn insert<'s, S: Iterator<Item = u32>>(&'s mut self, slots: impl Fn(usize, &'s [u32]) -> S) {
        let rows = self.rows;
        let all = self.all.iter_mut().zip(self.order.chunks_exact(rows));
        let lists = self.next.chunks_exact(rows).zip(self.handles.chunks_exact_mut(rows));
        for (structure, ((one, order), (next, handles))) in all.zip(lists).enumerate() {
            insert_all(one, (structure * rows) as u64, next, slots(rows, order), handles);
        }
    }

    /// The keys of the slots that were drawn, so many of each structure.
    fn keys_drawn(&self, count: usize) -> List<u64> {
        list(self.numbers(count).map(key))
    }

    /// The numbers of the rows in them.
    fn numbers(&self, count: usize) -> impl Iterator<Item = u64> {
        self.order.chunks_exact(self.rows).enumerate().flat_map(move |(structure, order)| {
            let first = (structure * self.rows) as u64;
            order[..count].iter().map(move |&slot| first + u64::from(slot))
        })
    }

    /// What their values come to.
    fn sum_drawn(&self, count: usize) -> u64 {
        self.numbers(count).map(value).fold(0, u64::wrapping_add)
    }

    /// How many rows are looked up or changed in a pass of a structure.
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

    /// By looking up all, or as many as in a measurement, from the first to the last.
    fn sum_of_all(&self) -> u64 {
        let step = self.rows.div_ceil(SAMPLE_MAX);
        self.all.iter().enumerate().fold(0, |sum, (structure, one)| {
            let first = (structure * self.rows) as u64;
            let numbers = (first..first + self.rows as u64).step_by(step);
            numbers.fold(sum, |sum, number| {
                let row = one.find(key(number)).expect("it was put in");
                assert_eq!(row.value, value(number), "it is the row of its key");
                sum.wrapping_add(row.value)
            })
        })
    }

    /// Looks keys up, as many in each structure, and comes to a sum.
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
        assert_eq!(sample.checksum, 0, "not found");
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

    /// Gives rows other keys, and then their own again.
    fn rekey(&mut self) -> Sample {
        self.bring_to(State::Full);
        let count = self.sample();
        self.draw(count);
        let lists = self.order.chunks_exact(self.rows).zip(self.handles.chunks_exact(self.rows));
        let targets: List<Target<U::Handle>> = list(lists.flat_map(|(order, handles)| {
            order[..count].iter().map(|&slot| {
                let handle = handles[slot as usize].expect("it was put in");
                Target { slot, handle }
            })
        }));
        let (time, changed) = timed(|| {
            let all = self.all.iter_mut().zip(targets.chunks_exact(count));
            let all = all.zip((0..).step_by(self.rows));
            all.fold(0, |changed, ((one, targets), first)| {
                let there = rekey_all(one, targets, first, first + OTHERS);
                changed + there + rekey_all(one, targets, first + OTHERS, first)
            })
        });
        let all = 2 * count * self.structures();
        assert_eq!(changed, all, "given other keys");
        Sample::new(Operation::Rekey, time, all, self.sum_of_all())
    }

    /// Of several growths in the same memory: the longest of what each insertion took at least, since others that
    /// use the processor make any longer, and it does the same each time.
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

    /// From one reading of the clock to the next.
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
            Operation::LongestWarm => self.longest_warm(),
            Operation::LongestCold => self.longest(operation, Pace::AtOnce),
            Operation::LongestPaced => self.longest(operation, Pace::InFrames),
            _ => unreachable!("is one of another group"),
        };
        vec![sample]
    }
}

/// The row in a slot of a structure, whose first has that number.
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

/// Gives rows the keys of other numbers; how many had what was expected.
#[inline(never)]
fn rekey_all<U: Unique>(one: &mut U, rows: &[Target<U::Handle>], from: u64, to: u64) -> usize {
    let rekeyed = rows.iter().filter(|&&row| {
        let slot = u64::from(row.slot);
        one.rekey(row, key(from + slot), key(to + slot))
    });
    rekeyed.count()
}
