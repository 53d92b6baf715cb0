//! The traits of std.

use super::{DenseSlotMap, Rows};
use crate::error::Error;
use crate::key::Key;
use crate::slot_map::traits::no_such_key;
use std::fmt;
use std::ops::{Index, IndexMut};

impl<K: Key, V, S: Rows<Value = V> + Clone> Clone for DenseSlotMap<K, V, S> {
    /// A copy with the same options, the same keys, and values in the same order at other addresses. Linear in the
    /// values, and the slots of the table.
    ///
    /// # Panics
    ///
    /// As for [`reserve`](DenseSlotMap::reserve); see [`try_clone`](DenseSlotMap::try_clone).
    #[track_caller]
    fn clone(&self) -> Self {
        Self::of(self.table.clone(), self.keys.clone(), self.rows.clone())
    }
}

impl<K: Key, V: Clone> DenseSlotMap<K, V> {
    /// [`clone`](Self::clone), or the error.
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

impl<K: Key, V: fmt::Debug> fmt::Debug for DenseSlotMap<K, V> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_map().entries(self).finish()
    }
}

impl<K: Key, V> Index<K> for DenseSlotMap<K, V> {
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

impl<K: Key, V> IndexMut<K> for DenseSlotMap<K, V> {
    /// # Panics
    ///
    /// If the key's value is not in the map.
    #[inline]
    #[track_caller]
    fn index_mut(&mut self, key: K) -> &mut V {
        match self.get_mut(key) {
            Some(value) => value,
            None => no_such_key(key),
        }
    }
}

impl<K: Key, V: PartialEq> PartialEq for DenseSlotMap<K, V> {
    /// Whether both have the same keys with equal values, in whatever order. Linear in the values.
    fn eq(&self, other: &Self) -> bool {
        self.len() == other.len()
            && self.keys.first().map(Key::tag) == other.keys.first().map(Key::tag)
            && self.iter().all(|(key, value)| other.get(key).is_some_and(|v| value == v))
    }
}

impl<K: Key, V: Eq> Eq for DenseSlotMap<K, V> {}

impl<K: Key, V, const N: usize> From<[V; N]> for DenseSlotMap<K, V> {
    /// A map with these values, in their order; see [`keys`](DenseSlotMap::keys) for the keys.
    ///
    /// # Panics
    ///
    /// As for [`insert`](DenseSlotMap::insert).
    #[track_caller]
    fn from(values: [V; N]) -> Self {
        Self::from_iter(values)
    }
}

impl<K: Key, V, S: Rows<Value = V>> FromIterator<V> for DenseSlotMap<K, V, S> {
    /// A map with these values, in their order; see [`keys`](DenseSlotMap::keys) for the keys.
    ///
    /// # Panics
    ///
    /// As for [`insert`](DenseSlotMap::insert).
    #[track_caller]
    fn from_iter<I: IntoIterator<Item = V>>(values: I) -> Self {
        let mut map = Self::default();
        map.extend(values);
        map
    }
}

impl<K: Key, V, S: Rows<Value = V>> Extend<V> for DenseSlotMap<K, V, S> {
    /// Puts all values in; see [`insert_many`](DenseSlotMap::insert_many) for the keys.
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
