//! A map with its keys, brought into the state that an operation needs and then timed.

use std::hint::black_box;
use std::ops::Range;
use std::time::{Duration, Instant};

use stayput::{HugePages, VmVec};

use crate::map::Map;
use crate::operation::{Operation, State};
use crate::order::Random;
use crate::value::{Value, sum_of};

/// A [`Stage`] of any map. Each call is a whole operation, so that going through a table of
/// functions does not show.
pub(crate) trait Perform {
    /// Whether the map can do it.
    fn can(&self, operation: Operation) -> bool;

    /// Does what has to be done before the operation, and says how long the operation took.
    fn perform(&mut self, operation: Operation) -> Duration;

    /// The highest place in use over the number of values; `None` if values have no fixed places.
    fn live_range(&self) -> Option<f64>;
}

pub(crate) struct Stage<M: Map> {
    slots: usize,
    map: Option<M>,
    /// The keys of the values that live, and then those that were removed last.
    keys: List<M::Key>,
    /// The numbers of their values.
    numbers: List<u32>,
    live: usize,
    next_number: u32,
    random: Random,
}

/// Something for each slot, in huge pages, so that what the measurement itself remembers takes
/// little from the map: of the processor's memory of addresses as of time between operations.
type List<T> = VmVec<T>;

/// A list with every page touched.
fn list<T: Copy>(length: usize, fill: T) -> List<T> {
    let mut list = List::builder().huge_pages(HugePages::Always).build();
    list.resize(length, black_box(fill));
    list
}

impl<M: Map> Stage<M> {
    pub(crate) fn new(slots: usize) -> Self {
        Self {
            slots,
            map: None,
            keys: list(slots, M::no_key()),
            numbers: list(slots, 0),
            live: 0,
            next_number: 0,
            random: Random::new(slots as u64),
        }
    }

    fn map(&mut self) -> &mut M {
        self.map.as_mut().expect("an operation that needs a map asks for one")
    }

    fn bring_to(&mut self, state: State) {
        match state {
            State::Gone => {
                self.map = None;
                self.live = 0;
            }
            State::Cleared => {
                if self.map.is_none() || self.live > 0 {
                    self.bring_to(State::Live(self.slots));
                    self.clear();
                }
            }
            State::Live(wanted) => {
                if wanted > self.live && self.live > 0 && !M::FILLS_HOLES {
                    self.bring_to(State::Gone);
                }
                if self.map.is_none() {
                    self.map = Some(M::with_room(self.slots));
                }
                if self.live == 0 && wanted > 0 {
                    self.insert(self.slots);
                }
                if wanted > self.live {
                    self.insert(wanted - self.live);
                }
                if wanted < self.live {
                    self.remove(self.live - wanted);
                }
            }
        }
    }

    fn insert(&mut self, count: usize) -> Duration {
        let first = self.next_number;
        self.next_number += u32::try_from(count).expect("a number is 32 bits");
        let places = self.live..self.live + count;
        let keys = &mut self.keys[places.clone()];
        let map = self.map.as_mut().expect("there is a map to insert into");
        let time = timed(|| insert_all(map, keys, black_box(first).into()));
        for (number, next) in self.numbers[places].iter_mut().zip(first..) {
            *number = next;
        }
        self.live += count;
        time
    }

    fn remove(&mut self, count: usize) -> Duration {
        let places = self.draw(count);
        let keys = &self.keys[places.clone()];
        let map = self.map.as_mut().expect("there is a map to remove from");
        let mut sum = 0;
        let time = timed(|| sum = remove_all(map, keys));
        assert_eq!(sum, self.sum_of(places), "removed");
        self.live -= count;
        time
    }

    fn churn(&mut self, count: usize) -> Duration {
        let places = self.draw(count);
        let first = self.next_number;
        self.next_number += u32::try_from(count).expect("a number is 32 bits");
        let keys = &mut self.keys[places.clone()];
        let map = self.map.as_mut().expect("there is a map to churn");
        let mut sum = 0;
        let time = timed(|| sum = exchange_all(map, keys, black_box(first).into()));
        assert_eq!(sum, self.sum_of(places.clone()), "exchanged");
        for (number, next) in self.numbers[places].iter_mut().zip(first..) {
            *number = next;
        }
        time
    }

    fn get(&mut self, count: usize) -> Duration {
        let places = self.draw(count);
        let map = self.map.as_mut().expect("there is a map to look into");
        let mut sum = 0;
        let time = timed(|| sum = get_all(map, &self.keys[places.clone()]));
        assert_eq!(sum, self.sum_of(places), "found");
        time
    }

    /// Of all keys, those of removed values included, some at random.
    fn get_stale(&mut self, count: usize) -> Duration {
        let places: Vec<usize> = (0..count).map(|_| self.random.below(self.slots)).collect();
        let keys: Vec<M::Key> = places.iter().map(|&place| self.keys[place]).collect();
        let map = self.map.as_mut().expect("there is a map to look into");
        let mut sum = 0;
        let time = timed(|| sum = get_all(map, &keys));
        let found = places.iter().filter(|&&place| place < self.live);
        let numbers = found.map(|&place| self.numbers[place]);
        assert_eq!(sum, sum_of::<M::Value>(numbers), "found, half of them stale");
        time
    }

    fn iterate(&mut self) -> Duration {
        let map = self.map();
        let mut sum = 0;
        let time = timed(|| sum = iterate_all(black_box(map)));
        assert_eq!(sum, self.sum_of(0..self.live), "iterated over");
        time
    }

    fn clear(&mut self) -> Duration {
        self.live = 0;
        let map = self.map();
        timed(|| map.clear())
    }

    /// Brings that many of the keys that live, chosen and ordered at random, behind the others.
    fn draw(&mut self, count: usize) -> Range<usize> {
        let places = self.live - count..self.live;
        let (keys, numbers) = (&mut self.keys[..], &mut self.numbers[..]);
        for last in places.clone().rev() {
            let other = self.random.below(last + 1);
            keys.swap(last, other);
            numbers.swap(last, other);
        }
        places
    }

    /// What the values of these places come to.
    fn sum_of(&self, places: Range<usize>) -> u64 {
        sum_of::<M::Value>(self.numbers[places].iter().copied())
    }
}

impl<M: Map> Perform for Stage<M> {
    fn can(&self, operation: Operation) -> bool {
        !M::LACKS.contains(&operation)
    }

    fn perform(&mut self, operation: Operation) -> Duration {
        // A number is used once; long before there are none left, all start anew.
        if self.next_number > u32::MAX / 2 {
            self.bring_to(State::Gone);
            self.next_number = 0;
        }
        self.bring_to(operation.needs(self.slots));
        let count = operation.count(self.slots);
        match operation {
            Operation::Insert => {
                // One of the maps touches its memory when it is made.
                let slots = self.slots;
                let making = timed(|| self.map = Some(M::with_room(black_box(slots))));
                making + self.insert(count)
            }
            Operation::InsertWarm | Operation::Refill => self.insert(count),
            Operation::InsertGrowing => {
                self.map = Some(M::empty());
                self.insert(count)
            }
            Operation::Get => self.get(count),
            Operation::GetStale => self.get_stale(count),
            Operation::Iterate
            | Operation::IterateTenthHoles
            | Operation::IterateHalfHoles
            | Operation::IterateMostlyHoles => self.iterate(),
            Operation::Remove => self.remove(count),
            Operation::Churn | Operation::ChurnHalfHoles => self.churn(count),
            Operation::Clear => {
                self.iterate(); // for its check of what all operations so far have left
                self.clear()
            }
            Operation::Drop => {
                self.iterate();
                self.live = 0;
                let map = self.map.take();
                timed(|| drop(map))
            }
        }
    }

    fn live_range(&self) -> Option<f64> {
        let mut places = self.keys[..self.live].iter().map(|&key| M::place(key));
        let highest = places.try_fold(0, |highest, place| Some(highest.max(place?)))?;
        #[expect(clippy::cast_precision_loss, reason = "counts are far below 2^52")]
        Some((highest + 1) as f64 / self.live as f64)
    }
}

fn timed(work: impl FnOnce()) -> Duration {
    let start = Instant::now();
    work();
    start.elapsed()
}

// The timed loops. Never inlined, so that every map's are compiled in the same surroundings.

#[inline(never)]
fn insert_all<M: Map>(map: &mut M, keys: &mut [M::Key], first: u64) {
    for (key, number) in keys.iter_mut().zip(first..) {
        *key = map.insert(M::Value::of(number));
    }
}

#[inline(never)]
fn remove_all<M: Map>(map: &mut M, keys: &[M::Key]) -> u64 {
    keys.iter().fold(0, |sum, &key| {
        let digest = map.remove(key).map_or(0, |value| value.digest());
        sum.wrapping_add(digest)
    })
}

#[inline(never)]
fn exchange_all<M: Map>(map: &mut M, keys: &mut [M::Key], first: u64) -> u64 {
    keys.iter_mut().zip(first..).fold(0, |sum, (key, number)| {
        let digest = map.remove(*key).map_or(0, |value| value.digest());
        *key = map.insert(M::Value::of(number));
        sum.wrapping_add(digest)
    })
}

#[inline(never)]
fn get_all<M: Map>(map: &mut M, keys: &[M::Key]) -> u64 {
    keys.iter().fold(0, |sum, &key| {
        let digest = map.get(key).map_or(0, Value::digest);
        sum.wrapping_add(digest)
    })
}

#[inline(never)]
fn iterate_all<M: Map>(map: &mut M) -> u64 {
    map.sum()
}
