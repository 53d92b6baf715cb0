//! The maps of this crate.

use stayput::{DefaultKey, DenseSlotMap, HugePages, Key, SecondaryMap, SlotMap};

use crate::map::{Column, Map};
use crate::value::Value;

/// As it comes.
pub(crate) type Plain<V> = SlotMap<DefaultKey, V>;

impl<V: Value> Map for Plain<V> {
    type Value = V;
    type Key = DefaultKey;
    type Column = PlainColumn<V>;

    fn no_key() -> DefaultKey {
        DefaultKey::null()
    }

    fn empty() -> Self {
        Self::new()
    }

    fn with_room(slots: usize) -> Self {
        Self::with_capacity(slots)
    }

    #[inline]
    fn insert(&mut self, value: V) -> DefaultKey {
        Self::insert(self, value)
    }

    #[inline]
    fn get(&mut self, key: DefaultKey) -> Option<&V> {
        Self::get(self, key)
    }

    #[inline]
    fn get_mut(&mut self, key: DefaultKey) -> Option<&mut V> {
        Self::get_mut(self, key)
    }

    #[inline]
    fn get_many(&mut self, keys: &[DefaultKey], mut each: impl FnMut(Option<&V>)) {
        Self::get_many(self, keys.iter().copied(), |_, value| each(value));
    }

    #[inline]
    fn remove(&mut self, key: DefaultKey) -> Option<V> {
        Self::remove(self, key)
    }

    #[inline]
    fn values(&mut self) -> impl Iterator<Item = &V> {
        Self::values(self)
    }

    #[inline]
    fn retain(&mut self, keep: impl Fn(&V) -> bool) {
        Self::retain(self, |_, value| keep(value));
    }

    #[inline]
    fn join(&mut self, column: &PlainColumn<V>, each: impl Fn(&mut V, &V)) {
        self.join_mut(column).for_each(|(_, value, other)| each(value, other));
    }

    fn clear(&mut self) {
        Self::clear(self);
    }

    fn place(key: DefaultKey) -> Option<usize> {
        usize::try_from(key.index()).ok()
    }
}

pub(crate) type PlainColumn<V> = SecondaryMap<DefaultKey, V>;

impl<V: Value> Column<DefaultKey, V> for PlainColumn<V> {
    fn with_room(slots: usize) -> Self {
        Self::with_capacity(slots)
    }

    #[inline]
    fn insert(&mut self, key: DefaultKey, value: V) {
        Self::insert(self, key, value);
    }

    #[inline]
    fn values<'a>(&'a self) -> impl Iterator<Item = &'a V>
    where
        V: 'a,
    {
        self.values()
    }
}

/// In pages as small as those of the peers, to tell what huge pages do from what the map does.
pub(crate) struct SmallPages<V>(Plain<V>);

impl<V: Value> Map for SmallPages<V> {
    type Value = V;
    type Key = DefaultKey;
    type Column = SmallPagesColumn<V>;

    fn no_key() -> DefaultKey {
        DefaultKey::null()
    }

    fn empty() -> Self {
        Self(SlotMap::builder().huge_pages(HugePages::Never).build())
    }

    fn with_room(slots: usize) -> Self {
        Self(SlotMap::builder().huge_pages(HugePages::Never).capacity(slots).build())
    }

    #[inline]
    fn insert(&mut self, value: V) -> DefaultKey {
        self.0.insert(value)
    }

    #[inline]
    fn get(&mut self, key: DefaultKey) -> Option<&V> {
        self.0.get(key)
    }

    #[inline]
    fn get_mut(&mut self, key: DefaultKey) -> Option<&mut V> {
        self.0.get_mut(key)
    }

    #[inline]
    fn get_many(&mut self, keys: &[DefaultKey], each: impl FnMut(Option<&V>)) {
        Map::get_many(&mut self.0, keys, each);
    }

    #[inline]
    fn remove(&mut self, key: DefaultKey) -> Option<V> {
        self.0.remove(key)
    }

    #[inline]
    fn values(&mut self) -> impl Iterator<Item = &V> {
        self.0.values()
    }

    #[inline]
    fn retain(&mut self, keep: impl Fn(&V) -> bool) {
        Map::retain(&mut self.0, keep);
    }

    #[inline]
    fn join(&mut self, column: &SmallPagesColumn<V>, each: impl Fn(&mut V, &V)) {
        Map::join(&mut self.0, &column.0, each);
    }

    fn clear(&mut self) {
        self.0.clear();
    }

    fn place(key: DefaultKey) -> Option<usize> {
        Plain::<V>::place(key)
    }
}

pub(crate) struct SmallPagesColumn<V>(PlainColumn<V>);

impl<V: Value> Column<DefaultKey, V> for SmallPagesColumn<V> {
    fn with_room(slots: usize) -> Self {
        Self(SecondaryMap::builder().huge_pages(HugePages::Never).capacity(slots).build())
    }

    #[inline]
    fn insert(&mut self, key: DefaultKey, value: V) {
        self.0.insert(key, value);
    }

    #[inline]
    fn values<'a>(&'a self) -> impl Iterator<Item = &'a V>
    where
        V: 'a,
    {
        self.0.values()
    }
}

/// Values side by side, found through a table.
pub(crate) type Packed<V> = DenseSlotMap<DefaultKey, V>;

impl<V: Value> Map for Packed<V> {
    type Value = V;
    type Key = DefaultKey;
    type Column = PlainColumn<V>;

    fn no_key() -> DefaultKey {
        DefaultKey::null()
    }

    fn empty() -> Self {
        Self::new()
    }

    fn with_room(slots: usize) -> Self {
        Self::with_capacity(slots)
    }

    #[inline]
    fn insert(&mut self, value: V) -> DefaultKey {
        Self::insert(self, value)
    }

    #[inline]
    fn get(&mut self, key: DefaultKey) -> Option<&V> {
        Self::get(self, key)
    }

    #[inline]
    fn get_mut(&mut self, key: DefaultKey) -> Option<&mut V> {
        Self::get_mut(self, key)
    }

    #[inline]
    fn get_many(&mut self, keys: &[DefaultKey], mut each: impl FnMut(Option<&V>)) {
        Self::get_many(self, keys.iter().copied(), |_, value| each(value));
    }

    #[inline]
    fn remove(&mut self, key: DefaultKey) -> Option<V> {
        Self::remove(self, key)
    }

    #[inline]
    fn values(&mut self) -> impl Iterator<Item = &V> {
        Self::values(self)
    }

    #[inline]
    fn retain(&mut self, keep: impl Fn(&V) -> bool) {
        Self::retain(self, |_, value| keep(value));
    }

    #[inline]
    fn join(&mut self, column: &PlainColumn<V>, each: impl Fn(&mut V, &V)) {
        for (key, value) in self.iter_mut() {
            if let Some(other) = column.get(key) {
                each(value, other);
            }
        }
    }

    fn clear(&mut self) {
        Self::clear(self);
    }

    fn place(_: DefaultKey) -> Option<usize> {
        None // values move
    }
}
