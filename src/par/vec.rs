//! Parallel iterators over arrays: by value, draining, and as slices.

#![forbid(unsafe_code)]

use super::indexed::{Part, indexed, parallel_array};
use crate::vec::{Drain, IntoIter, VmVec};
use rayon::iter::plumbing::{Consumer, ProducerCallback, UnindexedConsumer, bridge};
use rayon::iter::{
    FromParallelIterator, IndexedParallelIterator, IntoParallelIterator, ParallelDrainRange,
    ParallelExtend, ParallelIterator,
};
use std::fmt;
use std::ops::RangeBounds;

/// A parallel iterator that moves the elements out of an array, created by `into_par_iter`.
///
/// Elements that are not consumed are dropped.
///
/// # Examples
///
/// ```
/// use rayon::prelude::*;
/// use stayput::vm_vec;
///
/// let words = vm_vec!["stay".to_string(), "put".to_string()];
/// let longest = words.into_par_iter().max_by_key(String::len); // moves it out
/// assert_eq!(longest.as_deref(), Some("stay"));
/// ```
#[must_use = "iterators are lazy"]
pub struct ParIntoIter<T> {
    items: IntoIter<T>,
}

/// A parallel draining iterator over a range of an array, created by `par_drain`.
///
/// The elements after the range move down to close the gap when all tasks have ended, or when this is dropped.
/// Elements that are not consumed are dropped. If this is leaked instead, the array ends where the range began, and
/// the remaining elements leak.
///
/// # Examples
///
/// ```
/// use rayon::prelude::*;
/// use stayput::VmVec;
///
/// let mut jobs: VmVec<u64> = (0..1000).collect();
/// let done: u64 = jobs.par_drain(..900).map(|job| job % 2).sum();
/// assert_eq!((done, jobs.len(), jobs[0]), (450, 100, 900));
/// ```
#[must_use = "iterators are lazy"]
pub struct ParDrain<'v, T> {
    items: Drain<'v, T>,
}

indexed!([T: Send] ParIntoIter<T> => T: |iter| iter.items.take_rest());
indexed!([T: Send] ParDrain<'_, T> => T: |iter| iter.items.take_rest());

debug_as!([T: fmt::Debug] ParIntoIter<T>, "ParIntoIter", |iter| iter.items.as_slice());
debug_as!([T: fmt::Debug] ParDrain<'_, T>, "ParDrain", |iter| iter.items.as_slice());

parallel_array! {
    VmVec, |vec|
    rayon::slice::Iter<'a, T>: vec.as_slice().into_par_iter(),
    rayon::slice::IterMut<'a, T>: vec.as_mut_slice().into_par_iter(),
    ParIntoIter<T>: ParIntoIter { items: vec.into_iter() },
    ///
    /// # Examples
    ///
    /// ```
    /// use rayon::prelude::*;
    /// use stayput::VmVec;
    ///
    /// let words: VmVec<String> = (0..1000).into_par_iter().map(|n| n.to_string()).collect();
    /// assert_eq!(words.into_par_iter().map(String::into_bytes).flatten().count(), 2890);
    /// ```
}

impl<'v, T: Send> ParallelDrainRange<usize> for &'v mut VmVec<T> {
    type Iter = ParDrain<'v, T>;
    type Item = T;

    /// Removes a range in parallel; see [`drain`](VmVec::drain). Needs the feature `rayon`.
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
    /// let mut numbers = stayput::VmVec::from([1, 2, 3, 4]);
    /// assert_eq!(numbers.par_drain(1..3).sum::<i32>(), 5);
    /// assert_eq!(numbers, [1, 4]);
    /// ```
    #[track_caller]
    fn par_drain<R: RangeBounds<usize>>(self, range: R) -> ParDrain<'v, T> {
        ParDrain { items: self.drain(range) }
    }
}
