//! [`Owned`], and [`Taken`]: give out elements by value.
//!
//! The array says that it is empty, and so drops no element: those that are left are `front..back` of each
//! [`Left`], and no two of these have one in common.

use super::Raw;
#[cfg(feature = "rayon")]
use crate::vec::SplitAt;
use std::marker::PhantomData;
use std::ops::Range;
use std::panic::UnwindSafe;
use std::ptr::NonNull;

/// Elements of an array that are still to be given out, and belong to whoever has this.
struct Left<T> {
    front: usize,
    back: usize,
    /// The origin of the block `front` is in, if `front` is below `until`.
    origin: *const T,
    /// How far that block is left; at most `back`.
    until: usize,
    elements: PhantomData<T>,
}

// As for `Raw`.
impl<T: UnwindSafe> UnwindSafe for Left<T> {}

impl<T> Left<T> {
    /// The elements of a range.
    fn new(range: Range<usize>) -> Self {
        let origin = NonNull::dangling().as_ptr();
        Self { front: range.start, back: range.end, origin, until: 0, elements: PhantomData }
    }

    #[inline]
    fn len(&self) -> usize {
        self.back - self.front
    }

    /// # Safety
    ///
    /// - `raw` is where the elements are.
    #[inline]
    unsafe fn next(&mut self, raw: &Raw<T>) -> Option<T> {
        if self.front >= self.until {
            // SAFETY: the caller's promise is the same.
            unsafe { self.step(raw) }?;
        }
        let next = self.origin.wrapping_add(self.front);
        self.front += 1;
        // SAFETY: it was in `front..back`, in the block at hand: initialised. It is there no more, so nobody
        // reads it again.
        Some(unsafe { next.read() })
    }

    /// Finds the block of the next element, if there is one.
    ///
    /// # Safety
    ///
    /// - As for [`next`](Self::next).
    #[cold]
    #[inline(never)]
    unsafe fn step(&mut self, raw: &Raw<T>) -> Option<()> {
        if self.front == self.back {
            return None;
        }
        // SAFETY: below `back`, which is within capacity.
        self.origin = unsafe { raw.origin(self.front) };
        self.until = self.front + raw.side_by_side(self.front, self.back);
        Some(())
    }

    /// # Safety
    ///
    /// - As for [`next`](Self::next).
    #[inline]
    unsafe fn next_back(&mut self, raw: &Raw<T>) -> Option<T> {
        if self.front == self.back {
            return None;
        }
        self.back -= 1;
        self.until = self.until.min(self.back);
        // SAFETY: below the old `back`, which is within capacity.
        let last = unsafe { raw.place(self.back) };
        // SAFETY: initialised, and no more in `front..back`, so nobody reads it again.
        Some(unsafe { last.read() })
    }

    /// Drops all of them.
    ///
    /// # Safety
    ///
    /// - As for [`next`](Self::next).
    unsafe fn drop_all(&mut self, raw: &Raw<T>) {
        let rest = self.front..self.back;
        // Before user code runs: should a drop panic, nothing is dropped twice.
        self.front = self.back;
        // SAFETY: initialised, within capacity, and nobody reads them again.
        unsafe { raw.drop_all(rest) };
    }
}

/// Gives the elements out, from both ends.
pub(in super::super) struct Owned<T> {
    raw: Raw<T>,
    left: Left<T>,
}

// SAFETY: it owns its elements; the pointer leads to them.
unsafe impl<T: Send> Send for Owned<T> {}
// SAFETY: through `&Owned` only `&T` can be had.
unsafe impl<T: Sync> Sync for Owned<T> {}

impl<T> Owned<T> {
    pub(super) fn new(mut raw: Raw<T>) -> Self {
        let len = raw.len;
        // SAFETY: none are within any capacity.
        unsafe { raw.set_len(0) };
        Self { raw, left: Left::new(0..len) }
    }

    #[inline]
    pub(in super::super) fn len(&self) -> usize {
        self.left.len()
    }

    #[inline]
    pub(in super::super) fn next(&mut self) -> Option<T> {
        // SAFETY: they are here.
        unsafe { self.left.next(&self.raw) }
    }

    #[inline]
    pub(in super::super) fn next_back(&mut self) -> Option<T> {
        // SAFETY: they are here.
        unsafe { self.left.next_back(&self.raw) }
    }

    /// The elements still to be given out that lie side by side, behind the first so many; none if there are no others.
    pub(in super::super) fn run(&self, skip: usize) -> &[T] {
        assert!(skip <= self.len());
        let (index, end) = (self.left.front + skip, self.left.back);
        if index == end {
            return &[];
        }
        // SAFETY: below `back`, which is within capacity.
        let first = unsafe { self.raw.place(index) };
        let count = self.raw.side_by_side(index, end);
        // SAFETY: `front..back` are initialised, these of it are side by side, and `&self` keeps them so.
        unsafe { std::slice::from_raw_parts(first, count) }
    }

    /// An array without elements, with the options of this one.
    pub(in super::super) fn fresh(&self) -> Raw<T> {
        self.raw.fresh()
    }

    /// All that is still to be given out, at once.
    #[cfg(feature = "rayon")]
    pub(in super::super) fn take_rest(&mut self) -> Taken<'_, T> {
        let range = self.left.front..self.left.back;
        self.left.front = self.left.back;
        Taken { raw: &self.raw, left: Left::new(range) }
    }
}

impl<T> Drop for Owned<T> {
    fn drop(&mut self) {
        // SAFETY: they are here. Should a drop panic, `raw`, which is a field, still gives the blocks back.
        unsafe { self.left.drop_all(&self.raw) };
    }
}

/// Gives out elements that were taken from an [`Owned`], from both ends; what is left is dropped.
#[cfg(feature = "rayon")]
pub(crate) struct Taken<'o, T> {
    /// Where they are.
    raw: &'o Raw<T>,
    left: Left<T>,
}

// SAFETY: it owns its elements. Of all else it only reads where blocks are, which nobody changes meanwhile.
#[cfg(feature = "rayon")]
unsafe impl<T: Send> Send for Taken<'_, T> {}

#[cfg(feature = "rayon")]
impl<T> SplitAt for Taken<'_, T> {
    fn split_at(mut self, count: usize) -> (Self, Self) {
        assert!(count <= self.left.len());
        let Range { start, end } = self.left.front..self.left.back;
        // They belong to the two parts.
        self.left.front = end;
        let part = |range| Self { raw: self.raw, left: Left::new(range) };
        (part(start..start + count), part(start + count..end))
    }
}

#[cfg(feature = "rayon")]
exact_iterator! {
    ['o, T] Taken<'o, T> => T:
    |taken| taken.left.len(),
    // SAFETY: they are there.
    unsafe { taken.left.next(taken.raw) },
    // SAFETY: they are there.
    unsafe { taken.left.next_back(taken.raw) }
}

#[cfg(feature = "rayon")]
impl<T> Drop for Taken<'_, T> {
    fn drop(&mut self) {
        // SAFETY: they are there.
        unsafe { self.left.drop_all(self.raw) };
    }
}
