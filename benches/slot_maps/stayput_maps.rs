//! This crate's maps.

use stayput::{DefaultKey, DenseSlotMap, HugePages, Key, SecondaryMap, SlotMap};

use crate::map::{Column, Map, own};
use crate::value::Value;

/// With default settings, and in small pages like the peers', to separate the effect of huge pages from the
/// map's.
pub(crate) type Plain<V> = SlotMap<DefaultKey, V>;
/// Contiguous values, found through a table.
pub(crate) type Packed<V> = DenseSlotMap<DefaultKey, V>;

type Secondary<V> = SecondaryMap<DefaultKey, V>;

impl<V: Value> Map for Plain<V> {
    type Value = V;
    type Key = DefaultKey;
    type Column = Secondary<V>;

    own!(empty with_room insert get get_mut get_many remove values retain drain copy clear);
    own!(@ look_up_each by contains_key);

    fn in_small_pages(slots: usize) -> Self {
        Self::builder().huge_pages(HugePages::Never).capacity(slots).build()
    }

    fn no_key() -> DefaultKey {
        DefaultKey::null()
    }

    #[inline]
    fn join(&mut self, column: &Secondary<V>, each: impl Fn(&mut V, &V)) {
        self.join_mut(column).for_each(|(_, value, other)| each(value, other));
    }

    fn place(key: DefaultKey) -> Option<usize> {
        usize::try_from(key.index()).ok()
    }
}

impl<V: Value> Column<DefaultKey, V> for Secondary<V> {
    own!(empty with_room clear);
    own!(@ column_of DefaultKey, stayput::secondary::Entry);

    fn in_small_pages(slots: usize) -> Self {
        Self::builder().huge_pages(HugePages::Never).capacity(slots).build()
    }
}

impl<V: Value> Map for Packed<V> {
    type Value = V;
    type Key = DefaultKey;
    type Column = Secondary<V>;

    own!(empty with_room insert get get_mut get_many remove values retain drain copy join clear);
    own!(@ look_up_each by contains_key);

    fn no_key() -> DefaultKey {
        DefaultKey::null()
    }

    fn place(_: DefaultKey) -> Option<usize> {
        None // values move
    }
}
