//! Calls that move many rows.

#![expect(unsafe_code, reason = "moves rows between columns")]

use super::{Columns, Drain, ExtractIf, Fields, Row};
use crate::error::{Error, or_give_up};
use crate::vec::check_range;
use std::ops::RangeBounds;

impl<R: Row> Columns<R> {
    /// Moves all rows of `other` behind those of `self`; `other` keeps its memory. O(n), one copy of the bytes
    /// of each column; enters the kernel if there is not room already.
    ///
    /// # Panics
    ///
    /// Where [`try_append`](Self::try_append) has an error.
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
        or_give_up(self.try_append(other));
    }

    /// [`append`](Self::append), or the error; then neither has changed.
    ///
    /// # Errors
    ///
    /// As for [`try_reserve`](Self::try_reserve).
    pub fn try_append(&mut self, other: &mut Self) -> Result<(), Error> {
        self.try_reserve(other.len)?;
        // SAFETY: room was made for as many.
        unsafe { self.take_rows(other, 0) };
        Ok(())
    }

    /// Moves the rows of `other` from `first` on behind those of `self`.
    ///
    /// # Safety
    ///
    /// - There is room for as many.
    unsafe fn take_rows(&mut self, other: &mut Self, first: usize) {
        let count = other.len - first;
        debug_assert!(count <= self.capacity() - self.len);
        other.len = first;
        // SAFETY: `count` rows, which are behind the length of `other` now; the caller promises room for as
        // many behind the `len` rows here. Two that are both borrowed mutably are not one.
        unsafe { R::Fields::copy_rows(other.starts, first, self.starts, self.len, count) };
        self.len += count;
    }

    /// Moves the rows from `at` on into columns of their own, which have the same options. O(n - at), one copy of
    /// the bytes of each column; enters the kernel for their memory.
    ///
    /// # Panics
    ///
    /// Where [`try_split_off`](Self::try_split_off) does or has an error.
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
        let len = self.len;
        assert!(at <= len, "`at` split index (is {at}) should be <= len (is {len})");
        let mut rest = self.try_fresh()?;
        rest.try_reserve_exact(len - at)?;
        // SAFETY: room was made for as many.
        unsafe { rest.take_rows(self, at) };
        Ok(rest)
    }

    /// Takes a range of rows out, which the iterator gives; those behind it move down when it is dropped.
    /// O(rows from the start of the range on).
    ///
    /// If the iterator is forgotten, the columns end where the range began, and the rest leaks.
    ///
    /// # Panics
    ///
    /// If the range ends before it starts, or beyond the length.
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

    /// Removes the rows of a range that a predicate names, which may change the others: one by one, as the iterator is
    /// asked for them.
    ///
    /// If the predicate panics, the row that it was called with stays, as do those after it.
    ///
    /// # Panics
    ///
    /// If the range ends before it starts, or beyond the length.
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

    /// Makes the length `new_len`, dropping rows from the end or adding what `make` returns.
    ///
    /// Should `make` panic, the rows that were added before stay.
    ///
    /// # Panics
    ///
    /// Where [`try_resize_with`](Self::try_resize_with) has an error.
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

    /// Removes all but the first of neighbours with equal keys. O(n), one key a row.
    ///
    /// Should `key`, a comparison or a drop panic, the rows that were not looked at are kept.
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
