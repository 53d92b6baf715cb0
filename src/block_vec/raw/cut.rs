//! [`Cut`]: goes through a range of elements, and takes some out.
//!
//! While there is one, the array says that it ends where the range began: whatever user code does, an element that
//! is half moved is never seen. When it ends, by return or by panic, what was not taken out moves down to what was kept.
//! If it is forgotten instead, all that is still in the range, or behind it, leaks; that is safe.

use super::Raw;
use std::marker::PhantomData;
use std::ptr::NonNull;

/// A range of elements of which some are taken out, from both ends; or some are kept, from the front.
///
/// `len <= kept <= front <= back <= tail <= old_len`, where `len` is the array's. Elements in `len..kept`, in
/// `front..back` and in `tail..old_len` are initialised; those between were taken out.
pub(in super::super) struct Cut<'v, T> {
    /// A pointer, since a mutable reference would make it invariant in `T`, for no reason: elements only come out.
    raw: NonNull<Raw<T>>,
    borrow: PhantomData<&'v T>,
    kept: usize,
    front: usize,
    back: usize,
    tail: usize,
    old_len: usize,
}

// SAFETY: it is a mutable borrow of all, which is `Send` if the elements are.
unsafe impl<T: Send> Send for Cut<'_, T> {}
// SAFETY: through `&Cut` only `&T` can be had.
unsafe impl<T: Sync> Sync for Cut<'_, T> {}

impl<'v, T> Cut<'v, T> {
    /// Goes through `start..end`, which is within the length.
    pub(in super::super) fn new(raw: &'v mut Raw<T>, start: usize, end: usize) -> Self {
        let old_len = raw.len;
        assert!(start <= end && end <= old_len);
        // SAFETY: a part of what was there.
        unsafe { raw.set_len(start) };
        let raw = NonNull::from(raw);
        Self { raw, borrow: PhantomData, kept: start, front: start, back: end, tail: end, old_len }
    }

    #[inline]
    fn raw(&self) -> &Raw<T> {
        // SAFETY: `new` borrowed it mutably for `'v`, and `self` is all that borrow is used by.
        unsafe { self.raw.as_ref() }
    }

    /// How many are still in the range.
    #[inline]
    pub(in super::super) fn len(&self) -> usize {
        self.back - self.front
    }

    /// The place of an element, below the old length.
    #[inline]
    fn at(&self, index: usize) -> *mut T {
        debug_assert!(index < self.old_len);
        // SAFETY: below the old length, and all below that have had memory since.
        unsafe { self.raw().place(index) }
    }

    /// Takes the next one out.
    #[inline]
    pub(in super::super) fn next(&mut self) -> Option<T> {
        if self.front == self.back {
            return None;
        }
        let next = self.at(self.front);
        self.front += 1;
        // SAFETY: initialised, and no more in `front..back`, so nobody reads it again.
        Some(unsafe { next.read() })
    }

    /// Takes the last one out.
    #[inline]
    pub(in super::super) fn next_back(&mut self) -> Option<T> {
        if self.front == self.back {
            return None;
        }
        self.back -= 1;
        let last = self.at(self.back);
        // SAFETY: initialised, and no more in `front..back`, so nobody reads it again.
        Some(unsafe { last.read() })
    }

    /// The next one.
    #[inline]
    pub(in super::super) fn peek(&mut self) -> Option<&mut T> {
        if self.front == self.back {
            return None;
        }
        let next = self.at(self.front);
        // SAFETY: initialised, and `&mut self` keeps it from others.
        Some(unsafe { &mut *next })
    }

    /// The last element kept, be it before the range, and the next one.
    #[inline]
    pub(in super::super) fn pair(&mut self) -> Option<(&mut T, &mut T)> {
        let last = self.kept.checked_sub(1)?;
        if self.front == self.back {
            return None;
        }
        let (last, next) = (self.at(last), self.at(self.front));
        // SAFETY: below `kept`: initialised, and `&mut self` keeps it from others.
        let last = unsafe { &mut *last };
        // SAFETY: initialised, and not the same element, for it is not below `kept`.
        let next = unsafe { &mut *next };
        Some((last, next))
    }

    /// Keeps the next one, if there is one.
    #[inline]
    pub(in super::super) fn keep(&mut self) {
        if self.front == self.back {
            return;
        }
        if self.kept != self.front {
            let (from, to) = (self.at(self.front), self.at(self.kept));
            // SAFETY: `from` is initialised; `kept < front`, so `to` was taken out, and is another.
            unsafe { to.copy_from_nonoverlapping(from, 1) };
        }
        self.kept += 1;
        self.front += 1;
    }

    /// Drops what is still in the range.
    pub(in super::super) fn drop_rest(&mut self) {
        let rest = self.front..self.back;
        // Before user code runs: should a drop panic, nothing is dropped twice.
        self.front = self.back;
        // SAFETY: initialised, and nobody reaches them any more.
        unsafe { self.raw().drop_all(rest) };
    }
}

impl<T> Drop for Cut<'_, T> {
    fn drop(&mut self) {
        let rest = self.len();
        if self.kept != self.front {
            // SAFETY: initialised, used no more where they are, and what they come to was taken out, or moves.
            unsafe { self.raw().move_down(self.front, self.kept, rest) };
        }
        self.kept += rest;
        let behind = self.old_len - self.tail;
        if self.kept != self.tail {
            // SAFETY: as above.
            unsafe { self.raw().move_down(self.tail, self.kept, behind) };
        }
        let len = self.kept + behind;
        // SAFETY: as in `raw`, and nobody has a reference to it.
        let raw = unsafe { self.raw.as_mut() };
        // SAFETY: all of these are initialised, and at most as many as there were.
        unsafe { raw.set_len(len) };
        raw.poison(len..self.old_len);
    }
}
