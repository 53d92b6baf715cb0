//! [`Drain`]: removes a range of elements.

#![forbid(unsafe_code)]

use super::raw::DrainRange;

/// A draining iterator over a range of a [`BlockVec`](super::BlockVec).
///
/// This struct is created by [`BlockVec::drain`](super::BlockVec::drain). See its documentation for more.
///
/// When it is dropped, the elements after the range move down to close the gap. If it is leaked instead (as by
/// [`mem::forget`](std::mem::forget)), the array ends where the range began, and the remaining elements leak.
pub struct Drain<'v, T> {
    cut: DrainRange<'v, T>,
}

impl<'v, T> Drain<'v, T> {
    pub(super) fn new(cut: DrainRange<'v, T>) -> Self {
        Self { cut }
    }
}

exact_iterator!([T] Drain<'_, T> => T: |rest| rest.cut.len(), rest.cut.next(), rest.cut.next_back());

debug_left!([T] Drain<'_, T>, "Drain", |rest| rest.len());

impl<T> Drop for Drain<'_, T> {
    fn drop(&mut self) {
        // If a drop panics, the field's own `Drop` still closes the gap.
        self.cut.drop_rest();
    }
}
