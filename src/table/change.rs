//! Rows that change where they are.

use super::Table;
use super::indices::{Index, Indices, Row, VisitMut};
use super::insert::{Clear, Commit, Plan};
use super::rows::RowsOf;
use crate::error::{Error, ErrorKind, Refused, or_give_up};
use crate::key::Key;
use crate::slot_map::SlotMap;
use crate::slots::walk::Walk;
use std::mem;

impl<R: Row<X::Part>, X: Indices, K: Key> Table<R, X, K> {
    /// Has the indices know of a row's new part, or leaves all as it was. Then it has to be put in.
    #[inline]
    fn relist(&mut self, slot: u32, new: &X::Part) -> Result<(), Error> {
        let rows = RowsOf(&self.rows);
        let old = self.rows.in_slot(slot).map(R::part);
        self.by.each_mut(&mut Plan { slot, new, old, rows }).map_err(Self::explain)?;
        self.all(Commit(slot));
        Ok(())
    }

    /// Changes a copy of the indexed part of the row in a slot, and stores it once every index has accepted it.
    ///
    /// The closure is given the row as well, and may only change the part that is not indexed.
    #[inline]
    fn modify_in_slot<T>(
        &mut self,
        slot: u32,
        change: impl FnOnce(&mut X::Part, &mut R) -> T,
    ) -> Result<Option<T>, Error>
    where
        X::Part: Clone,
    {
        let Some(row) = self.rows.in_slot_mut(slot) else { return Ok(None) };
        let mut part = row.part().clone();
        let result = change(&mut part, row);
        self.relist(slot, &part)?;
        if let Some(row) = self.rows.in_slot_mut(slot) {
            // The old one is dropped when nothing is left to do.
            mem::swap(row.part_mut(), &mut part);
        }
        Ok(Some(result))
    }

    /// Changes what is indexed of a row, and returns what the closure does; `None`, if the key's row is not in it.
    ///
    /// The closure has a copy, which takes the place of the row's own once every index has agreed. So the row is as it was, should
    /// the closure panic or the change be refused. What need not be copied may be in the other half of [a row of
    /// two](Self#rows-of-two), and a row that cannot be copied is changed by [`replace`](Self::replace). Values that stay equal cost a comparison
    /// each. O(1) for each index.
    ///
    /// A copy that shares what is indexed with its original, as one of an `Rc<Cell<_>>` does, is no copy: then values change
    /// by themselves; see [wrong values](Self#wrong-values).
    ///
    /// # Panics
    ///
    /// Where [`try_modify`](Self::try_modify) has an error.
    #[inline]
    #[track_caller]
    pub fn modify<T>(&mut self, key: K, change: impl FnOnce(&mut X::Part) -> T) -> Option<T>
    where
        X::Part: Clone,
    {
        or_give_up(self.try_modify(key, change))
    }

    /// [`modify`](Self::modify), or the error.
    ///
    /// # Errors
    ///
    /// If another row has the new value of a [`Unique`](super::Unique) index ([`Taken`](crate::ErrorKind::Taken)), or the
    /// system refuses memory. The row is as it was then.
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

    /// Puts a row where another is, under its key, and returns that one. O(1) for each index.
    ///
    /// # Panics
    ///
    /// Where [`try_replace`](Self::try_replace) has an error.
    #[inline]
    #[track_caller]
    pub fn replace(&mut self, key: K, row: R) -> R {
        or_give_up(self.try_replace(key, row))
    }

    /// [`replace`](Self::replace), or the error and the new row.
    ///
    /// # Errors
    ///
    /// If the key's row is not in it ([`StaleKey`](crate::ErrorKind::StaleKey)); or as for
    /// [`try_modify`](Self::try_modify). The table is unchanged then.
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

    /// [`modify`](Self::modify) of each row, in the order of slots. Linear in the slots.
    ///
    /// A value of a [`Unique`](super::Unique) index can't pass through one that a later row still has: to count all up by one is
    /// refused at the first.
    ///
    /// # Panics
    ///
    /// Where [`try_for_each_mut`](Self::try_for_each_mut) has an error.
    #[track_caller]
    pub fn for_each_mut(&mut self, change: impl FnMut(K, &mut X::Part))
    where
        X::Part: Clone,
    {
        or_give_up(self.try_for_each_mut(change));
    }

    /// [`for_each_mut`](Self::for_each_mut), or the first error.
    ///
    /// # Errors
    ///
    /// As for [`try_modify`](Self::try_modify). Rows before that one are changed, it and those after it are as they were.
    pub fn try_for_each_mut(&mut self, mut change: impl FnMut(K, &mut X::Part)) -> Result<(), Error>
    where
        X::Part: Clone,
    {
        self.modify_each(|key, part, _| change(key, part))
    }

    /// Changes each row, as [`modify_in_slot`](Self::modify_in_slot) does.
    fn modify_each(&mut self, mut change: impl FnMut(K, &mut X::Part, &mut R)) -> Result<(), Error>
    where
        X::Part: Clone,
    {
        for slot in 0..self.rows.slot_count() {
            if let Some((key, _)) = self.rows.get_by_index(slot) {
                self.modify_in_slot(slot, |part, row| change(key, part, row))?;
            }
        }
        Ok(())
    }

    /// A table of rows that are there, under their keys, with indices made by [`Default`]: [`set_cell`](Self::set_cell)
    /// gives a grid cells of another size. Linear in the rows.
    ///
    /// # Errors
    ///
    /// If two rows have the same value of a [`Unique`](super::Unique) index
    /// ([`Taken`](crate::ErrorKind::Taken)), or the system refuses memory; the rows come back.
    #[expect(clippy::result_large_err, reason = "nothing is lost")]
    pub fn try_from_rows(rows: SlotMap<K, R>) -> Result<Self, Refused<SlotMap<K, R>>> {
        let mut table = Self { rows, by: X::default() };
        match table.try_reindex() {
            Ok(()) => Ok(table),
            Err(error) => Err(Refused { error, value: table.rows }),
        }
    }

    /// Makes the indices anew from what the rows hold. Linear in the slots.
    ///
    /// Should user code panic, rows that were not come to yet are in no index; it can be called again.
    ///
    /// It is for values that changed by themselves; see [wrong values](Self#wrong-values).
    ///
    /// # Panics
    ///
    /// Where [`try_reindex`](Self::try_reindex) has an error.
    #[track_caller]
    pub fn reindex(&mut self) {
        or_give_up(self.try_reindex());
    }

    /// [`reindex`](Self::reindex), or the first error.
    ///
    /// # Errors
    ///
    /// If two rows have the same value of a [`Unique`](super::Unique) index
    /// ([`Taken`](crate::ErrorKind::Taken)), or the system refuses memory. A row for which that holds is left out of that
    /// index: it is not found by it, until it is changed or this is done again; and to change anything of it is refused as
    /// long as another row has that value. All others are in it.
    pub fn try_reindex(&mut self) -> Result<(), Error> {
        self.all(Clear);
        let mut first = Ok(());
        let mut walk = self.rows.walk();
        while let Some((slot, _, row)) = walk.step() {
            let rows = RowsOf(&self.rows);
            let plan = Plan { slot, new: row.part(), old: None, rows };
            let mut list = List { plan, result: Ok(()) };
            let _ = self.by.each_mut(&mut list);
            first = first.and(list.result);
        }
        first.map_err(Self::explain)
    }
}

/// Changes of both halves of [rows of two](Table#rows-of-two).
impl<I: Clone, M, X: Indices<Part = I>, K: Key> Table<(I, M), X, K> {
    /// Changes both halves of a row, and returns what the closure does; `None` if the table has no row of the key.
    ///
    /// The closure is given a copy of the indexed half, which replaces the original once every index has accepted it, as by
    /// [`modify`](Self::modify), and the other half in place. So if the closure panics or the change is refused, the
    /// indexed half is unchanged, but what the closure did to the other half stays.
    ///
    /// # Panics
    ///
    /// Where [`try_modify_both`](Self::try_modify_both) has an error.
    ///
    /// # Time complexity
    ///
    /// O(1) for each index.
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
        or_give_up(self.try_modify_both(key, change))
    }

    /// [`modify_both`](Self::modify_both), or the error.
    ///
    /// # Errors
    ///
    /// As for [`try_modify`](Self::try_modify). The indexed half is unchanged then.
    #[inline]
    pub fn try_modify_both<T>(
        &mut self,
        key: K,
        change: impl FnOnce(&mut I, &mut M) -> T,
    ) -> Result<Option<T>, Error> {
        let Some(slot) = self.rows.slot_of(key) else { return Ok(None) };
        self.modify_in_slot(slot, |part, row| change(part, &mut row.1))
    }

    /// [`modify_both`](Self::modify_both) of each row, in the order of slots.
    ///
    /// # Panics
    ///
    /// Where [`try_for_each_both_mut`](Self::try_for_each_both_mut) has an error.
    ///
    /// # Time complexity
    ///
    /// Linear in the slots.
    ///
    /// # Examples
    ///
    /// ```
    /// # use stayput::{Table, indices};
    /// # indices! { struct ByPlace for [f32; 2] { at: Grid<2, cell = 1.0> = |at| *at, } }
    /// let mut bodies: Table<([f32; 2], f32), ByPlace> = [([0.0, 0.0], 2.0), ([5.0, 0.0], -2.0)].into();
    /// bodies.for_each_both_mut(|_, at, speed| at[0] += *speed);
    /// assert_eq!(bodies.within(|by| &by.at, [2.5, 0.0], 0.6).count(), 2);
    /// ```
    #[track_caller]
    pub fn for_each_both_mut(&mut self, change: impl FnMut(K, &mut I, &mut M)) {
        or_give_up(self.try_for_each_both_mut(change));
    }

    /// [`for_each_both_mut`](Self::for_each_both_mut), or the first error.
    ///
    /// # Errors
    ///
    /// As for [`try_modify_both`](Self::try_modify_both). Rows before the refused one are changed; those after it are
    /// unchanged.
    pub fn try_for_each_both_mut(
        &mut self,
        mut change: impl FnMut(K, &mut I, &mut M),
    ) -> Result<(), Error> {
        self.modify_each(|key, part, row| change(key, part, &mut row.1))
    }
}

/// Has each index take a row, or leave it out.
struct List<'p, P, S> {
    plan: Plan<'p, P, S>,
    result: Result<(), Error>,
}

impl<P, S: super::indices::Rows<P>> VisitMut<P> for List<'_, P, S> {
    fn visit<I: Index<P>>(&mut self, index: &mut I) -> Result<(), Error> {
        let planned = self.plan.visit(index);
        if planned.is_ok() {
            index.commit(self.plan.slot);
        }
        self.result = self.result.and(planned);
        Ok(())
    }
}
