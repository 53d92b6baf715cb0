//! Looking up values, and iterating over them.

use super::{GrowOnlySecondaryMap, Iter, IterMut, Keys, SecondaryMap, Values, ValuesMut, parts};
use crate::container::{by_index_methods, walk_methods};
use crate::key::Key;
use crate::slot_map::DisjointError;
use crate::slots::walk::join::{LookupMut, LookupRef};
use crate::slots::walk::{WalkMut, WalkRef};

impl<K: Key, V> SecondaryMap<K, V> {
    /// Returns the number of values. O(1).
    #[inline]
    pub const fn len(&self) -> usize {
        self.live
    }

    /// Returns the number of slots, with and without a value: one more than the highest index that was filled, or passed to
    /// [`entry`](Self::entry), since the map was last [cleared](Self::clear) or [shrunk](Self::shrink_to_fit). O(1).
    ///
    /// # Examples
    ///
    /// ```
    /// # use stayput::{SecondaryMap, SlotMap};
    /// let mut map = SlotMap::new();
    /// let keys = [map.insert('a'), map.insert('b'), map.insert('c')];
    /// let mut second = SecondaryMap::new();
    /// second.insert(keys[2], 7);
    /// assert_eq!((second.len(), second.slots_len()), (1, 3));
    /// ```
    #[inline]
    pub fn slots_len(&self) -> usize {
        self.slots.len()
    }

    /// Returns `true` if the map has no values. O(1).
    #[inline]
    pub const fn is_empty(&self) -> bool {
        self.live == 0
    }

    /// Returns `true` if the map has a value for a key. O(1).
    #[inline]
    pub fn contains_key(&self, key: K) -> bool {
        let (index, generation) = parts(key);
        self.slots.contains(index, generation)
    }

    /// Returns the value of a key; `None` if it has none in this map. O(1).
    ///
    /// # Examples
    ///
    /// ```
    /// # use stayput::{DefaultKey, Key, SecondaryMap, SlotMap};
    /// let mut map = SlotMap::new();
    /// let key = map.insert("foo");
    /// let mut second = SecondaryMap::new();
    /// second.insert(key, 7);
    /// assert_eq!(second.get(key), Some(&7));
    /// assert_eq!(second.get(DefaultKey::null()), None);
    /// ```
    #[inline]
    pub fn get(&self, key: K) -> Option<&V> {
        let (index, generation) = parts(key);
        self.slots.get(index, generation)
    }

    /// Returns a mutable reference to the value of a key; `None` if it has none in this map. O(1).
    #[inline]
    pub fn get_mut(&mut self, key: K) -> Option<&mut V> {
        let (index, generation) = parts(key);
        self.slots.get_mut(index, generation)
    }

    /// Returns mutable references to the values of several keys; `None` if one has no value, or occurs twice. O(N).
    ///
    /// # Examples
    ///
    /// ```
    /// # use stayput::{SecondaryMap, SlotMap};
    /// let mut map = SlotMap::new();
    /// let (a, b) = (map.insert(()), map.insert(()));
    /// let mut second = SecondaryMap::from_iter([(a, "x"), (b, "y")]);
    /// if let Some([a, b]) = second.get_disjoint_mut([a, b]) {
    ///     std::mem::swap(a, b);
    /// }
    /// assert_eq!((second[a], second[b]), ("y", "x"));
    /// assert_eq!(second.get_disjoint_mut([a, a]), None);
    /// ```
    #[inline]
    pub fn get_disjoint_mut<const N: usize>(&mut self, keys: [K; N]) -> Option<[&mut V; N]> {
        self.try_get_disjoint_mut(keys).ok()
    }

    /// Returns mutable references to the values of several keys, or which of the keys has no value or occurs twice.
    /// O(N).
    ///
    /// # Errors
    ///
    /// If a key has no value in this map, or occurs twice; see [`DisjointError`].
    ///
    /// # Examples
    ///
    /// ```
    /// # use stayput::{SecondaryMap, SlotMap};
    /// # use stayput::slot_map::DisjointError;
    /// let mut map = SlotMap::new();
    /// let (a, b) = (map.insert(()), map.insert(()));
    /// let mut second = SecondaryMap::from_iter([(a, 1)]);
    /// let error = second.try_get_disjoint_mut([a, b]);
    /// assert_eq!(error, Err(DisjointError::Missing { at: 1 }));
    /// ```
    #[inline]
    pub fn try_get_disjoint_mut<const N: usize>(
        &mut self,
        keys: [K; N],
    ) -> Result<[&mut V; N], DisjointError> {
        self.slots.get_disjoint_mut(keys.map(parts))
    }

    by_index_methods! {
        "second";
        /// # use stayput::{Key, SecondaryMap, SlotMap};
        /// let mut map = SlotMap::new();
        /// let key = map.insert(());
        /// let second = SecondaryMap::from_iter([(key, "a")]);
    }

    walk_methods! {
        ///
        /// # Examples
        ///
        /// ```
        /// # use stayput::{DefaultKey, SecondaryMap, SlotMap};
        /// let map: SlotMap<DefaultKey, u32> = (0..3).collect();
        /// let second: SecondaryMap<_, u32> = map.keys().skip(1).map(|key| (key, 5)).collect();
        /// let mut sum = 0;
        /// second.get_many(map.keys(), |_, value| sum += value.unwrap_or(&0));
        /// assert_eq!(sum, 10);
        /// ```
        /
        ///
        /// # Examples
        ///
        /// ```
        /// # use stayput::{DefaultKey, SecondaryMap, SlotMap};
        /// let map: SlotMap<DefaultKey, u32> = (0..3).collect();
        /// let mut second: SecondaryMap<_, u32> = map.keys().skip(1).map(|key| (key, 5)).collect();
        /// second.get_many_mut(map.keys(), |key, value| {
        ///     if let Some(value) = value {
        ///         *value += map[key];
        ///     }
        /// });
        /// assert!(second.values().eq(&[6, 7]));
        /// ```
    }

    /// Opens a scope in which the map can only grow, and in which references to values stay valid across insertions.
    ///
    /// # Examples
    ///
    /// ```
    /// # use stayput::{SecondaryMap, SlotMap};
    /// let mut map = SlotMap::new();
    /// let (a, b) = (map.insert(()), map.insert(()));
    /// let mut names = SecondaryMap::new();
    /// let scope = names.grow_only();
    /// let first = scope.insert(a, "Alice".to_string()).unwrap();
    /// let second = scope.insert(b, format!("{first}'s cat")).unwrap(); // `first` is still valid
    /// assert_eq!((&**first, &**second), ("Alice", "Alice's cat"));
    /// ```
    #[inline]
    pub fn grow_only(&mut self) -> GrowOnlySecondaryMap<'_, K, V> {
        GrowOnlySecondaryMap::new(self)
    }

    #[inline]
    pub(super) fn look(&self, _: Option<u32>) -> LookupRef<'_, V> {
        self.slots.look()
    }

    #[inline]
    pub(super) fn look_mut(&mut self, _: Option<u32>) -> LookupMut<'_, V> {
        self.slots.look_mut()
    }

    #[inline]
    pub(crate) fn walk(&self) -> WalkRef<'_, V> {
        self.slots.walk()
    }

    #[inline]
    pub(crate) fn walk_mut(&mut self) -> WalkMut<'_, V> {
        self.slots.walk_mut()
    }
}
