//! Calls that look at many elements, and move or remove some.

#![forbid(unsafe_code)]

use super::raw::Cut;
use super::{BlockVec, Drain, ExtractIf, GrowOnlyBlockVec};
use crate::container::{clone_methods, vec_methods};
use crate::error::{Error, Refused};
use crate::vec::check_range;
use std::iter;
use std::ops::RangeBounds;

impl<T> BlockVec<T> {
    vec_methods!("BlockVec", GrowOnlyBlockVec);

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
    clone_methods!();

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
