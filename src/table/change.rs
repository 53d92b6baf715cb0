//! Changes to rows in place.

use super::Table;
use super::indices::{Index, Indices, Row, Visit, VisitMut};
use super::insert::{Clear, Commit, PlanInsert};
use crate::error::{Error, ErrorKind, Refused, unwrap_or_panic};
use crate::key::Key;
use crate::slot_map::SlotMap;
use crate::slots::walk::Walk;
use std::mem;

impl<R: Row<X::Part>, X: Indices, K: Key> Table<R, X, K> {
    /// Updates the indices for the new indexed part of a row, which the caller must then store. After an error nothing
    /// has changed.
    #[inline]
    fn relist(&mut self, slot: u32, new: &X::Part) -> Result<(), Error> {
        let rows = &self.rows;
        let old = rows.in_slot(slot).map(R::part);
        self.by.each_mut(&mut PlanInsert { slot, new, old, rows }).map_err(Self::explain)?;
        self.all(Commit { slot });
        Ok(())
    }

    /// Changes the indexed part of the row in a slot, as a copy or in place. The closure also receives the other part.
    #[inline]
    fn modify_in_slot<T>(
        &mut self,
        slot: u32,
        change: impl FnOnce(&mut X::Part, &mut R::Rest) -> T,
    ) -> Result<Option<T>, Error>
    where
        X::Part: Clone,
    {
        let Some(row) = self.rows.in_slot_mut(slot) else { return Ok(None) };
        let (part, rest) = row.split();
        let mut new = part.clone();
        let result;
        if mem::needs_drop::<X::Part>() {
            result = change(&mut new, rest);
        } else {
            // The copy is kept for the case of a refusal or a panic: most changes concern no index, and then nothing has
            // to be copied back.
            let mut undo = Undo { part, old: Some(new) };
            result = change(undo.part, rest);
            if undo.old.as_ref().is_some_and(|old| is_unchanged(&self.by, slot, undo.part, old)) {
                undo.old = None;
                return Ok(Some(result));
            }
            let Some(old) = undo.old.take() else { return Ok(None) };
            new = mem::replace(undo.part, old);
        }
        self.relist(slot, &new)?;
        if let Some(row) = self.rows.in_slot_mut(slot) {
            // The old part is dropped after everything else is done, but before the result is moved to the return
            // place, because a panicking drop would then leak it.
            drop(mem::replace(row.split().0, new));
        }
        Ok(Some(result))
    }

    /// Changes the indexed part of a row, and returns the result of the closure; `None` if the table has no row with
    /// the key. O(1) per index.
    ///
    /// If the closure panics or the change is refused, the row is unchanged: either the closure changes a copy, or a copy
    /// is restored (if the part has no destructor). So a clone must equal the original in all fields. To avoid copying
    /// data that is not indexed, use [rows that are pairs](Self#rows-that-are-pairs); rows that are not `Clone` can be
    /// changed by [`replace`](Self::replace).
    ///
    /// A copy must not share indexed values with the original, as a clone of an `Rc<Cell<_>>` does: the original would
    /// change too. See [inconsistent values](Self#inconsistent-values).
    ///
    /// # Panics
    ///
    /// If [`try_modify`](Self::try_modify) returns an error.
    ///
    /// # Examples
    ///
    /// ```
    /// # use stayput::{Table, indices};
    /// # indices! { struct By for (u32, char) { number: Unique<u32> = |row| &row.0, } }
    /// let mut table: Table<(u32, char), By> = Table::new();
    /// let key = table.insert((7, 'a'));
    /// let old = table.modify(key, |row| std::mem::replace(&mut row.0, 8));
    /// assert_eq!(old, Some(7));
    /// assert_eq!(table.find(|by| &by.number, &7), None);
    /// assert_eq!(table.find(|by| &by.number, &8), Some((key, &(8, 'a'))));
    /// ```
    #[inline]
    #[track_caller]
    pub fn modify<T>(&mut self, key: K, change: impl FnOnce(&mut X::Part) -> T) -> Option<T>
    where
        X::Part: Clone,
    {
        unwrap_or_panic(self.try_modify(key, change))
    }

    /// Changes the indexed part of a row as [`modify`](Self::modify) does, or returns the error.
    ///
    /// # Errors
    ///
    /// If another row has the new value of a [`Unique`](super::Unique) index ([`Taken`](crate::ErrorKind::Taken)), or
    /// memory is refused. The row is then unchanged.
    ///
    /// # Examples
    ///
    /// ```
    /// # use stayput::{ErrorKind, Table, indices};
    /// # indices! { struct By for (u32, char) { number: Unique<u32> = |row| &row.0, } }
    /// let mut table: Table<(u32, char), By> = [(7, 'a'), (8, 'b')].into();
    /// let (key, _) = table.find(|by| &by.number, &8).unwrap();
    /// let error = table.try_modify(key, |row| row.0 = 7).unwrap_err();
    /// assert_eq!(error.kind(), ErrorKind::Taken);
    /// assert_eq!(table[key], (8, 'b'));
    /// ```
    #[inline]
    pub fn try_modify<T>(
        &mut self,
        key: K,
        change: impl FnOnce(&mut X::Part) -> T,
    ) -> Result<Option<T>, Error>
    where
        X::Part: Clone,
    {
        let Some(slot) = self.rows.slot_of(key) else { return Ok(None) };
        self.modify_in_slot(slot, |part, _| change(part))
    }

    /// Replaces the row of a key, and returns the old row. O(1) per index.
    ///
    /// # Panics
    ///
    /// If [`try_replace`](Self::try_replace) returns an error.
    ///
    /// # Examples
    ///
    /// ```
    /// # use stayput::{Table, indices};
    /// # indices! { struct By for (u32, char) { number: Unique<u32> = |row| &row.0, } }
    /// let mut table: Table<(u32, char), By> = Table::new();
    /// let key = table.insert((7, 'a'));
    /// assert_eq!(table.replace(key, (8, 'b')), (7, 'a'));
    /// assert_eq!(table.find(|by| &by.number, &8), Some((key, &(8, 'b'))));
    /// ```
    #[inline]
    #[track_caller]
    pub fn replace(&mut self, key: K, row: R) -> R {
        unwrap_or_panic(self.try_replace(key, row))
    }

    /// Replaces the row of a key as [`replace`](Self::replace) does, or returns the error and the new row.
    ///
    /// # Errors
    ///
    /// If the table has no row with the key ([`StaleKey`](crate::ErrorKind::StaleKey)), or as for
    /// [`try_modify`](Self::try_modify). The table is then unchanged.
    #[inline]
    pub fn try_replace(&mut self, key: K, row: R) -> Result<R, Refused<R>> {
        let stale = || Self::explain(Error::new(ErrorKind::StaleKey, 0));
        let Some(slot) = self.rows.slot_of(key) else {
            return Err(Refused { error: stale(), value: row });
        };
        if let Err(error) = self.relist(slot, row.part()) {
            return Err(Refused { error, value: row });
        }
        match self.rows.in_slot_mut(slot) {
            Some(old) => Ok(mem::replace(old, row)),
            None => Err(Refused { error: stale(), value: row }),
        }
    }

    /// Changes the indexed part of each row as [`modify`](Self::modify) does, in slot order. O(n) in the slots.
    ///
    /// Rows are changed one at a time, so the new value of a [`Unique`](super::Unique) index must differ from those
    /// that later rows still have. For example, incrementing consecutive numbers is refused at the first row.
    ///
    /// # Panics
    ///
    /// If [`try_for_each_mut`](Self::try_for_each_mut) returns an error.
    ///
    /// # Examples
    ///
    /// ```
    /// # use stayput::{Table, indices};
    /// # indices! { struct By for (u32, char) { number: Unique<u32> = |row| &row.0, } }
    /// let mut table: Table<(u32, char), By> = [(7, 'a'), (8, 'b')].into();
    /// table.for_each_mut(|_, row| row.0 *= 10);
    /// assert_eq!(table.find(|by| &by.number, &80).unwrap().1, &(80, 'b'));
    /// ```
    #[track_caller]
    pub fn for_each_mut(&mut self, change: impl FnMut(K, &mut X::Part))
    where
        X::Part: Clone,
    {
        unwrap_or_panic(self.try_for_each_mut(change));
    }

    /// Changes each row as [`for_each_mut`](Self::for_each_mut) does, up to the first error.
    ///
    /// # Errors
    ///
    /// As for [`try_modify`](Self::try_modify). Rows before the refused one are changed; that row and those after it
    /// are unchanged.
    pub fn try_for_each_mut(&mut self, mut change: impl FnMut(K, &mut X::Part)) -> Result<(), Error>
    where
        X::Part: Clone,
    {
        self.modify_each(|key, part, _| change(key, part))
    }

    fn modify_each(
        &mut self,
        mut change: impl FnMut(K, &mut X::Part, &mut R::Rest),
    ) -> Result<(), Error>
    where
        X::Part: Clone,
    {
        for slot in 0..self.rows.slot_count() {
            if let Some((key, _)) = self.rows.get_by_index(slot) {
                self.modify_in_slot(slot, |part, rest| change(key, part, rest))?;
            }
        }
        Ok(())
    }

    /// Creates a table from the rows of a slot map, which keep their keys. O(n).
    ///
    /// The indices are made by [`Default`]; [`set_cell`](Self::set_cell) changes the cell size of a grid.
    ///
    /// # Errors
    ///
    /// If two rows have the same value in a [`Unique`](super::Unique) index ([`Taken`](crate::ErrorKind::Taken)), or
    /// memory is refused. The error carries the rows.
    ///
    /// # Examples
    ///
    /// ```
    /// # use stayput::{DefaultKey, ErrorKind, SlotMap, Table, indices};
    /// # indices! { struct By for (u32, char) { number: Unique<u32> = |row| &row.0, } }
    /// let mut rows: SlotMap<DefaultKey, (u32, char)> = SlotMap::new();
    /// let key = rows.insert((7, 'a'));
    /// let table: Table<(u32, char), By> = Table::try_from_rows(rows).unwrap();
    /// assert_eq!(table.find(|by| &by.number, &7), Some((key, &(7, 'a'))));
    ///
    /// let mut rows = table.into_rows();
    /// rows.insert((7, 'b'));
    /// let refused = Table::<(u32, char), By>::try_from_rows(rows).unwrap_err();
    /// assert_eq!((refused.error.kind(), refused.value.len()), (ErrorKind::Taken, 2));
    /// ```
    #[expect(clippy::result_large_err, reason = "the error carries the rows")]
    pub fn try_from_rows(rows: SlotMap<K, R>) -> Result<Self, Refused<SlotMap<K, R>>> {
        let mut table = Self { rows, by: X::default() };
        match table.try_reindex() {
            Ok(()) => Ok(table),
            Err(error) => Err(Refused { error, value: table.rows }),
        }
    }

    /// Rebuilds the indices from the rows, after values have changed inside rows; see [inconsistent
    /// values](Self#inconsistent-values). O(n) in the slots.
    ///
    /// If user code panics, rows not yet visited are in no index, the row being visited may be in some of them, and
    /// `reindex` can be called again.
    ///
    /// # Panics
    ///
    /// If [`try_reindex`](Self::try_reindex) returns an error.
    ///
    /// # Examples
    ///
    /// ```
    /// use stayput::{Table, indices};
    /// use std::cell::Cell;
    ///
    /// indices! { struct By for Cell<u32> { number: Unique<u32> = |row| row.get(), } }
    ///
    /// let mut table: Table<Cell<u32>, By> = Table::new();
    /// let key = table.insert(Cell::new(7));
    /// table[key].set(8); // the index does not notice
    /// assert!(table.find(|by| &by.number, &8).is_none());
    /// table.reindex();
    /// assert!(table.find(|by| &by.number, &8).is_some());
    /// ```
    #[track_caller]
    pub fn reindex(&mut self) {
        unwrap_or_panic(self.try_reindex());
    }

    /// Rebuilds the indices as [`reindex`](Self::reindex) does, and returns the first error.
    ///
    /// # Errors
    ///
    /// If two rows have the same value in a [`Unique`](super::Unique) index ([`Taken`](crate::ErrorKind::Taken)), or
    /// memory is refused. Such a row is left out of the index, which does not find it until the row is changed or the
    /// indices are rebuilt; its changes are refused as long as another row has its value. All other rows are indexed.
    pub fn try_reindex(&mut self) -> Result<(), Error> {
        self.all(Clear {});
        let mut first = Ok(());
        let mut walk = self.rows.walk();
        while let Some((slot, _, row)) = walk.step() {
            let rows = &self.rows;
            let plan = PlanInsert { slot, new: row.part(), old: None, rows };
            let mut list = List { plan, result: Ok(()) };
            let _ = self.by.each_mut(&mut list);
            first = first.and(list.result);
        }
        first.map_err(Self::explain)
    }
}

/// Changes to both parts of [rows that are pairs](Table#rows-that-are-pairs).
impl<I: Clone, M, X: Indices<Part = I>, K: Key> Table<(I, M), X, K> {
    /// Changes both parts of a row, and returns the result of the closure; `None` if the table has no row with the key.
    ///
    /// The closure receives the indexed part, or a copy of it, and a mutable reference to the other part. If the closure
    /// panics or the change is refused, the indexed part is unchanged, but changes to the other part stay. If the change is
    /// refused, the result of the closure is dropped.
    ///
    /// # Panics
    ///
    /// If [`try_modify_both`](Self::try_modify_both) returns an error.
    ///
    /// # Time complexity
    ///
    /// O(1) per index.
    ///
    /// # Examples
    ///
    /// ```
    /// use stayput::{Table, indices};
    ///
    /// indices! { struct ByPlace for [f32; 2] { at: Grid<2, cell = 1.0> = |at| *at, } }
    ///
    /// struct Motion {
    ///     velocity: [f32; 2],
    /// }
    ///
    /// let mut bodies: Table<([f32; 2], Motion), ByPlace> = Table::new();
    /// let key = bodies.insert(([0.0, 0.0], Motion { velocity: [3.0, 0.0] }));
    /// bodies.modify_both(key, |at, motion| {
    ///     at[0] += motion.velocity[0];
    ///     motion.velocity[0] *= 0.5;
    /// });
    /// let (_, (at, motion)) = bodies.within(|by| &by.at, [3.0, 0.0], 0.1).next().unwrap();
    /// assert_eq!((at, motion.velocity), (&[3.0, 0.0], [1.5, 0.0]));
    /// ```
    #[inline]
    #[track_caller]
    pub fn modify_both<T>(
        &mut self,
        key: K,
        change: impl FnOnce(&mut I, &mut M) -> T,
    ) -> Option<T> {
        unwrap_or_panic(self.try_modify_both(key, change))
    }

    /// Changes both parts of a row as [`modify_both`](Self::modify_both) does, or returns the error.
    ///
    /// # Errors
    ///
    /// As for [`try_modify`](Self::try_modify). The indexed part is then unchanged.
    #[inline]
    pub fn try_modify_both<T>(
        &mut self,
        key: K,
        change: impl FnOnce(&mut I, &mut M) -> T,
    ) -> Result<Option<T>, Error> {
        let Some(slot) = self.rows.slot_of(key) else { return Ok(None) };
        self.modify_in_slot(slot, |part, rest| change(part, rest))
    }

    /// Changes both parts of each row as [`modify_both`](Self::modify_both) does, in slot order.
    ///
    /// # Panics
    ///
    /// If [`try_for_each_both_mut`](Self::try_for_each_both_mut) returns an error.
    ///
    /// # Time complexity
    ///
    /// O(n) in the slots.
    ///
    /// # Examples
    ///
    /// ```
    /// # use stayput::{Table, indices};
    /// # indices! { struct ByPlace for [f32; 2] { at: Grid<2, cell = 1.0> = |at| *at, } }
    /// let mut bodies: Table<([f32; 2], f32), ByPlace> =
    ///     [([0.0, 0.0], 2.0), ([5.0, 0.0], -2.0)].into();
    /// bodies.for_each_both_mut(|_, at, speed| at[0] += *speed);
    /// assert_eq!(bodies.within(|by| &by.at, [2.5, 0.0], 0.6).count(), 2);
    /// ```
    #[track_caller]
    pub fn for_each_both_mut(&mut self, change: impl FnMut(K, &mut I, &mut M)) {
        unwrap_or_panic(self.try_for_each_both_mut(change));
    }

    /// Changes each row as [`for_each_both_mut`](Self::for_each_both_mut) does, up to the first error.
    ///
    /// # Errors
    ///
    /// As for [`try_modify_both`](Self::try_modify_both). Rows before the refused one are changed; those after it are
    /// unchanged.
    pub fn try_for_each_both_mut(
        &mut self,
        change: impl FnMut(K, &mut I, &mut M),
    ) -> Result<(), Error> {
        self.modify_each(change)
    }
}

/// Restores a part that is being changed in place, unless `old` was taken.
struct Undo<'r, P> {
    part: &'r mut P,
    old: Option<P>,
}

impl<P> Drop for Undo<'_, P> {
    #[inline]
    fn drop(&mut self) {
        if let Some(old) = self.old.take() {
            *self.part = old;
        }
    }
}

/// Whether no index has to be updated for a change of the row in a slot.
#[inline]
fn is_unchanged<X: Indices>(by: &X, slot: u32, new: &X::Part, old: &X::Part) -> bool {
    let mut unchanged = Unchanged { slot, new, old, result: true };
    by.each(&mut unchanged).is_ok() && unchanged.result
}

struct Unchanged<'p, P> {
    slot: u32,
    new: &'p P,
    old: &'p P,
    result: bool,
}

impl<P> Visit<P> for Unchanged<'_, P> {
    #[inline]
    fn visit<I: Index<P>>(&mut self, index: &I) -> Result<(), Error> {
        self.result = self.result && index.is_unchanged(self.slot, self.new, self.old);
        Ok(())
    }
}

/// Adds a row to each index that accepts it, and keeps the first error.
struct List<'p, P, K: Key, R> {
    plan: PlanInsert<'p, P, K, R>,
    result: Result<(), Error>,
}

impl<P, K: Key, R: Row<P>> VisitMut<P> for List<'_, P, K, R> {
    fn visit<I: Index<P>>(&mut self, index: &mut I) -> Result<(), Error> {
        let planned = self.plan.visit(index);
        if planned.is_ok() {
            index.commit(self.plan.slot);
        }
        self.result = self.result.and(planned);
        Ok(())
    }
}
