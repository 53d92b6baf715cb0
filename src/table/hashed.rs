//! [`Hashed`]: the indices of values that are found by their hashes: [`Unique`], [`Many`] and [`List`].

use super::indices::{Extract, Index, Rows, TryClone};
use crate::error::Error;
use crate::index::memory::{Arrays, forward_arrays};
use crate::index::{ListIndex, Plan, SetIndex, UniqueIndex, list, set};
use std::borrow::Borrow;
use std::hash::{BuildHasher, Hash, RandomState};
use std::marker::PhantomData;

/// The index of a value that is found by its hash: what [`indices!`](crate::indices) declares by [`Unique`], [`Many`] and
/// [`List`].
pub struct Hashed<X, const FIELD: usize, I, P> {
    index: I,
    /// Where a slot is to go; `None` if it is to stay where it is.
    planned: Option<P>,
    of: PhantomData<fn() -> X>,
}

/// The index of a value that no two rows have in common: what [`indices!`](crate::indices) makes of
/// `Unique<str>`.
///
/// For [`Table::find`](super::Table::find). Its hashes have a seed of their own, unless a hasher is named behind the type
/// of the values: `Unique<str, FxBuildHasher>`.
pub type Unique<X, const FIELD: usize, S = RandomState> = Hashed<X, FIELD, UniqueIndex<S>, u32>;

/// The index of a value that any number of rows may have: what [`indices!`](crate::indices) makes of
/// `Many<u32>` and `List<u32>`.
///
/// For [`Table::find_all`](super::Table::find_all).
pub type Sets<X, const FIELD: usize, I> = Hashed<X, FIELD, I, Plan>;

/// Sets of slots in lines of the processor's cache: a [`SetIndex`].
pub type Many<X, const FIELD: usize, S = RandomState> = Sets<X, FIELD, SetIndex<S>>;

/// Sets of slots as linked lists: a [`ListIndex`].
pub type List<X, const FIELD: usize, S = RandomState> = Sets<X, FIELD, ListIndex<S>>;

/// The kinds of sets that there are: [`SetIndex`] and [`ListIndex`].
pub trait Kind: sealed::Kind {}

impl<I: sealed::Kind> Kind for I {}

pub(super) mod sealed {
    use super::{Arrays, Error, Hash, Plan};

    /// An index of slots by hashes. `P` is what a plan for a slot is.
    pub trait HashIndex<P>: Arrays {
        /// Finds out where the slot of a value is to go, and makes room for it. `field` is the number of the index.
        fn plan<Q: Hash + ?Sized>(
            &mut self,
            value: &Q,
            slot: u32,
            field: usize,
            is_meant: impl FnMut(u32) -> bool,
        ) -> Result<P, Error>;

        fn commit(&mut self, slot: u32, plan: P);

        fn remove(&mut self, slot: u32) -> bool;

        /// [`remove`](Self::remove) of a slot that was found by a hash.
        #[inline]
        fn remove_hashed(&mut self, _hash: u32, slot: u32) {
            self.remove(slot);
        }

        fn clear(&mut self);

        fn len(&self) -> usize;

        fn contains(&self, slot: u32) -> bool;

        /// Whether a slot is found by a value.
        fn finds<Q: Hash + ?Sized>(
            &self,
            value: &Q,
            slot: u32,
            is_meant: impl FnMut(u32) -> bool,
        ) -> bool;
    }

    pub trait Kind: HashIndex<Plan> {
        type Slots<'s>: Iterator<Item = u32>
        where
            Self: 's;

        fn count<Q: Hash + ?Sized>(&self, value: &Q, is_meant: impl FnMut(u32) -> bool) -> usize;

        fn find<Q: Hash + ?Sized>(
            &self,
            value: &Q,
            is_meant: impl FnMut(u32) -> bool,
        ) -> Self::Slots<'_>;
    }
}

use sealed::HashIndex;

/// Implements [`HashIndex`] for an index: by its methods of the same names, and by those that are given.
macro_rules! hash_index {
    ($index:ident, $plan:ty, $shown:literal, { $($methods:tt)* }) => {
        impl<S: BuildHasher> HashIndex<$plan> for $index<S> {
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

            $($methods)*
        }

        impl<X, const FIELD: usize, S: Clone> TryClone for Hashed<X, FIELD, $index<S>, $plan> {
            fn try_clone(&self) -> Result<Self, Error> {
                Ok(Self { index: self.index.try_clone()?, planned: None, of: PhantomData })
            }
        }

        debug_as! {
            [X, const FIELD: usize, S] Hashed<X, FIELD, $index<S>, $plan>, $shown, |this| this.index
        }
    };
}

hash_index!(UniqueIndex, u32, "Unique", {
    /// A plan is the hash of the value.
    #[inline]
    fn plan<Q: Hash + ?Sized>(
        &mut self,
        value: &Q,
        slot: u32,
        field: usize,
        mut is_meant: impl FnMut(u32) -> bool,
    ) -> Result<u32, Error> {
        let hash = self.hash(value);
        if let Some(other) = self.find_hashed(hash, |other| other != slot && is_meant(other)) {
            return Err(Error::taken(field, other));
        }
        self.try_reserve_slot(slot)?;
        Ok(hash)
    }

    #[inline]
    fn commit(&mut self, slot: u32, hash: u32) {
        self.put_reserved(hash, slot);
    }

    #[inline]
    fn remove_hashed(&mut self, hash: u32, slot: u32) {
        Self::remove_hashed(self, hash, slot);
    }

    fn finds<Q: Hash + ?Sized>(
        &self,
        value: &Q,
        slot: u32,
        is_meant: impl FnMut(u32) -> bool,
    ) -> bool {
        self.find(value, is_meant) == Some(slot)
    }
});

/// Implements [`Kind`] for an index of sets.
macro_rules! kind {
    ($index:ident, $slots:ty) => {
        hash_index!($index, Plan, "Sets", {
            #[inline]
            fn plan<Q: Hash + ?Sized>(
                &mut self,
                value: &Q,
                slot: u32,
                _: usize,
                is_meant: impl FnMut(u32) -> bool,
            ) -> Result<Plan, Error> {
                Self::plan(self, value, slot, is_meant)
            }

            #[inline]
            fn commit(&mut self, slot: u32, plan: Plan) {
                Self::commit(self, slot, plan);
            }

            fn finds<Q: Hash + ?Sized>(
                &self,
                value: &Q,
                slot: u32,
                is_meant: impl FnMut(u32) -> bool,
            ) -> bool {
                self.find(value, is_meant).any(|found| found == slot)
            }
        });

        impl<S: BuildHasher> sealed::Kind for $index<S> {
            type Slots<'s>
                = $slots
            where
                S: 's;

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
    };
}

kind!(SetIndex, set::Slots<'s>);
kind!(ListIndex, list::Slots<'s>);

impl<X, const FIELD: usize, I: Default, P> Default for Hashed<X, FIELD, I, P> {
    fn default() -> Self {
        Self { index: I::default(), planned: None, of: PhantomData }
    }
}

impl<X: Extract<FIELD>, const FIELD: usize, I, P> Hashed<X, FIELD, I, P>
where
    X::Key: Hash + Eq,
{
    /// Whether the row of a slot has a value that was taken out of a row, or is like such a one.
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

impl<X: Extract<FIELD>, const FIELD: usize, S: BuildHasher> Unique<X, FIELD, S>
where
    X::Key: Hash + Eq,
{
    /// The slot of a value, and the hash that it was found by.
    #[inline]
    pub(super) fn slot_of<Q, R>(&self, value: &Q, rows: R) -> Option<(u32, u32)>
    where
        X::Key: Borrow<Q>,
        Q: Hash + Eq + ?Sized,
        R: Rows<X::Row>,
    {
        let hash = self.index.hash(value);
        let slot = self.index.find_hashed(hash, |slot| Self::has(slot, value, rows))?;
        Some((slot, hash))
    }
}

impl<X: Extract<FIELD>, const FIELD: usize, I: Kind> Sets<X, FIELD, I>
where
    X::Key: Hash + Eq,
{
    /// The slots of a value.
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
}

impl<X, const FIELD: usize, I, P> Index<X::Row> for Hashed<X, FIELD, I, P>
where
    X: Extract<FIELD, Key: Hash + Eq>,
    I: HashIndex<P>,
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
        let has_it = |other| Self::has(other, new, rows);
        self.planned = Some(self.index.plan(new, slot, FIELD, has_it)?);
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

    #[inline]
    fn remove_found(&mut self, slot: u32, field: usize, hash: u32) {
        if field == FIELD {
            self.index.remove_hashed(hash, slot);
        } else {
            self.index.remove(slot);
        }
    }

    fn clear(&mut self) {
        self.index.clear();
    }

    fn count(&self) -> usize {
        self.index.len()
    }

    fn finds<R: Rows<X::Row>>(&self, slot: u32, part: &X::Row, rows: R) -> bool {
        let value = X::extract(part);
        let value = value.borrow();
        self.index.finds(value, slot, |slot| Self::has(slot, value, rows))
    }
}

forward_arrays!([X, const FIELD: usize, I: Arrays, P] Hashed<X, FIELD, I, P>, index);
