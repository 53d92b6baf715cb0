//! The traits of std.

use super::{IntoIter, IntoKeys, IntoValues, Iter, IterMut, SlotMap};
use crate::error::{Error, or_give_up};
use crate::key::Key;
use crate::slots::array::{Slots, indices};
use crate::slots::holes::Holes;
use crate::slots::key_tag::Mint;
use crate::slots::state::{State, Vacant};
use crate::slots::walk::WalkOwned;
use std::fmt;
use std::mem;

default_by!([K: Key, V] SlotMap<K, V>, with_key);

impl<K: Key, V: Clone> Clone for SlotMap<K, V> {
    /// A copy with the same options, the same type number, the same keys, holes that are filled in the same order, and
    /// values at other addresses. Linear in the slots.
    ///
    /// # Panics
    ///
    /// Where [`try_clone`](SlotMap::try_clone) has an error.
    #[track_caller]
    fn clone(&self) -> Self {
        or_give_up(self.try_clone())
    }
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
        clone.number = self.number;
        clone.slots.extend_vacant(self.slots.len())?;
        clone.holes = self.holes.try_clone(clone.slots.max_len())?;
        clone.cover_holes()?;
        // Should the clone of a value panic, those that are there already are at no hole, and are
        // dropped with the map.
        for index in indices(0..self.slots.len()) {
            let state = self.slots.state(index);
            if let Some((generation, value)) = self.slots.at_index(index) {
                clone.slots.fill(index, generation, value.clone());
            } else if state != State::EMPTY {
                // What reads as empty is so already, untouched.
                clone.slots.set_vacant(index, Vacant::after(state.generation()));
            }
        }
        (clone.detached, clone.highest) = (self.detached, self.highest);
        Ok(clone)
    }
}

debug_items!([K: Key, V: fmt::Debug] SlotMap<K, V>, debug_map, |map| map);

index_by_key!([K: Key, V] SlotMap<K, V> => mut V);

impl<K: Key, V: PartialEq> PartialEq for SlotMap<K, V> {
    /// Whether both have the same keys with equal values. What was in a slot before does not count:
    /// maps that are equal may make different keys for the next value. Keys of another
    /// [type number](crate::SlotMapBuilder::type_id) are others, those of none are as of number 0. Linear in the slots that are no
    /// holes.
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
        // No tag that a user wrote is in keys that a map makes.
        let are_alike = self.mint().tag() == other.mint().tag() || self.is_empty();
        are_alike
            && self.len() == other.len()
            && self.iter().all(|(key, value)| other.get(key).is_some_and(|v| value == v))
    }
}

impl<K: Key, V: Eq> Eq for SlotMap<K, V> {}

impl<K: Key, V, const N: usize> From<[V; N]> for SlotMap<K, V> {
    /// A map with these values, in their order; see [`keys`](SlotMap::keys) for the keys.
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
    #[track_caller]
    fn from(values: [V; N]) -> Self {
        Self::from_iter(values)
    }
}

collect_by_extend! {
    /// A map with these values, in their order; see [`keys`](SlotMap::keys), or
    /// [`insert_many`](SlotMap::insert_many), for the keys.
    ///
    /// # Panics
    ///
    /// As for [`insert`](SlotMap::insert).
    [K: Key, V] SlotMap<K, V>: V
}

impl<K: Key, V> Extend<V> for SlotMap<K, V> {
    /// Puts all values in; see [`insert_many`](SlotMap::insert_many) for the keys.
    ///
    /// # Panics
    ///
    /// As for [`insert`](SlotMap::insert).
    #[track_caller]
    fn extend<I: IntoIterator<Item = V>>(&mut self, values: I) {
        /// Wants no keys.
        struct Nothing;

        impl<K> Extend<K> for Nothing {
            fn extend<I: IntoIterator<Item = K>>(&mut self, keys: I) {
                keys.into_iter().for_each(drop);
            }
        }

        self.insert_many(values, &mut Nothing);
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
