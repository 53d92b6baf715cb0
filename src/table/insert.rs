//! Rows that come and go.

use super::Table;
use super::indices::{Index, Indices, Row, Rows, VisitMut};
use super::rows::RowsOf;
use crate::error::{Error, Refused, or_give_up};
use crate::key::Key;
use crate::slots::vacancy::Vacancy;

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

/// A slot that the index of that number found by a hash.
pub(super) struct RemoveFound {
    pub(super) slot: u32,
    pub(super) field: usize,
    pub(super) hash: u32,
}

impl<P> VisitMut<P> for RemoveFound {
    #[inline]
    fn visit<I: Index<P>>(&mut self, index: &mut I) -> Result<(), Error> {
        index.remove_found(self.slot, self.field, self.hash);
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
        or_give_up(self.try_insert(row))
    }

    /// [`insert`](Self::insert), or the error and the row.
    ///
    /// # Errors
    ///
    /// If another row has the value of a [`Unique`](super::Unique) index ([`Taken`](crate::ErrorKind::Taken)); or as for
    /// [`SlotMap::try_insert`](crate::SlotMap::try_insert). The table is unchanged then.
    #[inline]
    pub fn try_insert(&mut self, row: R) -> Result<K, Refused<R>> {
        match self.rows.vacancy() {
            Ok(vacancy) => self.fill(vacancy, self.rows.key_of_vacancy(vacancy), row),
            Err(error) => Err(Refused { error: Self::explain(error), value: row }),
        }
    }

    /// Puts in the row that `make` makes of its key, which is returned. O(1) for each index.
    ///
    /// Should `make` panic, the table is unchanged.
    ///
    /// # Panics
    ///
    /// As for [`insert`](Self::insert).
    ///
    /// # Examples
    ///
    /// ```
    /// # use stayput::{DefaultKey, Table, indices};
    /// # indices! { struct By for (DefaultKey, char) { me: Unique<DefaultKey> = |row| &row.0, } }
    /// let mut table: Table<(DefaultKey, char), By> = Table::new();
    /// let key = table.insert_with_key(|key| (key, 'a'));
    /// assert_eq!(table.find(|by| &by.me, &key), Some((key, &(key, 'a'))));
    /// ```
    #[inline]
    #[track_caller]
    pub fn insert_with_key(&mut self, make: impl FnOnce(K) -> R) -> K {
        or_give_up(self.try_insert_with_key(make))
    }

    /// [`insert_with_key`](Self::insert_with_key), or the error, and the row if it was made.
    ///
    /// # Errors
    ///
    /// As for [`try_insert`](Self::try_insert).
    #[inline]
    pub fn try_insert_with_key(
        &mut self,
        make: impl FnOnce(K) -> R,
    ) -> Result<K, Refused<Option<R>>> {
        let vacancy = match self.rows.vacancy() {
            Ok(vacancy) => vacancy,
            Err(error) => return Err(Refused { error: Self::explain(error), value: None }),
        };
        let key = self.rows.key_of_vacancy(vacancy);
        let filled = self.fill(vacancy, key, make(key));
        filled.map_err(|Refused { error, value }| Refused { error, value: Some(value) })
    }

    /// Puts a row into a slot that was found for it.
    #[inline]
    fn fill(&mut self, vacancy: Vacancy, key: K, row: R) -> Result<K, Refused<R>> {
        let slot = vacancy.index;
        let mut plan = Plan { slot, new: row.part(), old: None, rows: RowsOf(&self.rows) };
        if let Err(error) = self.by.each_mut(&mut plan) {
            return Err(Refused { error: Self::explain(error), value: row });
        }
        self.rows.occupy(vacancy, row);
        self.all(Commit(slot));
        Ok(key)
    }

    /// Takes a row out. O(1) for each index; runs no user code, and may enter the kernel, where an index puts what is
    /// left of it together.
    #[inline]
    pub fn remove(&mut self, key: K) -> Option<R> {
        let parts = self.rows.parts_of(key);
        let row = self.rows.remove_parts(parts)?;
        self.all(Remove(parts.0));
        Some(row)
    }

    /// Takes out what is in a slot. Runs no user code, of keys neither.
    #[inline]
    pub(super) fn take_slot(&mut self, slot: u32) -> Option<R> {
        let (_, row) = self.rows.take_slot(slot)?;
        self.all(Remove(slot));
        Some(row)
    }

    /// Takes all rows out, and drops them. Linear in the slots; the memory stays.
    pub fn clear(&mut self) {
        self.all(Clear);
        self.rows.clear();
    }
}
