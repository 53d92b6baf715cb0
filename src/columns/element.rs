//! Putting rows in, and taking them out.

#![expect(unsafe_code, reason = "reads and writes single rows")]

use super::{Columns, Fields, Row};
use crate::error::{Error, Refused, or_give_up};
use crate::raw_vec::Amount;

impl<R: Row> Columns<R> {
    /// Appends a row. O(1), no copy; enters the kernel if capacity is used up.
    ///
    /// # Panics
    ///
    /// If there are `max_len` rows, or the system refuses memory.
    #[inline]
    #[track_caller]
    pub fn push(&mut self, row: R) {
        self.push_fields(row.into_fields());
    }

    /// The same of a row that was taken apart already: runs no user code.
    #[inline]
    #[track_caller]
    pub(crate) fn push_fields(&mut self, fields: R::Fields) {
        let len = self.len;
        if len == self.capacity() {
            self.grow_by_one_or_give_up();
        }
        // SAFETY: there is room for one more behind the `len` rows.
        unsafe { fields.write(self.starts, len) };
        self.len = len + 1;
    }

    /// [`push`](Self::push), or the error and the row.
    ///
    /// # Errors
    ///
    /// As for [`try_reserve`](Self::try_reserve).
    #[inline]
    pub fn try_push(&mut self, row: R) -> Result<(), Refused<R>> {
        let len = self.len;
        if len == self.capacity() {
            if let Err(error) = self.grow_by_one() {
                return Err(Refused { error, value: row });
            }
        }
        let fields = row.into_fields();
        // SAFETY: there is room for one more behind the `len` rows.
        unsafe { fields.write(self.starts, len) };
        self.len = len + 1;
        Ok(())
    }

    #[cold]
    #[inline(never)]
    fn grow_by_one(&mut self) -> Result<(), Error> {
        self.grow(1, Amount::AtLeast)
    }

    #[cold]
    #[inline(never)]
    #[track_caller]
    fn grow_by_one_or_give_up(&mut self) {
        or_give_up(self.grow_by_one());
    }

    /// Makes room for `additional` rows more.
    pub(super) fn grow(&mut self, additional: usize, amount: Amount) -> Result<(), Error> {
        let grown = self.raw.grow(Self::ROW, self.len, additional, amount);
        self.find_starts();
        grown
    }

    /// Takes the last row out. O(1).
    #[inline]
    pub fn pop(&mut self) -> Option<R> {
        self.pop_fields().map(R::from_fields)
    }

    /// The same, which is not put together yet: runs no user code.
    #[inline]
    pub(crate) fn pop_fields(&mut self) -> Option<R::Fields> {
        self.len = self.len.checked_sub(1)?;
        // SAFETY: it was a row, and is behind the length now, so nobody reads it again.
        Some(unsafe { R::Fields::read(self.starts, self.len) })
    }

    /// Takes the last row out if the predicate says so. O(1).
    pub fn pop_if(&mut self, predicate: impl FnOnce(R::Mut<'_>) -> bool) -> Option<R> {
        let last = self.last_mut()?;
        if predicate(last) { self.pop() } else { None }
    }

    /// Inserts a row at `index`, moving those behind it up by one, column by column. O(n - index); enters the
    /// kernel if capacity is used up.
    ///
    /// # Panics
    ///
    /// If `index` is beyond the length, there are `max_len` rows, or the system refuses memory.
    ///
    /// # Examples
    ///
    /// ```
    /// let mut columns = stayput::Columns::from([(1, 'a'), (3, 'c')]);
    /// columns.insert(1, (2, 'b'));
    /// assert_eq!(columns.as_slices(), (&[1, 2, 3][..], &['a', 'b', 'c'][..]));
    /// ```
    #[track_caller]
    pub fn insert(&mut self, index: usize, row: R) {
        or_give_up(self.try_insert(index, row));
    }

    /// [`insert`](Self::insert), or the error and the row; then nothing has moved.
    ///
    /// # Errors
    ///
    /// As for [`try_reserve`](Self::try_reserve).
    ///
    /// # Panics
    ///
    /// If `index` is beyond the length.
    #[track_caller]
    pub fn try_insert(&mut self, index: usize, row: R) -> Result<(), Refused<R>> {
        let len = self.len;
        assert!(index <= len, "insertion index (is {index}) should be <= len (is {len})");
        if let Err(error) = self.try_reserve(1) {
            return Err(Refused { error, value: row });
        }
        // Before anything moves, for it is user code.
        let fields = row.into_fields();
        let starts = self.starts;
        // SAFETY: the rows from `index` on, and there is room for one more behind them.
        unsafe { R::Fields::copy_rows(starts, index, starts, index + 1, len - index) };
        // SAFETY: what was there has moved up, or it is behind the last row.
        unsafe { fields.write(starts, index) };
        self.len = len + 1;
        Ok(())
    }

    /// Takes the row at `index` out, moving those behind it down by one, column by column. O(n - index).
    ///
    /// Where order is no matter, [`swap_remove`](Self::swap_remove) is O(1).
    ///
    /// # Panics
    ///
    /// If `index` is not below the length.
    ///
    /// # Examples
    ///
    /// ```
    /// let mut columns = stayput::Columns::from([(1, 'a'), (2, 'b'), (3, 'c')]);
    /// assert_eq!(columns.remove(0), (1, 'a'));
    /// assert_eq!(columns.as_slices().0, [2, 3]);
    /// ```
    #[track_caller]
    pub fn remove(&mut self, index: usize) -> R {
        let len = self.len;
        assert!(index < len, "removal index (is {index}) should be < len (is {len})");
        let (starts, last) = (self.starts, len - 1);
        // SAFETY: within the length. It is overwritten, or behind the length, before anybody reads it again:
        // no user code runs until then.
        let fields = unsafe { R::Fields::read(starts, index) };
        // SAFETY: the rows behind it; the place of the one that was read is free.
        unsafe { R::Fields::copy_rows(starts, index + 1, starts, index, last - index) };
        self.len = last;
        R::from_fields(fields)
    }

    /// Takes the row at `index` out, and puts the last one in its place. O(1).
    ///
    /// # Panics
    ///
    /// If `index` is not below the length.
    #[inline]
    #[track_caller]
    pub fn swap_remove(&mut self, index: usize) -> R {
        R::from_fields(self.swap_remove_fields(index))
    }

    /// The same, which is not put together yet: runs no user code.
    #[inline]
    #[track_caller]
    pub(crate) fn swap_remove_fields(&mut self, index: usize) -> R::Fields {
        let len = self.len;
        assert!(index < len, "swap_remove index (is {index}) should be < len (is {len})");
        let last = len - 1;
        // SAFETY: within the length. It is overwritten, or behind the length, before anybody reads it again:
        // no user code runs until then.
        let fields = unsafe { R::Fields::read(self.starts, index) };
        if index < last {
            // SAFETY: the last row is not used by its old place, which is behind the length now; that of the
            // one that was read is free.
            unsafe { R::Fields::copy(self.starts, last, index) };
        }
        self.len = last;
        fields
    }

    /// Puts a row in the place of the one at `index`, and gives that.
    ///
    /// # Panics
    ///
    /// If `index` is not below the length.
    #[inline]
    #[track_caller]
    pub fn replace(&mut self, index: usize, row: R) -> R {
        let len = self.len;
        assert!(index < len, "replace index (is {index}) should be < len (is {len})");
        let fields = row.into_fields();
        // SAFETY: within the length; overwritten before anybody reads it again.
        let old = unsafe { R::Fields::read(self.starts, index) };
        // SAFETY: what was there was taken out.
        unsafe { fields.write(self.starts, index) };
        R::from_fields(old)
    }

    /// Exchanges two rows.
    ///
    /// # Panics
    ///
    /// If either index is not below the length.
    #[inline]
    #[track_caller]
    pub fn swap(&mut self, a: usize, b: usize) {
        let len = self.len;
        assert!(a < len && b < len, "swap indices (are {a}, {b}) should be < len (is {len})");
        // SAFETY: both within the length; `self` is borrowed mutably.
        unsafe { R::Fields::swap(self.starts, a, b) }
    }

    /// Drops the rows from `len` on, column by column. The memory stays. O(number dropped).
    pub fn truncate(&mut self, len: usize) {
        let Some(count) = self.len.checked_sub(len) else { return };
        // Before user code runs: should a drop panic, nothing is dropped twice.
        self.len = len;
        // SAFETY: `count` rows that are behind the length now, so nobody reaches them again.
        unsafe { R::Fields::drop_rows(self.starts, len, count) }
    }

    /// Drops all rows. The memory stays. O(n).
    #[inline]
    pub fn clear(&mut self) {
        self.truncate(0);
    }

    /// Keeps the rows of which `keep` says so, in their order, and drops the others.
    ///
    /// Should `keep`, or a drop, panic, the rows that were not looked at are kept.
    ///
    /// # Examples
    ///
    /// ```
    /// let mut columns: stayput::Columns<(u32, char)> =
    ///     [(1, 'a'), (2, 'b'), (3, 'c')].into_iter().collect();
    /// columns.retain(|(number, _)| *number != 2);
    /// assert_eq!(columns.as_slices().1, ['a', 'c']);
    /// ```
    pub fn retain(&mut self, mut keep: impl FnMut(R::Mut<'_>) -> bool) {
        let mut sieve = Sieve { len: self.len, columns: self, next: 0, kept: 0 };
        sieve.columns.len = 0;
        while sieve.next < sieve.len {
            let starts = sieve.columns.starts;
            // SAFETY: a row that was not looked at: nobody else has a reference to it, since the length is 0.
            let row = R::by_mut(unsafe { R::Fields::muts(starts, sieve.next) });
            let is_kept = keep(row);
            let this = sieve.next;
            sieve.next += 1;
            if !is_kept {
                // SAFETY: a row that nobody looks at again.
                unsafe { R::Fields::drop_rows(starts, this, 1) };
                continue;
            }
            if sieve.kept < this {
                // SAFETY: the row at `kept` was dropped, or has moved to the front.
                unsafe { R::Fields::copy(starts, this, sieve.kept) };
            }
            sieve.kept += 1;
        }
    }
}

/// Rows that are gone through, some of which are dropped: the first `kept` are rows, then come places of
/// which nobody has a use, then from `next` to `len` rows again. The columns have no length meanwhile.
struct Sieve<'c, R: Row> {
    columns: &'c mut Columns<R>,
    len: usize,
    next: usize,
    kept: usize,
}

impl<R: Row> Drop for Sieve<'_, R> {
    fn drop(&mut self) {
        let (starts, left) = (self.columns.starts, self.len - self.next);
        if left > 0 {
            // SAFETY: `left` rows; nobody has a use for the places between `kept` and them.
            unsafe { R::Fields::copy_rows(starts, self.next, starts, self.kept, left) };
        }
        self.columns.len = self.kept + left;
    }
}
