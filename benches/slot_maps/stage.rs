//! Brings a map into the state that an operation needs, and times the operation.

use std::hint::black_box;
use std::iter;
use std::ops::Range;
use std::time::{Duration, Instant};

use bench_common::compare::{self, Sample};
use bench_common::memory::{List, list};
use bench_common::random::Random;
use bench_common::small::structures;
use bench_common::usage::resident_bytes;
use stayput::HugePages;

use crate::map::{Column, Map};
use crate::operation::{CROWD, Operation, State};
use crate::value::{Value, sum, sum_by_loop, sum_of};

/// Several maps if they are small, treated alike: an operation is applied to one after the other.
pub(crate) struct Stage<M: Map> {
    slots: usize,
    pages: HugePages,
    /// Empty if they have been dropped.
    maps: Vec<M>,
    /// A column for each map, with a value for each of its keys; empty once a map has changed.
    columns: Vec<M::Column>,
    /// For each map as many as there are slots: the keys of the live values, then those that were removed last.
    keys: List<M::Key>,
    /// The numbers of their values.
    numbers: List<u32>,
    /// The number of live values in each map.
    live: usize,
    next_number: u32,
    random: Random,
}

/// The bit that marks the numbers of values that are not retained.
const MARK: u32 = 1 << 31;

/// When numbers start anew; far below the mark, because an operation uses some hundred millions at most.
const LAST_NUMBER: u32 = 1 << 30;

/// How often each value is exchanged before the spread of values is measured.
const TURNOVERS: usize = 16;

impl<M: Map> Stage<M> {
    pub(crate) fn new(slots: usize, pages: HugePages) -> Self {
        let all = slots * structures(slots);
        Self {
            slots,
            pages,
            maps: Vec::with_capacity(structures(slots)),
            columns: Vec::new(),
            keys: list(iter::repeat_n(M::no_key(), all)),
            numbers: list(iter::repeat_n(0, all)),
            live: 0,
            next_number: 0,
            random: Random::new(slots as u64),
        }
    }

    fn bring_to(&mut self, state: State) {
        match state {
            State::Gone => {
                self.columns.clear();
                self.maps.clear();
                self.live = 0;
            }
            State::Cleared => {
                if self.maps.is_empty() || self.live > 0 {
                    self.bring_to(State::Live(self.slots));
                    self.clear();
                }
            }
            State::Live(wanted) => {
                if wanted > self.live && self.live > 0 && !M::FILLS_HOLES {
                    self.bring_to(State::Gone);
                }
                if self.maps.is_empty() {
                    self.make(self.slots);
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

    /// Creates a column for each map, with a value for each of its keys.
    fn bring_columns(&mut self) {
        if !self.columns.is_empty() {
            return;
        }
        let keys = self.keys.chunks_exact(self.slots);
        for (keys, numbers) in keys.zip(self.numbers.chunks_exact(self.slots)) {
            let mut column = if self.pages == HugePages::Never {
                M::Column::in_small_pages(self.slots)
            } else {
                M::Column::with_room(self.slots)
            };
            for (&key, &number) in keys.iter().zip(numbers).take(self.live) {
                column.insert(key, M::Value::of(column_number(number).into()));
            }
            self.columns.push(column);
        }
    }

    /// Returns how to create a map with capacity for `room` values.
    fn maker(&self, room: usize) -> fn(usize) -> M {
        match self.pages {
            HugePages::Never => M::in_small_pages,
            _ if room == 0 => |_| M::empty(),
            _ => M::with_room,
        }
    }

    /// Creates the maps, each with capacity for `room` values.
    fn make(&mut self, room: usize) -> Duration {
        let make = self.maker(room);
        let maps = iter::repeat_with(|| make(black_box(room))).take(structures(self.slots));
        timed(|| self.maps.extend(maps))
    }

    fn insert(&mut self, count: usize) -> Duration {
        self.columns.clear();
        let first = self.next_number;
        let places = self.live..self.live + count;
        let keys = self.keys.chunks_exact_mut(self.slots);
        let time = timed(|| {
            let mut number = black_box(u64::from(first));
            for (map, keys) in self.maps.iter_mut().zip(keys) {
                insert_all(map, &mut keys[places.clone()], number);
                number += count as u64;
            }
        });
        self.number(&places, 1);
        self.live += count;
        time
    }

    fn remove(&mut self, count: usize) -> Duration {
        self.columns.clear();
        let places = self.draw(count);
        let keys = self.keys.chunks_exact(self.slots);
        let mut sum = 0u64;
        let time = timed(|| {
            for (map, keys) in self.maps.iter_mut().zip(keys) {
                sum = sum.wrapping_add(remove_all(map, &keys[places.clone()]));
            }
        });
        assert_eq!(sum, self.sum_of(&places), "removed");
        self.live -= count;
        time
    }

    fn churn(&mut self, count: usize, passes: usize) -> Duration {
        self.columns.clear();
        let places = self.draw(count);
        let first = self.next_number;
        let keys = self.keys.chunks_exact_mut(self.slots);
        let mut sum = 0u64;
        let time = timed(|| {
            let mut number = black_box(u64::from(first));
            for (map, keys) in self.maps.iter_mut().zip(keys) {
                for _ in 0..passes {
                    let exchanged = exchange_all(map, &mut keys[places.clone()], number);
                    sum = sum.wrapping_add(exchanged);
                    number += count as u64;
                }
            }
        });
        let before = self.sum_of(&places);
        self.number(&places, passes);
        let new = sum_of::<M::Value>(first..self.next_number);
        let expected = before.wrapping_add(new).wrapping_sub(self.sum_of(&places));
        assert_eq!(sum, expected, "exchanged");
        time
    }

    fn get(&mut self, count: usize, passes: usize, all: fn(&mut M, &[M::Key]) -> u64) -> Duration {
        let places = self.draw(count);
        let keys = self.keys.chunks_exact(self.slots).map(|keys| &keys[places.clone()]);
        let maps = self.maps.iter_mut().zip(keys);
        let (time, sum) = timed_passes(passes, maps, |(map, keys)| all(map, keys));
        assert_eq!(sum, self.sum_of(&places).wrapping_mul(passes as u64), "found");
        time
    }

    /// Looks up random keys, including those of removed values.
    fn get_stale(&mut self, count: usize, passes: usize) -> Duration {
        let mut keys = Vec::with_capacity(count * self.maps.len());
        let mut expected = 0u64;
        for map in 0..self.maps.len() {
            let drawn = iter::repeat_with(|| self.random.below(self.slots)).take(count);
            for place in drawn {
                let at = map * self.slots + place;
                keys.push(self.keys[at]);
                if place < self.live {
                    expected = expected.wrapping_add(sum_of::<M::Value>([self.numbers[at]]));
                }
            }
        }
        let maps = self.maps.iter_mut().zip(keys.chunks_exact(count));
        let (time, sum) = timed_passes(passes, maps, |(map, keys)| get_all::<M>(map, keys));
        assert_eq!(
            sum,
            expected.wrapping_mul(passes as u64),
            "values found, with half of the keys stale"
        );
        time
    }

    fn iterate(&mut self, passes: usize, all: fn(&mut M) -> u64) -> Duration {
        let (time, sum) = timed_passes(passes, self.maps.iter_mut(), |map| all(map));
        let expected = self.sum_of(&(0..self.live)).wrapping_mul(passes as u64);
        assert_eq!(sum, expected, "values iterated over");
        time
    }

    fn count_and_last(&mut self, passes: usize) -> Duration {
        let all = count_and_last::<M>;
        let (time, sum) = timed_passes(passes, self.maps.iter_mut(), |map| all(map));
        assert_eq!(sum, (self.live * self.maps.len() * passes) as u64, "values counted");
        time
    }

    /// Marks some values at random, and retains the others.
    fn retain(&mut self, marked_percent: usize) -> Duration {
        self.columns.clear();
        let count = self.live * marked_percent / 100;
        let places = self.draw(count);
        let keys = self.keys.chunks_exact(self.slots);
        let numbers = self.numbers.chunks_exact(self.slots);
        for ((map, keys), numbers) in self.maps.iter_mut().zip(keys).zip(numbers) {
            for (&key, &number) in keys[places.clone()].iter().zip(&numbers[places.clone()]) {
                let value = map.get_mut(key).expect("the value is live");
                *value = M::Value::of((number | MARK).into());
            }
        }
        let time = timed(|| self.maps.iter_mut().for_each(retain_unmarked));
        self.live -= count;
        self.iterate(1, iterate_all::<M>); // to check the values
        time
    }

    fn drain(&mut self) -> Duration {
        self.columns.clear();
        let mut sum = 0u64;
        let time = timed(|| {
            for map in &mut self.maps {
                sum = sum.wrapping_add(drain_all(map));
            }
        });
        assert_eq!(sum, self.sum_of(&(0..self.live)), "drained");
        self.live = 0;
        time
    }

    fn iterate_columns(&mut self, passes: usize, all: fn(&M::Column) -> u64) -> Duration {
        self.bring_columns();
        let columns = self.columns.iter();
        let (time, sum) = timed_passes(passes, columns, |column| all(column));
        let numbers = live_of(&self.numbers, self.slots, self.live).map(column_number);
        let expected = sum_of::<M::Value>(numbers).wrapping_mul(passes as u64);
        assert_eq!(sum, expected, "column values iterated over");
        time
    }

    /// Changes each column so that it has the same values again.
    fn change_columns(
        &mut self,
        passes: usize,
        change: fn(&mut M::Column, &[M::Key], &[u32]),
    ) -> Duration {
        self.bring_columns();
        let keys = self.keys.chunks_exact(self.slots);
        let pairs = keys.zip(self.numbers.chunks_exact(self.slots));
        let columns = self.columns.iter_mut().zip(pairs);
        let (time, _) = timed_passes(passes, columns, |(column, (keys, numbers))| {
            change(column, &keys[..self.live], &numbers[..self.live]);
            0
        });
        self.iterate_columns(1, iterate_column::<M>); // to check the values
        time
    }

    /// Searches a graph of the live keys for each map.
    fn search(&mut self, passes: usize, all: fn(&[M::Key]) -> u64) -> Duration {
        let keys = self.keys.chunks_exact(self.slots).map(|keys| &keys[..self.live]);
        let (time, sum) = timed_passes(passes, keys, |keys| all(keys));
        let distances = (0..self.live).map(|place| u64::from(usize::BITS - place.leading_zeros()));
        let expected = distances.sum::<u64>() * (passes * structures(self.slots)) as u64;
        assert_eq!(sum, expected, "distances");
        time
    }

    /// Creates, fills and drops maps, of which that many exist at a time.
    fn make_and_drop(&mut self, maps: usize, alive: usize) -> Duration {
        let (make, keys) = (self.maker(0), &mut self.keys[..self.slots]);
        let mut all = Vec::with_capacity(alive);
        let mut sum = 0u64;
        let time = timed(|| {
            for _ in 0..maps {
                if all.len() == alive {
                    all.clear();
                }
                let (map, last) = make_and_fill(make, keys);
                all.push(map);
                sum = sum.wrapping_add(last);
            }
            all.clear();
        });
        let last = M::Value::of(self.slots as u64 - 1).digest();
        assert_eq!(sum, last.wrapping_mul(maps as u64), "last values");
        time
    }

    fn join(&mut self, passes: usize) -> Duration {
        self.bring_columns();
        let maps = self.maps.iter_mut().zip(&self.columns);
        let (time, _) = timed_passes(passes, maps, |(map, column)| {
            join_all::<M>(map, column);
            0
        });
        let sum = self.maps.iter_mut().map(iterate_all::<M>).fold(0, u64::wrapping_add);
        let joined = live_of(&self.numbers, self.slots, self.live).map(|number| {
            let mut value = M::Value::of(number.into());
            let other = M::Value::of(column_number(number).into());
            (0..passes).for_each(|_| value.add(&other));
            value.digest()
        });
        assert_eq!(sum, joined.fold(0, u64::wrapping_add), "joined");
        for (map, column) in self.maps.iter_mut().zip(&self.columns) {
            (0..passes).for_each(|_| map.join(column, M::Value::subtract));
        }
        time
    }

    fn clear(&mut self) -> Duration {
        self.columns.clear();
        self.live = 0;
        timed(|| self.maps.iter_mut().for_each(M::clear))
    }

    /// Moves `count` of each map's live keys, chosen and ordered at random, after the others.
    fn draw(&mut self, count: usize) -> Range<usize> {
        let places = self.live - count..self.live;
        let keys = self.keys.chunks_exact_mut(self.slots);
        for (keys, numbers) in keys.zip(self.numbers.chunks_exact_mut(self.slots)) {
            for last in places.clone().rev() {
                let other = self.random.below(last + 1);
                keys.swap(last, other);
                numbers.swap(last, other);
            }
        }
        places
    }

    /// Records the numbers that the values of these places got in `passes` passes over each map.
    fn number(&mut self, places: &Range<usize>, passes: usize) {
        let count = u32::try_from(places.len()).expect("numbers have 32 bits");
        for numbers in self.numbers.chunks_exact_mut(self.slots) {
            for _ in 0..passes {
                for (number, next) in numbers[places.clone()].iter_mut().zip(self.next_number..) {
                    *number = next;
                }
                self.next_number += count;
            }
        }
    }

    /// Returns the checksum of the values of these places, in all maps.
    fn sum_of(&self, places: &Range<usize>) -> u64 {
        let numbers = self.numbers.chunks_exact(self.slots).flat_map(|all| &all[places.clone()]);
        sum_of::<M::Value>(numbers.copied())
    }
}

/// Iterates over the numbers of the live values, in all maps.
fn live_of(numbers: &[u32], slots: usize, live: usize) -> impl Iterator<Item = u32> + '_ {
    numbers.chunks_exact(slots).flat_map(move |numbers| &numbers[..live]).copied()
}

/// Returns the number of the column's value for the value with that number.
fn column_number(number: u32) -> u32 {
    number.wrapping_mul(0x9E37_79B9)
}

impl<M: Map> Stage<M> {
    /// Brings the maps into the state that the operation needs, and returns the operation's time.
    fn time(&mut self, operation: Operation) -> Duration {
        // A number is used once; long before they run out, they start anew.
        if self.next_number > LAST_NUMBER {
            self.bring_to(State::Gone);
            self.next_number = 0;
        }
        self.bring_to(operation.needs(self.slots));
        if !operation.is_about_columns() {
            self.columns.clear();
        }
        let count = operation.count_in_pass(self.slots);
        let passes = operation.passes(self.slots);
        match operation {
            // One of the maps touches its memory when it is created.
            Operation::Insert => self.make(self.slots) + self.insert(count),
            Operation::InsertWarm | Operation::Refill => self.insert(count),
            Operation::InsertGrowing => {
                self.make(0);
                self.insert(count)
            }
            Operation::Get => self.get(count, passes, get_all::<M>),
            Operation::GetMany => self.get(count, passes, get_many::<M>),
            Operation::GetStale => self.get_stale(count, passes),
            Operation::Iterate
            | Operation::IterateTenthHoles
            | Operation::IterateHalfHoles
            | Operation::IterateMostlyHoles
            | Operation::IterateFew
            | Operation::IterateFewest => self.iterate(passes, iterate_all::<M>),
            Operation::Ends => self.count_and_last(passes),
            Operation::Loop
            | Operation::LoopTenthHoles
            | Operation::LoopHalfHoles
            | Operation::LoopMostlyHoles => self.iterate(passes, loop_over_all::<M>),
            Operation::LookUpEach => self.iterate(passes, look_up_each::<M>),
            Operation::Remove => self.remove(count),
            Operation::Churn | Operation::ChurnHalfHoles => self.churn(count, passes),
            Operation::RemoveRefill => self.remove(count) + self.insert(count),
            Operation::Retain => self.retain(5),
            Operation::RetainHalf => self.retain(50),
            Operation::Drain => self.drain(),
            Operation::Clone => timed_passes(passes, self.maps.iter_mut(), |map| copy_all(*map)).0,
            Operation::SecondaryIterate
            | Operation::SecondaryIterateTenthHoles
            | Operation::SecondaryIterateMostlyHoles => {
                self.iterate_columns(passes, iterate_column::<M>)
            }
            Operation::SecondaryLoop | Operation::SecondaryLoopMostlyHoles => {
                self.iterate_columns(passes, loop_over_column::<M>)
            }
            Operation::SecondaryInsert => self.change_columns(passes, make_column_with_room::<M>),
            Operation::SecondaryMake => self.change_columns(passes, make_column::<M>),
            Operation::SecondaryRefill => self.change_columns(passes, refill_column::<M>),
            Operation::SecondaryOverwrite => self.change_columns(passes, fill_column::<M>),
            Operation::SecondaryChurn => self.change_columns(passes, exchange_column::<M>),
            Operation::Search => self.search(passes, search::<M>),
            Operation::SearchByEntry => self.search(passes, search_by_entry::<M>),
            Operation::ColumnJoin | Operation::ColumnJoinTenthHoles => self.join(passes),
            Operation::Clear => {
                self.iterate(1, iterate_all::<M>); // to check the values that all operations have left
                self.clear()
            }
            Operation::Drop => {
                self.iterate(1, iterate_all::<M>);
                self.live = 0;
                timed(|| self.maps.clear())
            }
            Operation::MakeDrop => self.make_and_drop(operation.maps(self.slots), 1),
            Operation::Crowd => self.make_and_drop(operation.maps(self.slots), CROWD),
            Operation::Bytes | Operation::Churned | Operation::Refilled => {
                unreachable!("not a time")
            }
        }
    }

    /// Returns the spread of values after much churn, and after the holes are filled again; empty if values
    /// have no fixed places.
    fn live_ranges(&mut self) -> Vec<Sample<Operation>> {
        for _ in 0..TURNOVERS {
            self.time(Operation::ChurnHalfHoles);
        }
        let churned = self.live_range(Operation::Churned);
        self.time(Operation::Refill);
        churned.into_iter().chain(self.live_range(Operation::Refilled)).collect()
    }

    /// Returns the highest place in use over the number of values.
    fn live_range(&self, operation: Operation) -> Option<Sample<Operation>> {
        let mut places = self.keys[..self.live].iter().map(|&key| M::place(key));
        let highest = places.try_fold(0, |highest, place| Some(highest.max(place?)))?;
        #[expect(clippy::cast_precision_loss, reason = "counts are far below 2^52")]
        let value = (highest + 1) as f64 / self.live as f64;
        Some(Sample { operation, value, count: self.live, checksum: 0 })
    }
}

impl<M: Map> compare::Stage<Operation> for Stage<M> {
    fn can(&self, operation: Operation) -> bool {
        let can = |operation| !M::LACKS.contains(&operation);
        match operation {
            Operation::Churned => can(Operation::ChurnHalfHoles) && can(Operation::Refill),
            _ => can(operation) && (M::Column::EXISTS || !operation.is_about_columns()),
        }
    }

    fn perform(&mut self, operation: Operation) -> Vec<Sample<Operation>> {
        if operation == Operation::Churned {
            return self.live_ranges();
        }
        let before = (operation == Operation::Insert).then(resident_bytes).flatten();
        let (time, count) = (self.time(operation), operation.count(self.slots));
        let after = before.and_then(|_| resident_bytes());
        let bytes = Sample::bytes(Operation::Bytes, before, after, count);
        [Some(Sample::new(operation, time, count, 0)), bytes].into_iter().flatten().collect()
    }
}

fn timed(work: impl FnOnce()) -> Duration {
    let start = Instant::now();
    work();
    start.elapsed()
}

/// Returns the time of `passes` passes over each item in turn, and the sum of their results.
fn timed_passes<T>(
    passes: usize,
    all: impl Iterator<Item = T>,
    mut pass: impl FnMut(&mut T) -> u64,
) -> (Duration, u64) {
    let mut sum = 0u64;
    let time = timed(|| {
        for mut one in all {
            for _ in 0..passes {
                // Keeps the compiler from reusing the first pass's result.
                sum = sum.wrapping_add(pass(black_box(&mut one)));
            }
        }
    });
    (time, sum)
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
fn get_many<M: Map>(map: &mut M, keys: &[M::Key]) -> u64 {
    let mut sum = 0u64;
    map.get_many(keys, |value| sum = sum.wrapping_add(value.map_or(0, Value::digest)));
    sum
}

#[inline(never)]
fn iterate_all<M: Map>(map: &mut M) -> u64 {
    sum(map.values())
}

#[inline(never)]
fn count_and_last<M: Map>(map: &mut M) -> u64 {
    black_box(map.values().last().map(Value::digest));
    map.values().count() as u64
}

#[inline(never)]
fn loop_over_all<M: Map>(map: &mut M) -> u64 {
    sum_by_loop(map.values())
}

#[inline(never)]
fn look_up_each<M: Map>(map: &mut M) -> u64 {
    map.look_up_each()
}

#[inline(never)]
fn retain_unmarked<M: Map>(map: &mut M) {
    map.retain(|value| value.number() < u64::from(MARK));
}

#[inline(never)]
fn drain_all<M: Map>(map: &mut M) -> u64 {
    let mut sum = 0u64;
    map.drain(|value| sum = sum.wrapping_add(value.digest()));
    sum
}

#[inline(never)]
fn copy_all<M: Map>(map: &M) -> u64 {
    drop(black_box(map.copy()));
    0
}

#[inline(never)]
fn iterate_column<M: Map>(column: &M::Column) -> u64 {
    sum(column.values())
}

#[inline(never)]
fn loop_over_column<M: Map>(column: &M::Column) -> u64 {
    sum_by_loop(column.values())
}

#[inline(never)]
fn make_column_with_room<M: Map>(column: &mut M::Column, keys: &[M::Key], numbers: &[u32]) {
    *column = M::Column::with_room(keys.len());
    fill_column::<M>(column, keys, numbers);
}

#[inline(never)]
fn make_column<M: Map>(column: &mut M::Column, keys: &[M::Key], numbers: &[u32]) {
    *column = M::Column::empty();
    fill_column::<M>(column, keys, numbers);
}

#[inline(never)]
fn refill_column<M: Map>(column: &mut M::Column, keys: &[M::Key], numbers: &[u32]) {
    column.clear();
    fill_column::<M>(column, keys, numbers);
}

#[inline(never)]
fn fill_column<M: Map>(column: &mut M::Column, keys: &[M::Key], numbers: &[u32]) {
    for (&key, &number) in keys.iter().zip(numbers) {
        column.insert(key, M::Value::of(column_number(number).into()));
    }
}

#[inline(never)]
fn exchange_column<M: Map>(column: &mut M::Column, keys: &[M::Key], numbers: &[u32]) {
    for (&key, &number) in keys.iter().zip(numbers) {
        black_box(column.remove(key));
        column.insert(key, M::Value::of(column_number(number).into()));
    }
}

#[inline(never)]
fn search<M: Map>(keys: &[M::Key]) -> u64 {
    search_with::<M>(keys, M::Column::insert_new)
}

#[inline(never)]
fn search_by_entry<M: Map>(keys: &[M::Key]) -> u64 {
    search_with::<M>(keys, M::Column::insert_by_entry)
}

/// Searches a graph breadth-first, with the distances from the first key in a new column; returns their sum. Two
/// edges lead from each place to others, so that the distance of a place is the number of its binary digits.
#[inline(always)]
fn search_with<M: Map>(
    keys: &[M::Key],
    insert_new: impl Fn(&mut M::Column, M::Key, M::Value) -> bool,
) -> u64 {
    let mut distances = M::Column::empty();
    distances.insert(keys[0], M::Value::of(0));
    let mut queue: Vec<usize> = Vec::with_capacity(keys.len());
    queue.push(0);
    let (mut next, mut sum) = (0, 0);
    while let Some(&place) = queue.get(next) {
        let distance = distances.get(keys[place]).map_or(0, Value::number);
        for edge in [2 * place, 2 * place + 1] {
            let other = if edge < keys.len() { edge } else { edge - keys.len() };
            if insert_new(&mut distances, keys[other], M::Value::of(distance + 1)) {
                queue.push(other);
            }
        }
        sum += distance;
        next += 1;
    }
    sum
}

#[inline(never)]
fn make_and_fill<M: Map>(make: fn(usize) -> M, keys: &mut [M::Key]) -> (M, u64) {
    let mut map = make(0);
    insert_all(&mut map, keys, 0);
    let last = keys.last().and_then(|&key| map.get(key)).map_or(0, Value::digest);
    (map, last)
}

#[inline(never)]
fn join_all<M: Map>(map: &mut M, column: &M::Column) {
    map.join(column, M::Value::add);
}
