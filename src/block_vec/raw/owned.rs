//! [`Owned`] and [`Taken`]: iterators that move elements out.
//!
//! The length of the array is 0, so it drops no element. The elements that are left are `front..back` of each
//! [`Unyielded`]; no element is in two of these.

use super::Raw;
#[cfg(feature = "rayon")]
use crate::vec::SplitAt;
use std::iter;
use std::marker::PhantomData;
use std::ops::Range;
use std::panic::UnwindSafe;
use std::ptr::NonNull;
use std::slice;

/// Elements of an array that were not yielded yet. The owner of this value owns them.
struct Unyielded<T> {
    front: usize,
    back: usize,
    /// The origin of the block that holds `front`, if `front` is below `until`.
    origin: *const T,
    /// The end of the elements left in that block; at most `back`.
    until: usize,
    elements: PhantomData<T>,
}

// As for `Raw`.
impl<T: UnwindSafe> UnwindSafe for Unyielded<T> {}

impl<T> Unyielded<T> {
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
    /// - `raw` holds the elements.
    #[inline]
    unsafe fn next(&mut self, raw: &Raw<T>) -> Option<T> {
        if self.front >= self.until {
            // SAFETY: the caller makes the same guarantees.
            unsafe { self.step(raw) }?;
        }
        let next = self.origin.wrapping_add(self.front);
        self.front += 1;
        // SAFETY: the element was in `front..back`, in the block at `origin`, so it is initialised. `front` was
        // advanced, so it is not read again.
        Some(unsafe { next.read() })
    }

    /// Updates `origin` and `until` to the block of the next element. Returns `None` if there is none.
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
        // SAFETY: `front` is below `back`, which is within capacity.
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
        // SAFETY: the index is below the old `back`, which is within capacity.
        let last = unsafe { raw.place(self.back) };
        // SAFETY: the element is initialised, and no longer in `front..back`, so it is not read again.
        Some(unsafe { last.read() })
    }

    /// Drops all elements that are left.
    ///
    /// # Safety
    ///
    /// - As for [`next`](Self::next).
    unsafe fn drop_all(&mut self, raw: &Raw<T>) {
        let rest = self.front..self.back;
        // Before user code runs, so that no element is dropped twice if a drop panics.
        self.front = self.back;
        // SAFETY: these elements are initialised, within capacity, and not read again.
        unsafe { raw.drop_all(rest) };
    }
}

/// Moves the elements out, from both ends.
pub(in super::super) struct Owned<T> {
    raw: Raw<T>,
    left: Unyielded<T>,
}

// SAFETY: it owns its elements; the pointer leads to them.
unsafe impl<T: Send> Send for Owned<T> {}
// SAFETY: `&Owned` only gives access to `&T`.
unsafe impl<T: Sync> Sync for Owned<T> {}

impl<T> Owned<T> {
    pub(in super::super) fn new(mut raw: Raw<T>) -> Self {
        let len = raw.len;
        // SAFETY: 0 is valid for any capacity.
        unsafe { raw.set_len(0) };
        Self { raw, left: Unyielded::new(0..len) }
    }

    #[inline]
    pub(in super::super) fn len(&self) -> usize {
        self.left.len()
    }

    #[inline]
    pub(in super::super) fn next(&mut self) -> Option<T> {
        // SAFETY: `raw` holds the elements.
        unsafe { self.left.next(&self.raw) }
    }

    #[inline]
    pub(in super::super) fn next_back(&mut self) -> Option<T> {
        // SAFETY: `raw` holds the elements.
        unsafe { self.left.next_back(&self.raw) }
    }

    pub(in super::super) fn runs(&self) -> impl Iterator<Item = &[T]> {
        let mut rest = self.left.front..self.left.back;
        iter::from_fn(move || {
            if rest.is_empty() {
                return None;
            }
            // SAFETY: `rest.start` is below `back`, which is within capacity.
            let first = unsafe { self.raw.place(rest.start) };
            let count = self.raw.side_by_side(rest.start, rest.end);
            rest.start += count;
            // SAFETY: elements in `front..back` are initialised, these are contiguous, and `&self` keeps them so.
            Some(unsafe { slice::from_raw_parts(first, count) })
        })
    }

    /// Creates an empty array with the same options.
    pub(in super::super) fn fresh(&self) -> Raw<T> {
        self.raw.fresh()
    }

    #[cfg(feature = "rayon")]
    pub(in super::super) fn take_rest(&mut self) -> Taken<'_, T> {
        let range = self.left.front..self.left.back;
        self.left.front = self.left.back;
        Taken { raw: &self.raw, left: Unyielded::new(range) }
    }
}

impl<T> Drop for Owned<T> {
    fn drop(&mut self) {
        // SAFETY: `raw` holds the elements. If a drop panics, the field `raw` still deallocates the blocks.
        unsafe { self.left.drop_all(&self.raw) };
    }
}

/// Moves out elements that were taken from an [`Owned`], from both ends. Those not yielded are dropped.
#[cfg(feature = "rayon")]
pub(crate) struct Taken<'o, T> {
    raw: &'o Raw<T>,
    left: Unyielded<T>,
}

// SAFETY: it owns its elements. Otherwise it only reads addresses of blocks, which do not change meanwhile.
#[cfg(feature = "rayon")]
unsafe impl<T: Send> Send for Taken<'_, T> {}

#[cfg(feature = "rayon")]
impl<T> SplitAt for Taken<'_, T> {
    fn split_at(mut self, count: usize) -> (Self, Self) {
        assert!(count <= self.left.len());
        let Range { start, end } = self.left.front..self.left.back;
        // The two parts own them from here on.
        self.left.front = end;
        let part = |range| Self { raw: self.raw, left: Unyielded::new(range) };
        (part(start..start + count), part(start + count..end))
    }
}

#[cfg(feature = "rayon")]
exact_iterator! {
    ['o, T] Taken<'o, T> => T:
    |taken| taken.left.len(),
    // SAFETY: `raw` holds the elements.
    unsafe { taken.left.next(taken.raw) },
    // SAFETY: `raw` holds the elements.
    unsafe { taken.left.next_back(taken.raw) }
}

#[cfg(feature = "rayon")]
impl<T> Drop for Taken<'_, T> {
    fn drop(&mut self) {
        // SAFETY: `raw` holds the elements.
        unsafe { self.left.drop_all(self.raw) };
    }
}
