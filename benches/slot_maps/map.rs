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

    /// A key for places in a list of keys that are to be overwritten.
    fn no_key() -> Self::Key;

    /// Without memory, or with as little as can be.
    fn empty() -> Self;

    /// With memory asked for, not touched, for that many values.
    fn with_room(slots: usize) -> Self;

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

/// What a measurement needs of a secondary map.
pub(crate) trait Column<K, V>: Sized {
    /// Whether there is any.
    const EXISTS: bool = true;

    /// With memory asked for, not touched, for the keys of that many slots.
    fn with_room(slots: usize) -> Self;

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
