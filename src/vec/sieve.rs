//! [`Sieve`]: goes through the elements once, and keeps some.

#![expect(unsafe_code, reason = "moves elements down over those that are gone")]

use super::VmVec;
use std::ptr;

/// A pass over the elements from some index on, which keeps some and takes others out.
///
/// While it goes on, the array says that it ends where the pass began: whatever user code does,
/// an element that is half moved is never seen. When it ends, by return or by panic, what was not
/// looked at moves down behind what was kept. If it is forgotten instead, what it had not kept
/// yet, and what it had, leaks; that is safe.
///
/// `start <= kept <= next <= old_len`. Elements in `start..kept` and in `next..old_len` are
/// initialised; those between were taken out.
pub(super) struct Sieve<'v, T> {
    vec: &'v mut VmVec<T>,
    /// The first element; kept here so that loops need not ask the array for it.
    first: *mut T,
    kept: usize,
    next: usize,
    old_len: usize,
}

// SAFETY: `first` is only a copy of what the mutable reference in `vec` leads to.
unsafe impl<T: Send> Send for Sieve<'_, T> {}
// SAFETY: as above; through `&Sieve` only `&VmVec<T>` can be had.
unsafe impl<T: Sync> Sync for Sieve<'_, T> {}

impl<'v, T> Sieve<'v, T> {
    /// Starts at `start`, which is at most the length.
    pub(super) fn new(vec: &'v mut VmVec<T>, start: usize) -> Self {
        let old_len = vec.len;
        debug_assert!(start <= old_len);
        vec.len = start;
        Self { first: vec.first(), vec, kept: start, next: start, old_len }
    }

    /// The array; its length is where the pass began.
    pub(super) fn vec(&self) -> &VmVec<T> {
        self.vec
    }

    /// The index of the next element to look at, as it was when the pass began.
    pub(super) fn next_index(&self) -> usize {
        self.next
    }

    #[inline]
    fn at(&self, index: usize) -> *mut T {
        debug_assert!(index <= self.old_len);
        // SAFETY: at most `old_len`, and so many elements are within capacity.
        unsafe { self.first.add(index) }
    }

    /// The last element kept, and the next to look at.
    #[inline]
    pub(super) fn pair(&mut self) -> Option<(&mut T, &mut T)> {
        let last = self.kept.checked_sub(1)?;
        if self.next == self.old_len {
            return None;
        }
        let (last, next) = (self.at(last), self.at(self.next));
        // SAFETY: below `kept`: initialised, and `&mut self` keeps it from others.
        let last = unsafe { &mut *last };
        // SAFETY: `next < old_len`: initialised, and not the same element, for `last < kept`.
        let next = unsafe { &mut *next };
        Some((last, next))
    }

    /// The next element to look at.
    #[inline]
    pub(super) fn peek(&mut self) -> Option<&mut T> {
        if self.next == self.old_len {
            return None;
        }
        let next = self.at(self.next);
        // SAFETY: `next < old_len`: initialised, and `&mut self` keeps it from others.
        Some(unsafe { &mut *next })
    }

    /// Keeps the next element, if there is one.
    #[inline]
    pub(super) fn keep(&mut self) {
        if self.next == self.old_len {
            return;
        }
        if self.kept != self.next {
            let (from, to) = (self.at(self.next), self.at(self.kept));
            // SAFETY: `from` is initialised; `kept < next`, so `to` was taken out, and is another.
            unsafe { ptr::copy_nonoverlapping(from, to, 1) };
        }
        self.kept += 1;
        self.next += 1;
    }

    /// Takes the next element out, if there is one.
    #[inline]
    pub(super) fn take(&mut self) -> Option<T> {
        if self.next == self.old_len {
            return None;
        }
        let next = self.at(self.next);
        self.next += 1;
        // SAFETY: initialised, and now behind `next`, so nobody reads it again.
        Some(unsafe { next.read() })
    }
}

impl<T> Drop for Sieve<'_, T> {
    fn drop(&mut self) {
        let rest = self.old_len - self.next;
        if self.kept != self.next {
            let (from, to) = (self.at(self.next), self.at(self.kept));
            // SAFETY: `rest` initialised elements end at `old_len`; `to` is below `from`, and what
            // lies between was taken out. They may overlap.
            unsafe { ptr::copy(from, to, rest) };
        }
        self.vec.len = self.kept + rest;
        self.vec.close(self.old_len);
    }
}
