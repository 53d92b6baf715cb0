//! Sorting.

#![forbid(unsafe_code)]

use super::{Columns, Row};
use crate::container::sort;
use crate::error::{Error, unwrap_or_panic};
use std::cmp::Ordering;

impl<R: Row> Columns<R> {
    /// Sorts the rows with a comparison function. The sort is stable.
    ///
    /// Rows are compared in place and then swapped: O(n log n) comparisons and O(n) swaps. Allocates an index per row
    /// from the global allocator meanwhile. If the comparison panics, no row has moved; if it is not a total order, the
    /// resulting order is unspecified.
    ///
    /// # Panics
    ///
    /// If [`try_sort_by`](Self::try_sort_by) returns an error. May panic if the comparison is not a total order.
    ///
    /// # Examples
    ///
    /// ```
    /// let mut columns: stayput::Columns<(u32, char)> =
    ///     [(3, 'c'), (1, 'a'), (2, 'b')].into_iter().collect();
    /// columns.sort_by(|(a, _), (b, _)| a.cmp(b));
    /// assert_eq!(columns.as_slices().1, ['a', 'b', 'c']);
    /// ```
    #[track_caller]
    pub fn sort_by(&mut self, compare: impl FnMut(R::Ref<'_>, R::Ref<'_>) -> Ordering) {
        unwrap_or_panic(self.try_sort_by(compare));
    }

    /// Sorts the rows as [`sort_by`](Self::sort_by) does, or returns the error.
    ///
    /// # Errors
    ///
    /// If the allocator refuses memory for an index per row ([`Memory`](crate::ErrorKind::Memory)). No row has moved
    /// then.
    ///
    /// # Panics
    ///
    /// May panic if the comparison is not a total order.
    pub fn try_sort_by(
        &mut self,
        mut compare: impl FnMut(R::Ref<'_>, R::Ref<'_>) -> Ordering,
    ) -> Result<(), Error> {
        let row = |index: usize| self.get(index).expect("the index is below the length");
        let order = sort::try_order(self.len(), |a, b| compare(row(a), row(b)))?;
        sort::put_in(order, |a, b| self.swap(a, b));
        Ok(())
    }

    /// Sorts the rows by a key. The sort is stable; see [`sort_by`](Self::sort_by).
    ///
    /// # Panics
    ///
    /// As for [`sort_by`](Self::sort_by).
    ///
    /// # Examples
    ///
    /// ```
    /// let mut scores = stayput::Columns::from([("Ann", 7), ("Ben", 4), ("Cid", 9)]);
    /// scores.sort_by_key(|(_, points)| std::cmp::Reverse(*points));
    /// assert_eq!(scores.as_slices().0, ["Cid", "Ann", "Ben"]);
    /// ```
    #[track_caller]
    pub fn sort_by_key<T: Ord>(&mut self, mut key: impl FnMut(R::Ref<'_>) -> T) {
        self.sort_by(|a, b| key(a).cmp(&key(b)));
    }
}
