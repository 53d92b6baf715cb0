//! Access to rows by key and in slot order.

use super::find::own;
use super::indices::{Extract, Indices};
use super::{Table, Unique};
use crate::key::Key;
use crate::slot_map::{DisjointError, Iter, Keys, SlotMap, Values};
use std::borrow::Borrow;
use std::hash::{BuildHasher, Hash};

impl<R, X, K: Key> Table<R, X, K> {
    /// Returns the number of rows. O(1).
    #[inline]
    pub fn len(&self) -> usize {
        self.rows.len()
    }

    /// Returns `true` if the table has no rows. O(1).
    #[inline]
    pub fn is_empty(&self) -> bool {
        self.rows.is_empty()
    }

    /// Returns the number of slots in use, including holes; see [`SlotMap::slots_len`](crate::SlotMap::slots_len).
    /// O(1).
    #[inline]
    pub const fn slots_len(&self) -> usize {
        self.rows.slots_len()
    }

    /// Returns `true` if the table has a row with the key. O(1).
    #[inline]
    pub fn contains_key(&self, key: K) -> bool {
        self.rows.contains_key(key)
    }

    /// Returns the row of a key. O(1).
    #[inline]
    pub fn get(&self, key: K) -> Option<&R> {
        self.rows.get(key)
    }

    /// Returns an iterator over all keys and rows, in slot order.
    #[inline]
    pub fn iter(&self) -> Iter<'_, K, R> {
        self.rows.iter()
    }

    /// Returns an iterator over all keys, in slot order.
    #[inline]
    pub fn keys(&self) -> Keys<'_, K, R> {
        self.rows.keys()
    }

    /// Returns an iterator over all rows, in slot order.
    #[inline]
    pub fn values(&self) -> Values<'_, K, R> {
        self.rows.values()
    }

    /// Returns the rows as a slot map, for the methods of [`SlotMap`] that only read: look-ups of many keys, joins with
    /// secondary maps, blocks of bits, [`stats`](SlotMap::stats).
    ///
    /// # Examples
    ///
    /// ```
    /// # use stayput::{SecondaryMap, Table, indices};
    /// # indices! { struct By for (u32, char) { number: Unique<u32> = |row| &row.0, } }
    /// let table: Table<(u32, char), By> = [(7, 'a'), (8, 'b')].into();
    /// let (key, _) = table.find(|by| &by.number, &8).unwrap();
    /// let notes = SecondaryMap::from_iter([(key, "new")]);
    /// assert!(table.rows().join(&notes).eq([(key, &(8, 'b'), &"new")]));
    /// ```
    #[inline]
    pub const fn rows(&self) -> &SlotMap<K, R> {
        &self.rows
    }

    /// Returns the rows as a slot map, without the indices. O(1).
    ///
    /// # Examples
    ///
    /// ```
    /// # use stayput::{Table, indices};
    /// # indices! { struct By for (u32, char) { number: Unique<u32> = |row| &row.0, } }
    /// let mut table: Table<(u32, char), By> = Table::new();
    /// let key = table.insert((7, 'a'));
    /// let mut rows = table.into_rows();
    /// rows[key].0 += 1;
    /// assert_eq!(rows[key], (8, 'a'));
    /// ```
    #[inline]
    pub fn into_rows(self) -> SlotMap<K, R> {
        self.rows
    }
}

impl<I, M, X: Indices<Part = I>, K: Key> Table<(I, M), X, K> {
    /// Returns the row of a key, with a mutable reference to its second part. O(1).
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

    /// Returns the rows of several keys, with mutable references to their second parts; `None` if a key has no row or
    /// occurs twice. O(N).
    ///
    /// # Examples
    ///
    /// ```
    /// # use stayput::{Table, indices};
    /// # indices! { struct ById for u64 { id: Unique<u64> = |id| id, } }
    /// let mut table: Table<(u64, u32), ById> = Table::new();
    /// let (a, b) = (table.insert((1, 10)), table.insert((2, 20)));
    /// if let Some([a, b]) = table.get_disjoint_mut([a, b]) {
    ///     std::mem::swap(a.1, b.1);
    /// }
    /// assert_eq!((table[a], table[b]), ((1, 20), (2, 10)));
    /// assert_eq!(table.get_disjoint_mut([a, a]), None);
    /// ```
    #[inline]
    pub fn get_disjoint_mut<const N: usize>(&mut self, keys: [K; N]) -> Option<[(&I, &mut M); N]> {
        self.try_get_disjoint_mut(keys).ok()
    }

    /// Returns what [`get_disjoint_mut`](Self::get_disjoint_mut) does, or which key has no row or occurs twice.
    ///
    /// # Errors
    ///
    /// If a key has no row, or occurs twice; see [`DisjointError`].
    #[inline]
    pub fn try_get_disjoint_mut<const N: usize>(
        &mut self,
        keys: [K; N],
    ) -> Result<[(&I, &mut M); N], DisjointError> {
        let rows = self.rows.try_get_disjoint_mut(keys)?;
        Ok(rows.map(|(part, rest)| (&*part, rest)))
    }

    /// Calls `f` with each key, and with its row if the table has one, whose second part is mutable; see
    /// [`SlotMap::get_many_mut`]. O(n).
    ///
    /// # Examples
    ///
    /// ```
    /// # use stayput::{Table, indices};
    /// # indices! { struct ById for u64 { id: Unique<u64> = |id| id, } }
    /// let mut table: Table<(u64, u32), ById> = Table::new();
    /// let key = table.insert((1, 10));
    /// table.get_many_mut([key, key], |_, row| *row.unwrap().1 += 1);
    /// assert_eq!(table[key], (1, 12));
    /// ```
    #[inline]
    pub fn get_many_mut(
        &mut self,
        keys: impl IntoIterator<Item = K>,
        mut f: impl FnMut(K, Option<(&I, &mut M)>),
    ) {
        self.rows.get_many_mut(keys, |key, row| f(key, row.map(|(part, rest)| (&*part, rest))));
    }

    /// Finds the row with a value, as [`find`](Self::find) does, and returns it with a mutable reference to its second
    /// part.
    ///
    /// # Examples
    ///
    /// ```
    /// # use stayput::{Table, indices};
    /// # indices! { struct ById for u64 { id: Unique<u64> = |id| id, } }
    /// let mut hits: Table<(u64, u32), ById> = [(7, 0), (8, 0)].into();
    /// let (key, (_, count)) = hits.find_mut(|by| &by.id, &8).unwrap();
    /// *count += 1;
    /// assert_eq!(hits[key], (8, 1));
    /// ```
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
        let (slot, _) = own(&self.by, index).slot_of(value, &self.rows)?;
        let (key, (part, rest)) = self.rows.get_by_index_mut(slot)?;
        Some((key, (&*part, rest)))
    }

    /// Returns an iterator over all rows, in slot order, with mutable references to their second parts.
    ///
    /// # Examples
    ///
    /// ```
    /// # use stayput::{Table, indices};
    /// # indices! { struct ById for u64 { id: Unique<u64> = |id| id, } }
    /// let mut table: Table<(u64, u32), ById> = [(7, 0), (8, 0)].into();
    /// for (id, count) in table.values_mut() {
    ///     *count += u32::from(*id > 7);
    /// }
    /// assert!(table.values().eq(&[(7, 0), (8, 1)]));
    /// ```
    #[inline]
    pub fn values_mut(&mut self) -> impl Iterator<Item = (&I, &mut M)> {
        self.rows.values_mut().map(|(part, rest)| (&*part, rest))
    }

    /// Returns an iterator over all keys and rows, in slot order, with mutable references to the second parts.
    ///
    /// # Examples
    ///
    /// ```
    /// # use stayput::{Table, indices};
    /// # indices! { struct ById for u64 { id: Unique<u64> = |id| id, } }
    /// let mut table: Table<(u64, u32), ById> = Table::new();
    /// let [a, b] = [(7, 0), (8, 0)].map(|row| table.insert(row));
    /// for (key, (_, count)) in table.iter_mut() {
    ///     *count += u32::from(key == b);
    /// }
    /// assert_eq!((table[a], table[b]), ((7, 0), (8, 1)));
    /// ```
    #[inline]
    pub fn iter_mut(&mut self) -> impl Iterator<Item = (K, (&I, &mut M))> {
        self.rows.iter_mut().map(|(key, (part, rest))| (key, (&*part, rest)))
    }
}
