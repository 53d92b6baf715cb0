//! What std's traits ask for.

#![forbid(unsafe_code)]

use super::{Iter, SharedSlotMap};
use crate::key::Key;
use crate::slot_map::{IntoIter, SlotMap};
use std::fmt;

default_by!([K: Key, V] SharedSlotMap<K, V>, with_key);

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

index_by_key!([K: Key, V] SharedSlotMap<K, V> => V);

impl<K: Key, V> IntoIterator for SharedSlotMap<K, V> {
    type Item = (K, V);
    type IntoIter = IntoIter<K, V>;

    fn into_iter(self) -> IntoIter<K, V> {
        self.into_inner().into_iter()
    }
}

iterate_by_ref!([K: Key, V] SharedSlotMap<K, V>: (K, &'a V) => Iter<'a, K, V>);

debug_items!([K: Key, V: fmt::Debug] SharedSlotMap<K, V>, debug_map, |map| map);
