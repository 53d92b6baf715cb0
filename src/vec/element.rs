//! Appending, inserting and removing single elements.

#![expect(unsafe_code, reason = "reads and writes single elements")]

use super::{VmVec, unwrap_or_panic};
use crate::error::{Error, Refused, refused};
use crate::poison::AtEnd;
use crate::raw_vec::Amount;
use std::ptr;

impl<T> VmVec<T> {
    /// Appends an element. O(1), without a copy; makes system calls if the capacity is used up.
    ///
    /// # Panics
    ///
    /// If the array holds `max_len` elements, or the system refuses memory.
    #[inline]
    #[track_caller]
    pub fn push(&mut self, value: T) {
        // Loaded once: growing does not change it, but the compiler cannot know that.
        let len = self.len;
        if len == self.capacity() {
            self.grow_by_one_or_panic();
        }
        // Not by `write_end`: without optimisation, each call that is passed the value copies it.
        let end = self.end_to_write(len);
        // SAFETY: `end` is "aligned and valid for writes of an element", as `end_to_write` says: `len` is the length,
        // and below the capacity, which was compared or grown above.
        unsafe { end.write(value) };
        self.len = len + 1;
    }

    /// Appends an element, or returns the error and the element.
    ///
    /// # Errors
    ///
    /// As for [`try_reserve`](Self::try_reserve).
    ///
    /// # Examples
    ///
    /// ```
    /// use stayput::{ErrorKind, VmVec};
    ///
    /// let mut queue = VmVec::with_max_len(2);
    /// queue.extend(["load", "draw"]);
    /// let refused = queue.try_push("save").unwrap_err();
    /// assert_eq!(refused.error.kind(), ErrorKind::MaxLen);
    /// assert_eq!(refused.value, "save");
    /// ```
    #[inline]
    #[cfg_attr(debug_assertions, track_caller)]
    pub fn try_push(&mut self, value: T) -> Result<(), Refused<T>> {
        if let Err(error) = self.make_room_for_one() {
            return refused(error, value);
        }
        // As in `push`.
        let end = self.end_to_write(self.len);
        // SAFETY: `end` is "aligned and valid for writes of an element", as `end_to_write` says: it was passed the
        // length, and `make_room_for_one` has made the capacity exceed that.
        unsafe { end.write(value) };
        self.len += 1;
        Ok(())
    }

    /// Appends an element and returns a mutable reference to it.
    ///
    /// # Panics
    ///
    /// As for [`push`](Self::push).
    ///
    /// # Examples
    ///
    /// ```
    /// let mut scores = stayput::VmVec::from([3]);
    /// let last = scores.push_mut(5);
    /// *last += 1;
    /// assert_eq!(scores, [3, 6]);
    /// ```
    #[inline]
    #[track_caller]
    #[must_use = "if you don't need a reference to the element, use `push`"]
    pub fn push_mut(&mut self, value: T) -> &mut T {
        self.push(value);
        let last = self.len - 1;
        // SAFETY: `last` is below the length, so the element is aligned and initialized (*elements*), and not accessed
        // otherwise during the mutable borrow of `self`.
        unsafe { &mut *self.place(last) }
    }

    /// Grows if the capacity is used up.
    #[inline]
    #[cfg_attr(debug_assertions, track_caller)]
    fn make_room_for_one(&mut self) -> Result<(), Error> {
        if self.len == self.capacity() { self.grow_by_one() } else { Ok(()) }
    }

    #[cold]
    #[inline(never)]
    #[cfg_attr(debug_assertions, track_caller)]
    pub(super) fn grow_by_one(&mut self) -> Result<(), Error> {
        self.grow(1, Amount::AtLeast)
    }

    #[cold]
    #[inline(never)]
    #[track_caller]
    fn grow_by_one_or_panic(&mut self) {
        unwrap_or_panic(self.grow_by_one());
    }

    /// Appends an element without checking the capacity.
    ///
    /// # Safety
    ///
    /// - `len` is the length, and below the capacity.
    #[inline]
    pub(super) unsafe fn write_end(&mut self, len: usize, value: T) {
        let end = self.end_to_write(len);
        // SAFETY: `end` is "aligned and valid for writes of an element", as `end_to_write` says: the caller guarantees
        // that `len` is the length, and below the capacity.
        unsafe { end.write(value) };
        self.len = len + 1;
    }

    /// Returns the place after the last element. If `len` is the length, and below the capacity, the pointer is aligned
    /// and valid for writes of an element.
    #[inline]
    pub(crate) fn end_to_write(&mut self, len: usize) -> *mut T {
        debug_assert!(len == self.len && len < self.capacity());
        self.open(1);
        self.place(len)
    }

    /// Removes the last element and returns it, or returns `None` if the array is empty. O(1).
    #[inline]
    pub fn pop(&mut self) -> Option<T> {
        self.len = self.len.checked_sub(1)?;
        let last = self.place(self.len);
        let _gone = AtEnd::of(last);
        // SAFETY: the index is below the old length, so the element is aligned and initialized (*elements*); it is past
        // the length now, so this is the only copy that is used.
        Some(unsafe { last.read() })
    }

    /// Inserts an element like [`insert`](Self::insert), or returns the error and the element.
    ///
    /// # Errors
    ///
    /// As for [`try_reserve`](Self::try_reserve).
    ///
    /// # Panics
    ///
    /// If `index` is greater than the length.
    #[track_caller]
    pub fn try_insert(&mut self, index: usize, value: T) -> Result<(), Refused<T>> {
        let len = self.len;
        if index > len {
            bad_index("insertion index", index, "<=", len);
        }
        if let Err(error) = self.try_reserve(1) {
            return Err(Refused { error, value });
        }
        self.open(1);
        let place = self.place(index);
        // SAFETY: `index <= len` was checked, so both ranges start within the array and end at most at `len + 1`, which
        // is within the capacity reserved above: valid and aligned (*capacity*). No user code runs until `len` counts
        // all elements.
        unsafe { ptr::copy(place, place.wrapping_add(1), len - index) };
        // SAFETY: `index <= len` is below the capacity, so the place is aligned and valid for writes (*capacity*); the
        // element that was in it was moved up.
        unsafe { place.write(value) };
        self.len += 1;
        Ok(())
    }

    /// Removes the element at `index` and returns it, moving the elements after it down by one. O(n - index).
    ///
    /// # Panics
    ///
    /// If `index` is not below the length.
    ///
    /// # Examples
    ///
    /// ```
    /// let mut letters = stayput::VmVec::from(['a', 'b', 'c']);
    /// assert_eq!(letters.remove(0), 'a');
    /// assert_eq!(letters, ['b', 'c']);
    /// ```
    #[track_caller]
    pub fn remove(&mut self, index: usize) -> T {
        let len = self.len;
        if index >= len {
            bad_index("removal index", index, "<", len);
        }
        let place = self.place(index);
        // SAFETY: `index < len` was checked, so the element is initialized (*elements*). Its place is overwritten, or
        // past the length, before it is read again: no user code runs until then.
        let value = unsafe { place.read() };
        // SAFETY: the `len - index - 1` elements after `place` are below the length, and so are their new places.
        unsafe { ptr::copy(place.wrapping_add(1), place, len - index - 1) };
        self.len -= 1;
        self.close(len);
        value
    }

    /// Removes the element at `index` and returns it, moving the last element to its place. O(1).
    ///
    /// # Panics
    ///
    /// If `index` is not below the length.
    ///
    /// # Examples
    ///
    /// ```
    /// let mut letters = stayput::VmVec::from(['a', 'b', 'c']);
    /// assert_eq!(letters.swap_remove(0), 'a');
    /// assert_eq!(letters, ['c', 'b']);
    /// ```
    #[track_caller]
    pub fn swap_remove(&mut self, index: usize) -> T {
        let len = self.len;
        if index >= len {
            bad_index("swap_remove index", index, "<", len);
        }
        let last = len - 1;
        let hole = self.place(index);
        // SAFETY: `index < len` was checked, so the element is initialized (*elements*). Its place is overwritten, or
        // past the length, before it is read again: no user code runs until then.
        let taken = unsafe { hole.read() };
        // SAFETY: both places are below the old length, and may be the same one. The last element is not used at its
        // old place again, which is past the length now.
        unsafe { self.place(last).copy_to(hole, 1) };
        self.len = last;
        self.close(len);
        taken
    }

    /// Shortens the array to at most `len` elements, dropping the rest. The memory stays committed. O(number dropped).
    pub fn truncate(&mut self, len: usize) {
        let Some(count) = self.len.checked_sub(len) else { return };
        // Before user code runs, so that no element is dropped twice if a drop panics.
        self.len = len;
        let gone = ptr::slice_from_raw_parts_mut(self.place(len), count);
        // SAFETY: the `count` elements were below the old length, so they are aligned and initialized (*elements*);
        // they are past the length now, so nothing uses them during the drop or later.
        unsafe { gone.drop_in_place() };
        self.close(len + count);
    }
}

/// Panics like std's `Vec`. Out of line, so that callers keep the numbers in registers.
#[cold]
#[inline(never)]
#[track_caller]
pub(super) fn bad_index(what: &str, index: usize, relation: &str, len: usize) -> ! {
    panic!("{what} (is {index}) should be {relation} len (is {len})")
}
