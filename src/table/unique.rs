//! [`Unique`]: an index of values of which no two rows have the same.

use super::indices::{Extract, Index, Rows, TryClone};
use crate::error::Error;
use crate::index::UniqueIndex;
use crate::index::memory::forward_arrays;
use std::borrow::Borrow;
use std::fmt;
use std::hash::{BuildHasher, Hash, RandomState};
use std::marker::PhantomData;

/// The index of a value that no two rows have in common: what [`indices!`](crate::indices) makes of
/// `Unique<str>`.
///
/// For [`Table::find`](super::Table::find). Its hashes have a seed of their own, unless a hasher is named behind the type
/// of the values: `Unique<str, FxBuildHasher>`.
pub struct Unique<X, const FIELD: usize, S = RandomState> {
    index: UniqueIndex<S>,
    /// A hash, unless the slot is to stay where it is.
    planned: Option<u32>,
    of: PhantomData<fn() -> X>,
}

impl<X, const FIELD: usize, S: Default + BuildHasher> Default for Unique<X, FIELD, S> {
    fn default() -> Self {
        Self { index: UniqueIndex::default(), planned: None, of: PhantomData }
    }
}

impl<X: Extract<FIELD>, const FIELD: usize, S: BuildHasher> Unique<X, FIELD, S>
where
    X::Key: Hash + Eq,
{
    /// The slot of a value that was taken out of a row, or is like such a one.
    #[inline]
    pub(super) fn slot_of<Q, R>(&self, value: &Q, rows: R) -> Option<u32>
    where
        X::Key: Borrow<Q>,
        Q: Hash + Eq + ?Sized,
        R: Rows<X::Row>,
    {
        self.index.find(value, |slot| Self::has(slot, value, rows))
    }

    /// The same, and the hash that it was found by.
    #[inline]
    pub(super) fn found<Q, R>(&self, value: &Q, rows: R) -> Option<(u32, u32)>
    where
        X::Key: Borrow<Q>,
        Q: Hash + Eq + ?Sized,
        R: Rows<X::Row>,
    {
        let hash = self.index.hash(value);
        let slot = self.index.find_hashed(hash, |slot| Self::has(slot, value, rows))?;
        Some((slot, hash))
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

impl<X: Extract<FIELD>, const FIELD: usize, S: BuildHasher> Index<X::Row> for Unique<X, FIELD, S>
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
        let hash = self.index.hash(new);
        let is_taken = |other| other != slot && Self::has(other, new, rows);
        if let Some(other) = self.index.find_hashed(hash, is_taken) {
            return Err(Error::taken(FIELD, other));
        }
        self.index.try_reserve_slot(slot)?;
        self.planned = Some(hash);
        Ok(())
    }

    #[inline]
    fn commit(&mut self, slot: u32) {
        if let Some(hash) = self.planned.take() {
            self.index.put_reserved(hash, slot);
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
        self.slot_of(X::extract(part).borrow(), rows) == Some(slot)
    }
}

impl<X, const FIELD: usize, S: Clone> TryClone for Unique<X, FIELD, S> {
    fn try_clone(&self) -> Result<Self, Error> {
        Ok(Self { index: self.index.try_clone()?, planned: None, of: PhantomData })
    }
}

forward_arrays!([X, const FIELD: usize, S] Unique<X, FIELD, S>, index);

impl<X, const FIELD: usize, S> fmt::Debug for Unique<X, FIELD, S> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Unique").field(&self.index).finish()
    }
}
