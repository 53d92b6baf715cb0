//! [`ExtractIf`]: takes out the elements that a predicate names.

#![forbid(unsafe_code)]

use super::raw::Cut;

/// An iterator that takes out of a [`BlockVec`](super::BlockVec) the elements that a predicate names, made by
/// [`BlockVec::extract_if`](super::BlockVec::extract_if).
///
/// Elements it has not come to when it is dropped stay. If it is forgotten instead, the array ends
/// where the range began, and the rest leaks.
#[must_use = "iterators are lazy and do nothing unless consumed"]
pub struct ExtractIf<'v, T, F> {
    cut: Cut<'v, T>,
    predicate: F,
}

impl<'v, T, F> ExtractIf<'v, T, F> {
    pub(super) fn new(cut: Cut<'v, T>, predicate: F) -> Self {
        Self { cut, predicate }
    }
}

impl<T, F: FnMut(&mut T) -> bool> Iterator for ExtractIf<'_, T, F> {
    type Item = T;

    fn next(&mut self) -> Option<T> {
        loop {
            // Should the predicate panic, the element stays, and would be looked at again.
            if (self.predicate)(self.cut.peek()?) {
                return self.cut.next();
            }
            self.cut.keep();
        }
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        (0, Some(self.cut.len()))
    }
}

debug_left!([T, F] ExtractIf<'_, T, F>, "ExtractIf", |iter| iter.cut.len());
