//! [`Indices`]: what [`indices!`](crate::indices) declares, and what each kind of index does for a table.
//!
//! A change has two halves. First each index *plans* it: only there is user code run (what is taken out of a row, its
//! hash, whether two are equal), and memory asked for. Then each *commits*, which runs no user code and cannot fail. So a change that is
//! refused, or panics, has changed nothing.

use crate::error::Error;
use crate::index::memory::Arrays;
use crate::key::Key;
use crate::slot_map::SlotMap;
use std::borrow::Borrow;

/// The indices of a [`Table`](super::Table): a struct that [`indices!`](crate::indices) declares.
///
/// The macro implements it, and nothing else should: what is needed for it is no part of the interface.
pub trait Indices: Default {
    /// What is indexed: a row, or the first of two that a row is.
    type Part;

    /// The names of the indices, in the order in which they were declared.
    #[doc(hidden)]
    const NAMES: &'static [&'static str];

    /// Goes over the indices in the order in which they were declared, up to the first error.
    #[doc(hidden)]
    fn each<V: Visit<Self::Part>>(&self, visitor: &mut V) -> Result<(), Error>;

    /// The same, to change them.
    #[doc(hidden)]
    fn each_mut<V: VisitMut<Self::Part>>(&mut self, visitor: &mut V) -> Result<(), Error>;
}

/// Indices of which there can be a copy, so that a [`Table`](super::Table) that has them is [`Clone`]: those whose hashers
/// are, as all of std are.
///
/// The macro implements it, and nothing else should.
pub trait TryClone: Sized {
    /// A copy, for which nothing is planned.
    #[doc(hidden)]
    fn try_clone(&self) -> Result<Self, Error>;
}

/// Which value of a row a field of [`Indices`] is about.
#[doc(hidden)]
pub trait Extract<const FIELD: usize> {
    type Row;
    type Key: ?Sized;

    fn extract(row: &Self::Row) -> impl Borrow<Self::Key>;
}

/// A row, by that part of it which is indexed: all of it, or the first of two.
///
/// What is implemented here is all there is; see [`Table`](super::Table#rows-of-two).
pub trait Row<P>: sealed::Row<P> {}

impl<P, R: sealed::Row<P>> Row<P> for R {}

mod sealed {
    pub trait Row<P> {
        fn part(&self) -> &P;
        fn part_mut(&mut self) -> &mut P;
    }

    impl<P> Row<P> for P {
        #[inline]
        fn part(&self) -> &P {
            self
        }

        #[inline]
        fn part_mut(&mut self) -> &mut P {
            self
        }
    }

    impl<P, M> Row<P> for (P, M) {
        #[inline]
        fn part(&self) -> &P {
            &self.0
        }

        #[inline]
        fn part_mut(&mut self) -> &mut P {
            &mut self.0
        }
    }
}

/// An index of a table. Nobody else has one.
#[doc(hidden)]
pub trait Index<P>: Arrays {
    /// Prepares to have a slot with a new row, or with another instead of the old one, and remembers it.
    ///
    /// # Errors
    ///
    /// If another row has what none other may have ([`Taken`](crate::ErrorKind::Taken)), or the system refuses memory. Nothing
    /// has changed then.
    fn plan<K: Key, R: Row<P>>(
        &mut self,
        slot: u32,
        new: &P,
        old: Option<&P>,
        rows: &SlotMap<K, R>,
    ) -> Result<(), Error>;

    /// Does what was planned last, for that slot.
    fn commit(&mut self, slot: u32);

    /// Takes a slot out, if it is in it.
    fn remove(&mut self, slot: u32);

    /// The same, where the index of that number found the slot by a hash.
    #[inline]
    fn remove_found(&mut self, slot: u32, _field: usize, _hash: u32) {
        self.remove(slot);
    }

    fn clear(&mut self);

    /// Has cells of another size, if it is the grid of that number.
    fn set_cell(&mut self, _: usize, _: f32) {}

    /// Whether a row's slot is found by its value.
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
