//! [`Owned`]: gives out the elements by value.
//!
//! The array in it says that it is empty, and so drops no element: those that are left are `front..back`.

use super::Raw;
use std::ptr::NonNull;

/// Gives the elements out, from both ends.
pub(in super::super) struct Owned<T> {
    raw: Raw<T>,
    front: usize,
    back: usize,
    /// The origin of the block `front` is in, if `front` is below `until`.
    origin: *const T,
    /// How far that block is left; at most `back`.
    until: usize,
}

// SAFETY: it owns its elements; the pointer leads to them.
unsafe impl<T: Send> Send for Owned<T> {}
// SAFETY: through `&Owned` only `&T` can be had.
unsafe impl<T: Sync> Sync for Owned<T> {}

impl<T> Owned<T> {
    pub(super) fn new(mut raw: Raw<T>) -> Self {
        let back = raw.len;
        // SAFETY: none are within any capacity.
        unsafe { raw.set_len(0) };
        Self { raw, front: 0, back, origin: NonNull::dangling().as_ptr(), until: 0 }
    }

    #[inline]
    pub(in super::super) fn len(&self) -> usize {
        self.back - self.front
    }

    #[inline]
    pub(in super::super) fn next(&mut self) -> Option<T> {
        if self.front >= self.until && !self.step() {
            return None;
        }
        let next = self.origin.wrapping_add(self.front);
        self.front += 1;
        // SAFETY: it was in `front..back`, in the block at hand: initialised. It is there no more, so nobody
        // reads it again.
        Some(unsafe { next.read() })
    }

    /// Finds the block of the next element, if there is one.
    #[cold]
    #[inline(never)]
    fn step(&mut self) -> bool {
        if self.front == self.back {
            return false;
        }
        // SAFETY: below `back`, which is within capacity.
        self.origin = unsafe { self.raw.origin(self.front) };
        self.until = self.front + self.raw.side_by_side(self.front, self.back);
        true
    }

    #[inline]
    pub(in super::super) fn next_back(&mut self) -> Option<T> {
        if self.front == self.back {
            return None;
        }
        self.back -= 1;
        self.until = self.until.min(self.back);
        // SAFETY: below the old `back`, which is within capacity.
        let last = unsafe { self.raw.place(self.back) };
        // SAFETY: initialised, and no more in `front..back`, so nobody reads it again.
        Some(unsafe { last.read() })
    }

    /// The elements still to be given out that lie in front, side by side; none if there are no others.
    pub(in super::super) fn run(&self, skip: usize) -> &[T] {
        let index = self.front + skip;
        assert!(index <= self.back);
        if index == self.back {
            return &[];
        }
        // SAFETY: below `back`, which is within capacity.
        let first = unsafe { self.raw.place(index) };
        let count = self.raw.side_by_side(index, self.back);
        // SAFETY: `front..back` are initialised, these of it are side by side, and `&self` keeps them so.
        unsafe { std::slice::from_raw_parts(first, count) }
    }

    /// An array without elements, with the options of this one.
    pub(in super::super) fn fresh(&self) -> Raw<T> {
        self.raw.fresh()
    }
}

impl<T> Drop for Owned<T> {
    fn drop(&mut self) {
        let rest = self.front..self.back;
        // SAFETY: initialised, within capacity, and nobody reads them again: `self` ends here. Should a drop
        // panic, `raw`, which is a field, still gives the blocks back.
        unsafe { self.raw.drop_all(rest) };
    }
}
