//! Parallel iterators over dense maps.

#![forbid(unsafe_code)]

use super::vec;
use crate::dense::{DenseSlotMap, Rows};
use crate::key::Key;
use rayon::iter::plumbing::{Consumer, ProducerCallback, UnindexedConsumer};
use rayon::iter::{Copied, IndexedParallelIterator, IntoParallelIterator, ParallelIterator, Zip};
use rayon::slice;

/// A parallel iterator over the key–value pairs of a [`DenseSlotMap`], in row order; created by `par_iter`,
/// `par_iter_mut` and `into_par_iter`. Values that are not consumed are dropped if they were moved out.
///
/// # Examples
///
/// ```
/// use rayon::prelude::*;
/// use stayput::{DefaultKey, DenseSlotMap};
///
/// let mut health: DenseSlotMap<DefaultKey, u32> = (0..1000).collect();
/// health.par_iter_mut().for_each(|(_, health)| *health /= 10);
/// let dead: Vec<DefaultKey> =
///     health.par_iter().filter(|(_, health)| **health == 0).map(|(key, _)| key).collect();
/// assert_eq!(dead.len(), 10);
/// ```
#[must_use = "iterators are lazy"]
#[derive(Clone)]
pub struct ParPairs<P: IndexedParallelIterator, R: IndexedParallelIterator> {
    pairs: Zip<P, R>,
}

impl<P, R> ParallelIterator for ParPairs<P, R>
where
    P: IndexedParallelIterator,
    R: IndexedParallelIterator,
{
    type Item = (P::Item, R::Item);

    fn drive_unindexed<C: UnindexedConsumer<Self::Item>>(self, consumer: C) -> C::Result {
        self.pairs.drive_unindexed(consumer)
    }

    fn opt_len(&self) -> Option<usize> {
        Some(self.pairs.len())
    }
}

impl<P, R> IndexedParallelIterator for ParPairs<P, R>
where
    P: IndexedParallelIterator,
    R: IndexedParallelIterator,
{
    fn len(&self) -> usize {
        self.pairs.len()
    }

    fn drive<C: Consumer<Self::Item>>(self, consumer: C) -> C::Result {
        self.pairs.drive(consumer)
    }

    fn with_producer<CB: ProducerCallback<Self::Item>>(self, callback: CB) -> CB::Output {
        self.pairs.with_producer(callback)
    }
}

debug_fields! {
    [P: IndexedParallelIterator, R: IndexedParallelIterator] ParPairs<P, R>, "ParPairs", |iter|
    len: iter.pairs.len()
}

/// A parallel iterator over the keys of a dense map, in row order.
type ParKeys<'a, K> = Copied<slice::Iter<'a, K>>;

impl<'a, K, V, S> IntoParallelIterator for &'a DenseSlotMap<K, V, S>
where
    K: Key + Send + Sync,
    S: Rows<Value = V>,
    &'a S: IntoParallelIterator<Iter: IndexedParallelIterator>,
{
    type Iter = ParPairs<ParKeys<'a, K>, <&'a S as IntoParallelIterator>::Iter>;
    type Item = (K, <&'a S as IntoParallelIterator>::Item);

    /// Returns a parallel iterator over the key–value pairs, in row order. Needs the feature `rayon`.
    ///
    /// # Examples
    ///
    /// ```
    /// use rayon::prelude::*;
    /// use stayput::{DefaultKey, DenseSlotMap};
    ///
    /// let mut map: DenseSlotMap<DefaultKey, u64> = (0..10_000).collect();
    /// assert_eq!(map.par_iter().map(|(_, n)| n).sum::<u64>(), 49_995_000);
    ///
    /// map.par_values_mut().for_each(|n| *n /= 2);
    /// let small: Vec<DefaultKey> = map.par_keys().filter(|key| map[*key] < 5).collect();
    /// assert_eq!(small, map.keys_as_slice()[..10]);
    /// ```
    fn into_par_iter(self) -> Self::Iter {
        ParPairs { pairs: self.par_keys().zip(self.rows()) }
    }
}

impl<'a, K, V, S> IntoParallelIterator for &'a mut DenseSlotMap<K, V, S>
where
    K: Key + Send + Sync,
    S: Rows<Value = V>,
    &'a mut S: IntoParallelIterator<Iter: IndexedParallelIterator>,
{
    type Iter = ParPairs<ParKeys<'a, K>, <&'a mut S as IntoParallelIterator>::Iter>;
    type Item = (K, <&'a mut S as IntoParallelIterator>::Item);

    /// Returns a mutable parallel iterator over the key–value pairs, in row order. Needs the feature `rayon`.
    fn into_par_iter(self) -> Self::Iter {
        let (keys, rows) = self.parts_mut();
        ParPairs { pairs: keys.into_par_iter().copied().zip(rows) }
    }
}

impl<K, V, S> IntoParallelIterator for DenseSlotMap<K, V, S>
where
    K: Key + Send,
    S: Rows<Value = V> + IntoParallelIterator<Iter: IndexedParallelIterator>,
{
    type Iter = ParPairs<vec::ParIntoIter<K>, <S as IntoParallelIterator>::Iter>;
    type Item = (K, <S as IntoParallelIterator>::Item);

    /// Returns a parallel iterator that moves keys and values out, in row order. Needs the feature `rayon`.
    fn into_par_iter(self) -> Self::Iter {
        let (keys, rows) = self.into_parts();
        ParPairs { pairs: keys.into_par_iter().zip(rows) }
    }
}

impl<K: Key + Send + Sync, V, S: Rows<Value = V>> DenseSlotMap<K, V, S> {
    /// Returns a parallel iterator over the keys, in row order. Needs the feature `rayon`.
    ///
    /// # Examples
    ///
    /// ```
    /// use rayon::prelude::*;
    /// use stayput::{DefaultKey, DenseSlotMap};
    ///
    /// let health: DenseSlotMap<DefaultKey, u32> = (0..1000).collect();
    /// assert_eq!(health.par_keys().filter(|key| health[*key] < 10).count(), 10);
    /// ```
    pub fn par_keys(&self) -> Copied<slice::Iter<'_, K>> {
        self.keys_as_slice().into_par_iter().copied()
    }
}

impl<K: Key, V, S: Rows<Value = V>> DenseSlotMap<K, V, S> {
    /// Returns a parallel iterator over the values, in row order. Needs the feature `rayon`.
    ///
    /// # Examples
    ///
    /// ```
    /// use rayon::prelude::*;
    /// use stayput::{DefaultKey, DenseSlotMap};
    ///
    /// let health: DenseSlotMap<DefaultKey, u32> = (0..1000).collect();
    /// assert_eq!(health.par_values().sum::<u32>(), 499_500);
    /// ```
    pub fn par_values<'a>(&'a self) -> <&'a S as IntoParallelIterator>::Iter
    where
        &'a S: IntoParallelIterator,
    {
        self.rows().into_par_iter()
    }

    /// Returns a mutable parallel iterator over the values, in row order. Needs the feature `rayon`.
    ///
    /// # Examples
    ///
    /// ```
    /// use rayon::prelude::*;
    /// use stayput::{DefaultKey, DenseSlotMap};
    ///
    /// let mut health: DenseSlotMap<DefaultKey, u32> = (0..1000).collect();
    /// health.par_values_mut().for_each(|health| *health += 1);
    /// assert_eq!(health.values().sum::<u32>(), 500_500);
    /// ```
    pub fn par_values_mut<'a>(&'a mut self) -> <&'a mut S as IntoParallelIterator>::Iter
    where
        &'a mut S: IntoParallelIterator,
    {
        self.parts_mut().1.into_par_iter()
    }
}
