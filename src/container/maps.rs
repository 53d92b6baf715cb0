//! Methods of maps that only call other methods.

/// Defines the iterators of a map and look-ups of many keys.
///
/// The map has `walk`, `walk_mut`, `into_walk`, `mint`, and `slots` with a method `ahead`.
macro_rules! walk_methods {
    ($(#[$get_many:meta])+ / $(#[$get_many_mut:meta])+) => {
        /// Calls `f` with each key and its value, or `None` if the map has none, in the order of the keys. O(n) in the
        /// keys.
        ///
        /// In a large map this is faster than calling [`get`](Self::get) for each key, because the memory of a value is
        /// prefetched some keys in advance. The iterator is therefore advanced up to 32 keys ahead of `f`.
        $(#[$get_many])+
        #[inline]
        pub fn get_many<'a>(
            &'a self,
            keys: impl IntoIterator<Item = K>,
            mut f: impl FnMut(K, Option<&'a V>),
        ) {
            self.slots.ahead().each(keys, |key| f(key, self.get(key)));
        }

        /// Calls `f` with each key and a mutable reference to its value, as [`get_many`](Self::get_many) does. A key
        /// may occur more than once.
        $(#[$get_many_mut])+
        #[inline]
        pub fn get_many_mut(
            &mut self,
            keys: impl IntoIterator<Item = K>,
            mut f: impl FnMut(K, Option<&mut V>),
        ) {
            self.slots.ahead().each(keys, |key| f(key, self.get_mut(key)));
        }

        /// Returns an iterator over the key–value pairs, in the order of their slots.
        #[inline]
        pub fn iter(&self) -> Iter<'_, K, V> {
            Iter::new(self.walk(), self.len(), self.mint())
        }

        /// Returns an iterator over the keys and mutable references to the values, in the order of their slots.
        #[inline]
        pub fn iter_mut(&mut self) -> IterMut<'_, K, V> {
            let (left, mint) = (self.len(), self.mint());
            IterMut::new(self.walk_mut(), left, mint)
        }

        /// Returns an iterator over the keys, in the order of their slots.
        #[inline]
        pub fn keys(&self) -> Keys<'_, K, V> {
            Keys::new(self.walk(), self.len(), self.mint())
        }

        /// Returns an iterator over the values, in the order of their slots.
        #[inline]
        pub fn values(&self) -> Values<'_, K, V> {
            Values::new(self.walk(), self.len(), self.mint())
        }

        /// Returns an iterator over mutable references to the values, in the order of their slots.
        #[inline]
        pub fn values_mut(&mut self) -> ValuesMut<'_, K, V> {
            let (left, mint) = (self.len(), self.mint());
            ValuesMut::new(self.walk_mut(), left, mint)
        }
    };
}
pub(crate) use walk_methods;

/// Defines the iterators that move keys and values out of a map, by its `into_walk`.
macro_rules! into_walk_methods {
    ($map:ident) => {
        impl<K: Key, V> $map<K, V> {
            /// Converts the map into an iterator over its keys, in the order of their slots. Each value is dropped when
            /// its key is returned, or with the iterator.
            pub fn into_keys(self) -> IntoKeys<K, V> {
                let (walk, left, mint) = self.into_walk();
                IntoKeys::new(walk, left, mint)
            }

            /// Converts the map into an iterator over its values, in the order of their slots.
            pub fn into_values(self) -> IntoValues<K, V> {
                let (walk, left, mint) = self.into_walk();
                IntoValues::new(walk, left, mint)
            }
        }

        iterate_by_value! {
            [K: Key, V] $map<K, V>: (K, V) => IntoIter<K, V>, |map| {
                let (walk, left, mint) = map.into_walk();
                IntoIter::new(walk, left, mint)
            }
        }
    };
}
pub(crate) use into_walk_methods;

/// Defines look-ups by slot index and by address, over `slots` and `mint`. `$new` is documentation that makes a map
/// `$map` with a key `key` whose value is `"a"`.
macro_rules! by_index_methods {
    ($map:literal; $(#[$new:meta])+) => {
        /// Returns the key and the value in a slot, whatever the generation; `None` if the slot has no value. O(1).
        ///
        /// # Examples
        ///
        /// ```
        $(#[$new])+
        #[doc = concat!("assert_eq!(", $map, ".get_by_index(key.index()), Some((key, &\"a\")));")]
        #[doc = concat!("assert_eq!(", $map, ".get_by_index(7), None);")]
        /// ```
        #[inline]
        pub fn get_by_index(&self, index: u32) -> Option<(K, &V)> {
            let (generation, value) = self.slots.at_index(index)?;
            Some((self.mint().key(index, generation), value))
        }

        /// Returns the key and a mutable reference to the value in a slot; see [`get_by_index`](Self::get_by_index).
        #[inline]
        pub fn get_by_index_mut(&mut self, index: u32) -> Option<(K, &mut V)> {
            let mint = self.mint();
            let (generation, value) = self.slots.at_index_mut(index)?;
            Some((mint.key(index, generation), value))
        }

        /// Returns the key of a value in the map, given a reference to the value; `None` if the reference points
        /// elsewhere. O(1), with one division.
        ///
        /// A reference to a value of size zero is taken for the value in the slot at its address.
        ///
        /// # Examples
        ///
        /// ```
        $(#[$new])+
        #[doc = concat!("let value = &", $map, "[key];")]
        #[doc = concat!("assert_eq!(", $map, ".key_of(value), Some(key));")]
        #[doc = concat!("assert_eq!(", $map, ".key_of(&\"b\"), None);")]
        /// ```
        pub fn key_of(&self, value: &V) -> Option<K> {
            let index = self.slots.index_at(std::ptr::from_ref(value).addr())?;
            self.get_by_index(index).map(|(key, _)| key)
        }
    };
}
pub(crate) use by_index_methods;

/// Defines the removal of many keys, whose memory `$ahead` prefetches. `$example` is documentation.
macro_rules! remove_many_method {
    ($values:literal, |$this:ident| $ahead:expr; $(#[$example:meta])+) => {
        #[doc = concat!("Removes and drops the ", $values, " of many keys, and returns how many there were.")]
        ///
        /// In a large map this is faster than one call for each key, because the memory of a value is prefetched some
        /// keys in advance. The iterator is therefore advanced up to 32 keys ahead of the removal.
        ///
        /// If a drop or the iterator panics, values removed before stay removed. All others stay in the map, including
        /// those of keys that the iterator returned ahead.
        ///
        $(#[$example])+
        pub fn remove_many(&mut self, keys: impl IntoIterator<Item = K>) -> usize {
            let $this = &*self;
            let ahead = $ahead;
            let mut removed = 0;
            ahead.each(keys, |key| removed += usize::from(self.remove(key).is_some()));
            removed
        }
    };
}
pub(crate) use remove_many_method;

/// Defines the insertion of many values. `$room` is how many more slots the map can have; `$new` is documentation that
/// makes an empty map for the example.
macro_rules! insert_many_methods {
    ($value:ident, |$this:ident| $room:expr; $(#[$new:meta])+) => {
        /// Inserts all values of an iterator, and appends their keys to `keys` in the same order.
        ///
        /// If the iterator or `keys` panics, values inserted before stay.
        ///
        /// # Panics
        ///
        /// If [`try_insert_many`](Self::try_insert_many) returns an error.
        ///
        /// # Examples
        ///
        /// ```
        $(#[$new])+
        /// let mut keys = Vec::new();
        /// map.insert_many(["a", "b", "c"], &mut keys);
        /// assert_eq!(map[keys[1]], "b");
        /// ```
        #[track_caller]
        pub fn insert_many(
            &mut self,
            values: impl IntoIterator<Item = $value>,
            keys: &mut impl Extend<K>,
        ) {
            $crate::error::unwrap_or_panic(self.try_insert_many(values, keys));
        }

        /// Inserts all values of an iterator as [`insert_many`](Self::insert_many) does, or returns the error and the
        /// values that were not inserted.
        ///
        /// # Errors
        ///
        /// As for [`try_insert`](Self::try_insert). If `keys` does not request all values, the rest is dropped with the
        /// iterator.
        pub fn try_insert_many<I: IntoIterator<Item = $value>>(
            &mut self,
            values: I,
            keys: &mut impl Extend<K>,
        ) -> Result<(), Refused<Rest<I::IntoIter>>> {
            let mut values = values.into_iter();
            // Reserves in one step. If that is refused, `try_insert` reports the error. The hint may be wrong, so it
            // must not exceed the maximum.
            let $this = &*self;
            let room = $room;
            let _ = self.try_reserve(values.size_hint().0.min(room));
            let mut refused = None;
            let inserted = values.by_ref().map_while(|value| {
                self.try_insert(value).map_err(|this| refused = Some(this)).ok()
            });
            // Fused, so that an `Extend` that asks again after the end does not take another value, which would be
            // lost.
            keys.extend(inserted.fuse());
            match refused {
                None => Ok(()),
                Some(Refused { error, value }) => {
                    Err(Refused { error, value: Some(value).into_iter().chain(values) })
                }
            }
        }
    };
}
pub(crate) use insert_many_methods;

/// Defines `insert` and `entry` of a secondary map by their fallible forms. `$cost` is the time that they take.
macro_rules! secondary_insert_methods {
    ($map:ident, $cost:literal, |$self:ident, $key:ident, $value:ident| $insert:expr) => {
        #[doc = concat!("Inserts a value for a key, and returns the previous value of the key, if any. ", $cost)]
        ///
        /// If the key is null, or older than the key that has a value in its slot, nothing is inserted: `value` is
        /// dropped, and `None` is returned. If the key is newer, the value of the older key is dropped.
        ///
        /// # Panics
        ///
        /// If [`try_insert`](Self::try_insert) returns an error other than that of a stale key.
        ///
        /// # Examples
        ///
        /// ```
        #[doc = concat!("# use stayput::{", stringify!($map), ", SlotMap};")]
        /// let mut map = SlotMap::new();
        /// let key = map.insert("foo");
        #[doc = concat!("let mut second = ", stringify!($map), "::new();")]
        /// assert_eq!(second.insert(key, 1), None);
        /// assert_eq!(second.insert(key, 2), Some(1));
        ///
        /// map.remove(key);
        /// let newer = map.insert("bar"); // in the same slot
        /// assert_eq!(second.insert(newer, 3), None);
        /// assert_eq!(second.insert(key, 4), None); // older than `newer`
        /// assert_eq!((second.get(key), second[newer]), (None, 3));
        /// ```
        // A value in memory, passed to a call, is copied twice. Without optimisation, it would be copied anyway, and a
        // caller's stack would hold the copies of all its calls.
        #[cfg_attr(not(debug_assertions), inline(always))]
        #[track_caller]
        pub fn insert(&mut $self, $key: K, $value: V) -> Option<V> {
            $insert
        }

        #[doc = concat!("Returns the entry of a key; `None` if the key is null, or older than the key that has a \
            value in its slot. ", $cost)]
        ///
        /// Memory for the value is reserved even if none is inserted.
        ///
        /// # Panics
        ///
        /// If [`try_entry`](Self::try_entry) returns an error other than that of a stale key.
        ///
        /// # Examples
        ///
        /// ```
        #[doc = concat!("# use stayput::{", stringify!($map), ", SlotMap};")]
        /// let mut map = SlotMap::new();
        /// let key = map.insert("foo");
        #[doc = concat!("let mut hits = ", stringify!($map), "::new();")]
        /// for _ in 0..3 {
        ///     if let Some(entry) = hits.entry(key) {
        ///         *entry.or_insert(0) += 1;
        ///     }
        /// }
        /// assert_eq!(hits[key], 3);
        /// ```
        // Otherwise the entry would go through memory.
        #[inline(always)]
        #[track_caller]
        pub fn entry(&mut self, key: K) -> Option<Entry<'_, K, V>> {
            unless_stale(self.try_entry(key))
        }
    };
}
pub(crate) use secondary_insert_methods;
