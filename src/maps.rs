//! Methods that several maps have in common, as macros.

/// Defines a constructor with a capacity and its fallible form, by the map's builder. `$named` is how it reads what is
/// counted.
macro_rules! with_capacity {
    ($with:ident, $try_with:ident, $new:ident, $counted:literal) => {
        #[doc = concat!("[`", stringify!($new), "`](Self::", stringify!($new), "), with memory committed for `capacity` ",
            $counted, ".")]
        ///
        /// # Panics
        ///
        #[doc = concat!("If [`", stringify!($try_with), "`](Self::", stringify!($try_with), ") returns an error.")]
        #[must_use]
        #[track_caller]
        pub fn $with(capacity: usize) -> Self {
            $crate::error::or_give_up(Self::$try_with(capacity))
        }

        #[doc = concat!("[`", stringify!($with), "`](Self::", stringify!($with), "), or the error.")]
        ///
        /// # Errors
        ///
        /// If the addresses or the memory cannot be had, or keys cannot number so many
        /// ([`KeyBits`](crate::ErrorKind::KeyBits)).
        pub fn $try_with(capacity: usize) -> Result<Self, $crate::Error> {
            Self::builder().capacity(capacity).try_build()
        }
    };
}

/// Defines a constructor with a maximum and its fallible form, by the map's builder. `$example` is documentation of the
/// first.
macro_rules! with_max_len {
    ($with:ident, $try_with:ident, $counted:literal $(, $(#[$example:meta])+)?) => {
        #[doc = concat!("Creates an empty map that can have `max_len` ", $counted, ", for which it reserves the addresses at \
            once.")]
        ///
        /// # Panics
        ///
        #[doc = concat!("If [`", stringify!($try_with), "`](Self::", stringify!($try_with), ") returns an error.")]
        $($(#[$example])+)?
        #[must_use]
        #[track_caller]
        pub fn $with(max_len: usize) -> Self {
            $crate::error::or_give_up(Self::$try_with(max_len))
        }

        #[doc = concat!("[`", stringify!($with), "`](Self::", stringify!($with), "), or the error.")]
        ///
        /// # Errors
        ///
        /// If the addresses cannot be had, or keys cannot number so many
        /// ([`KeyBits`](crate::ErrorKind::KeyBits)).
        pub fn $try_with(max_len: usize) -> Result<Self, $crate::Error> {
            Self::builder().max_len(max_len).try_build()
        }
    };
}

/// Defines the iterators of a map whose slots are walked, and look-ups of many keys.
///
/// The map has `walk`, `walk_mut`, `into_walk`, `mint`, and `slots` that are asked for `ahead`.
macro_rules! walk_methods {
    ($(#[$get_many:meta])+ / $(#[$get_many_mut:meta])+) => {
        /// Calls `f` with each of many keys, and its value if the map has one, in the order of the keys.
        /// Linear in the keys.
        ///
        /// In a large map this is faster than a [`get`](Self::get) for each: the memory of a value is
        /// requested some keys ahead of its turn. So keys may be taken out of the iterator up to 32 ahead.
        $(#[$get_many])+
        #[inline]
        pub fn get_many<'a>(
            &'a self,
            keys: impl IntoIterator<Item = K>,
            mut f: impl FnMut(K, Option<&'a V>),
        ) {
            self.slots.ahead().each(keys, |key| f(key, self.get(key)));
        }

        /// [`get_many`](Self::get_many), with mutable references to the values. A key may come more than once.
        $(#[$get_many_mut])+
        #[inline]
        pub fn get_many_mut(
            &mut self,
            keys: impl IntoIterator<Item = K>,
            mut f: impl FnMut(K, Option<&mut V>),
        ) {
            self.slots.ahead().each(keys, |key| f(key, self.get_mut(key)));
        }

        /// An iterator over the key–value pairs, in the order of addresses, which is that of the keys' indices.
        #[inline]
        pub fn iter(&self) -> Iter<'_, K, V> {
            Iter::new(self.walk(), self.len(), self.mint())
        }

        /// An iterator over the key–value pairs, with mutable references to the values, in the order of addresses.
        #[inline]
        pub fn iter_mut(&mut self) -> IterMut<'_, K, V> {
            let (left, mint) = (self.len(), self.mint());
            IterMut::new(self.walk_mut(), left, mint)
        }

        /// An iterator over the keys, in the order of their indices.
        #[inline]
        pub fn keys(&self) -> Keys<'_, K, V> {
            Keys::new(self.walk(), self.len(), self.mint())
        }

        /// An iterator over the values, in the order of addresses.
        #[inline]
        pub fn values(&self) -> Values<'_, K, V> {
            Values::new(self.walk(), self.len(), self.mint())
        }

        /// An iterator over mutable references to the values, in the order of addresses.
        #[inline]
        pub fn values_mut(&mut self) -> ValuesMut<'_, K, V> {
            let (left, mint) = (self.len(), self.mint());
            ValuesMut::new(self.walk_mut(), left, mint)
        }
    };
}

/// Defines the iterators that take the keys and values out of a map with `into_walk`.
macro_rules! into_walk_methods {
    ($map:ident) => {
        impl<K: Key, V> $map<K, V> {
            /// All keys; the values are dropped one by one, with the iterator at the latest.
            pub fn into_keys(self) -> IntoKeys<K, V> {
                let (walk, left, mint) = self.into_walk();
                IntoKeys::new(walk, left, mint)
            }

            /// All values, in the order of addresses.
            pub fn into_values(self) -> IntoValues<K, V> {
                let (walk, left, mint) = self.into_walk();
                IntoValues::new(walk, left, mint)
            }
        }

        impl<K: Key, V> IntoIterator for $map<K, V> {
            type Item = (K, V);
            type IntoIter = IntoIter<K, V>;

            fn into_iter(self) -> IntoIter<K, V> {
                let (walk, left, mint) = self.into_walk();
                IntoIter::new(walk, left, mint)
            }
        }
    };
}

/// Defines insertion of many values and their keys. `$room` is how many more slots the map can have.
macro_rules! insert_many_methods {
    ($map:ident, |$this:ident| $room:expr) => {
        /// Inserts all values of an iterator, and appends their keys, in the same order, to `keys`.
        ///
        /// If the iterator or `keys` panics, what was inserted before stays.
        ///
        /// # Panics
        ///
        /// If [`try_insert_many`](Self::try_insert_many) returns an error.
        ///
        /// # Examples
        ///
        /// ```
        #[doc = concat!("let mut map = stayput::", stringify!($map), "::new();")]
        /// let mut keys = Vec::new();
        /// map.insert_many(["a", "b", "c"], &mut keys);
        /// assert_eq!(map[keys[1]], "b");
        /// ```
        #[track_caller]
        pub fn insert_many(
            &mut self,
            values: impl IntoIterator<Item = V>,
            keys: &mut impl Extend<K>,
        ) {
            $crate::error::or_give_up(self.try_insert_many(values, keys));
        }

        /// [`insert_many`](Self::insert_many), or the error and the values that were not inserted.
        ///
        /// # Errors
        ///
        /// As for [`try_insert`](Self::try_insert). What an implementation of `Extend` does not ask for is
        /// dropped with the iterator.
        pub fn try_insert_many<I: IntoIterator<Item = V>>(
            &mut self,
            values: I,
            keys: &mut impl Extend<K>,
        ) -> Result<(), Refused<Rest<I::IntoIter>>> {
            let mut values = values.into_iter();
            // Memory in one step; if so much is not to be had, each insertion tells. The hint may be
            // wrong, so it shall not pass the maximum.
            let $this = &*self;
            let room = $room;
            let _ = self.try_reserve(values.size_hint().0.min(room));
            let mut refused = None;
            let inserted = values.by_ref().map_while(|value| {
                self.try_insert(value).map_err(|this| refused = Some(this)).ok()
            });
            // Whoever asks on after the end must not have another value taken, and this one lost.
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

/// Defines the insertion of a secondary map by its fallible forms. `$cost` is the time that it takes.
macro_rules! secondary_insert_methods {
    ($map:ident, $cost:literal) => {
        #[doc = concat!("Inserts the value of a key, and returns the one that it had. ", $cost)]
        ///
        /// If the key is null, or older than the one whose value is there for its slot, nothing is inserted:
        /// the value is dropped, and `None` is returned. The value of an older key is dropped.
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
        /// assert_eq!(second.insert(key, 4), None); // too late
        /// assert_eq!((second.get(key), second[newer]), (None, 3));
        /// ```
        #[inline]
        #[track_caller]
        pub fn insert(&mut self, key: K, value: V) -> Option<V> {
            unless_stale(self.try_insert(key, value).map_err(Error::from)).flatten()
        }

        #[doc = concat!("Returns the entry of a key, or `None` if the key is null, or older than the one whose value is \
            there for its slot. ", $cost)]
        ///
        /// Room for the value is made, even if none is inserted then.
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
        #[inline]
        #[track_caller]
        pub fn entry(&mut self, key: K) -> Option<Entry<'_, K, V>> {
            unless_stale(self.try_entry(key))
        }
    };
}
