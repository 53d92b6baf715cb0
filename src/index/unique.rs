//! [`UniqueIndex`], which finds the slot of a value.

#![forbid(unsafe_code)]

#[cfg(test)]
mod tests;

use super::buckets::Buckets;
use super::hash32;
use super::hashed::hashed_methods;
use crate::error::{Error, unwrap_or_panic};
use std::collections::hash_map::RandomState;
use std::hash::{BuildHasher, Hash};

/// An index that finds the slot with a value; no two slots have the same value.
///
/// It stores slot numbers and hashes, not values: the caller keeps the values, and passes closures that return whether
/// the value in a slot is the one sought. Use it with storage of your own; a [`Table`](crate::Table) maintains its
/// indices itself.
///
/// It grows by one bucket at a time (linear hashing), so no insertion takes long: it copies at most a dozen entries, if
/// hashes are well distributed and slot numbers have few gaps, and small arrays, of up to 64 KiB.
///
/// # Memory
///
/// The index takes 4 bytes for each slot up to the highest, and about 10 more for each slot in it. An insertion far
/// past the highest slot writes the 4 bytes of all slots in between; [far](super#far-slots) slots are refused.
///
/// # Inconsistent values
///
/// If `Hash` or `Eq` is inconsistent, values may be missed, or wrong ones found, and nothing else happens.
/// [`remove`](Self::remove) calls neither.
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
/// // Slot 0 has the value.
/// assert_eq!(index.insert("ann", 7, |other| names[other as usize] == "ann"), Some(0));
/// assert!(index.remove(1));
/// assert_eq!(index.find("bob", |slot| names[slot as usize] == "bob"), None);
/// ```
pub struct UniqueIndex<S = RandomState> {
    buckets: Buckets,
    hasher: S,
}

hashed_methods!(UniqueIndex, buckets: Buckets);

impl<S: BuildHasher> UniqueIndex<S> {
    /// Returns the slot with a value; `is_meant` returns whether a slot has it. O(1) if hashes are well distributed.
    ///
    /// # Examples
    ///
    /// ```
    /// let names = ["ann", "bob"];
    /// let mut index = stayput::index::UniqueIndex::new();
    /// for (slot, name) in (0..).zip(names) {
    ///     assert_eq!(index.insert(name, slot, |other| names[other as usize] == name), None);
    /// }
    /// assert_eq!(index.find("bob", |slot| names[slot as usize] == "bob"), Some(1));
    /// assert_eq!(index.find("eve", |slot| names[slot as usize] == "eve"), None);
    /// ```
    #[inline]
    pub fn find<Q: Hash + ?Sized>(
        &self,
        value: &Q,
        is_meant: impl FnMut(u32) -> bool,
    ) -> Option<u32> {
        self.buckets.find(hash32(&self.hasher, value), is_meant)
    }

    /// Inserts a slot with its value, or returns the slot that already has that value; then nothing has changed. O(1)
    /// if hashes are well distributed; enters the kernel when committed memory is used up.
    ///
    /// If the slot is in the index, it is moved to its new value. `is_meant` is not called for it.
    ///
    /// # Panics
    ///
    /// If [`try_insert`](Self::try_insert) returns an error.
    ///
    /// # Examples
    ///
    /// ```
    /// let names = ["ann", "bob", "ann"];
    /// let mut index = stayput::index::UniqueIndex::new();
    /// let insert = |(slot, name)| index.insert(name, slot, |other| names[other as usize] == name);
    /// assert!((0..).zip(names).map(insert).eq([None, None, Some(0)])); // slot 0 is "ann" already
    /// assert_eq!(index.len(), 2);
    /// ```
    #[must_use = "if a slot is returned, it has the value already, and nothing was inserted"]
    #[track_caller]
    pub fn insert<Q: Hash + ?Sized>(
        &mut self,
        value: &Q,
        slot: u32,
        is_meant: impl FnMut(u32) -> bool,
    ) -> Option<u32> {
        unwrap_or_panic(self.try_insert(value, slot, is_meant))
    }

    /// Inserts a slot as [`insert`](Self::insert) does, or returns the error.
    ///
    /// # Errors
    ///
    /// If the slot is `u32::MAX` ([`KeyBits`](crate::ErrorKind::KeyBits)) or [far](super#far-slots)
    /// ([`FarIndex`](crate::ErrorKind::FarIndex)), or memory is refused. Nothing has changed then.
    #[must_use = "if a slot is returned, it has the value already, and nothing was inserted"]
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

    /// Removes the slot with a value and returns it; `is_meant` returns whether a slot has that value. O(1) if hashes
    /// are well distributed. May enter the kernel.
    ///
    /// [`remove`](Self::remove) does the same by slot number, and hashes nothing.
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

    #[inline]
    pub(crate) fn hash<Q: Hash + ?Sized>(&self, value: &Q) -> u32 {
        hash32(&self.hasher, value)
    }

    #[inline]
    pub(crate) fn find_hashed(&self, hash: u32, is_meant: impl FnMut(u32) -> bool) -> Option<u32> {
        self.buckets.find(hash, is_meant)
    }
}

impl<S> UniqueIndex<S> {
    /// Reserves memory for a slot, whatever its hash.
    #[inline]
    pub(crate) fn try_reserve_slot(&mut self, slot: u32) -> Result<(), Error> {
        self.buckets.reserve(slot)
    }

    /// Removes a slot; faster if the hash is the one it was inserted with.
    #[inline]
    pub(crate) fn remove_hashed(&mut self, hash: u32, slot: u32) {
        self.buckets.remove_hashed(hash, slot);
    }

    /// Inserts a slot, for which memory was reserved, or moves it to its new hash.
    #[inline]
    pub(crate) fn put_reserved(&mut self, hash: u32, slot: u32) {
        self.buckets.remove(slot);
        self.buckets.insert_reserved(hash, slot);
    }
}

debug_fields!([S] UniqueIndex<S>, "UniqueIndex", |index| len: index.len());
