//! What std's traits ask for.

#![forbid(unsafe_code)]

use super::{Iter, SharedSlotMap};
use crate::key::{Key, no_such_key};
use crate::slot_map::{IntoIter, SlotMap};
use std::fmt;
use std::ops::Index;

impl<K: Key, V> Default for SharedSlotMap<K, V> {
    /// An empty map; see [`SharedSlotMap::with_key`].
    fn default() -> Self {
        Self::with_key()
    }
}

impl<K: Key, V> From<SlotMap<K, V>> for SharedSlotMap<K, V> {
    /// With all its keys and options. O(1): nothing moves.
    fn from(map: SlotMap<K, V>) -> Self {
        let mut shared = Self::with_key();
        *shared.as_mut_map() = map;
        shared
    }
}

impl<K: Key, V> From<SharedSlotMap<K, V>> for SlotMap<K, V> {
    /// As [`SharedSlotMap::into_inner`].
    fn from(shared: SharedSlotMap<K, V>) -> Self {
        shared.into_inner()
    }
}

impl<K: Key, V> FromIterator<V> for SharedSlotMap<K, V> {
    #[track_caller]
    fn from_iter<I: IntoIterator<Item = V>>(values: I) -> Self {
        SlotMap::from_iter(values).into()
    }
}

impl<K: Key, V> Extend<V> for SharedSlotMap<K, V> {
    /// As for a [`SlotMap`].
    #[track_caller]
    fn extend<I: IntoIterator<Item = V>>(&mut self, values: I) {
        self.as_mut_map().extend(values);
    }
}

impl<K: Key, V> Index<K> for SharedSlotMap<K, V> {
    type Output = V;

    /// # Panics
    ///
    /// If the key's value is not in the map.
    #[inline]
    #[track_caller]
    fn index(&self, key: K) -> &V {
        match self.get(key) {
            Some(value) => value,
            None => no_such_key(key),
        }
    }
}

impl<K: Key, V> IntoIterator for SharedSlotMap<K, V> {
    type Item = (K, V);
    type IntoIter = IntoIter<K, V>;

    fn into_iter(self) -> IntoIter<K, V> {
        self.into_inner().into_iter()
    }
}

impl<'s, K: Key, V> IntoIterator for &'s SharedSlotMap<K, V> {
    type Item = (K, &'s V);
    type IntoIter = Iter<'s, K, V>;

    /// As [`SharedSlotMap::iter`].
    fn into_iter(self) -> Iter<'s, K, V> {
        self.iter()
    }
}

impl<K: Key, V: fmt::Debug> fmt::Debug for SharedSlotMap<K, V> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_map().entries(self).finish()
    }
}
