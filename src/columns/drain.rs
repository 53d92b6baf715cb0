//! [`Drain`]: removes a range of rows.

#![expect(unsafe_code, reason = "reads rows out and closes the gap")]

use super::{Columns, Fields, Row};
use std::mem;
use std::ops::Range;

/// A draining iterator over a range of rows of [`Columns`].
///
/// This struct is created by [`Columns::drain`]. See its documentation for more.
///
/// When it is dropped, the rows after the range move down to close the gap. If it is leaked instead (as by
/// [`mem::forget`]), the columns end where the range began, and the remaining rows leak.
pub struct Drain<'c, R: Row> {
    rows: TakenRows<R, Gap<'c, R>>,
}

/// Rows that were taken out of columns, whose memory `_keeper` keeps.
///
/// Its invariant, *left*: each column has values in `left`, which are past the length of the columns, and used only by
/// `self`. `starts` are those of the columns.
pub(super) struct TakenRows<R: Row, C> {
    starts: <R::Fields as Fields>::Starts,
    left: Range<usize>,
    _keeper: C,
}

/// Columns that end where a range began that is drained. When it is dropped, they get the rows after the range back.
///
/// Its invariant, *gap*: the rows in `tail..old_len` are initialized, past the length of the columns, and used only by
/// `self`. When it is dropped, those between that length and `tail` are not used again.
struct Gap<'c, R: Row> {
    columns: &'c mut Columns<R>,
    tail: usize,
    old_len: usize,
}

impl<R: Row> TakenRows<R, Columns<R>> {
    /// Takes all rows.
    pub(super) fn of(mut columns: Columns<R>) -> Self {
        let left = 0..columns.len;
        columns.len = 0;
        Self { starts: columns.starts, left, _keeper: columns }
    }
}

impl<R: Row, C> TakenRows<R, C> {
    pub(super) fn left(&self) -> usize {
        self.left.len()
    }

    pub(super) fn as_slices(&self) -> R::Slices<'_> {
        let Range { start, end } = self.left;
        // SAFETY: the columns have the rows in `left`, which only `self` uses (*left*). Moving them out or dropping
        // them takes `&mut self`, so they stay while `self` is borrowed.
        R::by_slices(unsafe { R::Fields::slices(self.starts, start, end - start) })
    }

    #[inline]
    pub(super) fn next(&mut self) -> Option<R> {
        let index = self.left.next()?;
        // SAFETY: the row is initialized (*left*), and no longer in `left`, so it is not used again.
        Some(R::from_fields(unsafe { R::Fields::read(self.starts, index) }))
    }

    #[inline]
    pub(super) fn next_back(&mut self) -> Option<R> {
        let index = self.left.next_back()?;
        // SAFETY: the row is initialized (*left*), and no longer in `left`, so it is not used again.
        Some(R::from_fields(unsafe { R::Fields::read(self.starts, index) }))
    }
}

impl<R: Row, C> Drop for TakenRows<R, C> {
    fn drop(&mut self) {
        let left = mem::replace(&mut self.left, 0..0);
        // SAFETY: these rows were in `left`, so they are initialized (*left*); it is empty now, so they are not used
        // again. If a drop panics, `_keeper` is dropped nevertheless.
        unsafe { R::Fields::drop_rows(self.starts, left.start, left.len()) }
    }
}

impl<'c, R: Row> Drain<'c, R> {
    /// Drains `start..end`, which lies within the length.
    pub(super) fn new(columns: &'c mut Columns<R>, start: usize, end: usize) -> Self {
        let (starts, old_len) = (columns.starts, columns.len);
        assert!(start <= end && end <= old_len, "the range is out of bounds");
        // If `self` is leaked, the columns hold no row that was yielded.
        columns.len = start;
        let gap = Gap { columns, tail: end, old_len };
        Self { rows: TakenRows { starts, left: start..end, _keeper: gap } }
    }

    /// Returns the rows not yet yielded, as slices of the same length.
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
        self.rows.as_slices()
    }
}

exact_iterator! {
    [R: Row] Drain<'_, R> => R:
    |drain| drain.rows.left(),
    drain.rows.next(),
    drain.rows.next_back()
}

impl<R: Row> Drop for Gap<'_, R> {
    fn drop(&mut self) {
        let Self { columns, tail, old_len } = self;
        let (starts, len, count) = (columns.starts, columns.len, *old_len - *tail);
        if len < *tail {
            // SAFETY: the `count` rows from `tail` on are initialized, and those between `len` and `tail` are not used
            // again (*gap*). All of them have memory, since they were rows.
            unsafe { R::Fields::copy_rows(starts, starts, *tail, len, count) };
        }
        columns.len = len + count;
    }
}

debug_left!([R: Row] Drain<'_, R>, "Drain", |drain| drain.rows.left());
