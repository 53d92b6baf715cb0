//! Rows as they are, by key and in the order of slots.

use super::indices::{Extract, Indices, Row, Rows};
use super::{Table, Unique};
use crate::key::Key;
use crate::slot_map::{Iter, Keys, SlotMap, Values};
use std::borrow::Borrow;
use std::hash::{BuildHasher, Hash};

/// For indices.
pub(super) struct RowsOf<'t, K: Key, R>(pub(super) &'t SlotMap<K, R>);

impl<K: Key, R> Clone for RowsOf<'_, K, R> {
    #[inline]
    fn clone(&self) -> Self {
        *self
    }
}

impl<K: Key, R> Copy for RowsOf<'_, K, R> {}

impl<P, K: Key, R: Row<P>> Rows<P> for RowsOf<'_, K, R> {
    #[inline]
    fn part(&self, slot: u32) -> Option<&P> {
        self.0.in_slot(slot).map(R::part)
    }
}

impl<R, X, K: Key> Table<R, X, K> {
    /// How many rows there are. O(1).
    #[inline]
    pub fn len(&self) -> usize {
        self.rows.len()
    }

    /// Whether there is none. O(1).
    #[inline]
    pub fn is_empty(&self) -> bool {
        self.rows.is_empty()
    }

    /// Returns the number of slots that have been used, including holes; see
    /// [`SlotMap::slots_len`](crate::SlotMap::slots_len). O(1).
    #[inline]
    pub const fn slots_len(&self) -> usize {
        self.rows.slots_len()
    }

    /// Whether the row of a key is in it. O(1).
    #[inline]
    pub fn contains_key(&self, key: K) -> bool {
        self.rows.contains_key(key)
    }

    /// The row of a key. O(1).
    #[inline]
    pub fn get(&self, key: K) -> Option<&R> {
        self.rows.get(key)
    }

    /// All rows and their keys, in the order of slots.
    #[inline]
    pub fn iter(&self) -> Iter<'_, K, R> {
        self.rows.iter()
    }

    /// All keys, in the order of slots.
    #[inline]
    pub fn keys(&self) -> Keys<'_, K, R> {
        self.rows.keys()
    }

    /// All rows, in the order of slots.
    #[inline]
    pub fn values(&self) -> Values<'_, K, R> {
        self.rows.values()
    }

    /// The rows as the map that they are in, with all that it has for who reads: many keys at once, joins with
    /// secondary maps, blocks of bits, [`stats`](SlotMap::stats).
    #[inline]
    pub const fn rows(&self) -> &SlotMap<K, R> {
        &self.rows
    }

    /// The rows without their indices. O(1).
    #[inline]
    pub fn into_rows(self) -> SlotMap<K, R> {
        self.rows
    }
}

impl<I, M, X: Indices<Part = I>, K: Key> Table<(I, M), X, K> {
    /// The row of a key, whose second half is free to be changed. O(1).
    ///
    /// # Examples
    ///
    /// ```
    /// use stayput::{Table, indices};
    ///
    /// struct Id(u64);
    /// indices! {
    ///     struct ById for Id {
    ///         id: Unique<u64> = |id| &id.0,
    ///     }
    /// }
    ///
    /// let mut table: Table<(Id, u32), ById> = Table::new();
    /// let key = table.insert((Id(7), 0));
    /// *table.get_mut(key).unwrap().1 += 1;
    /// assert_eq!(table.find(|by| &by.id, &7).unwrap().1.1, 1);
    /// ```
    #[inline]
    pub fn get_mut(&mut self, key: K) -> Option<(&I, &mut M)> {
        self.rows.get_mut(key).map(|(part, rest)| (&*part, rest))
    }

    /// The row that has a value, and its key, by an index; see [`find`](Self::find). Its second half is free to be changed.
    #[inline]
    pub fn find_mut<Q, const FIELD: usize, S>(
        &mut self,
        index: impl for<'x> FnOnce(&'x X) -> &'x Unique<X, FIELD, S>,
        value: &Q,
    ) -> Option<(K, (&I, &mut M))>
    where
        X: Extract<FIELD, Row = I>,
        <X as Extract<FIELD>>::Key: Borrow<Q> + Hash + Eq,
        Q: Hash + Eq + ?Sized,
        S: BuildHasher,
    {
        let (slot, _) = index(&self.by).slot_of(value, RowsOf(&self.rows))?;
        let (key, (part, rest)) = self.rows.get_by_index_mut(slot)?;
        Some((key, (&*part, rest)))
    }

    /// All rows, in the order of slots, the second halves of which are free to be changed.
    #[inline]
    pub fn values_mut(&mut self) -> impl Iterator<Item = (&I, &mut M)> {
        self.rows.values_mut().map(|(part, rest)| (&*part, rest))
    }

    /// All rows and their keys, in the order of slots, the second halves of which are free to be changed.
    #[inline]
    pub fn iter_mut(&mut self) -> impl Iterator<Item = (K, (&I, &mut M))> {
        self.rows.iter_mut().map(|(key, (part, rest))| (key, (&*part, rest)))
    }
}
