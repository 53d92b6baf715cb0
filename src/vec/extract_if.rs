//! [`ExtractIf`]: takes out the elements that a predicate names.

use super::{Sieve, VmVec};
use std::fmt;

/// An iterator that takes out of a [`VmVec`] the elements that a predicate names, made by
/// [`VmVec::extract_if`].
///
/// Elements it has not come to when it is dropped stay. If it is forgotten instead, the array ends
/// where the range began, and the rest leaks.
#[must_use = "iterators are lazy and do nothing unless consumed"]
pub struct ExtractIf<'v, T, F> {
    sieve: Sieve<'v, T>,
    end: usize,
    predicate: F,
}

impl<'v, T, F> ExtractIf<'v, T, F> {
    /// Looks at `start..end`, which is within the length.
    pub(super) fn new(vec: &'v mut VmVec<T>, start: usize, end: usize, predicate: F) -> Self {
        Self { sieve: Sieve::new(vec, start), end, predicate }
    }
}

impl<T, F: FnMut(&mut T) -> bool> Iterator for ExtractIf<'_, T, F> {
    type Item = T;

    fn next(&mut self) -> Option<T> {
        while self.sieve.next_index() < self.end {
            // Should the predicate panic, the element stays, and would be looked at again.
            if (self.predicate)(self.sieve.peek()?) {
                return self.sieve.take();
            }
            self.sieve.keep();
        }
        None
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        (0, Some(self.end - self.sieve.next_index()))
    }
}

debug_fields! {
    [T: fmt::Debug, F] ExtractIf<'_, T, F>, "ExtractIf", |iter|
    before: iter.sieve.vec().as_slice(), left: iter.end - iter.sieve.next_index()
}
