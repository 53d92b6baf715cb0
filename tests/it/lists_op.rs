//! Operations on a `ListPool` or `SecondaryLists`, and a model of it, shared by the model test and the fuzz target
//! `lists_model`.

use crate::lists_pool::{Item, Pool};
use stayput::list_pool::{ListHandle, ListMut};
use stayput::{Budget, DefaultKey, ErrorKind, Key, KeyData, SlotMap};
use std::collections::BTreeMap;
use std::mem;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};

arbitrary! {
    /// How the pool is made.
    pub(crate) enum Config {
        Default,
        Builder,
        MaxLen(u16),
        Ahead,
    }

    /// What is done with one list.
    pub(crate) enum ListOp {
        Push,
        Extend(u8),
        ExtendMuch(u16),
        ExtendFromSlice(u8),
        Pop,
        PopIf,
        Insert(u8),
        Remove(u8),
        SwapRemove(u8),
        Truncate(u8),
        Clear,
        Retain(u8),
        RetainMut(u8),
        Dedup,
        DedupBy(u8),
        DedupByKey,
        Drain(u8, u8),
        ExtractIf(u8, u8),
        Set(u8, u8),
        Reserve(u8),
        Sort,
        /// Leaks the elements.
        Forget,
        /// Leaks a drain, and with it elements.
        ForgetDrain(u8),
        ForgetExtractIf(u8, u8),
    }

    pub(crate) enum Op {
        Insert(u8),
        InsertList(u8),
        /// Elements of which one panics.
        InsertPanic(u8, u8),
        InsertOwned(u8),
        RemoveOwned(u8),
        LeakHandle(u8),
        Remove(u8),
        /// The list of a newer key, which may have the same index.
        Renew(u8),
        EntryOfStale(u8),
        List(u8, ListOp),
        Again(u8, ListOp),
        RemoveStale(u8),
        Retain(u8),
        Change(u8),
        /// Some lists one by one, and the others together.
        ChangeSome(u8, u8),
        Index(u8, u8),
        Compact,
        CompactWithin(u16),
        Shrink,
        ShrinkWithin(u16),
        Reserve(u16),
        Prefault(u16),
        PrefaultAhead(u16),
        Clear,
        Clone,
    }
}

/// A pool and what it should hold.
pub(crate) struct Model<T, P> {
    pool: P,
    /// The keys of secondary lists.
    keys: SlotMap<DefaultKey, ()>,
    lists: BTreeMap<DefaultKey, Vec<T>>,
    stale: Vec<DefaultKey>,
    handles: Vec<ListHandle>,
    /// The number of handles that were not given back.
    owned: usize,
    next: u32,
    max_len: usize,
}

impl<T: Item, P: Pool<T>> Model<T, P> {
    /// The most elements in a run.
    const MOST: usize = 20_000;

    pub(crate) fn run(config: Config, ops: &[Op]) {
        let pool = P::made(config);
        let max_len =
            if let Config::MaxLen(_) = config { pool.stats().max_len } else { usize::MAX };
        let (lists, keys) = (BTreeMap::new(), SlotMap::new());
        let (stale, handles) = (Vec::new(), Vec::new());
        let mut model = Self { pool, keys, lists, stale, handles, owned: 0, next: 0, max_len };
        for op in ops {
            model.apply(*op);
            model.check();
        }
        model.handles.into_iter().for_each(|handle| _ = handle.leak());
    }

    /// Adds an empty list. A list of an older key with the same index is dropped.
    fn add(&mut self) -> DefaultKey {
        let key = self.pool.add(&mut self.keys);
        let older = self.lists.keys().find(|older| older.index() == key.index()).copied();
        if let Some(older) = older {
            self.lists.remove(&older);
            self.stale.push(older);
        }
        assert!(self.lists.insert(key, Vec::new()).is_none(), "the key is new");
        key
    }

    fn note(&mut self, key: DefaultKey, elements: Vec<T>) {
        assert!(self.lists.insert(key, elements).is_none(), "the key is new");
    }

    fn forget(&mut self, key: DefaultKey) {
        self.lists.remove(&key);
        self.keys.remove(key);
        self.stale.push(key);
    }

    fn made(&mut self, count: usize) -> Vec<T> {
        let first = self.next;
        self.next += u32::try_from(count).expect("there are few");
        // Some are equal, next to each other.
        (first..self.next).map(|n| T::make(n / 3)).collect()
    }

    fn pick(&self, pick: u8) -> Option<DefaultKey> {
        let nth = usize::from(pick).checked_rem(self.lists.len())?;
        self.lists.keys().nth(nth).copied()
    }

    fn apply(&mut self, op: Op) {
        match op {
            Op::Insert(count) => {
                let elements = self.made(usize::from(count) % 20);
                let key = self.add();
                let mut kept = elements.clone();
                let mut list = self.pool.get_mut(key).expect("it was just inserted");
                if let Err(refused) = list.try_extend(elements) {
                    assert!(self.max_len < usize::MAX, "{}", refused.error);
                    let left: Vec<T> = refused.value.collect();
                    assert!(kept.ends_with(&left), "the rest is returned");
                    kept.truncate(kept.len() - left.len());
                }
                self.lists.insert(key, kept);
            }
            Op::Remove(pick) => {
                let Some(key) = self.pick(pick) else { return };
                assert!(self.pool.remove_list(key));
                self.forget(key);
            }
            Op::List(pick, op) | Op::Again(pick, op) => {
                let Some(key) = self.pick(pick) else { return };
                self.change(key, op);
            }
            Op::RemoveStale(pick) => {
                let Some(nth) = usize::from(pick).checked_rem(self.stale.len()) else { return };
                let key = self.stale[nth];
                assert!(!self.pool.contains_key(key) && self.pool.get(key).is_none());
                assert!(self.pool.get_mut(key).is_none() && !self.pool.remove_list(key));
            }
            Op::Retain(n) => {
                let keep = |elements: &[T]| elements.len() % 4 != usize::from(n) % 4;
                self.pool.retain(|_, elements| {
                    elements.reverse();
                    keep(elements)
                });
                self.lists.values_mut().for_each(|elements| elements.reverse());
                let stale = self.lists.iter().filter(|(_, elements)| !keep(elements));
                self.stale.extend(stale.map(|(key, _)| *key));
                self.lists.retain(|_, elements| keep(elements));
            }
            Op::Change(n) => {
                let change = |elements: &mut [T]| elements.fill(T::make(n.into()));
                self.pool.values_mut().for_each(change);
                self.lists.values_mut().for_each(|elements| change(elements));
            }
            Op::ChangeSome(count, n) => {
                let change = |elements: &mut [T]| elements.fill(T::make(n.into()));
                let mut lists = self.pool.iter_mut();
                assert_eq!(lists.len(), self.lists.len());
                for (key, elements) in lists.by_ref().take(count.into()) {
                    assert_eq!(elements, self.lists[&key]);
                    change(elements);
                }
                lists.for_each(|(_, elements)| change(elements));
                self.lists.values_mut().for_each(|elements| change(elements));
            }
            Op::Index(pick, n) => {
                let Some(key) = self.pick(pick) else { return };
                let list = self.lists.get_mut(&key).expect("it was picked");
                assert_eq!(self.pool[key], list[..]);
                if let Some(last) = list.last_mut() {
                    *self.pool[key].last_mut().expect("it has as many") = T::make(n.into());
                    *last = T::make(n.into());
                }
            }
            Op::InsertList(_)
            | Op::InsertPanic(..)
            | Op::InsertOwned(_)
            | Op::RemoveOwned(_)
            | Op::LeakHandle(_)
            | Op::Renew(_)
            | Op::EntryOfStale(_) => self.apply_to_keys(op),
            _ => self.apply_to_memory(op),
        }
    }

    fn apply_to_keys(&mut self, op: Op) {
        match op {
            // These panic if memory is refused.
            Op::InsertList(_) | Op::InsertPanic(..) | Op::InsertOwned(_)
                if self.max_len < usize::MAX => {}
            Op::InsertList(count) => {
                let elements = self.made(usize::from(count) % 20);
                if let Some(key) = self.pool.insert_list(elements.clone()) {
                    self.note(key, elements);
                }
            }
            Op::InsertPanic(count, after) => {
                let elements = self.made(usize::from(count) % 20);
                let (len, after) = (elements.len(), usize::from(after) % 20);
                let elements = elements.into_iter().enumerate().map(|(n, element)| {
                    if n == after {
                        resume_unwind(Box::new(()));
                    }
                    element
                });
                let kept: Vec<T> =
                    if after < len { Vec::new() } else { elements.clone().collect() };
                let run = || self.pool.insert_list(elements);
                let inserted = catch_unwind(AssertUnwindSafe(run));
                if let Ok(Some(key)) = inserted {
                    assert!(after >= len);
                    self.note(key, kept);
                }
            }
            Op::InsertOwned(count) => {
                let elements = self.made(usize::from(count) % 20);
                if let Some(handle) = self.pool.insert_owned(elements.clone()) {
                    self.note(handle.key(), elements);
                    self.handles.push(handle);
                    self.owned += 1;
                }
            }
            Op::RemoveOwned(pick) => {
                let Some(handle) = self.pick_handle(pick) else { return };
                let key = handle.key();
                assert_eq!(self.pool.remove_owned(handle), self.lists.contains_key(&key));
                self.owned = self.owned.saturating_sub(1);
                self.forget(key);
            }
            Op::LeakHandle(pick) => {
                let Some(handle) = self.pick_handle(pick) else { return };
                assert_eq!(handle.key(), handle.leak());
            }
            Op::Renew(pick) => {
                let Some(key) = self.pick(pick) else { return };
                self.keys.remove(key);
                self.add();
            }
            Op::EntryOfStale(pick) => {
                let Some(nth) = usize::from(pick).checked_rem(self.stale.len()) else { return };
                let key = self.stale[nth];
                let other = self.lists.keys().find(|other| other.index() == key.index()).copied();
                let is_older = other.is_some_and(|other| other.generation() > key.generation());
                match self.pool.entry(key) {
                    Some(Err(error)) => {
                        assert_eq!((error.kind(), is_older), (ErrorKind::StaleKey, true));
                    }
                    Some(Ok(len)) => {
                        assert_eq!((len, is_older), (0, false));
                        if let Some(other) = other {
                            self.lists.remove(&other);
                            self.stale.push(other);
                        }
                        self.stale.retain(|stale| *stale != key);
                        self.note(key, Vec::new());
                    }
                    None => {}
                }
            }
            _ => unreachable!("done elsewhere"),
        }
    }

    fn pick_handle(&mut self, pick: u8) -> Option<ListHandle> {
        let nth = usize::from(pick).checked_rem(self.handles.len())?;
        Some(self.handles.swap_remove(nth))
    }

    fn apply_to_memory(&mut self, op: Op) {
        match op {
            Op::Compact => {
                self.pool.compact();
                if self.max_len == usize::MAX {
                    assert_eq!(self.pool.stats().spare, 0);
                }
            }
            Op::CompactWithin(bytes) => {
                let _ = self.pool.compact_within(Budget::bytes(bytes.into()));
            }
            Op::Shrink => self.pool.try_shrink_to_fit().expect("there is memory"),
            Op::ShrinkWithin(bytes) => {
                let _ = self.pool.shrink_to_fit_within(Budget::bytes(bytes.into()));
            }
            Op::Prefault(additional) => {
                let _ = self.pool.try_prefault(additional.into());
            }
            Op::Reserve(additional) => {
                let _ = self.pool.try_reserve(additional.into());
            }
            Op::PrefaultAhead(bytes) => {
                self.pool.prefault_ahead(Budget::bytes(bytes.into()));
            }
            Op::Clear => {
                self.pool.clear();
                self.stale.extend(mem::take(&mut self.lists).into_keys());
            }
            Op::Clone => {
                let clone = self.pool.try_clone().expect("there is memory");
                assert_eq!(clone.len(), self.pool.len());
                self.pool = clone;
                (self.max_len, self.owned) = (usize::MAX, 0);
            }
            _ => unreachable!("done elsewhere"),
        }
    }

    fn change(&mut self, key: DefaultKey, op: ListOp) {
        let total: usize = self.lists.values().map(Vec::len).sum();
        let left = Self::MOST - total.min(Self::MOST);
        let count = match op {
            ListOp::Push | ListOp::Insert(_) => 1,
            ListOp::Extend(count) | ListOp::ExtendFromSlice(count) => count.into(),
            ListOp::ExtendMuch(count) => (usize::from(count) % 5000).min(left),
            _ => 0,
        };
        let new = self.made(count);
        let model = self.lists.get_mut(&key).expect("it was picked");
        let mut list = self.pool.get_mut(key).expect("it is in the model");
        assert_eq!(*list, model[..]);
        let (len, capacity) = (model.len(), list.capacity());
        let is_refused = add(&mut list, model, new, op);
        assert!(!is_refused || self.max_len < usize::MAX, "memory is refused");
        assert!(!is_refused || model.len() > len || list.capacity() == capacity, "it has changed");
        shorten(&mut list, model, op);
        if let ListOp::Forget = op {
            if mem::needs_drop::<T>() {
                list.clear();
            }
            mem::forget(list);
            model.clear();
        }
    }

    fn check(&self) {
        assert_eq!(self.pool.len(), self.lists.len());
        let found: BTreeMap<DefaultKey, &[T]> = self.pool.iter().collect();
        let expected: BTreeMap<DefaultKey, &[T]> =
            self.lists.iter().map(|(key, list)| (*key, &list[..])).collect();
        assert_eq!(found, expected);
        let mut halfway = self.pool.iter();
        halfway.next();
        assert_eq!(halfway.clone().count(), halfway.len());
        assert!(self.pool.values().eq(self.pool.keys().map(|key| &self.lists[&key][..])));
        assert!(self.pool.keys().map(|key| key.data()).is_sorted_by_key(KeyData::index));
        let stats = self.pool.stats();
        assert_eq!((stats.lists, stats.handles), (self.lists.len(), self.owned));
        assert_eq!(stats.elements, self.lists.values().map(Vec::len).sum::<usize>());
        assert!(stats.elements + stats.spare + stats.unused <= stats.capacity);
        let classes = self.pool.size_classes();
        let sums = classes.fold((0, 0), |(elements, spare), class| {
            (elements + class.elements, spare + class.spare)
        });
        assert_eq!(sums, (stats.elements, stats.spare));
    }
}

/// Appends or inserts elements, or makes room. Returns whether that is refused.
fn add<T: Item>(list: &mut ListMut<'_, T>, model: &mut Vec<T>, new: Vec<T>, op: ListOp) -> bool {
    match op {
        ListOp::Push => {
            let Err(refused) = list.try_push(new[0].clone()) else {
                model.extend(new);
                return false;
            };
            assert_eq!(refused.value, new[0]);
            true
        }
        ListOp::Extend(_) | ListOp::ExtendMuch(_) => {
            let left = list.try_extend(new.clone()).map_err(|refused| refused.value.count());
            let left = left.err().unwrap_or(0);
            model.extend_from_slice(&new[..new.len() - left]);
            left > 0
        }
        ListOp::ExtendFromSlice(_) => {
            let is_refused = list.try_extend_from_slice(&new).is_err();
            if !is_refused {
                model.extend(new);
            }
            is_refused
        }
        ListOp::Insert(at) => {
            let at = place(model, at);
            let is_refused = list.try_insert(at, new[0].clone()).is_err();
            if !is_refused {
                model.insert(at, new[0].clone());
            }
            is_refused
        }
        ListOp::Reserve(additional) => {
            let is_refused = list.try_reserve(additional.into()).is_err();
            assert!(is_refused || list.capacity() - list.len() >= additional.into());
            is_refused
        }
        _ => false,
    }
}

fn place<T>(model: &[T], at: u8) -> usize {
    usize::from(at) % (model.len() + 1)
}

/// Removes elements.
fn shorten<T: Item>(list: &mut ListMut<'_, T>, model: &mut Vec<T>, op: ListOp) {
    let len = model.len();
    match op {
        ListOp::Pop => assert_eq!(list.pop(), model.pop()),
        ListOp::PopIf => {
            let is_it = |element: &mut T| *element > T::make(100);
            assert_eq!(
                list.pop_if(is_it),
                model
                    .last_mut()
                    .is_some_and(is_it)
                    .then(|| model.pop().expect("it has a last element"))
            );
        }
        ListOp::Remove(at) if len > 0 => {
            let at = usize::from(at) % len;
            assert_eq!(list.remove(at), model.remove(at));
        }
        ListOp::SwapRemove(at) if len > 0 => {
            let at = usize::from(at) % len;
            assert_eq!(list.swap_remove(at), model.swap_remove(at));
        }
        ListOp::Truncate(len) => {
            list.truncate(len.into());
            model.truncate(len.into());
        }
        ListOp::Clear => {
            list.clear();
            model.clear();
        }
        ListOp::Drain(from, to) => {
            let (from, to) = (place(model, from), place(model, to));
            let (from, to) = (from.min(to), from.max(to));
            assert!(list.drain(from..to).eq(model.drain(from..to)));
        }
        ListOp::ExtractIf(n, most) => {
            let chosen = list.extract_if(.., |element| is_chosen(n, element));
            let chosen: Vec<T> = chosen.take(most.into()).collect();
            let mut left = usize::from(most);
            let mut expected = Vec::new();
            model.retain(|element| {
                let is_taken = left > 0 && is_chosen(n, element);
                if is_taken {
                    left -= 1;
                    expected.push(element.clone());
                }
                !is_taken
            });
            assert_eq!(chosen, expected);
        }
        ListOp::Sort => {
            list.sort();
            model.sort();
        }
        ListOp::ForgetDrain(from) => {
            let from = place(model, from);
            if mem::needs_drop::<T>() {
                list.truncate(from);
            }
            mem::forget(list.drain(from..));
            model.truncate(from);
        }
        ListOp::ForgetExtractIf(n, most) if !mem::needs_drop::<T>() => {
            let mut chosen = list.extract_if(.., |element| is_chosen(n, element));
            chosen.by_ref().take(most.into()).for_each(drop);
            mem::forget(chosen);
            // Some elements are left, or none.
            model.clear();
            model.extend_from_slice(list);
        }
        _ => thin_out(list, model, op),
    }
}

/// Removes elements that a predicate selects, or changes some.
fn thin_out<T: Item>(list: &mut ListMut<'_, T>, model: &mut Vec<T>, op: ListOp) {
    let len = model.len();
    match op {
        ListOp::Retain(n) => {
            list.retain(|element| is_chosen(n, element));
            model.retain(|element| is_chosen(n, element));
        }
        ListOp::RetainMut(n) => {
            let change = |element: &mut T| {
                let is_kept = is_chosen(n, element);
                if is_kept {
                    *element = T::make(n.into());
                }
                is_kept
            };
            list.retain_mut(change);
            model.retain_mut(change);
        }
        ListOp::DedupBy(n) => {
            // Not symmetric, so that the order of the arguments matters.
            let same = |a: &mut T, b: &mut T| *a <= *b || *a == T::make(n.into());
            list.dedup_by(same);
            model.dedup_by(same);
        }
        ListOp::DedupByKey => {
            list.dedup_by_key(|element| element.clone());
            model.dedup_by_key(|element| element.clone());
        }
        ListOp::Set(at, n) if len > 0 => {
            let at = usize::from(at) % len;
            list[at] = T::make(n.into());
            model[at] = T::make(n.into());
        }
        ListOp::Dedup => {
            list.dedup();
            model.dedup();
        }
        _ => {}
    }
}

fn is_chosen<T: Item>(n: u8, element: &T) -> bool {
    *element > T::make(n.into())
}
