//! [`Drain`]: takes a range of elements out.

#![forbid(unsafe_code)]

use super::Cut;
#[cfg(feature = "rayon")]
use super::Taken;
use std::fmt;

/// An iterator that takes a range of elements out of a [`VmVec`](crate::VmVec), made by
/// [`VmVec::drain`](crate::VmVec::drain).
///
/// When it is dropped the elements behind the range move down to close the gap. If it is
/// forgotten instead, the array ends where the range began, and the rest leaks.
pub struct Drain<'v, T> {
    pub(super) cut: Cut<'v, T>,
}

impl<'v, T> Drain<'v, T> {
    pub(super) fn new(cut: Cut<'v, T>) -> Self {
        Self { cut }
    }

    /// The elements that are still to be given out.
    #[must_use]
    pub fn as_slice(&self) -> &[T] {
        self.cut.as_slice()
    }

    /// Takes all elements that are left out, for tasks to share out.
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
    fn drop(&mut self) {
        // Should a drop panic, the gap is closed still: by the field.
        self.cut.drop_rest();
    }
}
