//! Sparse secondary maps in parallel, in no order.

#![forbid(unsafe_code)]

use crate::key::Key;
use crate::secondary::SparseSecondaryMap;
use crate::secondary::sparse::Slot;
use crate::slots::key_tag::Mint;
use hashbrown::hash_table::rayon as table;
use rayon::iter::plumbing::UnindexedConsumer;
use rayon::iter::{IntoParallelIterator, ParallelIterator};
use std::fmt;

/// A parallel iterator over slots. They differ only in what they make of one.
macro_rules! iterator {
    (
        $(#[$doc:meta])*
        $name:ident, $slots:ty, $value_bound:ident $(, $key_bound:ident)? => $item:ty: $make:expr
    ) => {
        $(#[$doc])*
        #[must_use = "iterators are lazy"]
        pub struct $name<'a, K: Key, V> {
            slots: $slots,
            mint: Mint<K>,
        }

        impl<'a, K: Key, V> $name<'a, K, V> {
            const fn new(slots: $slots, mint: Mint<K>) -> Self {
                Self { slots, mint }
            }
        }

        impl<'a, K: Key $(+ $key_bound)?, V: $value_bound> ParallelIterator for $name<'a, K, V> {
            type Item = $item;

            fn drive_unindexed<C: UnindexedConsumer<Self::Item>>(self, consumer: C) -> C::Result {
                self.slots.map($make(self.mint)).drive_unindexed(consumer)
            }
        }

        impl<K: Key, V> fmt::Debug for $name<'_, K, V> {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.debug_struct(stringify!($name)).finish_non_exhaustive()
            }
        }
    };
}

/// An iterator by shared reference, which can be cloned.
macro_rules! shared {
    ($name:ident) => {
        impl<K: Key, V> Clone for $name<'_, K, V> {
            fn clone(&self) -> Self {
                Self::new(self.slots.clone(), self.mint)
            }
        }
    };
}

iterator! {
    /// Keys and values of a sparse map in parallel, made by `par_iter`.
    ParIter, table::ParIter<'a, Slot<V>>, Sync, Send => (K, &'a V):
    |mint: Mint<K>| move |slot: &'a Slot<V>| (slot.key(mint), &slot.value)
}

iterator! {
    /// Keys and values of a sparse map in parallel, the values to be changed, made by
    /// `par_iter_mut`.
    ParIterMut, table::ParIterMut<'a, Slot<V>>, Send, Send => (K, &'a mut V):
    |mint: Mint<K>| move |slot: &'a mut Slot<V>| (slot.key(mint), &mut slot.value)
}

iterator! {
    /// Keys of a sparse map in parallel, made by `par_keys`.
    ParKeys, table::ParIter<'a, Slot<V>>, Sync, Send => K:
    |mint: Mint<K>| move |slot: &'a Slot<V>| slot.key(mint)
}

iterator! {
    /// Values of a sparse map in parallel, made by `par_values`.
    ParValues, table::ParIter<'a, Slot<V>>, Sync => &'a V:
    |_: Mint<K>| |slot: &'a Slot<V>| &slot.value
}

iterator! {
    /// Values of a sparse map in parallel, to be changed, made by `par_values_mut`.
    ParValuesMut, table::ParIterMut<'a, Slot<V>>, Send => &'a mut V:
    |_: Mint<K>| |slot: &'a mut Slot<V>| &mut slot.value
}

shared!(ParIter);
shared!(ParKeys);
shared!(ParValues);

/// Keys and values of a sparse map in parallel, by value; made by `into_par_iter`. What nobody takes
/// is dropped.
#[must_use = "iterators are lazy"]
pub struct ParIntoIter<K: Key, V> {
    slots: table::IntoParIter<Slot<V>>,
    mint: Mint<K>,
}

impl<K: Key + Send, V: Send> ParallelIterator for ParIntoIter<K, V> {
    type Item = (K, V);

    fn drive_unindexed<C: UnindexedConsumer<Self::Item>>(self, consumer: C) -> C::Result {
        let mint = self.mint;
        self.slots.map(move |slot| (slot.key(mint), slot.value)).drive_unindexed(consumer)
    }
}

impl<K: Key, V> fmt::Debug for ParIntoIter<K, V> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ParIntoIter").finish_non_exhaustive()
    }
}

impl<K: Key + Send, V: Send, S> IntoParallelIterator for SparseSecondaryMap<K, V, S> {
    type Iter = ParIntoIter<K, V>;
    type Item = (K, V);

    /// Keys and values by value in parallel, in no order. Needs the feature `rayon`.
    fn into_par_iter(self) -> Self::Iter {
        let mint = self.mint();
        ParIntoIter { slots: self.into_table().into_par_iter(), mint }
    }
}

impl<'a, K: Key + Send, V: Sync, S> IntoParallelIterator for &'a SparseSecondaryMap<K, V, S> {
    type Iter = ParIter<'a, K, V>;
    type Item = (K, &'a V);

    /// Keys and values in parallel, in no order. Needs the feature `rayon`.
    ///
    /// # Examples
    ///
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
    fn into_par_iter(self) -> Self::Iter {
        ParIter::new(self.table().into_par_iter(), self.mint())
    }
}

impl<'a, K: Key + Send, V: Send, S> IntoParallelIterator for &'a mut SparseSecondaryMap<K, V, S> {
    type Iter = ParIterMut<'a, K, V>;
    type Item = (K, &'a mut V);

    /// Keys and values in parallel, the values to be changed. Needs the feature `rayon`.
    fn into_par_iter(self) -> Self::Iter {
        let mint = self.mint();
        ParIterMut::new(self.table_mut().into_par_iter(), mint)
    }
}

impl<K: Key + Send, V: Sync, S> SparseSecondaryMap<K, V, S> {
    /// All keys in parallel, in no order. Needs the feature `rayon`.
    pub fn par_keys(&self) -> ParKeys<'_, K, V> {
        ParKeys::new(self.table().into_par_iter(), self.mint())
    }
}

impl<K: Key, V: Sync, S> SparseSecondaryMap<K, V, S> {
    /// All values in parallel, in no order. Needs the feature `rayon`.
    pub fn par_values(&self) -> ParValues<'_, K, V> {
        ParValues::new(self.table().into_par_iter(), self.mint())
    }
}

impl<K: Key, V: Send, S> SparseSecondaryMap<K, V, S> {
    /// All values in parallel, to be changed. Needs the feature `rayon`.
    pub fn par_values_mut(&mut self) -> ParValuesMut<'_, K, V> {
        let mint = self.mint();
        ParValuesMut::new(self.table_mut().into_par_iter(), mint)
    }
}
