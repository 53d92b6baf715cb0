//! Joins of maps, after any operations and with any iteration, compared with ordered maps of std. Shared by the model
//! test, that of parallel joins and the fuzz target `joins_model`.

use stayput::{Budget, DefaultKey, Key, KeyData, SecondaryMap, SlotMap};
use std::collections::{BTreeMap, HashSet};
use std::fmt::Debug;
use std::{iter, mem};

/// The values: numbers, in slots of several kinds.
pub(crate) trait Value: Copy + Debug + Send + Sync + 'static {
    fn of(number: u32) -> Self;
    fn number(self) -> u32;
}

/// For these, many states are checked at once.
impl Value for u32 {
    fn of(number: u32) -> Self {
        number
    }

    fn number(self) -> u32 {
        self
    }
}

impl Value for [u32; 9] {
    fn of(number: u32) -> Self {
        [number; 9]
    }

    fn number(self) -> u32 {
        assert!(self.iter().all(|part| *part == self[0]), "{self:?} was torn");
        self[0]
    }
}

#[derive(Clone, Copy, Debug)]
#[repr(align(128))]
pub(crate) struct Aligned(u8);

impl Value for Aligned {
    fn of(number: u32) -> Self {
        Self(number.to_le_bytes()[0])
    }

    fn number(self) -> u32 {
        self.0.into()
    }
}

impl Value for () {
    fn of(_: u32) -> Self {}

    fn number(self) -> u32 {
        0
    }
}

arbitrary! {
    pub(crate) enum Op {
        Insert(u16),
        Remove(u16),
        /// Every `n`th slot of a run.
        RemoveRun(u16, u16, u8),
        Detach(u16),
        Reattach(u16),
        Invalidate(u16),
        InsertAt(u16, u8),
        ExtractIf(u8, u8),
        /// Ends after a number of values: it is dropped, which removes the rest, or leaked.
        Drain(u8, bool),
        Clear,
        Reset,
        Trim,
        Compact,
        CompactWithin(u16),
        /// Clones take the places of the maps.
        Clone,
        /// Into one of the maps, under the key of a value or an older one.
        Put(bool, u16),
        PutAll(bool, u8),
        PutOld(bool, u16),
        /// At a slot that may not exist.
        PutAt(bool, u16, u8),
        Take(bool, u16),
        TakeRun(bool, u16, u16, u8),
        Retain(bool, u8),
        DrainSecond(bool, u8, bool),
        ClearSecond(bool),
        ShrinkSecond(bool),
    }
}

type Model = BTreeMap<DefaultKey, u32>;

/// A map and two secondary maps, and their expected contents.
pub(crate) struct World<V, W> {
    pub(crate) map: SlotMap<DefaultKey, V>,
    pub(crate) seconds: [SecondaryMap<DefaultKey, W>; 2],
    values: Model,
    beside: [Model; 2],
    detached: Vec<DefaultKey>,
    /// All keys that the map has created or accepted.
    made: HashSet<DefaultKey>,
    old: Vec<DefaultKey>,
    /// The number of the next value.
    next: u32,
}

fn key(index: u16, generation: u8) -> DefaultKey {
    let (index, generation) = (u32::from(index) % 3000, u32::from(generation) + 1);
    KeyData::from_parts(index, generation, 0).expect("it fits").into()
}

fn pick(model: &Model, which: u16) -> Option<DefaultKey> {
    model.keys().nth(usize::from(which) % model.len().max(1)).copied()
}

/// The key in a slot.
fn at_index(model: &Model, index: u32) -> Option<DefaultKey> {
    let first: DefaultKey = KeyData::from_parts(index, 1, 0)?.into();
    model.range(first..).next().map(|(key, _)| *key).filter(|key| key.index() == index)
}

/// Checks the first values of a drain, and removes them from the model.
fn drained<V: Value>(values: impl Iterator<Item = (DefaultKey, V)>, model: &mut Model) {
    for (key, value) in values {
        assert_eq!(model.pop_first(), Some((key, value.number())));
    }
}

/// The keys in a run of slots, every `step + 1`.
fn run_of(model: &Model, from: u16, len: u16, step: u8) -> Vec<DefaultKey> {
    let first = u32::from(from) % 3000;
    let run = first..first + u32::from(len) % 1000;
    let in_run = model.keys().filter(|key| run.contains(&key.index()));
    in_run.copied().step_by(usize::from(step % 4) + 1).collect()
}

impl<V: Value, W: Value> World<V, W> {
    pub(crate) fn after(ops: &[Op]) -> Self {
        let mut world = Self {
            map: SlotMap::new(),
            seconds: [SecondaryMap::new(), SecondaryMap::new()],
            values: Model::new(),
            beside: [Model::new(), Model::new()],
            detached: Vec::new(),
            made: HashSet::new(),
            old: Vec::new(),
            next: 0,
        };
        for op in ops {
            world.run(*op);
        }
        world
    }

    /// The most values in the map.
    const MOST: usize = 10_000;

    /// A number and the value made from it.
    fn number<T: Value>(&mut self) -> (u32, T) {
        self.next += 1;
        let value = T::of(self.next % 200);
        (value.number(), value)
    }

    fn note(&mut self, key: DefaultKey, number: u32) {
        assert!(self.made.insert(key), "{key:?} was there before");
        self.old.push(key);
        assert_eq!(self.values.insert(key, number), None);
    }

    fn remove(&mut self, key: DefaultKey) {
        let removed = self.map.remove(key).map(Value::number);
        assert_eq!(removed, self.values.remove(&key));
    }

    fn move_all(&mut self, moves: Vec<(DefaultKey, DefaultKey)>) {
        for (old, new) in moves {
            let number = self.values.remove(&old).expect("what moves is there");
            self.note(new, number);
        }
    }

    fn put(&mut self, which: bool, key: DefaultKey) {
        let (number, value) = self.number();
        let which = usize::from(which);
        let model = &mut self.beside[which];
        let there = at_index(model, key.index());
        let is_put = self.seconds[which].try_insert(key, value).is_ok();
        assert_eq!(is_put, there.is_none_or(|there| there <= key));
        if is_put {
            there.and_then(|there| model.remove(&there));
            model.insert(key, number);
        }
    }

    fn take(&mut self, which: bool, key: DefaultKey) {
        let which = usize::from(which);
        let taken = self.seconds[which].remove(key).map(Value::number);
        assert_eq!(taken, self.beside[which].remove(&key));
    }

    fn run(&mut self, op: Op) {
        match op {
            Op::Insert(count) => {
                let room = Self::MOST - self.values.len().min(Self::MOST);
                for _ in 0..usize::from(count % 300).min(room) {
                    let (number, value) = self.number();
                    let key = self.map.insert(value);
                    self.note(key, number);
                }
            }
            Op::Remove(which) => {
                if let Some(key) = pick(&self.values, which) {
                    self.remove(key);
                }
            }
            Op::RemoveRun(from, len, step) => {
                let keys = run_of(&self.values, from, len, step);
                assert_eq!(self.map.remove_many(keys.iter().copied()), keys.len());
                for key in keys {
                    self.values.remove(&key);
                }
            }
            Op::Detach(which) => {
                if let Some(key) = pick(&self.values, which) {
                    assert!(self.map.detach(key).is_some());
                    self.values.remove(&key);
                    self.detached.push(key);
                }
            }
            Op::Reattach(which) => {
                if !self.detached.is_empty() {
                    let key = self.detached.swap_remove(usize::from(which) % self.detached.len());
                    let (number, value) = self.number();
                    self.map.reattach(key, value);
                    self.values.insert(key, number);
                }
            }
            Op::Invalidate(which) => {
                if let Some(old) = pick(&self.values, which) {
                    let new = self.map.invalidate(old).expect("it is there");
                    let number = self.values.remove(&old).expect("it was picked");
                    self.note(new, number);
                }
            }
            Op::InsertAt(index, generation) => {
                let key = key(index, generation);
                let (number, value) = self.number();
                if self.map.try_insert_at(key, value).is_ok() {
                    self.note(key, number);
                }
            }
            Op::ExtractIf(step, most) => {
                let is_chosen = |key: DefaultKey| key.index() % (u32::from(step % 9) + 2) == 0;
                let chosen = self.map.extract_if(|key, _| is_chosen(key)).take(most.into());
                for (key, value) in chosen {
                    assert!(is_chosen(key));
                    assert_eq!(self.values.remove(&key), Some(value.number()));
                }
            }
            Op::Drain(most, is_leaked) => {
                let mut drain = self.map.drain();
                drained(drain.by_ref().take(most.into()), &mut self.values);
                if is_leaked {
                    mem::forget(drain);
                } else {
                    self.values.clear();
                }
            }
            Op::Clear => {
                self.map.clear();
                self.values.clear();
            }
            Op::Reset => {
                self.map.reset();
                self.values.clear();
                self.detached.clear();
                self.made.clear();
            }
            Op::Trim => self.map.trim(),
            Op::Compact => {
                let mut moves = Vec::new();
                self.map.compact(|old, new| moves.push((old, new)));
                self.move_all(moves);
            }
            Op::CompactWithin(bytes) => {
                let mut moves = Vec::new();
                let budget = Budget::bytes(bytes.into());
                let _ = self.map.compact_within(budget, |old, new| moves.push((old, new)));
                self.move_all(moves);
            }
            Op::Clone => {
                self.map = self.map.clone();
                self.seconds = self.seconds.clone();
            }
            _ => self.run_beside(op),
        }
    }

    /// Runs an operation on a secondary map.
    fn run_beside(&mut self, op: Op) {
        match op {
            Op::Put(which, of) => {
                if let Some(key) = pick(&self.values, of) {
                    self.put(which, key);
                }
            }
            Op::PutAll(which, step) => {
                let step = usize::from(step % 5) + 1;
                let keys: Vec<_> = self.values.keys().copied().step_by(step).collect();
                for key in keys {
                    self.put(which, key);
                }
            }
            Op::PutOld(which, of) => {
                if let Some(key) = self.old.get(usize::from(of) % self.old.len().max(1)) {
                    self.put(which, *key);
                }
            }
            Op::PutAt(which, index, generation) => self.put(which, key(index, generation % 4)),
            Op::Take(which, of) => {
                if let Some(key) = pick(&self.beside[usize::from(which)], of) {
                    self.take(which, key);
                }
            }
            Op::TakeRun(which, from, len, step) => {
                let keys = run_of(&self.beside[usize::from(which)], from, len, step);
                for key in keys {
                    self.take(which, key);
                }
            }
            Op::Retain(which, step) => {
                let is_kept = |key: DefaultKey| key.index() % (u32::from(step % 9) + 2) == 0;
                self.seconds[usize::from(which)].retain(|key, _| is_kept(key));
                self.beside[usize::from(which)].retain(|key, _| is_kept(*key));
            }
            Op::DrainSecond(which, most, is_leaked) => {
                let model = &mut self.beside[usize::from(which)];
                let mut drain = self.seconds[usize::from(which)].drain();
                drained(drain.by_ref().take(most.into()), model);
                if is_leaked {
                    mem::forget(drain);
                } else {
                    model.clear();
                }
            }
            Op::ClearSecond(which) => {
                self.seconds[usize::from(which)].clear();
                self.beside[usize::from(which)].clear();
            }
            Op::ShrinkSecond(which) => self.seconds[usize::from(which)].shrink_to_fit(),
            _ => unreachable!("the map's own operations were run before"),
        }
    }

    /// The keys and values in all three maps, in the order of keys.
    pub(crate) fn expected(&self) -> Vec<(DefaultKey, u32, u32, u32)> {
        let [one, other] = &self.beside;
        let all =
            self.values.iter().map(|(key, a)| Some((*key, *a, *one.get(key)?, *other.get(key)?)));
        all.flatten().collect()
    }

    /// The keys and values in the map and in the first secondary map.
    pub(crate) fn expected_of_first(&self) -> Vec<(DefaultKey, u32, u32)> {
        let pairs = self.values.iter().map(|(key, a)| Some((*key, *a, *self.beside[0].get(key)?)));
        pairs.flatten().collect()
    }

    /// Asserts that each map has its expected contents.
    pub(crate) fn check(&self) {
        assert!(self.map.iter().map(|(key, value)| (key, value.number())).eq(owned(&self.values)));
        for (second, model) in self.seconds.iter().zip(&self.beside) {
            assert!(second.iter().map(|(key, value)| (key, value.number())).eq(owned(model)));
            assert_eq!(second.len(), model.len());
        }
        assert!(
            self.old
                .iter()
                .all(|key| { self.map.contains_key(*key) == self.values.contains_key(key) })
        );
    }
}

fn owned(model: &Model) -> impl Iterator<Item = (DefaultKey, u32)> {
    model.iter().map(|(key, number)| (*key, *number))
}

/// From which ends items are taken: the low `count` bits, of which set ones are the front.
pub(crate) fn ends_of(bits: u128, count: u8) -> Vec<bool> {
    (0..count % 128).map(|n| bits >> n & 1 == 1).collect()
}

/// Takes items from either end, as `ends` says, and the rest by a fold, in the order of keys.
fn all_of<I: DoubleEndedIterator>(mut items: I, ends: &[bool]) -> Vec<I::Item> {
    let (mut front, mut back) = (Vec::new(), Vec::new());
    for is_front in ends {
        let left = items.size_hint().1.expect("there is a bound");
        let item = if *is_front { items.next() } else { items.next_back() };
        assert!(item.is_none() || left > 0, "more came than there could be");
        let end = if *is_front { &mut front } else { &mut back };
        end.extend(item);
    }
    items.fold((), |(), item| front.push(item));
    front.extend(back.into_iter().rev());
    front
}

/// One at a time, to the end and past it.
fn each_of<I: Iterator>(mut items: I) -> Vec<I::Item> {
    let all: Vec<_> = iter::from_fn(|| items.next()).collect();
    assert!(items.next().is_none());
    all
}

/// Panics if two of these are at one address.
fn assert_apart<T>(references: &[&mut T]) {
    let places: HashSet<_> = references.iter().map(|at| std::ptr::from_ref(&**at)).collect();
    assert_eq!(places.len(), references.len());
}

/// Compares the joins after these operations with the models.
pub(crate) fn check<V: Value, W: Value>(ops: &[Op], ends: &[bool]) {
    let mut world = World::<V, W>::after(ops);
    world.check();
    let (pairs, triples) = (world.expected_of_first(), world.expected());
    let World { map, seconds: [one, other], values, beside, .. } = &mut world;
    let pair = |(key, a, b): (DefaultKey, &V, &W)| (key, a.number(), b.number());
    let triple =
        |(key, a, (b, c)): (DefaultKey, &V, (&W, &W))| (key, a.number(), b.number(), c.number());

    assert!(all_of(map.join(&*one), ends).into_iter().map(pair).eq(pairs.iter().copied()));
    assert!(each_of(map.join(&*one)).into_iter().map(pair).eq(pairs.iter().copied()));
    let turned = all_of(one.join(&*map), ends).into_iter().map(|(key, b, a)| pair((key, a, b)));
    assert!(turned.eq(pairs.iter().copied()));
    let both = all_of(map.join((&*one, &*other)), ends);
    assert!(both.into_iter().map(triple).eq(triples.iter().copied()));
    // A clone with the remaining items.
    let mut rest = map.join(&*one);
    let taken = (rest.next().map(pair), rest.next_back().map(pair));
    assert_eq!(taken.0, pairs.first().copied());
    assert_eq!(taken.1, pairs.get(1..).and_then(<[_]>::last).copied());
    let left = pairs.get(1..(pairs.len().max(1) - 1).max(1)).unwrap_or_default();
    assert!(rest.clone().map(pair).eq(left.iter().copied()));
    assert!(rest.map(pair).eq(left.iter().copied()));
    // Maps of the same kind, maps used repeatedly, and nested tuples.
    let same = one.join(&*one).filter(|(_, a, b)| std::ptr::eq(*a, *b));
    assert_eq!(same.count(), one.len());
    let nested = map.join(((&*one, &*map), (&*other, (&*one, &*one))));
    let nested = nested.map(|(key, a, ((b, same), (c, _)))| {
        assert!(std::ptr::eq(a, same));
        triple((key, a, (b, c)))
    });
    assert!(all_of(nested, ends).into_iter().eq(triples.iter().copied()));

    // All references are alive at once.
    let mut held = all_of(map.join_mut((&mut *one, &mut *other)), ends);
    assert_eq!(held.len(), triples.len());
    for (key, a, (b, c)) in &mut held {
        let numbers = (*key, a.number(), b.number(), c.number());
        assert!(triples.binary_search(&numbers).is_ok());
        (**a, **b, **c) = (V::of(7), W::of(8), W::of(9));
    }
    if size_of::<V>() > 0 && size_of::<W>() > 0 {
        let (mut all, mut beside) = (Vec::new(), Vec::new());
        for (_, a, (b, c)) in held {
            all.push(a);
            beside.extend([b, c]);
        }
        assert_apart(&all);
        assert_apart(&beside);
    }
    let changed = triples
        .iter()
        .map(|(key, ..)| (*key, V::of(7).number(), W::of(8).number(), W::of(9).number()));
    let both = all_of(other.join_mut((&mut *map, &mut *one)), ends);
    let both = both.into_iter().map(|(key, c, (a, b))| triple((key, a, (b, c))));
    assert!(both.eq(changed));
    // Some maps by mutable reference, from the back.
    for (_, a, (b, c)) in map.join((&mut *one, &*other)).rev() {
        assert_eq!((a.number(), c.number()), (V::of(7).number(), W::of(9).number()));
        *b = W::of(b.number() + 2);
    }
    let of_all: HashSet<_> = triples.iter().map(|(key, ..)| *key).collect();
    for (key, value) in map.iter() {
        let number = if of_all.contains(&key) { V::of(7).number() } else { values[&key] };
        assert_eq!(value.number(), number);
    }
    for (key, value) in one.iter() {
        let is_changed = of_all.contains(&key);
        let number =
            if is_changed { W::of(W::of(8).number() + 2).number() } else { beside[0][&key] };
        assert_eq!(value.number(), number);
    }
}
