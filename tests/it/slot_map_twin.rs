//! A `SlotMap` compared with maps of std after each operation.

use crate::buffer::Buffer;
use crate::slot_map_op::{Choice, Config, Count, Make, Op, Partly, Pick, at_fault};
use crate::slot_map_value::{Held, Token, Value, walks};
use stayput::{
    Budget, CommitAhead, Error, ErrorKind, HugePages, Key, KeyData, Layout, Release, Reuse,
    SlotMap, Weak,
};
use std::alloc::Layout as Alloc;
use std::collections::{BTreeMap, BTreeSet};
use std::mem;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::rc::Rc;

#[path = "slot_map_twin_keys.rs"]
mod keys;
#[path = "slot_map_twin_look.rs"]
mod look;

/// The map, and its expected contents.
pub(crate) struct Model<K: Key, const PAD: usize, T> {
    map: SlotMap<K, Value<PAD, T>>,
    config: Config,
    /// A token in each value, if values have a drop.
    token: Rc<()>,
    next_id: u32,
    live: BTreeMap<u32, Held>,
    /// The generations of detached slots.
    detached: BTreeMap<u32, u32>,
    retired: BTreeSet<u32>,
    holes: BTreeSet<u32>,
    len: u32,
    next_hole: u32,
    /// The last generation of each slot.
    last: BTreeMap<u32, u32>,
    /// `true` if memory was returned since the beginning, or slots were forgotten, so that generations may be skipped.
    gave_back: bool,
    /// A generation that forgotten slots do not exceed when they start again.
    floor: u32,
    /// All keys that ever existed, with the number of the value, by index and generation.
    made: BTreeMap<(u32, u32), u32>,
    keys: Vec<K>,
    weak: Vec<WeakTo<K, PAD, T>>,
    /// Identifies the map, which changes with a clone or a reset.
    map_number: u32,
}

struct WeakTo<K: Key, const PAD: usize, T> {
    weak: Weak<K, Value<PAD, T>>,
    data: KeyData<K::Layout>,
    map_number: u32,
}

impl<K: Key, const PAD: usize, T: Token> Model<K, PAD, T> {
    /// The maximum number of slots in a run: some blocks, if values are large.
    const SPAN: u32 = 300;
    const LAST: u32 = <K::Layout as Layout>::MAX_GENERATION;
    const HAS_DROP: bool = mem::needs_drop::<T>();

    /// Runs the operations on a fresh map, and compares after each.
    pub(crate) fn run(config: Config, ops: &[Op]) {
        let mut model = Self {
            map: Self::fresh(config),
            config,
            token: Rc::new(()),
            next_id: 0,
            live: BTreeMap::new(),
            detached: BTreeMap::new(),
            retired: BTreeSet::new(),
            holes: BTreeSet::new(),
            len: 0,
            next_hole: 0,
            last: BTreeMap::new(),
            gave_back: false,
            floor: 0,
            made: BTreeMap::new(),
            keys: Vec::new(),
            weak: Vec::new(),
            map_number: 0,
        };
        model.check();
        for op in ops {
            model.apply(op);
            model.check();
        }
        let Self { map, token, .. } = model;
        drop(map);
        assert_eq!(Rc::strong_count(&token), 1, "values were lost or dropped twice");
    }

    /// The maximum number of slots, by the keys and the options, if that is small.
    fn bound(config: Config) -> Option<usize> {
        let by_keys = (<K::Layout as Layout>::MAX_INDEX as usize).saturating_add(1);
        match config.max_len {
            Some(max_len) => Some(by_keys.min(usize::from(max_len))),
            None => Some(by_keys).filter(|bound| *bound <= 256),
        }
    }

    fn fresh(config: Config) -> SlotMap<K, Value<PAD, T>> {
        let bound = Self::bound(config);
        let capacity = (config.capacity.get() as usize).min(bound.unwrap_or(usize::MAX));
        let mut builder = SlotMap::builder().capacity(capacity).huge_pages(HugePages::Never);
        if config.max_len.is_some() {
            builder = builder.max_len(bound.unwrap_or(0));
        }
        if let Some(min_free) = config.rotate {
            builder = builder.reuse(Reuse::Rotating { min_free: min_free.get() as usize });
        } else if config.lowest {
            builder = builder.reuse(Reuse::Lowest);
        }
        if let Some(number) = config.type_id {
            builder = builder.type_id(Self::tag(number));
        }
        if let Some((window, is_released_later)) = config.served {
            let release = if is_released_later { Release::Background } else { Release::Now };
            let ahead = CommitAhead::Bytes(usize::from(window) << 10);
            builder = builder.commit_ahead(ahead).release(release);
        }
        let map = match config.backed {
            None => builder.build(),
            Some(run) => {
                // With a maximum, possibly less than is available.
                let spare = config.max_len.map_or(0, |_| usize::from(run / 11 % 2) * 100);
                let slots = bound.unwrap_or(4 * Self::SPAN as usize) + spare;
                let slot = Alloc::new::<(Value<PAD, T>, u32)>();
                let buffer = Buffer::new(slots * slot.size(), 64 << (run % 11), slot.align());
                // A clone, at another address, has as many.
                builder.max_len(bound.unwrap_or(slots)).build_in(buffer)
            }
        };
        assert!(bound.is_none_or(|bound| map.max_len() == bound));
        assert!(map.capacity() >= capacity);
        map
    }

    /// The expected result of looking up a key.
    fn held(&self, key: K) -> Option<Held> {
        let data = key.data();
        let held = self.live.get(&data.index()).copied();
        held.filter(|held| held.generation == data.generation() && !self.is_foreign(key))
    }

    fn items(&self) -> Vec<(u32, u32, u32)> {
        self.live.iter().map(|(index, held)| (*index, held.generation, held.id)).collect()
    }

    fn check(&mut self) {
        let map = &self.map;
        assert_eq!(map.len(), self.live.len());
        assert_eq!(map.is_empty(), self.live.is_empty());
        let tokens = if Self::HAS_DROP { self.live.len() } else { 0 };
        assert_eq!(Rc::strong_count(&self.token), 1 + tokens, "values lost or doubled");
        let stats = map.stats();
        assert_eq!((stats.live, stats.holes), (self.live.len(), self.holes.len()), "{stats:?}");
        assert_eq!(stats.detached, self.detached.len(), "{stats:?}");
        assert_eq!(stats.retired, self.retired.len(), "{stats:?}");
        assert_eq!((stats.capacity, stats.max_len), (map.capacity(), map.max_len()));
        assert!(stats.trimmed <= stats.holes, "{stats:?}");
        assert!(self.len as usize <= map.capacity() && map.capacity() <= map.max_len());

        for key in &self.keys {
            let held = self.held(*key);
            let found = map.get(*key);
            assert_eq!(found.map(|value| value.id), held.map(|held| held.id), "{key:?}");
            if let Some(held) = held {
                assert_eq!(self.made[&(key.index(), key.generation())], held.id);
                assert_eq!(map.key_of(&map[*key]), Some(*key));
                assert_eq!(held.address, std::ptr::from_ref(&map[*key]).addr(), "it moved");
            }
        }
        for index in 0..self.len + 2 {
            let found = map.get_by_index(index).map(|(key, value)| (key.generation(), value.id));
            let held = self.live.get(&index);
            assert_eq!(found, held.map(|held| (held.generation, held.id)));
            let last = self.last.get(&index).copied().unwrap_or(0);
            // All keys of a small layout, and those that are likely to be confused.
            let generations =
                if self.len <= 64 && Self::LAST <= 7 { 1..=Self::LAST } else { last..=last + 1 };
            for generation in generations {
                let key = self.made_up(index, generation);
                let is_live = held.is_some_and(|held| held.generation == generation);
                assert_eq!(map.contains_key(key), is_live, "{key:?} was forged");
            }
        }
        for WeakTo { weak, data, map_number } in &self.weak {
            let held = self.held((*data).into()).filter(|_| *map_number == self.map_number);
            let found = map.upgrade(weak).map(|value| value.id);
            assert_eq!(found, held.map(|held| held.id), "{weak:?}");
            assert_eq!(map.upgrade_key(weak), held.map(|_| (*data).into()));
        }
    }

    /// The slot that is filled next, according to `Reuse`.
    fn next_slot(&self) -> Option<u32> {
        let hole = match self.config.rotate {
            None => self.holes.first(),
            Some(_) => self.holes.range(self.next_hole..).next().or(self.holes.first()),
        };
        let kept = self.config.rotate.map_or(0, Count::get) as usize;
        let has_room = (self.len as usize) < self.map.max_len();
        match hole {
            Some(_) if self.holes.len() <= kept && has_room => Some(self.len),
            Some(hole) => Some(*hole),
            None => has_room.then_some(self.len),
        }
    }

    /// Returns `true` if it is specified which hole is filled.
    fn is_in_order(&self) -> bool {
        self.config.rotate.is_some() || self.config.lowest
    }

    fn value(&mut self) -> Value<PAD, T> {
        self.next_id += 1;
        Value::new(self.next_id, &self.token)
    }

    /// No slot has had a later generation, or is treated as if it had.
    fn highest(&self) -> u32 {
        self.last.values().copied().fold(self.floor, u32::max)
    }

    /// Records an inserted value.
    fn inserted(&mut self, key: K, id: u32, address: usize) {
        let (index, generation) = (key.index(), key.generation());
        if self.is_in_order() {
            assert_eq!(Some(index), self.next_slot(), "not the slot that was to be filled");
        } else {
            let is_hole = self.holes.contains(&index);
            assert!(is_hole || self.holes.is_empty() && index == self.len, "{index} was filled");
        }
        assert_eq!(key.tag(), self.minted());
        assert!(!key.is_null() && generation <= Self::LAST);
        let last = self.last.insert(index, generation).unwrap_or(0);
        if self.gave_back {
            let most = self.highest().max(last + 1).max(self.floor + 1);
            assert!(generation > last && generation <= most, "{key:?}");
        } else {
            assert_eq!(generation, last + 1, "{key:?}");
        }
        if self.holes.remove(&index) {
            self.next_hole = index + 1;
        } else {
            self.len += 1;
        }
        assert_eq!(self.made.insert((index, generation), id), None, "{key:?} was made before");
        self.live.insert(index, Held { generation, id, address });
        self.keys.push(key);
    }

    fn address(&self, key: K) -> usize {
        std::ptr::from_ref(&self.map[key]).addr()
    }

    /// Records a removed value.
    fn removed(&mut self, index: u32) {
        let held = self.live.remove(&index).expect("it was there");
        if held.generation == Self::LAST {
            self.retired.insert(index);
        } else {
            self.holes.insert(index);
        }
    }

    fn assert_full(&self, error: Error) {
        assert_eq!(self.next_slot(), None, "{error}");
        let bound = Self::bound(self.config).expect("only small maps are ever full");
        let by_keys = bound as u64 == u64::from(<K::Layout as Layout>::MAX_INDEX) + 1;
        let kind = if by_keys { ErrorKind::KeyBits } else { ErrorKind::MaxLen };
        assert_eq!((error.kind(), error.limit()), (kind, Some(bound as u64)));
    }

    /// Returns `true` if `count` more values fit into the span of the run.
    fn has_span(&self, count: u32) -> bool {
        self.len + count <= Self::SPAN
    }

    /// Returns `true` if the key was accepted.
    fn try_insert(&mut self) -> bool {
        let value = self.value();
        let id = value.id;
        match self.map.try_insert(value) {
            Ok(key) => {
                self.inserted(key, id, self.address(key));
                true
            }
            Err(refused) => {
                assert_eq!(refused.value.id, id);
                self.assert_full(refused.error);
                false
            }
        }
    }

    fn key(&self, pick: Pick) -> K {
        let null = K::null();
        match pick {
            Pick::Live(n) => nth(self.live.iter(), n)
                .map_or(null, |(index, held)| self.made_up(*index, held.generation)),
            Pick::LiveTagged(n, tag) => self.key(Pick::Live(n)).with_tag(Self::tag(tag)),
            Pick::Detached(n) => nth(self.detached.iter(), n)
                .map_or(null, |(index, generation)| self.made_up(*index, *generation)),
            Pick::DetachedTagged(n, tag) => self.key(Pick::Detached(n)).with_tag(Self::tag(tag)),
            Pick::Old(n) => nth(self.keys.iter(), n).copied().unwrap_or(null),
            Pick::Next(n) => {
                let index = u32::from(n) % (self.len + 1);
                let next = self.last.get(&index).copied().unwrap_or(0) + 1;
                self.made_up(index, next)
            }
            Pick::Near(index, generation) => {
                let (index, generation) = (u32::from(index), u32::from(generation) % 9);
                self.made_up(index, generation)
            }
            Pick::Bits(bits) => K::from_bits(bits)
                .or_else(|| K::from_bits(bits >> 32))
                .unwrap_or_else(|| K::from(KeyData::from_ffi(bits >> 55))),
            Pick::Null(tag) => null.with_tag(Self::tag(tag)),
        }
    }

    fn tag(tag: u32) -> u32 {
        tag & <K::Layout as Layout>::MAX_TAG
    }

    /// The tag of all keys that the map returns.
    fn minted(&self) -> u32 {
        self.config.type_id.map_or(0, Self::tag)
    }

    /// Returns `true` if a key belongs to a map with another type id.
    fn is_foreign(&self, key: K) -> bool {
        self.config.type_id.is_some() && key.tag() != self.minted()
    }

    /// Null, if no key has these parts.
    fn made_up(&self, index: u32, generation: u32) -> K {
        KeyData::from_parts(index, generation, self.minted()).map_or(K::null(), K::from)
    }

    fn apply(&mut self, op: &Op) {
        match op {
            Op::Insert
            | Op::InsertWithKey(_)
            | Op::InsertMany(_)
            | Op::GrowOnly(_)
            | Op::Extend(_)
            | Op::Fill
            | Op::Churn(_)
            | Op::Reattach(_) => self.put_in(op),
            Op::Remove(_)
            | Op::RemoveMany(_)
            | Op::RemoveSpan(..)
            | Op::Detach(_)
            | Op::Retain(..)
            | Op::Drain(_)
            | Op::Clear
            | Op::Reset => self.take_out(op),
            Op::Keyed(op) => self.keyed(*op),
            Op::Clone(_) | Op::IntoIter(_) | Op::Move | Op::Collect(_) => self.whole(op),
            Op::Trim
            | Op::TrimWithin(..)
            | Op::ShrinkToFit
            | Op::Reserve(_)
            | Op::ReserveExact(_)
            | Op::Prefault(_)
            | Op::PrefaultAhead(_) => self.memory(op),
            Op::Look(_)
            | Op::Many(_)
            | Op::Disjoint(_)
            | Op::Iterate(_)
            | Op::Blocks
            | Op::Downgrade(_) => self.look(op),
        }
    }

    fn put_in(&mut self, op: &Op) {
        match *op {
            Op::Insert if self.has_span(1) => {
                self.try_insert();
            }
            Op::InsertWithKey(make) if self.has_span(1) && self.next_slot().is_some() => {
                self.insert_with_key(make);
            }
            Op::InsertMany(count) if self.has_span(count.get()) => self.insert_many(count.get()),
            Op::GrowOnly(count) if self.has_span(count.get()) => self.grow_only(count.get()),
            Op::Extend(count) if self.has_span(count.get()) => self.extend(count.get()),
            Op::Fill => while self.has_span(1) && self.try_insert() {},
            Op::Churn(count) => {
                for _ in 0..count % 20 {
                    if !self.has_span(1) || !self.try_insert() {
                        break;
                    }
                    let key = *self.keys.last().expect("just inserted");
                    // Weak pointers to one slot, which differ in the generation.
                    if self.weak.len() < 50 {
                        self.downgrade(key);
                    }
                    assert!(self.map.remove(key).is_some());
                    self.removed(key.index());
                }
            }
            Op::Reattach(pick) => {
                let (key, value) = (self.key(pick), self.value());
                let (index, id) = (key.index(), value.id);
                if self.detached.get(&index) == Some(&key.generation()) && !self.is_foreign(key) {
                    assert!(self.map.try_reattach(key, value).is_ok());
                    let generation = self.detached.remove(&index).expect("just seen");
                    self.made.insert((index, generation), id);
                    let address = self.address(key);
                    self.live.insert(index, Held { generation, id, address });
                } else {
                    let value = self.map.try_reattach(key, value).expect_err("it is not detached");
                    assert_eq!(value.id, id);
                }
            }
            _ => {}
        }
    }

    fn insert_with_key(&mut self, make: Make) {
        let promised = self.map.vacant_entry().key();
        let value = self.value();
        let id = value.id;
        let mut seen = None;
        match make {
            Make::Value => {
                let key = self.map.insert_with_key(|key| {
                    seen = Some(key);
                    value
                });
                assert_eq!(promised, key);
                self.inserted(key, id, self.address(key));
            }
            Make::Error => {
                let result = self.map.try_insert_with_key(|key| {
                    seen = Some(key);
                    Err(value)
                });
                assert_eq!(result.map_err(|value| value.id), Err(id));
            }
            Make::Panic => {
                let run = || {
                    self.map.insert_with_key(|key| {
                        seen = Some(key);
                        resume_unwind(Box::new(value.id))
                    })
                };
                let panic = catch_unwind(AssertUnwindSafe(run)).expect_err("planned");
                assert_eq!(panic.downcast_ref(), Some(&id));
            }
        }
        assert_eq!(seen, Some(promised));
        if !matches!(make, Make::Value) {
            // Nothing has changed: the next insertion returns the same key.
            assert!(!self.map.contains_key(promised));
            assert_eq!(self.map.vacant_entry().key(), promised);
        }
    }

    fn insert_many(&mut self, count: u32) {
        let values: Vec<_> = (0..count).map(|_| self.value()).collect();
        let mut ids = values.iter().map(|value| value.id).collect::<Vec<_>>().into_iter();
        let mut keys = Vec::new();
        let result = self.map.try_insert_many(values, &mut keys);
        let refused = result.map_err(|refused| {
            let rest: Vec<_> = refused.value.map(|value| value.id).collect();
            (refused.error, rest)
        });
        for (key, id) in keys.into_iter().zip(ids.by_ref()) {
            self.inserted(key, id, self.address(key));
        }
        match refused {
            Ok(()) => assert_eq!(ids.next(), None),
            Err((error, rest)) => {
                self.assert_full(error);
                // `zip` took no value without a key, since it requests the key first.
                assert!(ids.eq(rest));
            }
        }
    }

    fn extend(&mut self, count: u32) {
        if self.map.try_reserve(count as usize).is_err() {
            return;
        }
        let first = self.next_id + 1;
        let values: Vec<_> = (0..count).map(|_| self.value()).collect();
        self.map.extend(values);
        let new = self.map.iter().filter(|(_, value)| value.id >= first);
        let mut new: Vec<_> = new.map(|(key, value)| (value.id, key)).collect();
        new.sort_by_key(|(id, _)| *id);
        assert!(new.iter().map(|(id, _)| *id).eq(first..first + count));
        for (id, key) in new {
            self.inserted(key, id, self.address(key));
        }
    }

    fn grow_only(&mut self, count: u32) {
        let values: Vec<_> = (0..count).map(|_| self.value()).collect();
        let scope = self.map.grow_only();
        let (mut inserted, mut refused) = (Vec::new(), None);
        for value in values {
            let id = value.id;
            match scope.try_insert(value) {
                Ok((key, value)) => {
                    assert!(std::ptr::eq(&raw const scope[key], value));
                    assert_eq!(scope.key_of(value), Some(key));
                    assert!(scope.downgrade(key).is_some() && scope.contains_key(key));
                    inserted.push((key, id, value));
                }
                Err(no) => {
                    assert_eq!(no.value.id, id);
                    refused = Some(no.error);
                    break;
                }
            }
            assert_eq!(scope.len(), self.live.len() + inserted.len());
        }
        assert!(inserted.iter().all(|(_, id, value)| value.id == *id));
        let inserted: Vec<_> = inserted
            .into_iter()
            .map(|(key, id, value)| (key, id, std::ptr::from_ref(value).addr()))
            .collect();
        for (key, id, address) in inserted {
            self.inserted(key, id, address);
        }
        if let Some(error) = refused {
            self.assert_full(error);
        }
    }

    fn take_out(&mut self, op: &Op) {
        match *op {
            Op::Remove(pick) => self.remove(pick),
            Op::RemoveMany(picks) => {
                let keys = picks.map(|pick| self.key(pick));
                let before = self.live.len();
                let removed = self.map.remove_many(keys);
                for key in keys {
                    if self.held(key).is_some() {
                        self.removed(key.index());
                    }
                }
                assert_eq!(removed, before - self.live.len());
            }
            Op::RemoveSpan(from, count) => {
                let span = u32::from(from)..u32::from(from) + count.get();
                let indices: Vec<u32> = self.live.range(span).map(|(index, _)| *index).collect();
                for index in indices {
                    let key = self.map.get_by_index(index).expect("it is there").0;
                    assert!(self.map.remove(key).is_some());
                    self.removed(index);
                }
            }
            Op::Detach(pick) => {
                let key = self.key(pick);
                let held = self.held(key);
                let value = self.map.detach(key);
                assert_eq!(value.map(|value| value.id), held.map(|held| held.id));
                if let Some(held) = held {
                    self.live.remove(&key.index());
                    self.detached.insert(key.index(), held.generation);
                }
            }
            Op::Retain(choice, panic_after) => self.retain(choice, panic_after),
            Op::Drain(partly) => self.drain(partly),
            Op::Clear => self.clear(),
            Op::Reset => {
                self.map.reset();
                self.live.clear();
                self.detached.clear();
                self.retired.clear();
                self.holes.clear();
                self.last.clear();
                self.made.clear();
                self.keys.clear();
                (self.len, self.next_hole, self.gave_back, self.floor) = (0, 0, false, 0);
                self.map_number += 1;
            }
            _ => {}
        }
    }

    fn clear(&mut self) {
        self.map.clear();
        for (index, ..) in self.items() {
            self.removed(index);
        }
        let is_bare = self.detached.is_empty() && self.retired.is_empty();
        let may_forget = !Self::HAS_DROP && is_bare && self.config.rotate.is_none();
        if may_forget && self.map.stats().holes == 0 {
            // All slots are treated as if they had had the same generation.
            self.floor = self.highest() + 1;
            self.gave_back = true;
            self.holes.clear();
            self.len = 0;
        }
    }

    fn remove(&mut self, pick: Pick) {
        let key = self.key(pick);
        let held = self.held(key);
        let value = self.map.remove(key);
        assert_eq!(value.map(|value| value.id), held.map(|held| held.id));
        if held.is_some() {
            self.removed(key.index());
        }
    }

    fn retain(&mut self, choice: Choice, panic_after: Option<Count>) {
        let mut seen = Vec::new();
        let limit = panic_after.map_or(usize::MAX, |count| count.get() as usize);
        let run = || {
            self.map.retain(|key, value| {
                if seen.len() == limit {
                    resume_unwind(Box::new(()));
                }
                seen.push((key.index(), key.generation(), value.id));
                choice.names(value.id)
            });
        };
        let panicked = catch_unwind(AssertUnwindSafe(run)).is_err();
        let mut expected = self.items();
        assert_eq!(panicked, expected.len() > limit);
        expected.truncate(limit);
        assert_eq!(seen, expected);
        for (index, _, id) in seen {
            if !choice.names(id) {
                self.removed(index);
            }
        }
    }

    fn drain(&mut self, partly: Partly) {
        let mut expected = self.items().into_iter();
        let mut taken = Vec::new();
        let mut drain = self.map.drain();
        for back in
            (0..partly.front.get()).map(|_| false).chain((0..partly.back.get()).map(|_| true))
        {
            assert_eq!((drain.len(), drain.size_hint()), (expected.len(), expected.size_hint()));
            let item = if back { drain.next_back() } else { drain.next() };
            let item = item.map(|(key, value)| (key.index(), key.generation(), value.id));
            assert_eq!(item, if back { expected.next_back() } else { expected.next() });
            taken.extend(item);
        }
        if partly.forget {
            mem::forget(drain);
        } else {
            drop(drain);
            taken.extend(expected);
        }
        for (index, ..) in taken {
            self.removed(index);
        }
    }
}

/// One of the items of an iterator; beyond the end it wraps around.
fn nth<I: Iterator + Clone>(items: I, n: u16) -> Option<I::Item> {
    let count = items.clone().count();
    items.into_iter().nth(usize::from(n) % count.max(1))
}
