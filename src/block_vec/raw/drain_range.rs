//! [`DrainRange`]: iterates over a range of elements and removes some of them.
//!
//! While a `DrainRange` exists, the array's length is where the range began, so user code never sees an element that is
//! half moved. When it is dropped, by return or by panic, the elements that were not removed move down to those that
//! were kept. If it is leaked instead, all elements still in the range or past it leak, which is safe.

use super::Raw;
use std::marker::PhantomData;
use std::ptr::NonNull;

/// A range of elements from which elements are removed at both ends, or kept at the front.
///
/// `len <= kept <= front <= back <= tail <= old_len`, where `len` is the array's. Elements in `len..kept`, in
/// `front..back` and in `tail..old_len` are initialised; those between were removed.
pub(in super::super) struct DrainRange<'v, T> {
    /// A pointer, so that `DrainRange` is covariant in `T`: elements are only moved out.
    raw: NonNull<Raw<T>>,
    borrow: PhantomData<&'v T>,
    kept: usize,
    front: usize,
    back: usize,
    tail: usize,
    old_len: usize,
}

// SAFETY: it is a mutable borrow of the array and its elements, which is `Send` if the elements are.
unsafe impl<T: Send> Send for DrainRange<'_, T> {}
// SAFETY: `&DrainRange` gives access to `&T` only.
unsafe impl<T: Sync> Sync for DrainRange<'_, T> {}

impl<'v, T> DrainRange<'v, T> {
    /// Starts on `start..end`, which lies within the length.
    pub(in super::super) fn new(raw: &'v mut Raw<T>, start: usize, end: usize) -> Self {
        let old_len = raw.len;
        assert!(start <= end && end <= old_len);
        // SAFETY: `start` is at most the old length, asserted above, so these elements are initialised.
        unsafe { raw.set_len(start) };
        let raw = NonNull::from(raw);
        Self { raw, borrow: PhantomData, kept: start, front: start, back: end, tail: end, old_len }
    }

    #[inline]
    fn raw(&self) -> &Raw<T> {
        // SAFETY: `new` borrowed it mutably for `'v`, and only `self` uses that borrow.
        unsafe { self.raw.as_ref() }
    }

    /// How many elements are still in the range.
    #[inline]
    pub(in super::super) fn len(&self) -> usize {
        self.back - self.front
    }

    /// The place of an element below the old length.
    #[inline]
    fn at(&self, index: usize) -> *mut T {
        debug_assert!(index < self.old_len);
        // SAFETY: the index is below the old length, and no block has been released since `new`.
        unsafe { self.raw().place(index) }
    }

    #[inline]
    pub(in super::super) fn next(&mut self) -> Option<T> {
        if self.front == self.back {
            return None;
        }
        let next = self.at(self.front);
        self.front += 1;
        // SAFETY: it was in `front..back`, so it is initialised; `front` was advanced, so it is not read again.
        Some(unsafe { next.read() })
    }

    #[inline]
    pub(in super::super) fn next_back(&mut self) -> Option<T> {
        if self.front == self.back {
            return None;
        }
        self.back -= 1;
        let last = self.at(self.back);
        // SAFETY: it was in `front..back`, so it is initialised; `back` was reduced, so it is not read again.
        Some(unsafe { last.read() })
    }

    #[inline]
    pub(in super::super) fn peek(&mut self) -> Option<&mut T> {
        if self.front == self.back {
            return None;
        }
        let next = self.at(self.front);
        // SAFETY: it is in `front..back`, so it is initialised; `&mut self` guarantees exclusive access.
        Some(unsafe { &mut *next })
    }

    /// The last kept element, which may lie before the range, and the first of the range.
    #[inline]
    pub(in super::super) fn pair(&mut self) -> Option<(&mut T, &mut T)> {
        let last = self.kept.checked_sub(1)?;
        if self.front == self.back {
            return None;
        }
        let (last, next) = (self.at(last), self.at(self.front));
        // SAFETY: it is below `kept`, so it is initialised; `&mut self` guarantees exclusive access.
        let last = unsafe { &mut *last };
        // SAFETY: it is in `front..back`, so it is initialised, and it is not the other one, which is below `kept`.
        let next = unsafe { &mut *next };
        Some((last, next))
    }

    /// Keeps the first element of the range, if there is one.
    #[inline]
    pub(in super::super) fn keep(&mut self) {
        if self.front == self.back {
            return;
        }
        if self.kept != self.front {
            let (from, to) = (self.at(self.front), self.at(self.kept));
            // SAFETY: `from` is initialised; `kept < front`, so `to` was removed, and is a different place.
            unsafe { to.copy_from_nonoverlapping(from, 1) };
        }
        self.kept += 1;
        self.front += 1;
    }

    /// Keeps the elements of the range for which `keep` returns `true`, and drops the others.
    pub(in super::super) fn keep_if(&mut self, mut keep: impl FnMut(&mut T) -> bool) {
        while let Some(element) = self.peek() {
            if keep(element) {
                self.keep();
            } else {
                drop(self.next());
            }
        }
    }

    pub(in super::super) fn drop_rest(&mut self) {
        let rest = self.front..self.back;
        // Before user code runs, so that no element is dropped twice if a drop panics.
        self.front = self.back;
        // SAFETY: they were in `front..back`, so they are initialised; it is empty now, so they are not used again.
        unsafe { self.raw().drop_all(rest) };
    }
}

impl<T> Drop for DrainRange<'_, T> {
    fn drop(&mut self) {
        let rest = self.len();
        if self.kept != self.front {
            // SAFETY: these elements are initialised and not used again at their old places; the places they move to
            // were vacated, or are vacated by this move.
            unsafe { self.raw().move_down(self.front, self.kept, rest) };
        }
        self.kept += rest;
        let tail_len = self.old_len - self.tail;
        if self.kept != self.tail {
            // SAFETY: as above.
            unsafe { self.raw().move_down(self.tail, self.kept, tail_len) };
        }
        let len = self.kept + tail_len;
        // SAFETY: as in `raw`, and no reference to it is live.
        let raw = unsafe { self.raw.as_mut() };
        // SAFETY: the moves above left the first `len` elements initialised, at most as many as there were.
        unsafe { raw.set_len(len) };
        raw.poison(len..self.old_len);
    }
}
