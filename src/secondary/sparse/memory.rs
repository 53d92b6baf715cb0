//! Taking and returning memory.

use super::{SparseSecondaryMap, hash_of, try_reserve};
use crate::error::{Error, unwrap_or_panic};
use crate::key::Key;
use std::hash::BuildHasher;

impl<K: Key, V, S: BuildHasher> SparseSecondaryMap<K, V, S> {
    /// Reserves memory for `additional` more values. O(n) if the table grows.
    ///
    /// # Panics
    ///
    /// If [`try_reserve`](Self::try_reserve) returns an error.
    ///
    /// # Examples
    ///
    /// ```
    /// # use stayput::{DefaultKey, SparseSecondaryMap};
    /// let mut burning: SparseSecondaryMap<DefaultKey, u32> = SparseSecondaryMap::new();
    /// burning.reserve(10);
    /// assert!(burning.capacity() >= 10);
    /// ```
    #[track_caller]
    pub fn reserve(&mut self, additional: usize) {
        unwrap_or_panic(self.try_reserve(additional));
    }

    /// [`reserve`](Self::reserve), or the error.
    ///
    /// # Errors
    ///
    /// If the table, including the places that it keeps empty, would exceed `isize::MAX` bytes
    /// ([`CapacityOverflow`](crate::ErrorKind::CapacityOverflow)), or the allocator refuses memory
    /// ([`Memory`](crate::ErrorKind::Memory)). The map is unchanged then.
    pub fn try_reserve(&mut self, additional: usize) -> Result<(), Error> {
        let hash_builder = &self.hash_builder;
        try_reserve(&mut self.table, additional, hash_of(hash_builder))
    }

    /// Shrinks the table to the smallest size that has room for the values. O(n) in the capacity.
    ///
    /// # Examples
    ///
    /// ```
    /// # use stayput::{DefaultKey, SparseSecondaryMap};
    /// let mut burning: SparseSecondaryMap<DefaultKey, u32> = SparseSecondaryMap::with_capacity(100);
    /// burning.shrink_to_fit();
    /// assert!(burning.capacity() < 100);
    /// ```
    pub fn shrink_to_fit(&mut self) {
        let hash_builder = &self.hash_builder;
        self.table.shrink_to_fit(hash_of(hash_builder));
    }
}
