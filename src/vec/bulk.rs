//! Calls that look at many elements, and move or remove some.

#![expect(unsafe_code, reason = "moves elements between arrays")]

use super::{Drain, ExtractIf, GrowOnly, Sieve, Splice, VmVec};
use crate::container::{clone_methods, vec_methods};
use crate::error::{Error, Refused};
use std::ops::{Bound, RangeBounds};
use std::ptr;

impl<T> VmVec<T> {
    vec_methods!("VmVec", GrowOnly);

    /// Keeps only the elements that the predicate names, which may change them. O(n).
    ///
    /// If the predicate or a drop panics, what was not looked at stays.
    pub fn retain_mut(&mut self, mut keep: impl FnMut(&mut T) -> bool) {
        // Up to the first that goes, nothing has to move.
        let Some(gone) = self.iter_mut().position(|element| !keep(element)) else { return };
        let mut sieve = Sieve::new(self, gone);
        drop(sieve.take());
        while let Some(element) = sieve.peek() {
            if keep(element) {
                sieve.keep();
            } else {
                drop(sieve.take());
            }
        }
    }

    /// Removes all but the first of neighbours for which `same(later, first)` holds. O(n).
    ///
    /// If `same` or a drop panics, what was not looked at stays.
    pub fn dedup_by(&mut self, mut same: impl FnMut(&mut T, &mut T) -> bool) {
        // Up to the first that goes, nothing has to move.
        let gone = (1..self.len).find(|&next| {
            let (kept, rest) = self.split_at_mut(next);
            same(&mut rest[0], &mut kept[next - 1])
        });
        let Some(gone) = gone else { return };
        let mut sieve = Sieve::new(self, gone);
        drop(sieve.take());
        while let Some((last, next)) = sieve.pair() {
            if same(next, last) {
                drop(sieve.take());
            } else {
                sieve.keep();
            }
        }
    }

    /// Takes a range of elements out, which the iterator gives; those behind it move down when it
    /// is dropped.
    ///
    /// # Panics
    ///
    /// If the range ends before it starts, or beyond the length.
    ///
    /// # Examples
    ///
    /// ```
    /// let mut numbers = stayput::VmVec::from([1, 2, 3, 4]);
    /// assert!(numbers.drain(1..3).eq([2, 3]));
    /// assert_eq!(numbers, [1, 4]);
    /// ```
    #[track_caller]
    pub fn drain(&mut self, range: impl RangeBounds<usize>) -> Drain<'_, T> {
        let (start, end) = check_range(&range, self.len);
        Drain::new(self, start, end)
    }

    /// Takes a range of elements out, which the iterator gives, and puts those of `replace_with`
    /// in its place when it is dropped.
    ///
    /// # Panics
    ///
    /// If the range ends before it starts, or beyond the length. On drop, if the array is full or
    /// the system refuses memory: the elements that did not fit are dropped, those behind the
    /// range are kept. (If the thread is panicking already there is no second panic.)
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

    /// Takes out of a range the elements that the predicate names, one at each step of the
    /// iterator.
    ///
    /// # Panics
    ///
    /// If the range ends before it starts, or beyond the length.
    ///
    /// # Examples
    ///
    /// ```
    /// let mut numbers = stayput::VmVec::from([1, 2, 3, 4, 5]);
    /// assert!(numbers.extract_if(.., |n| *n % 2 == 0).eq([2, 4]));
    /// assert_eq!(numbers, [1, 3, 5]);
    /// ```
    #[track_caller]
    pub fn extract_if<F: FnMut(&mut T) -> bool>(
        &mut self,
        range: impl RangeBounds<usize>,
        predicate: F,
    ) -> ExtractIf<'_, T, F> {
        let (start, end) = check_range(&range, self.len);
        ExtractIf::new(self, start, end, predicate)
    }

    /// [`append`](Self::append), or the error; then neither array has changed.
    ///
    /// # Errors
    ///
    /// As for [`try_reserve`](Self::try_reserve).
    pub fn try_append(&mut self, other: &mut Self) -> Result<(), Error> {
        let count = other.len;
        self.try_reserve(count)?;
        // SAFETY: the first `count` elements of `other` are initialised, there is room for as
        // many, and two arrays that are both borrowed mutably are not one.
        unsafe { self.append_from(other.as_ptr(), count) };
        other.len = 0;
        other.close(count);
        Ok(())
    }

    /// [`append_vec`](Self::append_vec), or the error; then neither array has changed.
    ///
    /// # Errors
    ///
    /// As for [`try_reserve`](Self::try_reserve).
    pub fn try_append_vec(&mut self, other: &mut Vec<T>) -> Result<(), Error> {
        let count = other.len();
        self.try_reserve(count)?;
        // SAFETY: the `count` elements of `other` are initialised, in memory of its own, and given up
        // below, before anything can panic; there is room for as many.
        unsafe { self.append_from(other.as_ptr(), count) };
        // SAFETY: none is within any capacity.
        unsafe { other.set_len(0) };
        Ok(())
    }

    /// Copies the bytes of `count` elements behind the last one, and says that they are there.
    ///
    /// # Safety
    ///
    /// - There is room for `count` more elements.
    /// - `from` points to `count` initialised elements, not within the spare room of `self`.
    /// - They are not used as elements any more where they were.
    pub(super) unsafe fn append_from(&mut self, from: *const T, count: usize) {
        debug_assert!(count <= self.capacity() - self.len);
        self.open(count);
        // SAFETY: `len` is within capacity.
        let end = unsafe { self.first().add(self.len) };
        // SAFETY: the caller's promise.
        unsafe { ptr::copy_nonoverlapping(from, end, count) };
        self.len += count;
    }

    /// [`split_off`](Self::split_off), or the error; then nothing has changed.
    ///
    /// # Errors
    ///
    /// As for [`try_reserve`](Self::try_reserve).
    ///
    /// # Panics
    ///
    /// If `at` is beyond the length.
    #[track_caller]
    pub fn try_split_off(&mut self, at: usize) -> Result<Self, Error> {
        let len = self.len;
        assert!(at <= len, "`at` split index (is {at}) should be <= len (is {len})");
        let mut rest = self.try_fresh()?;
        rest.try_reserve_exact(len - at)?;
        self.len = at;
        // SAFETY: within the old length.
        let first = unsafe { self.as_ptr().add(at) };
        // SAFETY: `len - at` initialised elements of another array, which are behind its length
        // now; room was made for as many.
        unsafe { rest.append_from(first, len - at) };
        self.close(len);
        Ok(rest)
    }

    /// [`resize_with`](Self::resize_with), or the error; then `make` was not called.
    ///
    /// # Errors
    ///
    /// As for [`try_reserve`](Self::try_reserve).
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
        // SAFETY: room for as many was made.
        unsafe { self.fill_from(std::iter::repeat_with(make).take(additional)) };
        Ok(())
    }
}

/// The one range check for elements, with the panics that std has for a `Vec`.
#[track_caller]
pub(crate) fn check_range(range: &impl RangeBounds<usize>, len: usize) -> (usize, usize) {
    let end = match range.end_bound() {
        // Less than the length, so one more is a number.
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

/// Panics with what is wrong with a range, by the numbers that the caller gave. (The `end` is one
/// that is not inside, or that a start does not fit to.)
#[cold]
#[inline(never)]
#[track_caller]
fn no_such_range(start: usize, end: usize, len: usize) -> ! {
    assert!(start <= len, "range start index {start} out of range for slice of length {len}");
    assert!(end > len || start <= end, "slice index starts at {start} but ends at {end}");
    panic!("range end index {end} out of range for slice of length {len}")
}

impl<T: Clone> VmVec<T> {
    clone_methods!();

    /// [`resize`](Self::resize), or the error and the value.
    ///
    /// # Errors
    ///
    /// As for [`try_reserve`](Self::try_reserve).
    pub fn try_resize(&mut self, new_len: usize, value: T) -> Result<(), Refused<T>> {
        if new_len <= self.len {
            self.truncate(new_len);
            return Ok(());
        }
        let additional = new_len - self.len;
        if let Err(error) = self.try_reserve(additional) {
            return Err(Refused { error, value });
        }
        // One clone less: the value itself comes last.
        // SAFETY: room for `additional` was made.
        unsafe { self.fill_from((1..additional).map(|_| value.clone())) };
        // SAFETY: as above; one less was used up.
        unsafe { self.write_end(self.len, value) };
        Ok(())
    }

    /// [`extend_from_slice`](Self::extend_from_slice), or the error; then nothing was cloned.
    ///
    /// # Errors
    ///
    /// As for [`try_reserve`](Self::try_reserve).
    pub fn try_extend_from_slice(&mut self, other: &[T]) -> Result<(), Error> {
        self.try_reserve(other.len())?;
        // SAFETY: room for as many was made.
        unsafe { self.fill_from(other.iter().cloned()) };
        Ok(())
    }

    /// [`extend_from_within`](Self::extend_from_within), or the error; then nothing was cloned.
    ///
    /// # Errors
    ///
    /// As for [`try_reserve`](Self::try_reserve).
    ///
    /// # Panics
    ///
    /// If the range ends before it starts, or beyond the length.
    #[track_caller]
    pub fn try_extend_from_within(&mut self, range: impl RangeBounds<usize>) -> Result<(), Error> {
        let (start, end) = check_range(&range, self.len);
        self.try_reserve(end - start)?;
        // SAFETY: within the length.
        let first = unsafe { self.as_ptr().add(start) };
        // SAFETY: initialised, and nothing below the length is written to while the slice is
        // used: `fill_from` writes behind it. Growing does not move elements.
        let from = unsafe { std::slice::from_raw_parts(first, end - start) };
        // SAFETY: room for as many was made.
        unsafe { self.fill_from(from.iter().cloned()) };
        Ok(())
    }
}
