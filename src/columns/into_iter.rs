//! [`IntoIter`]: moves rows out of columns.

#![forbid(unsafe_code)]

use super::drain::TakenRows;
use super::{Columns, Iter, IterMut, Row};

/// An iterator that moves the rows out of [`Columns`].
///
/// This struct is created by the method [`into_iter`](IntoIterator::into_iter) of [`Columns`].
///
/// # Examples
///
/// ```
/// let scores = stayput::Columns::from([("Ann".to_string(), 7), ("Ben".to_string(), 4)]);
/// let lines = scores.into_iter().map(|(name, points)| name + &points.to_string());
/// assert_eq!(lines.collect::<Vec<_>>(), ["Ann7", "Ben4"]);
/// ```
pub struct IntoIter<R: Row> {
    rows: TakenRows<R, Columns<R>>,
}

impl<R: Row> IntoIterator for Columns<R> {
    type Item = R;
    type IntoIter = IntoIter<R>;

    fn into_iter(self) -> IntoIter<R> {
        IntoIter { rows: TakenRows::of(self) }
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
        self.rows.as_slices()
    }
}

exact_iterator! {
    [R: Row] IntoIter<R> => R:
    |iter| iter.rows.left(),
    iter.rows.next(),
    iter.rows.next_back()
}

debug_left!([R: Row] IntoIter<R>, "IntoIter", |iter| iter.rows.left());
