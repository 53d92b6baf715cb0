//! Implementations of std's traits.

use super::Table;
use super::indices::{Indices, Row, TryClone};
use crate::error::{Error, Holder};
use crate::key::Key;
use crate::slot_map::{IntoIter, Iter};
use std::fmt;

default_by!([R: Row<X::Part>, X: Indices, K: Key] Table<R, X, K>, new);

clone_by_try! {
    /// Returns a copy with the same options, keys and index entries, and with rows at other addresses. O(n) in the
    /// slots; enters the kernel for memory.
    ///
    /// Rows are cloned, but not hashed or compared. If the clone of a row has another value, the copied indices still
    /// list it under the original's value; see [inconsistent values](Table#inconsistent-values).
    ///
    /// # Panics
    ///
    /// If [`try_clone`](Table::try_clone) returns an error.
    ///
    /// # Examples
    ///
    /// ```
    /// use stayput::{Table, indices};
    /// # indices! { struct By for (u32, char) { number: Unique<u32> = |row| &row.0, } }
    ///
    /// let mut table: Table<(u32, char), By> = [(1, 'a'), (2, 'b')].into();
    /// let before = table.clone();
    /// let (key, _) = table.take(|by| &by.number, &2).unwrap();
    /// assert_eq!(before.find(|by| &by.number, &2), Some((key, &(2, 'b'))));
    /// ```
    [R: Clone, X: TryClone, K: Key] Table<R, X, K>
}

impl<R: Clone, X: TryClone, K: Key> Table<R, X, K> {
    /// Returns a copy as [`clone`](Self::clone) does, or the error.
    ///
    /// # Errors
    ///
    /// As for [`try_reserve`](Self::try_reserve).
    pub fn try_clone(&self) -> Result<Self, Error> {
        let explain = |error: Error| error.of(Holder::Table);
        // Rows last, so that they are cloned only after all memory for the indices has been allocated.
        let by = self.by.try_clone().map_err(explain)?;
        let rows = self.rows.try_clone().map_err(explain)?;
        Ok(Self { rows, by })
    }
}

impl<R: fmt::Debug, X, K: Key> fmt::Debug for Table<R, X, K> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.rows.fmt(f)
    }
}

impl<R: PartialEq, X, K: Key> PartialEq for Table<R, X, K> {
    /// Returns `true` if both tables have equal rows under the same keys.
    fn eq(&self, other: &Self) -> bool {
        self.rows == other.rows
    }
}

impl<R: Eq, X, K: Key> Eq for Table<R, X, K> {}

from_by_collect! {
    /// # Panics
    ///
    /// As for [`insert`](Table::insert).
    [R: Row<X::Part>, X: Indices, K: Key, const N: usize] [R; N] => Table<R, X, K>
}

index_by_key!([R, X, K: Key] Table<R, X, K> => R);

impl<R: Row<X::Part>, X: Indices, K: Key> Extend<R> for Table<R, X, K> {
    /// # Panics
    ///
    /// As for [`insert`](Table::insert).
    #[track_caller]
    fn extend<T: IntoIterator<Item = R>>(&mut self, rows: T) {
        for row in rows {
            self.insert(row);
        }
    }
}

collect_by_extend! {
    /// # Panics
    ///
    /// As for [`insert`](Table::insert).
    [R: Row<X::Part>, X: Indices, K: Key] Table<R, X, K>: R
}

iterate_by_ref!([R, X, K: Key] Table<R, X, K>: (K, &'a R) => Iter<'a, K, R>);

iterate_by_value! {
    [R, X, K: Key] Table<R, X, K>: (K, R) => IntoIter<K, R>, |table|
    table.into_rows().into_iter()
}
