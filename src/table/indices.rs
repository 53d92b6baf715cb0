//! [`Indices`], which [`indices!`](crate::indices) implements, and [`Index`], which each kind of index implements.
//!
//! A change has two steps. First each index *plans* it: this step runs user code (reading the value from the row,
//! hashing, comparing) and allocates. Then each index *commits*, which runs no user code and cannot fail. A change that
//! is refused or panics has therefore changed nothing.

use crate::error::Error;
use crate::index::memory::Arrays;
use crate::key::Key;
use crate::slot_map::SlotMap;
use std::borrow::Borrow;

/// The indices of a [`Table`](super::Table), a struct that [`indices!`](crate::indices) declares.
///
/// Only the macro implements it: the required items are not part of the public interface.
///
/// # Examples
///
/// A function for tables with any rows and indices:
///
/// ```
/// use stayput::table::{Indices, Row};
/// use stayput::{Table, indices};
///
/// fn table_of<R: Row<X::Part>, X: Indices>(rows: Vec<R>) -> Table<R, X> {
///     let mut table = Table::with_capacity(rows.len());
///     table.extend(rows);
///     table
/// }
///
/// indices! { struct By for (u32, char) { number: Unique<u32> = |row| &row.0, } }
///
/// let table: Table<(u32, char), By> = table_of(vec![(7, 'a'), (8, 'b')]);
/// assert_eq!(table.find(|by| &by.number, &8).unwrap().1, &(8, 'b'));
/// ```
#[diagnostic::on_unimplemented(
    message = "`{Self}` does not declare the indices of a table",
    label = "not declared by `indices!`",
    note = "declare the indices with the macro `stayput::indices!`; they are the second parameter of `Table`"
)]
pub trait Indices: Default {
    /// What is indexed: the row, or the first part of a row that is a pair.
    type Part;

    /// The names of the indices, in the order of declaration.
    #[doc(hidden)]
    const NAMES: &'static [&'static str];

    /// Visits the indices in the order of declaration, up to the first error.
    #[doc(hidden)]
    fn each<V: Visit<Self::Part>>(&self, visitor: &mut V) -> Result<(), Error>;

    /// Visits the indices mutably, in the order of declaration, up to the first error.
    #[doc(hidden)]
    fn each_mut<V: VisitMut<Self::Part>>(&mut self, visitor: &mut V) -> Result<(), Error>;
}

/// Indices that can be cloned, so that their [`Table`](super::Table) is [`Clone`]: those whose hashers are `Clone`, as
/// all of std's are.
///
/// Only [`indices!`](crate::indices) implements it.
///
/// # Examples
///
/// ```
/// use stayput::table::{Indices, Row, TryClone};
/// use stayput::{Table, indices};
///
/// /// Returns the table after `change`; the original can still be used.
/// fn changed<R, X>(table: &Table<R, X>, change: impl FnOnce(&mut Table<R, X>)) -> Table<R, X>
/// where
///     R: Row<X::Part> + Clone,
///     X: Indices + TryClone,
/// {
///     let mut copy = table.clone();
///     change(&mut copy);
///     copy
/// }
///
/// indices! { struct By for u32 { number: Unique<u32> = |row| row, } }
///
/// let table: Table<u32, By> = [7, 8].into();
/// let more = changed(&table, |table| table.extend([9]));
/// assert_eq!((table.len(), more.len()), (2, 3));
/// ```
#[diagnostic::on_unimplemented(
    message = "the indices `{Self}` cannot be cloned",
    note = "indices declared by `stayput::indices!` can be cloned if all their hashers are `Clone`"
)]
pub trait TryClone: Sized {
    /// Returns a copy without planned changes.
    #[doc(hidden)]
    fn try_clone(&self) -> Result<Self, Error>;
}

/// The value that the index numbered `FIELD` takes from a row.
#[doc(hidden)]
pub trait Extract<const FIELD: usize> {
    type Row;
    type Key: ?Sized;

    fn extract(row: &Self::Row) -> impl Borrow<Self::Key>;
}

/// A row of a [`Table`](super::Table) whose indexed part is `P`: `P` itself, or a
/// [pair](super::Table#rows-that-are-pairs) `(P, M)`.
///
/// It is implemented for these two forms and cannot be implemented for others.
///
/// # Examples
///
/// ```
/// use stayput::{Table, indices};
///
/// indices! { struct By for u32 { number: Unique<u32> = |number| number, } }
///
/// let numbers: Table<u32, By> = [7, 8].into();
/// assert!(numbers.find(|by| &by.number, &8).is_some());
///
/// let mut counts: Table<(u32, usize), By> = [(7, 0), (8, 0)].into();
/// let (key, _) = counts.find(|by| &by.number, &8).unwrap();
/// *counts.get_mut(key).unwrap().1 += 1;
/// assert_eq!(counts[key], (8, 1));
/// ```
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not a row with the indexed part `{P}`",
    note = "a row is the type that `stayput::indices!` names after `for`, or a pair whose first part is that type"
)]
pub trait Row<P>: sealed::Row<P> {}

impl<P, R: sealed::Row<P>> Row<P> for R {}

mod sealed {
    pub trait Row<P> {
        /// What is not indexed: of a row that is not a pair, nothing.
        type Rest: ?Sized;

        fn part(&self) -> &P;
        fn split(&mut self) -> (&mut P, &mut Self::Rest);
    }

    impl<P> Row<P> for P {
        type Rest = [()];

        #[inline]
        fn part(&self) -> &P {
            self
        }

        #[inline]
        fn split(&mut self) -> (&mut P, &mut [()]) {
            (self, &mut [])
        }
    }

    impl<P, M> Row<P> for (P, M) {
        type Rest = M;

        #[inline]
        fn part(&self) -> &P {
            &self.0
        }

        #[inline]
        fn split(&mut self) -> (&mut P, &mut M) {
            (&mut self.0, &mut self.1)
        }
    }
}

/// The operations of one index of a table.
#[doc(hidden)]
pub trait Index<P>: Arrays {
    /// Plans to add a slot with a new row, or to change the row of a slot from `old` to `new`.
    ///
    /// # Errors
    ///
    /// If another row has a value that must be unique ([`Taken`](crate::ErrorKind::Taken)), or memory is refused.
    /// Nothing has changed then.
    fn plan<K: Key, R: Row<P>>(
        &mut self,
        slot: u32,
        new: &P,
        old: Option<&P>,
        rows: &SlotMap<K, R>,
    ) -> Result<(), Error>;

    /// Whether nothing has to be planned to change the row of a slot from `old` to `new`.
    fn is_unchanged(&self, slot: u32, new: &P, old: &P) -> bool;

    fn commit(&mut self, slot: u32);

    fn remove(&mut self, slot: u32);

    /// Removes a slot that the index numbered `field` found by a hash.
    #[inline]
    fn remove_found(&mut self, slot: u32, _field: usize, _hash: u32) {
        self.remove(slot);
    }

    fn clear(&mut self);

    /// Sets the cell size, if this is the grid numbered `field`.
    fn set_cell(&mut self, _: usize, _: f32) {}

    /// Returns `true` if the index finds the slot by the value in its row.
    fn finds<K: Key, R: Row<P>>(&self, slot: u32, part: &P, rows: &SlotMap<K, R>) -> bool;
}

#[doc(hidden)]
pub trait Visit<P> {
    fn visit<I: Index<P>>(&mut self, index: &I) -> Result<(), Error>;
}

#[doc(hidden)]
pub trait VisitMut<P> {
    fn visit<I: Index<P>>(&mut self, index: &mut I) -> Result<(), Error>;
}
