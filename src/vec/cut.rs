//! [`Cut`]: goes through a range of elements, and takes some out.
//!
//! While there is one, the array says that it ends where the range began: whatever user code does, an element that
//! is half moved is never seen. When it ends, by return or by panic, what was not taken out moves down to what was kept.
//! If it is forgotten instead, all that is still in the range, or behind it, leaks; that is safe.

#![expect(unsafe_code, reason = "reads elements out, and moves others over those that are gone")]

#[cfg(feature = "rayon")]
use super::Taken;
use super::VmVec;
use crate::error::Error;
use crate::poison::unpoison;
use crate::raw_vec::Amount;
use std::marker::PhantomData;
use std::ptr::{self, NonNull};
use std::slice;

/// A range of elements of which some are taken out, from both ends; or some are kept, from the front; or others are put in
/// their place.
///
/// `len <= kept <= front <= back <= tail <= old_len`, where `len` is the array's. Elements in `len..kept`, in
/// `front..back` and in `tail..old_len` are initialised; those between were taken out.
pub(super) struct Cut<'v, T> {
    /// Its length is where the range starts.
    ///
    /// A pointer, since a mutable reference would make `Drain` invariant in `T`, for no reason:
    /// elements only come out. And `SharedVec`'s `Drain` keeps it beside a guard of the array.
    vec: NonNull<VmVec<T>>,
    borrow: PhantomData<&'v T>,
    /// The first element; kept here so that loops need not ask the array for it.
    first: NonNull<T>,
    kept: usize,
    front: usize,
    back: usize,
    tail: usize,
    old_len: usize,
}

// SAFETY: it is a mutable borrow of the array, which is `Send` if the elements are.
unsafe impl<T: Send> Send for Cut<'_, T> {}
// SAFETY: through `&Cut` only `&[T]` can be had.
unsafe impl<T: Sync> Sync for Cut<'_, T> {}

impl<'v, T> Cut<'v, T> {
    /// Begins with `start..end`, which is within the length.
    pub(super) fn new(vec: &'v mut VmVec<T>, start: usize, end: usize) -> Self {
        let old_len = vec.len;
        debug_assert!(start <= end && end <= old_len);
        vec.len = start;
        let (first, vec) = (vec.start(), NonNull::from(vec));
        let (kept, front, back, tail) = (start, start, end, end);
        Self { vec, borrow: PhantomData, first, kept, front, back, tail, old_len }
    }

    /// The array; its length is where the range began.
    #[inline]
    pub(super) fn vec(&self) -> &VmVec<T> {
        // SAFETY: `new` borrowed it mutably for `'v`, and `self` is all that borrow is used by.
        unsafe { self.vec.as_ref() }
    }

    #[inline]
    fn vec_mut(&mut self) -> &mut VmVec<T> {
        // SAFETY: as above.
        unsafe { self.vec.as_mut() }
    }

    /// The number of elements that were neither taken out nor kept.
    #[inline]
    pub(super) fn len(&self) -> usize {
        self.back - self.front
    }

    /// Whether no element is left.
    #[inline]
    fn is_done(&self) -> bool {
        // `front` is never past `back`, but with `==` the loop of `extract_if` takes 7 instructions more for an element.
        self.front >= self.back
    }

    /// Where an element of the old length lies, or its end.
    #[inline]
    fn at(&self, index: usize) -> *mut T {
        debug_assert!(index <= self.old_len);
        // SAFETY: at most the old length, and so many elements are within capacity.
        unsafe { self.first.add(index) }.as_ptr()
    }

    /// Takes the first element out.
    #[inline]
    pub(super) fn next(&mut self) -> Option<T> {
        if self.is_done() {
            return None;
        }
        let next = self.at(self.front);
        self.front += 1;
        // SAFETY: initialised, and no more in `front..back`, so nobody reads it again.
        Some(unsafe { next.read() })
    }

    /// Takes the last element out.
    #[inline]
    pub(super) fn next_back(&mut self) -> Option<T> {
        if self.is_done() {
            return None;
        }
        self.back -= 1;
        let last = self.at(self.back);
        // SAFETY: initialised, and no more in `front..back`, so nobody reads it again.
        Some(unsafe { last.read() })
    }

    /// The first element, to be looked at.
    #[inline]
    pub(super) fn peek(&mut self) -> Option<&mut T> {
        if self.is_done() {
            return None;
        }
        let next = self.at(self.front);
        // SAFETY: initialised, and `&mut self` keeps it from others.
        Some(unsafe { &mut *next })
    }

    /// The last element kept, or before the range, and the first to look at.
    #[inline]
    pub(super) fn pair(&mut self) -> Option<(&mut T, &mut T)> {
        let last = self.kept.checked_sub(1)?;
        if self.is_done() {
            return None;
        }
        let (last, next) = (self.at(last), self.at(self.front));
        // SAFETY: below `kept`: initialised, and `&mut self` keeps it from others.
        let last = unsafe { &mut *last };
        // SAFETY: initialised, and not the same element, for it is not below `kept`.
        let next = unsafe { &mut *next };
        Some((last, next))
    }

    /// Keeps the first element; none if there is none.
    #[inline]
    pub(super) fn keep(&mut self) {
        if self.is_done() {
            return;
        }
        if self.kept != self.front {
            let (from, to) = (self.at(self.front), self.at(self.kept));
            // SAFETY: `from` is initialised; `kept < front`, so `to` was taken out, and is another.
            unsafe { ptr::copy_nonoverlapping(from, to, 1) };
        }
        self.kept += 1;
        self.front += 1;
    }

    /// The elements that were neither taken out nor kept.
    pub(super) fn as_slice(&self) -> &[T] {
        // SAFETY: those in `front..back` are initialised and not given out yet; `&self` keeps them so.
        unsafe { slice::from_raw_parts(self.at(self.front), self.len()) }
    }

    /// Takes all elements out, for tasks to share out.
    #[cfg(feature = "rayon")]
    pub(super) fn take_rest(&mut self) -> Taken<'_, T> {
        let (first, count) = (self.at(self.front).cast(), self.len());
        self.front = self.back;
        // SAFETY: `count` initialised elements, in a layout that is the same; nobody else reaches them, or moves
        // others there, while `self` is borrowed.
        let slots = unsafe { slice::from_raw_parts_mut(first, count) };
        // SAFETY: they are given out no more but by what is returned.
        unsafe { Taken::new(slots) }
    }

    /// Drops all elements of the range that are left.
    pub(super) fn drop_rest(&mut self) {
        let (first, count) = (self.at(self.front), self.len());
        // Before user code runs: should a drop panic, nothing is dropped twice.
        (self.front, self.back) = (self.tail, self.tail);
        // SAFETY: `count` initialised elements, which nobody reaches any more.
        unsafe { ptr::slice_from_raw_parts_mut(first, count).drop_in_place() };
    }

    /// Whether elements that are kept reach up to those behind the range.
    pub(super) fn is_full(&self) -> bool {
        self.kept == self.tail
    }

    /// Keeps another element, after [`drop_rest`](Self::drop_rest); there is room for it.
    pub(super) fn fill(&mut self, value: T) {
        assert!(self.kept < self.front);
        let place = self.at(self.kept);
        // SAFETY: below `front`: within capacity, and what was there is given out or dropped.
        unsafe { place.write(value) };
        self.kept += 1;
    }

    /// Makes room for more elements, after [`drop_rest`](Self::drop_rest): moves those behind the range up.
    pub(super) fn widen(&mut self, additional: usize) -> Result<(), Error> {
        let (tail, old_len) = (self.tail, self.old_len);
        let raw = &mut self.vec_mut().raw;
        if additional > raw.capacity() - old_len {
            raw.grow(VmVec::<T>::ELEMENT, old_len, additional, Amount::AtLeast)?;
        }
        self.first = self.vec().start();
        unpoison(self.at(old_len), additional);
        let from = self.at(tail);
        // SAFETY: within capacity, which is `old_len + additional` at least.
        let to = unsafe { from.add(additional) };
        // SAFETY: `old_len - tail` initialised elements, which stay within capacity. They may
        // overlap.
        unsafe { ptr::copy(from, to, old_len - tail) };
        self.tail += additional;
        self.old_len += additional;
        (self.front, self.back) = (self.tail, self.tail);
        Ok(())
    }
}

impl<T> Drop for Cut<'_, T> {
    fn drop(&mut self) {
        let (rest, behind) = (self.len(), self.old_len - self.tail);
        for (from, count) in [(self.front, rest), (self.tail, behind)] {
            if self.kept != from {
                let (from, to) = (self.at(from), self.at(self.kept));
                // SAFETY: `count` initialised elements within the old length; what they come to was taken out, or has
                // moved. They may overlap.
                unsafe { ptr::copy(from, to, count) };
            }
            self.kept += count;
        }
        let (len, old_len) = (self.kept, self.old_len);
        self.vec_mut().len = len;
        self.vec_mut().close(old_len);
    }
}
