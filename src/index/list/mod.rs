//! [`ListIndex`]: a value to all slots that have it, in lists; and its iterator.

#![forbid(unsafe_code)]

mod links;

use super::bucket::NONE;
use super::hash32;
use super::memory::{Arrays, ForArrays, memory_methods};
use super::plan::Plan;
use crate::error::{Error, or_give_up};
use crate::vec::VecStats;
use links::Links;
use std::collections::hash_map::RandomState;
use std::fmt;
use std::hash::{BuildHasher, Hash};
use std::iter::FusedIterator;

/// Finds all slots of a value, where many may have the same; in lists, which take less memory where most sets are of a few.
///
/// It has what a [`SetIndex`](super::SetIndex) has, by the same names, and promises the same of [order](super::SetIndex#order)
/// and of [wrong values](super::SetIndex#wrong-values). Slots of a value are linked one to the next, so that to go over them
/// waits for memory at each. Take it where sets are small, or seldom gone over.
///
/// # Complexity
///
/// Insertion and removal are O(1) where hashes are spread, however large a set is. Insertion enters the kernel when
/// committed memory is used up; removal may, and what it is refused it can do without.
///
/// # Memory
///
/// The index takes 12 bytes for each slot up to the highest, and about 10 more for each value, in the hash table. Slots are
/// below 2<sup>31</sup>, and [far](super#far-slots) ones are refused.
///
/// # Examples
///
/// ```
/// use stayput::index::ListIndex;
///
/// let owners = ["ann", "bob", "ann"];
/// let mut index = ListIndex::new();
/// for (slot, owner) in (0..).zip(owners) {
///     index.insert(owner, slot, |other| owners[other as usize] == owner);
/// }
/// assert!(index.remove(0));
/// assert!(index.find("ann", |slot| owners[slot as usize] == "ann").eq([2]));
/// ```
pub struct ListIndex<S = RandomState> {
    links: Links,
    hasher: S,
}

impl ListIndex {
    /// Without slots, with a seed of its own. Takes no memory until the first.
    #[must_use]
    pub fn new() -> Self {
        Self::with_hasher(RandomState::new())
    }
}

impl<S> ListIndex<S> {
    /// Without slots, with hashes of that kind. Takes no memory until the first.
    #[must_use]
    pub const fn with_hasher(hasher: S) -> Self {
        Self { links: Links::new(), hasher }
    }

    /// How many slots there are. O(1).
    #[inline]
    pub const fn len(&self) -> usize {
        self.links.len()
    }

    /// How many sets of slots with one value there are. O(1).
    #[inline]
    pub const fn sets(&self) -> usize {
        self.links.sets()
    }

    /// Whether there is no slot. O(1).
    #[inline]
    pub const fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Whether a slot is in it, whatever its value. O(1).
    #[inline]
    pub fn contains(&self, slot: u32) -> bool {
        self.links.contains(slot)
    }

    /// All slots that have the value that a slot was put in with, that one first; none, if it is not in it. O(1); no
    /// value is looked at.
    pub fn same(&self, slot: u32) -> Slots<'_> {
        Slots::new(self.links.ring(), if self.contains(slot) { slot } else { NONE })
    }

    /// Takes a slot out, whatever value it has now; whether it was there. O(1), where hashes are spread; asks nobody for
    /// a hash, or whether two values are equal.
    pub fn remove(&mut self, slot: u32) -> bool {
        self.links.remove(slot)
    }

    memory_methods!();

    /// Takes all slots out. The memory stays. Linear in the buckets of its hash table.
    pub fn clear(&mut self) {
        self.links.clear();
    }

    /// Whether a slot is already where it is to go, so that [`commit`](Self::commit) does nothing.
    #[cfg(test)]
    pub(crate) fn is_same(&self, slot: u32, plan: &Plan) -> bool {
        self.links.is_same(slot, *plan)
    }

    /// Puts a slot where a plan for it says; out of the set that it is in, if any. Neither runs user code nor is refused
    /// anything.
    ///
    /// Since that plan nothing has changed, but that the slot may have been removed.
    #[inline]
    pub(crate) fn commit(&mut self, slot: u32, plan: Plan) {
        self.links.commit(slot, plan);
    }

    /// Asserts that nothing is lost.
    #[cfg(any(test, fuzzing))]
    #[doc(hidden)]
    pub fn check(&self) {
        self.links.check();
    }
}

impl<S: BuildHasher> ListIndex<S> {
    /// All slots of a value; `is_meant` tells of a slot whether it has it. O(1), where hashes are spread, and so much for
    /// each that is given.
    #[inline]
    pub fn find<Q: Hash + ?Sized>(
        &self,
        value: &Q,
        is_meant: impl FnMut(u32) -> bool,
    ) -> Slots<'_> {
        Slots::new(self.links.ring(), self.links.find(hash32(&self.hasher, value), is_meant))
    }

    /// How many slots a value has. Goes over all of them.
    #[inline]
    pub fn count<Q: Hash + ?Sized>(&self, value: &Q, is_meant: impl FnMut(u32) -> bool) -> usize {
        self.find(value, is_meant).count()
    }

    /// Puts in the slot of a value; out of the set of another value, if it is in it. O(1), where hashes are spread;
    /// enters the kernel if memory is used up.
    ///
    /// `is_meant` tells of the other slots whether they have the value. It is not asked about this one, which may have its new
    /// value already.
    ///
    /// # Panics
    ///
    /// Where [`try_insert`](Self::try_insert) has an error.
    #[track_caller]
    pub fn insert<Q: Hash + ?Sized>(
        &mut self,
        value: &Q,
        slot: u32,
        is_meant: impl FnMut(u32) -> bool,
    ) {
        or_give_up(self.try_insert(value, slot, is_meant));
    }

    /// [`insert`](Self::insert), or the error.
    ///
    /// # Errors
    ///
    /// If the slot is 2<sup>31</sup> or above ([`KeyBits`](crate::ErrorKind::KeyBits)) or [far](super#far-slots)
    /// ([`FarIndex`](crate::ErrorKind::FarIndex)), or the system refuses memory. Nothing has changed then.
    pub fn try_insert<Q: Hash + ?Sized>(
        &mut self,
        value: &Q,
        slot: u32,
        is_meant: impl FnMut(u32) -> bool,
    ) -> Result<(), Error> {
        self.links.check_slot(slot)?;
        let plan = self.links.look(hash32(&self.hasher, value), slot, is_meant);
        self.links.try_reserve(slot)?;
        self.commit(slot, plan);
        Ok(())
    }

    /// Finds out where the slot of a value is to go, and makes room for it; nothing has changed then that anybody could tell.
    ///
    /// All user code that an insertion needs runs here, and all that it can be refused is refused here. If the slot is in
    /// it, `is_meant` is asked about it as well, to see whether it may stay where it is.
    ///
    /// # Errors
    ///
    /// As for [`try_insert`](Self::try_insert).
    pub(crate) fn plan<Q: Hash + ?Sized>(
        &mut self,
        value: &Q,
        slot: u32,
        mut is_meant: impl FnMut(u32) -> bool,
    ) -> Result<Plan, Error> {
        let mut plan = self.links.look(hash32(&self.hasher, value), slot, &mut is_meant);
        if plan.has_set() && !plan.is_there && self.contains(slot) {
            // Which slots are of one ring cannot be told without going over it.
            plan.is_there = is_meant(slot);
        }
        self.links.try_reserve(slot)?;
        Ok(plan)
    }
}

impl<S: Clone> ListIndex<S> {
    /// [`clone`](Self::clone), or the error. No user code is run but the `Clone` of the hasher.
    ///
    /// # Errors
    ///
    /// As for [`try_reserve`](Self::try_reserve).
    pub fn try_clone(&self) -> Result<Self, Error> {
        let hasher = self.hasher.clone();
        Ok(Self { links: self.links.try_clone()?, hasher })
    }
}

impl<S: Clone> Clone for ListIndex<S> {
    /// A copy with the same options and the same hashes, that has the same slots. Linear in the slots, up to the highest;
    /// enters the kernel for the memory.
    ///
    /// # Panics
    ///
    /// Where [`try_clone`](ListIndex::try_clone) has an error.
    #[track_caller]
    fn clone(&self) -> Self {
        or_give_up(self.try_clone())
    }
}

impl<S> Arrays for ListIndex<S> {
    fn tidy(&mut self) {
        self.links.tidy();
    }

    fn each_array(&mut self, visitor: &mut impl ForArrays) -> Result<(), Error> {
        self.links.each_array(visitor)
    }

    fn each_stats(&self, visit: &mut impl FnMut(VecStats)) {
        self.links.each_stats(visit);
    }
}

impl<S: Default> Default for ListIndex<S> {
    /// Without slots.
    fn default() -> Self {
        Self::with_hasher(S::default())
    }
}

impl<S> fmt::Debug for ListIndex<S> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ListIndex")
            .field("len", &self.len())
            .field("sets", &self.sets())
            .finish_non_exhaustive()
    }
}

/// The slots of one value, given by [`ListIndex::find`] and [`ListIndex::same`], in no order that means anything.
#[derive(Clone)]
#[must_use = "iterators are lazy"]
pub struct Slots<'l> {
    next: &'l [u32],
    /// The one that comes, or [`NONE`].
    at: u32,
    first: u32,
}

impl<'l> Slots<'l> {
    #[inline]
    const fn new(next: &'l [u32], first: u32) -> Self {
        Self { next, at: first, first }
    }
}

impl Iterator for Slots<'_> {
    type Item = u32;

    #[inline]
    fn next(&mut self) -> Option<u32> {
        let slot = self.at;
        if slot == NONE {
            return None;
        }
        let next = self.next[slot as usize];
        self.at = if next == self.first { NONE } else { next };
        Some(slot)
    }

    #[inline]
    fn size_hint(&self) -> (usize, Option<usize>) {
        let least = usize::from(self.at != NONE);
        (least, Some(self.next.len() * least))
    }
}

impl FusedIterator for Slots<'_> {}

impl fmt::Debug for Slots<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_list().entries(self.clone()).finish()
    }
}
