//! The modules of the crate `slotmap`, by the same names, with the counterparts of their items in this crate.

/// The module of [`SlotMap`](crate::SlotMap) in the crate `slotmap`: the same items as [`slot_map`](crate::slot_map).
///
/// # Examples
///
/// ```
/// use stayput::SlotMap;
/// use stayput::basic::Values;
///
/// fn sum<K: stayput::Key>(values: Values<'_, K, u32>) -> u32 {
///     values.sum()
/// }
///
/// let mut map = SlotMap::new();
/// map.insert(3);
/// map.insert(4);
/// assert_eq!(sum(map.values()), 7);
/// ```
pub mod basic {
    pub use crate::slot_map::{Drain, IntoIter, Iter, IterMut, Keys, SlotMap, Values, ValuesMut};
}

/// The module of `HopSlotMap` in the crate `slotmap`.
pub mod hop {
    pub use crate::slot_map::{Drain, IntoIter, Iter, IterMut, Keys, Values, ValuesMut};

    /// An alias of [`SlotMap`](crate::SlotMap), named after the map of the crate `slotmap` that skips holes faster.
    /// (It is deprecated there.) `SlotMap` does so too, since it records holes in a bitmap.
    ///
    /// As it is the same type as `SlotMap`, a trait cannot be implemented for both.
    ///
    /// # Examples
    ///
    /// ```
    /// use stayput::HopSlotMap;
    ///
    /// let mut map = HopSlotMap::new();
    /// let key = map.insert("a");
    /// assert_eq!(map[key], "a");
    /// ```
    pub type HopSlotMap<K, V> = crate::slot_map::SlotMap<K, V>;
}

/// The module of [`SparseSecondaryMap`](crate::SparseSecondaryMap) in the crate `slotmap`: the same items as
/// [`secondary::sparse`](crate::secondary::sparse).
///
/// # Examples
///
/// ```
/// use stayput::sparse_secondary::Entry;
/// use stayput::{SlotMap, SparseSecondaryMap};
///
/// let mut map = SlotMap::new();
/// let key = map.insert("a");
/// let mut second: SparseSecondaryMap<_, u32> = SparseSecondaryMap::new();
/// assert!(matches!(second.entry(key), Some(Entry::Vacant(_))));
/// ```
pub mod sparse_secondary {
    pub use crate::secondary::sparse::{
        Drain, Entry, IntoIter, IntoKeys, IntoValues, Iter, IterMut, Keys, OccupiedEntry,
        SparseSecondaryMap, VacantEntry, Values, ValuesMut,
    };
}
