//! A `SharedSlotMap` compared with a map of std, and threads that use one, shared by the model test and the fuzz target
//! `shared_slot_map_model`.

use crate::buffer::{Buffer, Call, Failure};
use crate::ledger::{Ledger, Step, Token};
use crate::shared_slot_map_op::{Config, Making, MemorySource, Op, Owned};
use crate::slot_map_op::Count;
use stayput::{
    Budget, CommitAhead, ErrorKind, Growth, Key, KeyData, Reuse, SharedSlotMap, SharedVec,
};
use std::collections::{HashMap, HashSet};
use std::mem;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::ptr;
use std::sync::Barrier;
use std::sync::atomic::{AtomicU32, AtomicUsize, Ordering};
use std::thread;

impl Config {
    fn build<K: Key, V>(self) -> SharedSlotMap<K, V> {
        let mut builder = SharedSlotMap::builder();
        if let Some(max_len) = self.max_len {
            let most = SharedSlotMap::<K, V>::with_key().max_len();
            builder = builder.max_len((usize::from(max_len) * 3).min(most));
        }
        if let Some(min_free) = self.rotate {
            builder = builder.reuse(Reuse::Rotating { min_free: min_free.get() as usize });
        } else if self.lowest {
            builder = builder.reuse(Reuse::Lowest);
        }
        match self.type_id {
            Some(id) if SharedSlotMap::<K, V>::builder().type_id(1).try_build().is_ok() => {
                builder = builder.type_id(u32::from(id));
            }
            _ => {}
        }
        match self.memory {
            MemorySource::System => builder.build(),
            MemorySource::Ahead => builder.commit_ahead(CommitAhead::Auto).build(),
            MemorySource::Buffer(pass, count) => {
                let buffer = Buffer::new(1 << 20, 4096, align_of::<V>().max(8));
                let log = buffer.log();
                let map = builder.growth(Growth::Fixed { step_bytes: 4096 }).build_in(buffer);
                log.plan(Call::Commit, Failure::Refuse, (pass % 16).into(), (count % 16).into());
                map
            }
        }
    }
}

/// The values of the maps.
trait Value {
    fn number(&self) -> u32;
}

impl Value for Token<'_> {
    fn number(&self) -> u32 {
        self.value
    }
}

/// A value for threads, which is counted, and can check that it is complete.
struct Counted<'c> {
    number: u32,
    same: Box<u32>,
    live: &'c AtomicUsize,
}

impl<'c> Counted<'c> {
    fn new(number: u32, live: &'c AtomicUsize) -> Self {
        live.fetch_add(1, Ordering::Relaxed);
        Self { number, same: Box::new(number), live }
    }
}

impl Value for Counted<'_> {
    fn number(&self) -> u32 {
        assert_eq!(self.number, *self.same, "torn, or dropped");
        self.number
    }
}

impl Drop for Counted<'_> {
    fn drop(&mut self) {
        self.live.fetch_sub(1, Ordering::Relaxed);
        self.number = !*self.same;
    }
}

/// A map, the keys that it has returned, and the numbers of its values.
struct Side<K: Key, V> {
    map: SharedSlotMap<K, V>,
    given: Vec<K>,
    all: HashSet<K>,
    here: HashMap<K, u32>,
    detached: Vec<(K, V)>,
}

/// The keys and numbers of inserted and of removed values.
type Report<K> = (Vec<(K, u32)>, Vec<(K, u32)>);

impl<K: Key, V: Value> Side<K, V> {
    fn new(config: Config) -> Self {
        let map = config.build();
        let (given, all, here) = (Vec::new(), HashSet::new(), HashMap::new());
        Self { map, given, all, here, detached: Vec::new() }
    }

    fn add(&mut self, key: K, number: u32) {
        assert!(self.all.insert(key), "{key:?} was given before");
        self.given.push(key);
        self.here.insert(key, number);
    }

    fn pick(&self, pick: u16) -> K {
        match self.given.len() {
            0 => K::null(),
            len => self.given[usize::from(pick) % len],
        }
    }

    /// The number of values after the owner's visit.
    fn count(&self) -> usize {
        self.here.len() + self.detached.len()
    }

    /// Adds the results of the threads, and returns how many values they have removed.
    fn note(&mut self, report: Vec<Report<K>>) -> usize {
        let (added, gone): (Vec<_>, Vec<_>) = report.into_iter().unzip();
        added.into_iter().flatten().for_each(|(key, number)| self.add(key, number));
        let gone: Vec<_> = gone.into_iter().flatten().collect();
        for (key, number) in &gone {
            assert_eq!(self.here.remove(key), Some(*number), "{key:?} was removed twice");
        }
        gone.len()
    }

    fn check(&self) {
        let Self { map, here, .. } = self;
        let len = here.len();
        assert_eq!((map.len(), map.stats().live, map.iter().count()), (len, len, len));
        for key in &self.given {
            let found = map.get(*key);
            assert_eq!(found.map(V::number), here.get(key).copied(), "{key:?}");
            assert_eq!(found.and_then(|value| map.key_of(value)), found.map(|_| *key));
        }
        assert!(map.iter().all(|(key, value)| here.get(&key) == Some(&value.number())));
        // Keys that the map has not returned.
        for number in (0..600).chain((0..64).map(|bit| 1 << bit)).chain((0..64).map(|n| !0 >> n)) {
            let key = K::from(KeyData::from_ffi(number));
            let found = map.get(key).map(|value| map.key_of(value).expect("it is there"));
            let parts = |key: K| (key.index(), key.generation());
            assert!(
                found.is_none_or(|found| here.contains_key(&found) && parts(found) == parts(key)),
                "{key:?} finds {found:?}"
            );
        }
    }

    /// The owner visits the map.
    fn visit(&mut self, other: &mut Self, owned: Owned, make: impl Fn() -> V, config: Config) {
        self.check();
        self.own(other, owned, make, config);
        self.check();
        let owned = self.map.as_mut_map();
        let (len, stats) = (self.here.len(), owned.stats());
        assert_eq!((owned.len(), stats.live, stats.detached), (len, len, self.detached.len()));
        let slots = owned.iter().count() + stats.holes + stats.detached + stats.retired;
        assert!(slots <= stats.capacity && stats.trimmed <= stats.holes);
    }

    /// Memory that was refused once is granted afterwards.
    fn end(&mut self, make: impl Fn() -> V) {
        self.map.clear();
        let has_room = |_| match self.map.try_insert(make()) {
            Ok(_) => true,
            Err(refused) => matches!(refused.error.kind(), ErrorKind::MaxLen | ErrorKind::KeyBits),
        };
        // A buffer refuses no more calls.
        assert!((0..16).any(has_room));
    }

    fn own(&mut self, other: &mut Self, owned: Owned, make: impl Fn() -> V, config: Config) {
        match owned {
            Owned::Nothing | Owned::DropPanics(_) => drop(self.map.as_mut_map()),
            Owned::Insert(count) => {
                for _ in 0..count.get() {
                    let value = make();
                    let number = value.number();
                    let inserted = self.map.as_mut_map().try_insert(value);
                    if let Ok(key) = inserted {
                        self.add(key, number);
                    }
                }
            }
            Owned::Extend(count) => {
                let count = count.get() as usize;
                if self.map.as_mut_map().try_reserve(count).is_ok() {
                    self.map.extend((0..count).map(|_| make()));
                    let new: Vec<(K, u32)> =
                        self.map.iter().map(|(key, value)| (key, value.number())).collect();
                    let new = new.into_iter().filter(|(key, _)| !self.here.contains_key(key));
                    let new: Vec<(K, u32)> = new.collect();
                    assert_eq!(new.len(), count);
                    for (key, number) in new {
                        self.add(key, number);
                    }
                }
            }
            Owned::Remove(pick) => {
                let key = self.pick(pick);
                let value = self.map.as_mut_map().remove(key).map(|value| value.number());
                assert_eq!(value, self.here.remove(&key));
            }
            Owned::Retain(part) => {
                let stays = |number: u32| number % (u32::from(part) + 1) != 0;
                self.map.retain(|_, value| stays(value.number()));
                self.here.retain(|_, number| stays(*number));
            }
            Owned::Detach(pick) => {
                let key = self.pick(pick);
                let value = self.map.as_mut_map().detach(key);
                assert_eq!(value.as_ref().map(V::number), self.here.remove(&key));
                self.detached.extend(value.map(|value| (key, value)));
            }
            Owned::Reattach => {
                if let Some((key, value)) = self.detached.pop() {
                    self.here.insert(key, value.number());
                    self.map.as_mut_map().reattach(key, value);
                }
            }
            Owned::Trim => self.map.as_mut_map().trim(),
            Owned::Shrink => self.map.as_mut_map().shrink_to_fit(),
            Owned::Clear => {
                self.map.clear();
                self.here.clear();
            }
            Owned::Drain(count) => {
                for (key, value) in self.map.drain().take(count.get() as usize) {
                    assert_eq!(self.here.remove(&key), Some(value.number()));
                }
                self.here.clear();
            }
            Owned::Forget => {
                mem::forget(self.map.as_mut_map());
                assert!(self.map.try_insert(make()).is_err() && self.map.iter().count() == 0);
                assert!(self.here.keys().all(|key| !self.map.contains_key(*key)));
                drop(self.map.as_mut_map());
            }
            Owned::IntoInner => {
                let inner = mem::take(&mut self.map).into_inner();
                assert_eq!(inner.len(), self.here.len());
                self.map = inner.into();
            }
            Owned::IntoIter(count) => {
                // No more than fit with the smallest keys.
                let few = count.get() as usize % 8;
                let others: SharedSlotMap<K, V> = (0..few).map(|_| make()).collect();
                assert_eq!((others.len(), others.into_iter().count()), (few, few));
                for (key, value) in mem::take(&mut self.map) {
                    assert_eq!(self.here.remove(&key), Some(value.number()));
                }
                assert!(self.here.is_empty());
                *self = Self::new(config);
            }
            // Keys of the other map may look the same.
            Owned::Replace => *self = Self::new(config),
            Owned::Swap => {
                mem::swap(&mut *self.map.as_mut_map(), &mut *other.map.as_mut_map());
                mem::swap(&mut self.given, &mut other.given);
                mem::swap(&mut self.all, &mut other.all);
                mem::swap(&mut self.here, &mut other.here);
                mem::swap(&mut self.detached, &mut other.detached);
            }
            Owned::GetMut(pick) => {
                let key = self.pick(pick);
                let value = self.map.get_mut(key).map(|value| value.number());
                assert_eq!(value, self.here.get(&key).copied());
            }
        }
    }
}

/// Runs operations, alone or at the same time as others.
struct Worker<'s, K: Key, V> {
    side: &'s Side<K, V>,
    is_alone: bool,
    /// The keys returned to all threads since the owner's last visit.
    known: &'s SharedVec<K>,
    report: Report<K>,
    /// Everything that was observed.
    held: Vec<(&'s V, u32)>,
}

impl<'s, K: Key, V: Value> Worker<'s, K, V> {
    fn perform(
        side: &'s Side<K, V>,
        known: &'s SharedVec<K>,
        is_alone: bool,
        ops: &[Op],
        make: impl Fn() -> V,
    ) -> Report<K> {
        let report = (Vec::new(), Vec::new());
        let mut worker = Self { side, is_alone, known, report, held: Vec::new() };
        for op in ops {
            worker.apply(*op, &make);
            if is_alone {
                let len = side.here.len() + worker.report.0.len() - worker.report.1.len();
                assert_eq!(side.map.len(), len);
            }
        }
        // Removed values stay valid until the owner has the map.
        assert!(worker.held.iter().all(|(value, number)| value.number() == *number));
        worker.report
    }

    fn pick(&self, pick: u16) -> K {
        let (old, new) = (&self.side.given, self.known.as_slice());
        match old.len() + new.len() {
            0 => K::null(),
            len => {
                let nth = usize::from(pick) % len;
                old.get(nth).copied().unwrap_or_else(|| new[nth - old.len()])
            }
        }
    }

    /// Checks an inserted value, whose key no other thread has yet.
    fn note(&mut self, key: K, value: &'s V, number: u32) {
        let map = &self.side.map;
        assert_eq!(value.number(), number);
        assert!(map.get(key).is_some_and(|found| ptr::eq(found, value)));
        assert_eq!((map.key_of(value), map.contains_key(key)), (Some(key), true));
        self.held.push((value, number));
        self.report.0.push((key, number));
        self.known.push(key);
    }

    fn apply(&mut self, op: Op, make: &impl Fn() -> V) {
        let map = &self.side.map;
        match op {
            Op::Insert => {
                let value = make();
                let number = value.number();
                match map.try_insert(value) {
                    Ok((key, value)) => self.note(key, value, number),
                    Err(refused) => assert_eq!(refused.value.number(), number),
                }
            }
            Op::InsertMany(count) => {
                let values: Vec<_> = (0..count.get()).map(|_| make()).collect();
                let numbers: Vec<_> = values.iter().map(V::number).collect();
                let mut keys = Vec::new();
                let refused = map.try_insert_many(values, &mut keys).err();
                let left = refused.into_iter().flat_map(|refused| refused.value);
                assert!(left.map(|value| value.number()).eq(numbers[keys.len()..].iter().copied()));
                for (key, number) in keys.into_iter().zip(numbers) {
                    self.note(key, &map[key], number);
                }
            }
            Op::InsertManyPanic(count, after) => self.insert_panicking(count, after, make),
            Op::InsertNested(count) => self.insert_nested(count, make),
            Op::InsertWithKey(making) => self.insert_with_key(making, make),
            Op::Remove(pick) => self.remove(self.pick(pick)),
            Op::RemoveSpan(pick, count) => {
                for nth in (0..).take(count.get() as usize) {
                    self.remove(self.pick(pick.wrapping_add(nth)));
                }
            }
            Op::RemoveBits(bits) => {
                let Some(key) = K::from_bits(bits) else { return };
                let found = map.get(key).map(V::number);
                assert!(found.is_some() || !self.is_alone || map.remove(key).is_none());
            }
            Op::Reserve(count) => _ = map.try_reserve(count.get() as usize),
            Op::Prefault(count) => _ = map.try_prefault(count.get() as usize),
            Op::PrefaultAhead(bytes) => _ = map.prefault_ahead(Budget::bytes(bytes.into())),
            Op::ByIndex(index) => {
                if let Some((key, value)) = map.get_by_index(index.into()) {
                    assert_eq!(key.index(), index.into());
                    assert!(map.get(key).is_none_or(|found| ptr::eq(found, value)));
                    self.held.push((value, value.number()));
                }
            }
            Op::Stats => {
                let (stats, len) = (map.stats(), map.len());
                assert!(stats.live <= stats.capacity && stats.capacity <= stats.max_len);
                assert_eq!(map.max_len(), stats.max_len);
                assert!(map.capacity() >= stats.capacity);
                assert!(!self.is_alone || (stats.live, map.is_empty()) == (len, len == 0));
            }
            Op::Iterate => {
                let mut count = 0;
                for (key, value) in map {
                    assert!(map.get(key).is_none_or(|found| ptr::eq(found, value)));
                    self.held.push((value, value.number()));
                    count += 1;
                }
                assert!(!self.is_alone || count == map.len());
                let (keys, values) = (map.keys(), map.values());
                assert!(!self.is_alone || keys.clone().count() == count);
                assert!(!self.is_alone || values.clone().count() == count);
                let mut items = map.iter();
                items.next();
                assert!(!self.is_alone || items.clone().count() == count.saturating_sub(1));
                assert!(!self.is_alone || keys.eq(map.iter().map(|(key, _)| key)));
                self.held.extend(values.map(|value| (value, value.number())));
            }
        }
    }

    fn insert_panicking(&mut self, count: Count, after: Count, make: &impl Fn() -> V) {
        let map = &self.side.map;
        let (mut keys, mut numbers) = (Vec::new(), Vec::new());
        let values = (0..count.get()).map(|n| {
            if n == after.get() {
                resume_unwind(Box::new(()));
            }
            let value = make();
            numbers.push(value.number());
            value
        });
        let run = || drop(map.try_insert_many(values, &mut keys));
        let panicked = catch_unwind(AssertUnwindSafe(run)).is_err();
        assert!(!panicked || after.get() < count.get());
        for (key, number) in keys.into_iter().zip(numbers) {
            self.note(key, &map[key], number);
        }
    }

    fn insert_nested(&mut self, count: Count, make: &impl Fn() -> V) {
        let map = &self.side.map;
        let (mut keys, mut numbers, mut inner) = (Vec::new(), Vec::new(), Vec::new());
        let values = (0..count.get()).map(|_| {
            inner.extend(map.try_insert(make()).ok());
            let value = make();
            numbers.push(value.number());
            value
        });
        drop(map.try_insert_many(values, &mut keys));
        for (key, value) in inner {
            self.note(key, value, value.number());
        }
        for (key, number) in keys.into_iter().zip(numbers) {
            self.note(key, &map[key], number);
        }
    }

    fn insert_with_key(&mut self, making: Making, make: &impl Fn() -> V) {
        let map = &self.side.map;
        let (mut shown, mut inner) = (None, None);
        let mut show = |key: K| {
            shown = Some(key);
            // Nor is it returned to another thread.
            assert!(!self.is_alone || map.get(key).is_none() && map.remove(key).is_none());
            // The closure is then called again.
            if matches!(making, Making::Two) && inner.is_none() {
                inner = map.try_insert(make()).ok();
            }
            make()
        };
        let given = match making {
            Making::Value | Making::Two => map.try_insert_with(show).ok(),
            // A refusal panics, in a way that would end a fuzz target.
            _ if !self.is_alone || map.try_reserve(1).is_err() => None,
            Making::Error => map.try_insert_with_key(|key| Err(show(key))).ok(),
            Making::Panic => {
                let run = || map.insert_with_key(|key| resume_unwind(Box::new(show(key).number())));
                catch_unwind(AssertUnwindSafe(run)).ok()
            }
        };
        assert!(given.is_none_or(|(key, _)| shown == Some(key)));
        if matches!(making, Making::Error | Making::Panic) {
            assert!(given.is_none() && shown.is_none_or(|key| !map.contains_key(key)));
        }
        for (key, value) in given.into_iter().chain(inner) {
            self.note(key, value, value.number());
        }
    }

    fn remove(&mut self, key: K) {
        let map = &self.side.map;
        let before = map.get(key);
        let removed = map.remove(key);
        assert!(map.get(key).is_none() && map.remove(key).is_none());
        assert!(!self.is_alone || removed.is_some() == before.is_some());
        if let Some(value) = removed {
            assert!(before.is_some_and(|before| ptr::eq(before, value)));
            assert_eq!(map.key_of(value), None);
            self.report.1.push((key, value.number()));
        }
        self.held.extend(before.map(|value| (value, value.number())));
    }
}

pub(crate) fn run<K: Key>(config: Config, frames: &[(Vec<Op>, Owned)]) {
    let ledger = Ledger::new();
    let make = || ledger.token(u32::try_from(ledger.made()).unwrap());
    let [mut side, mut other] = [(); 2].map(|()| Side::<K, Token<'_>>::new(config));
    for (ops, owned) in frames {
        let report = Worker::perform(&side, &SharedVec::new(), true, ops, make);
        let removed = side.note(vec![report]);
        assert_eq!(ledger.live(), side.count() + other.count() + removed);
        match owned {
            // Not where a panic ends a fuzz target.
            Owned::DropPanics(pass) if !cfg!(fuzzing) => {
                ledger.set_fuse(Step::Drop, usize::from(*pass) % 4);
                let visit = AssertUnwindSafe(|| drop(side.map.as_mut_map()));
                assert_eq!(catch_unwind(visit).is_err(), usize::from(*pass) % 4 < removed);
                ledger.clear_fuse();
            }
            _ => {}
        }
        side.visit(&mut other, *owned, make, config);
        assert_eq!(ledger.live(), side.count() + other.count());
    }
    other.end(make);
    // The value removed last is dropped with the map.
    side.here.keys().take(3).for_each(|key| assert!(side.map.remove(*key).is_some()));
    drop((side, other));
    ledger.assert_all_dropped_but(0);
}

/// The same with one thread per list; the results are then combined.
pub(crate) fn run_together<K: Key + Send + Sync>(config: Config, frames: &[(Vec<Vec<Op>>, Owned)]) {
    let (next, live) = (AtomicU32::new(0), AtomicUsize::new(0));
    let make = || Counted::new(next.fetch_add(1, Ordering::Relaxed), &live);
    let [mut side, mut other] = [(); 2].map(|()| Side::<K, Counted<'_>>::new(config));
    for (lists, owned) in frames {
        let (known, barrier) = (SharedVec::new(), Barrier::new(lists.len()));
        let report: Vec<_> = thread::scope(|scope| {
            let (side, known, barrier) = (&side, &known, &barrier);
            let begin = |worker: usize| {
                let ops = lists[worker].as_slice();
                scope.spawn(move || {
                    barrier.wait();
                    Worker::perform(side, known, false, ops, make)
                })
            };
            let workers: Vec<_> = (0..lists.len()).map(begin).collect();
            workers.into_iter().map(|worker| worker.join().unwrap()).collect()
        });
        let removed = side.note(report);
        let live = || live.load(Ordering::Relaxed);
        assert_eq!(live(), side.count() + other.count() + removed);
        side.visit(&mut other, *owned, make, config);
        assert_eq!(live(), side.count() + other.count());
    }
    side.end(make);
    drop((side, other));
    assert_eq!(live.into_inner(), 0);
}
