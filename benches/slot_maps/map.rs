//! What a measurement needs of a map. It is compiled once for each implementation.

use std::iter;

use crate::operation::Operation;
use crate::value::Value;

pub(crate) trait Map: Sized {
    type Value: Value;
    type Key: Copy;

    /// More values for the map's keys; [`NoColumn`] where the crate has nothing for that.
    type Column: Column<Self::Key, Self::Value>;

    /// Operations that are not measured, since the map has nothing that does them.
    const LACKS: &'static [Operation] = &[];

    /// Whether an insertion takes the place of a removed value.
    const FILLS_HOLES: bool = true;

    /// Without memory, or with as little as can be.
    fn empty() -> Self;

    /// With memory asked for, not touched, for that many values.
    fn with_room(slots: usize) -> Self;

    /// The same in small pages, where the map has a setting for them.
    fn in_small_pages(_slots: usize) -> Self {
        unreachable!("it has no such setting");
    }

    /// A key for places in a list of keys that are to be overwritten.
    fn no_key() -> Self::Key;

    fn insert(&mut self, value: Self::Value) -> Self::Key;

    /// By a mutable reference, since one of the maps has a quick way only then.
    fn get(&mut self, key: Self::Key) -> Option<&Self::Value>;

    fn get_mut(&mut self, key: Self::Key) -> Option<&mut Self::Value>;

    /// All of these, by the map's quickest way; one after the other where it has none.
    #[inline]
    fn get_many(&mut self, keys: &[Self::Key], mut each: impl FnMut(Option<&Self::Value>)) {
        for &key in keys {
            each(self.get(key));
        }
    }

    fn remove(&mut self, key: Self::Key) -> Option<Self::Value>;

    /// All values, by the map's quickest iterator.
    fn values(&mut self) -> impl Iterator<Item = &Self::Value>;

    /// Removes all values but those.
    fn retain(&mut self, keep: impl Fn(&Self::Value) -> bool);

    /// Goes over the map, with the column's value for each key that has one.
    fn join(&mut self, _column: &Self::Column, _each: impl Fn(&mut Self::Value, &Self::Value)) {
        unreachable!("it has no columns");
    }

    fn clear(&mut self);

    /// The place that the key's value has among all places, where values have fixed places.
    fn place(key: Self::Key) -> Option<usize>;
}

/// Methods of a map or a column that do what its own of the same name does: crates agree on names, and on no trait.
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
    // By looking each of the map's keys up in the column.
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
            unreachable!("it is in LACKS");
        }
    };
    (@ column_of $key:ty) => {
        #[inline]
        fn insert(&mut self, key: $key, value: V) {
            Self::insert(self, key, value);
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

/// What a measurement needs of a secondary map.
pub(crate) trait Column<K, V>: Sized {
    /// Whether there is any.
    const EXISTS: bool = true;

    /// With memory asked for, not touched, for the keys of that many slots.
    fn with_room(slots: usize) -> Self;

    /// The same in small pages.
    fn in_small_pages(_slots: usize) -> Self {
        unreachable!("it has no such setting");
    }

    fn insert(&mut self, key: K, value: V);

    /// All values, by the quickest iterator.
    fn values<'a>(&'a self) -> impl Iterator<Item = &'a V>
    where
        V: 'a;
}

/// Of maps whose crate has no secondary map.
pub(crate) struct NoColumn;

impl<K, V> Column<K, V> for NoColumn {
    const EXISTS: bool = false;

    fn with_room(_: usize) -> Self {
        Self
    }

    fn insert(&mut self, _: K, _: V) {
        unreachable!("it has no columns");
    }

    fn values<'a>(&'a self) -> impl Iterator<Item = &'a V>
    where
        V: 'a,
    {
        iter::empty()
    }
}
