//! Comparison and hashing of columns.
//!
//! Fields are compared, since rows are not stored as such. The compiler requires rows that do not borrow, because
//! bounds on references of any lifetime cannot be written otherwise.

#![forbid(unsafe_code)]

use super::{Columns, Fields, Row};
use std::cmp::Ordering;
use std::hash::{Hash, Hasher};

impl<R: Row> PartialEq for Columns<R>
where
    for<'a> <R::Fields as Fields>::Slices<'a>: PartialEq,
{
    /// Returns `true` if all columns are equal. The fields are compared column by column; a `PartialEq` of the row
    /// itself is not called.
    ///
    /// If fields borrow, compare [`as_slices`](Columns::as_slices) instead.
    ///
    /// # Examples
    ///
    /// ```
    /// let columns = stayput::Columns::from([(1, 'a'), (2, 'b')]);
    /// assert_eq!(columns, columns.clone());
    /// assert_ne!(columns, [(1, 'a'), (2, 'c')].into());
    /// ```
    fn eq(&self, other: &Self) -> bool {
        self.len() == other.len() && self.fields(..) == other.fields(..)
    }
}

impl<R: Row> Eq for Columns<R> where for<'a> <R::Fields as Fields>::Slices<'a>: Eq {}

impl<R: Row> PartialOrd for Columns<R>
where
    for<'a> <R::Fields as Fields>::Slices<'a>: PartialEq,
    for<'a> <R::Fields as Fields>::Refs<'a>: PartialOrd,
{
    /// Compares as [`cmp`](Ord::cmp) does; `None` if the fields have no order.
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        self.iter_fields().partial_cmp(other.iter_fields())
    }
}

impl<R: Row> Ord for Columns<R>
where
    for<'a> <R::Fields as Fields>::Slices<'a>: Eq,
    for<'a> <R::Fields as Fields>::Refs<'a>: Ord,
{
    /// Compares as a `Vec` of tuples does: row by row, and in each row field by field.
    ///
    /// # Examples
    ///
    /// ```
    /// use stayput::Columns;
    ///
    /// let columns = Columns::from([(1, 'b'), (2, 'a')]);
    /// assert!(columns < Columns::from([(1, 'c'), (2, 'a')]));
    /// assert!(columns > Columns::from([(1, 'b')]));
    /// ```
    fn cmp(&self, other: &Self) -> Ordering {
        self.iter_fields().cmp(other.iter_fields())
    }
}

impl<R: Row> Hash for Columns<R>
where
    for<'a> <R::Fields as Fields>::Slices<'a>: Hash,
{
    /// Hashes column by column, so the result differs from the hash of a `Vec` of the rows.
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.fields(..).hash(state);
    }
}
