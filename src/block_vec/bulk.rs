//! Calls that look at many elements, and move or remove some.

#![forbid(unsafe_code)]

use super::raw::Cut;
use super::{BlockVec, Drain, ExtractIf, or_give_up};
use crate::error::{Error, Refused};
use crate::vec::check_range;
use std::iter;
use std::ops::RangeBounds;

impl<T> BlockVec<T> {
    /// Keeps only the elements that the predicate names, in their order. O(n).
    ///
    /// If the predicate or a drop panics, what was not looked at stays.
    pub fn retain(&mut self, mut keep: impl FnMut(&T) -> bool) {
        self.retain_mut(|element| keep(element));
    }

    /// Keeps only the elements that the predicate names, which may change them. O(n).
    ///
    /// If the predicate or a drop panics, what was not looked at stays.
    pub fn retain_mut(&mut self, mut keep: impl FnMut(&mut T) -> bool) {
        // Up to the first that goes, nothing has to move.
        let Some(gone) = self.iter_mut().position(|element| !keep(element)) else { return };
        let len = self.len();
        let mut cut = Cut::new(&mut self.raw, gone, len);
        drop(cut.next());
        while let Some(element) = cut.peek() {
            if keep(element) {
                cut.keep();
            } else {
                drop(cut.next());
            }
        }
    }

    /// Removes all but the first of neighbours for which `same(later, first)` holds. O(n).
    ///
    /// If `same` or a drop panics, what was not looked at stays.
    pub fn dedup_by(&mut self, mut same: impl FnMut(&mut T, &mut T) -> bool) {
        let len = self.len();
        let mut cut = Cut::new(&mut self.raw, 0, len);
        cut.keep();
        while let Some((last, next)) = cut.pair() {
            if same(next, last) {
                drop(cut.next());
            } else {
                cut.keep();
            }
        }
    }

    /// Removes all but the first of neighbours with equal keys. O(n).
    pub fn dedup_by_key<K: PartialEq>(&mut self, mut key: impl FnMut(&mut T) -> K) {
        self.dedup_by(|a, b| key(a) == key(b));
    }

    /// Removes all but the first of equal neighbours. O(n).
    pub fn dedup(&mut self)
    where
        T: PartialEq,
    {
        self.dedup_by(|a, b| a == b);
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
    /// let mut numbers = stayput::BlockVec::from([1, 2, 3, 4]);
    /// assert!(numbers.drain(1..3).eq([2, 3]));
    /// assert_eq!(numbers, [1, 4]);
    /// ```
    #[track_caller]
    pub fn drain(&mut self, range: impl RangeBounds<usize>) -> Drain<'_, T> {
        let (start, end) = check_range(&range, self.len());
        Drain::new(Cut::new(&mut self.raw, start, end))
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
    /// let mut numbers = stayput::BlockVec::from([1, 2, 3, 4, 5]);
    /// assert!(numbers.extract_if(.., |n| *n % 2 == 0).eq([2, 4]));
    /// assert_eq!(numbers, [1, 3, 5]);
    /// ```
    #[track_caller]
    pub fn extract_if<F: FnMut(&mut T) -> bool>(
        &mut self,
        range: impl RangeBounds<usize>,
        predicate: F,
    ) -> ExtractIf<'_, T, F> {
        let (start, end) = check_range(&range, self.len());
        ExtractIf::new(Cut::new(&mut self.raw, start, end), predicate)
    }

    /// Moves all elements of `other` behind those of `self`; `other` keeps its memory. O(n), one
    /// copy of the bytes.
    ///
    /// # Panics
    ///
    /// Where [`try_append`](Self::try_append) has an error.
    #[track_caller]
    pub fn append(&mut self, other: &mut Self) {
        or_give_up(self.try_append(other));
    }

    /// [`append`](Self::append), or the error; then neither array has changed.
    ///
    /// # Errors
    ///
    /// As for [`try_reserve`](Self::try_reserve).
    pub fn try_append(&mut self, other: &mut Self) -> Result<(), Error> {
        self.try_reserve(other.len())?;
        self.raw.append_tail(&mut other.raw, 0);
        Ok(())
    }

    /// [`append`](Self::append) for a `Vec` of std. O(n), one copy of the bytes.
    ///
    /// # Panics
    ///
    /// Where [`try_append_vec`](Self::try_append_vec) has an error.
    ///
    /// # Examples
    ///
    /// ```
    /// let mut all = stayput::BlockVec::from([1]);
    /// let mut more = vec![2, 3];
    /// all.append_vec(&mut more);
    /// assert_eq!(all, [1, 2, 3]);
    /// assert!(more.is_empty());
    /// ```
    #[track_caller]
    pub fn append_vec(&mut self, other: &mut Vec<T>) {
        or_give_up(self.try_append_vec(other));
    }

    /// [`append_vec`](Self::append_vec), or the error; then neither array has changed.
    ///
    /// # Errors
    ///
    /// As for [`try_reserve`](Self::try_reserve).
    pub fn try_append_vec(&mut self, other: &mut Vec<T>) -> Result<(), Error> {
        self.try_reserve(other.len())?;
        self.raw.append_vec(other);
        Ok(())
    }

    /// Moves the elements from `at` on into an array of their own, which has the same options.
    /// O(n - at), one copy of the bytes.
    ///
    /// # Panics
    ///
    /// Where [`try_split_off`](Self::try_split_off) does or has an error.
    #[must_use = "use `truncate` if you don't need the other half"]
    #[track_caller]
    pub fn split_off(&mut self, at: usize) -> Self {
        or_give_up(self.try_split_off(at))
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
        let len = self.len();
        assert!(at <= len, "`at` split index (is {at}) should be <= len (is {len})");
        let mut rest = Self { raw: self.raw.fresh() };
        rest.try_reserve(len - at)?;
        rest.raw.append_tail(&mut self.raw, at);
        Ok(rest)
    }

    /// Makes the length `new_len`, dropping elements from the end or adding what `make` returns.
    ///
    /// # Panics
    ///
    /// Where [`try_resize_with`](Self::try_resize_with) has an error.
    #[track_caller]
    pub fn resize_with(&mut self, new_len: usize, make: impl FnMut() -> T) {
        or_give_up(self.try_resize_with(new_len, make));
    }

    /// [`resize_with`](Self::resize_with), or the error; then `make` was not called.
    ///
    /// # Errors
    ///
    /// As for [`try_reserve`](Self::try_reserve).
    pub fn try_resize_with(
        &mut self,
        new_len: usize,
        mut make: impl FnMut() -> T,
    ) -> Result<(), Error> {
        let Some(additional) = new_len.checked_sub(self.len()) else {
            self.truncate(new_len);
            return Ok(());
        };
        self.try_reserve(additional)?;
        self.fill(iter::repeat_with(&mut make).take(additional));
        Ok(())
    }
}

impl<T: Clone> BlockVec<T> {
    /// Makes the length `new_len`, dropping elements from the end or adding clones of `value`.
    ///
    /// # Panics
    ///
    /// Where [`try_resize`](Self::try_resize) has an error.
    #[track_caller]
    pub fn resize(&mut self, new_len: usize, value: T) {
        or_give_up(self.try_resize(new_len, value));
    }

    /// [`resize`](Self::resize), or the error and the value.
    ///
    /// # Errors
    ///
    /// As for [`try_reserve`](Self::try_reserve).
    pub fn try_resize(&mut self, new_len: usize, value: T) -> Result<(), Refused<T>> {
        if new_len <= self.len() {
            self.truncate(new_len);
            return Ok(());
        }
        let additional = new_len - self.len();
        if let Err(error) = self.try_reserve(additional) {
            return Err(Refused { error, value });
        }
        // One clone less: the value itself comes last.
        self.fill((1..additional).map(|_| value.clone()));
        self.try_push(value)
    }

    /// Appends clones of all elements of a slice.
    ///
    /// # Panics
    ///
    /// Where [`try_extend_from_slice`](Self::try_extend_from_slice) has an error.
    #[track_caller]
    pub fn extend_from_slice(&mut self, other: &[T]) {
        or_give_up(self.try_extend_from_slice(other));
    }

    /// [`extend_from_slice`](Self::extend_from_slice), or the error; then nothing was cloned.
    ///
    /// # Errors
    ///
    /// As for [`try_reserve`](Self::try_reserve).
    pub fn try_extend_from_slice(&mut self, other: &[T]) -> Result<(), Error> {
        self.try_reserve(other.len())?;
        self.fill_from_slice(other);
        Ok(())
    }

    /// Appends clones of a range of the array's own elements.
    ///
    /// # Panics
    ///
    /// Where [`try_extend_from_within`](Self::try_extend_from_within) does or has an error.
    #[track_caller]
    pub fn extend_from_within(&mut self, range: impl RangeBounds<usize>) {
        or_give_up(self.try_extend_from_within(range));
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
        let (start, end) = check_range(&range, self.len());
        self.try_reserve(end - start)?;
        for index in start..end {
            let clone = self[index].clone();
            self.push(clone);
        }
        Ok(())
    }

    /// Appends clones of all elements of another from `start` on.
    pub(super) fn try_extend_from_runs(&mut self, other: &Self, start: usize) -> Result<(), Error> {
        let mut runs = other.runs(start);
        self.try_reserve(runs.len())?;
        while let Some(run) = runs.next() {
            self.fill_from_slice(run);
        }
        Ok(())
    }

    /// Appends clones of a slice, for which there is room.
    fn fill_from_slice(&mut self, mut other: &[T]) {
        while !other.is_empty() {
            let (now, later) = other.split_at(other.len().min(self.raw.room()));
            self.raw.fill_block(now.iter().cloned());
            other = later;
        }
    }
}
