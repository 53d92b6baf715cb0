//! Access to values by the index of their slot, without keys.

#![forbid(unsafe_code)]

use super::SlotMap;
use crate::key::Key;

impl<K: Key, V> SlotMap<K, V> {
    /// Returns the slot of a key, if its value is in the map. Converts the key once.
    #[inline]
    pub(crate) fn slot_of(&self, key: K) -> Option<u32> {
        let (index, generation) = self.parts_of(key);
        self.slots.get(index, generation).map(|_| index)
    }

    /// Returns the number of slots, including vacant ones.
    #[inline]
    pub(crate) fn slot_count(&self) -> u32 {
        // Saturates: the last index is never used.
        u32::try_from(self.slots.len()).unwrap_or(u32::MAX)
    }

    #[inline]
    pub(crate) fn in_slot(&self, index: u32) -> Option<&V> {
        self.slots.at_index(index).map(|(_, value)| value)
    }

    #[inline]
    pub(crate) fn in_slot_mut(&mut self, index: u32) -> Option<&mut V> {
        self.slots.at_index_mut(index).map(|(_, value)| value)
    }
}
