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
/// `len <= kept <= front <= back <= tail <= old_len <= capacity`, where `len` and `capacity` are the array's.
/// Elements in `len..kept`, in `front..back` and in `tail..old_len` are initialized; those between were removed.
pub(in super::super) struct DrainRange<'v, T> {
    raw: Borrowed<'v, T>,
    kept: usize,
    front: usize,
    back: usize,
    tail: usize,
    old_len: usize,
}

/// A mutable borrow of an array, as a pointer, so that it is covariant in `T`, as `Drain` is, which only moves elements
/// out. What gives users a `&mut T` out of it must be invariant in `T` itself, as `ExtractIf` is.
struct Borrowed<'v, T>(NonNull<Raw<T>>, PhantomData<&'v T>);

impl<T> Borrowed<'_, T> {
    #[inline]
    fn get(&self) -> &Raw<T> {
        // SAFETY: the array is mutably borrowed for `'v`, and only this uses that borrow. `DrainRange::drop` alone makes
        // a mutable reference, while no other is live.
        unsafe { self.0.as_ref() }
    }
}

// SAFETY: it is a mutable borrow of the array and its elements, which is `Send` if the elements are.
unsafe impl<T: Send> Send for DrainRange<'_, T> {}
// SAFETY: `&DrainRange` gives access to no element, only the number of those that are left.
unsafe impl<T: Sync> Sync for DrainRange<'_, T> {}

impl<'v, T> DrainRange<'v, T> {
    /// Starts on `start..end`, which lies within the length.
    pub(in super::super) fn new(raw: &'v mut Raw<T>, start: usize, end: usize) -> Self {
        assert!(start <= end && end <= raw.len);
        let old_len = raw.release_from(start).end;
        let raw = Borrowed(NonNull::from(raw), PhantomData);
        Self { raw, kept: start, front: start, back: end, tail: end, old_len }
    }

    /// How many elements are still in the range.
    #[inline]
    pub(in super::super) fn len(&self) -> usize {
        self.back - self.front
    }

    /// Returns the address of the first element of the range, which must not be empty.
    #[inline]
    fn first(&self) -> *mut T {
        assert!(self.front < self.back);
        // SAFETY: `front < back`, which is at most the capacity.
        unsafe { self.raw.get().place(self.front) }
    }

    #[inline]
    pub(in super::super) fn next(&mut self) -> Option<T> {
        if self.front >= self.back {
            return None;
        }
        let next = self.first();
        self.front += 1;
        // SAFETY: it was in `front..back`, so it is initialized; `front` was advanced, so it is not read again.
        Some(unsafe { next.read() })
    }

    #[inline]
    pub(in super::super) fn next_back(&mut self) -> Option<T> {
        if self.front == self.back {
            return None;
        }
        self.back -= 1;
        // SAFETY: the index is below the old `back`, which was at most the capacity.
        let last = unsafe { self.raw.get().place(self.back) };
        // SAFETY: it was in `front..back`, so it is initialized; `back` was reduced, so it is not read again.
        Some(unsafe { last.read() })
    }

    /// Keeps the first element of the range, if there is one, and returns its new address.
    #[inline]
    fn keep(&mut self) -> Option<*mut T> {
        if self.front >= self.back {
            return None;
        }
        let next = self.first();
        let mut kept = next;
        if self.kept != self.front {
            // SAFETY: `kept < front`, which is at most the capacity.
            kept = unsafe { self.raw.get().place(self.kept) };
            // SAFETY: `next` is in `front..back`, so it is initialized. The other place is at `kept < front`, so what it
            // held was removed, and it is another place: they do "not overlap".
            unsafe { kept.copy_from_nonoverlapping(next, 1) };
        }
        self.kept += 1;
        self.front += 1;
        Some(kept)
    }

    /// Keeps the elements of the range for which `keep` returns `true`, and drops the others.
    pub(in super::super) fn keep_if(&mut self, mut keep: impl FnMut(&mut T) -> bool) {
        while self.front < self.back {
            let element = self.first();
            // SAFETY: it is in `front..back`, so it is initialized; `&mut self` guarantees exclusive access.
            if keep(unsafe { &mut *element }) {
                self.keep();
            } else {
                drop(self.next());
            }
        }
    }

    /// Keeps elements of the range up to the next one for which `remove` returns `true`, which it returns.
    #[inline]
    pub(in super::super) fn next_if(
        &mut self,
        mut remove: impl FnMut(&mut T) -> bool,
    ) -> Option<T> {
        while self.front < self.back {
            let element = self.first();
            // SAFETY: as in `keep_if`. If the predicate panics, the element stays in the range, and so in the array.
            if remove(unsafe { &mut *element }) {
                return self.next();
            }
            self.keep();
        }
        None
    }

    /// Keeps the elements of the range for which `same(element, last)` returns `false`, where `last` is the last one that
    /// was kept, and drops the others. The first is kept.
    pub(in super::super) fn dedup_by(&mut self, mut same: impl FnMut(&mut T, &mut T) -> bool) {
        let Some(mut last) = self.keep() else { return };
        while self.front < self.back {
            let next = self.first();
            // SAFETY: `keep` returned the address of the last kept element, which is initialized; `&mut self` guarantees
            // exclusive access.
            let kept = unsafe { &mut *last };
            // SAFETY: it is in `front..back`, so it is initialized, and it is not the other one, which is below `kept`.
            if same(unsafe { &mut *next }, kept) {
                drop(self.next());
            } else {
                last = self.keep().unwrap_or(last);
            }
        }
    }

    pub(in super::super) fn drop_rest(&mut self) {
        let rest = self.front..self.back;
        // Before user code runs, so that no element is dropped twice if a drop panics.
        self.front = self.back;
        // SAFETY: they were in `front..back`, so they are within capacity and initialized; it is empty now, so they are
        // not used again.
        unsafe { self.raw.get().drop_all(rest) };
    }
}

impl<T> Drop for DrainRange<'_, T> {
    fn drop(&mut self) {
        let mut len = self.kept;
        for (from, to) in [(self.front, self.back), (self.tail, self.old_len)] {
            if len != from {
                // SAFETY: `len < from`, since no more elements were kept than precede `from`, and `to <= old_len`, so
                // all is within capacity. The elements of `from..to` are initialized, and not used again at their old
                // places. Those from `len` up to `from` were removed, or moved by the step before.
                unsafe { self.raw.get().move_down(from, len, to - from) };
            }
            len += to - from;
        }
        // SAFETY: the array is mutably borrowed for `'v`, and no reference of `raw` is live.
        let raw = unsafe { self.raw.0.as_mut() };
        // SAFETY: `len` counts the elements that were not removed, at most `old_len`. The moves above left them at the
        // first places, and only `self` owned those past the length.
        unsafe { raw.set_len(len) };
        raw.poison(len..self.old_len);
    }
}
