//! [`DrainRange`]: iterates over a range of elements and removes some of them.
//!
//! While a `DrainRange` exists, the array's length is where the range began, so user code never sees an element that is
//! half moved. When it is dropped, by return or by panic, the elements that were not removed move down to those that
//! were kept. If it is leaked instead, all elements still in the range or past it leak, which is safe.

#![expect(unsafe_code, reason = "moves elements out, and others into their places")]

#[cfg(feature = "rayon")]
use super::Taken;
use super::VmVec;
use crate::error::Error;
use crate::poison::unpoison;
use crate::raw_vec::Amount;
use std::marker::PhantomData;
use std::ptr::{self, NonNull};
use std::slice;

/// A range of elements. Elements are removed from it at both ends, or kept at its front, or replaced by others.
///
/// `len <= kept <= front <= back <= tail <= old_len`, where `len` is the array's. Elements in `len..kept`, in
/// `front..back` and in `tail..old_len` are initialised; those between were removed.
pub(super) struct DrainRange<'v, T> {
    /// The array. Its length is where the range starts.
    ///
    /// A pointer, so that `Drain` is covariant in `T`: elements are only moved out. The `Drain` of `SharedVec` also
    /// keeps it next to a guard of the array.
    vec: NonNull<VmVec<T>>,
    borrow: PhantomData<&'v T>,
    /// The first element, stored here so that loops need not load it from the array.
    first: NonNull<T>,
    kept: usize,
    front: usize,
    back: usize,
    tail: usize,
    old_len: usize,
}

// SAFETY: it is a mutable borrow of the array, which is `Send` if the elements are.
unsafe impl<T: Send> Send for DrainRange<'_, T> {}
// SAFETY: `&DrainRange` only gives access to `&[T]` and `&VmVec<T>`, which are `Sync` if the elements are.
unsafe impl<T: Sync> Sync for DrainRange<'_, T> {}

impl<'v, T> DrainRange<'v, T> {
    /// Starts on `start..end`, which must be within the length.
    pub(super) fn new(vec: &'v mut VmVec<T>, start: usize, end: usize) -> Self {
        let old_len = vec.len;
        debug_assert!(start <= end && end <= old_len);
        vec.len = start;
        let (first, vec) = (vec.start(), NonNull::from(vec));
        let (kept, front, back, tail) = (start, start, end, end);
        Self { vec, borrow: PhantomData, first, kept, front, back, tail, old_len }
    }

    #[inline]
    pub(super) fn vec(&self) -> &VmVec<T> {
        // SAFETY: `new` borrowed it mutably for `'v`, and only `self` uses that borrow.
        unsafe { self.vec.as_ref() }
    }

    #[inline]
    fn vec_mut(&mut self) -> &mut VmVec<T> {
        // SAFETY: as above.
        unsafe { self.vec.as_mut() }
    }

    /// The number of elements still in the range.
    #[inline]
    pub(super) fn len(&self) -> usize {
        self.back - self.front
    }

    /// Returns `true` if no element is left in the range.
    #[inline]
    fn is_done(&self) -> bool {
        // `front` is never past `back`, but with `==` the loop of `extract_if` takes 7 more instructions per element.
        self.front >= self.back
    }

    /// The address of an element below the old length, or of their end.
    #[inline]
    fn at(&self, index: usize) -> *mut T {
        debug_assert!(index <= self.old_len);
        // SAFETY: the callers pass numbers up to the old length, an invariant of the fields, which is at most the
        // capacity.
        unsafe { self.first.add(index) }.as_ptr()
    }

    #[inline]
    pub(super) fn next(&mut self) -> Option<T> {
        if self.is_done() {
            return None;
        }
        let next = self.at(self.front);
        self.front += 1;
        // SAFETY: the element is initialised, and no longer in `front..back`, so it is not read again.
        Some(unsafe { next.read() })
    }

    #[inline]
    pub(super) fn next_back(&mut self) -> Option<T> {
        if self.is_done() {
            return None;
        }
        self.back -= 1;
        let last = self.at(self.back);
        // SAFETY: the element is initialised, and no longer in `front..back`, so it is not read again.
        Some(unsafe { last.read() })
    }

    #[inline]
    pub(super) fn peek(&mut self) -> Option<&mut T> {
        if self.is_done() {
            return None;
        }
        let next = self.at(self.front);
        // SAFETY: the element is initialised, and `&mut self` guarantees exclusive access.
        Some(unsafe { &mut *next })
    }

    /// The last kept element, which may precede the range, and the first of the range.
    #[inline]
    pub(super) fn pair(&mut self) -> Option<(&mut T, &mut T)> {
        let last = self.kept.checked_sub(1)?;
        if self.is_done() {
            return None;
        }
        let (last, next) = (self.at(last), self.at(self.front));
        // SAFETY: the element is below `kept`, so it is initialised; `&mut self` guarantees exclusive access.
        let last = unsafe { &mut *last };
        // SAFETY: the element is in `front..back`, so it is initialised, and it is not the other one, which is below
        // `kept`.
        let next = unsafe { &mut *next };
        Some((last, next))
    }

    /// Keeps the first element of the range, if there is one.
    #[inline]
    pub(super) fn keep(&mut self) {
        if self.is_done() {
            return;
        }
        if self.kept != self.front {
            let (from, to) = (self.at(self.front), self.at(self.kept));
            // SAFETY: `from` is initialised; `kept < front`, so `to` was removed, and is a different place.
            unsafe { ptr::copy_nonoverlapping(from, to, 1) };
        }
        self.kept += 1;
        self.front += 1;
    }

    pub(super) fn as_slice(&self) -> &[T] {
        // SAFETY: elements in `front..back` are initialised, and `&self` keeps them so.
        unsafe { slice::from_raw_parts(self.at(self.front), self.len()) }
    }

    /// Removes all elements still in the range, to divide them among tasks.
    #[cfg(feature = "rayon")]
    pub(super) fn take_rest(&mut self) -> Taken<'_, T> {
        let (first, count) = (self.at(self.front).cast(), self.len());
        self.front = self.back;
        // SAFETY: these `count` elements are initialised, and `ManuallyDrop<T>` has the layout of `T`. Nothing else
        // reaches or overwrites them while `self` is borrowed.
        let slots = unsafe { slice::from_raw_parts_mut(first, count) };
        // SAFETY: the range is empty now, so only the returned iterator yields or drops them.
        unsafe { Taken::new(slots) }
    }

    pub(super) fn drop_rest(&mut self) {
        let (first, count) = (self.at(self.front), self.len());
        // Before user code runs, so that no element is dropped twice if a drop panics.
        (self.front, self.back) = (self.tail, self.tail);
        // SAFETY: these `count` elements are initialised, and not used again.
        unsafe { ptr::slice_from_raw_parts_mut(first, count).drop_in_place() };
    }

    /// Returns `true` if the kept elements reach up to those after the range.
    pub(super) fn is_full(&self) -> bool {
        self.kept == self.tail
    }

    /// Adds another element after the kept ones, after [`drop_rest`](Self::drop_rest). There must be a gap for it.
    pub(super) fn fill(&mut self, value: T) {
        assert!(self.kept < self.front);
        let place = self.at(self.kept);
        // SAFETY: the place is below `front`, so it is within capacity, and its element was removed or dropped.
        unsafe { place.write(value) };
        self.kept += 1;
    }

    /// Widens the gap by moving the elements after the range up, after [`drop_rest`](Self::drop_rest).
    pub(super) fn widen(&mut self, additional: usize) -> Result<(), Error> {
        let (tail, old_len) = (self.tail, self.old_len);
        let raw = &mut self.vec_mut().raw;
        if additional > raw.capacity() - old_len {
            raw.grow(VmVec::<T>::ELEMENT, old_len, additional, Amount::AtLeast)?;
        }
        self.first = self.vec().start();
        unpoison(self.at(old_len), additional);
        let from = self.at(tail);
        // SAFETY: the result is within capacity, which is at least `old_len + additional`.
        let to = unsafe { from.add(additional) };
        // SAFETY: these `old_len - tail` elements are initialised, and stay within capacity. The ranges may overlap.
        unsafe { ptr::copy(from, to, old_len - tail) };
        self.tail += additional;
        self.old_len += additional;
        (self.front, self.back) = (self.tail, self.tail);
        Ok(())
    }
}

impl<T> Drop for DrainRange<'_, T> {
    fn drop(&mut self) {
        let (rest, behind) = (self.len(), self.old_len - self.tail);
        for (from, count) in [(self.front, rest), (self.tail, behind)] {
            if self.kept != from {
                let (from, to) = (self.at(from), self.at(self.kept));
                // SAFETY: these `count` elements are initialised, below the old length. The ones they overwrite were
                // removed or moved. The ranges may overlap.
                unsafe { ptr::copy(from, to, count) };
            }
            self.kept += count;
        }
        let (len, old_len) = (self.kept, self.old_len);
        self.vec_mut().len = len;
        self.vec_mut().close(old_len);
    }
}
