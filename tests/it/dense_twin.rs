//! A `DenseSlotMap`, and a `HashMap` with a list of its keys: both must hold the same after each operation, in the same
//! order.

use crate::dense_op::{Choice, Config, Map, Op, Spend, Stored};
use crate::slot_map_op::{Make, Pick};
use stayput::{Budget, CommitAhead, ErrorKind, Key, KeyData, Layout, Release, Reuse};
use std::cmp::{Ordering, Reverse};
use std::collections::{HashMap, HashSet};
use std::mem;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::rc::Rc;

#[path = "dense_twin_access.rs"]
mod access;

/// The map, and its expected contents.
pub(crate) struct Model<K: Key, S: Stored> {
    map: Map<K, S>,
    config: Config,
    /// A token that each value has.
    token: Rc<()>,
    next_id: u32,
    ids: HashMap<K, u32>,
    /// The key of each row.
    order: Vec<K>,
    detached: Vec<K>,
    /// All keys that ever existed.
    ever: HashSet<K>,
    keys: Vec<K>,
    /// The sort order of values.
    kinds: u32,
    pass: Pass<K>,
    /// The maximum number of rows during a pass, which visits each row that it has read, even if it was removed.
    pass_rows: usize,
}

/// The state of an incremental sort.
enum Pass<K> {
    None,
    /// Started, and nothing has changed since. Holds the expected result.
    Clean(Vec<K>),
    /// Something has changed since it started.
    Touched,
}

/// The sort key of values. New values are in no particular order, and few keys differ.
fn kind(id: u32, kinds: u32) -> u32 {
    (id.wrapping_mul(0x9E37_79B1) >> 15) % kinds
}

fn kind_order(kinds: u32) -> impl Fn(u32, u32) -> Ordering + Copy {
    move |a, b| kind(a, kinds).cmp(&kind(b, kinds))
}

/// Panics after a number of calls.
struct Fuse(Option<u32>);

impl Fuse {
    fn step(&mut self) {
        match &mut self.0 {
            Some(0) => resume_unwind(Box::new(())),
            Some(left) => *left -= 1,
            None => {}
        }
    }
}

impl<K: Key, S: Stored> Model<K, S> {
    /// The maximum number of values in a run.
    const MOST: usize = 1500;

    /// Runs the operations on a fresh map, and compares after each.
    pub(crate) fn run(config: Config, ops: &[Op]) {
        let mut model = Self {
            map: Self::fresh(config),
            config,
            token: Rc::new(()),
            next_id: 0,
            ids: HashMap::new(),
            order: Vec::new(),
            detached: Vec::new(),
            ever: HashSet::new(),
            keys: Vec::new(),
            kinds: 7,
            pass: Pass::None,
            pass_rows: 0,
        };
        for op in ops {
            model.apply(*op);
            model.check();
        }
        model.apply(Op::DefragmentAll(100));
        model.check();
        let Self { map, token, .. } = model;
        drop(map);
        assert_eq!(Rc::strong_count(&token), 1, "values were lost or dropped twice");
    }

    /// The maximum length of the map.
    fn bound(config: Config) -> usize {
        let by_keys = (<K::Layout as Layout>::MAX_INDEX as usize).saturating_add(1);
        by_keys.min(config.max_len.map_or(2 * Self::MOST, usize::from))
    }

    fn fresh(config: Config) -> Map<K, S> {
        let bound = Self::bound(config);
        let mut builder = Map::<K, S>::builder()
            .max_len(bound)
            .capacity(usize::from(config.capacity).min(bound))
            .reuse(match config.reuse % 3 {
                0 => Reuse::Recent,
                1 => Reuse::Lowest,
                _ => Reuse::Rotating { min_free: (config.reuse / 3).into() },
            })
            .release(match config.release % 3 {
                0 => Release::Now,
                1 => Release::Keep,
                _ => Release::Background,
            });
        if config.is_ahead {
            builder = builder.commit_ahead(CommitAhead::Auto);
        }
        let map = builder.build();
        assert_eq!(map.max_len(), bound);
        map
    }

    fn check(&self) {
        let len = self.order.len();
        assert_eq!((self.map.len(), self.ids.len()), (len, len));
        assert_eq!(self.map.keys_as_slice(), self.order);
        let expected: Vec<u32> = self.order.iter().map(|key| self.ids[key]).collect();
        assert_eq!(S::ids(self.map.as_slice()), expected);
        for (row, key) in self.order.iter().enumerate() {
            assert_eq!(self.map.row_of(*key), Some(row));
            assert_eq!(self.map.get(*key).map(S::seen), Some(expected[row]));
        }
        for key in self.detached.iter().chain(self.keys.iter().rev().take(300)) {
            assert_eq!(self.map.contains_key(*key), self.ids.contains_key(key));
        }
        assert_eq!(Rc::strong_count(&self.token), len + 1, "values were lost or dropped twice");
        let stats = self.map.stats();
        assert_eq!((stats.live, stats.detached), (len, self.detached.len()));
        assert!(stats.capacity >= len && stats.max_len == Self::bound(self.config));
    }

    fn pick(&self, pick: Pick) -> K {
        let of = |keys: &[K], place: u16| keys.get(usize::from(place) % keys.len().max(1)).copied();
        let of = |keys: &[K], place: u16| of(keys, place).unwrap_or_else(K::null);
        let max_tag = <K::Layout as Layout>::MAX_TAG;
        match pick {
            Pick::Live(place) => of(&self.order, place),
            Pick::LiveTagged(place, tag) => {
                of(&self.order, place).data().with_tag(tag & max_tag).into()
            }
            Pick::Detached(place) => of(&self.detached, place),
            Pick::DetachedTagged(place, tag) => {
                of(&self.detached, place).data().with_tag(tag & max_tag).into()
            }
            Pick::Old(place) => of(&self.keys, place),
            Pick::Next(place) => {
                let last = of(&self.keys, place);
                let next = KeyData::from_parts(last.index(), last.generation() + 1, 0);
                next.map_or(K::null(), K::from)
            }
            Pick::Near(index, generation) => {
                KeyData::from_parts(index.into(), generation.into(), 0).map_or(K::null(), K::from)
            }
            Pick::Bits(bits) => KeyData::from_bits(bits).map_or(K::null(), K::from),
            Pick::Null(tag) => K::null().data().with_tag(tag & max_tag).into(),
        }
    }

    /// The key as the map returned it.
    fn plain(key: K) -> K {
        key.data().with_tag(0).into()
    }

    fn id_of(&self, key: K) -> Option<u32> {
        self.ids.get(&Self::plain(key)).copied()
    }

    fn next_value(&mut self) -> (u32, S::Value) {
        self.next_id += 1;
        (self.next_id, S::make(self.next_id, &self.token))
    }

    /// Records a change that may affect the order.
    fn touch(&mut self) {
        if matches!(self.pass, Pass::Clean(_)) {
            self.pass = Pass::Touched;
        }
    }

    fn note_new(&mut self, key: K, id: u32) {
        self.touch();
        assert!(self.ever.insert(key), "{key:?} came twice");
        self.keys.push(key);
        self.order.push(key);
        self.ids.insert(key, id);
    }

    fn note_gone(&mut self, key: K) -> u32 {
        self.touch();
        let row = self.order.iter().position(|other| *other == key).unwrap();
        self.order.swap_remove(row);
        self.ids.remove(&key).unwrap()
    }

    /// Asserts that the map is full: live, detached and retired slots are as many as the maximum.
    fn check_full(&self, kind: ErrorKind) {
        let stats = self.map.stats();
        assert!(matches!(kind, ErrorKind::MaxLen | ErrorKind::KeyBits), "{kind:?}");
        let used = stats.live + stats.detached + stats.retired;
        assert_eq!((stats.holes, used), (0, stats.max_len));
    }

    fn insert(&mut self) -> bool {
        if self.order.len() >= Self::MOST {
            return false;
        }
        let (id, value) = self.next_value();
        match self.map.try_insert(value) {
            Ok(key) => {
                self.note_new(key, id);
                true
            }
            Err(refused) => {
                assert_eq!(S::id(&refused.value), id);
                self.check_full(refused.error.kind());
                false
            }
        }
    }

    fn insert_with_key(&mut self, make: Make) {
        if !self.insert() {
            return;
        }
        // Now a slot is free.
        let last = self.order[self.order.len() - 1];
        self.note_gone(last);
        self.map.remove(last);
        if self.map.try_reserve(1).is_err() {
            return self.check_full(ErrorKind::MaxLen);
        }
        let (id, value) = self.next_value();
        let mut shown = None;
        let run = || {
            self.map.try_insert_with_key(|key| {
                shown = Some(key);
                match make {
                    Make::Value => Ok(value),
                    Make::Error => Err(value),
                    Make::Panic => {
                        drop(value);
                        resume_unwind(Box::new(()))
                    }
                }
            })
        };
        match catch_unwind(AssertUnwindSafe(run)) {
            Ok(Ok(key)) => {
                assert_eq!(shown, Some(key));
                self.note_new(key, id);
            }
            Ok(Err(value)) => assert_eq!(S::id(&value), id),
            Err(_) => {
                self.check();
                if self.insert() {
                    assert_eq!(self.order.last().copied(), shown);
                }
            }
        }
    }

    fn next_values(&mut self, count: usize) -> (Vec<u32>, Vec<S::Value>) {
        // Reattached ones may exceed what is inserted.
        let count = count.min(Self::MOST.saturating_sub(self.order.len()));
        (0..count).map(|_| self.next_value()).unzip()
    }

    fn grow_only(&mut self, count: usize) {
        let (ids, values) = self.next_values(count);
        let known = self.pairs();
        let Some((keys, refused)) = S::grow_only(&mut self.map, values, &known) else { return };
        self.touch();
        match refused {
            Some(kind) => self.check_full(kind),
            None => assert_eq!(keys.len(), ids.len()),
        }
        keys.into_iter().zip(ids).for_each(|(key, id)| self.note_new(key, id));
    }

    fn extend(&mut self, count: usize) {
        let (ids, values) = self.next_values(count);
        let before = self.order.len();
        if self.map.try_reserve(ids.len()).is_ok() {
            self.map.extend(values);
            let keys = self.map.keys_as_slice()[before..].to_vec();
            assert_eq!(keys.len(), ids.len());
            keys.into_iter().zip(ids).for_each(|(key, id)| self.note_new(key, id));
        }
    }

    fn insert_many(&mut self, count: usize) {
        let (ids, values) = self.next_values(count);
        let (count, mut keys) = (ids.len(), Vec::new());
        if let Err(refused) = self.map.try_insert_many(values, &mut keys) {
            let rest = refused.value.map(|value| S::id(&value));
            assert!(rest.eq(ids[keys.len()..].iter().copied()));
            self.check_full(refused.error.kind());
        } else {
            assert_eq!(keys.len(), count);
        }
        keys.into_iter().zip(ids).for_each(|(key, id)| self.note_new(key, id));
    }

    fn remove(&mut self, key: K) {
        let removed = self.map.remove(key).map(|value| S::id(&value));
        assert_eq!(removed, self.id_of(key));
        if removed.is_some() {
            self.note_gone(Self::plain(key));
        }
    }

    fn reattach(&mut self, key: K) {
        let (id, value) = self.next_value();
        let at = self.detached.iter().position(|other| *other == Self::plain(key));
        match (self.map.try_reattach(key, value), at) {
            (Ok(()), Some(at)) => {
                let key = self.detached.swap_remove(at);
                self.touch();
                self.order.push(key);
                self.ids.insert(key, id);
            }
            (Err(value), None) => assert_eq!(S::id(&value), id),
            (result, at) => panic!("{key:?}: {} {at:?}", result.is_ok()),
        }
    }

    fn forget_all(&mut self) {
        self.touch();
        self.order.clear();
        self.ids.clear();
    }

    fn apply(&mut self, op: Op) {
        match op {
            Op::Insert => _ = self.insert(),
            Op::InsertWithKey(make) => self.insert_with_key(make),
            Op::InsertMany(count) => self.insert_many((count % 20).into()),
            Op::InsertMore(count) => self.insert_many(usize::from(count) * 3),
            Op::GrowOnly(count) => self.grow_only((count % 20).into()),
            Op::Extend(count) => self.extend((count % 20).into()),
            Op::Collect(count) => {
                let (ids, values) = self.next_values((count % 20).into());
                let map: Map<K, S> = values.into_iter().collect();
                assert_eq!((map.keys_as_slice().len(), S::ids(map.as_slice())), (ids.len(), ids));
            }
            Op::Remove(pick) => self.remove(self.pick(pick)),
            Op::RemoveMany(picks) => {
                let keys = picks.map(|pick| self.pick(pick));
                let before = self.order.len();
                let removed = self.map.remove_many(keys);
                for key in keys.map(Self::plain) {
                    if self.ids.contains_key(&key) {
                        self.note_gone(key);
                    }
                }
                assert_eq!(removed, before - self.order.len());
            }
            Op::RemoveSpan(first, count) => {
                let first = usize::from(first) % self.order.len().max(1);
                let keys: Vec<K> =
                    self.order.iter().skip(first).take(count.into()).copied().collect();
                for key in keys {
                    self.remove(key);
                }
            }
            Op::Churn(times) => {
                for _ in 0..times {
                    if self.insert() {
                        self.remove(self.order[self.order.len() - 1]);
                    }
                }
            }
            Op::Detach(pick) => {
                let key = self.pick(pick);
                assert_eq!(self.map.detach(key).map(|value| S::id(&value)), self.id_of(key));
                if self.id_of(key).is_some() {
                    self.note_gone(Self::plain(key));
                    self.detached.push(Self::plain(key));
                }
            }
            Op::Reattach(pick) => self.reattach(self.pick(pick)),
            Op::Retain(choice) => self.retain(choice),
            Op::ExtractIf(choice, most) => self.extract(choice, most.into()),
            Op::Drain(most, forget) => self.drain(most.into(), forget),
            Op::Clear => {
                self.map.clear();
                self.forget_all();
            }
            Op::Reset => {
                self.map.reset();
                self.forget_all();
                self.detached.clear();
                self.ever.clear();
                self.keys.clear();
            }
            Op::Sort(_)
            | Op::SortById
            | Op::Defragment(..)
            | Op::DefragmentAll(_)
            | Op::ForgetOrder(_) => self.bring_into_order(op),
            _ => self.look(op),
        }
    }

    fn retain(&mut self, choice: Choice) {
        let (mut fuse, mut seen) = (Fuse(choice.panics_after.map(u32::from)), Vec::new());
        let run = || {
            S::retain(&mut self.map, |key, id| {
                fuse.step();
                seen.push((key, id));
                choice.names(id)
            });
        };
        let panicked = catch_unwind(AssertUnwindSafe(run)).is_err();
        self.touch();
        let mut seen = seen.into_iter();
        let mut row = 0;
        while row < self.order.len() {
            let key = self.order[row];
            let Some(this) = seen.next() else {
                return assert!(panicked);
            };
            assert_eq!(this, (key, self.ids[&key]));
            if choice.names(this.1) {
                row += 1;
            } else {
                self.note_gone(key);
            }
        }
        assert_eq!(seen.len(), 0);
    }

    fn extract(&mut self, choice: Choice, most: usize) {
        let mut fuse = Fuse(choice.panics_after.map(u32::from));
        let mut taken = Vec::new();
        let mut names = |key, id| {
            fuse.step();
            if choice.names(id) {
                taken.push((key, id));
            }
            choice.names(id)
        };
        let run = || S::extract(&mut self.map, &mut names, most);
        match catch_unwind(AssertUnwindSafe(run)) {
            Ok(None) => return,
            Ok(Some(found)) => {
                assert!(found.iter().map(|(key, value)| (*key, S::id(value))).eq(taken.clone()));
                assert!(found.len() <= most);
            }
            Err(_) => assert!(choice.panics_after.is_some()),
        }
        self.touch();
        for (key, id) in taken {
            assert_eq!(self.note_gone(key), id);
        }
    }

    fn drain(&mut self, most: usize, forget: bool) {
        let mut all = self.map.drain();
        for _ in 0..most {
            assert_eq!(all.size_hint(), (self.order.len(), Some(self.order.len())));
            let expected = self.order.pop().map(|key| (key, self.ids.remove(&key).unwrap()));
            assert_eq!(all.next().map(|(key, value)| (key, S::id(&value))), expected);
        }
        if forget {
            mem::forget(all);
            self.touch();
        } else {
            drop(all);
            self.forget_all();
        }
    }

    fn bring_into_order(&mut self, op: Op) {
        match op {
            Op::Sort(panics_after) => {
                let mut fuse = Fuse(panics_after.map(u32::from));
                let order = kind_order(self.kinds);
                let compare = |a, b| {
                    fuse.step();
                    order(b, a)
                };
                let run = || S::sort(&mut self.map, compare);
                match catch_unwind(AssertUnwindSafe(run)) {
                    Ok(()) => {
                        let of = |key: &K| kind(self.ids[key], self.kinds);
                        self.order.sort_by_key(|key| Reverse(of(key)));
                        self.pass = Pass::None;
                    }
                    Err(_) => assert!(panics_after.is_some()),
                }
            }
            Op::SortById => {
                if S::sort_by_id(&mut self.map) {
                    self.order.sort_by_key(|key| self.ids[key]);
                    self.pass = Pass::None;
                }
            }
            Op::Defragment(spend, panics_after) => _ = self.defragment(spend, panics_after),
            Op::DefragmentAll(swaps) => {
                let mut calls = 0;
                while !self.defragment(Spend::Swaps(swaps.max(20)), None) {
                    calls += 1;
                    assert!(calls < 2 * self.pass_rows + 2, "it does not end");
                }
            }
            Op::ForgetOrder(kinds) => {
                self.map.forget_order();
                self.pass = Pass::None;
                self.kinds = u32::from(kinds) + 1;
            }
            _ => unreachable!("done elsewhere"),
        }
    }

    /// All keys, in the order of a stable sort.
    fn sorted(&self) -> Vec<K> {
        let mut order = self.order.clone();
        order.sort_by_key(|key| kind(self.ids[key], self.kinds));
        order
    }

    fn defragment(&mut self, spend: Spend, panics_after: Option<u8>) -> bool {
        if matches!(self.pass, Pass::None) {
            self.pass = Pass::Clean(self.sorted());
            self.pass_rows = 0;
        }
        self.pass_rows = self.pass_rows.max(self.order.len());
        let budget = match spend {
            Spend::Swaps(swaps) => Budget::swaps((swaps / 4).into()),
            Spend::Bytes(bytes) => Budget::bytes(bytes.into()),
            Spend::All => Budget::UNLIMITED,
        };
        let (mut fuse, mut compared) = (Fuse(panics_after.map(u32::from)), 0);
        let order = kind_order(self.kinds);
        let compare = |a, b| {
            fuse.step();
            compared += 1;
            order(a, b)
        };
        let run = || S::defragment(&mut self.map, compare, budget);
        let done = catch_unwind(AssertUnwindSafe(run));
        // Values are where their keys say, and the keys are unchanged.
        let before = mem::replace(&mut self.order, self.map.keys_as_slice().to_vec());
        let moved = before.iter().zip(&self.order).filter(|(a, b)| a != b).count();
        if let Spend::Swaps(swaps) = spend {
            assert!(moved <= 2 * usize::from(swaps / 4));
            assert!(compared <= 8 * u32::from(swaps / 4));
        }
        let is_done = done.unwrap_or_else(|_| {
            assert!(panics_after.is_some());
            false
        });
        if is_done {
            match mem::replace(&mut self.pass, Pass::None) {
                Pass::Clean(expected) => assert_eq!(self.order, expected),
                Pass::Touched => assert_eq!(self.order, self.sorted()),
                Pass::None => unreachable!("it was begun"),
            }
        }
        is_done
    }
}
