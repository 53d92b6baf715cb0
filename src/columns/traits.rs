//! Traits of std.

#![forbid(unsafe_code)]

use super::{Columns, Row};
use crate::error::{Error, Refused};
use crate::vec::Rest;
use std::fmt;

impl<R: Row> Columns<R> {
    /// Appends all rows of an iterator, or returns the error and those that could not be put in.
    ///
    /// Should the iterator panic, what was put in before stays.
    ///
    /// # Errors
    ///
    /// As for [`try_reserve`](Self::try_reserve).
    pub fn try_extend<I: IntoIterator<Item = R>>(
        &mut self,
        rows: I,
    ) -> Result<(), Refused<Rest<I::IntoIter>>> {
        let mut rows = rows.into_iter();
        // In one step; the hint may be wrong, so if so much is not to be had each push tells.
        let room = self.max_len() - self.len();
        let _: Result<(), Error> = self.try_reserve(rows.size_hint().0.min(room));
        while let Some(row) = rows.next() {
            if let Err(Refused { error, value }) = self.try_push(row) {
                return Err(Refused { error, value: Some(value).into_iter().chain(rows) });
            }
        }
        Ok(())
    }
}

extend_by_try!([R: Row] Columns<R>: R);
collect_by_extend!([R: Row] Columns<R>: R);

impl<R: Row, const N: usize> From<[R; N]> for Columns<R> {
    /// The rows of an array.
    ///
    /// # Panics
    ///
    /// Where [`try_extend`](Columns::try_extend) has an error.
    ///
    /// # Examples
    ///
    /// ```
    /// let columns = stayput::Columns::from([(1, 'a'), (2, 'b')]);
    /// assert_eq!(columns.as_slices().1, ['a', 'b']);
    /// ```
    #[track_caller]
    fn from(rows: [R; N]) -> Self {
        Self::from_iter(rows)
    }
}

impl<R: Row> From<Vec<R>> for Columns<R> {
    /// The rows of a `Vec`, taken apart one by one. O(n).
    ///
    /// # Panics
    ///
    /// Where [`try_extend`](Columns::try_extend) has an error.
    #[track_caller]
    fn from(rows: Vec<R>) -> Self {
        Self::from_iter(rows)
    }
}

impl<R: Row> fmt::Debug for Columns<R>
where
    for<'a> R::Ref<'a>: fmt::Debug,
{
    /// A list of the rows.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_list().entries(self).finish()
    }
}
