//! [`Drain`]: takes a range of elements out.

#![expect(unsafe_code, reason = "reads elements out and closes the gap")]

use super::VmVec;
use std::iter::FusedIterator;
use std::{fmt, ptr, slice};

/// An iterator that takes a range of elements out of a [`VmVec`], made by [`VmVec::drain`].
///
/// When it is dropped the elements behind the range move down to close the gap. If it is
/// forgotten instead, the array ends where the range began, and the rest leaks.
pub struct Drain<'v, T> {
    /// Its length is where the range starts, or behind what a splice has put in place since.
    pub(super) vec: &'v mut VmVec<T>,
    /// Elements `front..back` are still to be given out.
    front: usize,
    back: usize,
    /// Where the range ends, and the elements begin that stay.
    pub(super) tail: usize,
    pub(super) old_len: usize,
}

impl<'v, T> Drain<'v, T> {
    /// Takes `start..end` out, which is within the length.
    pub(super) fn new(vec: &'v mut VmVec<T>, start: usize, end: usize) -> Self {
        let old_len = vec.len;
        debug_assert!(start <= end && end <= old_len);
        // Should `self` be forgotten, no element is seen that was given out.
        vec.len = start;
        Self { vec, front: start, back: end, tail: end, old_len }
    }

    /// The elements still to be given out.
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
        // SAFETY: `front` is within the old length, which is within capacity.
        let first = unsafe { self.vec.as_ptr().add(self.front) };
        // SAFETY: `front..back` are initialised and not given out yet; `&self` keeps them so.
        unsafe { slice::from_raw_parts(first, self.back - self.front) }
    }

    /// Drops what is still to be given out.
    pub(super) fn drop_rest(&mut self) {
        let (front, count) = (self.front, self.back - self.front);
        // Before user code runs: should a drop panic, nothing is dropped twice.
        self.front = self.back;
        // SAFETY: within the old length.
        let first = unsafe { self.vec.as_mut_ptr().add(front) };
        // SAFETY: `count` initialised elements, which nobody reaches any more.
        unsafe { ptr::slice_from_raw_parts_mut(first, count).drop_in_place() };
    }
}

impl<T> Iterator for Drain<'_, T> {
    type Item = T;

    #[inline]
    fn next(&mut self) -> Option<T> {
        if self.front == self.back {
            return None;
        }
        // SAFETY: within the old length.
        let next = unsafe { self.vec.as_ptr().add(self.front) };
        self.front += 1;
        // SAFETY: initialised, and no more in `front..back`, so nobody reads it again.
        Some(unsafe { next.read() })
    }

    #[inline]
    fn size_hint(&self) -> (usize, Option<usize>) {
        let count = self.back - self.front;
        (count, Some(count))
    }
}

impl<T> DoubleEndedIterator for Drain<'_, T> {
    #[inline]
    fn next_back(&mut self) -> Option<T> {
        if self.front == self.back {
            return None;
        }
        self.back -= 1;
        // SAFETY: within the old length.
        let last = unsafe { self.vec.as_ptr().add(self.back) };
        // SAFETY: initialised, and no more in `front..back`, so nobody reads it again.
        Some(unsafe { last.read() })
    }
}

impl<T> ExactSizeIterator for Drain<'_, T> {}
impl<T> FusedIterator for Drain<'_, T> {}

impl<T> AsRef<[T]> for Drain<'_, T> {
    fn as_ref(&self) -> &[T] {
        self.as_slice()
    }
}

impl<T: fmt::Debug> fmt::Debug for Drain<'_, T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Drain").field(&self.as_slice()).finish()
    }
}

impl<T> Drop for Drain<'_, T> {
    fn drop(&mut self) {
        /// Closes the gap, also when the drop of an element panics.
        struct CloseGap<'d, 'v, T>(&'d mut Drain<'v, T>);

        impl<T> Drop for CloseGap<'_, '_, T> {
            fn drop(&mut self) {
                let Drain { vec, tail, old_len, .. } = &mut *self.0;
                let (start, count) = (vec.len, *old_len - *tail);
                if start != *tail {
                    // SAFETY: within the old length.
                    let from = unsafe { vec.as_mut_ptr().add(*tail) };
                    // SAFETY: within the old length.
                    let to = unsafe { vec.as_mut_ptr().add(start) };
                    // SAFETY: `count` initialised elements end at the old length; all between
                    // `to` and `from` are given out or dropped. They may overlap.
                    unsafe { ptr::copy(from, to, count) };
                }
                vec.len = start + count;
            }
        }

        CloseGap(self).0.drop_rest();
    }
}
