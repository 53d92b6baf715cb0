//! Operations on many elements.

#![expect(unsafe_code, reason = "moves elements between arrays")]

use super::element::bad_index;
use super::{Drain, DrainRange, ExtractIf, GrowOnly, Splice, VmVec};
use crate::container::{clone_methods, vec_methods};
use crate::error::{Error, Refused};
use std::ops::{Bound, RangeBounds};
use std::ptr;

impl<T> VmVec<T> {
    vec_methods!("VmVec", GrowOnly, Drain, ExtractIf);

    fn cut(&mut self, start: usize, end: usize) -> DrainRange<'_, T> {
        DrainRange::new(self, start, end)
    }

    /// Removes consecutive elements for which `same(later, first)` returns `true`, except the first of each group.
    /// O(n).
    ///
    /// If `same` or a drop panics, elements that were not visited stay.
    ///
    /// # Examples
    ///
    /// ```
    /// let mut words = stayput::VmVec::from(["foo", "bar", "Bar", "baz", "bar"]);
    /// words.dedup_by(|later, first| later.eq_ignore_ascii_case(first));
    /// assert_eq!(words, ["foo", "bar", "baz", "bar"]);
    /// ```
    pub fn dedup_by(&mut self, mut same: impl FnMut(&mut T, &mut T) -> bool) {
        // Elements before the first one to remove do not move.
        let (len, first) = (self.len, self.place(0));
        let gone = (1..len).find(|&next| {
            let two = first.wrapping_add(next - 1).cast::<[T; 2]>();
            // SAFETY: `next` is not 0, and below the length, so these are two initialized elements in sequence
            // (*elements*, *capacity*), to which nothing else has access during the mutable borrow of `self`.
            let [last, next] = unsafe { &mut *two };
            same(next, last)
        });
        let Some(gone) = gone else { return };
        let mut cut = DrainRange::new(self, gone, len);
        drop(cut.next());
        cut.dedup_by(same);
    }

    /// Removes a range of elements, and returns an iterator over them. When the iterator is dropped, the elements of
    /// `replace_with` are inserted in their place.
    ///
    /// # Panics
    ///
    /// If the range starts after its end, or ends past the length. Dropping the iterator panics if the array is full or
    /// the system refuses memory, unless the thread is already panicking: the elements that did not fit are dropped,
    /// and those after the range stay.
    ///
    /// # Examples
    ///
    /// ```
    /// let mut numbers = stayput::VmVec::from([1, 2, 5]);
    /// let two = numbers.splice(1..2, [2, 3, 4]).next();
    /// assert_eq!(two, Some(2));
    /// assert_eq!(numbers, [1, 2, 3, 4, 5]);
    /// ```
    #[track_caller]
    pub fn splice<I: IntoIterator<Item = T>>(
        &mut self,
        range: impl RangeBounds<usize>,
        replace_with: I,
    ) -> Splice<'_, I::IntoIter> {
        Splice::new(self.drain(range), replace_with.into_iter())
    }

    /// Like [`append`](Self::append), but returns an error instead of panicking. After an error neither array has
    /// changed.
    ///
    /// # Errors
    ///
    /// As for [`try_reserve`](Self::try_reserve).
    pub fn try_append(&mut self, other: &mut Self) -> Result<(), Error> {
        let count = other.len;
        self.try_reserve(count)?;
        // SAFETY: the first `count` elements of `other` are initialized (*elements*), and capacity for them was just
        // reserved. Both arrays are borrowed mutably, so they do not overlap. `other` does not use the elements again:
        // its length is set to 0 below.
        unsafe { self.append_from(other.as_ptr(), count) };
        other.len = 0;
        other.close(count);
        Ok(())
    }

    /// Like [`append_vec`](Self::append_vec), but returns an error instead of panicking. After an error neither array
    /// has changed.
    ///
    /// # Errors
    ///
    /// As for [`try_reserve`](Self::try_reserve).
    pub fn try_append_vec(&mut self, other: &mut Vec<T>) -> Result<(), Error> {
        let count = other.len();
        self.try_reserve(count)?;
        // SAFETY: the `count` elements of `other` are initialized, in memory of its own, and capacity for them was just
        // reserved. They are past its length below, before anything can panic.
        unsafe { self.append_from(other.as_ptr(), count) };
        // SAFETY: 0 is at most any capacity, and then no elements must be initialized.
        unsafe { other.set_len(0) };
        Ok(())
    }

    /// Copies the bytes of `count` elements to the end, and adds them to the length.
    ///
    /// # Safety
    ///
    /// - There is capacity for `count` more elements.
    /// - `from` is aligned, and points to `count` initialized elements, not in the spare capacity of `self`.
    /// - They are not used as elements there any more.
    pub(super) unsafe fn append_from(&mut self, from: *const T, count: usize) {
        debug_assert!(count <= self.capacity() - self.len);
        self.open(count);
        // SAFETY: the caller guarantees that `from` is aligned and points to `count` elements, and that there is
        // capacity for them from `len` on, which is aligned, too (*capacity*), and which they do not overlap.
        unsafe { ptr::copy_nonoverlapping(from, self.place(self.len), count) };
        self.len += count;
    }

    /// Like [`split_off`](Self::split_off), but returns an error if memory is refused. After an error nothing has
    /// changed.
    ///
    /// # Errors
    ///
    /// As for [`try_reserve`](Self::try_reserve).
    ///
    /// # Panics
    ///
    /// If `at` is greater than the length.
    #[track_caller]
    pub fn try_split_off(&mut self, at: usize) -> Result<Self, Error> {
        let len = self.len;
        if at > len {
            bad_index("`at` split index", at, "<=", len);
        }
        let mut rest = self.try_fresh()?;
        rest.try_reserve_exact(len - at)?;
        self.len = at;
        // SAFETY: `at <= len` was checked, so these `len - at` elements are initialized (*elements*); they are in
        // another array, and past its length now. Capacity for them was just reserved.
        unsafe { rest.append_from(self.place(at), len - at) };
        self.close(len);
        Ok(rest)
    }

    /// Like [`resize_with`](Self::resize_with), but returns an error instead of panicking. After an error `make` was
    /// not called.
    ///
    /// # Errors
    ///
    /// As for [`try_reserve`](Self::try_reserve).
    #[cfg_attr(debug_assertions, track_caller)]
    pub fn try_resize_with(
        &mut self,
        new_len: usize,
        make: impl FnMut() -> T,
    ) -> Result<(), Error> {
        if new_len <= self.len {
            self.truncate(new_len);
            return Ok(());
        }
        let additional = new_len - self.len;
        self.try_reserve(additional)?;
        // SAFETY: an iterator of std's, which stops when told to.
        unsafe { self.fill_from(additional, std::iter::repeat_with(make)) };
        Ok(())
    }
}

/// Checks a range of elements, with the panics of std's `Vec`.
#[inline]
#[track_caller]
pub(crate) fn check_range(range: &impl RangeBounds<usize>, len: usize) -> (usize, usize) {
    let end = match range.end_bound() {
        // Cannot overflow, since `last` is less than the length.
        Bound::Included(&last) if last < len => last + 1,
        Bound::Excluded(&end) if end <= len => end,
        Bound::Unbounded => len,
        Bound::Included(&end) | Bound::Excluded(&end) => no_such_range(0, end, len),
    };
    let start = match range.start_bound() {
        Bound::Included(&start) if start <= end => start,
        Bound::Excluded(&before) if before < end => before + 1,
        Bound::Unbounded => 0,
        Bound::Included(&start) | Bound::Excluded(&start) => no_such_range(start, end, len),
    };
    (start, end)
}

/// Panics with a description of what is wrong with a range, in the numbers of the caller.
#[cold]
#[inline(never)]
#[track_caller]
fn no_such_range(start: usize, end: usize, len: usize) -> ! {
    assert!(start <= len, "range start index {start} out of range for slice of length {len}");
    assert!(end > len || start <= end, "slice index starts at {start} but ends at {end}");
    panic!("range end index {end} out of range for slice of length {len}")
}

impl<T: Clone> VmVec<T> {
    clone_methods!("VmVec");

    /// Resizes the array like [`resize`](Self::resize), or returns the error and the value.
    ///
    /// # Errors
    ///
    /// As for [`try_reserve`](Self::try_reserve).
    #[cfg_attr(debug_assertions, track_caller)]
    pub fn try_resize(&mut self, new_len: usize, value: T) -> Result<(), Refused<T>> {
        if new_len <= self.len {
            self.truncate(new_len);
            return Ok(());
        }
        let additional = new_len - self.len;
        if let Err(error) = self.try_reserve(additional) {
            return Err(Refused { error, value });
        }
        // `repeat_n` yields the value itself last, which saves a clone.
        // SAFETY: an iterator of std's, which stops when told to.
        unsafe { self.fill_from(additional, std::iter::repeat_n(value, additional)) };
        Ok(())
    }

    /// Like [`extend_from_slice`](Self::extend_from_slice), but returns an error instead of panicking. After an error
    /// nothing was cloned.
    ///
    /// # Errors
    ///
    /// As for [`try_reserve`](Self::try_reserve).
    #[cfg_attr(debug_assertions, track_caller)]
    pub fn try_extend_from_slice(&mut self, other: &[T]) -> Result<(), Error> {
        self.try_reserve(other.len())?;
        // SAFETY: an iterator of std's, which stops when told to.
        unsafe { self.fill_from(other.len(), other.iter().cloned()) };
        Ok(())
    }

    /// Like [`extend_from_within`](Self::extend_from_within), but returns an error if memory is refused. After an error
    /// nothing was cloned.
    ///
    /// # Errors
    ///
    /// As for [`try_reserve`](Self::try_reserve).
    ///
    /// # Panics
    ///
    /// If the range starts after its end, or ends past the length.
    #[track_caller]
    pub fn try_extend_from_within(&mut self, range: impl RangeBounds<usize>) -> Result<(), Error> {
        let (start, end) = check_range(&range, self.len);
        self.try_reserve(end - start)?;
        let from = ptr::slice_from_raw_parts(self.place(start), end - start);
        // SAFETY: the range was checked, so these elements are initialized, in one aligned range (*elements*,
        // *capacity*). While the slice is used, they are not mutated: `fill_from` writes past the length only, and
        // makes no reference to an element.
        let from = unsafe { &*from };
        // SAFETY: an iterator of std's, which stops when told to.
        unsafe { self.fill_from(from.len(), from.iter().cloned()) };
        Ok(())
    }
}
