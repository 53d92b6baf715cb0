//! Rows that come and go.

use super::Table;
use super::indices::{Index, Indices, Row, Rows, VisitMut};
use super::rows::RowsOf;
use crate::error::{Error, Refused, give_up};
use crate::key::Key;

/// Has each index prepare for a row in a slot.
pub(super) struct Plan<'p, P, S> {
    pub(super) slot: u32,
    pub(super) new: &'p P,
    pub(super) old: Option<&'p P>,
    pub(super) rows: S,
}

impl<P, S: Rows<P>> VisitMut<P> for Plan<'_, P, S> {
    #[inline]
    fn visit<I: Index<P>>(&mut self, index: &mut I) -> Result<(), Error> {
        index.plan(self.slot, self.new, self.old, self.rows)
    }
}

/// Has each index do what it is prepared for.
pub(super) struct Commit(pub(super) u32);

impl<P> VisitMut<P> for Commit {
    #[inline]
    fn visit<I: Index<P>>(&mut self, index: &mut I) -> Result<(), Error> {
        index.commit(self.0);
        Ok(())
    }
}

struct Remove(u32);

impl<P> VisitMut<P> for Remove {
    #[inline]
    fn visit<I: Index<P>>(&mut self, index: &mut I) -> Result<(), Error> {
        index.remove(self.0);
        Ok(())
    }
}

pub(super) struct Clear;

impl<P> VisitMut<P> for Clear {
    fn visit<I: Index<P>>(&mut self, index: &mut I) -> Result<(), Error> {
        index.clear();
        Ok(())
    }
}

impl<R: Row<X::Part>, X: Indices, K: Key> Table<R, X, K> {
    /// Has all indices do something that cannot fail.
    #[inline]
    pub(super) fn all(&mut self, mut visitor: impl VisitMut<X::Part>) {
        let done = self.by.each_mut(&mut visitor);
        debug_assert!(done.is_ok(), "it cannot fail");
    }

    /// Puts a row in, and returns its key. O(1) for each index; enters the kernel where committed memory is used up.
    ///
    /// # Panics
    ///
    /// Where [`try_insert`](Self::try_insert) has an error.
    #[inline]
    #[track_caller]
    pub fn insert(&mut self, row: R) -> K {
        match self.try_insert(row) {
            Ok(key) => key,
            Err(refused) => give_up(refused.error),
        }
    }

    /// [`insert`](Self::insert), or the error and the row.
    ///
    /// # Errors
    ///
    /// If another row has the value of a [`Unique`](super::Unique) index ([`Taken`](crate::ErrorKind::Taken)); or as for
    /// [`SlotMap::try_insert`](crate::SlotMap::try_insert). The table is unchanged then.
    #[inline]
    pub fn try_insert(&mut self, row: R) -> Result<K, Refused<R>> {
        let vacancy = match self.rows.vacancy() {
            Ok(vacancy) => vacancy,
            Err(error) => return Err(Refused { error: Self::explain(error), value: row }),
        };
        let slot = vacancy.index;
        let rows = RowsOf(&self.rows);
        let mut plan = Plan { slot, new: row.part(), old: None, rows };
        if let Err(error) = self.by.each_mut(&mut plan) {
            return Err(Refused { error: Self::explain(error), value: row });
        }
        let key = self.rows.key_of_vacancy(vacancy);
        self.rows.occupy(vacancy, row);
        self.all(Commit(slot));
        Ok(key)
    }

    /// Takes a row out. O(1) for each index. Runs no user code.
    #[inline]
    pub fn remove(&mut self, key: K) -> Option<R> {
        let row = self.rows.remove(key)?;
        self.all(Remove(key.data().index()));
        Some(row)
    }

    /// Takes all rows out, and drops them. Linear in the rows; the memory stays.
    pub fn clear(&mut self) {
        self.all(Clear);
        self.rows.clear();
    }

    /// Takes out, and drops, each row for which the closure says no, in the order of slots.
    ///
    /// Should it panic, those after that row stay.
    pub fn retain(&mut self, mut keep: impl FnMut(K, &R) -> bool) {
        let Self { rows, by } = self;
        rows.retain(|key, row| {
            let stays = keep(key, row);
            if !stays {
                // It cannot fail.
                let _ = by.each_mut(&mut Remove(key.data().index()));
            }
            stays
        });
    }

    /// Takes all rows out, to be had in the order of slots; those that are not asked for are dropped with the iterator.
    pub fn drain(&mut self) -> crate::slot_map::Drain<'_, K, R> {
        self.all(Clear);
        self.rows.drain()
    }
}
