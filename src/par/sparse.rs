//! Parallel iterators over sparse secondary maps, in no particular order.

#![forbid(unsafe_code)]

use super::maps::{iterators, parallel};
use crate::key::Key;
use crate::secondary::SparseSecondaryMap;
use crate::secondary::sparse::{Parts, SparseSlot};
use crate::slots::key_tag::Mint;
use crate::slots::walk::iter::{only_key, only_value, pair};
use hashbrown::hash_table::rayon as table;
use rayon::iter::plumbing::UnindexedConsumer;
use rayon::iter::{IntoParallelIterator, ParallelIterator};

/// Drives a consumer with the item that `make` makes of each slot.
fn drive<P: Parts, T: Send, C: UnindexedConsumer<T>>(
    slots: impl ParallelIterator<Item = P>,
    make: impl Fn((u32, u32, P::Value)) -> T + Send + Sync,
    consumer: C,
) -> C::Result {
    slots.map(|slot| make(slot.parts())).drive_unindexed(consumer)
}

iterators!(
    "a sparse map",
    SparseSecondaryMap,
    "\n    stayput::SlotMap::from_iter(0..1000).into_iter().collect()",
    table::ParIter<'a, SparseSlot<V>>,
    table::ParIterMut<'a, SparseSlot<V>>,
    drive,
    table::IntoParIter<SparseSlot<V>>,
    drive
);

parallel! {
    SparseSecondaryMap<K, V, S>, "in no particular order",
    |map| map.table().into_par_iter(), map.table_mut().into_par_iter(), map.into_table().into_par_iter(),
    "\n    stayput::SlotMap::from_iter(0..1000).into_iter().collect()",
    /// ```
    /// use rayon::prelude::*;
    /// use stayput::{DefaultKey, SlotMap, SparseSecondaryMap};
    ///
    /// let map: SlotMap<DefaultKey, u64> = (0..10_000).collect();
    /// let mut sparse: SparseSecondaryMap<_, u64> =
    ///     map.iter().step_by(100).map(|(key, n)| (key, *n)).collect();
    /// sparse.par_iter_mut().for_each(|(key, n)| *n += map[key]);
    /// assert_eq!(sparse.par_values().sum::<u64>(), 990_000);
    /// ```
}
