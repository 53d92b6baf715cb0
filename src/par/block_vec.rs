//! Arrays in blocks, in parallel.

#![forbid(unsafe_code)]

use crate::block_vec::{BlockVec, IntoIter, Iter, IterMut, Taken};
use rayon::iter::plumbing::{Consumer, Producer, ProducerCallback, UnindexedConsumer, bridge};
use rayon::iter::{
    FromParallelIterator, IndexedParallelIterator, IntoParallelIterator, ParallelExtend,
    ParallelIterator,
};
use std::collections::LinkedList;
use std::fmt;

/// The elements of an array in blocks, in parallel; made by `par_iter`.
#[must_use = "iterators are lazy"]
pub struct ParIter<'v, T> {
    elements: Iter<'v, T>,
}

/// The elements of an array in blocks, in parallel, to be changed; made by `par_iter_mut`.
#[must_use = "iterators are lazy"]
pub struct ParIterMut<'v, T> {
    elements: IterMut<'v, T>,
}

/// The elements of an array in blocks, in parallel, by value; made by `into_par_iter`.
///
/// What nobody takes is dropped.
#[must_use = "iterators are lazy"]
pub struct ParIntoIter<T> {
    elements: IntoIter<T>,
}

/// What a task is given: an iterator that can be split.
struct Part<I>(I);

macro_rules! parallel {
    ([$($generics:tt)*] $bound:ident, $name:ty, $element:ty, $part:ty, |$this:ident| $take:expr) => {
        impl<$($generics)* T: $bound> ParallelIterator for $name {
            type Item = $element;

            fn drive_unindexed<C: UnindexedConsumer<$element>>(self, consumer: C) -> C::Result {
                bridge(self, consumer)
            }

            fn opt_len(&self) -> Option<usize> {
                Some(self.elements.len())
            }
        }

        impl<$($generics)* T: $bound> IndexedParallelIterator for $name {
            fn len(&self) -> usize {
                self.elements.len()
            }

            fn drive<C: Consumer<$element>>(self, consumer: C) -> C::Result {
                bridge(self, consumer)
            }

            #[allow(unused_mut, reason = "some are taken out of")]
            fn with_producer<CB: ProducerCallback<$element>>(self, callback: CB) -> CB::Output {
                let mut $this = self;
                callback.callback(Part($take))
            }
        }

        impl<'v, T: $bound> Producer for Part<$part> {
            type Item = $element;
            type IntoIter = $part;

            fn into_iter(self) -> $part {
                self.0
            }

            fn split_at(self, index: usize) -> (Self, Self) {
                let (left, right) = self.0.split_at(index);
                (Self(left), Self(right))
            }
        }
    };
}

parallel!(['v,] Sync, ParIter<'v, T>, &'v T, Iter<'v, T>, |this| this.elements);
parallel!(['v,] Send, ParIterMut<'v, T>, &'v mut T, IterMut<'v, T>, |this| this.elements);
parallel!([] Send, ParIntoIter<T>, T, Taken<'v, T>, |this| this.elements.take_rest());

impl<T> Clone for ParIter<'_, T> {
    fn clone(&self) -> Self {
        Self { elements: self.elements.clone() }
    }
}

impl<T: fmt::Debug> fmt::Debug for ParIter<'_, T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("ParIter").field(&self.elements).finish()
    }
}

impl<T: fmt::Debug> fmt::Debug for ParIterMut<'_, T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("ParIterMut").field(&self.elements).finish()
    }
}

impl<T: fmt::Debug> fmt::Debug for ParIntoIter<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("ParIntoIter").field(&self.elements).finish()
    }
}

impl<'v, T: Sync> IntoParallelIterator for &'v BlockVec<T> {
    type Iter = ParIter<'v, T>;
    type Item = &'v T;

    /// The elements in parallel. Needs the feature `rayon`.
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
    fn into_par_iter(self) -> ParIter<'v, T> {
        ParIter { elements: self.iter() }
    }
}

impl<'v, T: Send> IntoParallelIterator for &'v mut BlockVec<T> {
    type Iter = ParIterMut<'v, T>;
    type Item = &'v mut T;

    /// The elements in parallel, to be changed. Needs the feature `rayon`.
    fn into_par_iter(self) -> ParIterMut<'v, T> {
        ParIterMut { elements: self.iter_mut() }
    }
}

impl<T: Send> IntoParallelIterator for BlockVec<T> {
    type Iter = ParIntoIter<T>;
    type Item = T;

    /// Gives out the elements by value, in parallel. Needs the feature `rayon`.
    fn into_par_iter(self) -> ParIntoIter<T> {
        ParIntoIter { elements: self.into_iter() }
    }
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
        let parts = iter
            .into_par_iter()
            .fold(Vec::new, |mut part, element| {
                part.push(element);
                part
            })
            .map(|part| LinkedList::from([part]))
            .reduce(LinkedList::new, |mut parts, mut more| {
                parts.append(&mut more);
                parts
            });
        self.reserve(parts.iter().map(Vec::len).sum());
        for mut part in parts {
            self.append_vec(&mut part);
        }
    }
}

impl<'t, T: Copy + Send + Sync + 't> ParallelExtend<&'t T> for BlockVec<T> {
    /// Appends copies of all elements that the iterator gives. Needs the feature `rayon`.
    fn par_extend<I: IntoParallelIterator<Item = &'t T>>(&mut self, iter: I) {
        self.par_extend(iter.into_par_iter().copied());
    }
}

impl<T: Send> FromParallelIterator<T> for BlockVec<T> {
    /// An array of all that the iterator gives, in its order. Needs the feature `rayon`.
    fn from_par_iter<I: IntoParallelIterator<Item = T>>(iter: I) -> Self {
        let mut vec = Self::new();
        vec.par_extend(iter);
        vec
    }
}
