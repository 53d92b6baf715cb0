//! The traits of std.

use super::Table;
use super::indices::{Indices, Row, TryClone};
use crate::error::{Error, Holder, or_give_up};
use crate::key::Key;
use crate::slot_map::{IntoIter, Iter};
use std::fmt;

default_by!([R: Row<X::Part>, X: Indices, K: Key] Table<R, X, K>, new);

impl<R: Clone, X: TryClone, K: Key> Clone for Table<R, X, K> {
    /// A copy with the same options, the same keys, indices that are as they were, and rows at other addresses. Linear in the
    /// slots; enters the kernel for the memory.
    ///
    /// No row is hashed, compared, or looked at but by its `Clone`. So a row whose copy has another value is, in the copy of the
    /// table, still where the value of the original belongs; see [wrong values](Table#wrong-values).
    ///
    /// # Panics
    ///
    /// Where [`try_clone`](Table::try_clone) has an error.
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
    #[track_caller]
    fn clone(&self) -> Self {
        or_give_up(self.try_clone())
    }
}

impl<R: Clone, X: TryClone, K: Key> Table<R, X, K> {
    /// [`clone`](Self::clone), or the error.
    ///
    /// # Errors
    ///
    /// As for [`try_reserve`](Self::try_reserve).
    pub fn try_clone(&self) -> Result<Self, Error> {
        let explain = |error: Error| error.of(Holder::Table);
        // Rows last: their clones are made when nothing but memory for them can be refused.
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
    /// Whether both have equal rows under the same keys.
    fn eq(&self, other: &Self) -> bool {
        self.rows == other.rows
    }
}

impl<R: Eq, X, K: Key> Eq for Table<R, X, K> {}

impl<R: Row<X::Part>, X: Indices, K: Key, const N: usize> From<[R; N]> for Table<R, X, K> {
    /// # Panics
    ///
    /// As for [`insert`](Table::insert).
    fn from(rows: [R; N]) -> Self {
        rows.into_iter().collect()
    }
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

impl<R, X, K: Key> IntoIterator for Table<R, X, K> {
    type Item = (K, R);
    type IntoIter = IntoIter<K, R>;

    fn into_iter(self) -> IntoIter<K, R> {
        self.into_rows().into_iter()
    }
}
