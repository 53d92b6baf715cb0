//! Look-ups and iteration.

use super::{DenseSlotMap, Iter, IterMut, Keys, Rows, Values, ValuesMut};
use crate::key::Key;
use crate::slots::prefetch::is_near;
use std::marker::PhantomData;

impl<K: Key, V, S: Rows<Value = V>> DenseSlotMap<K, V, S> {
    /// Returns the number of values. O(1).
    #[inline]
    pub fn len(&self) -> usize {
        self.keys.len()
    }

    /// Returns `true` if the map has no values. O(1).
    #[inline]
    pub fn is_empty(&self) -> bool {
        self.keys.is_empty()
    }

    /// Returns the number of slots in use, including holes; see [`SlotMap::slots_len`](crate::SlotMap::slots_len).
    /// O(1).
    #[inline]
    pub const fn slots_len(&self) -> usize {
        self.table.slots_len()
    }

    /// Returns the number of values that fit into committed memory; detached and retired keys count, too. O(1).
    #[inline]
    pub fn capacity(&self) -> usize {
        self.rows.capacity().min(self.keys.capacity()).min(self.table.capacity())
    }

    /// Returns the greatest number of values that the map can ever have: the maximum set, or what fits into the
    /// reservations, or what keys can number. O(1).
    pub fn max_len(&self) -> usize {
        self.rows.max_len().min(self.keys.max_len()).min(self.table.max_len())
    }

    /// Returns the type id that the keys of the map carry, if any; see
    /// [`SlotMapBuilder::type_id`](crate::SlotMapBuilder::type_id). O(1).
    ///
    /// # Examples
    ///
    /// ```
    /// use stayput::{DenseSlotMap, Tagged64, new_key_type};
    ///
    /// new_key_type! { struct UnitKey: Tagged64; }
    ///
    /// let units: DenseSlotMap<UnitKey, &str> = DenseSlotMap::builder().type_id(7).build();
    /// assert_eq!(units.type_id(), Some(7));
    /// ```
    pub fn type_id(&self) -> Option<u32> {
        self.table.type_id()
    }

    /// Returns `true` if the map has a value for the key. O(1).
    #[inline]
    pub fn contains_key(&self, key: K) -> bool {
        self.table.contains_key(key)
    }

    /// Returns the value of a key. O(1).
    ///
    /// # Examples
    ///
    /// ```
    /// # use stayput::DenseSlotMap;
    /// let mut map = DenseSlotMap::new();
    /// let key = map.insert("bar");
    /// assert_eq!(map.get(key), Some(&"bar"));
    /// map.remove(key);
    /// assert_eq!(map.get(key), None);
    /// ```
    #[inline]
    pub fn get(&self, key: K) -> Option<S::Ref<'_>> {
        self.rows.get(self.row_of(key)?)
    }

    /// Returns the value of a key mutably. O(1).
    #[inline]
    pub fn get_mut(&mut self, key: K) -> Option<S::Mut<'_>> {
        let row = self.row_of(key)?;
        self.order.is_touched = true;
        self.rows.get_mut(row)
    }

    /// Returns the key and the value in a slot, whatever the generation; `None` if the slot has no value. O(1).
    ///
    /// # Examples
    ///
    /// ```
    /// # use stayput::{DenseSlotMap, Key};
    /// let mut map = DenseSlotMap::new();
    /// let key = map.insert("a");
    /// assert_eq!(map.get_by_index(key.index()), Some((key, &"a")));
    /// assert_eq!(map.get_by_index(7), None);
    /// ```
    #[inline]
    pub fn get_by_index(&self, index: u32) -> Option<(K, S::Ref<'_>)> {
        let (key, row) = self.table.get_by_index(index)?;
        Some((key, self.rows.get(*row as usize)?))
    }

    /// Returns the key and a mutable reference to the value in a slot; see [`get_by_index`](Self::get_by_index).
    #[inline]
    pub fn get_by_index_mut(&mut self, index: u32) -> Option<(K, S::Mut<'_>)> {
        let (key, row) = self.table.get_by_index(index)?;
        self.order.is_touched = true;
        Some((key, self.rows.get_mut(*row as usize)?))
    }

    /// Calls `f` with each key, and with its value if the map has one, in the order of the keys. O(n) in the keys.
    ///
    /// In a large map this is faster than a [`get`](Self::get) for each: the memory of a value is prefetched some keys
    /// ahead of its turn. Up to 32 keys may therefore be taken from the iterator ahead.
    ///
    /// # Examples
    ///
    /// ```
    /// # use stayput::DenseSlotMap;
    /// let mut map = DenseSlotMap::new();
    /// let [a, b, c] = [1, 2, 3].map(|n| map.insert(n));
    /// map.remove(b);
    /// let mut found = Vec::new();
    /// map.get_many([c, b, a], |_, value| found.push(value));
    /// assert_eq!(found, [Some(&3), None, Some(&1)]);
    /// ```
    #[inline]
    pub fn get_many<'a>(
        &'a self,
        keys: impl IntoIterator<Item = K>,
        mut f: impl FnMut(K, Option<S::Ref<'a>>),
    ) {
        if self.is_near() {
            // A loop, which is unrolled, whereas `for_each` is not.
            for key in keys {
                f(key, self.get(key));
            }
            return;
        }
        let ahead = self.table.ahead();
        ahead.each_by_halves(
            keys,
            &mut &*self,
            |map, key| map.prefetch(key),
            |map, key| {
                f(key, map.get(key));
            },
        );
    }

    /// Visits all keys in order, and prefetches their values if that pays off.
    #[inline]
    pub(super) fn visit_many(
        &mut self,
        keys: impl IntoIterator<Item = K>,
        mut visit: impl FnMut(&mut Self, K),
    ) {
        if self.is_near() {
            for key in keys {
                visit(self, key);
            }
            return;
        }
        self.table.ahead().each_by_halves(keys, self, Self::prefetch, visit);
    }

    /// Returns `true` if prefetching rows gains nothing.
    #[inline]
    fn is_near(&self) -> bool {
        is_near(self.len().saturating_mul(S::BYTES))
    }

    /// Prefetches the row of a key.
    #[inline]
    fn prefetch(&self, key: K) {
        if let Some(row) = self.row_of(key) {
            self.rows.prefetch(row);
        }
    }

    /// Returns the row of a key's value: its index in the slices. O(1).
    ///
    /// # Examples
    ///
    /// ```
    /// # use stayput::DenseSlotMap;
    /// let mut map = DenseSlotMap::new();
    /// let [a, b] = ["a", "b"].map(|value| map.insert(value));
    /// assert_eq!(map.row_of(b), Some(1));
    /// map.remove(a);
    /// assert_eq!((map.row_of(b), map.keys_as_slice()[0]), (Some(0), b));
    /// ```
    #[inline]
    pub fn row_of(&self, key: K) -> Option<usize> {
        Some(*self.table.get(key)? as usize)
    }

    /// Returns the keys, in row order. O(1).
    ///
    /// # Examples
    ///
    /// ```
    /// # use stayput::DenseSlotMap;
    /// let mut map = DenseSlotMap::new();
    /// let [a, b, c] = ["a", "b", "c"].map(|value| map.insert(value));
    /// map.remove(a); // the last value takes its place
    /// assert_eq!(map.keys_as_slice(), [c, b]);
    /// ```
    #[inline]
    pub fn keys_as_slice(&self) -> &[K] {
        &self.keys
    }

    /// Returns all values: as a slice, or as slices of all columns. O(1).
    ///
    /// # Examples
    ///
    /// ```
    /// # use stayput::DenseSlotMap;
    /// let mut health = DenseSlotMap::new();
    /// let keys = [70_u32, 80, 90].map(|n| health.insert(n));
    /// health.remove(keys[0]); // the last value takes its place
    /// assert_eq!(health.as_slice(), [90, 80]);
    /// assert_eq!(health.as_slice().iter().sum::<u32>(), 170);
    /// ```
    #[inline]
    pub fn as_slice(&self) -> S::Slices<'_> {
        self.rows.slices()
    }

    /// Returns all values mutably: as a slice, or as slices of all columns. O(1).
    ///
    /// Swapping two values swaps the keys that find them.
    ///
    /// # Examples
    ///
    /// ```
    /// # use stayput::DenseSlotMap;
    /// let mut map = DenseSlotMap::new();
    /// let [a, b] = [1, 2].map(|n| map.insert(n));
    /// map.as_mut_slice().iter_mut().for_each(|n| *n *= 10);
    /// assert_eq!((map[a], map[b]), (10, 20));
    ///
    /// map.as_mut_slice().swap(0, 1);
    /// assert_eq!((map[a], map[b]), (20, 10));
    /// ```
    #[inline]
    pub fn as_mut_slice(&mut self) -> S::SlicesMut<'_> {
        self.order.is_touched = true;
        self.rows.slices_mut()
    }

    /// Returns the values as [`as_slice`](Self::as_slice) does; the name used by the crate `slotmap`.
    #[inline]
    pub fn values_as_slice(&self) -> S::Slices<'_> {
        self.as_slice()
    }

    /// Returns the values as [`as_mut_slice`](Self::as_mut_slice) does; the name used by the crate `slotmap`.
    #[inline]
    pub fn values_as_mut_slice(&mut self) -> S::SlicesMut<'_> {
        self.as_mut_slice()
    }

    /// Returns the keys, and the values in the same order. O(1).
    ///
    /// # Examples
    ///
    /// ```
    /// # use stayput::DenseSlotMap;
    /// let mut map = DenseSlotMap::new();
    /// let key = map.insert(7);
    /// assert_eq!(map.as_slices(), (&[key][..], &[7][..]));
    /// ```
    #[inline]
    pub fn as_slices(&self) -> (&[K], S::Slices<'_>) {
        (&self.keys, self.rows.slices())
    }

    /// Returns the keys, and the values mutably in the same order. O(1).
    ///
    /// # Examples
    ///
    /// ```
    /// # use stayput::DenseSlotMap;
    /// let mut health = DenseSlotMap::new();
    /// let [ann, bob] = [50, 60].map(|n| health.insert(n));
    /// let (keys, values) = health.as_mut_slices();
    /// for (key, value) in keys.iter().zip(values) {
    ///     *value += if *key == bob { 10 } else { 0 };
    /// }
    /// assert_eq!((health[ann], health[bob]), (50, 70));
    /// ```
    #[inline]
    pub fn as_mut_slices(&mut self) -> (&[K], S::SlicesMut<'_>) {
        self.order.is_touched = true;
        (&self.keys, self.rows.slices_mut())
    }

    /// Returns an iterator over the key–value pairs, in row order.
    ///
    /// # Examples
    ///
    /// ```
    /// # use stayput::DenseSlotMap;
    /// let mut map = DenseSlotMap::new();
    /// let [a, b] = ["x", "y"].map(|value| map.insert(value));
    /// assert!(map.iter().eq([(a, &"x"), (b, &"y")]));
    /// ```
    #[inline]
    pub fn iter(&self) -> Iter<'_, K, V, S> {
        Iter { keys: self.keys.iter(), rows: self.rows.iter() }
    }

    /// Returns an iterator over the key–value pairs, with mutable references to the values, in row order.
    ///
    /// # Examples
    ///
    /// ```
    /// # use stayput::DenseSlotMap;
    /// let mut map = DenseSlotMap::new();
    /// let [a, b] = [1, 2].map(|n| map.insert(n));
    /// for (key, n) in map.iter_mut() {
    ///     *n *= if key == a { 10 } else { 100 };
    /// }
    /// assert_eq!((map[a], map[b]), (10, 200));
    /// ```
    #[inline]
    pub fn iter_mut(&mut self) -> IterMut<'_, K, V, S> {
        self.order.is_touched = true;
        IterMut { keys: self.keys.iter(), rows: self.rows.iter_mut() }
    }

    /// Returns an iterator over the keys, in row order.
    ///
    /// # Examples
    ///
    /// ```
    /// # use stayput::DenseSlotMap;
    /// let mut map = DenseSlotMap::new();
    /// let [a, b] = ["x", "y"].map(|value| map.insert(value));
    /// assert!(map.keys().eq([a, b]));
    /// ```
    #[inline]
    pub fn keys(&self) -> Keys<'_, K, V> {
        Keys { keys: self.keys.iter(), values: PhantomData }
    }

    /// Returns an iterator over the values, in row order.
    ///
    /// # Examples
    ///
    /// ```
    /// # use stayput::DenseSlotMap;
    /// let mut map = DenseSlotMap::new();
    /// map.extend(["x", "y"]);
    /// assert!(map.values().eq(&["x", "y"]));
    /// ```
    #[inline]
    pub fn values(&self) -> Values<'_, K, V, S> {
        Values { rows: self.rows.iter(), keys: PhantomData }
    }

    /// Returns an iterator over mutable references to the values, in row order.
    ///
    /// # Examples
    ///
    /// ```
    /// # use stayput::DenseSlotMap;
    /// let mut map = DenseSlotMap::new();
    /// let [a, b] = [1, 2].map(|n| map.insert(n));
    /// map.values_mut().for_each(|n| *n *= 10);
    /// assert_eq!((map[a], map[b]), (10, 20));
    /// ```
    #[inline]
    pub fn values_mut(&mut self) -> ValuesMut<'_, K, V, S> {
        self.order.is_touched = true;
        ValuesMut { rows: self.rows.iter_mut(), keys: PhantomData }
    }
}

impl<K: Key, V> DenseSlotMap<K, V> {
    /// Calls `f` with each key as [`get_many`](Self::get_many) does, with mutable references to the values. Keys may
    /// repeat.
    ///
    /// # Examples
    ///
    /// ```
    /// # use stayput::DenseSlotMap;
    /// let mut map = DenseSlotMap::new();
    /// let [a, b] = [1, 2].map(|n| map.insert(n));
    /// map.get_many_mut([a, b, a], |_, value| value.into_iter().for_each(|n| *n *= 10));
    /// assert_eq!((map[a], map[b]), (100, 20));
    /// ```
    #[inline]
    pub fn get_many_mut(
        &mut self,
        keys: impl IntoIterator<Item = K>,
        mut f: impl FnMut(K, Option<&mut V>),
    ) {
        self.visit_many(keys, |map, key| f(key, map.get_mut(key)));
    }

    /// Returns the key of a value in the map, from a reference to it. O(1).
    ///
    /// `None` if the reference is to something else, or values have size zero.
    ///
    /// # Examples
    ///
    /// ```
    /// # use stayput::DenseSlotMap;
    /// let mut map = DenseSlotMap::new();
    /// let keys = [map.insert(1.5), map.insert(2.5)];
    /// let largest = map.values().max_by(|a, b| f64::total_cmp(a, b)).unwrap();
    /// assert_eq!(map.key_of(largest), Some(keys[1]));
    /// assert_eq!(map.key_of(&2.5), None);
    /// ```
    pub fn key_of(&self, value: &V) -> Option<K> {
        self.keys.get(self.rows.index_of(value)?).copied()
    }
}
