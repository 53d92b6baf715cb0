//! Insertion of values.

use super::{DenseSlotMap, Rows};
use crate::container::insert_many_methods;
use crate::error::{Error, Refused, handle_error, unwrap_or_panic};
use crate::key::Key;
use crate::vec::Rest;

impl<K: Key, V, S: Rows<Value = V>> DenseSlotMap<K, V, S> {
    /// Inserts a value after all others, and returns its key. O(1); enters the kernel when committed memory is used up.
    ///
    /// # Panics
    ///
    /// If [`try_insert`](Self::try_insert) returns an error.
    ///
    /// # Examples
    ///
    /// ```
    /// # use stayput::DenseSlotMap;
    /// let mut map = DenseSlotMap::new();
    /// let key = map.insert(42);
    /// assert_eq!(map[key], 42);
    /// ```
    #[expect(clippy::inline_always, reason = "a call would copy a value in memory twice")]
    #[inline(always)]
    #[track_caller]
    pub fn insert(&mut self, value: V) -> K {
        let parts = S::into_parts(value);
        match self.make_key() {
            Ok(key) => {
                self.put(key, parts);
                key
            }
            Err(error) => handle_error(error),
        }
    }

    /// Inserts a value, or returns the error and the value.
    ///
    /// # Errors
    ///
    /// If keys cannot number another value ([`KeyBits`](crate::ErrorKind::KeyBits)), the map has `max_len` values
    /// ([`MaxLen`](crate::ErrorKind::MaxLen)), or memory is refused. The map is then unchanged.
    ///
    /// # Examples
    ///
    /// ```
    /// let mut map = stayput::DenseSlotMap::with_max_len(1);
    /// let key = map.try_insert("a")?;
    /// assert_eq!(map[key], "a");
    /// assert_eq!(map.try_insert("b").unwrap_err().value, "b");
    /// # Ok::<(), stayput::Refused<&str>>(())
    /// ```
    #[expect(clippy::inline_always, reason = "as for `insert`")]
    #[inline(always)]
    pub fn try_insert(&mut self, value: V) -> Result<K, Refused<V>> {
        let parts = S::into_parts(value);
        match self.make_key() {
            Ok(key) => {
                self.put(key, parts);
                Ok(key)
            }
            Err(error) => Err(Refused { error, value: S::from_parts(parts) }),
        }
    }

    /// Inserts the value that `make` creates from its key, and returns the key. O(1).
    ///
    /// If `make` panics, the map is unchanged, and the next value gets the key that it was shown.
    ///
    /// # Panics
    ///
    /// As for [`insert`](Self::insert).
    ///
    /// # Examples
    ///
    /// ```
    /// # use stayput::DenseSlotMap;
    /// let mut map = DenseSlotMap::new();
    /// let key = map.insert_with_key(|key| (key, 20));
    /// assert_eq!(map[key], (key, 20));
    /// ```
    #[inline]
    #[track_caller]
    pub fn insert_with_key<F: FnOnce(K) -> V>(&mut self, make: F) -> K {
        match self.try_insert_with_key(|key| Ok::<V, std::convert::Infallible>(make(key))) {
            Ok(key) => key,
            Err(never) => match never {},
        }
    }

    /// Inserts the value that `make` creates from its key, or returns the error of `make`. O(1).
    ///
    /// If `make` fails or panics, the map is unchanged, and the next value gets the key that it was shown.
    ///
    /// # Panics
    ///
    /// As for [`insert`](Self::insert). Does not panic after a successful [`try_reserve`](Self::try_reserve) of 1.
    ///
    /// # Errors
    ///
    /// Returns the error of `make`.
    ///
    /// # Examples
    ///
    /// ```
    /// # use stayput::DenseSlotMap;
    /// let mut map = DenseSlotMap::new();
    /// let key = map.try_insert_with_key(|_| "7".parse::<u8>()).unwrap();
    /// assert_eq!(map[key], 7);
    /// assert!(map.try_insert_with_key(|_| "x".parse::<u8>()).is_err());
    /// assert_eq!(map.len(), 1);
    /// ```
    #[inline]
    #[track_caller]
    pub fn try_insert_with_key<F, E>(&mut self, make: F) -> Result<K, E>
    where
        F: FnOnce(K) -> Result<V, E>,
    {
        let row = unwrap_or_panic(self.make_room());
        let entry = match self.table.try_vacant_entry() {
            Ok(entry) => entry,
            Err(error) => handle_error(Self::explain(error)),
        };
        let key = entry.key();
        let parts = S::into_parts(make(key)?);
        entry.insert(row);
        self.put(key, parts);
        Ok(key)
    }

    insert_many_methods! {
        V, |map| map.max_len() - map.len();
        /// let mut map = stayput::DenseSlotMap::new();
    }

    /// Inserts a value that was [detached](Self::detach) under its old key, after all others. O(1); a refused call may
    /// search the recent holes.
    ///
    /// # Panics
    ///
    /// If the key is not that of a detached value, or memory is refused. (If the map is full, the message reports the
    /// former.)
    #[track_caller]
    pub fn reattach(&mut self, detached_key: K, value: V) {
        match self.make_room() {
            Err(error) if !error.is_full() => handle_error(error),
            _ => assert!(self.try_reattach(detached_key, value).is_ok(), "key is not detached"),
        }
    }

    /// Inserts a detached value as [`reattach`](Self::reattach) does, or returns the value.
    ///
    /// # Errors
    ///
    /// If the key is not that of a detached value, or memory is refused, which does not happen after a successful
    /// [`try_reserve`](Self::try_reserve) of 1.
    pub fn try_reattach(&mut self, detached_key: K, value: V) -> Result<(), V> {
        let Ok(row) = self.make_room() else { return Err(value) };
        let data = detached_key.data();
        if data.is_null() {
            return Err(value);
        }
        // The key as the map makes it: the tag of the one passed may differ.
        let key = self.table.mint().key(data.index(), data.generation());
        let parts = S::into_parts(value);
        if self.table.try_reattach(detached_key, row).is_err() {
            return Err(S::from_parts(parts));
        }
        self.put(key, parts);
        Ok(())
    }

    /// Reserves memory for a key and a value, and returns the row that they will have.
    #[inline]
    fn make_room(&mut self) -> Result<u32, Error> {
        let row = self.keys.len();
        if row >= self.rows.capacity().min(self.keys.capacity()) {
            self.grow()?;
        }
        // The table refuses a key before the number is too large.
        Ok(u32::try_from(row).unwrap_or(u32::MAX))
    }

    #[cold]
    #[inline(never)]
    fn grow(&mut self) -> Result<(), Error> {
        self.rows.try_reserve(1).map_err(Self::explain)?;
        self.keys.try_reserve(1).map_err(Self::explain)
    }

    /// Reserves memory for the next row, and returns a key for it.
    #[inline]
    fn make_key(&mut self) -> Result<K, Error> {
        let row = self.make_room()?;
        self.table.try_insert(row).map_err(|refused| Self::explain(refused.error))
    }

    /// Inserts a value into the row for which memory was reserved.
    #[inline]
    fn put(&mut self, key: K, parts: S::Parts) {
        self.order.is_touched = true;
        self.keys.push(key);
        self.rows.push(parts);
    }
}
