//! The maps of this crate.

use stayput::{DefaultKey, HugePages, Key, SlotMap};

use crate::map::Map;
use crate::value::{Value, sum};

/// As it comes.
pub(crate) type Plain<V> = SlotMap<DefaultKey, V>;

impl<V: Value> Map for Plain<V> {
    type Value = V;
    type Key = DefaultKey;

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
    fn remove(&mut self, key: DefaultKey) -> Option<V> {
        Self::remove(self, key)
    }

    #[inline]
    fn sum(&mut self) -> u64 {
        sum(self.values())
    }

    fn clear(&mut self) {
        Self::clear(self);
    }

    fn place(key: DefaultKey) -> Option<usize> {
        usize::try_from(key.index()).ok()
    }
}

/// In pages as small as those of the peers, to tell what huge pages do from what the map does.
pub(crate) struct SmallPages<V>(Plain<V>);

impl<V: Value> Map for SmallPages<V> {
    type Value = V;
    type Key = DefaultKey;

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
    fn remove(&mut self, key: DefaultKey) -> Option<V> {
        self.0.remove(key)
    }

    #[inline]
    fn sum(&mut self) -> u64 {
        sum(self.0.values())
    }

    fn clear(&mut self) {
        self.0.clear();
    }

    fn place(key: DefaultKey) -> Option<usize> {
        Plain::<V>::place(key)
    }
}
