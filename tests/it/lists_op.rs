//! Operations on a `ListPool` and a model of it, shared by the model test and the fuzz target `lists_model`.

use stayput::list_pool::ListMut;
use stayput::{Budget, CommitAhead, DefaultKey, Key, KeyData, ListPool};
use std::collections::BTreeMap;
use std::fmt::Debug;
use std::mem;

/// An element that is made from a number.
pub(crate) trait Item: Clone + Ord + Debug + 'static {
    fn make(n: u32) -> Self;
}

impl Item for u32 {
    fn make(n: u32) -> Self {
        n
    }
}

impl Item for u8 {
    fn make(n: u32) -> Self {
        n.to_le_bytes()[0]
    }
}

/// Is dropped, and found to leak by sanitizers if it is not.
impl Item for String {
    fn make(n: u32) -> Self {
        n.to_string()
    }
}

/// Of size zero.
impl Item for () {
    fn make(_: u32) -> Self {}
}

/// An element that is aligned to a cache line.
#[repr(align(64))]
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Line(u32);

impl Item for Line {
    fn make(n: u32) -> Self {
        Self(n)
    }
}

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
        Dedup,
        Drain(u8, u8),
        ExtractIf(u8, u8),
        Reserve(u8),
        Sort,
        /// Leaks the elements.
        Forget,
        /// Leaks a drain, and with it elements.
        ForgetDrain(u8),
    }

    pub(crate) enum Op {
        Insert(u8),
        Remove(u8),
        List(u8, ListOp),
        Again(u8, ListOp),
        RemoveStale(u8),
        Retain(u8),
        Change(u8),
        Compact,
        CompactWithin(u16),
        Shrink,
        Reserve(u16),
        PrefaultAhead(u16),
        Clear,
        Clone,
    }
}

/// A pool and what it should hold.
pub(crate) struct Model<T> {
    pool: ListPool<T>,
    lists: BTreeMap<DefaultKey, Vec<T>>,
    stale: Vec<DefaultKey>,
    next: u32,
    max_len: usize,
}

impl<T: Item> Model<T> {
    /// The most elements in a run.
    const MOST: usize = 20_000;

    pub(crate) fn run(config: Config, ops: &[Op]) {
        let pool = match config {
            Config::Default => ListPool::new(),
            Config::Builder => ListPool::builder().capacity(100).build(),
            Config::MaxLen(max_len) => ListPool::builder().max_len(max_len.into()).build(),
            Config::Ahead => ListPool::builder().commit_ahead(CommitAhead::Auto).build(),
        };
        let max_len =
            if let Config::MaxLen(_) = config { pool.stats().max_len } else { usize::MAX };
        let (lists, stale) = (BTreeMap::new(), Vec::new());
        let mut model = Self { pool, lists, stale, next: 0, max_len };
        for op in ops {
            model.apply(*op);
            model.check();
        }
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
                let key = self.pool.try_insert_empty().expect("there are few lists");
                let mut kept = elements.clone();
                let mut list = self.pool.get_mut(key).expect("it was just inserted");
                if let Err(refused) = list.try_extend(elements) {
                    assert!(self.max_len < usize::MAX, "{}", refused.error);
                    let left: Vec<T> = refused.value.collect();
                    assert!(kept.ends_with(&left), "the rest is returned");
                    kept.truncate(kept.len() - left.len());
                }
                assert!(self.lists.insert(key, kept).is_none(), "the key is new");
            }
            Op::Remove(pick) => {
                let Some(key) = self.pick(pick) else { return };
                assert!(self.pool.remove_list(key));
                self.lists.remove(&key);
                self.stale.push(key);
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
            Op::Compact => {
                self.pool.compact();
                if self.max_len == usize::MAX {
                    assert_eq!(self.pool.stats().spare, 0);
                }
            }
            Op::CompactWithin(bytes) => {
                let _ = self.pool.compact_within(Budget::bytes(bytes.into()));
            }
            Op::Shrink => self.pool.shrink_to_fit(),
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
                let clone = self.pool.clone();
                assert_eq!(clone.len(), self.pool.len());
                self.pool = clone;
                self.max_len = usize::MAX;
            }
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
        assert!(self.pool.keys().map(|key| key.data()).is_sorted_by_key(KeyData::index));
        let stats = self.pool.stats();
        assert_eq!(stats.lists, self.lists.len());
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
    let is_chosen = |n: u8, element: &T| *element > T::make(n.into());
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
        ListOp::Retain(n) => {
            list.retain(|element| is_chosen(n, element));
            model.retain(|element| is_chosen(n, element));
        }
        ListOp::Dedup => {
            list.dedup();
            model.dedup();
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
        _ => {}
    }
}
