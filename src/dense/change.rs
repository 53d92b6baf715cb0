//! Removal of values.

use super::{DenseSlotMap, Rows};
use crate::key::Key;
use crate::vec::VmVec;
use std::iter::FusedIterator;

impl<K: Key, V, S: Rows<Value = V>> DenseSlotMap<K, V, S> {
    /// Removes a value and returns it. The last value takes its place. O(1).
    ///
    /// # Examples
    ///
    /// ```
    /// # use stayput::DenseSlotMap;
    /// let mut map = DenseSlotMap::new();
    /// let keys = ["a", "b", "c"].map(|value| map.insert(value));
    /// assert_eq!(map.remove(keys[0]), Some("a"));
    /// assert_eq!(map.remove(keys[0]), None);
    /// assert_eq!(map.as_slice(), ["c", "b"]);
    /// ```
    #[inline]
    pub fn remove(&mut self, key: K) -> Option<V> {
        let row = self.table.remove(key)?;
        Some(self.close(row))
    }

    /// Removes the row of a key that was just removed from the table. The last row takes its place.
    #[inline]
    fn close(&mut self, row: u32) -> V {
        self.order.is_touched = true;
        let at = row as usize;
        // First, because it calls the key, which may be of a user's type.
        match self.keys.last() {
            Some(&moved) if at + 1 < self.keys.len() => self.note(moved, row),
            _ => {}
        }
        self.keys.swap_remove(at);
        let parts = self.rows.swap_remove(at);
        // Last, because it may run user code.
        S::from_parts(parts)
    }

    /// Stores the row of a key's value in the table.
    #[inline]
    pub(super) fn note(&mut self, key: K, row: u32) {
        if let Some(known) = self.table.get_mut(key) {
            *known = row;
        }
    }

    /// Removes and drops the values of all given keys, and returns how many there were.
    ///
    /// In a large map this is faster than one call for each: the memory of a value is prefetched some keys ahead of its
    /// turn. Up to 32 keys may therefore be taken from the iterator ahead.
    ///
    /// If a drop or the iterator panics, what was removed before stays removed, and everything else stays, including
    /// the values of keys that were taken ahead.
    ///
    /// # Examples
    ///
    /// ```
    /// # use stayput::DenseSlotMap;
    /// let mut map = DenseSlotMap::new();
    /// let keys = [map.insert(1), map.insert(2)];
    /// assert_eq!(map.remove_many([keys[0], keys[0], keys[1]]), 2);
    /// ```
    pub fn remove_many(&mut self, keys: impl IntoIterator<Item = K>) -> usize {
        let mut removed = 0;
        self.visit_many(keys, |map, key| removed += usize::from(map.remove(key).is_some()));
        removed
    }

    /// Removes a value and returns it, but keeps its key, so that [`reattach`](Self::reattach) can put the value back.
    /// O(1).
    ///
    /// Until then the key finds nothing and is not given to another value.
    ///
    /// # Examples
    ///
    /// ```
    /// # use stayput::DenseSlotMap;
    /// let mut map = DenseSlotMap::new();
    /// let key = map.insert(42);
    /// assert_eq!(map.detach(key), Some(42));
    /// assert_eq!(map.get(key), None);
    /// map.reattach(key, 43);
    /// assert_eq!(map[key], 43);
    /// ```
    pub fn detach(&mut self, key: K) -> Option<V> {
        let row = self.table.detach(key)?;
        Some(self.close(row))
    }

    /// Removes all values. Their keys become stale, detached keys stay detached, and memory stays committed.
    ///
    /// O(n) if values need to be dropped, plus the time of [`SlotMap::clear`](crate::SlotMap::clear) for the table.
    ///
    /// # Examples
    ///
    /// ```
    /// # use stayput::DenseSlotMap;
    /// let mut map = DenseSlotMap::new();
    /// let old = map.insert(1);
    /// map.clear();
    /// let new = map.insert(2);
    /// assert_eq!((map.get(old), map[new]), (None, 2));
    /// ```
    pub fn clear(&mut self) {
        self.table.clear();
        self.clear_rows();
    }

    /// Drops all values and forgets all keys: the map is as new, except for its committed memory.
    /// [`SlotMap::reset`](crate::SlotMap::reset) describes the risk.
    ///
    /// # Examples
    ///
    /// ```
    /// # use stayput::DenseSlotMap;
    /// let mut map = DenseSlotMap::new();
    /// let old = map.insert("old");
    /// map.reset();
    /// let new = map.insert("new");
    /// assert_eq!(new, old); // keys start over, so this one finds another value
    /// assert_eq!(map[old], "new");
    /// ```
    pub fn reset(&mut self) {
        self.table.reset();
        self.clear_rows();
    }

    fn clear_rows(&mut self) {
        self.order.forget();
        self.keys.clear();
        // Last, because it drops values.
        self.rows.clear();
    }

    /// Removes all values and returns them as an iterator, from the last row to the first. Dropping the iterator drops
    /// the remaining values; if it is leaked, they stay in the map.
    ///
    /// # Examples
    ///
    /// ```
    /// # use stayput::{DefaultKey, DenseSlotMap};
    /// let mut map: DenseSlotMap<DefaultKey, u32> = (0..3).collect();
    /// assert!(map.drain().map(|(_, n)| n).eq([2, 1, 0]));
    /// assert!(map.is_empty());
    /// ```
    pub fn drain(&mut self) -> Drain<'_, K, V, S> {
        Drain { map: self }
    }

    fn pop_row(&mut self) -> Option<(K, V)> {
        let key = self.keys.last().copied()?;
        self.order.is_touched = true;
        self.table.remove(key);
        self.keys.pop();
        Some((key, S::from_parts(self.rows.pop()?)))
    }

    /// Drops the rows for which `keep` returns `false`. `keep` receives the rows and the number of one of them.
    pub(super) fn retain_rows(&mut self, mut keep: impl FnMut(K, &mut S, usize) -> bool) {
        self.order.is_touched = true;
        let mut row = 0;
        while let Some(&key) = self.keys.get(row) {
            if keep(key, &mut self.rows, row) {
                row += 1;
            } else {
                drop(self.take_row(key, row));
            }
        }
    }

    fn take_row(&mut self, key: K, row: usize) -> V {
        self.table.remove(key);
        // The row was in the table, so it fits into a `u32`, whatever a user's key type does.
        self.close(u32::try_from(row).unwrap_or(u32::MAX))
    }
}

impl<K: Key, V> DenseSlotMap<K, V> {
    /// Keeps the values for which `keep` returns `true`, and drops the others. The last value takes the place of each
    /// dropped value. Each value is visited once.
    ///
    /// If `keep` or a drop panics, all values not yet dropped stay.
    ///
    /// # Examples
    ///
    /// ```
    /// # use stayput::{DefaultKey, DenseSlotMap};
    /// let mut map: DenseSlotMap<DefaultKey, u32> = (0..6).collect();
    /// map.retain(|_, n| *n % 2 == 0);
    /// assert_eq!(map.as_slice(), [0, 4, 2]);
    /// ```
    pub fn retain<F: FnMut(K, &mut V) -> bool>(&mut self, mut keep: F) {
        self.retain_rows(|key, rows, row| keep(key, &mut rows[row]));
    }

    /// Returns an iterator that removes the values for which the predicate returns `true`. The last value takes the
    /// place of each removed value, and is visited next.
    ///
    /// Values not yet visited when the iterator is dropped or leaked stay, as does a value for which the predicate
    /// panics.
    ///
    /// # Examples
    ///
    /// ```
    /// # use stayput::{DefaultKey, DenseSlotMap};
    /// let mut map: DenseSlotMap<DefaultKey, u32> = (0..6).collect();
    /// let odd: Vec<u32> = map.extract_if(|_, n| *n % 2 == 1).map(|(_, n)| n).collect();
    /// assert_eq!(odd, [1, 5, 3]);
    /// assert_eq!(map.as_slice(), [0, 4, 2]);
    /// ```
    pub fn extract_if<F: FnMut(K, &mut V) -> bool>(
        &mut self,
        predicate: F,
    ) -> ExtractIf<'_, K, V, F> {
        self.order.is_touched = true;
        ExtractIf { map: self, row: 0, predicate }
    }
}

/// An iterator that removes all values from a [`DenseSlotMap`].
///
/// This struct is created by [`DenseSlotMap::drain`]. See its documentation for more.
pub struct Drain<'a, K: Key, V, S: Rows<Value = V> = VmVec<V>> {
    map: &'a mut DenseSlotMap<K, V, S>,
}

impl<K: Key, V, S: Rows<Value = V>> Iterator for Drain<'_, K, V, S> {
    type Item = (K, V);

    #[inline]
    fn next(&mut self) -> Option<(K, V)> {
        self.map.pop_row()
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        (self.map.len(), Some(self.map.len()))
    }
}

impl<K: Key, V, S: Rows<Value = V>> ExactSizeIterator for Drain<'_, K, V, S> {}

impl<K: Key, V, S: Rows<Value = V>> FusedIterator for Drain<'_, K, V, S> {}

impl<K: Key, V, S: Rows<Value = V>> Drop for Drain<'_, K, V, S> {
    fn drop(&mut self) {
        // If the drop of a value panics, the others are still dropped.
        self.map.clear();
    }
}

debug_left!([K: Key, V, S: Rows<Value = V>] Drain<'_, K, V, S>, "Drain", |iter| iter.map.len());

/// An iterator that removes values from a [`DenseSlotMap`] if a predicate returns `true`.
///
/// This struct is created by [`DenseSlotMap::extract_if`]. See its documentation for more.
///
/// Values not yet visited when it is dropped or leaked stay in the map.
#[must_use = "iterators are lazy and do nothing unless consumed"]
pub struct ExtractIf<'m, K: Key, V, F> {
    map: &'m mut DenseSlotMap<K, V>,
    row: usize,
    predicate: F,
}

impl<K: Key, V, F: FnMut(K, &mut V) -> bool> Iterator for ExtractIf<'_, K, V, F> {
    type Item = (K, V);

    fn next(&mut self) -> Option<(K, V)> {
        let Self { map, row, predicate } = self;
        while let Some(value) = map.rows.as_mut_slice().get_mut(*row) {
            let key = map.keys[*row];
            if predicate(key, value) {
                return Some((key, map.take_row(key, *row)));
            }
            *row += 1;
        }
        None
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        (0, Some(self.map.len() - self.row))
    }
}

impl<K: Key, V, F: FnMut(K, &mut V) -> bool> FusedIterator for ExtractIf<'_, K, V, F> {}

debug_left!([K: Key, V, F] ExtractIf<'_, K, V, F>, "ExtractIf", |iter| iter.map.len() - iter.row);
