//! Looking up values.

#![expect(unsafe_code, reason = "contains unchecked look-ups")]

use super::{DisjointError, SlotMap};
use crate::container::by_index_methods;
use crate::key::Key;
use crate::slots::prefetch::Prefetcher;

impl<K: Key, V> SlotMap<K, V> {
    /// Returns the number of values. O(1).
    #[inline]
    pub fn len(&self) -> usize {
        self.slots.len() - self.holes.count() - self.detached - self.holes.cold().retired
    }

    /// Returns `true` if the map has no values. O(1).
    #[inline]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Returns the number of slots that have been used, the high-water mark of the map. It includes holes, and detached
    /// and retired slots. O(1).
    ///
    /// The index of every key is less. Removing values does not change it. [`reset`](Self::reset) sets it to 0, and so
    /// does [`clear`](Self::clear) if it does not visit the slots; [`shrink_to_fit`](Self::shrink_to_fit) and
    /// [`trim`](Self::trim) may lower it.
    ///
    /// # Examples
    ///
    /// ```
    /// # use stayput::SlotMap;
    /// let mut map = SlotMap::new();
    /// let keys = [map.insert('a'), map.insert('b'), map.insert('c')];
    /// map.remove(keys[1]);
    /// assert_eq!((map.len(), map.slots_len()), (2, 3));
    /// map.insert('d'); // fills the hole
    /// assert_eq!((map.len(), map.slots_len()), (3, 3));
    /// ```
    #[inline]
    pub const fn slots_len(&self) -> usize {
        self.slots.len()
    }

    /// Returns the number of slots that committed memory has room for. O(1).
    #[inline]
    pub const fn capacity(&self) -> usize {
        self.slots.capacity()
    }

    /// Returns the maximum number of slots: `max_len` if it was set, or as many as fit into the reservation, but no
    /// more than keys have bits for. O(1).
    pub fn max_len(&self) -> usize {
        self.slots.max_len()
    }

    /// Returns the type id of the map, if it was built with [one](crate::SlotMapBuilder::type_id). O(1).
    ///
    /// # Examples
    ///
    /// ```
    /// use stayput::{SlotMap, Tagged64, new_key_type};
    ///
    /// new_key_type! { struct K: Tagged64; }
    ///
    /// assert_eq!(SlotMap::<K, u8>::builder().type_id(7).build().type_id(), Some(7));
    /// assert_eq!(SlotMap::<K, u8>::with_key().type_id(), None);
    /// ```
    #[inline]
    pub const fn type_id(&self) -> Option<u32> {
        self.type_id.get()
    }

    /// Returns `true` if the value of a key is in the map. O(1).
    #[inline]
    pub fn contains_key(&self, key: K) -> bool {
        let (index, generation) = self.parts_of(key);
        self.slots.contains(index, generation)
    }

    /// Returns the value of a key; `None` if it is not in the map. O(1).
    ///
    /// # Examples
    ///
    /// ```
    /// # use stayput::{DefaultKey, Key, SlotMap};
    /// let mut map = SlotMap::new();
    /// let key = map.insert("bar");
    /// assert_eq!(map.get(key), Some(&"bar"));
    /// map.remove(key);
    /// assert_eq!(map.get(key), None);
    /// assert_eq!(map.get(DefaultKey::null()), None);
    /// ```
    #[inline]
    pub fn get(&self, key: K) -> Option<&V> {
        let (index, generation) = self.parts_of(key);
        self.slots.get(index, generation)
    }

    /// Returns a mutable reference to the value of a key; `None` if it is not in the map. O(1).
    #[inline]
    pub fn get_mut(&mut self, key: K) -> Option<&mut V> {
        let (index, generation) = self.parts_of(key);
        self.slots.get_mut(index, generation)
    }

    /// Returns the value of a key without checking that it is in the map. O(1).
    ///
    /// # Safety
    ///
    /// - The [`data`](Key::data) that the key returns in this call belongs to a value in the map. For a key type
    ///   declared by [`new_key_type!`](crate::new_key_type), it suffices that [`contains_key`](Self::contains_key)
    ///   returns `true`; another key type may return something else each time.
    ///
    /// # Examples
    ///
    /// ```
    /// # use stayput::SlotMap;
    /// let mut map = SlotMap::new();
    /// let key = map.insert(7);
    /// // SAFETY: its value was inserted above.
    /// assert_eq!(unsafe { map.get_unchecked(key) }, &7);
    /// ```
    #[inline]
    pub unsafe fn get_unchecked(&self, key: K) -> &V {
        // SAFETY: the data belongs to a value, by the caller's guarantee, so its slot is below the length and live.
        unsafe { self.slots.get_unchecked(key.data().index()) }
    }

    /// Returns a mutable reference to the value of a key without checking that it is in the map. O(1).
    ///
    /// # Safety
    ///
    /// - As for [`get_unchecked`](Self::get_unchecked).
    ///
    /// # Examples
    ///
    /// ```
    /// # use stayput::SlotMap;
    /// let mut map = SlotMap::new();
    /// let key = map.insert(7);
    /// // SAFETY: its value was inserted above.
    /// *unsafe { map.get_unchecked_mut(key) } += 1;
    /// assert_eq!(map[key], 8);
    /// ```
    #[inline]
    pub unsafe fn get_unchecked_mut(&mut self, key: K) -> &mut V {
        // SAFETY: the data belongs to a value, by the caller's guarantee, so its slot is below the length and live.
        unsafe { self.slots.get_unchecked_mut(key.data().index()) }
    }

    /// Returns mutable references to the values of several keys; `None` if one is not in the map, or occurs twice.
    /// O(N).
    ///
    /// # Examples
    ///
    /// ```
    /// # use stayput::SlotMap;
    /// let mut map = SlotMap::new();
    /// let (a, b) = (map.insert(1), map.insert(2));
    /// if let Some([a, b]) = map.get_disjoint_mut([a, b]) {
    ///     std::mem::swap(a, b);
    /// }
    /// assert_eq!((map[a], map[b]), (2, 1));
    /// assert_eq!(map.get_disjoint_mut([a, a]), None);
    /// ```
    #[inline]
    pub fn get_disjoint_mut<const N: usize>(&mut self, keys: [K; N]) -> Option<[&mut V; N]> {
        self.try_get_disjoint_mut(keys).ok()
    }

    /// Returns mutable references to the values of several keys, or which of the keys is not in the map or occurs
    /// twice. O(N).
    ///
    /// # Errors
    ///
    /// If a value is not in the map, or a key occurs twice; see [`DisjointError`].
    ///
    /// # Examples
    ///
    /// ```
    /// # use stayput::SlotMap;
    /// # use stayput::slot_map::DisjointError;
    /// let mut map = SlotMap::new();
    /// let (a, b) = (map.insert(1), map.insert(2));
    /// assert_eq!(map.try_get_disjoint_mut([a, b]), Ok([&mut 1, &mut 2]));
    /// map.remove(b);
    /// assert_eq!(map.try_get_disjoint_mut([a, b]), Err(DisjointError::Missing { at: 1 }));
    /// ```
    #[inline]
    pub fn try_get_disjoint_mut<const N: usize>(
        &mut self,
        keys: [K; N],
    ) -> Result<[&mut V; N], DisjointError> {
        let keys = keys.map(|key| self.parts_of(key));
        self.slots.get_disjoint_mut(keys)
    }

    /// Returns mutable references to the values of several keys without checking them.
    ///
    /// # Safety
    ///
    /// - As for [`get_unchecked`](Self::get_unchecked), for each key, and no two keys have the same slot.
    ///
    /// # Examples
    ///
    /// ```
    /// # use stayput::SlotMap;
    /// let mut map = SlotMap::new();
    /// let keys = [map.insert(1), map.insert(2)];
    /// // SAFETY: both values were inserted above, so they are in the map and in different slots.
    /// let [a, b] = unsafe { map.get_disjoint_unchecked_mut(keys) };
    /// std::mem::swap(a, b);
    /// assert_eq!(keys.map(|key| map[key]), [2, 1]);
    /// ```
    #[inline]
    pub unsafe fn get_disjoint_unchecked_mut<const N: usize>(
        &mut self,
        keys: [K; N],
    ) -> [&mut V; N] {
        // SAFETY: the data belong to values, by the caller's guarantee, so their slots are below the length and live;
        // and they are distinct.
        unsafe { self.slots.get_disjoint_unchecked_mut(keys.map(|key| key.data().index())) }
    }

    by_index_methods! {
        "map";
        /// # use stayput::{Key, SlotMap};
        /// let mut map = SlotMap::new();
        /// let key = map.insert("a");
    }

    /// Returns the slots for prefetching.
    #[inline]
    pub(crate) fn ahead(&self) -> Prefetcher<V> {
        self.slots.ahead()
    }
}
