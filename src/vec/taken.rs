//! [`Taken`]: elements that still lie in an array, and no longer belong to it; and [`SplitAt`], which divides them among
//! tasks.

#![expect(unsafe_code, reason = "moves elements out")]

use std::marker::PhantomData;
#[cfg(feature = "rayon")]
use std::mem;
use std::ops::Range;
use std::panic::{RefUnwindSafe, UnwindSafe};
use std::ptr::{self, NonNull};

/// An iterator that can be split in two.
#[cfg(feature = "rayon")]
pub(crate) trait SplitAt: DoubleEndedIterator + ExactSizeIterator {
    /// Splits off the first `count` items, which must not be more than there are.
    fn split_at(self, count: usize) -> (Self, Self)
    where
        Self: Sized;
}

/// A double-ended iterator that moves elements out of the memory of an array. Those not yielded are dropped.
///
/// Its invariant, *left*: the elements at the indices `left`, counted from `first`, are initialized, in one aligned range
/// of the memory of one array, and used only through `self`, or through what is taken or split off from it.
pub(crate) struct Taken<'a, T> {
    first: NonNull<T>,
    left: Range<usize>,
    /// Owns elements, in memory that its owner borrows for `'a`. It is covariant in both.
    elements: PhantomData<(&'a (), T)>,
}

// SAFETY: it owns the elements, so it may be sent if they may.
unsafe impl<T: Send> Send for Taken<'_, T> {}
// SAFETY: `&Taken` gives access to `&[T]` only.
unsafe impl<T: Sync> Sync for Taken<'_, T> {}

// Whether elements may be broken by a panic is up to the iterator that has them and the array.
impl<T> UnwindSafe for Taken<'_, T> {}
impl<T> RefUnwindSafe for Taken<'_, T> {}

impl<T> Taken<'_, T> {
    /// # Safety
    ///
    /// - The invariant *left* holds, for as long as the result, or anything taken or split off from it, is used.
    #[inline]
    pub(super) const unsafe fn new(first: NonNull<T>, left: Range<usize>) -> Self {
        Self { first, left, elements: PhantomData }
    }

    #[inline]
    const fn place(&self, index: usize) -> *mut T {
        self.first.as_ptr().wrapping_add(index)
    }

    const fn rest(&self) -> *mut [T] {
        ptr::slice_from_raw_parts_mut(self.place(self.left.start), self.left.end - self.left.start)
    }

    pub(super) const fn as_slice(&self) -> &[T] {
        // SAFETY: the elements are initialized, in one aligned range, and not mutated while `self` is borrowed
        // (*left*).
        unsafe { &*self.rest() }
    }

    pub(super) const fn as_mut_slice(&mut self) -> &mut [T] {
        // SAFETY: the elements are initialized, in one aligned range, and not accessed otherwise while `self` is
        // mutably borrowed (*left*).
        unsafe { &mut *self.rest() }
    }

    /// Takes all elements not yet yielded.
    #[cfg(feature = "rayon")]
    pub(super) fn take_rest(&mut self) -> Self {
        let end = self.left.end;
        let left = mem::replace(&mut self.left, end..end);
        Self { first: self.first, left, elements: PhantomData }
    }
}

#[cfg(feature = "rayon")]
impl<T> SplitAt for Taken<'_, T> {
    fn split_at(mut self, count: usize) -> (Self, Self) {
        assert!(count <= self.left.len(), "fewer than `count` elements are left");
        let mut back = self.take_rest();
        let Range { start, .. } = back.left;
        back.left.start += count;
        (Self { first: back.first, left: start..start + count, elements: PhantomData }, back)
    }
}

exact_iterator! {
    [T] Taken<'_, T> => T:
    |taken| taken.left.len(),
    // SAFETY: the element is initialized (*left*), and no longer in `left`, so it is not used again.
    taken.left.next().map(|index| unsafe { taken.place(index).read() }),
    // SAFETY: the element is initialized (*left*), and no longer in `left`, so it is not used again.
    taken.left.next_back().map(|index| unsafe { taken.place(index).read() })
}

impl<T> Drop for Taken<'_, T> {
    #[inline]
    fn drop(&mut self) {
        // SAFETY: the elements are initialized, and used by nothing else (*left*). If a drop panics, the others are
        // still dropped.
        unsafe { self.rest().drop_in_place() }
    }
}
