//! [`Drain`]: takes a range of elements out.

#![expect(unsafe_code, reason = "reads elements out and closes the gap")]

use super::VmVec;
use crate::error::Error;
use crate::poison::unpoison;
use crate::raw_vec::Amount;
use std::iter::FusedIterator;
use std::marker::PhantomData;
#[cfg(feature = "rayon")]
use std::mem::ManuallyDrop;
use std::ptr::NonNull;
use std::{fmt, ptr, slice};

/// An iterator that takes a range of elements out of a [`VmVec`], made by [`VmVec::drain`].
///
/// When it is dropped the elements behind the range move down to close the gap. If it is
/// forgotten instead, the array ends where the range began, and the rest leaks.
pub struct Drain<'v, T> {
    /// Its length is where the range starts, or behind what a splice has put in place since.
    ///
    /// A pointer, since a mutable reference would make `Drain` invariant in `T`, for no reason:
    /// elements only come out. And `SharedVec`'s `Drain` keeps it beside a guard of the array.
    vec: NonNull<VmVec<T>>,
    borrow: PhantomData<&'v T>,
    /// Elements `front..back` are still to be given out.
    front: usize,
    back: usize,
    /// Where the range ends, and the elements begin that stay.
    tail: usize,
    old_len: usize,
}

// SAFETY: a `Drain` is a mutable borrow of the array, which is `Send` if the elements are.
unsafe impl<T: Send> Send for Drain<'_, T> {}
// SAFETY: through `&Drain` only `&[T]` can be had.
unsafe impl<T: Sync> Sync for Drain<'_, T> {}

impl<'v, T> Drain<'v, T> {
    /// Takes `start..end` out, which is within the length.
    pub(super) fn new(vec: &'v mut VmVec<T>, start: usize, end: usize) -> Self {
        let old_len = vec.len;
        debug_assert!(start <= end && end <= old_len);
        // Should `self` be forgotten, no element is seen that was given out.
        vec.len = start;
        let vec = NonNull::from(vec);
        Self { vec, borrow: PhantomData, front: start, back: end, tail: end, old_len }
    }

    #[inline]
    fn vec(&self) -> &VmVec<T> {
        // SAFETY: `new` borrowed it mutably for `'v`, and `self` is all that borrow is used by.
        unsafe { self.vec.as_ref() }
    }

    #[inline]
    fn vec_mut(&mut self) -> &mut VmVec<T> {
        // SAFETY: as above.
        unsafe { self.vec.as_mut() }
    }

    /// The address of the element that was at `index`, which is at most the old length.
    #[inline]
    fn at(&mut self, index: usize) -> *mut T {
        debug_assert!(index <= self.old_len);
        // SAFETY: at most the old length, and so many elements are within capacity.
        unsafe { self.vec_mut().first().add(index) }
    }

    /// Whether as many elements were put in place as were taken out.
    pub(super) fn gap_is_full(&self) -> bool {
        self.vec().len == self.tail
    }

    /// Puts an element into the gap, which is not full, and of which nothing is to be given out
    /// any more.
    pub(super) fn fill(&mut self, value: T) {
        debug_assert!(self.front == self.back);
        assert!(!self.gap_is_full());
        let len = self.vec().len;
        let place = self.at(len);
        // SAFETY: below `tail`: within capacity, and what was there is given out or dropped.
        unsafe { place.write(value) };
        self.vec_mut().len = len + 1;
    }

    /// Moves the elements behind the range up by `additional`, or none on failure.
    pub(super) fn widen(&mut self, additional: usize) -> Result<(), Error> {
        let (tail, old_len) = (self.tail, self.old_len);
        let raw = &mut self.vec_mut().raw;
        if additional > raw.capacity() - old_len {
            raw.grow(VmVec::<T>::ELEMENT, old_len, additional, Amount::AtLeast)?;
        }
        unpoison(self.at(old_len), additional);
        let from = self.at(tail);
        // SAFETY: within capacity, which is `old_len + additional` at least.
        let to = unsafe { from.add(additional) };
        // SAFETY: `old_len - tail` initialised elements, which stay within capacity. They may
        // overlap.
        unsafe { ptr::copy(from, to, old_len - tail) };
        self.tail += additional;
        self.old_len += additional;
        Ok(())
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
        let first = unsafe { self.vec().as_ptr().add(self.front) };
        // SAFETY: `front..back` are initialised and not given out yet; `&self` keeps them so.
        unsafe { slice::from_raw_parts(first, self.back - self.front) }
    }

    /// All that is still to be given out, at once: whoever has it takes the elements, or drops them.
    #[cfg(feature = "rayon")]
    pub(crate) fn take_rest(&mut self) -> &mut [ManuallyDrop<T>] {
        let (front, count) = (self.front, self.back - self.front);
        self.front = self.back;
        let first = self.at(front).cast();
        // SAFETY: `count` initialised elements, which are to be given out no more, and in a layout that
        // is the same; nobody else reaches them, or moves others there, while `self` is borrowed.
        unsafe { slice::from_raw_parts_mut(first, count) }
    }

    /// Drops what is still to be given out.
    pub(super) fn drop_rest(&mut self) {
        let (front, count) = (self.front, self.back - self.front);
        // Before user code runs: should a drop panic, nothing is dropped twice.
        self.front = self.back;
        let first = self.at(front);
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
        let next = self.at(self.front);
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
        let last = self.at(self.back);
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
                let drain = &mut *self.0;
                let (start, count) = (drain.vec().len, drain.old_len - drain.tail);
                if start != drain.tail {
                    let (from, to) = (drain.at(drain.tail), drain.at(start));
                    // SAFETY: `count` initialised elements end at the old length; all between
                    // `to` and `from` are given out or dropped. They may overlap.
                    unsafe { ptr::copy(from, to, count) };
                }
                drain.vec_mut().len = start + count;
                let old_len = drain.old_len;
                drain.vec_mut().close(old_len);
            }
        }

        CloseGap(self).0.drop_rest();
    }
}
