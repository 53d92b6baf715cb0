//! [`Drain`]: takes a range of elements out.

#![forbid(unsafe_code)]

use super::raw::Cut;
use std::fmt;
use std::iter::FusedIterator;

/// An iterator that takes a range of elements out of a [`BlockVec`](super::BlockVec), made by
/// [`BlockVec::drain`](super::BlockVec::drain).
///
/// When it is dropped the elements behind the range move down to close the gap. If it is
/// forgotten instead, the array ends where the range began, and the rest leaks.
pub struct Drain<'v, T> {
    cut: Cut<'v, T>,
}

impl<'v, T> Drain<'v, T> {
    pub(super) fn new(cut: Cut<'v, T>) -> Self {
        Self { cut }
    }
}

impl<T> Iterator for Drain<'_, T> {
    type Item = T;

    #[inline]
    fn next(&mut self) -> Option<T> {
        self.cut.next()
    }

    #[inline]
    fn size_hint(&self) -> (usize, Option<usize>) {
        let count = self.cut.len();
        (count, Some(count))
    }
}

impl<T> DoubleEndedIterator for Drain<'_, T> {
    #[inline]
    fn next_back(&mut self) -> Option<T> {
        self.cut.next_back()
    }
}

impl<T> ExactSizeIterator for Drain<'_, T> {}
impl<T> FusedIterator for Drain<'_, T> {}

impl<T> fmt::Debug for Drain<'_, T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Drain").field("left", &self.len()).finish_non_exhaustive()
    }
}

impl<T> Drop for Drain<'_, T> {
    fn drop(&mut self) {
        // Should a drop panic, the gap is closed still: by the field.
        self.cut.drop_rest();
    }
}
