//! [`IntoIter`]: gives out the elements by value.

#![forbid(unsafe_code)]

use super::raw::Owned;
use super::{BlockVec, Iter, IterMut};
use std::fmt;

/// An iterator that gives out the elements of a [`BlockVec`], made by its `into_iter`.
pub struct IntoIter<T> {
    owned: Owned<T>,
}

#[cfg(feature = "rayon")]
impl<T> IntoIter<T> {
    /// All that is still to be given out, at once.
    pub(crate) fn take_rest(&mut self) -> super::Taken<'_, T> {
        self.owned.take_rest()
    }
}

exact_iterator! {
    [T] IntoIter<T> => T: |iter| iter.owned.len(), iter.owned.next(), iter.owned.next_back(),
    {
        fn count(self) -> usize {
            self.len()
        }
    }
}

impl<T: Clone> Clone for IntoIter<T> {
    /// Clones what is still to be given out into an array of its own.
    fn clone(&self) -> Self {
        let mut vec = BlockVec { raw: self.owned.fresh() };
        let mut run = self.owned.run(0);
        while !run.is_empty() {
            vec.extend_from_slice(run);
            run = self.owned.run(vec.len());
        }
        vec.into_iter()
    }
}

impl<T> Default for IntoIter<T> {
    fn default() -> Self {
        BlockVec::new().into_iter()
    }
}

impl<T: fmt::Debug> fmt::Debug for IntoIter<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        /// The elements still to be given out.
        struct Rest<'i, T>(&'i Owned<T>);

        impl<T: fmt::Debug> fmt::Debug for Rest<'_, T> {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                let (mut list, mut shown) = (f.debug_list(), 0);
                while shown < self.0.len() {
                    let run = self.0.run(shown);
                    list.entries(run);
                    shown += run.len();
                }
                list.finish()
            }
        }

        f.debug_tuple("IntoIter").field(&Rest(&self.owned)).finish()
    }
}

impl<T> IntoIterator for BlockVec<T> {
    type Item = T;
    type IntoIter = IntoIter<T>;

    /// Gives out the elements by value, in order. They move out one by one; the blocks go back when the iterator is
    /// dropped.
    fn into_iter(self) -> IntoIter<T> {
        IntoIter { owned: self.raw.into_owned() }
    }
}

iterate_by_ref!([T] BlockVec<T>: &'a T => Iter<'a, T>, &'a mut T => IterMut<'a, T>);
