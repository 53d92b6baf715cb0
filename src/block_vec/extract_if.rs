//! [`ExtractIf`]: removes the elements that match a predicate.

#![forbid(unsafe_code)]

use super::BlockVec;
use super::raw::DrainRange;
use std::marker::PhantomData;

/// An iterator that removes the elements matching a predicate from a [`BlockVec`].
///
/// This struct is created by [`BlockVec::extract_if`]. See its documentation for more.
///
/// When it is dropped, the elements not yet visited are retained. If it is leaked instead, the array ends where the
/// range began, and the remaining elements leak.
#[must_use = "iterators are lazy and do nothing unless consumed"]
pub struct ExtractIf<'v, T, F> {
    cut: DrainRange<'v, T>,
    predicate: F,
    /// Invariant in `T`, since the predicate may change elements.
    changes: PhantomData<&'v mut BlockVec<T>>,
}

impl<'v, T, F> ExtractIf<'v, T, F> {
    pub(super) fn new(cut: DrainRange<'v, T>, predicate: F) -> Self {
        Self { cut, predicate, changes: PhantomData }
    }
}

impl<T, F: FnMut(&mut T) -> bool> Iterator for ExtractIf<'_, T, F> {
    type Item = T;

    fn next(&mut self) -> Option<T> {
        self.cut.next_if(&mut self.predicate)
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        (0, Some(self.cut.len()))
    }
}

debug_left!([T, F] ExtractIf<'_, T, F>, "ExtractIf", |iter| iter.cut.len());
