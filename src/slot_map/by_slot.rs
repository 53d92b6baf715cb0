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

    /// Asks for a slot by its number, whether or not there is such a one.
    #[inline]
    pub(crate) fn ask_for_slot(&self, index: u32) {
        self.slots.ahead().ask_for(index);
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

    /// Takes a value out by what is in its key.
    #[inline]
    pub(crate) fn remove_parts(&mut self, (index, generation): (u32, u32)) -> Option<V> {
        self.remove_at(index, generation)
    }

    /// Takes out what is in a slot, with its generation, for those who go over all of them.
    #[inline]
    pub(crate) fn take_slot(&mut self, index: u32) -> Option<(u32, V)> {
        if index < self.slot_count() { self.take_at(index) } else { None }
    }
}
