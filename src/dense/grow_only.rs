//! [`GrowOnlyDenseMap`]: insert through `&self`, while references to values are alive.

use super::DenseSlotMap;
use crate::error::{Error, Refused, unwrap_or_panic};
use crate::key::{Key, no_such_key};
use crate::slot_map::GrowOnlyMap;
use crate::vec::GrowOnly;
use std::fmt;
use std::ops::Index;

/// A scope in which a [`DenseSlotMap`] can only grow; created by [`DenseSlotMap::grow_only`].
///
/// Its `insert` takes `&self` and returns, with the key, a reference that lives as long as the scope's borrow of the
/// map, across any number of further insertions. Values can neither be removed nor changed inside the scope, and it
/// stays on one thread. Code that runs while the map acquires memory cannot use the scope, as for [`GrowOnly`].
///
/// # Examples
///
/// ```
/// use stayput::DenseSlotMap;
///
/// let mut things = DenseSlotMap::new();
/// let scope = things.grow_only();
/// let (_, bomb) = scope.insert("bomb".to_string());
/// for n in 0..1000 {
///     scope.insert(format!("explosion {n} of {bomb}")); // `bomb` stays valid
/// }
/// assert_eq!(things.as_slice()[1000], "explosion 999 of bomb");
/// ```
///
/// References end with the borrow:
///
/// ```compile_fail,E0499
/// let mut map = stayput::DenseSlotMap::new();
/// let (key, one) = map.grow_only().insert(1);
/// map.remove(key);
/// println!("{one}");
/// ```
pub struct GrowOnlyDenseMap<'m, K: Key, V> {
    // Small tables and lists of keys are on the heap, where they move when they grow: a reference to a number or a key
    // is not kept across an insertion here. Only `rows` never move.
    table: GrowOnlyMap<'m, K, u32>,
    keys: GrowOnly<'m, K>,
    rows: GrowOnly<'m, V>,
}

impl<K: Key, V> DenseSlotMap<K, V> {
    /// Opens a scope in which the map can only grow, so that references to values stay valid across insertions.
    ///
    /// # Examples
    ///
    /// ```
    /// # use stayput::DenseSlotMap;
    /// let mut map = DenseSlotMap::new();
    /// let scope = map.grow_only();
    /// let (_, bomb) = scope.insert("bomb".to_string());
    /// let (key, _) = scope.insert(format!("debris of {bomb}")); // `bomb` is still valid
    /// assert_eq!(map[key], "debris of bomb");
    /// ```
    #[inline]
    pub fn grow_only(&mut self) -> GrowOnlyDenseMap<'_, K, V> {
        self.order.is_touched = true;
        GrowOnlyDenseMap {
            table: self.table.grow_only(),
            keys: self.keys.grow_only(),
            rows: self.rows.grow_only(),
        }
    }
}

impl<'m, K: Key, V> GrowOnlyDenseMap<'m, K, V> {
    /// Inserts a value after all others, and returns its key and a reference to it. O(1), nothing is moved; enters the
    /// kernel when committed memory is used up.
    ///
    /// # Panics
    ///
    /// If [`try_insert`](Self::try_insert) returns an error.
    ///
    /// # Examples
    ///
    /// ```
    /// # use stayput::DenseSlotMap;
    /// let mut names = DenseSlotMap::new();
    /// let scope = names.grow_only();
    /// let (_, ann) = scope.insert("Ann".to_string());
    /// let (key, _) = scope.insert(format!("{ann}'s cat")); // `ann` stays valid
    /// assert_eq!((ann.as_str(), scope[key].as_str()), ("Ann", "Ann's cat"));
    /// ```
    #[inline]
    #[track_caller]
    pub fn insert(&self, value: V) -> (K, &'m V) {
        unwrap_or_panic(self.try_insert(value))
    }

    /// Inserts a value as [`insert`](Self::insert) does, or returns the error and the value.
    ///
    /// # Errors
    ///
    /// As for [`DenseSlotMap::try_insert`]; also [`Busy`](crate::ErrorKind::Busy) while the map acquires memory.
    pub fn try_insert(&self, value: V) -> Result<(K, &'m V), Refused<V>> {
        match self.make_key() {
            Ok(key) => {
                self.keys.push(key);
                Ok((key, self.rows.push(value)))
            }
            Err(error) => Err(Refused { error, value }),
        }
    }

    /// Reserves memory for the next row, and returns a key for it.
    fn make_key(&self) -> Result<K, Error> {
        let next_row = || {
            self.rows.try_reserve(1)?;
            self.keys.try_reserve(1)?;
            // The table refuses a key before the number is too large.
            Ok(u32::try_from(self.keys.len()).unwrap_or(u32::MAX))
        };
        self.table.try_insert_key(next_row).map_err(DenseSlotMap::<K, V>::explain)
    }

    /// Returns the value of a key, for as long as the scope's borrow. O(1).
    ///
    /// # Examples
    ///
    /// ```
    /// # use stayput::DenseSlotMap;
    /// let mut words = DenseSlotMap::new();
    /// let key = words.insert("echo".to_string());
    /// let scope = words.grow_only();
    /// let word = scope.get(key).unwrap();
    /// scope.insert(format!("{word}, {word}")); // `word` stays valid
    /// assert_eq!(word, "echo");
    /// ```
    #[inline]
    #[track_caller]
    pub fn get(&self, key: K) -> Option<&'m V> {
        self.rows.get(*self.table.get(key)? as usize)
    }

    /// Returns `true` if the map has a value for the key. O(1).
    #[inline]
    #[track_caller]
    pub fn contains_key(&self, key: K) -> bool {
        self.table.contains_key(key)
    }

    /// Reserves memory for `additional` more values; see [`DenseSlotMap::reserve`].
    ///
    /// # Panics
    ///
    /// If [`try_reserve`](Self::try_reserve) returns an error.
    ///
    /// # Examples
    ///
    /// ```
    /// # use stayput::DenseSlotMap;
    /// let mut lines = DenseSlotMap::new();
    /// let scope = lines.grow_only();
    /// let (_, first) = scope.insert("first".to_string());
    /// scope.reserve(100); // `first` stays valid
    /// assert_eq!(first, "first");
    /// assert!(lines.capacity() >= 101);
    /// ```
    #[track_caller]
    pub fn reserve(&self, additional: usize) {
        unwrap_or_panic(self.try_reserve(additional));
    }

    /// Reserves memory as [`reserve`](Self::reserve) does, or returns the error.
    ///
    /// # Errors
    ///
    /// As for [`DenseSlotMap::try_reserve`]; also [`Busy`](crate::ErrorKind::Busy) while the map acquires memory.
    pub fn try_reserve(&self, additional: usize) -> Result<(), Error> {
        let reserved = self.rows.try_reserve(additional);
        let reserved = reserved.and_then(|()| self.keys.try_reserve(additional));
        let reserved = reserved.and_then(|()| self.table.try_reserve(additional));
        reserved.map_err(DenseSlotMap::<K, V>::explain)
    }

    /// Returns the number of values. O(1).
    #[inline]
    #[track_caller]
    pub fn len(&self) -> usize {
        self.keys.len()
    }

    /// Returns `true` if the map has no values. O(1).
    #[inline]
    #[track_caller]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }
}

impl<K: Key, V> Index<K> for GrowOnlyDenseMap<'_, K, V> {
    type Output = V;

    /// # Panics
    ///
    /// If the map has no value for the key.
    #[track_caller]
    fn index(&self, key: K) -> &V {
        match self.get(key) {
            Some(value) => value,
            None => no_such_key(key),
        }
    }
}

impl<K: Key, V> fmt::Debug for GrowOnlyDenseMap<'_, K, V> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        // As for `GrowOnlyMap`.
        f.debug_struct("GrowOnlyDenseMap").field("len", &self.len()).finish_non_exhaustive()
    }
}
