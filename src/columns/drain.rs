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
    /// Its length is the start of the range until the iterator is dropped.
    columns: &'c mut Columns<R>,
    /// The rows not yet yielded. Invariant *left*: they are past the length of the columns, initialised, and used only by
    /// `self`, as are those in `tail..old_len`.
    left: Range<usize>,
    /// The end of the range, where the retained rows begin.
    tail: usize,
    old_len: usize,
}

impl<'c, R: Row> Drain<'c, R> {
    /// Drains `start..end`, which lies within the length.
    pub(super) fn new(columns: &'c mut Columns<R>, start: usize, end: usize) -> Self {
        let old_len = columns.len;
        assert!(start <= end && end <= old_len, "the range is out of bounds");
        // If `self` is leaked, the columns hold no row that was yielded.
        columns.len = start;
        Self { columns, left: start..end, tail: end, old_len }
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
        let Range { start, end } = self.left;
        // SAFETY: the rows in `left` are initialised (*left*), and not written to while `self` is borrowed.
        R::by_slices(unsafe { R::Fields::slices(self.columns.starts, start, end - start) })
    }
}

exact_iterator! {
    [R: Row] Drain<'_, R> => R:
    |rows| rows.left.len(),
    // SAFETY: the row is initialised (*left*), and no longer in `left`, so it is not used again.
    rows.left.next().map(|index| R::from_fields(unsafe { R::Fields::read(rows.columns.starts, index) })),
    // SAFETY: the row is initialised (*left*), and no longer in `left`, so it is not used again.
    rows.left.next_back().map(|index| R::from_fields(unsafe { R::Fields::read(rows.columns.starts, index) }))
}

/// Closes the gap, even if the drop of a row panics.
struct CloseGap<'d, 'c, R: Row>(&'d mut Drain<'c, R>);

impl<R: Row> Drop for CloseGap<'_, '_, R> {
    fn drop(&mut self) {
        let Drain { columns, tail, old_len, .. } = &mut *self.0;
        let (starts, len, count) = (columns.starts, columns.len, *old_len - *tail);
        if len < *tail {
            // SAFETY: the `count` rows from `tail` on are initialised (*left*), and all rows between `len` and `tail`
            // were yielded or dropped, so nothing uses them again.
            unsafe { R::Fields::copy_rows(starts, *tail, starts, len, count) };
        }
        columns.len = len + count;
    }
}

impl<R: Row> Drop for Drain<'_, R> {
    fn drop(&mut self) {
        let (starts, left) = (self.columns.starts, mem::replace(&mut self.left, 0..0));
        let _gap = CloseGap(self);
        // SAFETY: these rows were in `left`, so they are initialised (*left*); it is empty now, so they are not used
        // again.
        unsafe { R::Fields::drop_rows(starts, left.start, left.len()) }
    }
}

debug_left!([R: Row] Drain<'_, R>, "Drain", |rows| rows.left.len());
