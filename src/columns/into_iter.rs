//! [`IntoIter`]: rows taken out one by one, from both ends.

#![expect(unsafe_code, reason = "reads rows out of columns")]

use super::{Columns, Fields, Row};
use std::fmt;
use std::iter::FusedIterator;
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

    /// # Safety
    ///
    /// - The index was just taken out of `left`.
    #[inline]
    unsafe fn row(&self, index: usize) -> R {
        // SAFETY: a row that nobody reads again, since its index was taken out.
        R::from_fields(unsafe { R::Fields::read(self.columns.starts, index) })
    }
}

impl<R: Row> Iterator for IntoIter<R> {
    type Item = R;

    #[inline]
    fn next(&mut self) -> Option<R> {
        let index = self.left.next()?;
        // SAFETY: just taken out.
        Some(unsafe { self.row(index) })
    }

    #[inline]
    fn size_hint(&self) -> (usize, Option<usize>) {
        self.left.size_hint()
    }
}

impl<R: Row> DoubleEndedIterator for IntoIter<R> {
    #[inline]
    fn next_back(&mut self) -> Option<R> {
        let index = self.left.next_back()?;
        // SAFETY: just taken out.
        Some(unsafe { self.row(index) })
    }
}

impl<R: Row> ExactSizeIterator for IntoIter<R> {}

impl<R: Row> FusedIterator for IntoIter<R> {}

impl<R: Row> Drop for IntoIter<R> {
    fn drop(&mut self) {
        let left = std::mem::replace(&mut self.left, 0..0);
        // SAFETY: rows that were not taken out, and will not be. Should a drop panic, the columns, which have
        // no length, still release their memory.
        unsafe { R::Fields::drop_rows(self.columns.starts, left.start, left.len()) }
    }
}

impl<R: Row> fmt::Debug for IntoIter<R> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("IntoIter").field("left", &self.left.len()).finish_non_exhaustive()
    }
}
