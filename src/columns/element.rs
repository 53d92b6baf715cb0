//! Insertion and removal of single rows.

#![expect(unsafe_code, reason = "reads and writes single rows")]

use super::{Columns, Fields, Row};
use crate::error::{Error, Refused, unwrap_or_panic};
use crate::raw_vec::Amount;

impl<R: Row> Columns<R> {
    /// Appends a row. O(1), nothing is moved; enters the kernel if the capacity is used up.
    ///
    /// # Panics
    ///
    /// If there are `max_len` rows, or memory is refused.
    ///
    /// # Examples
    ///
    /// ```
    /// let mut scores = stayput::Columns::new();
    /// scores.push(("Ann", 7));
    /// scores.push(("Ben", 4));
    /// assert_eq!(scores.as_slices(), (&["Ann", "Ben"][..], &[7, 4][..]));
    /// ```
    #[inline]
    #[track_caller]
    pub fn push(&mut self, row: R) {
        self.push_fields(row.into_fields());
    }

    /// Appends the fields of a row. Runs no user code.
    #[inline]
    #[track_caller]
    pub(crate) fn push_fields(&mut self, fields: R::Fields) {
        if self.len == self.capacity() {
            self.grow_by_one_or_panic();
        }
        self.put_last(fields);
    }

    /// Appends the fields of a row. Runs no user code, and panics if the capacity is used up.
    // Inlined, the check is that of the caller.
    #[inline(always)]
    pub(super) fn put_last(&mut self, fields: R::Fields) {
        let len = self.len;
        assert!(len != self.capacity(), "the capacity is used up");
        // SAFETY: the capacity is at least `len`, and was just compared, so each column has memory there (*capacity*),
        // which is not in use past the length.
        unsafe { R::Fields::write(fields, self.starts, len) };
        self.len = len + 1;
    }

    /// Appends a row, or returns the error and the row.
    ///
    /// # Errors
    ///
    /// As for [`try_reserve`](Self::try_reserve).
    ///
    /// # Examples
    ///
    /// ```
    /// use stayput::{Columns, ErrorKind};
    ///
    /// let mut scores = Columns::with_max_len(1);
    /// scores.push(("Ann", 7));
    /// let refused = scores.try_push(("Ben", 4)).unwrap_err();
    /// assert_eq!(refused.error.kind(), ErrorKind::MaxLen);
    /// assert_eq!(refused.value, ("Ben", 4));
    /// ```
    #[inline]
    #[cfg_attr(debug_assertions, track_caller)]
    pub fn try_push(&mut self, row: R) -> Result<(), Refused<R>> {
        let len = self.len;
        if len == self.capacity() {
            if let Err(error) = self.grow_by_one() {
                return Err(Refused { error, value: row });
            }
        }
        self.push_fields(row.into_fields());
        Ok(())
    }

    #[cold]
    #[inline(never)]
    #[cfg_attr(debug_assertions, track_caller)]
    fn grow_by_one(&mut self) -> Result<(), Error> {
        self.grow(1, Amount::AtLeast)
    }

    #[cold]
    #[inline(never)]
    #[track_caller]
    fn grow_by_one_or_panic(&mut self) {
        unwrap_or_panic(self.grow_by_one());
    }

    #[cfg_attr(debug_assertions, track_caller)]
    pub(super) fn grow(&mut self, additional: usize, amount: Amount) -> Result<(), Error> {
        let grown = self.raw.grow(Self::ROW, self.len, additional, amount);
        self.find_starts();
        grown
    }

    /// Appends a row and returns mutable references to its fields.
    ///
    /// # Panics
    ///
    /// As for [`push`](Self::push).
    ///
    /// # Examples
    ///
    /// ```
    /// let mut columns = stayput::Columns::from([(1, 'a')]);
    /// *columns.push_mut((2, 'b')).0 += 5;
    /// assert_eq!(columns.as_slices().0, [1, 7]);
    /// ```
    #[inline]
    #[track_caller]
    #[must_use = "if you don't need a reference to the row, use `push`"]
    pub fn push_mut(&mut self, row: R) -> R::Mut<'_> {
        self.push(row);
        self.last_mut().expect("a row was pushed")
    }

    /// Removes the last row and returns it; `None` if there are no rows. O(1).
    #[inline]
    pub fn pop(&mut self) -> Option<R> {
        self.pop_fields().map(R::from_fields)
    }

    /// Removes the fields of the last row. Runs no user code.
    #[inline]
    pub(crate) fn pop_fields(&mut self) -> Option<R::Fields> {
        self.len = self.len.checked_sub(1)?;
        // SAFETY: the row was below the length, so it is initialized (*rows*), and is past it now, so it is not read
        // again.
        Some(unsafe { R::Fields::read(self.starts, self.len) })
    }

    /// Removes the last row and returns it if the predicate returns `true`. O(1).
    ///
    /// # Examples
    ///
    /// ```
    /// let mut jobs = stayput::Columns::from([(10, "load"), (30, "save")]); // by due time
    /// let now = 25;
    /// assert_eq!(jobs.pop_if(|(due, _)| *due > now), Some((30, "save")));
    /// assert_eq!(jobs.pop_if(|(due, _)| *due > now), None);
    /// ```
    pub fn pop_if(&mut self, predicate: impl FnOnce(R::Mut<'_>) -> bool) -> Option<R> {
        let last = self.last_mut()?;
        if predicate(last) { self.pop() } else { None }
    }

    /// Inserts a row at `index`, and moves the rows after it up by one, column by column. O(n - index); enters the
    /// kernel if the capacity is used up.
    ///
    /// # Panics
    ///
    /// If `index` is past the length, there are `max_len` rows, or memory is refused.
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
        unwrap_or_panic(self.try_insert(index, row));
    }

    /// Inserts a row at `index` and returns mutable references to its fields.
    ///
    /// # Panics
    ///
    /// As for [`insert`](Self::insert).
    ///
    /// # Examples
    ///
    /// ```
    /// let mut columns = stayput::Columns::from([(1, 'a'), (3, 'c')]);
    /// let (number, _) = columns.insert_mut(1, (0, 'b'));
    /// *number += 2;
    /// assert_eq!(columns.as_slices().0, [1, 2, 3]);
    /// ```
    #[track_caller]
    #[must_use = "if you don't need a reference to the row, use `insert`"]
    pub fn insert_mut(&mut self, index: usize, row: R) -> R::Mut<'_> {
        self.insert(index, row);
        self.get_mut(index).expect("a row was inserted there")
    }

    /// Inserts a row as [`insert`](Self::insert) does, or returns the error and the row; then nothing has moved.
    ///
    /// # Errors
    ///
    /// As for [`try_reserve`](Self::try_reserve).
    ///
    /// # Panics
    ///
    /// If `index` is past the length.
    #[track_caller]
    pub fn try_insert(&mut self, index: usize, row: R) -> Result<(), Refused<R>> {
        let len = self.len;
        assert!(index <= len, "insertion index (is {index}) should be <= len (is {len})");
        if let Err(error) = self.try_reserve(1) {
            return Err(Refused { error, value: row });
        }
        // Before anything moves, because this is user code.
        let fields = row.into_fields();
        let starts = self.starts;
        // SAFETY: `index <= len` was checked, so these rows are initialized (*rows*); there is capacity for one more
        // row after them, as just reserved. No user code runs until `len` counts all rows.
        unsafe { R::Fields::copy_rows(starts, starts, index, index + 1, len - index) };
        // SAFETY: `index <= len` is below the capacity, so each column has memory there (*capacity*); the row there has
        // moved up, or there was none.
        unsafe { R::Fields::write(fields, starts, index) };
        self.len = len + 1;
        Ok(())
    }

    /// Removes the row at `index` and returns it, and moves the rows after it down by one, column by column. O(n -
    /// index).
    ///
    /// If the order does not matter, [`swap_remove`](Self::swap_remove) is O(1).
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
        // SAFETY: `index < len` was checked, so the row is initialized (*rows*). It is overwritten, or past the length,
        // before it could be read again: no user code runs until then.
        let fields = unsafe { R::Fields::read(starts, index) };
        // SAFETY: the `last - index` rows after `index` are initialized (*rows*); the row there was just read and is
        // not used again, and the last one is past the length below.
        unsafe { R::Fields::copy_rows(starts, starts, index + 1, index, last - index) };
        self.len = last;
        R::from_fields(fields)
    }

    /// Removes the row at `index` and returns it. The last row takes its place. O(1).
    ///
    /// # Panics
    ///
    /// If `index` is not below the length.
    ///
    /// # Examples
    ///
    /// ```
    /// let mut columns = stayput::Columns::from([(1, 'a'), (2, 'b'), (3, 'c')]);
    /// assert_eq!(columns.swap_remove(0), (1, 'a'));
    /// assert_eq!(columns.as_slices().1, ['c', 'b']);
    /// ```
    #[inline]
    #[track_caller]
    pub fn swap_remove(&mut self, index: usize) -> R {
        R::from_fields(self.swap_remove_fields(index))
    }

    /// Removes the fields of the row at `index`, which the last row replaces. Runs no user code.
    #[inline]
    #[track_caller]
    pub(crate) fn swap_remove_fields(&mut self, index: usize) -> R::Fields {
        let len = self.len;
        assert!(index < len, "swap_remove index (is {index}) should be < len (is {len})");
        let (starts, last) = (self.starts, len - 1);
        // SAFETY: `index < len` was checked, so the row is initialized (*rows*). It is overwritten, or past the length,
        // before it could be read again: no user code runs until then.
        let fields = unsafe { R::Fields::read(starts, index) };
        if index < last {
            // SAFETY: the last row is initialized (*rows*), and its old place is past the length below; the row at
            // `index` was just read and is not used again.
            unsafe { R::Fields::copy_rows(starts, starts, last, index, 1) };
        }
        self.len = last;
        fields
    }

    /// Replaces the row at `index` and returns the old one.
    ///
    /// # Panics
    ///
    /// If `index` is not below the length.
    ///
    /// # Examples
    ///
    /// ```
    /// let mut columns = stayput::Columns::from([(1, 'a'), (2, 'b')]);
    /// assert_eq!(columns.replace(0, (9, 'z')), (1, 'a'));
    /// assert_eq!(columns.as_slices().1, ['z', 'b']);
    /// ```
    #[inline]
    #[track_caller]
    pub fn replace(&mut self, index: usize, row: R) -> R {
        let len = self.len;
        assert!(index < len, "replace index (is {index}) should be < len (is {len})");
        let fields = row.into_fields();
        let over = self.row_mut(index).expect("the index was checked");
        R::from_fields(fields.replace(over))
    }

    /// Swaps two rows.
    ///
    /// # Panics
    ///
    /// If either index is not below the length.
    #[inline]
    #[track_caller]
    pub fn swap(&mut self, a: usize, b: usize) {
        let len = self.len;
        assert!(a < len && b < len, "swap indices (are {a}, {b}) should be < len (is {len})");
        R::Fields::swap(self.fields_mut(..), a, b);
    }

    /// Drops the rows from `len` on, column by column. Memory stays committed. O(n) in the rows dropped.
    pub fn truncate(&mut self, len: usize) {
        let Some(count) = self.len.checked_sub(len) else { return };
        // Before user code runs, so that nothing is dropped twice if a drop panics.
        self.len = len;
        // SAFETY: these `count` rows were below the length, so they are initialized (*rows*), and are past it now, so
        // they are not used again.
        unsafe { R::Fields::drop_rows(self.starts, len, count) }
    }

    /// Drops all rows. Memory stays committed. O(n).
    #[inline]
    pub fn clear(&mut self) {
        self.truncate(0);
    }

    /// Keeps the rows for which `keep` returns `true`, in order, and drops the others.
    ///
    /// If `keep` or a drop panics, the rows not yet visited stay.
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
        let len = self.len;
        let mut sieve = Sieve::new(self, 0, len);
        while sieve.take_next(&mut |row| !keep(row)).is_some() {}
    }
}

/// A pass over rows that removes some of them. Until it is dropped, the columns end where the pass began.
///
/// Its invariant, *places*: rows `..kept` are retained, places `kept..next` are vacant, and rows `next..len` are not visited
/// yet, of which those from `end` on will not be. Retained and unvisited rows are initialized, and those past the length of
/// the columns are used only by `self`.
pub(super) struct Sieve<'c, R: Row> {
    columns: &'c mut Columns<R>,
    kept: usize,
    next: usize,
    end: usize,
    len: usize,
}

impl<'c, R: Row> Sieve<'c, R> {
    /// Starts a pass over `start..end`, which lies within the length.
    pub(super) fn new(columns: &'c mut Columns<R>, start: usize, end: usize) -> Self {
        let len = columns.len;
        assert!(start <= end && end <= len, "the range is out of bounds");
        columns.len = start;
        Self { columns, kept: start, next: start, end, len }
    }

    pub(super) fn left(&self) -> usize {
        self.end - self.next
    }

    /// Removes the next row for which `goes` returns `true`. If `goes` panics, the row stays, and is visited again.
    // Out of line, `retain` takes up to a third more instructions per row.
    #[inline(always)]
    pub(super) fn take_next<F: FnMut(R::Mut<'_>) -> bool>(
        &mut self,
        goes: &mut F,
    ) -> Option<R::Fields> {
        while self.next < self.end {
            let (starts, this) = (self.columns.starts, self.next);
            // SAFETY: the row at `next` is not visited yet, so it is initialized, and nothing else uses it (*places*).
            let is_gone = goes(R::by_mut(unsafe { R::Fields::muts(starts, this) }));
            self.next += 1;
            if is_gone {
                // SAFETY: the row was not visited until now, so it is initialized; it lies before `next` and is not
                // among the `kept`, so its place is vacant, and it is not read again.
                return Some(unsafe { R::Fields::read(starts, this) });
            }
            if self.kept < this {
                // SAFETY: the row at `this` was not visited until now, so it is initialized; the place at `kept`,
                // before it, is vacant (*places*).
                unsafe { R::Fields::copy_rows(starts, starts, this, self.kept, 1) };
            }
            self.kept += 1;
        }
        None
    }
}

impl<R: Row> Drop for Sieve<'_, R> {
    fn drop(&mut self) {
        let (starts, left) = (self.columns.starts, self.len - self.next);
        if left > 0 {
            // SAFETY: the `left` rows from `next` on are initialized, and the places from `kept` up to them are vacant
            // (*places*).
            unsafe { R::Fields::copy_rows(starts, starts, self.next, self.kept, left) };
        }
        self.columns.len = self.kept + left;
    }
}
