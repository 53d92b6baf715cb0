//! Parallel iterators over arrays in blocks.

#![forbid(unsafe_code)]

use super::collect::collect_parts;
use super::indexed::{Part, indexed, parallel_array};
use crate::block_vec::{BlockVec, IntoIter, Iter, IterMut};
use rayon::iter::plumbing::{Consumer, ProducerCallback, UnindexedConsumer, bridge};
use rayon::iter::{
    FromParallelIterator, IndexedParallelIterator, IntoParallelIterator, ParallelExtend,
    ParallelIterator,
};
use std::fmt;

/// A parallel iterator over the elements of a [`BlockVec`], created by `par_iter`.
///
/// # Examples
///
/// ```
/// use rayon::prelude::*;
/// use stayput::BlockVec;
///
/// let heights: BlockVec<u32> = (0..10_000).collect();
/// assert_eq!(heights.par_iter().position_any(|height| *height == 77), Some(77));
/// ```
#[must_use = "iterators are lazy"]
pub struct ParIter<'v, T> {
    items: Iter<'v, T>,
}

/// A parallel iterator over mutable references to the elements of a [`BlockVec`], created by `par_iter_mut`.
///
/// # Examples
///
/// ```
/// use rayon::prelude::*;
/// use stayput::BlockVec;
///
/// let mut health: BlockVec<u32> = (0..10_000).collect();
/// health.par_iter_mut().for_each(|health| *health = (*health).min(100));
/// assert_eq!(health.iter().max(), Some(&100));
/// ```
#[must_use = "iterators are lazy"]
pub struct ParIterMut<'v, T> {
    items: IterMut<'v, T>,
}

/// A parallel iterator that moves the elements out of a [`BlockVec`], created by `into_par_iter`.
///
/// Elements that are not consumed are dropped.
///
/// # Examples
///
/// ```
/// use rayon::prelude::*;
/// use stayput::BlockVec;
///
/// let words: BlockVec<String> = (0..1000).map(|n| n.to_string()).collect();
/// let bytes: Vec<Vec<u8>> = words.into_par_iter().map(String::into_bytes).collect();
/// assert_eq!(bytes[999], b"999");
/// ```
#[must_use = "iterators are lazy"]
pub struct ParIntoIter<T> {
    items: IntoIter<T>,
}

indexed!(['v, T: Sync] ParIter<'v, T> => &'v T: |iter| iter.items);
indexed!(['v, T: Send] ParIterMut<'v, T> => &'v mut T: |iter| iter.items);
indexed!([T: Send] ParIntoIter<T> => T: |iter| iter.items.take_rest());

debug_as!([T: fmt::Debug] ParIter<'_, T>, "ParIter", |iter| iter.items);
debug_as!([T: fmt::Debug] ParIterMut<'_, T>, "ParIterMut", |iter| iter.items);
debug_as!([T: fmt::Debug] ParIntoIter<T>, "ParIntoIter", |iter| iter.items);

clone_fields!([T] ParIter<'_, T>: items);

parallel_array! {
    BlockVec, |vec|
    ParIter<'a, T>: ParIter { items: vec.iter() },
    ParIterMut<'a, T>: ParIterMut { items: vec.iter_mut() },
    ParIntoIter<T>: ParIntoIter { items: vec.into_iter() },
    ///
    /// # Examples
    ///
    /// ```
    /// use rayon::prelude::*;
    /// use stayput::BlockVec;
    ///
    /// let numbers: BlockVec<u64> = (0..100_000).into_par_iter().collect();
    /// assert_eq!(numbers.par_iter().sum::<u64>(), 4_999_950_000);
    /// ```
}

impl<T: Send> ParallelExtend<T> for BlockVec<T> {
    /// Appends the elements of a parallel iterator, in order. Needs the feature `rayon`.
    ///
    /// Each task collects its elements first, and they are moved afterwards, which temporarily takes twice the memory.
    ///
    /// # Panics
    ///
    /// If the array is full or the allocator refuses memory. After this, or a panic of the iterator, the array is
    /// unchanged.
    fn par_extend<I: IntoParallelIterator<Item = T>>(&mut self, iter: I) {
        let parts = collect_parts(iter.into_par_iter());
        self.reserve(parts.iter().map(Vec::len).sum());
        for mut part in parts {
            self.append_vec(&mut part);
        }
    }
}
