//! [`Drain`]: takes a range of elements out.

#![expect(unsafe_code, reason = "reads elements out and closes the gap")]

#[cfg(feature = "rayon")]
use super::Taken;
use super::VmVec;
use crate::error::Error;
use crate::poison::unpoison;
use crate::raw_vec::Amount;
use std::marker::PhantomData;
use std::ops::Range;
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
    /// Elements that are still to be given out.
    left: Range<usize>,
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
        Self { vec, borrow: PhantomData, left: start..end, tail: end, old_len }
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
        debug_assert!(self.left.is_empty());
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
        // SAFETY: `left` is within the old length, which is within capacity.
        let first = unsafe { self.vec().as_ptr().add(self.left.start) };
        // SAFETY: those in `left` are initialised and not given out yet; `&self` keeps them so.
        unsafe { slice::from_raw_parts(first, self.left.len()) }
    }

    /// All that is still to be given out, at once.
    #[cfg(feature = "rayon")]
    pub(crate) fn take_rest(&mut self) -> Taken<'_, T> {
        let (front, count) = (self.left.start, self.left.len());
        self.left.start = self.left.end;
        let first = self.at(front).cast();
        // SAFETY: `count` initialised elements, in a layout that is the same; nobody else reaches them, or moves
        // others there, while `self` is borrowed.
        let slots = unsafe { slice::from_raw_parts_mut(first, count) };
        // SAFETY: they are given out no more but by what is returned.
        unsafe { Taken::new(slots) }
    }

    /// Drops what is still to be given out.
    pub(super) fn drop_rest(&mut self) {
        let (front, count) = (self.left.start, self.left.len());
        // Before user code runs: should a drop panic, nothing is dropped twice.
        self.left.start = self.left.end;
        let first = self.at(front);
        // SAFETY: `count` initialised elements, which nobody reaches any more.
        unsafe { ptr::slice_from_raw_parts_mut(first, count).drop_in_place() };
    }
}

exact_iterator! {
    [T] Drain<'_, T> => T:
    |iter| iter.left.len(),
    // SAFETY: initialised, and no more in `left`, so nobody reads it again.
    iter.left.next().map(|index| unsafe { iter.at(index).read() }),
    // SAFETY: initialised, and no more in `left`, so nobody reads it again.
    iter.left.next_back().map(|index| unsafe { iter.at(index).read() })
}

impl<T> AsRef<[T]> for Drain<'_, T> {
    fn as_ref(&self) -> &[T] {
        self.as_slice()
    }
}

debug_as!([T: fmt::Debug] Drain<'_, T>, "Drain", |iter| iter.as_slice());

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
