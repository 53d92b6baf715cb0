//! [`SetIndex`]: a value to all slots that have it, in chunks.

#![forbid(unsafe_code)]

mod chains;
mod chunk;
mod iter;
mod pool;
#[cfg(test)]
mod tests;

pub(crate) use iter::Chunks;
pub use iter::Slots;

use super::hash32;
use super::memory::{Arrays, ForArrays, memory_methods};
use super::plan::Plan;
use crate::error::{Error, or_give_up};
use crate::vec::VecStats;
use chains::Chains;
use std::collections::hash_map::RandomState;
use std::fmt;
use std::hash::{BuildHasher, Hash};

/// Finds all slots of a value, where many may have the same.
///
/// It holds numbers of slots, and no value: who uses it keeps these, and tells whether the one in a slot is meant. It
/// asks about one slot of each set that may be it, since all of a set have the same value. It is for those who have
/// storage of their own.
///
/// The slots of a value lie in chunks of up to 14, a cache line each, so that to go over them is nearly as fast as over an array.
/// A slot knows its chunk: to take one out is as fast from a set of millions as from a set of two, and asks nobody for
/// a hash.
///
/// # Order
///
/// Slots of a value are in no order that means anything: whatever is put in or taken out may change it.
///
/// # Complexity
///
/// Insertion and removal are O(1) where hashes are spread, however large a set is: they move six slots of it at most,
/// and less than one on average. No array is ever copied. Insertion enters the kernel when committed memory is used up;
/// removal may, and what it is refused it can do without.
///
/// # Memory
///
/// The index takes 4 bytes for each slot up to the highest; [far](super#far-slots) slots are refused. A value of up to three slots takes some 35 more, and one of more slots some 85, and another
/// 72 for each ten slots or so: chunks of a large set are nearly a third full at least, and two thirds on average if
/// slots come and go at random. There may be 2<sup>31</sup> - 1 values.
///
/// # Wrong values
///
/// A `Hash` or `Eq` that gives another answer each time has values not be found, or the wrong ones, and that is
/// all. [`remove`](Self::remove) and [`same`](Self::same) ask neither.
///
/// # Examples
///
/// ```
/// use stayput::index::SetIndex;
///
/// let mut colours = ["red", "blue", "red", "red"];
/// let mut index = SetIndex::new();
/// for (slot, colour) in (0..).zip(colours) {
///     index.insert(colour, slot, |other| colours[other as usize] == colour);
/// }
/// let red: Vec<u32> = index.find("red", |slot| colours[slot as usize] == "red").collect();
/// assert_eq!((red.len(), index.sets()), (3, 2));
///
/// colours[0] = "blue";
/// index.insert("blue", 0, |other| colours[other as usize] == "blue"); // it is not red any more
/// assert_eq!(index.count("red", |slot| colours[slot as usize] == "red"), 2);
/// assert!(index.same(1).any(|slot| slot == 0));
/// ```
pub struct SetIndex<S = RandomState> {
    chains: Chains,
    hasher: S,
}

impl SetIndex {
    /// Without slots, with a seed of its own. Takes no memory until the first.
    #[must_use]
    pub fn new() -> Self {
        Self::with_hasher(RandomState::new())
    }
}

impl<S> SetIndex<S> {
    /// Without slots, with hashes of that kind. Takes no memory until the first.
    #[must_use]
    pub const fn with_hasher(hasher: S) -> Self {
        Self { chains: Chains::new(), hasher }
    }

    /// How many slots there are. O(1).
    #[inline]
    pub const fn len(&self) -> usize {
        self.chains.len()
    }

    /// How many sets of slots with one value there are. O(1).
    #[inline]
    pub const fn sets(&self) -> usize {
        self.chains.sets()
    }

    /// Whether there is no slot. O(1).
    #[inline]
    pub const fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Whether a slot is in it, whatever its value. O(1).
    #[inline]
    pub fn contains(&self, slot: u32) -> bool {
        self.chains.contains(slot)
    }

    /// All slots that have the value that a slot was put in with, that one among them; none, if it is not in it. O(1);
    /// no value is looked at.
    ///
    /// # Examples
    ///
    /// ```
    /// # use stayput::index::SetIndex;
    /// let parity = [0, 1, 0, 1, 0];
    /// let mut index = SetIndex::new();
    /// (0..5).for_each(|slot| index.insert(&(slot % 2), slot, |other| other % 2 == slot % 2));
    /// assert_eq!(index.same(3).count(), 2);
    /// assert_eq!(index.same(9).count(), 0);
    /// ```
    pub fn same(&self, slot: u32) -> Slots<'_> {
        Slots::new(self.chains.same(slot))
    }

    /// Takes a slot out, whatever value it has now; whether it was there. O(1), where hashes are spread; asks nobody for
    /// a hash, or whether two values are equal.
    pub fn remove(&mut self, slot: u32) -> bool {
        self.chains.remove(slot)
    }

    memory_methods!();

    /// Takes all slots out. The memory stays. Linear in the buckets of its hash table.
    pub fn clear(&mut self) {
        self.chains.clear();
    }

    /// Whether a slot is already where it is to go, so that [`commit`](Self::commit) does nothing.
    #[cfg(test)]
    pub(crate) fn is_same(&self, slot: u32, plan: &Plan) -> bool {
        self.chains.is_same(slot, *plan)
    }

    /// Puts a slot where a plan for it says; out of the set that it is in, if any. Neither runs user code nor is refused
    /// anything.
    ///
    /// Since that plan nothing has changed, but that the slot may have been removed.
    #[inline]
    pub(crate) fn commit(&mut self, slot: u32, plan: Plan) {
        self.chains.commit(slot, plan);
    }

    /// Asserts that nothing is lost.
    #[cfg(any(test, fuzzing))]
    #[doc(hidden)]
    pub fn check(&self) {
        self.chains.check();
    }
}

impl<S: BuildHasher> SetIndex<S> {
    /// All slots of a value; `is_meant` tells of a slot whether it has it. O(1), where hashes are spread, and so much for
    /// each that is given.
    #[inline]
    pub fn find<Q: Hash + ?Sized>(
        &self,
        value: &Q,
        is_meant: impl FnMut(u32) -> bool,
    ) -> Slots<'_> {
        Slots::new(self.chunks(value, is_meant))
    }

    /// The same by the chunk, for who wants to have what is in a dozen slots come before it is looked at.
    #[inline]
    pub(crate) fn chunks<Q: Hash + ?Sized>(
        &self,
        value: &Q,
        is_meant: impl FnMut(u32) -> bool,
    ) -> Chunks<'_> {
        self.chains.find(hash32(&self.hasher, value), is_meant)
    }

    /// How many slots a value has. Reads a word for each dozen.
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
    /// If the slot is `u32::MAX`, or there are as many values or chunks as can be numbered
    /// ([`KeyBits`](crate::ErrorKind::KeyBits)); if the slot is [far](super#far-slots)
    /// ([`FarIndex`](crate::ErrorKind::FarIndex)); or if the system refuses memory. Nothing has changed then.
    pub fn try_insert<Q: Hash + ?Sized>(
        &mut self,
        value: &Q,
        slot: u32,
        is_meant: impl FnMut(u32) -> bool,
    ) -> Result<(), Error> {
        self.chains.check_slot(slot)?;
        let plan = self.chains.look(hash32(&self.hasher, value), slot, is_meant);
        self.chains.try_reserve(slot, plan)?;
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
        let mut plan = self.chains.look(hash32(&self.hasher, value), slot, &mut is_meant);
        if plan.has_set() && !plan.is_there && self.contains(slot) {
            // Which chunks are of one set cannot be told without going over them.
            plan.is_there = is_meant(slot);
        }
        self.chains.try_reserve(slot, plan)?;
        Ok(plan)
    }
}

impl<S: Clone> SetIndex<S> {
    /// [`clone`](Self::clone), or the error. No user code is run but the `Clone` of the hasher.
    ///
    /// # Errors
    ///
    /// As for [`try_reserve`](Self::try_reserve).
    pub fn try_clone(&self) -> Result<Self, Error> {
        let hasher = self.hasher.clone();
        Ok(Self { chains: self.chains.try_clone()?, hasher })
    }
}

impl<S: Clone> Clone for SetIndex<S> {
    /// A copy with the same options and the same hashes, that has the same slots. Linear in the slots, up to the highest;
    /// enters the kernel for the memory.
    ///
    /// # Panics
    ///
    /// Where [`try_clone`](SetIndex::try_clone) has an error.
    #[track_caller]
    fn clone(&self) -> Self {
        or_give_up(self.try_clone())
    }
}

impl<S> Arrays for SetIndex<S> {
    fn tidy(&mut self) {
        self.chains.tidy();
    }

    fn each_array(&mut self, visitor: &mut impl ForArrays) -> Result<(), Error> {
        self.chains.each_array(visitor)
    }

    fn each_stats(&self, visit: &mut impl FnMut(VecStats)) {
        self.chains.each_stats(visit);
    }
}

impl<S: Default> Default for SetIndex<S> {
    /// Without slots.
    fn default() -> Self {
        Self::with_hasher(S::default())
    }
}

impl<S> fmt::Debug for SetIndex<S> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("SetIndex")
            .field("len", &self.len())
            .field("sets", &self.sets())
            .finish_non_exhaustive()
    }
}
