//! [`IntoIter`]: moves rows out of columns.

#![expect(unsafe_code, reason = "reads rows out of columns")]

use super::{Columns, Fields, Iter, IterMut, Row};
use std::ops::Range;

/// An iterator that moves the rows out of [`Columns`].
///
/// This struct is created by the method [`into_iter`](IntoIterator::into_iter) of [`Columns`].
///
/// # Examples
///
/// ```
/// let scores = stayput::Columns::from([("Ann".to_string(), 7), ("Ben".to_string(), 4)]);
/// let lines: Vec<String> = scores.into_iter().map(|(name, points)| name + &points.to_string()).collect();
/// assert_eq!(lines, ["Ann7", "Ben4"]);
/// ```
pub struct IntoIter<R: Row> {
    /// Its length is 0; `left` is the range of initialised rows.
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
    /// Returns the rows not yet yielded, as slices of the same length.
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
        // SAFETY: rows in `left` are initialised and were not yielded, which `&self` prevents.
        R::by_slices(unsafe { R::Fields::slices(self.columns.starts, start, end - start) })
    }
}

exact_iterator! {
    [R: Row] IntoIter<R> => R:
    |rows| rows.left.len(),
    // SAFETY: the index was just removed from `left`, so this row is initialised and not read again.
    rows.left.next().map(|index| R::from_fields(unsafe { R::Fields::read(rows.columns.starts, index) })),
    // SAFETY: the index was just removed from `left`, so this row is initialised and not read again.
    rows.left.next_back().map(|index| R::from_fields(unsafe { R::Fields::read(rows.columns.starts, index) }))
}

impl<R: Row> Drop for IntoIter<R> {
    fn drop(&mut self) {
        let left = std::mem::replace(&mut self.left, 0..0);
        // SAFETY: rows in `left` were not yielded, and will not be, since `left` is now empty. If a drop panics, the
        // columns, whose length is 0, still release their memory.
        unsafe { R::Fields::drop_rows(self.columns.starts, left.start, left.len()) }
    }
}

debug_left!([R: Row] IntoIter<R>, "IntoIter", |rows| rows.left.len());
