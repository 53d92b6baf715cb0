//! [`IntoIter`]: rows taken out one by one, from both ends.

#![expect(unsafe_code, reason = "reads rows out of columns")]

use super::{Columns, Fields, Iter, IterMut, Row};
use std::ops::Range;

/// An iterator that takes the rows out of columns.
pub struct IntoIter<R: Row> {
    /// Without a length: rows are where `left` says.
    columns: Columns<R>,
    left: Range<usize>,
}

impl<R: Row> IntoIterator for Columns<R> {
    type Item = R;
    type IntoIter = IntoIter<R>;

    fn into_iter(mut self) -> IntoIter<R> {
        let left = 0..self.len;
        self.len = 0;
        IntoIter { columns: self, left }
    }
}

iterate_by_ref!([R: Row] Columns<R>: R::Ref<'a> => Iter<'a, R>, R::Mut<'a> => IterMut<'a, R>);

impl<R: Row> IntoIter<R> {
    /// The rows still to be given out, as slices of the same length.
    ///
    /// # Examples
    ///
    /// ```
    /// let mut rows = stayput::Columns::from([(1, 'a'), (2, 'b')]).into_iter();
    /// rows.next();
    /// assert_eq!(rows.as_slices(), (&[2][..], &['b'][..]));
    /// ```
    pub fn as_slices(&self) -> R::Slices<'_> {
        let Range { start, end } = self.left;
        // SAFETY: rows that were not given out; `&self` keeps them so.
        R::by_slices(unsafe { R::Fields::slices(self.columns.starts, start, end - start) })
    }
}

exact_iterator! {
    [R: Row] IntoIter<R> => R:
    |rows| rows.left.len(),
    // SAFETY: a row that nobody reads again, since its index was just taken out.
    rows.left.next().map(|index| R::from_fields(unsafe { R::Fields::read(rows.columns.starts, index) })),
    // SAFETY: a row that nobody reads again, since its index was just taken out.
    rows.left.next_back().map(|index| R::from_fields(unsafe { R::Fields::read(rows.columns.starts, index) }))
}

impl<R: Row> Drop for IntoIter<R> {
    fn drop(&mut self) {
        let left = std::mem::replace(&mut self.left, 0..0);
        // SAFETY: rows that were not taken out, and will not be. Should a drop panic, the columns, which have
        // no length, still release their memory.
        unsafe { R::Fields::drop_rows(self.columns.starts, left.start, left.len()) }
    }
}

debug_left!([R: Row] IntoIter<R>, "IntoIter", |rows| rows.left.len());
