//! [`Drain`] and [`ExtractIf`]: rows that are taken out one by one.
//!
//! A row leaves the map and the indices at the same time, so that what is forgotten, or left by a panic, is in both.

use super::Table;
use super::indices::{Indices, Row};
use crate::key::Key;
use std::fmt;
use std::iter::FusedIterator;

/// All rows of a table, given by [`Table::drain`].
///
/// Those that it has not given when it is dropped are dropped. If it is forgotten, they stay in the table.
pub struct Drain<'t, R: Row<X::Part>, X: Indices, K: Key> {
    table: &'t mut Table<R, X, K>,
    /// Slots before this have no row.
    next: u32,
}

/// Rows that a closure chooses, given by [`Table::extract_if`].
///
/// Those that were not come to yet when it is dropped, or forgotten, stay in the table.
#[must_use = "iterators are lazy and do nothing unless consumed"]
pub struct ExtractIf<'t, R: Row<X::Part>, X: Indices, K: Key, F> {
    table: &'t mut Table<R, X, K>,
    next: u32,
    is_chosen: F,
}

impl<R: Row<X::Part>, X: Indices, K: Key> Table<R, X, K> {
    /// Takes all rows out, to be had in the order of slots. Linear in the slots.
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

    /// Takes out each row that a closure chooses, when it is asked for, in the order of slots.
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

    /// Takes out, and drops, each row for which a closure says no, in the order of slots. Linear in the slots.
    ///
    /// Should it panic, or a drop, those that were not come to yet stay.
    pub fn retain(&mut self, mut keep: impl FnMut(K, &R) -> bool) {
        self.extract_if(|key, row| !keep(key, row)).for_each(drop);
    }
}

impl<R: Row<X::Part>, X: Indices, K: Key> Iterator for Drain<'_, R, X, K> {
    type Item = (K, R);

    fn next(&mut self) -> Option<(K, R)> {
        while self.next < self.table.rows.slot_count() {
            let slot = self.next;
            self.next += 1;
            let Some((key, _)) = self.table.rows.get_by_index(slot) else { continue };
            return self.table.take_slot(slot).map(|row| (key, row));
        }
        None
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
        while self.next < self.table.rows.slot_count() {
            let slot = self.next;
            self.next += 1;
            let Some((key, row)) = self.table.rows.get_by_index(slot) else { continue };
            if (self.is_chosen)(key, row) {
                return self.table.take_slot(slot).map(|row| (key, row));
            }
        }
        None
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        (0, Some(self.table.len()))
    }
}

impl<R: Row<X::Part>, X: Indices, K: Key, F> FusedIterator for ExtractIf<'_, R, X, K, F> where
    F: FnMut(K, &R) -> bool
{
}

impl<R: Row<X::Part>, X: Indices, K: Key> fmt::Debug for Drain<'_, R, X, K> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Drain").field("len", &self.len()).finish_non_exhaustive()
    }
}

debug_as!([R: Row<X::Part>, X: Indices, K: Key, F] ExtractIf<'_, R, X, K, F>, "ExtractIf");
