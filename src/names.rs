//! The modules of the crate `slotmap`, with the corresponding items of this crate.

/// The names of the module `slotmap::basic`, for items of [`slot_map`](crate::slot_map).
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

/// The names of the module `slotmap::hop`, for items of [`slot_map`](crate::slot_map).
pub mod hop {
    pub use crate::slot_map::{Drain, IntoIter, Iter, IterMut, Keys, Values, ValuesMut};

    /// An alias of [`SlotMap`](crate::SlotMap), named after the map of the crate `slotmap` that skips holes faster
    /// (deprecated there). `SlotMap` skips holes in its bitmap.
    ///
    /// It is the same type as `SlotMap`, so a trait cannot be implemented for both.
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

/// The names of the module `slotmap::sparse_secondary`, for items of [`secondary::sparse`](crate::secondary::sparse).
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
