//! Taking memory, and giving it back.

use super::{SparseSecondaryMap, hash_of, try_reserve};
use crate::error::{Error, or_give_up};
use crate::key::Key;
use std::hash::BuildHasher;

impl<K: Key, V, S: BuildHasher> SparseSecondaryMap<K, V, S> {
    /// Makes room for `additional` more values. Linear in the values if the table grows.
    ///
    /// # Panics
    ///
    /// Where [`try_reserve`](Self::try_reserve) has an error.
    #[track_caller]
    pub fn reserve(&mut self, additional: usize) {
        or_give_up(self.try_reserve(additional));
    }

    /// [`reserve`](Self::reserve), or the error.
    ///
    /// # Errors
    ///
    /// If the table, with the places that it keeps empty, would be more than `isize::MAX` bytes
    /// ([`CapacityOverflow`](crate::ErrorKind::CapacityOverflow)), or the allocator refuses
    /// ([`Memory`](crate::ErrorKind::Memory)). The map is unchanged then.
    pub fn try_reserve(&mut self, additional: usize) -> Result<(), Error> {
        let hash_builder = &self.hash_builder;
        try_reserve(&mut self.table, additional, hash_of(hash_builder))
    }

    /// Makes the table as small as holds the values. Linear in the capacity.
    pub fn shrink_to_fit(&mut self) {
        let hash_builder = &self.hash_builder;
        self.table.shrink_to_fit(hash_of(hash_builder));
    }
}
