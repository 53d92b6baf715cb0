//! [`Drain`]: takes a range of elements out.

#![forbid(unsafe_code)]

use super::raw::Cut;

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

exact_iterator!([T] Drain<'_, T> => T: |rest| rest.cut.len(), rest.cut.next(), rest.cut.next_back());

debug_left!([T] Drain<'_, T>, "Drain", |rest| rest.len());

impl<T> Drop for Drain<'_, T> {
    fn drop(&mut self) {
        // Should a drop panic, the gap is closed still: by the field.
        self.cut.drop_rest();
    }
}
