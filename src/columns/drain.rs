//! [`Drain`]: takes a range of rows out.

#![expect(unsafe_code, reason = "reads rows out and closes the gap")]

use super::{Columns, Fields, Row};
use std::mem;
use std::ops::Range;

/// An iterator that takes a range of rows out of [`Columns`], made by [`Columns::drain`].
///
/// When it is dropped the rows behind the range move down to close the gap. If it is forgotten instead, the
/// columns end where the range began, and the rest leaks.
pub struct Drain<'c, R: Row> {
    /// Their length is where the range starts.
    columns: &'c mut Columns<R>,
    /// Rows that are still to be given out.
    left: Range<usize>,
    /// Where the range ends, and the rows begin that stay.
    tail: usize,
    old_len: usize,
}

impl<'c, R: Row> Drain<'c, R> {
    /// Takes `start..end` out, which is within the length.
    pub(super) fn new(columns: &'c mut Columns<R>, start: usize, end: usize) -> Self {
        let old_len = columns.len;
        assert!(start <= end && end <= old_len, "a range that was checked");
        // Should `self` be forgotten, no row is seen that was given out.
        columns.len = start;
        Self { columns, left: start..end, tail: end, old_len }
    }

    /// The rows still to be given out, as slices of the same length.
    ///
    /// # Examples
    ///
    /// ```
    /// let mut columns = stayput::Columns::from([(1, 'a'), (2, 'b'), (3, 'c')]);
    /// let mut drain = columns.drain(..);
    /// drain.next();
    /// assert_eq!(drain.as_slices(), (&[2, 3][..], &['b', 'c'][..]));
    /// ```
    pub fn as_slices(&self) -> R::Slices<'_> {
        let Range { start, end } = self.left;
        // SAFETY: rows that were not given out; `&self` keeps them so.
        R::by_slices(unsafe { R::Fields::slices(self.columns.starts, start, end - start) })
    }
}

exact_iterator! {
    [R: Row] Drain<'_, R> => R:
    |rows| rows.left.len(),
    // SAFETY: a row that nobody reads again, since its index was just taken out.
    rows.left.next().map(|index| R::from_fields(unsafe { R::Fields::read(rows.columns.starts, index) })),
    // SAFETY: a row that nobody reads again, since its index was just taken out.
    rows.left.next_back().map(|index| R::from_fields(unsafe { R::Fields::read(rows.columns.starts, index) }))
}

/// Closes the gap, also when the drop of a row panics.
struct CloseGap<'d, 'c, R: Row>(&'d mut Drain<'c, R>);

impl<R: Row> Drop for CloseGap<'_, '_, R> {
    fn drop(&mut self) {
        let Drain { columns, tail, old_len, .. } = &mut *self.0;
        let (starts, len, count) = (columns.starts, columns.len, *old_len - *tail);
        if len < *tail {
            // SAFETY: `count` rows end at the old length; all between `len` and `tail` are given out or dropped.
            unsafe { R::Fields::copy_rows(starts, *tail, starts, len, count) };
        }
        columns.len = len + count;
    }
}

impl<R: Row> Drop for Drain<'_, R> {
    fn drop(&mut self) {
        let (starts, left) = (self.columns.starts, mem::replace(&mut self.left, 0..0));
        let _gap = CloseGap(self);
        // SAFETY: rows that were not given out, and will not be.
        unsafe { R::Fields::drop_rows(starts, left.start, left.len()) }
    }
}

debug_left!([R: Row] Drain<'_, R>, "Drain", |rows| rows.left.len());
