//! [`Sets`]: indices of values that any number of rows may have.

use super::indices::{Extract, Index, Rows, TryClone};
use crate::error::Error;
use crate::index::memory::{Arrays, forward_arrays};
use crate::index::{ListIndex, Plan, SetIndex, list, set};
use std::borrow::Borrow;
use std::fmt;
use std::hash::{BuildHasher, Hash, RandomState};
use std::marker::PhantomData;

/// The index of a value that any number of rows may have: what [`indices!`](crate::indices) makes of
/// `Many<u32>` and `List<u32>`.
///
/// For [`Table::find_all`](super::Table::find_all).
pub struct Sets<X, const FIELD: usize, I> {
    index: I,
    /// Nothing, if the slot is to stay where it is.
    planned: Option<Plan>,
    of: PhantomData<fn() -> X>,
}

/// Sets of slots in lines of the processor's cache: a [`SetIndex`].
pub type Many<X, const FIELD: usize, S = RandomState> = Sets<X, FIELD, SetIndex<S>>;

/// Sets of slots as linked lists: a [`ListIndex`].
pub type List<X, const FIELD: usize, S = RandomState> = Sets<X, FIELD, ListIndex<S>>;

/// The kinds of sets that there are: [`SetIndex`] and [`ListIndex`].
pub trait Kind: sealed::Kind {}

impl<I: sealed::Kind> Kind for I {}

pub(super) mod sealed {
    use super::{Arrays, Error, Hash, Plan, fmt};

    pub trait Kind: Arrays + Default + fmt::Debug {
        type Slots<'s>: Iterator<Item = u32>
        where
            Self: 's;

        fn plan<Q: Hash + ?Sized>(
            &mut self,
            value: &Q,
            slot: u32,
            is_meant: impl FnMut(u32) -> bool,
        ) -> Result<Plan, Error>;

        fn commit(&mut self, slot: u32, plan: Plan);

        fn remove(&mut self, slot: u32) -> bool;

        fn clear(&mut self);

        fn len(&self) -> usize;

        fn contains(&self, slot: u32) -> bool;

        fn count<Q: Hash + ?Sized>(&self, value: &Q, is_meant: impl FnMut(u32) -> bool) -> usize;

        fn find<Q: Hash + ?Sized>(
            &self,
            value: &Q,
            is_meant: impl FnMut(u32) -> bool,
        ) -> Self::Slots<'_>;
    }
}

/// Both have methods of these names.
macro_rules! kind {
    ($index:ident, $slots:ty) => {
        impl<S: BuildHasher + Default> sealed::Kind for $index<S> {
            type Slots<'s>
                = $slots
            where
                S: 's;

            #[inline]
            fn plan<Q: Hash + ?Sized>(
                &mut self,
                value: &Q,
                slot: u32,
                is_meant: impl FnMut(u32) -> bool,
            ) -> Result<Plan, Error> {
                Self::plan(self, value, slot, is_meant)
            }

            #[inline]
            fn commit(&mut self, slot: u32, plan: Plan) {
                Self::commit(self, slot, plan);
            }

            #[inline]
            fn remove(&mut self, slot: u32) -> bool {
                Self::remove(self, slot)
            }

            fn clear(&mut self) {
                Self::clear(self);
            }

            fn len(&self) -> usize {
                Self::len(self)
            }

            #[inline]
            fn contains(&self, slot: u32) -> bool {
                Self::contains(self, slot)
            }

            #[inline]
            fn count<Q: Hash + ?Sized>(
                &self,
                value: &Q,
                is_meant: impl FnMut(u32) -> bool,
            ) -> usize {
                Self::count(self, value, is_meant)
            }

            #[inline]
            fn find<Q: Hash + ?Sized>(
                &self,
                value: &Q,
                is_meant: impl FnMut(u32) -> bool,
            ) -> Self::Slots<'_> {
                Self::find(self, value, is_meant)
            }
        }

        impl<X, const FIELD: usize, S: Clone> TryClone for Sets<X, FIELD, $index<S>> {
            fn try_clone(&self) -> Result<Self, Error> {
                Ok(Self { index: self.index.try_clone()?, planned: None, of: PhantomData })
            }
        }
    };
}

kind!(SetIndex, set::Slots<'s>);
kind!(ListIndex, list::Slots<'s>);

impl<X, const FIELD: usize, I: Default> Default for Sets<X, FIELD, I> {
    fn default() -> Self {
        Self { index: I::default(), planned: None, of: PhantomData }
    }
}

impl<X: Extract<FIELD>, const FIELD: usize, I: Kind> Sets<X, FIELD, I>
where
    X::Key: Hash + Eq,
{
    /// The slots of a value that was taken out of a row, or is like such a one.
    #[inline]
    pub(super) fn slots_of<Q, R>(&self, value: &Q, rows: R) -> I::Slots<'_>
    where
        X::Key: Borrow<Q>,
        Q: Hash + Eq + ?Sized,
        R: Rows<X::Row>,
    {
        self.index.find(value, |slot| Self::has(slot, value, rows))
    }

    #[inline]
    pub(super) fn count<Q, R>(&self, value: &Q, rows: R) -> usize
    where
        X::Key: Borrow<Q>,
        Q: Hash + Eq + ?Sized,
        R: Rows<X::Row>,
    {
        self.index.count(value, |slot| Self::has(slot, value, rows))
    }

    #[inline]
    fn has<Q, R>(slot: u32, value: &Q, rows: R) -> bool
    where
        X::Key: Borrow<Q>,
        Q: Eq + ?Sized,
        R: Rows<X::Row>,
    {
        rows.part(slot).is_some_and(|part| X::extract(part).borrow().borrow() == value)
    }
}

impl<X: Extract<FIELD>, const FIELD: usize, I: Kind> Index<X::Row> for Sets<X, FIELD, I>
where
    X::Key: Hash + Eq,
{
    #[inline]
    fn plan<R: Rows<X::Row>>(
        &mut self,
        slot: u32,
        new: &X::Row,
        old: Option<&X::Row>,
        rows: R,
    ) -> Result<(), Error> {
        let new = X::extract(new);
        let new = new.borrow();
        self.planned = None;
        if old.is_some_and(|old| X::extract(old).borrow() == new) && self.index.contains(slot) {
            return Ok(());
        }
        let plan = self.index.plan(new, slot, |other| Self::has(other, new, rows))?;
        self.planned = Some(plan);
        Ok(())
    }

    #[inline]
    fn commit(&mut self, slot: u32) {
        if let Some(plan) = self.planned.take() {
            self.index.commit(slot, plan);
        }
    }

    #[inline]
    fn remove(&mut self, slot: u32) {
        self.index.remove(slot);
    }

    fn clear(&mut self) {
        self.index.clear();
    }

    fn count(&self) -> usize {
        self.index.len()
    }

    fn finds<R: Rows<X::Row>>(&self, slot: u32, part: &X::Row, rows: R) -> bool {
        self.slots_of(X::extract(part).borrow(), rows).any(|found| found == slot)
    }
}

forward_arrays!([X, const FIELD: usize, I: Arrays] Sets<X, FIELD, I>, index);

impl<X, const FIELD: usize, I: fmt::Debug> fmt::Debug for Sets<X, FIELD, I> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Sets").field(&self.index).finish()
    }
}
