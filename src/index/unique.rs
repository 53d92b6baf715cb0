//! [`UniqueIndex`]: a value to the slot that has it.

#![forbid(unsafe_code)]

#[cfg(test)]
mod tests;

use super::buckets::Buckets;
use super::hash32;
use super::hashed::hashed_methods;
use crate::error::{Error, or_give_up};
use std::collections::hash_map::RandomState;
use std::fmt;
use std::hash::{BuildHasher, Hash};

/// Finds the slot of a value among many, none of which has the value of another.
///
/// It holds numbers of slots and their hashes, and no value: who uses it keeps these, and tells whether the one in a slot
/// is meant. It is for those who have storage of their own.
///
/// It grows by one bucket at a time (linear hashing), so that no insertion takes long: it copies a dozen entries at most, where hashes
/// are spread, and the slots are about as many as the highest says.
///
/// # Memory
///
/// The index takes 4 bytes for each slot up to the highest, and about 10 more for each slot in it. An insertion far past the
/// highest slot writes the 4 bytes of all slots in between; [far](super#far-slots) slots are refused.
///
/// # Wrong values
///
/// A `Hash` or `Eq` that gives another answer each time has values not be found, or the wrong ones, and that is
/// all. [`remove`](Self::remove) asks neither.
///
/// # Examples
///
/// ```
/// use stayput::index::UniqueIndex;
///
/// let names = ["ann", "bob", "cid"];
/// let mut index = UniqueIndex::new();
/// for (slot, name) in (0..).zip(names) {
///     assert_eq!(index.insert(name, slot, |other| names[other as usize] == name), None);
/// }
/// assert_eq!(index.find("bob", |slot| names[slot as usize] == "bob"), Some(1));
/// assert_eq!(index.insert("ann", 7, |other| names[other as usize] == "ann"), Some(0)); // it has it
/// assert!(index.remove(1));
/// assert_eq!(index.find("bob", |slot| names[slot as usize] == "bob"), None);
/// ```
pub struct UniqueIndex<S = RandomState> {
    buckets: Buckets,
    hasher: S,
}

hashed_methods!(UniqueIndex, buckets: Buckets);

impl<S: BuildHasher> UniqueIndex<S> {
    /// The slot of a value, if one has it; `is_meant` tells of a slot whether it has. O(1), where hashes are spread.
    #[inline]
    pub fn find<Q: Hash + ?Sized>(
        &self,
        value: &Q,
        is_meant: impl FnMut(u32) -> bool,
    ) -> Option<u32> {
        self.buckets.find(hash32(&self.hasher, value), is_meant)
    }

    /// Puts in the slot of a value, or gives the one that has that value already; then nothing has changed. O(1),
    /// where hashes are spread; enters the kernel if memory is used up.
    ///
    /// A slot that is in it is moved, out of where it was; `is_meant` is not asked about it.
    ///
    /// # Panics
    ///
    /// Where [`try_insert`](Self::try_insert) has an error.
    #[must_use = "what it gives has the value already, and the slot is not put in"]
    #[track_caller]
    pub fn insert<Q: Hash + ?Sized>(
        &mut self,
        value: &Q,
        slot: u32,
        is_meant: impl FnMut(u32) -> bool,
    ) -> Option<u32> {
        or_give_up(self.try_insert(value, slot, is_meant))
    }

    /// [`insert`](Self::insert), or the error.
    ///
    /// # Errors
    ///
    /// If the slot is `u32::MAX` ([`KeyBits`](crate::ErrorKind::KeyBits)) or [far](super#far-slots)
    /// ([`FarIndex`](crate::ErrorKind::FarIndex)), or the system refuses memory; then nothing has changed.
    #[must_use = "what it gives has the value already, and the slot is not put in"]
    pub fn try_insert<Q: Hash + ?Sized>(
        &mut self,
        value: &Q,
        slot: u32,
        mut is_meant: impl FnMut(u32) -> bool,
    ) -> Result<Option<u32>, Error> {
        let hash = hash32(&self.hasher, value);
        if let Some(other) = self.buckets.find(hash, |other| other != slot && is_meant(other)) {
            return Ok(Some(other));
        }
        self.buckets.check_slot(slot)?;
        self.try_reserve_slot(slot)?;
        self.put_reserved(hash, slot);
        Ok(None)
    }

    /// Takes the slot of a value out, and gives it; `is_meant` tells of a slot whether it has that value. O(1), where hashes
    /// are spread. May enter the kernel, as [`remove`](Self::remove) may, which is to be told the slot and asks nobody.
    ///
    /// # Examples
    ///
    /// ```
    /// let names = ["ann", "bob"];
    /// let mut index = stayput::index::UniqueIndex::new();
    /// for (slot, name) in (0..).zip(names) {
    ///     assert_eq!(index.insert(name, slot, |other| names[other as usize] == name), None);
    /// }
    /// assert_eq!(index.take("bob", |slot| names[slot as usize] == "bob"), Some(1));
    /// assert_eq!(index.take("bob", |slot| names[slot as usize] == "bob"), None);
    /// ```
    #[inline]
    pub fn take<Q: Hash + ?Sized>(
        &mut self,
        value: &Q,
        is_meant: impl FnMut(u32) -> bool,
    ) -> Option<u32> {
        self.buckets.remove_found(hash32(&self.hasher, value), is_meant)
    }

    /// The hash that is kept of a value.
    #[inline]
    pub(crate) fn hash<Q: Hash + ?Sized>(&self, value: &Q) -> u32 {
        hash32(&self.hasher, value)
    }

    /// [`find`](Self::find), by its hash.
    #[inline]
    pub(crate) fn find_hashed(&self, hash: u32, is_meant: impl FnMut(u32) -> bool) -> Option<u32> {
        self.buckets.find(hash, is_meant)
    }
}

impl<S> UniqueIndex<S> {
    /// Makes room for a slot, whatever hash it comes with.
    #[inline]
    pub(crate) fn try_reserve_slot(&mut self, slot: u32) -> Result<(), Error> {
        self.buckets.reserve(slot)
    }

    /// Takes a slot out, which is sooner found if that is its hash.
    #[inline]
    pub(crate) fn remove_hashed(&mut self, hash: u32, slot: u32) {
        self.buckets.remove_hashed(hash, slot);
    }

    /// Puts a slot in for which there is room, or where it belongs now.
    #[inline]
    pub(crate) fn put_reserved(&mut self, hash: u32, slot: u32) {
        self.buckets.remove(slot);
        self.buckets.insert_reserved(hash, slot);
    }
}

impl<S> fmt::Debug for UniqueIndex<S> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("UniqueIndex").field("len", &self.buckets.len()).finish_non_exhaustive()
    }
}
