//! Operations on many elements.

#![forbid(unsafe_code)]

use super::raw::DrainRange;
use super::{BlockVec, Drain, ExtractIf, GrowOnlyBlockVec};
use crate::container::{clone_methods, vec_methods};
use crate::error::{Error, Refused};
use crate::vec::check_range;
use std::iter;
use std::ops::RangeBounds;

impl<T> BlockVec<T> {
    vec_methods!("BlockVec", GrowOnlyBlockVec, Drain, ExtractIf);

    fn cut(&mut self, start: usize, end: usize) -> DrainRange<'_, T> {
        DrainRange::new(&mut self.raw, start, end)
    }

    /// Removes consecutive elements for which `same(later, first)` returns `true`, except the first of each group.
    /// O(n).
    ///
    /// If `same` or a drop panics, elements that were not visited stay.
    ///
    /// # Examples
    ///
    /// ```
    /// let mut words = stayput::BlockVec::from(["foo", "bar", "Bar", "baz", "bar"]);
    /// words.dedup_by(|later, first| later.eq_ignore_ascii_case(first));
    /// assert_eq!(words, ["foo", "bar", "baz", "bar"]);
    /// ```
    pub fn dedup_by(&mut self, same: impl FnMut(&mut T, &mut T) -> bool) {
        let len = self.len();
        self.cut(0, len).dedup_by(same);
    }

    /// Like [`append`](Self::append), but returns an error instead of panicking. After an error neither array has
    /// changed.
    ///
    /// # Errors
    ///
    /// As for [`try_reserve`](Self::try_reserve).
    pub fn try_append(&mut self, other: &mut Self) -> Result<(), Error> {
        self.try_reserve(other.len())?;
        self.raw.append_tail(&mut other.raw, 0);
        Ok(())
    }

    /// Like [`append_vec`](Self::append_vec), but returns an error instead of panicking. After an error neither array
    /// has changed.
    ///
    /// # Errors
    ///
    /// As for [`try_reserve`](Self::try_reserve).
    pub fn try_append_vec(&mut self, other: &mut Vec<T>) -> Result<(), Error> {
        self.try_reserve(other.len())?;
        self.raw.append_vec(other);
        Ok(())
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
        let len = self.len();
        assert!(at <= len, "`at` split index (is {at}) should be <= len (is {len})");
        let mut rest = Self { raw: self.raw.fresh() };
        rest.try_reserve(len - at)?;
        rest.raw.append_tail(&mut self.raw, at);
        Ok(rest)
    }

    /// Like [`resize_with`](Self::resize_with), but returns an error instead of panicking. After an error `make` was
    /// not called.
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
    clone_methods!("BlockVec");

    /// Resizes the array like [`resize`](Self::resize), or returns the error and the value.
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
        // Appends the value itself last, which saves a clone.
        self.fill((1..additional).map(|_| value.clone()));
        self.try_push(value)
    }

    /// Like [`extend_from_slice`](Self::extend_from_slice), but returns an error instead of panicking. After an error
    /// nothing was cloned.
    ///
    /// # Errors
    ///
    /// As for [`try_reserve`](Self::try_reserve).
    pub fn try_extend_from_slice(&mut self, other: &[T]) -> Result<(), Error> {
        self.try_reserve(other.len())?;
        self.fill_from_slice(other);
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
        let (start, end) = check_range(&range, self.len());
        self.try_reserve(end - start)?;
        for index in start..end {
            let clone = self[index].clone();
            self.push(clone);
        }
        Ok(())
    }

    /// Appends clones of the elements of `other` from `start` on.
    pub(super) fn try_extend_from_runs(&mut self, other: &Self, start: usize) -> Result<(), Error> {
        let mut runs = other.runs(start);
        self.try_reserve(runs.len())?;
        while let Some(run) = runs.next() {
            self.fill_from_slice(run);
        }
        Ok(())
    }

    /// Appends clones of the elements of a slice, for which there is capacity.
    fn fill_from_slice(&mut self, mut other: &[T]) {
        while !other.is_empty() {
            let (now, later) = other.split_at(other.len().min(self.raw.room()));
            self.raw.fill_block(&mut now.iter().cloned());
            other = later;
        }
    }
}
