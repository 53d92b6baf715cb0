//! [`Drain`]: removes a range of elements.

#![forbid(unsafe_code)]

use super::DrainRange;
#[cfg(feature = "rayon")]
use super::Taken;
use std::fmt;

/// A draining iterator over a range of a [`VmVec`](crate::VmVec).
///
/// This struct is created by [`VmVec::drain`](crate::VmVec::drain). See its documentation for more.
///
/// When it is dropped, the elements after the range move down to close the gap. If it is leaked instead (as by
/// [`mem::forget`](std::mem::forget)), the array ends where the range began, and the remaining elements leak.
pub struct Drain<'v, T> {
    pub(super) cut: DrainRange<'v, T>,
}

impl<'v, T> Drain<'v, T> {
    pub(super) fn new(cut: DrainRange<'v, T>) -> Self {
        Self { cut }
    }

    /// Returns the elements not yet yielded.
    ///
    /// # Examples
    ///
    /// ```
    /// let mut letters = stayput::VmVec::from(['a', 'b', 'c']);
    /// let mut drain = letters.drain(..);
    /// drain.next();
    /// assert_eq!(drain.as_slice(), ['b', 'c']);
    /// ```
    #[must_use]
    pub fn as_slice(&self) -> &[T] {
        self.cut.as_slice()
    }

    /// Takes all elements not yet yielded, to divide them among tasks.
    #[cfg(feature = "rayon")]
    pub(crate) fn take_rest(&mut self) -> Taken<'_, T> {
        self.cut.take_rest()
    }
}

exact_iterator!([T] Drain<'_, T> => T: |iter| iter.cut.len(), iter.cut.next(), iter.cut.next_back());

impl<T> AsRef<[T]> for Drain<'_, T> {
    fn as_ref(&self) -> &[T] {
        self.as_slice()
    }
}

debug_as!([T: fmt::Debug] Drain<'_, T>, "Drain", |iter| iter.as_slice());

impl<T> Drop for Drain<'_, T> {
    #[inline]
    fn drop(&mut self) {
        // If a drop panics, the field's own `Drop` still closes the gap.
        self.cut.drop_rest();
    }
}
