//! Implementations of std's traits.

#![forbid(unsafe_code)]

use super::{Columns, Row};
use crate::error::{Error, Refused};
use crate::vec::Rest;
use std::fmt;

impl<R: Row> Columns<R> {
    /// Appends all rows of an iterator, or returns the error and the rows that were not appended.
    ///
    /// If the iterator panics, the rows appended before stay.
    ///
    /// # Errors
    ///
    /// As for [`try_reserve`](Self::try_reserve).
    ///
    /// # Examples
    ///
    /// ```
    /// let mut two = stayput::Columns::with_max_len(2);
    /// let refused = two.try_extend([(1, 'a'), (2, 'b'), (3, 'c')]).unwrap_err();
    /// assert_eq!(two.as_slices().1, ['a', 'b']);
    /// assert!(refused.value.eq([(3, 'c')]));
    /// ```
    pub fn try_extend<I: IntoIterator<Item = R>>(
        &mut self,
        rows: I,
    ) -> Result<(), Refused<Rest<I::IntoIter>>> {
        let mut rows = rows.into_iter();
        // Reserved in one step. The hint may be wrong, so if this is refused, each push decides for itself.
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

from_by_collect! {
    /// Moves the rows of an array to new columns.
    ///
    /// # Panics
    ///
    /// If [`try_extend`](Columns::try_extend) returns an error.
    ///
    /// # Examples
    ///
    /// ```
    /// let columns = stayput::Columns::from([(1, 'a'), (2, 'b')]);
    /// assert_eq!(columns.as_slices().1, ['a', 'b']);
    /// ```
    [R: Row, const N: usize] [R; N] => Columns<R>
}

from_by_collect! {
    /// Moves the rows of a `Vec` to new columns, one by one. O(n).
    ///
    /// # Panics
    ///
    /// If [`try_extend`](Columns::try_extend) returns an error.
    [R: Row] Vec<R> => Columns<R>
}

impl<R: Row> fmt::Debug for Columns<R>
where
    for<'a> R::Ref<'a>: fmt::Debug,
{
    /// Formats the rows as a list.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_list().entries(self).finish()
    }
}
