//! [`IntoIter`]: moves the elements out.

#![forbid(unsafe_code)]

use super::raw::Owned;
use super::{BlockVec, Iter, IterMut};
use std::fmt;

/// An iterator that moves the elements out of a [`BlockVec`].
///
/// This struct is created by the method [`into_iter`](IntoIterator::into_iter) of [`BlockVec`].
///
/// # Examples
///
/// ```
/// let names = stayput::BlockVec::from(["Ann".to_string(), "Ben".to_string()]);
/// let boxed: Vec<Box<str>> = names.into_iter().map(String::into_boxed_str).collect();
/// assert_eq!(*boxed[1], *"Ben");
/// ```
pub struct IntoIter<T> {
    owned: Owned<T>,
}

#[cfg(feature = "rayon")]
impl<T> IntoIter<T> {
    /// Takes all elements that were not yielded yet.
    pub(crate) fn take_rest(&mut self) -> super::Taken<'_, T> {
        self.owned.take_rest()
    }
}

exact_iterator! {
    [T] IntoIter<T> => T: |iter| iter.owned.len(), iter.owned.next(), iter.owned.next_back()
}

impl<T: Clone> Clone for IntoIter<T> {
    /// Clones the elements not yet yielded into a new array.
    fn clone(&self) -> Self {
        let mut vec = BlockVec { raw: self.owned.fresh() };
        self.owned.runs().for_each(|run| vec.extend_from_slice(run));
        vec.into_iter()
    }
}

impl<T> Default for IntoIter<T> {
    fn default() -> Self {
        BlockVec::new().into_iter()
    }
}

struct Remaining<'i, T>(&'i Owned<T>);

debug_items!([T: fmt::Debug] Remaining<'_, T>, debug_list, |rest| rest.0.runs().flatten());

debug_as!([T: fmt::Debug] IntoIter<T>, "IntoIter", |iter| Remaining(&iter.owned));

impl<T> IntoIterator for BlockVec<T> {
    type Item = T;
    type IntoIter = IntoIter<T>;

    /// Returns an iterator that moves the elements out one by one, in order. The blocks are deallocated when the
    /// iterator is dropped.
    fn into_iter(self) -> IntoIter<T> {
        IntoIter { owned: Owned::new(self.raw) }
    }
}

iterate_by_ref!([T] BlockVec<T>: &'a T => Iter<'a, T>, &'a mut T => IterMut<'a, T>);
