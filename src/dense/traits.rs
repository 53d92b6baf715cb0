//! Implementations of std's traits.

use super::{DenseSlotMap, Rows};
use crate::error::Error;
use crate::key::Key;
use std::fmt;

impl<K: Key, V, S: Rows<Value = V> + Clone> Clone for DenseSlotMap<K, V, S> {
    /// Returns a copy with the same options, keys and order of values, at other addresses. O(n) in the values and the
    /// slots of the table.
    ///
    /// # Panics
    ///
    /// As for [`reserve`](DenseSlotMap::reserve); see [`try_clone`](DenseSlotMap::try_clone).
    ///
    /// # Examples
    ///
    /// ```
    /// # use stayput::DenseSlotMap;
    /// let mut doors = DenseSlotMap::new();
    /// let cellar = doors.insert("open");
    /// let saved = doors.clone();
    /// doors[cellar] = "shut";
    /// assert_eq!((saved[cellar], doors[cellar]), ("open", "shut")); // the same key in both
    /// ```
    #[track_caller]
    fn clone(&self) -> Self {
        Self::of(self.table.clone(), self.keys.clone(), self.rows.clone())
    }
}

impl<K: Key, V: Clone> DenseSlotMap<K, V> {
    /// Returns a copy as [`clone`](Self::clone) does, or the error.
    ///
    /// # Errors
    ///
    /// As for [`try_reserve`](Self::try_reserve).
    pub fn try_clone(&self) -> Result<Self, Error> {
        let table = self.table.try_clone().map_err(Self::explain)?;
        let keys = self.keys.try_clone().map_err(Self::explain)?;
        let rows = self.rows.try_clone().map_err(Self::explain)?;
        Ok(Self::of(table, keys, rows))
    }
}

debug_items!([K: Key, V: fmt::Debug] DenseSlotMap<K, V>, debug_map, |map| map);

index_by_key!([K: Key, V] DenseSlotMap<K, V> => mut V);

impl<K: Key, V: PartialEq> PartialEq for DenseSlotMap<K, V> {
    /// Returns `true` if both maps have the same keys with equal values, in any order. O(n).
    fn eq(&self, other: &Self) -> bool {
        self.len() == other.len()
            && self.keys.first().map(Key::tag) == other.keys.first().map(Key::tag)
            && self.iter().all(|(key, value)| other.get(key).is_some_and(|v| value == v))
    }
}

impl<K: Key, V: Eq> Eq for DenseSlotMap<K, V> {}

from_by_collect! {
    /// Creates a map with these values, in order; [`keys`](DenseSlotMap::keys) returns their keys.
    ///
    /// # Panics
    ///
    /// As for [`insert`](DenseSlotMap::insert).
    [K: Key, V, const N: usize] [V; N] => DenseSlotMap<K, V>
}

collect_by_extend! {
    /// Creates a map with these values, in order; [`keys`](DenseSlotMap::keys) returns their keys.
    ///
    /// # Panics
    ///
    /// As for [`insert`](DenseSlotMap::insert).
    [K: Key, V, S: Rows<Value = V>] DenseSlotMap<K, V, S>: V
}

impl<K: Key, V, S: Rows<Value = V>> Extend<V> for DenseSlotMap<K, V, S> {
    /// Inserts all values; see [`insert_many`](DenseSlotMap::insert_many) for the keys.
    ///
    /// # Panics
    ///
    /// As for [`insert`](DenseSlotMap::insert).
    #[track_caller]
    fn extend<I: IntoIterator<Item = V>>(&mut self, values: I) {
        let values = values.into_iter();
        let room = self.max_len() - self.len();
        let _ = self.try_reserve(values.size_hint().0.min(room));
        for value in values {
            self.insert(value);
        }
    }
}
