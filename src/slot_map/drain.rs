//! [`Drain`]: taking all values out of a map.

use super::SlotMap;
use super::cursor::Cursor;
use crate::key::Key;
use std::fmt;
use std::iter::FusedIterator;

/// Takes all values out of a [`SlotMap`], made by [`SlotMap::drain`].
pub struct Drain<'a, K: Key, V> {
    map: &'a mut SlotMap<K, V>,
    cursor: Cursor,
}

impl<'a, K: Key, V> Drain<'a, K, V> {
    pub(super) fn new(map: &'a mut SlotMap<K, V>) -> Self {
        let cursor = map.candidates();
        Self { map, cursor }
    }
}

impl<K: Key, V> Iterator for Drain<'_, K, V> {
    type Item = (K, V);

    #[inline]
    fn next(&mut self) -> Option<(K, V)> {
        loop {
            let index = self.cursor.next(self.map.holes.words())?;
            if let Some(item) = self.map.take_at(index) {
                return Some(item);
            }
        }
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        (self.map.len(), Some(self.map.len()))
    }
}

impl<K: Key, V> DoubleEndedIterator for Drain<'_, K, V> {
    #[inline]
    fn next_back(&mut self) -> Option<(K, V)> {
        loop {
            let index = self.cursor.next_back(self.map.holes.words())?;
            if let Some(item) = self.map.take_at(index) {
                return Some(item);
            }
        }
    }
}

impl<K: Key, V> ExactSizeIterator for Drain<'_, K, V> {}

impl<K: Key, V> FusedIterator for Drain<'_, K, V> {}

impl<K: Key, V> Drop for Drain<'_, K, V> {
    fn drop(&mut self) {
        /// Goes on where the drop of a value panicked.
        struct Rest<'d, 'a, K: Key, V>(&'d mut Drain<'a, K, V>);

        impl<K: Key, V> Drop for Rest<'_, '_, K, V> {
            fn drop(&mut self) {
                self.0.by_ref().for_each(drop);
            }
        }

        Rest(self).0.by_ref().for_each(drop);
    }
}

impl<K: Key, V> fmt::Debug for Drain<'_, K, V> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Drain").field("left", &self.map.len()).finish_non_exhaustive()
    }
}
