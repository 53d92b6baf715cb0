//! [`ExtractIf`]: removes the rows that a predicate selects.

#![forbid(unsafe_code)]

use super::element::Sieve;
use super::{Columns, Row};

/// An iterator that removes rows from [`Columns`] if a predicate returns `true`.
///
/// This struct is created by [`Columns::extract_if`]. See its documentation for more.
///
/// Rows not yet visited when it is dropped stay. If it is leaked, the columns end where the range began, and the
/// remaining rows leak.
#[must_use = "iterators are lazy and do nothing unless consumed"]
pub struct ExtractIf<'c, R: Row, F> {
    sieve: Sieve<'c, R>,
    predicate: F,
}

impl<'c, R: Row, F> ExtractIf<'c, R, F> {
    /// Visits `start..end`, which lies within the length.
    pub(super) fn new(columns: &'c mut Columns<R>, start: usize, end: usize, predicate: F) -> Self {
        Self { sieve: Sieve::new(columns, start, end), predicate }
    }
}

impl<R: Row, F: FnMut(R::Mut<'_>) -> bool> Iterator for ExtractIf<'_, R, F> {
    type Item = R;

    fn next(&mut self) -> Option<R> {
        self.sieve.take_next(&mut self.predicate).map(R::from_fields)
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        (0, Some(self.sieve.left()))
    }
}

debug_left!([R: Row, F] ExtractIf<'_, R, F>, "ExtractIf", |rows| rows.sieve.left());
