//! Methods that move many rows.

#![expect(unsafe_code, reason = "moves rows between columns")]

use super::{Columns, Drain, ExtractIf, Fields, Row};
use crate::error::{Error, unwrap_or_panic};
use crate::vec::check_range;
use std::ops::RangeBounds;

impl<R: Row> Columns<R> {
    /// Moves all rows of `other` to the end of `self`; `other` keeps its memory. O(n), one copy of the bytes of each
    /// column; enters the kernel if the capacity does not suffice.
    ///
    /// # Panics
    ///
    /// If [`try_append`](Self::try_append) returns an error.
    ///
    /// # Examples
    ///
    /// ```
    /// let mut columns = stayput::Columns::from([(1, 'a')]);
    /// let mut more = stayput::Columns::from([(2, 'b'), (3, 'c')]);
    /// columns.append(&mut more);
    /// assert_eq!(columns.as_slices().1, ['a', 'b', 'c']);
    /// assert!(more.is_empty());
    /// ```
    #[track_caller]
    pub fn append(&mut self, other: &mut Self) {
        unwrap_or_panic(self.try_append(other));
    }

    /// Moves all rows as [`append`](Self::append) does, or returns the error; then neither has changed.
    ///
    /// # Errors
    ///
    /// As for [`try_reserve`](Self::try_reserve).
    pub fn try_append(&mut self, other: &mut Self) -> Result<(), Error> {
        self.try_reserve(other.len)?;
        self.take_rows(other, 0);
        Ok(())
    }

    /// Moves the rows of `other` from `first` on to the end of `self`, for which memory was reserved.
    fn take_rows(&mut self, other: &mut Self, first: usize) {
        assert!(first <= other.len, "the rows are out of bounds");
        let count = other.len - first;
        assert!(count <= self.capacity() - self.len, "too little capacity for the rows");
        other.len = first;
        // SAFETY: the `count` rows are initialized (*rows*), and past the length of `other` now, so it does not use
        // them again; there is capacity for them past the length of `self`, as asserted above. Both are mutably
        // borrowed, so they are different columns.
        unsafe { R::Fields::copy_rows(other.starts, self.starts, first, self.len, count) };
        self.len += count;
    }

    /// Moves the rows from `at` on to new columns with the same options. O(n - at), one copy of the bytes of each
    /// column; enters the kernel for their memory.
    ///
    /// # Panics
    ///
    /// If `at` is past the length, or [`try_split_off`](Self::try_split_off) returns an error.
    ///
    /// # Examples
    ///
    /// ```
    /// let mut columns = stayput::Columns::from([(1, 'a'), (2, 'b'), (3, 'c')]);
    /// let rest = columns.split_off(1);
    /// assert_eq!((columns.as_slices().1, rest.as_slices().1), (&['a'][..], &['b', 'c'][..]));
    /// ```
    #[must_use = "use `truncate` if you don't need the other rows"]
    #[track_caller]
    pub fn split_off(&mut self, at: usize) -> Self {
        unwrap_or_panic(self.try_split_off(at))
    }

    /// Splits the columns as [`split_off`](Self::split_off) does, or returns the error; then nothing has changed.
    ///
    /// # Errors
    ///
    /// As for [`try_reserve`](Self::try_reserve).
    ///
    /// # Panics
    ///
    /// If `at` is past the length.
    #[track_caller]
    pub fn try_split_off(&mut self, at: usize) -> Result<Self, Error> {
        let len = self.len;
        assert!(at <= len, "`at` split index (is {at}) should be <= len (is {len})");
        let mut rest = self.try_fresh()?;
        rest.try_reserve_exact(len - at)?;
        rest.take_rows(self, at);
        Ok(rest)
    }

    /// Removes a range of rows and returns them as an iterator. The rows after the range move down when the iterator is
    /// dropped. O(n) in the rows from the start of the range.
    ///
    /// If the iterator is leaked, the columns end where the range began, and the remaining rows leak.
    ///
    /// # Panics
    ///
    /// If the range ends before it starts, or past the length.
    ///
    /// # Examples
    ///
    /// ```
    /// let mut columns = stayput::Columns::from([(1, 'a'), (2, 'b'), (3, 'c'), (4, 'd')]);
    /// assert!(columns.drain(1..3).eq([(2, 'b'), (3, 'c')]));
    /// assert_eq!(columns.as_slices().0, [1, 4]);
    /// ```
    #[track_caller]
    pub fn drain(&mut self, range: impl RangeBounds<usize>) -> Drain<'_, R> {
        let (start, end) = check_range(&range, self.len);
        Drain::new(self, start, end)
    }

    /// Returns an iterator that removes those rows of a range for which a predicate returns `true`. The predicate may
    /// change the others.
    ///
    /// If the predicate panics, the row that it was called with stays, as do those after it.
    ///
    /// # Panics
    ///
    /// If the range ends before it starts, or past the length.
    ///
    /// # Examples
    ///
    /// ```
    /// let mut columns = stayput::Columns::from([(1, 'a'), (2, 'b'), (3, 'c'), (4, 'd')]);
    /// assert!(columns.extract_if(1.., |(n, _)| *n % 2 == 0).eq([(2, 'b'), (4, 'd')]));
    /// assert_eq!(columns.as_slices().1, ['a', 'c']);
    /// ```
    #[track_caller]
    pub fn extract_if<F: FnMut(R::Mut<'_>) -> bool>(
        &mut self,
        range: impl RangeBounds<usize>,
        predicate: F,
    ) -> ExtractIf<'_, R, F> {
        let (start, end) = check_range(&range, self.len());
        ExtractIf::new(self, start, end, predicate)
    }

    /// Changes the length to `new_len`: drops rows from the end, or appends what `make` returns.
    ///
    /// If `make` panics, the rows appended before stay.
    ///
    /// # Panics
    ///
    /// If [`try_resize_with`](Self::try_resize_with) returns an error.
    ///
    /// # Examples
    ///
    /// ```
    /// let mut columns = stayput::Columns::from([(1, 'a')]);
    /// columns.resize_with(3, || (0, ' '));
    /// assert_eq!(columns.as_slices().0, [1, 0, 0]);
    /// ```
    #[track_caller]
    pub fn resize_with(&mut self, new_len: usize, make: impl FnMut() -> R) {
        unwrap_or_panic(self.try_resize_with(new_len, make));
    }

    /// Resizes as [`resize_with`](Self::resize_with) does, or returns the error; then `make` was not called.
    ///
    /// # Errors
    ///
    /// As for [`try_reserve`](Self::try_reserve).
    pub fn try_resize_with(
        &mut self,
        new_len: usize,
        mut make: impl FnMut() -> R,
    ) -> Result<(), Error> {
        let Some(additional) = new_len.checked_sub(self.len) else {
            self.truncate(new_len);
            return Ok(());
        };
        self.try_reserve(additional)?;
        for _ in 0..additional {
            self.push(make());
        }
        Ok(())
    }

    /// Removes all but the first of consecutive rows with equal keys. O(n), with one call of `key` per row.
    ///
    /// If `key`, a comparison or a drop panics, the rows not yet visited stay.
    ///
    /// # Examples
    ///
    /// ```
    /// let mut columns = stayput::Columns::from([(1, 'a'), (1, 'b'), (2, 'c'), (1, 'd')]);
    /// columns.dedup_by_key(|(number, _)| *number);
    /// assert_eq!(columns.as_slices().1, ['a', 'c', 'd']);
    /// ```
    pub fn dedup_by_key<K: PartialEq>(&mut self, mut key: impl FnMut(R::Mut<'_>) -> K) {
        let mut last = None;
        self.retain(|row| {
            let this = Some(key(row));
            let is_kept = this != last;
            if is_kept {
                last = this;
            }
            is_kept
        });
    }
}
