//! Implementations of std's traits.

use super::{IntoIter, IntoKeys, IntoValues, Iter, IterMut, SlotMap};
use crate::container::into_walk_methods;
use crate::error::Error;
use crate::key::Key;
use crate::slots::array::Slots;
use crate::slots::holes::Holes;
use crate::slots::key_tag::Mint;
use crate::slots::walk::WalkOwned;
use std::fmt;
use std::mem;

default_by!([K: Key, V] SlotMap<K, V>, with_key);

clone_by_try! {
    /// Returns a copy with the same options, type id and keys. Holes are filled in the same order, and values have
    /// other addresses. O(n) in the slots.
    ///
    /// # Panics
    ///
    /// If [`try_clone`](SlotMap::try_clone) returns an error.
    ///
    /// # Examples
    ///
    /// ```
    /// # use stayput::SlotMap;
    /// let mut doors = SlotMap::new();
    /// let cellar = doors.insert("open");
    /// let saved = doors.clone();
    /// doors[cellar] = "shut";
    /// assert_eq!((saved[cellar], doors[cellar]), ("open", "shut")); // the same key in both
    /// ```
    [K: Key, V: Clone] SlotMap<K, V>
}

impl<K: Key, V: Clone> SlotMap<K, V> {
    /// [`clone`](Self::clone), or the error.
    ///
    /// # Errors
    ///
    /// As for [`try_reserve`](Self::try_reserve).
    pub fn try_clone(&self) -> Result<Self, Error> {
        let mut slots = Slots::try_new(self.slots.options(), 0)?;
        slots.try_reserve_exact(self.slots.len())?;
        let mut clone = Self::with_slots(slots);
        clone.type_id = self.type_id;
        clone.holes = self.holes.try_clone(clone.slots.capacity(), clone.slots.max_len())?;
        // If cloning a value panics, the values that were cloned before are in slots that are not holes, and the map
        // drops them.
        clone.slots.try_extend_cloned(&self.slots)?;
        (clone.detached, clone.highest) = (self.detached, self.highest);
        Ok(clone)
    }
}

debug_items!([K: Key, V: fmt::Debug] SlotMap<K, V>, debug_map, |map| map);

index_by_key!([K: Key, V] SlotMap<K, V> => mut V);

impl<K: Key, V: PartialEq> PartialEq for SlotMap<K, V> {
    /// Returns `true` if both maps have the same keys with equal values. Earlier values of a slot do not count, so
    /// equal maps may make different keys for the next value. Keys with different [type
    /// ids](crate::SlotMapBuilder::type_id) are different; keys of a map without a type id compare as those of type id
    /// 0. O(n) in the slots that are not holes.
    ///
    /// # Examples
    ///
    /// ```
    /// # use stayput::{DefaultKey, SlotMap};
    /// let map: SlotMap<DefaultKey, u32> = [1, 2].into();
    /// let mut other = map.clone();
    /// assert_eq!(map, other);
    /// let key = other.insert(3);
    /// assert_ne!(map, other);
    /// other.remove(key);
    /// assert_eq!(map, other);
    /// ```
    fn eq(&self, other: &Self) -> bool {
        // Keys that a map makes never contain a tag that the user wrote.
        let are_alike = self.mint().tag() == other.mint().tag() || self.is_empty();
        are_alike
            && self.len() == other.len()
            && self.iter().all(|(key, value)| other.get(key).is_some_and(|v| value == v))
    }
}

impl<K: Key, V: Eq> Eq for SlotMap<K, V> {}

from_by_collect! {
    /// Creates a map of these values, inserted in order; see [`keys`](SlotMap::keys) for their keys.
    ///
    /// # Panics
    ///
    /// As for [`insert`](SlotMap::insert).
    ///
    /// # Examples
    ///
    /// ```
    /// # use stayput::{DefaultKey, SlotMap};
    /// let map: SlotMap<DefaultKey, &str> = ["a", "b"].into();
    /// assert!(map.values().eq(&["a", "b"]));
    /// ```
    [K: Key, V, const N: usize] [V; N] => SlotMap<K, V>
}

collect_by_extend! {
    /// Creates a map of these values, inserted in order. For their keys, see [`keys`](SlotMap::keys) or
    /// [`insert_many`](SlotMap::insert_many).
    ///
    /// # Panics
    ///
    /// As for [`insert`](SlotMap::insert).
    [K: Key, V] SlotMap<K, V>: V
}

impl<K: Key, V> Extend<V> for SlotMap<K, V> {
    /// Inserts all values; see [`insert_many`](SlotMap::insert_many) for a method that returns their keys.
    ///
    /// # Panics
    ///
    /// As for [`insert`](SlotMap::insert).
    #[track_caller]
    fn extend<I: IntoIterator<Item = V>>(&mut self, values: I) {
        /// Discards the keys.
        struct DiscardKeys;

        impl<K> Extend<K> for DiscardKeys {
            fn extend<I: IntoIterator<Item = K>>(&mut self, keys: I) {
                keys.into_iter().for_each(drop);
            }
        }

        self.insert_many(values, &mut DiscardKeys);
    }
}

iterate_by_ref! {
    [K: Key, V] SlotMap<K, V>:
    (K, &'a V) => Iter<'a, K, V>, (K, &'a mut V) => IterMut<'a, K, V>
}

into_walk_methods!(SlotMap);

impl<K: Key, V> SlotMap<K, V> {
    pub(crate) fn into_walk(mut self) -> (WalkOwned<V>, usize, Mint<K>) {
        let (left, mint) = (self.len(), self.mint());
        let slots = mem::replace(&mut self.slots, Slots::new(Self::OPTIONS));
        let holes = mem::replace(&mut self.holes, Holes::new());
        (WalkOwned::new(slots, holes.into_words()), left, mint)
    }
}
