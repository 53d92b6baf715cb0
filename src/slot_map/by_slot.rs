//! Values by the numbers of their slots, for who keeps such: no key is made or asked.

#![forbid(unsafe_code)]

use super::SlotMap;
use crate::key::Key;

impl<K: Key, V> SlotMap<K, V> {
    /// The slot of a key, if its value is in the map. Asks the key once.
    #[inline]
    pub(crate) fn slot_of(&self, key: K) -> Option<u32> {
        let (index, generation) = self.parts_of(key);
        self.slots.get(index, generation).map(|_| index)
    }

    /// How many slots there are, vacant ones among them.
    #[inline]
    pub(crate) fn slot_count(&self) -> u32 {
        // One more than can be is none that is there.
        u32::try_from(self.slots.len()).unwrap_or(u32::MAX)
    }

    /// The value in a slot, if there is one.
    #[inline]
    pub(crate) fn in_slot(&self, index: u32) -> Option<&V> {
        self.slots.at_index(index).map(|(_, value)| value)
    }

    /// The same, to be changed.
    #[inline]
    pub(crate) fn in_slot_mut(&mut self, index: u32) -> Option<&mut V> {
        self.slots.at_index_mut(index).map(|(_, value)| value)
    }
}
