//! [`Drain`] and [`ExtractIf`], which remove rows one by one.
//!
//! A row leaves the map and the indices together, so rows that stay after a panic, or after the iterator is leaked, are
//! in both.

use super::Table;
use super::indices::{Indices, Row};
use crate::key::Key;
use std::iter::FusedIterator;

/// A draining iterator over all rows of a table.
///
/// This struct is created by [`Table::drain`]. See its documentation for more.
///
/// Dropping it drops the remaining rows. If it is leaked, they stay in the table.
pub struct Drain<'t, R: Row<X::Part>, X: Indices, K: Key> {
    table: &'t mut Table<R, X, K>,
    /// Slots before this one have no row.
    next: u32,
}

/// An iterator that removes the rows a closure selects.
///
/// This struct is created by [`Table::extract_if`]. See its documentation for more.
///
/// Rows not yet visited when it is dropped or leaked stay in the table.
#[must_use = "iterators are lazy and do nothing unless consumed"]
pub struct ExtractIf<'t, R: Row<X::Part>, X: Indices, K: Key, F> {
    table: &'t mut Table<R, X, K>,
    next: u32,
    is_chosen: F,
}

impl<R: Row<X::Part>, X: Indices, K: Key> Table<R, X, K> {
    /// Removes all rows, and returns them as an iterator in slot order. O(n) in the slots.
    ///
    /// # Examples
    ///
    /// ```
    /// # use stayput::{Table, indices};
    /// # indices! { struct By for (u32, char) { number: Unique<u32> = |row| &row.0, } }
    /// let mut table: Table<(u32, char), By> = [(7, 'a'), (8, 'b')].into_iter().collect();
    /// assert!(table.drain().map(|(_, row)| row).eq([(7, 'a'), (8, 'b')]));
    /// assert!(table.is_empty());
    /// ```
    pub const fn drain(&mut self) -> Drain<'_, R, X, K> {
        Drain { table: self, next: 0 }
    }

    /// Returns an iterator that removes the rows for which a closure returns `true`, in slot order.
    ///
    /// # Examples
    ///
    /// ```
    /// # use stayput::{Table, indices};
    /// # indices! { struct By for (u32, char) { number: Unique<u32> = |row| &row.0, } }
    /// let mut table: Table<(u32, char), By> = [(7, 'a'), (8, 'b')].into_iter().collect();
    /// assert_eq!(table.extract_if(|_, row| row.1 == 'a').count(), 1);
    /// assert_eq!(table.find(|by| &by.number, &7), None);
    /// ```
    pub const fn extract_if<F>(&mut self, is_chosen: F) -> ExtractIf<'_, R, X, K, F>
    where
        F: FnMut(K, &R) -> bool,
    {
        ExtractIf { table: self, next: 0, is_chosen }
    }

    /// Keeps the rows for which a closure returns `true`, and drops the others, in slot order. O(n) in the slots.
    ///
    /// If the closure or a drop panics, rows not yet visited stay.
    ///
    /// # Examples
    ///
    /// ```
    /// # use stayput::{Table, indices};
    /// # indices! { struct By for (u32, char) { number: Unique<u32> = |row| &row.0, } }
    /// let mut table: Table<(u32, char), By> = [(7, 'a'), (8, 'b')].into();
    /// table.retain(|_, row| row.0 > 7);
    /// assert!(table.values().eq(&[(8, 'b')]));
    /// assert_eq!(table.find(|by| &by.number, &7), None);
    /// ```
    pub fn retain(&mut self, mut keep: impl FnMut(K, &R) -> bool) {
        self.extract_if(|key, row| !keep(key, row)).for_each(drop);
    }

    /// Removes the next selected row, starting at slot `next`.
    fn take_next(
        &mut self,
        next: &mut u32,
        mut is_chosen: impl FnMut(K, &R) -> bool,
    ) -> Option<(K, R)> {
        while *next < self.rows.slot_count() {
            let slot = *next;
            let found = self.rows.get_by_index(slot);
            // After the key was made: if that panics, the row has not been visited.
            *next += 1;
            let Some((key, row)) = found else { continue };
            if is_chosen(key, row) {
                return self.take_slot(slot).map(|row| (key, row));
            }
        }
        None
    }
}

impl<R: Row<X::Part>, X: Indices, K: Key> Iterator for Drain<'_, R, X, K> {
    type Item = (K, R);

    fn next(&mut self) -> Option<(K, R)> {
        self.table.take_next(&mut self.next, |_, _| true)
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        (self.table.len(), Some(self.table.len()))
    }
}

impl<R: Row<X::Part>, X: Indices, K: Key> ExactSizeIterator for Drain<'_, R, X, K> {}

impl<R: Row<X::Part>, X: Indices, K: Key> FusedIterator for Drain<'_, R, X, K> {}

impl<R: Row<X::Part>, X: Indices, K: Key> Drop for Drain<'_, R, X, K> {
    fn drop(&mut self) {
        self.table.clear();
    }
}

impl<R: Row<X::Part>, X: Indices, K: Key, F> Iterator for ExtractIf<'_, R, X, K, F>
where
    F: FnMut(K, &R) -> bool,
{
    type Item = (K, R);

    fn next(&mut self) -> Option<(K, R)> {
        self.table.take_next(&mut self.next, &mut self.is_chosen)
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        (0, Some(self.table.len()))
    }
}

impl<R: Row<X::Part>, X: Indices, K: Key, F> FusedIterator for ExtractIf<'_, R, X, K, F> where
    F: FnMut(K, &R) -> bool
{
}

debug_fields! {
    [R: Row<X::Part>, X: Indices, K: Key] Drain<'_, R, X, K>, "Drain", |drain| len: drain.len()
}

debug_as!([R: Row<X::Part>, X: Indices, K: Key, F] ExtractIf<'_, R, X, K, F>, "ExtractIf");
