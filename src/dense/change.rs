//! Taking values out.

use super::{DenseSlotMap, Rows};
use crate::key::Key;
use crate::vec::VmVec;
use std::iter::FusedIterator;

impl<K: Key, V, S: Rows<Value = V>> DenseSlotMap<K, V, S> {
    /// Takes a value out, and has the last one take its place. O(1).
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

    /// Takes a row out whose key is not in the table any more, and has the last one take its place.
    #[inline]
    fn close(&mut self, row: u32) -> V {
        self.order.is_touched = true;
        let at = row as usize;
        // First, since it asks the key, which may be of a user's type.
        match self.keys.last() {
            Some(&moved) if at + 1 < self.keys.len() => self.note(moved, row),
            _ => {}
        }
        self.keys.swap_remove(at);
        let parts = self.rows.swap_remove(at);
        // Last, since it may be a user's code.
        S::put_together(parts)
    }

    /// Has the table say in which row the value of a key is.
    #[inline]
    pub(super) fn note(&mut self, key: K, row: u32) {
        if let Some(known) = self.table.get_mut(key) {
            *known = row;
        }
    }

    /// Takes out and drops the values of all these keys, and returns how many there were.
    ///
    /// In a large map this is faster than one call for each: the memory of a value is asked for some
    /// keys ahead of its turn. So keys may be taken out of the iterator up to 32 ahead.
    ///
    /// Should a drop, or the iterator, panic, what was taken out before is out, and all else stays, also
    /// what is named by keys that were taken ahead.
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

    /// Takes a value out but keeps its key for it, so that it can be put back by
    /// [`reattach`](Self::reattach). O(1).
    ///
    /// Until then the key finds nothing, and is given to no other value.
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

    /// Drops all values. Keys stay stale, detached ones detached, and memory stays committed.
    ///
    /// Linear in the values that have something to drop, and where [`SlotMap::clear`](crate::SlotMap::clear) is for the
    /// table, in all.
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

    /// Drops all values, and forgets all keys there ever were: the map is as new, but for what is
    /// committed. What that risks, [`SlotMap::reset`](crate::SlotMap::reset) says.
    pub fn reset(&mut self) {
        self.table.reset();
        self.clear_rows();
    }

    fn clear_rows(&mut self) {
        self.order.forget();
        self.keys.clear();
        // Last, since it drops values.
        self.rows.clear();
    }

    /// Takes all values out, from the last row to the first. What is left when the iterator is dropped
    /// is dropped; if it is forgotten, that stays in the map.
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

    /// Takes the last row out.
    fn pop_row(&mut self) -> Option<(K, V)> {
        let key = self.keys.last().copied()?;
        self.order.is_touched = true;
        self.table.remove(key);
        self.keys.pop();
        Some((key, S::put_together(self.rows.pop()?)))
    }

    /// Goes over the rows and drops those that `keep` is not for; it is given the rows, and the number of one.
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

    /// Takes out a row, whose key is that.
    fn take_row(&mut self, key: K, row: usize) -> V {
        self.table.remove(key);
        // Whatever a user's key type says: of a number that fits, since the table gave it.
        self.close(u32::try_from(row).unwrap_or(u32::MAX))
    }
}

impl<K: Key, V> DenseSlotMap<K, V> {
    /// Keeps the values of which `keep` says so, and drops the others, each of whose places is taken by the last
    /// value then. Each value is looked at once.
    ///
    /// Should `keep`, or a drop, panic, all that was not dropped stays.
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

    /// Takes out, one by one as the iterator is asked, the values that the predicate names. The place of each is
    /// taken by the last value, which is looked at next.
    ///
    /// What it has not come to when it is dropped, or forgotten, stays, as does a value at which the
    /// predicate panics.
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

/// Takes all values out of a [`DenseSlotMap`], made by [`DenseSlotMap::drain`].
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
        // Should the drop of a value panic, the others are dropped nevertheless.
        self.map.clear();
    }
}

debug_left!([K: Key, V, S: Rows<Value = V>] Drain<'_, K, V, S>, "Drain", |iter| iter.map.len());

/// Takes out of a [`DenseSlotMap`] the values that a predicate names, made by [`DenseSlotMap::extract_if`].
///
/// What it has not come to when it is dropped, or forgotten, stays in the map.
#[must_use = "iterators are lazy and do nothing unless consumed"]
pub struct ExtractIf<'m, K: Key, V, F> {
    map: &'m mut DenseSlotMap<K, V>,
    /// Which it comes to next.
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
