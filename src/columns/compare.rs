//! Columns beside columns.
//!
//! Fields are compared, and not rows, which lie nowhere. The compiler asks for rows that borrow from nobody,
//! since bounds on references of any lifetime can be written in no other way.

#![forbid(unsafe_code)]

use super::{Columns, Fields, Row};
use std::cmp::Ordering;
use std::hash::{Hash, Hasher};

impl<R: Row> PartialEq for Columns<R>
where
    for<'a> <R::Fields as Fields>::Slices<'a>: PartialEq,
{
    /// Whether all columns are equal, for which all fields are compared, column by column. The row's own
    /// `PartialEq`, where it has one, is not asked.
    ///
    /// Where fields borrow from somebody, compare [`as_slices`](Columns::as_slices).
    ///
    /// # Examples
    ///
    /// ```
    /// let columns = stayput::Columns::from([(1, 'a'), (2, 'b')]);
    /// assert_eq!(columns, columns.clone());
    /// assert_ne!(columns, [(1, 'a'), (2, 'c')].into());
    /// ```
    fn eq(&self, other: &Self) -> bool {
        self.len() == other.len() && self.slices_of_fields() == other.slices_of_fields()
    }
}

impl<R: Row> Eq for Columns<R> where for<'a> <R::Fields as Fields>::Slices<'a>: Eq {}

impl<R: Row> PartialOrd for Columns<R>
where
    for<'a> <R::Fields as Fields>::Slices<'a>: PartialEq,
    for<'a> <R::Fields as Fields>::Refs<'a>: PartialOrd,
{
    /// As [`cmp`](Ord::cmp), if there is an order.
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        self.iter_fields().partial_cmp(other.iter_fields())
    }
}

impl<R: Row> Ord for Columns<R>
where
    for<'a> <R::Fields as Fields>::Slices<'a>: Eq,
    for<'a> <R::Fields as Fields>::Refs<'a>: Ord,
{
    /// The order of a `Vec` of tuples: row by row, and in each field by field.
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
    /// Column by column. It is not the hash of a `Vec` of the rows.
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.slices_of_fields().hash(state);
    }
}
