//! Arrays in blocks, in parallel.

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

/// The elements of an array in blocks, in parallel; made by `par_iter`.
#[must_use = "iterators are lazy"]
pub struct ParIter<'v, T> {
    items: Iter<'v, T>,
}

/// The elements of an array in blocks, in parallel, to be changed; made by `par_iter_mut`.
#[must_use = "iterators are lazy"]
pub struct ParIterMut<'v, T> {
    items: IterMut<'v, T>,
}

/// The elements of an array in blocks, in parallel, by value; made by `into_par_iter`.
///
/// What nobody takes is dropped.
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
    /// Appends all that the iterator gives, in its order. Needs the feature `rayon`.
    ///
    /// It is collected by each task, and then moved, so that it takes twice the memory for a while.
    ///
    /// # Panics
    ///
    /// If the array is full or the allocator refuses memory. Where that, or the iterator, panics, the array
    /// is as it was before.
    fn par_extend<I: IntoParallelIterator<Item = T>>(&mut self, iter: I) {
        let parts = collect_parts(iter.into_par_iter());
        self.reserve(parts.iter().map(Vec::len).sum());
        for mut part in parts {
            self.append_vec(&mut part);
        }
    }
}
