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
    /// Its length is 0.
    columns: Columns<R>,
    /// The rows not yet yielded. Invariant *left*: they are initialised, and used only by `self`.
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
        // SAFETY: the rows in `left` are initialised (*left*), and not written to while `self` is borrowed.
        R::by_slices(unsafe { R::Fields::slices(self.columns.starts, start, end - start) })
    }
}

exact_iterator! {
    [R: Row] IntoIter<R> => R:
    |rows| rows.left.len(),
    // SAFETY: the row is initialised (*left*), and no longer in `left`, so it is not used again.
    rows.left.next().map(|index| R::from_fields(unsafe { R::Fields::read(rows.columns.starts, index) })),
    // SAFETY: the row is initialised (*left*), and no longer in `left`, so it is not used again.
    rows.left.next_back().map(|index| R::from_fields(unsafe { R::Fields::read(rows.columns.starts, index) }))
}

impl<R: Row> Drop for IntoIter<R> {
    fn drop(&mut self) {
        let left = std::mem::replace(&mut self.left, 0..0);
        // SAFETY: these rows were in `left`, so they are initialised (*left*); it is empty now, so they are not used
        // again. If a drop panics, the columns, whose length is 0, still release their memory.
        unsafe { R::Fields::drop_rows(self.columns.starts, left.start, left.len()) }
    }
}

debug_left!([R: Row] IntoIter<R>, "IntoIter", |rows| rows.left.len());
