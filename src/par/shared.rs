//! Parallel iterators over arrays that threads share: by value, draining, as slices, and appending from all tasks.

#![forbid(unsafe_code)]

use super::indexed::{Part, indexed, parallel_array};
use super::vec::ParIntoIter;
use crate::shared::{Drain, SharedVec};
use rayon::iter::plumbing::{Consumer, ProducerCallback, UnindexedConsumer, bridge};
use rayon::iter::{
    FromParallelIterator, IndexedParallelIterator, IntoParallelIterator, ParallelDrainRange,
    ParallelExtend, ParallelIterator,
};
use std::fmt;
use std::ops::RangeBounds;

/// A parallel draining iterator over a range of a [`SharedVec`], created by `par_drain`.
///
/// The elements after the range move down to close the gap when all tasks have ended, or when this is dropped.
/// Elements that are not consumed are dropped. If this is leaked instead, all elements leak, and the `SharedVec` is
/// empty.
///
/// # Examples
///
/// ```
/// use rayon::prelude::*;
/// use stayput::SharedVec;
///
/// let mut jobs: SharedVec<u64> = (0..1000).collect();
/// let done: u64 = jobs.par_drain(..900).map(|job| job % 2).sum();
/// assert_eq!((done, jobs.len(), jobs[0]), (450, 100, 900));
/// ```
#[must_use = "iterators are lazy"]
pub struct ParDrain<'s, T> {
    items: Drain<'s, T>,
}

indexed!([T: Send] ParDrain<'_, T> => T: |iter| iter.items.take_rest());

debug_as!([T: fmt::Debug] ParDrain<'_, T>, "ParDrain", |iter| iter.items.as_slice());

// By reference, the prefix only: elements that are pushed later are not included.
parallel_array! {
    SharedVec, |vec|
    rayon::slice::Iter<'a, T>: vec.as_slice().into_par_iter(),
    rayon::slice::IterMut<'a, T>: vec.as_mut_slice().into_par_iter(),
    ParIntoIter<T>: vec.into_inner().into_par_iter(),
}

impl<'s, T: Send> ParallelDrainRange<usize> for &'s mut SharedVec<T> {
    type Iter = ParDrain<'s, T>;
    type Item = T;

    /// Removes a range in parallel; see [`drain`](SharedVec::drain). Needs the feature `rayon`.
    ///
    /// # Panics
    ///
    /// If the range ends before it starts, or past the length.
    ///
    /// # Examples
    ///
    /// ```
    /// use rayon::prelude::*;
    ///
    /// let mut numbers = stayput::SharedVec::from([1, 2, 3, 4]);
    /// assert_eq!(numbers.par_drain(1..3).sum::<i32>(), 5);
    /// assert_eq!(numbers, [1, 4]);
    /// ```
    #[track_caller]
    fn par_drain<R: RangeBounds<usize>>(self, range: R) -> ParDrain<'s, T> {
        ParDrain { items: self.drain(range) }
    }
}

impl<T: Send> ParallelExtend<T> for SharedVec<T> {
    /// Appends the elements of a parallel iterator, in order, as a [`VmVec`](crate::VmVec) does. Needs the feature
    /// `rayon`.
    ///
    /// # Panics
    ///
    /// As for a `VmVec`.
    fn par_extend<I: IntoParallelIterator<Item = T>>(&mut self, iter: I) {
        self.as_mut_vec().par_extend(iter);
    }
}

impl<T: Send + Sync> ParallelExtend<T> for &SharedVec<T> {
    /// Appends the elements of a parallel iterator, while other threads append and read. Needs the feature `rayon`.
    ///
    /// Elements are in no particular order: each task appends those that it makes, [gathered](SharedVec::gather).
    /// Nothing is collected first, whether the iterator knows its length or not.
    ///
    /// # Panics
    ///
    /// If the array is full or the system refuses memory. After this, or a panic of the iterator, elements appended
    /// before stay, and those that tasks have gathered are appended.
    ///
    /// # Examples
    ///
    /// ```
    /// use rayon::prelude::*;
    /// use stayput::SharedVec;
    ///
    /// // All numbers below 1000 that have more than 25 divisors.
    /// let found = SharedVec::new();
    /// (&found).par_extend((1..1000_u32).into_par_iter().filter(|n| {
    ///     (1..=*n).filter(|divisor| n % divisor == 0).count() > 25
    /// }));
    /// let mut found = found.into_inner();
    /// found.sort_unstable();
    /// assert_eq!(found, [720, 840, 900, 960]);
    /// ```
    fn par_extend<I: IntoParallelIterator<Item = T>>(&mut self, iter: I) {
        let shared = *self;
        let gathers = iter.into_par_iter().fold(
            || shared.gather(),
            |mut gather, element| {
                gather.push(element);
                gather
            },
        );
        // `flush` panics if memory is refused, unlike the drop of a `Gather`.
        gathers.for_each(|mut gather| _ = gather.flush());
    }
}

impl<'t, T: Copy + Send + Sync + 't> ParallelExtend<&'t T> for &SharedVec<T> {
    /// Appends copies of the elements of a parallel iterator, in no particular order. Needs the feature `rayon`.
    fn par_extend<I: IntoParallelIterator<Item = &'t T>>(&mut self, iter: I) {
        self.par_extend(iter.into_par_iter().copied());
    }
}
