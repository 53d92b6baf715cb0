//! Looking up values.

#![forbid(unsafe_code)]

use super::SharedSlotMap;
use crate::key::Key;
use std::ptr;

impl<K: Key, V> SharedSlotMap<K, V> {
    /// Returns the number of values. O(1): adds up several counters.
    ///
    /// Insertions and removals that are in progress in other threads may or may not be counted.
    pub fn len(&self) -> usize {
        // Loaded first, so that a value that comes and goes meanwhile is not counted only as removed.
        let removed = self.removals.count();
        (self.view.first_len() + self.issued()).saturating_sub(removed)
    }

    /// Returns `true` if the map has no values; see [`len`](Self::len).
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Returns the type id of the map, if it was built with [one](crate::SharedSlotMapBuilder::type_id). O(1).
    #[inline]
    pub const fn type_id(&self) -> Option<u32> {
        self.view.type_id().get()
    }

    /// Returns the value of a key; `None` if it was removed. O(1). Takes no lock.
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
        self.find(key).map(|found| found.value)
    }

    /// Returns `true` if the value of a key is in the map. O(1).
    #[inline]
    pub fn contains_key(&self, key: K) -> bool {
        self.find(key).is_some()
    }

    /// Returns the value in a slot, whatever its generation, and its key. O(1).
    ///
    /// # Examples
    ///
    /// ```
    /// # use stayput::{Key, SharedSlotMap};
    /// let map = SharedSlotMap::new();
    /// let (key, _) = map.insert("a");
    /// assert_eq!(map.get_by_index(key.index()), Some((key, &"a")));
    /// map.remove(key);
    /// assert_eq!(map.get_by_index(key.index()), None);
    /// ```
    #[inline]
    pub fn get_by_index(&self, index: u32) -> Option<(K, &V)> {
        let found = self.view.slot(index)?.live(index)?;
        Some((self.view.mint().key(index, found.generation), found.value))
    }

    /// Returns the key of a value in the map, given a reference to it; `None` if the value was removed. See
    /// [`SlotMap::key_of`](crate::SlotMap::key_of). O(1), with one division.
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
        let index = self.view.index_at(ptr::from_ref(value).addr())?;
        self.get_by_index(index).map(|(key, _)| key)
    }
}
