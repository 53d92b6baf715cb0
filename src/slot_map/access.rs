//! Looking values up.

#![expect(unsafe_code, reason = "has the look-ups that the caller vouches for")]

use super::{DisjointError, SlotMap};
use crate::key::Key;
use crate::slots::prefetch::Ahead;
use std::ptr;

impl<K: Key, V> SlotMap<K, V> {
    /// The number of values. O(1).
    #[inline]
    pub fn len(&self) -> usize {
        self.slots.len() - self.holes.count() - self.detached - self.holes.cold().retired
    }

    /// Whether there are no values. O(1).
    #[inline]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Returns the number of slots that have been used, the high-water mark of the map: slots of values, holes, and
    /// slots that are detached or retired. O(1).
    ///
    /// The index of each key is less. Removing values leaves it as it is; [`reset`](Self::reset) makes it 0, and so does
    /// [`clear`](Self::clear) where it visits no slots.
    ///
    /// # Examples
    ///
    /// ```
    /// # use stayput::SlotMap;
    /// let mut map = SlotMap::new();
    /// let keys = [map.insert('a'), map.insert('b'), map.insert('c')];
    /// map.remove(keys[1]);
    /// assert_eq!((map.len(), map.slots_len()), (2, 3));
    /// map.insert('d'); // in the hole
    /// assert_eq!((map.len(), map.slots_len()), (3, 3));
    /// ```
    #[inline]
    pub const fn slots_len(&self) -> usize {
        self.slots.len()
    }

    /// The number of slots that committed memory has room for. O(1).
    #[inline]
    pub const fn capacity(&self) -> usize {
        self.slots.capacity()
    }

    /// The number of slots that the map can ever have: as asked, or as fit into the reservation,
    /// or as keys can number. O(1).
    pub fn max_len(&self) -> usize {
        self.slots.max_len()
    }

    /// The type number of the map, if it was made with [one](crate::SlotMapBuilder::type_id). O(1).
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
        self.number.get()
    }

    /// Whether the key's value is in the map. O(1).
    #[inline]
    pub fn contains_key(&self, key: K) -> bool {
        let (index, generation) = self.parts_of(key);
        self.slots.contains(index, generation)
    }

    /// The value of a key. O(1).
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

    /// The value of a key, to be changed. O(1).
    #[inline]
    pub fn get_mut(&mut self, key: K) -> Option<&mut V> {
        let (index, generation) = self.parts_of(key);
        self.slots.get_mut(index, generation)
    }

    /// The value of a key that is known to be in the map. O(1).
    ///
    /// # Safety
    ///
    /// - The [`data`](Key::data) that the key gives in this call names a value that is in the map.
    ///   (For a key type made by [`new_key_type!`](crate::new_key_type) it is enough that
    ///   [`contains_key`](Self::contains_key) is true; others may give this today and that tomorrow.)
    #[inline]
    pub unsafe fn get_unchecked(&self, key: K) -> &V {
        // SAFETY: the caller's promise.
        unsafe { self.slots.get_unchecked(key.data().index()) }
    }

    /// The value of a key that is known to be in the map, to be changed. O(1).
    ///
    /// # Safety
    ///
    /// - The [`data`](Key::data) that the key gives in this call names a value that is in the map.
    ///   (For a key type made by [`new_key_type!`](crate::new_key_type) it is enough that
    ///   [`contains_key`](Self::contains_key) is true; others may give this today and that tomorrow.)
    #[inline]
    pub unsafe fn get_unchecked_mut(&mut self, key: K) -> &mut V {
        // SAFETY: the caller's promise.
        unsafe { self.slots.get_unchecked_mut(key.data().index()) }
    }

    /// The values of several keys at once, to be changed; `None` if one is not in the map, or is
    /// given twice. O(N).
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

    /// The values of several keys at once, to be changed, or which of the keys is not in the map, or
    /// given twice. O(N).
    ///
    /// # Errors
    ///
    /// If a key has no value here, or two are the same; see [`DisjointError`].
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

    /// The values of several keys that are known to be in the map and different, to be changed.
    ///
    /// # Safety
    ///
    /// - As for [`get_unchecked`](Self::get_unchecked), for each key, and no two name the same slot.
    #[inline]
    pub unsafe fn get_disjoint_unchecked_mut<const N: usize>(
        &mut self,
        keys: [K; N],
    ) -> [&mut V; N] {
        // SAFETY: the caller's promise.
        unsafe { self.slots.get_disjoint_unchecked_mut(keys.map(|key| key.data().index())) }
    }

    /// The value in a slot, whatever its generation, and its key. O(1).
    ///
    /// # Examples
    ///
    /// ```
    /// # use stayput::{Key, SlotMap};
    /// let mut map = SlotMap::new();
    /// let key = map.insert("a");
    /// assert_eq!(map.get_by_index(key.index()), Some((key, &"a")));
    /// assert_eq!(map.get_by_index(7), None);
    /// ```
    #[inline]
    pub fn get_by_index(&self, index: u32) -> Option<(K, &V)> {
        let (generation, value) = self.slots.at_index(index)?;
        Some((self.mint().key(index, generation), value))
    }

    /// [`get_by_index`](Self::get_by_index), to change the value.
    #[inline]
    pub fn get_by_index_mut(&mut self, index: u32) -> Option<(K, &mut V)> {
        let mint = self.mint();
        let (generation, value) = self.slots.at_index_mut(index)?;
        Some((mint.key(index, generation), value))
    }

    /// The key of a value in the map, from a reference to it. O(1), one division.
    ///
    /// `None` if the reference is to something else. (One to a value of size zero is taken for
    /// that of the slot at its address.)
    ///
    /// # Examples
    ///
    /// ```
    /// # use stayput::SlotMap;
    /// let mut map = SlotMap::new();
    /// let keys = [map.insert(1.5), map.insert(2.5)];
    /// let largest = map.values().max_by(|a, b| f64::total_cmp(a, b)).unwrap();
    /// assert_eq!(map.key_of(largest), Some(keys[1]));
    /// assert_eq!(map.key_of(&2.5), None);
    /// ```
    pub fn key_of(&self, value: &V) -> Option<K> {
        let index = self.slots.index_at(ptr::from_ref(value).addr())?;
        let (generation, _) = self.slots.at_index(index)?;
        Some(self.mint().key(index, generation))
    }

    /// Where the slots are, to be asked for.
    #[inline]
    pub(crate) fn ahead(&self) -> Ahead<V> {
        self.slots.ahead()
    }
}
