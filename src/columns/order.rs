//! Rows in another order.

#![forbid(unsafe_code)]

use super::{Columns, Row};
use crate::container::sort;
use crate::error::{Error, or_give_up};
use std::cmp::Ordering;

impl<R: Row> Columns<R> {
    /// Sorts the rows by a comparison; those that are equal keep their order.
    ///
    /// The rows are compared where they lie, and then exchanged: O(n log n) comparisons, O(n)
    /// exchanges, and as many bytes of the program's allocator meanwhile as rows have indices. Should the comparison panic, no row has
    /// moved; if it is no order, the rows come to be in any.
    ///
    /// # Panics
    ///
    /// Where [`try_sort_by`](Self::try_sort_by) has an error; and maybe if the comparison is no order.
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
        or_give_up(self.try_sort_by(compare));
    }

    /// [`sort_by`](Self::sort_by), or the error.
    ///
    /// # Errors
    ///
    /// If the allocator refuses an index a row ([`Memory`](crate::ErrorKind::Memory)). No row has moved then.
    ///
    /// # Panics
    ///
    /// Maybe, if the comparison is no order.
    pub fn try_sort_by(
        &mut self,
        mut compare: impl FnMut(R::Ref<'_>, R::Ref<'_>) -> Ordering,
    ) -> Result<(), Error> {
        let row = |index: usize| self.get(index).expect("it is one of them");
        let order = sort::try_order(self.len(), |a, b| compare(row(a), row(b)))?;
        sort::put_in(order, |a, b| self.swap(a, b));
        Ok(())
    }

    /// Sorts the rows by a key; those whose keys are equal keep their order. See [`sort_by`](Self::sort_by).
    ///
    /// # Panics
    ///
    /// As for [`sort_by`](Self::sort_by).
    #[track_caller]
    pub fn sort_by_key<T: Ord>(&mut self, mut key: impl FnMut(R::Ref<'_>) -> T) {
        self.sort_by(|a, b| key(a).cmp(&key(b)));
    }
}
