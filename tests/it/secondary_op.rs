//! Operations on secondary maps and a model of them, shared by the model test and the fuzz target `secondary_model`.

use crate::slot_map_op::{Partly, at_fault};
use arbitrary::Unstructured;
use stayput::secondary::Entry;
use stayput::{
    Budget, CommitAhead, Error, ErrorKind, Key, KeyData, Layout, Release, SecondaryMap,
    SparseSecondaryMap,
};
use std::cell::Cell;
use std::collections::{BTreeMap, BTreeSet};
use std::hash::{BuildHasherDefault, DefaultHasher};
use std::mem;

arbitrary! {
    /// A key: mostly one of few, so that keys repeat.
    pub(crate) enum Name {
        /// Index, generation, tag.
        Made(u8, u8, u8),
        MadeToo(u8, u8, u8),
        /// One that has a value, with any tag.
        There(u8, u8),
        /// A key of the slot of a value, with a higher or lower generation; never the null key.
        Near(u8, i8),
        Null(u8),
        /// Anything.
        Bits(u64),
        /// At a distance from the first index that would be refused.
        Edge(i8),
        /// At a distance after it, with some generation.
        Beyond(u8, u8),
        Far(u32),
    }

    /// What is done with an entry.
    pub(crate) enum EntryOp {
        Look,
        OrInsert(u8),
        OrInsertWithKey,
        OrDefault,
        Modify(u8),
        /// Inserts, or replaces.
        Insert(u8),
        Remove,
        RemoveEntry,
    }

    /// A number of keys and values, from this seed.
    pub(crate) struct Items(u8, u64);
}

impl Items {
    fn get(self) -> impl Iterator<Item = (Name, u8)> {
        let Self(count, mut seed) = self;
        (0..count % 100).map(move |_| {
            let bytes = [(); 3].map(|()| {
                seed = seed
                    .wrapping_mul(6_364_136_223_846_793_005)
                    .wrapping_add(1_442_695_040_888_963_407);
                seed.rotate_left(32).to_le_bytes()
            });
            let mut bytes = Unstructured::new(bytes.as_flattened());
            bytes.arbitrary().expect("what is missing is taken for zero")
        })
    }
}

arbitrary! {
    pub(crate) enum Op {
        Insert(Name, u8),
        TryInsert(Name, u8),
        Entry(Name, EntryOp),
        Look(Name),
        Change(Name, u8),
        Disjoint([Name; 3]),
        Remove(Name),
        Retain(u8),
        /// At most this many of the selected ones.
        ExtractIf(u8, u8),
        Drain(Partly),
        Clear,
        ChangeAll(u8),
        Extend(Items),
        GrowOnly(Items),
        Clone,
        Collect,
        IntoIter(Partly),
        SetCapacity(u16),
        Reserve(u8),
        Prefault(u8),
        ShrinkToFit,
        Trim,
        /// That many calls, each with a budget in bytes.
        TrimWithin(u8, u16),
        RemoveMany(Items),
        /// That many calls, each with a budget in bytes.
        ShrinkWithin(u8, u16),
        PrefaultAhead(u16),
    }

    /// The options of the map by direct index.
    pub(crate) enum Config {
        Default,
        /// With commit-ahead and background release.
        Served(u16),
    }
}

/// A value of some size, with a token.
#[derive(Debug)]
pub(crate) struct Value<const PAD: usize> {
    n: u32,
    _pad: [u8; PAD],
}

thread_local! {
    static LIVE: Cell<usize> = const { Cell::new(0) };
}

impl<const PAD: usize> Value<PAD> {
    fn new(n: u32) -> Self {
        LIVE.set(LIVE.get() + 1);
        Self { n, _pad: [0xa5; PAD] }
    }
}

impl<const PAD: usize> Default for Value<PAD> {
    fn default() -> Self {
        Self::new(1000)
    }
}

impl<const PAD: usize> Clone for Value<PAD> {
    fn clone(&self) -> Self {
        Self::new(self.n)
    }
}

impl<const PAD: usize> PartialEq for Value<PAD> {
    fn eq(&self, other: &Self) -> bool {
        self.n == other.n
    }
}

impl<const PAD: usize> Drop for Value<PAD> {
    fn drop(&mut self) {
        LIVE.set(LIVE.get().checked_sub(1).expect("dropped more than were made"));
    }
}

type Sparse<K, V> = SparseSecondaryMap<K, V, BuildHasherDefault<DefaultHasher>>;

/// The maps, and their expected contents.
pub(crate) struct Model<K: Key, const PAD: usize> {
    dense: SecondaryMap<K, Value<PAD>>,
    sparse: Sparse<K, Value<PAD>>,
    /// By index: generation and value.
    std: BTreeMap<u32, (u32, u32)>,
    /// Up to the highest slot that was filled or requested through an entry.
    slots: usize,
    announced: usize,
    live_before: usize,
}

/// The expected result of inserting a key.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Fate {
    Stale,
    /// The key has a value.
    Same,
    /// The slot has no value, or an older one.
    Vacant,
    /// The map by direct index refuses it, and all from this index on.
    Far(usize),
}

/// The same on both maps.
macro_rules! on_both {
    ($model:ident, $map:ident => $run:expr) => {{
        let $map = &mut $model.dense;
        $run;
        let $map = &mut $model.sparse;
        $run;
    }};
}

fn key<K: Key>(index: u32, generation: u32, tag: u32) -> K {
    let max = <K::Layout as Layout>::MAX_GENERATION;
    let generation = if generation > max { 1 } else { generation };
    let index = index & <K::Layout as Layout>::MAX_INDEX;
    let tag = tag & <K::Layout as Layout>::MAX_TAG;
    KeyData::from_parts(index, generation, tag).expect("made to fit").into()
}

impl<K: Key, const PAD: usize> Model<K, PAD> {
    /// Only this many slots are compared.
    const FEW: usize = 1 << 14;
    /// The constants that `SecondaryMap` documents.
    const NEAR_SLOTS: usize = (64 << 20) / (size_of::<Value<PAD>>() + 4);

    pub(crate) fn run(config: Config, ops: &[Op]) {
        let dense = match config {
            Config::Default => SecondaryMap::new(),
            Config::Served(window) => SecondaryMap::builder()
                .commit_ahead(CommitAhead::Bytes(usize::from(window) * 10))
                .release(Release::Background)
                .build(),
        };
        let mut model = Self {
            dense,
            sparse: Sparse::default(),
            std: BTreeMap::new(),
            slots: 0,
            announced: 0,
            live_before: LIVE.get(),
        };
        for op in ops {
            model.apply(op);
            model.check();
        }
        assert_eq!(model.dense.stats().slots, model.slots);
        on_both!(model, map => map.clear());
        model.std.clear();
        model.check();
    }

    fn check(&self) {
        let Self { dense, sparse, std, .. } = self;
        assert_eq!((dense.len(), sparse.len()), (std.len(), std.len()));
        assert_eq!((dense.is_empty(), sparse.is_empty()), (std.is_empty(), std.is_empty()));
        let there = || std.iter().map(|(index, (generation, n))| (key(*index, *generation, 0), *n));
        assert!(dense.iter().map(|(key, value)| (key, value.n)).eq(there()));
        assert!(dense.iter().rev().map(|(key, value)| (key, value.n)).eq(there().rev()));
        assert!(dense.keys().eq(there().map(|(key, _)| key)));
        assert!(dense.values().map(|value| value.n).eq(there().map(|(_, n)| n)));
        let mut pairs: Vec<(K, u32)> = sparse.iter().map(|(key, value)| (key, value.n)).collect();
        pairs.sort_unstable();
        assert!(pairs.into_iter().eq(there()));
        assert_eq!(sparse.keys().len() + sparse.values().len(), 2 * std.len());
        for (key, n) in there() {
            assert_eq!((dense[key].n, sparse[key].n), (n, n));
        }
        assert_eq!(LIVE.get() - self.live_before, 2 * std.len(), "lost or doubled");
        assert!(self.slots <= dense.capacity() && dense.capacity() <= dense.max_len());
    }

    /// The first index that would be refused.
    fn near(&self) -> usize {
        self.near_with(self.std.len() + 1)
    }

    /// The same if there were that many values.
    fn near_with(&self, values: usize) -> usize {
        self.announced.max(self.slots).max(Self::NEAR_SLOTS + 16 * values)
    }

    fn key(&self, name: Name) -> K {
        match name {
            Name::Made(index, generation, tag) | Name::MadeToo(index, generation, tag) => {
                key(u32::from(index % 40), u32::from(generation % 5 + 1), tag.into())
            }
            Name::There(which, tag) => self.there(which, 0, tag),
            Name::Near(which, by) => self.there(which, by % 3, 0),
            Name::Null(tag) => K::null().with_tag(u32::from(tag) & <K::Layout as Layout>::MAX_TAG),
            Name::Bits(bits) => K::from_bits(bits).unwrap_or_default(),
            Name::Edge(by) => {
                let index = self.near().saturating_add_signed((by % 3).into());
                let few = if index < Self::FEW { index } else { usize::from(by.unsigned_abs()) };
                key(u32::try_from(few).expect("few"), 2, 0)
            }
            Name::Beyond(by, generation) => {
                let index = self.near() + usize::from(by);
                let few = if index < Self::FEW { index } else { by.into() };
                key(u32::try_from(few).expect("few"), u32::from(generation % 3 + 1), 0)
            }
            Name::Far(index) => key(u32::MAX - index % 1000, 3, 0),
        }
    }

    fn there(&self, which: u8, by: i8, tag: u8) -> K {
        let nth = usize::from(which) % self.std.len().max(1);
        let Some((index, (generation, _))) = self.std.iter().nth(nth) else {
            return K::null();
        };
        let generation = generation.saturating_add_signed(by.into());
        if generation == 0 { K::null() } else { key(*index, generation, tag.into()) }
    }

    fn fate(&self, key: K) -> Fate {
        let there = self.std.get(&key.index()).map(|there| there.0);
        match there {
            _ if key.is_null() => Fate::Stale,
            Some(there) if there > key.generation() => Fate::Stale,
            Some(there) if there == key.generation() => Fate::Same,
            None if key.index() as usize >= self.near() => Fate::Far(self.near()),
            _ => Fate::Vacant,
        }
    }

    /// Records that a slot exists for this key, unless it is null.
    fn reach(&mut self, key: K) {
        if !key.is_null() {
            self.slots = self.slots.max(key.index() as usize + 1);
        }
    }

    /// Returns `true` if the maps can be compared completely after this key was inserted.
    fn is_within_reach(key: K, fate: Fate) -> bool {
        matches!(fate, Fate::Far(_) | Fate::Stale) || (key.index() as usize) < Self::FEW
    }

    fn value(&self, key: K) -> Option<u32> {
        let (generation, n) = self.std.get(&key.index())?;
        (*generation == key.generation()).then_some(*n)
    }

    fn assert_far(error: Error, key: K, limit: usize) {
        assert_eq!((error.kind(), error.limit()), (ErrorKind::FarIndex, Some(limit as u64)));
        let slots = error.bytes() / size_of::<Value<PAD>>();
        assert!(slots > key.index() as usize || error.bytes() == usize::MAX);
    }

    fn apply(&mut self, op: &Op) {
        match op {
            Op::Insert(name, seed) | Op::TryInsert(name, seed) => {
                let is_try = matches!(op, Op::TryInsert(..));
                self.insert(self.key(*name), u32::from(*seed), is_try);
            }
            Op::Extend(items) => {
                let items: Vec<(K, u8)> =
                    items.get().map(|(name, seed)| (self.key(name), seed)).collect();
                self.extend(items);
            }
            Op::GrowOnly(items) => {
                let items: Vec<(K, u8)> =
                    items.get().map(|(name, seed)| (self.key(name), seed)).collect();
                self.grow_only(&items);
            }
            Op::Entry(name, op) => self.entry(self.key(*name), *op),
            Op::Look(name) => {
                let key = self.key(*name);
                let expected = self.value(key);
                on_both!(self, map => {
                    assert_eq!(map.get(key).map(|value| value.n), expected);
                    assert_eq!(map.contains_key(key), expected.is_some());
                });
                let there = self.std.get(&key.index()).map(|(generation, n)| (*generation, *n));
                let of = |(key, value): (K, &Value<PAD>)| (key.generation(), value.n);
                assert_eq!(self.dense.get_by_index(key.index()).map(of), there);
                let found = self.dense.get_by_index_mut(key.index());
                assert_eq!(found.map(|(key, value)| of((key, &*value))), there);
                if let Some(value) = self.dense.get(key) {
                    let found = self.dense.key_of(value).expect("it is there");
                    assert_eq!(
                        (found.index(), found.generation()),
                        (key.index(), key.generation())
                    );
                }
            }
            Op::Change(name, seed) => {
                let key = self.key(*name);
                let expected = self.value(key);
                on_both!(self, map => {
                    let value = map.get_mut(key).map(|value| mem::replace(&mut value.n, 7));
                    assert_eq!(value, expected);
                    if value.is_some() {
                        map[key].n = (*seed).into();
                    }
                });
                if expected.is_some() {
                    self.std.insert(key.index(), (key.generation(), (*seed).into()));
                }
            }
            Op::Disjoint(names) => self.disjoint(names.map(|name| self.key(name))),
            Op::Remove(name) => {
                let key = self.key(*name);
                let expected = self.value(key);
                on_both!(self, map => assert_eq!(map.remove(key).map(|value| value.n), expected));
                if expected.is_some() {
                    self.std.remove(&key.index());
                }
            }
            _ => self.whole(op),
        }
    }

    fn insert(&mut self, key: K, n: u32, is_try: bool) {
        let fate = self.fate(key);
        if !Self::is_within_reach(key, fate) {
            return;
        }
        let before = self.value(key);
        if fate == Fate::Vacant {
            self.reach(key);
        }
        if let Fate::Far(limit) = fate {
            let capacity = self.dense.capacity();
            let refused = self.dense.try_insert(key, Value::new(n)).expect_err("it is far");
            assert_eq!(refused.value.n, n);
            Self::assert_far(refused.error, key, limit);
            assert_eq!(self.dense.capacity(), capacity);
            assert!(self.sparse.insert(key, Value::new(n)).is_none());
            assert_eq!(self.sparse.remove(key).map(|value| value.n), Some(n));
            return;
        }
        on_both!(self, map => if is_try {
            match map.try_insert(key, Value::new(n)) {
                Ok(old) => {
                    assert_ne!(fate, Fate::Stale);
                    assert_eq!(old.map(|old| old.n), before);
                }
                Err(refused) => {
                    assert_eq!(fate, Fate::Stale);
                    assert_eq!(refused.error.kind(), ErrorKind::StaleKey);
                    assert_eq!(refused.value.n, n);
                }
            }
        } else {
            let old = map.insert(key, Value::new(n)).map(|old| old.n);
            assert_eq!(old, before.filter(|_| fate == Fate::Same));
        });
        if fate != Fate::Stale {
            self.std.insert(key.index(), (key.generation(), n));
        }
    }

    fn extend(&mut self, mut items: Vec<(K, u8)>) {
        items.retain(|(key, _)| (key.index() as usize) < Self::FEW);
        if !self.fits(&items) {
            let near = self.near();
            items.retain(|(key, _)| (key.index() as usize) < near);
        }
        let values = || items.iter().map(|(key, seed)| (*key, Value::new(u32::from(*seed))));
        on_both!(self, map => map.extend(values()));
        for (key, seed) in items {
            self.reach(key);
            if self.value(key).is_some() || self.is_newest(key) {
                self.std.insert(key.index(), (key.generation(), seed.into()));
            }
        }
    }

    fn grow_only(&mut self, items: &[(K, u8)]) {
        let mut dense = mem::take(&mut self.dense);
        let scope = dense.grow_only();
        let mut held = Vec::new();
        for (key, seed) in items.iter().copied() {
            let (fate, n) = (self.fate(key), seed.into());
            if !Self::is_within_reach(key, fate) {
                continue;
            }
            let found = scope.get(key).map(|value| value.n);
            assert_eq!((found, scope.contains_key(key)), (self.value(key), found.is_some()));
            // The value of an older key stays, too.
            let is_free = !self.std.contains_key(&key.index());
            match scope.try_insert(key, Value::new(n)) {
                Ok(value) => {
                    assert!(fate == Fate::Vacant && is_free);
                    self.reach(key);
                    self.std.insert(key.index(), (key.generation(), n));
                    self.sparse.insert(key, Value::new(n));
                    held.push((n, value));
                }
                Err(refused) => {
                    assert_eq!(refused.value.n, n);
                    match fate {
                        Fate::Far(limit) => Self::assert_far(refused.error, key, limit),
                        Fate::Stale => assert_eq!(refused.error.kind(), ErrorKind::StaleKey),
                        Fate::Same | Fate::Vacant => {
                            assert!(!is_free);
                            assert_eq!(refused.error.kind(), ErrorKind::Occupied);
                        }
                    }
                }
            }
            assert_eq!(scope.len(), self.std.len());
        }
        assert!(held.iter().all(|(n, value)| value.n == *n));
        self.dense = dense;
    }

    fn extract_if(&mut self, by: u8, steps: usize) {
        let by = u32::from(by);
        let is_named = |index: u32, n: u32| (index ^ n ^ by) % (by % 5 + 1) == 0;
        let named = self.dense.extract_if(|key, value| is_named(key.index(), value.n));
        let taken: Vec<_> = named.take(steps).map(|(key, value)| (key, value.n)).collect();
        let expected = self.std.iter().filter(|(index, (_, n))| is_named(**index, *n)).take(steps);
        let expected = expected.map(|(index, (generation, n))| (key(*index, *generation, 0), *n));
        assert!(taken.iter().copied().eq(expected));
        let keys: BTreeSet<K> = taken.iter().map(|(key, _)| *key).collect();
        // The order of the sparse map is arbitrary.
        let others = self.sparse.extract_if(|key, _| keys.contains(&key));
        assert_eq!(others.map(|(key, _)| key).collect::<BTreeSet<_>>(), keys);
        self.std.retain(|index, (generation, _)| !keys.contains(&key(*index, *generation, 0)));
    }

    /// Returns `true` unless a newer key has a value in the slot.
    fn is_newest(&self, key: K) -> bool {
        let there = self.std.get(&key.index()).map_or(0, |there| there.0);
        !key.is_null() && there <= key.generation()
    }

    /// Returns `true` if no index is far when these values are inserted together.
    fn fits(&self, items: &[(K, u8)]) -> bool {
        let mut slots = self.slots;
        let mut live: BTreeSet<u32> = self.std.keys().copied().collect();
        // Of several values for one slot, one counts.
        let mut waiting: BTreeSet<usize> = BTreeSet::new();
        for (key, _) in items.iter().filter(|(key, _)| !key.is_null()) {
            let index = key.index() as usize;
            if index < slots || (waiting.is_empty() && index < self.near_with(live.len() + 1)) {
                slots = slots.max(index + 1);
                live.insert(key.index());
                continue;
            }
            waiting.insert(index);
            let last = waiting.last().copied().expect("there is one");
            if last < self.near_with(live.len() + waiting.len()) {
                slots = last + 1;
                let ready = mem::take(&mut waiting).into_iter();
                live.extend(ready.map(|index| u32::try_from(index).expect("few")));
            }
        }
        let last = waiting.last().copied();
        last.is_none_or(|last| last < self.near_with(live.len() + waiting.len()))
    }

    fn entry(&mut self, key: K, op: EntryOp) {
        let fate = self.fate(key);
        if !Self::is_within_reach(key, fate) {
            return;
        }
        if let Fate::Far(limit) = fate {
            let error = self.dense.try_entry(key).expect_err("it is far");
            Self::assert_far(error, key, limit);
            assert!(self.sparse.entry(key).is_some());
            return;
        }
        if fate == Fate::Stale {
            on_both!(self, map => {
                assert!(map.entry(key).is_none());
                let error = map.try_entry(key).expect_err("it is stale");
                assert_eq!(error.kind(), ErrorKind::StaleKey);
            });
            return;
        }
        self.reach(key);
        let before = self.value(key);
        let mut after = Vec::new();
        on_both!(self, map => {
            let entry = map.entry(key).expect("it is not stale");
            assert_eq!(entry.key(), key);
            assert_eq!(matches!(entry, Entry::Occupied(_)), fate == Fate::Same);
            after.push(at_entry(entry, before, op));
        });
        assert_eq!(after[0], after[1]);
        match after[0] {
            Some(n) => drop(self.std.insert(key.index(), (key.generation(), n))),
            // An older value stays, unless this key had one.
            None if before.is_some() => drop(self.std.remove(&key.index())),
            None => {}
        }
    }

    fn disjoint(&mut self, keys: [K; 3]) {
        let mut indices = keys.map(|key| key.index());
        indices.sort_unstable();
        let are_different = indices.windows(2).all(|pair| pair[0] != pair[1]);
        let expected = keys.map(|key| self.value(key));
        let at_fault = at_fault(&keys, &expected);
        on_both!(self, map => assert_eq!(map.try_get_disjoint_mut(keys).err(), at_fault));
        on_both!(self, map => match map.get_disjoint_mut(keys) {
            Some(values) => {
                assert!(are_different);
                for ((value, expected), n) in values.into_iter().zip(expected).zip(2000..) {
                    assert_eq!(Some(mem::replace(&mut value.n, n)), expected);
                }
            }
            None => assert!(!are_different || expected.contains(&None)),
        });
        if are_different && !expected.contains(&None) {
            for (key, n) in keys.into_iter().zip(2000..) {
                self.std.insert(key.index(), (key.generation(), n));
            }
        }
    }

    /// Operations on all values, or on the maps as a whole.
    fn whole(&mut self, op: &Op) {
        match *op {
            Op::Retain(by) => {
                let by = u32::from(by);
                let keep = |index: u32, n: u32| (index ^ n ^ by) % (by % 5 + 1) != 0;
                on_both!(self, map => map.retain(|key, value| {
                    let is_kept = keep(key.index(), value.n);
                    value.n += 1;
                    is_kept
                }));
                self.std.retain(|index, (_, n)| {
                    *n += 1;
                    keep(*index, *n - 1)
                });
            }
            Op::ExtractIf(by, steps) => self.extract_if(by, steps.into()),
            Op::Drain(partly) => self.drain(partly),
            Op::Clear => {
                on_both!(self, map => map.clear());
                self.std.clear();
                // Slots within reach stay so.
                self.announced = self.announced.max(mem::take(&mut self.slots));
                assert_eq!(self.dense.stats().slots, 0);
            }
            Op::ChangeAll(by) => {
                let by = u32::from(by);
                on_both!(self, map => {
                    map.iter_mut().for_each(|(key, value)| value.n ^= key.index());
                    map.values_mut().for_each(|value| value.n += by);
                });
                for (index, (_, n)) in &mut self.std {
                    *n = (*n ^ index) + by;
                }
            }
            Op::Clone => {
                on_both!(self, map => {
                    let clone = map.clone();
                    assert!(clone == *map);
                    *map = map.try_clone().expect("there is memory");
                    assert!(clone == *map);
                });
                self.announced = 0;
            }
            Op::Collect => {
                // In reverse, so that the first may be far even for all values together.
                self.announced = 0;
                self.slots = 0;
                let mut dense = SecondaryMap::new();
                if self.last() > self.near_with(self.std.len()) {
                    dense.set_capacity(self.last());
                    self.announced = self.last();
                }
                dense.extend(mem::take(&mut self.dense).into_iter().rev());
                self.dense = dense;
                self.sparse = mem::take(&mut self.sparse).into_iter().collect();
                self.slots = self.last();
            }
            Op::IntoIter(partly) => self.iterate(partly),
            Op::RemoveMany(items) => {
                let keys: Vec<K> = items.get().map(|(name, _)| self.key(name)).collect();
                let mut expected = 0;
                for key in &keys {
                    if self.value(*key).is_some() {
                        self.std.remove(&key.index());
                        self.sparse.remove(*key);
                        expected += 1;
                    }
                }
                assert_eq!(self.dense.remove_many(keys), expected);
            }
            _ => self.memory(op),
        }
    }

    fn memory(&mut self, op: &Op) {
        match *op {
            Op::SetCapacity(capacity) => {
                let capacity = usize::from(capacity) % Self::FEW;
                match self.dense.try_set_capacity(capacity) {
                    Ok(()) => {
                        assert!(self.dense.capacity() >= capacity);
                        self.announced = self.announced.max(capacity);
                    }
                    Err(error) => assert_eq!(error.kind(), ErrorKind::KeyBits),
                }
            }
            Op::Reserve(additional) | Op::Prefault(additional) => {
                let additional = additional.into();
                let result = if matches!(op, Op::Reserve(_)) {
                    self.dense.try_reserve(additional)
                } else {
                    self.dense.try_prefault(additional)
                };
                match result {
                    Ok(()) => {
                        assert!(self.dense.capacity() - self.slots >= additional);
                        self.announced = self.announced.max(self.slots + additional);
                    }
                    Err(error) => assert_eq!(error.kind(), ErrorKind::KeyBits),
                }
                self.sparse.reserve(additional);
                assert!(self.sparse.capacity() - self.sparse.len() >= additional);
            }
            Op::ShrinkToFit => {
                on_both!(self, map => map.shrink_to_fit());
                (self.slots, self.announced) = (self.last(), 0);
            }
            Op::Trim => {
                self.dense.try_trim().expect("the system takes it");
                (self.slots, self.announced) = (self.last(), 0);
            }
            Op::TrimWithin(times, bytes) => {
                for _ in 0..times % 4 {
                    let budget = Budget::bytes(bytes.into());
                    assert!(self.dense.trim_within(budget).is_ok());
                    (self.slots, self.announced) = (self.last(), 0);
                }
            }
            Op::ShrinkWithin(times, bytes) => {
                for _ in 0..times % 4 {
                    let budget = Budget::bytes(bytes.into());
                    assert!(self.dense.shrink_to_fit_within(budget).is_ok());
                    (self.slots, self.announced) = (self.last(), 0);
                }
            }
            Op::PrefaultAhead(bytes) => {
                let prefaulted = self.dense.prefault_ahead(Budget::bytes(bytes.into()));
                assert_eq!(prefaulted.refused, None);
            }
            _ => unreachable!("{op:?} is not of this group"),
        }
    }

    /// Up to the highest filled slot.
    fn last(&self) -> usize {
        self.std.last_key_value().map_or(0, |(index, _)| *index as usize + 1)
    }

    fn drain(&mut self, Partly { front, back, forget }: Partly) {
        let (front, back) = (front.get() as usize, back.get() as usize);
        let mut drain = self.dense.drain();
        let mut std = mem::take(&mut self.std).into_iter();
        let same = |item: Option<(K, Value<PAD>)>, std: Option<(u32, (u32, u32))>| {
            let std = std.map(|(index, (generation, n))| (key(index, generation, 0), n));
            assert_eq!(item.map(|(key, value)| (key, value.n)), std);
        };
        for _ in 0..front {
            same(drain.next(), std.next());
        }
        for _ in 0..back {
            same(drain.next_back(), std.next_back());
        }
        assert_eq!(drain.len(), std.len());
        let mut sparse = self.sparse.drain();
        if !forget {
            drop(drain);
            let taken = front.min(sparse.len());
            assert_eq!(sparse.by_ref().take(front).count(), taken);
            return;
        }
        // The map by direct index keeps values that were not taken. (The sparse one would leak them, and its table.)
        mem::forget(drain);
        drop(sparse);
        assert!(self.sparse.is_empty());
        self.std = std.collect();
        self.sparse.extend(self.dense.iter().map(|(key, value)| (key, value.clone())));
    }

    fn iterate(&self, Partly { front, back, .. }: Partly) {
        let (front, back) = (front.get() as usize, back.get() as usize);
        let mut owned = self.dense.clone().into_iter();
        let mut std = self.std.iter();
        let n = |(key, value): (K, Value<PAD>)| (key.index(), value.n);
        let std_n = |(index, (_, n)): (&u32, &(u32, u32))| (*index, *n);
        for _ in 0..front {
            assert_eq!(owned.next().map(n), std.next().map(std_n));
        }
        for _ in 0..back {
            assert_eq!(owned.next_back().map(n), std.next_back().map(std_n));
        }
        assert_eq!(owned.len(), std.len());
        let keys = self.dense.clone().into_keys().map(|key| key.index());
        assert!(keys.eq(self.std.keys().copied()));
        let values = self.dense.clone().into_values().map(|value| value.n);
        assert!(values.eq(self.std.values().map(|(_, n)| *n)));

        let mut owned = self.sparse.clone().into_iter();
        assert_eq!(owned.by_ref().take(front).count(), self.std.len().min(front));
        drop(owned);
        assert_eq!(self.sparse.clone().into_keys().count(), self.std.len());
        assert_eq!(self.sparse.clone().into_values().count(), self.std.len());
    }
}

/// Applies an operation to an entry whose key has this value, and returns the value it has then.
fn at_entry<K: Key, const PAD: usize>(
    entry: Entry<'_, K, Value<PAD>>,
    before: Option<u32>,
    op: EntryOp,
) -> Option<u32> {
    let name = entry.key();
    match (op, entry) {
        (EntryOp::Look, Entry::Occupied(entry)) => {
            assert_eq!(Some(entry.get().n), before);
            before
        }
        (EntryOp::OrInsert(seed), entry) => {
            let n = entry.or_insert(Value::new(seed.into())).n;
            assert_eq!(n, before.unwrap_or(seed.into()));
            Some(n)
        }
        (EntryOp::OrInsertWithKey, entry) => {
            let n = entry.or_insert_with_key(|key| Value::new(key.generation())).n;
            assert_eq!(n, before.unwrap_or(name.generation()));
            Some(n)
        }
        (EntryOp::OrDefault, entry) => {
            let n = entry.or_default().n;
            assert_eq!(n, before.unwrap_or(1000));
            Some(n)
        }
        (EntryOp::Modify(by), entry) => {
            let n = entry.and_modify(|value| value.n += u32::from(by)).or_default().n;
            assert_eq!(n, before.map_or(1000, |before| before + u32::from(by)));
            Some(n)
        }
        (EntryOp::Insert(seed), Entry::Occupied(mut entry)) => {
            assert_eq!(Some(entry.insert(Value::new(seed.into())).n), before);
            entry.get_mut().n += 1;
            entry.into_mut().n += 1;
            Some(u32::from(seed) + 2)
        }
        (EntryOp::Insert(seed), Entry::Vacant(entry)) => {
            let value = entry.insert(Value::new(seed.into()));
            value.n += 2;
            Some(value.n)
        }
        (EntryOp::Remove, Entry::Occupied(entry)) => {
            assert_eq!(Some(entry.remove().n), before);
            None
        }
        (EntryOp::RemoveEntry, Entry::Occupied(entry)) => {
            let (key, value) = entry.remove_entry();
            assert_eq!((key, Some(value.n)), (name, before));
            None
        }
        (EntryOp::Look | EntryOp::Remove | EntryOp::RemoveEntry, Entry::Vacant(_)) => None,
    }
}
