//! Putting single elements in, and taking them out.

#![expect(unsafe_code, reason = "reads and writes single elements")]

use super::{VmVec, or_give_up};
use crate::error::{Error, Refused};
use crate::poison::AtEnd;
use crate::raw_vec::Amount;
use std::ptr;

impl<T> VmVec<T> {
    /// Appends an element. O(1), no copy; enters the kernel if capacity is used up.
    ///
    /// # Panics
    ///
    /// If the array holds `max_len` elements, or the system refuses memory.
    #[inline]
    #[track_caller]
    pub fn push(&mut self, value: T) {
        // Read once: growing does not change it, which the compiler cannot see.
        let len = self.len;
        if len == self.capacity() {
            self.grow_by_one_or_give_up();
        }
        // SAFETY: there is room for one more behind the `len` elements.
        unsafe { self.write_end(len, value) }
    }

    /// [`push`](Self::push), or the error and the element.
    ///
    /// # Errors
    ///
    /// As for [`try_reserve`](Self::try_reserve).
    #[inline]
    pub fn try_push(&mut self, value: T) -> Result<(), Refused<T>> {
        if let Err(error) = self.make_room_for_one() {
            return Err(Refused { error, value });
        }
        // SAFETY: there is room for one more behind the `len` elements.
        unsafe { self.write_end(self.len, value) }
        Ok(())
    }

    /// [`push`](Self::push), and a reference to the element where it now lies.
    ///
    /// # Panics
    ///
    /// As for [`push`](Self::push).
    #[inline]
    #[track_caller]
    #[must_use = "if you don't need a reference to the element, use `push`"]
    pub fn push_mut(&mut self, value: T) -> &mut T {
        self.push(value);
        let last = self.len - 1;
        // SAFETY: within the length.
        let last = unsafe { self.first().add(last) };
        // SAFETY: just initialised; borrowed from `&mut self`.
        unsafe { &mut *last }
    }

    /// Takes memory for one more element, if there is no room for it.
    #[inline]
    fn make_room_for_one(&mut self) -> Result<(), Error> {
        if self.len == self.capacity() { self.grow_by_one() } else { Ok(()) }
    }

    #[cold]
    #[inline(never)]
    pub(super) fn grow_by_one(&mut self) -> Result<(), Error> {
        self.grow(1, Amount::AtLeast)
    }

    #[cold]
    #[inline(never)]
    #[track_caller]
    fn grow_by_one_or_give_up(&mut self) {
        or_give_up(self.grow_by_one());
    }

    /// Puts an element behind the last one.
    ///
    /// # Safety
    ///
    /// - `len` is the length, and below the capacity.
    #[inline]
    pub(super) unsafe fn write_end(&mut self, len: usize, value: T) {
        debug_assert!(len == self.len && len < self.capacity());
        self.open(1);
        // SAFETY: below capacity, by the caller's promise.
        let end = unsafe { self.first().add(len) };
        // SAFETY: committed, aligned, and behind the last element.
        unsafe { end.write(value) };
        self.len = len + 1;
    }

    /// Takes the last element out. O(1).
    #[inline]
    pub fn pop(&mut self) -> Option<T> {
        self.len = self.len.checked_sub(1)?;
        // SAFETY: within the old length.
        let last = unsafe { self.as_ptr().add(self.len) };
        let _gone = AtEnd::of(last);
        // SAFETY: it was initialised, and is behind the length now, so nobody reads it again.
        Some(unsafe { last.read() })
    }

    /// [`insert`](Self::insert), or the error and the element.
    ///
    /// # Errors
    ///
    /// As for [`try_reserve`](Self::try_reserve).
    ///
    /// # Panics
    ///
    /// If `index` is beyond the length.
    #[track_caller]
    pub fn try_insert(&mut self, index: usize, value: T) -> Result<(), Refused<T>> {
        let len = self.len;
        assert!(index <= len, "insertion index (is {index}) should be <= len (is {len})");
        if let Err(error) = self.try_reserve(1) {
            return Err(Refused { error, value });
        }
        self.open(1);
        // SAFETY: within the length.
        let place = unsafe { self.first().add(index) };
        // SAFETY: there is room for one more, so this is within capacity.
        let above = unsafe { place.add(1) };
        // SAFETY: `len - index` elements, which stay within capacity. They may overlap.
        unsafe { ptr::copy(place, above, len - index) };
        // SAFETY: what was there has moved up.
        unsafe { place.write(value) };
        self.len += 1;
        Ok(())
    }

    /// Takes the element at `index` out, moving those behind it down by one. O(n - index).
    ///
    /// # Panics
    ///
    /// If `index` is not below the length.
    #[track_caller]
    pub fn remove(&mut self, index: usize) -> T {
        let len = self.len;
        assert!(index < len, "removal index (is {index}) should be < len (is {len})");
        // SAFETY: within the length.
        let place = unsafe { self.first().add(index) };
        // SAFETY: initialised; overwritten or cut off below before anyone reads it again.
        let value = unsafe { place.read() };
        // SAFETY: at most one past the last element.
        let above = unsafe { place.add(1) };
        // SAFETY: `len - index - 1` elements are behind `place`. They may overlap.
        unsafe { ptr::copy(above, place, len - index - 1) };
        self.len -= 1;
        self.close(len);
        value
    }

    /// Takes the element at `index` out, and puts the last one in its place. O(1).
    ///
    /// # Panics
    ///
    /// If `index` is not below the length.
    #[track_caller]
    pub fn swap_remove(&mut self, index: usize) -> T {
        let len = self.len;
        assert!(index < len, "swap_remove index (is {index}) should be < len (is {len})");
        let last = len - 1;
        let start = self.first();
        // SAFETY: within the length.
        let hole = unsafe { start.add(index) };
        // SAFETY: initialised. It is overwritten, or behind the length, before anybody reads it again: no user code
        // runs until then.
        let taken = unsafe { hole.read() };
        // SAFETY: within the length.
        let from = unsafe { start.add(last) };
        // SAFETY: the last element, which may be the one that was taken, is not used by its old place, which is behind
        // the length now.
        unsafe { from.copy_to(hole, 1) };
        self.len = last;
        self.close(len);
        taken
    }

    /// Drops the elements from `len` on. The memory stays. O(number dropped).
    pub fn truncate(&mut self, len: usize) {
        let Some(count) = self.len.checked_sub(len) else { return };
        // Before user code runs: should a drop panic, nothing is dropped twice.
        self.len = len;
        // SAFETY: within the old length.
        let first = unsafe { self.first().add(len) };
        // SAFETY: `count` initialised elements, behind the length, so nobody reaches them again.
        unsafe { ptr::slice_from_raw_parts_mut(first, count).drop_in_place() };
        self.close(len + count);
    }
}
