//! The maps' common interface. Measurements are compiled once for each implementation.

use std::iter;

use crate::operation::Operation;
use crate::value::Value;

pub(crate) trait Map: Sized {
    type Value: Value;
    type Key: Copy;

    /// Secondary values for the map's keys; [`NoColumn`] if the crate has no secondary map.
    type Column: Column<Self::Key, Self::Value>;

    /// Operations that the map lacks.
    const LACKS: &'static [Operation] = &[];

    /// Whether insertions reuse the places of removed values.
    const FILLS_HOLES: bool = true;

    /// Creates a map with as little memory as possible.
    fn empty() -> Self;

    /// Creates a map with capacity for that many values, untouched.
    fn with_room(slots: usize) -> Self;

    /// Creates a map with small pages, if it has a setting for them.
    fn in_small_pages(_slots: usize) -> Self {
        unreachable!("the map has no such setting");
    }

    /// Returns a key that is only a placeholder.
    fn no_key() -> Self::Key;

    fn insert(&mut self, value: Self::Value) -> Self::Key;

    /// Takes a mutable reference, because one of the maps is only fast with one.
    fn get(&mut self, key: Self::Key) -> Option<&Self::Value>;

    fn get_mut(&mut self, key: Self::Key) -> Option<&mut Self::Value>;

    /// Looks up all keys, by the map's fastest way; one by one if it has no other.
    #[inline]
    fn get_many(&mut self, keys: &[Self::Key], mut each: impl FnMut(Option<&Self::Value>)) {
        for &key in keys {
            each(self.get(key));
        }
    }

    fn remove(&mut self, key: Self::Key) -> Option<Self::Value>;

    /// Iterates over all values, by the map's fastest iterator.
    fn values(&mut self) -> impl Iterator<Item = &Self::Value>;

    /// Removes all other values.
    fn retain(&mut self, keep: impl Fn(&Self::Value) -> bool);

    /// Removes all values, by the map's draining iterator.
    fn drain(&mut self, _each: impl FnMut(Self::Value)) {
        unreachable!("the operation is in LACKS");
    }

    /// Returns a copy of the map.
    fn copy(&self) -> Self {
        unreachable!("the operation is in LACKS");
    }

    /// Iterates over keys and values in a `for` loop, looks each key up, and returns the sum of the digests.
    fn look_up_each(&self) -> u64 {
        unreachable!("the operation is in LACKS");
    }

    /// Calls `each` for every value of the map and the column's value for its key, if there is one.
    fn join(&mut self, _column: &Self::Column, _each: impl Fn(&mut Self::Value, &Self::Value)) {
        unreachable!("the map has no columns");
    }

    fn clear(&mut self);

    /// Returns the place of the key's value, if values have fixed places.
    fn place(key: Self::Key) -> Option<usize>;
}

/// Implements methods of the trait by the structure's own methods of the same name, since the crates share
/// names but no trait.
macro_rules! own {
    ($($method:ident)+) => { $(own!(@ $method);)+ };
    (@ insert) => {
        #[inline]
        fn insert(&mut self, value: V) -> Self::Key {
            Self::insert(self, value)
        }
    };
    (@ get) => {
        #[inline]
        fn get(&mut self, key: Self::Key) -> Option<&V> {
            Self::get(self, key)
        }
    };
    (@ get_mut) => {
        #[inline]
        fn get_mut(&mut self, key: Self::Key) -> Option<&mut V> {
            Self::get_mut(self, key)
        }
    };
    (@ get_many) => {
        #[inline]
        fn get_many(&mut self, keys: &[Self::Key], mut each: impl FnMut(Option<&V>)) {
            Self::get_many(self, keys.iter().copied(), |_, value| each(value));
        }
    };
    (@ remove) => {
        #[inline]
        fn remove(&mut self, key: Self::Key) -> Option<V> {
            Self::remove(self, key)
        }
    };
    (@ values) => {
        #[inline]
        fn values(&mut self) -> impl Iterator<Item = &V> {
            Self::values(self)
        }
    };
    (@ values_of_pairs) => {
        #[inline]
        fn values(&mut self) -> impl Iterator<Item = &V> {
            self.iter().map(|(_, value)| value)
        }
    };
    (@ retain) => {
        #[inline]
        fn retain(&mut self, keep: impl Fn(&V) -> bool) {
            Self::retain(self, |_, value| keep(value));
        }
    };
    (@ drain) => {
        #[inline]
        fn drain(&mut self, mut each: impl FnMut(V)) {
            Self::drain(self).for_each(|(_, value)| each(value));
        }
    };
    (@ copy) => {
        #[inline]
        fn copy(&self) -> Self {
            self.clone()
        }
    };
    (@ look_up_each by $contains:ident) => {
        #[inline]
        fn look_up_each(&self) -> u64 {
            let mut sum = 0u64;
            for (key, value) in self {
                if self.$contains(key) {
                    sum = sum.wrapping_add(value.digest());
                }
            }
            sum
        }
    };
    // Looks each of the map's keys up in the column.
    (@ join) => {
        #[inline]
        fn join(&mut self, column: &Self::Column, each: impl Fn(&mut V, &V)) {
            for (key, value) in self.iter_mut() {
                if let Some(other) = column.get(key) {
                    each(value, other);
                }
            }
        }
    };
    (@ no_retain) => {
        fn retain(&mut self, _: impl Fn(&V) -> bool) {
            unreachable!("the operation is in LACKS");
        }
    };
    (@ column_of $key:ty, $($entry:ident)::+) => {
        #[inline]
        fn get(&self, key: $key) -> Option<&V> {
            Self::get(self, key)
        }

        #[inline]
        fn insert(&mut self, key: $key, value: V) {
            Self::insert(self, key, value);
        }

        #[inline]
        fn insert_new(&mut self, key: $key, value: V) -> bool {
            let is_new = !self.contains_key(key);
            if is_new {
                Self::insert(self, key, value);
            }
            is_new
        }

        #[inline]
        fn insert_by_entry(&mut self, key: $key, value: V) -> bool {
            use $($entry)::+ as Entry;

            let Some(Entry::Vacant(vacant)) = self.entry(key) else { return false };
            vacant.insert(value);
            true
        }

        #[inline]
        fn remove(&mut self, key: $key) -> Option<V> {
            Self::remove(self, key)
        }

        #[inline]
        fn values<'a>(&'a self) -> impl Iterator<Item = &'a V>
        where
            V: 'a,
        {
            self.values()
        }
    };
    (@ $method:ident) => { bench_common::own!(@ $method); };
}
pub(crate) use own;

/// The secondary maps' common interface.
pub(crate) trait Column<K, V>: Sized {
    /// Whether the crate has one.
    const EXISTS: bool = true;

    /// Creates a column with as little memory as possible.
    fn empty() -> Self;

    /// Creates a column with capacity for the keys of that many slots, untouched.
    fn with_room(slots: usize) -> Self;

    /// Creates a column with small pages.
    fn in_small_pages(_slots: usize) -> Self {
        unreachable!("the column has no such setting");
    }

    fn get(&self, key: K) -> Option<&V>;

    fn insert(&mut self, key: K, value: V);

    /// Inserts a value if the key has none, after a look-up, and returns whether it did.
    fn insert_new(&mut self, key: K, value: V) -> bool;

    /// Does the same by an entry.
    fn insert_by_entry(&mut self, key: K, value: V) -> bool;

    fn remove(&mut self, key: K) -> Option<V>;

    fn clear(&mut self);

    /// Iterates over all values, by the fastest iterator.
    fn values<'a>(&'a self) -> impl Iterator<Item = &'a V>
    where
        V: 'a;
}

/// For maps whose crate has no secondary map.
pub(crate) struct NoColumn;

impl<K, V> Column<K, V> for NoColumn {
    const EXISTS: bool = false;

    fn empty() -> Self {
        Self
    }

    fn with_room(_: usize) -> Self {
        Self
    }

    fn get(&self, _: K) -> Option<&V> {
        unreachable!("the map has no columns");
    }

    fn insert(&mut self, _: K, _: V) {
        unreachable!("the map has no columns");
    }

    fn insert_new(&mut self, _: K, _: V) -> bool {
        unreachable!("the map has no columns");
    }

    fn insert_by_entry(&mut self, _: K, _: V) -> bool {
        unreachable!("the map has no columns");
    }

    fn remove(&mut self, _: K) -> Option<V> {
        unreachable!("the map has no columns");
    }

    fn clear(&mut self) {
        unreachable!("the map has no columns");
    }

    fn values<'a>(&'a self) -> impl Iterator<Item = &'a V>
    where
        V: 'a,
    {
        iter::empty()
    }
}
