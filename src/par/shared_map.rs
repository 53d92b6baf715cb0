//! Parallel iterators over slot maps that threads share.

#![forbid(unsafe_code)]

use super::maps::ParIntoIter;
use crate::key::Key;
use crate::shared::SharedSlotMap;
use crate::shared::map::Iter;
use rayon::iter::plumbing::{Folder, UnindexedConsumer, UnindexedProducer, bridge_unindexed};
use rayon::iter::{IntoParallelIterator, ParallelIterator};

/// A parallel iterator over the keys and values of a [`SharedSlotMap`], created by `par_iter`.
///
/// # Examples
///
/// ```
/// use rayon::prelude::*;
/// use stayput::SharedSlotMap;
///
/// let jobs = SharedSlotMap::new();
/// (0..1000_u32).for_each(|n| _ = jobs.insert(n));
/// jobs.par_iter().filter(|(_, n)| **n < 10).for_each(|(key, _)| _ = jobs.remove(key));
/// assert_eq!(jobs.len(), 990);
/// ```
#[must_use = "iterators are lazy"]
pub struct ParIter<'s, K: Key, V> {
    slots: Iter<'s, K, V>,
}

struct Producer<'s, K: Key, V>(Iter<'s, K, V>);

impl<'s, K: Key + Send, V: Send + Sync> UnindexedProducer for Producer<'s, K, V> {
    type Item = (K, &'s V);

    fn split(mut self) -> (Self, Option<Self>) {
        let after = self.0.split_off_half().map(Self);
        (self, after)
    }

    fn fold_with<F: Folder<(K, &'s V)>>(self, folder: F) -> F {
        folder.consume_iter(self.0)
    }
}

impl<'s, K: Key + Send, V: Send + Sync> ParallelIterator for ParIter<'s, K, V> {
    type Item = (K, &'s V);

    fn drive_unindexed<C: UnindexedConsumer<Self::Item>>(self, consumer: C) -> C::Result {
        bridge_unindexed(Producer(self.slots), consumer)
    }
}

clone_fields!([K: Key, V] ParIter<'_, K, V>: slots);

debug_as!([K: Key, V] ParIter<'_, K, V>, "ParIter");

impl<'s, K: Key + Send, V: Send + Sync> IntoParallelIterator for &'s SharedSlotMap<K, V> {
    type Iter = ParIter<'s, K, V>;
    type Item = (K, &'s V);

    /// Returns a parallel iterator over keys and values, while other threads insert and remove: it yields what
    /// [`iter`](SharedSlotMap::iter) yields. Needs the feature `rayon`.
    ///
    /// The other parallel methods are those of the owner's map: `shared.as_mut_map().par_iter_mut()`, `par_values`,
    /// `par_join`.
    ///
    /// # Examples
    ///
    /// ```
    /// use rayon::prelude::*;
    /// use stayput::SharedSlotMap;
    ///
    /// let mut jobs = SharedSlotMap::new();
    /// (0..10_000_u64).into_par_iter().for_each(|n| _ = jobs.insert(n));
    /// jobs.par_iter().filter(|(_, n)| **n % 2 == 1).for_each(|(key, _)| _ = jobs.remove(key));
    /// assert_eq!(jobs.par_iter().map(|(_, n)| n).sum::<u64>(), 24_995_000);
    ///
    /// jobs.as_mut_map().par_values_mut().for_each(|n| *n /= 2);
    /// ```
    fn into_par_iter(self) -> Self::Iter {
        ParIter { slots: self.iter() }
    }
}

impl<K: Key + Send, V: Send> IntoParallelIterator for SharedSlotMap<K, V> {
    type Iter = ParIntoIter<K, V>;
    type Item = (K, V);

    /// Returns a parallel iterator that moves keys and values out, as of a [`SlotMap`](crate::SlotMap). Needs the
    /// feature `rayon`.
    fn into_par_iter(self) -> Self::Iter {
        self.into_inner().into_par_iter()
    }
}
