//! Insertion and removal of rows.

use super::Table;
use super::indices::{Index, Indices, Row, VisitMut};
use crate::container::{insert_many_methods, remove_many_method};
use crate::error::{Error, Refused, unwrap_or_panic};
use crate::key::Key;
use crate::slot_map::SlotMap;
use crate::slots::vacancy::Vacancy;
use crate::vec::Rest;

pub(super) struct PlanInsert<'p, P, K: Key, R> {
    pub(super) slot: u32,
    pub(super) new: &'p P,
    pub(super) old: Option<&'p P>,
    pub(super) rows: &'p SlotMap<K, R>,
}

impl<P, K: Key, R: Row<P>> VisitMut<P> for PlanInsert<'_, P, K, R> {
    #[inline]
    fn visit<I: Index<P>>(&mut self, index: &mut I) -> Result<(), Error> {
        index.plan(self.slot, self.new, self.old, self.rows)
    }
}

/// Defines a visitor that does one infallible step in each index, for [`Table::all`].
macro_rules! step {
    ($(#[$about:meta])* $step:ident { $($field:ident: $type:ty),* }, |$index:ident| $do:expr) => {
        $(#[$about])*
        pub(super) struct $step {
            $(pub(super) $field: $type),*
        }

        impl<P> VisitMut<P> for $step {
            #[inline]
            fn visit<I: Index<P>>(&mut self, $index: &mut I) -> Result<(), Error> {
                let Self { $($field),* } = *self;
                $do;
                Ok(())
            }
        }
    };
}

step! {
    Commit { slot: u32 }, |index| index.commit(slot)
}
step!(Remove { slot: u32 }, |index| index.remove(slot));
step! {
    /// Removes a slot that the index numbered `field` found by a hash.
    RemoveFound { slot: u32, field: usize, hash: u32 }, |index| index.remove_found(slot, field, hash)
}
step!(Clear {}, |index| index.clear());
step!(Tidy {}, |index| index.tidy());
step!(SetCell { field: usize, cell: f32 }, |index| index.set_cell(field, cell));

impl<R: Row<X::Part>, X: Indices, K: Key> Table<R, X, K> {
    #[inline]
    pub(super) fn all(&mut self, mut visitor: impl VisitMut<X::Part>) {
        let done = self.by.each_mut(&mut visitor);
        debug_assert!(done.is_ok(), "these visitors do not fail");
    }

    /// Inserts a row and returns its key. O(1) per index; enters the kernel when committed memory is used up.
    ///
    /// # Panics
    ///
    /// If [`try_insert`](Self::try_insert) returns an error.
    ///
    /// # Examples
    ///
    /// ```
    /// # use stayput::{Table, indices};
    /// # indices! { struct By for (u32, char) { number: Unique<u32> = |row| &row.0, } }
    /// let mut table: Table<(u32, char), By> = Table::new();
    /// let key = table.insert((7, 'a'));
    /// assert_eq!(table[key], (7, 'a'));
    /// assert_eq!(table.find(|by| &by.number, &7), Some((key, &(7, 'a'))));
    /// ```
    #[inline]
    #[track_caller]
    pub fn insert(&mut self, row: R) -> K {
        unwrap_or_panic(self.try_insert(row))
    }

    /// Inserts a row and returns its key, or returns the error and the row.
    ///
    /// # Errors
    ///
    /// If another row has the value of a [`Unique`](super::Unique) index ([`Taken`](crate::ErrorKind::Taken)), or as
    /// for [`SlotMap::try_insert`](crate::SlotMap::try_insert). The table is then unchanged.
    ///
    /// # Examples
    ///
    /// ```
    /// # use stayput::{ErrorKind, Table, indices};
    /// # indices! { struct By for (u32, char) { number: Unique<u32> = |row| &row.0, } }
    /// let mut table: Table<(u32, char), By> = Table::new();
    /// table.insert((7, 'a'));
    /// let refused = table.try_insert((7, 'b')).unwrap_err();
    /// assert_eq!((refused.error.kind(), refused.value), (ErrorKind::Taken, (7, 'b')));
    /// ```
    #[inline]
    pub fn try_insert(&mut self, row: R) -> Result<K, Refused<R>> {
        match self.rows.vacancy() {
            Ok(vacancy) => self.fill(vacancy, vacancy.key(self.rows.mint()), row),
            Err(error) => Err(Refused { error: Self::explain(error), value: row }),
        }
    }

    /// Inserts the row that `make` creates from its key, and returns the key. O(1) per index.
    ///
    /// If `make` panics, the table is unchanged.
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
        unwrap_or_panic(self.try_insert_with_key(make))
    }

    /// Inserts the row that `make` creates from its key, or returns the error, and the row if it was created.
    ///
    /// # Errors
    ///
    /// As for [`try_insert`](Self::try_insert).
    ///
    /// # Examples
    ///
    /// ```
    /// # use stayput::{Table, indices};
    /// # indices! { struct By for (u32, char) { number: Unique<u32> = |row| &row.0, } }
    /// let mut table: Table<(u32, char), By> = Table::new();
    /// let key = table.try_insert_with_key(|_| (7, 'a')).unwrap();
    /// assert_eq!(table[key], (7, 'a'));
    /// let refused = table.try_insert_with_key(|_| (7, 'b')).unwrap_err();
    /// assert_eq!(refused.value, Some((7, 'b')));
    /// ```
    #[inline]
    pub fn try_insert_with_key(
        &mut self,
        make: impl FnOnce(K) -> R,
    ) -> Result<K, Refused<Option<R>>> {
        let vacancy = match self.rows.vacancy() {
            Ok(vacancy) => vacancy,
            Err(error) => return Err(Refused { error: Self::explain(error), value: None }),
        };
        let key = vacancy.key(self.rows.mint());
        let filled = self.fill(vacancy, key, make(key));
        filled.map_err(|Refused { error, value }| Refused { error, value: Some(value) })
    }

    insert_many_methods! {
        R, |table| table.rows.max_len() - table.rows.slots_len();
        /// # use stayput::{Table, indices};
        /// # indices! { struct By for &'static str { word: Unique<str> = |row| *row, } }
        /// let mut map: Table<&str, By> = Table::new();
    }

    #[inline]
    fn fill(&mut self, vacancy: Vacancy, key: K, row: R) -> Result<K, Refused<R>> {
        let slot = vacancy.index;
        let mut plan = PlanInsert { slot, new: row.part(), old: None, rows: &self.rows };
        if let Err(error) = self.by.each_mut(&mut plan) {
            return Err(Refused { error: Self::explain(error), value: row });
        }
        self.rows.occupy(vacancy, row);
        self.all(Commit { slot });
        Ok(key)
    }

    /// Removes a row and returns it. O(1) per index; runs no user code once the key is converted, and may enter the kernel when an index compacts
    /// its arrays.
    ///
    /// # Examples
    ///
    /// ```
    /// # use stayput::{Table, indices};
    /// # indices! { struct By for (u32, char) { number: Unique<u32> = |row| &row.0, } }
    /// let mut table: Table<(u32, char), By> = Table::new();
    /// let key = table.insert((7, 'a'));
    /// assert_eq!(table.remove(key), Some((7, 'a')));
    /// assert_eq!(table.remove(key), None);
    /// assert_eq!(table.find(|by| &by.number, &7), None);
    /// ```
    #[inline]
    pub fn remove(&mut self, key: K) -> Option<R> {
        let (slot, generation) = self.rows.parts_of(key);
        let row = self.rows.remove_at(slot, generation)?;
        self.all(Remove { slot });
        Some(row)
    }

    remove_many_method! {
        "rows", |table| table.rows.ahead();
        /// # Examples
        ///
        /// ```
        /// # use stayput::{Table, indices};
        /// # indices! { struct By for (u32, char) { number: Unique<u32> = |row| &row.0, } }
        /// let mut table: Table<(u32, char), By> = Table::new();
        /// let keys = [table.insert((7, 'a')), table.insert((8, 'b'))];
        /// assert_eq!(table.remove_many([keys[0], keys[0], keys[1]]), 2);
        /// assert_eq!(table.find(|by| &by.number, &7), None);
        /// ```
    }

    /// Removes the row in a slot. Runs no user code, not even that of keys.
    #[inline]
    pub(super) fn take_slot(&mut self, slot: u32) -> Option<R> {
        let (_, row) = self.rows.take_at(slot)?;
        self.all(Remove { slot });
        Some(row)
    }

    /// Removes all rows and drops them. O(n) in the slots; memory stays committed.
    pub fn clear(&mut self) {
        self.all(Clear {});
        self.rows.clear();
    }
}
