//! Looking values up.

#![expect(unsafe_code, reason = "reads values of slots that were seen to be live")]

use super::SharedSlotMap;
use super::deal;
use super::ground::state_of;
use crate::key::Key;
use crate::slots::state::State;
use std::ptr;
use std::sync::atomic::Ordering;

impl<K: Key, V> SharedSlotMap<K, V> {
    /// The number of values. Those count that were put in, or are just being put in, by whomever, and were not taken out:
    /// so it is exact when no other call is under way.
    ///
    /// O(1): several counts are added up.
    pub fn len(&self) -> usize {
        // First, so that what comes and goes meanwhile is not counted as gone alone.
        let counts = self.removals.iter().map(|count| count.0.load(Ordering::Acquire));
        let removed = counts.fold(0, usize::wrapping_add);
        (self.ground.first_len() + self.dealt()).saturating_sub(removed)
    }

    /// Whether there are no values. As [`len`](Self::len).
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The type number of the map, if it was made with [one](crate::SharedSlotMapBuilder::type_id). O(1).
    #[inline]
    pub const fn type_id(&self) -> Option<u32> {
        self.ground.number().get()
    }

    /// The value of a key. O(1); no lock.
    ///
    /// # Examples
    ///
    /// ```
    /// # use stayput::{DefaultKey, Key, SharedSlotMap};
    /// let map = SharedSlotMap::new();
    /// let (key, _) = map.insert("bar");
    /// assert_eq!(map.get(key), Some(&"bar"));
    /// assert_eq!(map.get(DefaultKey::null()), None);
    /// ```
    #[inline]
    pub fn get(&self, key: K) -> Option<&V> {
        let (slot, _) = self.find(key)?;
        // SAFETY: just seen.
        Some(unsafe { self.value(slot) })
    }

    /// Whether the key's value is in the map. O(1).
    #[inline]
    pub fn contains_key(&self, key: K) -> bool {
        self.find(key).is_some()
    }

    /// The value in a slot, whatever its generation, and its key. O(1).
    #[inline]
    pub fn get_by_index(&self, index: u32) -> Option<(K, &V)> {
        let slot = self.ground.slot(index)?;
        // SAFETY: it may be looked at, for as long as `self` is shared.
        let state = unsafe { state_of(slot) };
        let generation = State::from_bits(deal::seen(state)).live_generation()?;
        // SAFETY: just seen.
        let value = unsafe { self.value(slot) };
        Some((self.ground.mint().key(index, generation), value))
    }

    /// The key of a value in the map, from a reference to it; see [`SlotMap::key_of`](crate::SlotMap::key_of). `None` if it was taken out. O(1),
    /// one division.
    ///
    /// # Examples
    ///
    /// ```
    /// # use stayput::SharedSlotMap;
    /// let map = SharedSlotMap::new();
    /// let (key, value) = map.insert(1.5);
    /// assert_eq!((map.key_of(value), map.key_of(&2.5)), (Some(key), None));
    /// map.remove(key);
    /// assert_eq!(map.key_of(value), None);
    /// ```
    pub fn key_of(&self, value: &V) -> Option<K> {
        let index = self.ground.index_at::<V>(ptr::from_ref(value).addr())?;
        self.get_by_index(index).map(|(key, _)| key)
    }
}
