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
/// Its invariant, *places*: `len <= kept <= front <= back <= tail <= old_len`, where `len` is the array's, and
/// `old_len` is at most the capacity. `first` is the array's start, so indices below `old_len` are of places in its
/// aligned range (*capacity*). Elements in `len..kept`, in `front..back` and in `tail..old_len` are initialized, and
/// used only by `self`; those between were removed, and their places may be overwritten.
pub(super) struct DrainRange<'v, T> {
    /// The array. Its length is where the range starts.
    ///
    /// A pointer, so that `Drain` is covariant in `T`, since it only moves elements out. What gives users a `&mut T`, or
    /// writes elements, must be invariant in `T` itself, as `ExtractIf` and `Splice` are. The `Drain` of `SharedVec` also
    /// keeps the pointer next to a guard of the array.
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
    /// Starts on `start..end`.
    ///
    /// # Panics
    ///
    /// If that is not within the length.
    #[inline]
    pub(super) fn new(vec: &'v mut VmVec<T>, start: usize, end: usize) -> Self {
        let old_len = vec.len;
        assert!(start <= end && end <= old_len, "the range is out of bounds");
        vec.len = start;
        let (first, vec) = (vec.start(), NonNull::from(vec));
        let (kept, front, back, tail) = (start, start, end, end);
        Self { vec, borrow: PhantomData, first, kept, front, back, tail, old_len }
    }

    #[inline]
    pub(super) fn vec(&self) -> &VmVec<T> {
        // SAFETY: `new` borrowed it mutably for `'v`, and only `self` uses that borrow, so during the borrow of `self`
        // it is valid and not mutated.
        unsafe { self.vec.as_ref() }
    }

    #[inline]
    fn vec_mut(&mut self) -> &mut VmVec<T> {
        // SAFETY: `new` borrowed it mutably for `'v`, and only `self` uses that borrow, so during the mutable borrow of
        // `self` it is valid and not accessed otherwise.
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
        // Not by `wrapping_add`, with which the loop of `extract_if` takes 2 more instructions per element.
        // SAFETY: the callers, all in this file, pass one of the fields that are at most `old_len`, so the offset stays
        // within the capacity, which is one range of at most `isize::MAX` bytes (*places*).
        unsafe { self.first.add(index) }.as_ptr()
    }

    #[inline]
    pub(super) fn next(&mut self) -> Option<T> {
        if self.is_done() {
            return None;
        }
        let next = self.at(self.front);
        self.front += 1;
        // SAFETY: the element is initialized (*places*), and no longer in `front..back`, so it is not read again.
        Some(unsafe { next.read() })
    }

    #[inline]
    pub(super) fn next_back(&mut self) -> Option<T> {
        if self.is_done() {
            return None;
        }
        self.back -= 1;
        let last = self.at(self.back);
        // SAFETY: the element is initialized (*places*), and no longer in `front..back`, so it is not read again.
        Some(unsafe { last.read() })
    }

    #[inline]
    pub(super) fn peek(&mut self) -> Option<&mut T> {
        if self.is_done() {
            return None;
        }
        let next = self.at(self.front);
        // SAFETY: the element is initialized (*places*), and `&mut self` guarantees exclusive access.
        Some(unsafe { &mut *next })
    }

    /// Keeps the elements of the range for which `keep` returns `true`, and drops the others.
    #[inline]
    pub(super) fn keep_if(&mut self, mut keep: impl FnMut(&mut T) -> bool) {
        self.sieve(|_, next| keep(next));
    }

    /// Drops the elements of the range for which `same` returns `true`, given also the last element that was kept. At
    /// least one element must precede the range.
    #[inline]
    pub(super) fn dedup_by(&mut self, mut same: impl FnMut(&mut T, &mut T) -> bool) {
        assert!(self.kept > 0);
        self.sieve(|end, next| {
            // SAFETY: at least one element precedes `end`, as asserted above, and their number only grows. The last of
            // them was kept, or is the array's last: it is initialized (*places*, *elements*), and only `self`, which
            // has the array's mutable borrow, has access to it. `next` is another, since it is not before `end`.
            !same(next, unsafe { &mut *end.wrapping_sub(1) })
        });
    }

    /// Calls `is_kept` with the end of the kept elements and each element of the range; keeps the element, or drops it.
    #[inline]
    fn sieve(&mut self, mut is_kept: impl FnMut(*mut T, &mut T) -> bool) {
        while self.front < self.back {
            let (next, end) = (self.at(self.front), self.at(self.kept));
            // If this panics, the element stays in the range, and so in the array.
            // SAFETY: the element is initialized (*places*), and nothing else has access to it.
            let is_kept = is_kept(end, unsafe { &mut *next });
            // Before the drop, so that the element is not dropped twice if that panics.
            self.front += 1;
            if is_kept {
                // SAFETY: `next` is initialized, and no longer in the range. `kept` was at most `front`, so the place
                // at `end` is `next` itself, or its element was removed (*places*).
                unsafe { ptr::copy(next, end, 1) };
                self.kept += 1;
            } else {
                // SAFETY: the element is initialized (*places*), and no longer in the range, so it is not used again.
                unsafe { next.drop_in_place() };
            }
        }
    }

    /// Keeps the first element of the range, if there is one.
    #[inline]
    pub(super) fn keep(&mut self) {
        if self.is_done() {
            return;
        }
        if self.kept != self.front {
            let (from, to) = (self.at(self.front), self.at(self.kept));
            // SAFETY: `from` is initialized; `kept < front`, so the element at `to` was removed (*places*), and `to` is
            // another place.
            unsafe { ptr::copy_nonoverlapping(from, to, 1) };
        }
        self.kept += 1;
        self.front += 1;
    }

    pub(super) fn as_slice(&self) -> &[T] {
        // SAFETY: elements in `front..back` are initialized, in one aligned range (*places*), and not mutated while
        // `self` is borrowed.
        unsafe { slice::from_raw_parts(self.at(self.front), self.len()) }
    }

    /// Removes all elements still in the range, to divide them among tasks.
    #[cfg(feature = "rayon")]
    pub(super) fn take_rest(&mut self) -> Taken<'_, T> {
        let left = self.front..self.back;
        self.front = self.back;
        // SAFETY: the elements in `left` are initialized (*places*), and not in `front..back` any more, so only the
        // result uses them; the places stay vacant for as long as it borrows `self`.
        unsafe { Taken::new(self.first, left) }
    }

    pub(super) fn drop_rest(&mut self) {
        let (first, count) = (self.at(self.front), self.len());
        // Before user code runs, so that no element is dropped twice if a drop panics.
        (self.front, self.back) = (self.tail, self.tail);
        // SAFETY: these `count` elements are initialized (*places*), and not used again.
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
        // SAFETY: these `old_len - tail` elements are initialized (*places*), and end at `old_len + additional`
        // afterwards, which is within the capacity: it was compared or grown above. The ranges may overlap.
        unsafe { ptr::copy(from, from.wrapping_add(additional), old_len - tail) };
        self.tail += additional;
        self.old_len += additional;
        (self.front, self.back) = (self.tail, self.tail);
        Ok(())
    }
}

impl<T> DrainRange<'_, T> {
    /// Moves elements down to those that were kept.
    #[inline]
    fn move_down(&mut self, from: usize, count: usize) {
        if count > 0 && from != self.kept {
            let (from, to) = (self.at(from), self.at(self.kept));
            // SAFETY: the callers pass the elements that are left, or those from `tail` on, when none is left: they are
            // initialized, and the ones that they overwrite were removed or are among them (*places*). The ranges may
            // overlap.
            unsafe { ptr::copy(from, to, count) };
        }
        self.kept += count;
    }

    /// Keeps all elements still in the range. Out of line, since loops that end leave none.
    #[cold]
    #[inline(never)]
    fn keep_rest(&mut self) {
        self.move_down(self.front, self.len());
    }
}

impl<T> Drop for DrainRange<'_, T> {
    #[inline]
    fn drop(&mut self) {
        if self.len() > 0 {
            self.keep_rest();
        }
        let old_len = self.old_len;
        self.move_down(self.tail, old_len - self.tail);
        let len = self.kept;
        self.vec_mut().len = len;
        self.vec_mut().close(old_len);
    }
}
