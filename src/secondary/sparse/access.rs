//! Constructors, looking up values, and iterating over them.

use super::{Iter, IterMut, Keys, SparseSecondaryMap, Values, ValuesMut, parts};
use crate::error::{Error, unwrap_or_panic};
use crate::key::Key;
use crate::slot_map::DisjointError;
use crate::slots::key_tag::Mint;
use hashbrown::HashTable;
use std::hash::{BuildHasher, RandomState};

impl<K: Key, V> SparseSecondaryMap<K, V> {
    /// Creates an empty map. Allocates nothing until the first insertion.
    ///
    /// # Examples
    ///
    /// ```
    /// use stayput::{DefaultKey, SparseSecondaryMap};
    ///
    /// let map: SparseSecondaryMap<DefaultKey, u32> = SparseSecondaryMap::new();
    /// assert!(map.is_empty());
    /// ```
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Creates an empty map with room for `capacity` values.
    ///
    /// # Panics
    ///
    /// If [`try_with_capacity`](Self::try_with_capacity) returns an error.
    ///
    /// # Examples
    ///
    /// ```
    /// use stayput::{DefaultKey, SparseSecondaryMap};
    ///
    /// let burning: SparseSecondaryMap<DefaultKey, u32> = SparseSecondaryMap::with_capacity(10);
    /// assert!(burning.capacity() >= 10);
    /// ```
    #[must_use]
    #[track_caller]
    pub fn with_capacity(capacity: usize) -> Self {
        Self::with_capacity_and_hasher(capacity, RandomState::default())
    }

    /// [`with_capacity`](Self::with_capacity), or the error.
    ///
    /// # Errors
    ///
    /// As for [`try_reserve`](Self::try_reserve).
    pub fn try_with_capacity(capacity: usize) -> Result<Self, Error> {
        Self::try_with_capacity_and_hasher(capacity, RandomState::default())
    }
}

impl<K: Key, V, S> SparseSecondaryMap<K, V, S> {
    /// Creates an empty map that uses `hash_builder` to hash keys.
    ///
    /// The keys of a slot map are not chosen by an attacker, so a fast hasher suffices, unless keys come from outside
    /// the program.
    ///
    /// # Examples
    ///
    /// ```
    /// use stayput::{SlotMap, SparseSecondaryMap};
    /// use std::hash::{BuildHasherDefault, DefaultHasher};
    ///
    /// let mut monsters = SlotMap::new();
    /// let orc = monsters.insert("orc");
    /// let hasher = BuildHasherDefault::<DefaultHasher>::default();
    /// let mut burning = SparseSecondaryMap::with_hasher(hasher);
    /// burning.insert(orc, 3);
    /// assert_eq!(burning[orc], 3);
    /// ```
    #[must_use]
    pub const fn with_hasher(hash_builder: S) -> Self {
        Self { table: HashTable::new(), hash_builder, mint: Mint::PLAIN }
    }

    /// Returns the builder of hashers.
    pub const fn hasher(&self) -> &S {
        &self.hash_builder
    }
}

impl<K: Key, V, S: BuildHasher> SparseSecondaryMap<K, V, S> {
    /// Creates an empty map that uses `hash_builder` to hash keys, with room for `capacity` values.
    ///
    /// # Panics
    ///
    /// If [`try_with_capacity_and_hasher`](Self::try_with_capacity_and_hasher) returns an error.
    ///
    /// # Examples
    ///
    /// ```
    /// use stayput::{DefaultKey, SparseSecondaryMap};
    /// use std::hash::{BuildHasherDefault, DefaultHasher};
    ///
    /// let hasher = BuildHasherDefault::<DefaultHasher>::default();
    /// let burning: SparseSecondaryMap<DefaultKey, u32, _> =
    ///     SparseSecondaryMap::with_capacity_and_hasher(10, hasher);
    /// assert!(burning.capacity() >= 10);
    /// ```
    #[must_use]
    #[track_caller]
    pub fn with_capacity_and_hasher(capacity: usize, hash_builder: S) -> Self {
        unwrap_or_panic(Self::try_with_capacity_and_hasher(capacity, hash_builder))
    }

    /// [`with_capacity_and_hasher`](Self::with_capacity_and_hasher), or the error.
    ///
    /// # Errors
    ///
    /// As for [`try_reserve`](Self::try_reserve).
    pub fn try_with_capacity_and_hasher(capacity: usize, hash_builder: S) -> Result<Self, Error> {
        let mut map = Self::with_hasher(hash_builder);
        map.try_reserve(capacity)?;
        Ok(map)
    }
}

impl<K: Key, V, S> SparseSecondaryMap<K, V, S> {
    /// Returns the number of values. O(1).
    #[inline]
    pub fn len(&self) -> usize {
        self.table.len()
    }

    /// Returns `true` if the map has no values. O(1).
    #[inline]
    pub fn is_empty(&self) -> bool {
        self.table.is_empty()
    }

    /// Returns the number of values that the map has room for. It may have room for more. O(1).
    #[inline]
    pub fn capacity(&self) -> usize {
        self.table.capacity()
    }

    /// Returns an iterator over the key–value pairs, in arbitrary order.
    ///
    /// # Examples
    ///
    /// ```
    /// # use stayput::{DefaultKey, SlotMap, SparseSecondaryMap};
    /// let map: SlotMap<DefaultKey, u32> = (0..3).collect();
    /// let second: SparseSecondaryMap<_, u32> = map.iter().map(|(key, n)| (key, n * 10)).collect();
    /// assert!(second.iter().all(|(key, n)| *n == map[key] * 10));
    /// ```
    #[inline]
    pub fn iter(&self) -> Iter<'_, K, V> {
        Iter::new(self.table.iter(), self.mint)
    }

    /// Returns an iterator over the key–value pairs, with mutable references to the values, in arbitrary order.
    ///
    /// # Examples
    ///
    /// ```
    /// # use stayput::{DefaultKey, SlotMap, SparseSecondaryMap};
    /// let map: SlotMap<DefaultKey, u32> = (0..3).collect();
    /// let mut second: SparseSecondaryMap<_, u32> =
    ///     map.iter().map(|(key, n)| (key, n * 10)).collect();
    /// for (key, n) in second.iter_mut() {
    ///     *n += map[key];
    /// }
    /// assert!(map.iter().all(|(key, n)| second[key] == n * 11));
    /// ```
    #[inline]
    pub fn iter_mut(&mut self) -> IterMut<'_, K, V> {
        IterMut::new(self.table.iter_mut(), self.mint)
    }

    /// Returns an iterator over the keys, in arbitrary order.
    ///
    /// # Examples
    ///
    /// ```
    /// # use stayput::{DefaultKey, SlotMap, SparseSecondaryMap};
    /// let map: SlotMap<DefaultKey, u32> = (0..3).collect();
    /// let second: SparseSecondaryMap<_, u32> = map.iter().map(|(key, n)| (key, n * 10)).collect();
    /// assert!(second.keys().all(|key| map.contains_key(key)));
    /// ```
    #[inline]
    pub fn keys(&self) -> Keys<'_, K, V> {
        Keys::new(self.table.iter(), self.mint)
    }

    /// Returns an iterator over the values, in arbitrary order.
    ///
    /// # Examples
    ///
    /// ```
    /// # use stayput::{DefaultKey, SlotMap, SparseSecondaryMap};
    /// let map: SlotMap<DefaultKey, u32> = (0..3).collect();
    /// let second: SparseSecondaryMap<_, u32> = map.iter().map(|(key, n)| (key, n * 10)).collect();
    /// assert_eq!(second.values().sum::<u32>(), 30);
    /// ```
    #[inline]
    pub fn values(&self) -> Values<'_, K, V> {
        Values::new(self.table.iter(), self.mint)
    }

    /// Returns an iterator over mutable references to the values, in arbitrary order.
    ///
    /// # Examples
    ///
    /// ```
    /// # use stayput::{DefaultKey, SlotMap, SparseSecondaryMap};
    /// let map: SlotMap<DefaultKey, u32> = (0..3).collect();
    /// let mut second: SparseSecondaryMap<_, u32> =
    ///     map.iter().map(|(key, n)| (key, n * 10)).collect();
    /// second.values_mut().for_each(|n| *n += 1);
    /// assert_eq!(second.values().sum::<u32>(), 33);
    /// ```
    #[inline]
    pub fn values_mut(&mut self) -> ValuesMut<'_, K, V> {
        ValuesMut::new(self.table.iter_mut(), self.mint)
    }
}

impl<K: Key, V, S: BuildHasher> SparseSecondaryMap<K, V, S> {
    /// Returns `true` if the map has a value for a key. O(1).
    #[inline]
    pub fn contains_key(&self, key: K) -> bool {
        self.get(key).is_some()
    }

    /// Returns the value of a key; `None` if it has none in this map. O(1).
    ///
    /// # Examples
    ///
    /// ```
    /// # use stayput::{DefaultKey, Key, SparseSecondaryMap, SlotMap};
    /// let mut map = SlotMap::new();
    /// let key = map.insert("foo");
    /// let mut second = SparseSecondaryMap::new();
    /// second.insert(key, 7);
    /// assert_eq!(second.get(key), Some(&7));
    /// assert_eq!(second.get(DefaultKey::null()), None);
    /// ```
    #[inline]
    pub fn get(&self, key: K) -> Option<&V> {
        let key = parts(key);
        let slot = self.table.find(self.hash_builder.hash_one(key.0), |slot| slot.is_of(key))?;
        Some(&slot.value)
    }

    /// Returns a mutable reference to the value of a key; `None` if it has none in this map. O(1).
    #[inline]
    pub fn get_mut(&mut self, key: K) -> Option<&mut V> {
        let key = parts(key);
        let hash = self.hash_builder.hash_one(key.0);
        let slot = self.table.find_mut(hash, |slot| slot.is_of(key))?;
        Some(&mut slot.value)
    }

    /// Returns mutable references to the values of several keys; `None` if one has no value, or occurs twice. O(N²).
    ///
    /// # Examples
    ///
    /// ```
    /// # use stayput::{SparseSecondaryMap, SlotMap};
    /// let mut map = SlotMap::new();
    /// let (a, b) = (map.insert(()), map.insert(()));
    /// let mut second: SparseSecondaryMap<_, _> = [(a, "x"), (b, "y")].into_iter().collect();
    /// if let Some([a, b]) = second.get_disjoint_mut([a, b]) {
    ///     std::mem::swap(a, b);
    /// }
    /// assert_eq!((second[a], second[b]), ("y", "x"));
    /// assert_eq!(second.get_disjoint_mut([a, a]), None);
    /// ```
    pub fn get_disjoint_mut<const N: usize>(&mut self, keys: [K; N]) -> Option<[&mut V; N]> {
        self.try_get_disjoint_mut(keys).ok()
    }

    /// Returns mutable references to the values of several keys, or which of the keys has no value or occurs twice.
    /// O(N²).
    ///
    /// # Errors
    ///
    /// If a key has no value in this map, or occurs twice; see [`DisjointError`].
    ///
    /// # Examples
    ///
    /// ```
    /// # use stayput::{SlotMap, SparseSecondaryMap};
    /// # use stayput::slot_map::DisjointError;
    /// let mut map = SlotMap::new();
    /// let a = map.insert(());
    /// let mut second: SparseSecondaryMap<_, _> = [(a, 1)].into_iter().collect();
    /// let error = second.try_get_disjoint_mut([a, a]);
    /// assert_eq!(error, Err(DisjointError::Same { first: 0, second: 1 }));
    /// ```
    pub fn try_get_disjoint_mut<const N: usize>(
        &mut self,
        keys: [K; N],
    ) -> Result<[&mut V; N], DisjointError> {
        let keys = keys.map(parts);
        // The table panics if a key occurs twice, so this is checked first.
        let doubled = (0..N).find(|&at| keys[..at].contains(&keys[at]));
        let alone = &keys[..doubled.unwrap_or(N)];
        let hashes = keys.map(|(index, _)| self.hash_builder.hash_one(index));
        if doubled.is_some() {
            let is_missing = |(hash, key): (&u64, &(u32, u32))| {
                self.table.find(*hash, |slot| slot.is_of(*key)).is_none()
            };
            let missing = hashes.iter().zip(alone).position(is_missing);
            return Err(DisjointError::at(&keys, missing.unwrap_or(alone.len())));
        }
        let found = self.table.get_disjoint_mut(hashes, |n, slot| slot.is_of(keys[n]));
        let missing = found.iter().position(Option::is_none);
        match missing {
            Some(at) => Err(DisjointError::at(&keys, at)),
            None => Ok(all(found).map(|slot| &mut slot.value)),
        }
    }
}

fn all<T, const N: usize>(found: [Option<T>; N]) -> [T; N] {
    found.map(|found| found.expect("none is missing"))
}
