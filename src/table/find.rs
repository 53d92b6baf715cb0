//! Look-ups by the indexed values.

use super::indices::{Extract, Index, Indices, Row, Visit};
use super::insert::{RemoveFound, SetCell};
use super::{Found, Grid, Kind, Sets, Table, Unique};
use crate::error::{Error, unwrap_or_panic};
use crate::key::Key;
use crate::slot_map::SlotMap;
use std::borrow::Borrow;
use std::hash::{BuildHasher, Hash};
use std::ptr;

/// Returns the index that a closure selects. One of another table would select rows by the values that they have there.
#[inline]
pub(super) fn own<'t, X, I>(by: &'t X, select: impl FnOnce(&'t X) -> &'t I) -> &'t I {
    let index = select(by);
    let start = ptr::from_ref(by).addr();
    let offset = ptr::from_ref(index).addr().wrapping_sub(start);
    assert!(offset < size_of::<X>(), "the closure returned an index of another table");
    index
}

impl<R: Row<X::Part>, X: Indices, K: Key> Table<R, X, K> {
    /// Finds the row with a value in an index, and returns its key and the row. O(1), if hashes are well distributed.
    ///
    /// # Examples
    ///
    /// ```
    /// # use stayput::{Table, indices};
    /// # indices! { struct By for (u32, char) { number: Unique<u32> = |row| &row.0, } }
    /// let mut table: Table<(u32, char), By> = Table::new();
    /// let key = table.insert((7, 'a'));
    /// assert_eq!(table.find(|by| &by.number, &7), Some((key, &(7, 'a'))));
    /// assert_eq!(table.find(|by| &by.number, &8), None);
    /// ```
    #[inline]
    pub fn find<'t, Q, const FIELD: usize, S>(
        &'t self,
        index: impl FnOnce(&'t X) -> &'t Unique<X, FIELD, S>,
        value: &Q,
    ) -> Option<(K, &'t R)>
    where
        X: Extract<FIELD, Row = X::Part>,
        <X as Extract<FIELD>>::Key: Borrow<Q> + Hash + Eq,
        Q: Hash + Eq + ?Sized,
        S: BuildHasher + 't,
    {
        let (slot, _) = own(&self.by, index).slot_of(value, &self.rows)?;
        self.rows.get_by_index(slot)
    }

    /// Removes the row with a value, and returns its key and the row; faster than [`find`](Self::find) and
    /// [`remove`](Self::remove). O(1) per index, if hashes are well distributed.
    ///
    /// # Examples
    ///
    /// ```
    /// # use stayput::{Table, indices};
    /// # indices! { struct By for (u32, char) { number: Unique<u32> = |row| &row.0, } }
    /// let mut table: Table<(u32, char), By> = [(7, 'a'), (8, 'b')].into_iter().collect();
    /// assert_eq!(table.take(|by| &by.number, &7).unwrap().1, (7, 'a'));
    /// assert!(table.take(|by| &by.number, &7).is_none());
    /// ```
    #[inline]
    pub fn take<Q, const FIELD: usize, S>(
        &mut self,
        index: impl for<'x> FnOnce(&'x X) -> &'x Unique<X, FIELD, S>,
        value: &Q,
    ) -> Option<(K, R)>
    where
        X: Extract<FIELD, Row = X::Part>,
        <X as Extract<FIELD>>::Key: Borrow<Q> + Hash + Eq,
        Q: Hash + Eq + ?Sized,
        S: BuildHasher,
    {
        let (slot, hash) = own(&self.by, index).slot_of(value, &self.rows)?;
        // Creating the key runs user code, so it comes before the removal.
        let (key, _) = self.rows.get_by_index(slot)?;
        let (_, row) = self.rows.take_at(slot)?;
        self.all(RemoveFound { slot, field: FIELD, hash });
        Some((key, row))
    }

    /// Returns an iterator over the rows with a value in an index, and their keys, in no particular order. O(1), plus
    /// O(1) per row, if hashes are well distributed.
    ///
    /// # Examples
    ///
    /// ```
    /// # use stayput::{Table, indices};
    /// # indices! { struct By for (u32, char) { number: Many<u32> = |row| &row.0, } }
    /// let table: Table<(u32, char), By> = [(7, 'a'), (8, 'b'), (7, 'c')].into_iter().collect();
    /// let mut found: Vec<char> =
    ///     table.find_all(|by| &by.number, &7).map(|(_, row)| row.1).collect();
    /// found.sort();
    /// assert_eq!(found, ['a', 'c']);
    /// ```
    #[inline]
    pub fn find_all<'t, Q, const FIELD: usize, I>(
        &'t self,
        index: impl FnOnce(&'t X) -> &'t Sets<X, FIELD, I>,
        value: &Q,
    ) -> Found<'t, K, R, I::Slots<'t>>
    where
        X: Extract<FIELD, Row = X::Part>,
        <X as Extract<FIELD>>::Key: Borrow<Q> + Hash + Eq,
        Q: Hash + Eq + ?Sized,
        I: Kind + 't,
    {
        let slots = own(&self.by, index).slots_of(value, &self.rows);
        Found::new(&self.rows, slots)
    }

    /// Returns the number of rows with a value. O(n) in that number; a [`Many`](super::Many) index counts a dozen rows
    /// at a time, a [`List`](super::List) index each row.
    ///
    /// # Examples
    ///
    /// ```
    /// # use stayput::{Table, indices};
    /// # indices! { struct By for (u32, char) { number: Many<u32> = |row| &row.0, } }
    /// let table: Table<(u32, char), By> = [(7, 'a'), (8, 'b'), (7, 'c')].into();
    /// assert_eq!(table.count(|by| &by.number, &7), 2);
    /// assert_eq!(table.count(|by| &by.number, &9), 0);
    /// ```
    #[inline]
    pub fn count<'t, Q, const FIELD: usize, I>(
        &'t self,
        index: impl FnOnce(&'t X) -> &'t Sets<X, FIELD, I>,
        value: &Q,
    ) -> usize
    where
        X: Extract<FIELD, Row = X::Part>,
        <X as Extract<FIELD>>::Key: Borrow<Q> + Hash + Eq,
        Q: Hash + Eq + ?Sized,
        I: Kind + 't,
    {
        own(&self.by, index).count(value, &self.rows)
    }

    /// Removes all rows with a value and drops them. Returns how many there were.
    ///
    /// Takes as long as [finding](Self::find_all) and [removing](Self::remove) them.
    ///
    /// # Examples
    ///
    /// ```
    /// # use stayput::{Table, indices};
    /// # indices! { struct By for (u32, char) { number: Many<u32> = |row| &row.0, } }
    /// let mut table: Table<(u32, char), By> = [(7, 'a'), (8, 'b'), (7, 'c')].into_iter().collect();
    /// assert_eq!(table.remove_all(|by| &by.number, &7), 2);
    /// assert_eq!(table.values().collect::<Vec<_>>(), [&(8, 'b')]);
    /// ```
    pub fn remove_all<Q, const FIELD: usize, I>(
        &mut self,
        index: impl for<'x> Fn(&'x X) -> &'x Sets<X, FIELD, I>,
        value: &Q,
    ) -> usize
    where
        X: Extract<FIELD, Row = X::Part>,
        <X as Extract<FIELD>>::Key: Borrow<Q> + Hash + Eq,
        Q: Hash + Eq + ?Sized,
        I: Kind,
    {
        let mut removed = 0;
        loop {
            // The slots are copied in batches, because removal changes the index that lists them.
            let mut slots = [0; 64];
            let found = own(&self.by, &index).slots_of(value, &self.rows);
            let count = slots.iter_mut().zip(found).map(|(slot, found)| *slot = found).count();
            if count == 0 {
                return removed;
            }
            for slot in &slots[..count] {
                removed += usize::from(self.take_slot(*slot).is_some());
            }
        }
    }

    /// Returns an iterator over the rows within a distance of a point, and their keys, in no particular order.
    ///
    /// Takes time linear in the points in the cells that the circle or sphere touches; see
    /// [`Grid::within`](crate::index::Grid::within).
    ///
    /// # Examples
    ///
    /// ```
    /// # use stayput::{Table, indices};
    /// # indices! { struct By for [f32; 2] { at: Grid<2, cell = 1.0> = |row| *row, } }
    /// let table: Table<[f32; 2], By> = [[0.5, 0.5], [3.0, 4.0]].into_iter().collect();
    /// let mut near = table.within(|by| &by.at, [0.0, 0.0], 1.0);
    /// assert_eq!(near.next().unwrap().1, &[0.5, 0.5]);
    /// assert!(near.next().is_none());
    /// ```
    #[inline]
    pub fn within<'t, const FIELD: usize, const D: usize, const CELL: u32>(
        &'t self,
        index: impl FnOnce(&'t X) -> &'t Grid<X, FIELD, D, CELL>,
        center: [f32; D],
        radius: f32,
    ) -> Found<'t, K, R, impl Iterator<Item = u32>> {
        let points = own(&self.by, index).index().within(center, radius);
        Found::new(&self.rows, points.map(|(slot, _)| slot))
    }

    /// Returns an iterator over the rows in a box, borders included, and their keys, in no particular order; see
    /// [`Grid::in_box`](crate::index::Grid::in_box).
    ///
    /// # Examples
    ///
    /// ```
    /// # use stayput::{Table, indices};
    /// # indices! { struct By for [f32; 2] { at: Grid<2, cell = 1.0> = |row| *row, } }
    /// let table: Table<[f32; 2], By> = [[0.5, 0.5], [3.0, 4.0]].into();
    /// let mut inside = table.in_box(|by| &by.at, [1.0, 1.0], [3.0, 4.0]);
    /// assert_eq!(inside.next().unwrap().1, &[3.0, 4.0]);
    /// assert!(inside.next().is_none());
    /// ```
    #[inline]
    pub fn in_box<'t, const FIELD: usize, const D: usize, const CELL: u32>(
        &'t self,
        index: impl FnOnce(&'t X) -> &'t Grid<X, FIELD, D, CELL>,
        min: [f32; D],
        max: [f32; D],
    ) -> Found<'t, K, R, impl Iterator<Item = u32>> {
        let points = own(&self.by, index).index().in_box(min, max);
        Found::new(&self.rows, points.map(|(slot, _)| slot))
    }

    /// Returns an iterator over the `most` rows nearest to a point, and their keys, nearest first; see
    /// [`Grid::nearest`](crate::index::Grid::nearest).
    ///
    /// # Panics
    ///
    /// If the global allocator refuses memory for `most` rows.
    ///
    /// # Examples
    ///
    /// ```
    /// # use stayput::{Table, indices};
    /// # indices! { struct By for [f32; 2] { at: Grid<2, cell = 1.0> = |row| *row, } }
    /// let table: Table<[f32; 2], By> = [[3.0, 4.0], [0.5, 0.5], [9.0, 9.0]].into();
    /// let nearest = table.nearest(|by| &by.at, [0.0, 0.0], 2);
    /// assert!(nearest.map(|(_, row)| row).eq(&[[0.5, 0.5], [3.0, 4.0]]));
    /// ```
    #[track_caller]
    pub fn nearest<'t, const FIELD: usize, const D: usize, const CELL: u32>(
        &'t self,
        index: impl FnOnce(&'t X) -> &'t Grid<X, FIELD, D, CELL>,
        point: [f32; D],
        most: usize,
    ) -> Found<'t, K, R, impl Iterator<Item = u32>> {
        unwrap_or_panic(self.try_nearest(index, point, most))
    }

    /// Returns what [`nearest`](Self::nearest) does, or the error.
    ///
    /// # Errors
    ///
    /// If the global allocator refuses memory for `most` rows.
    pub fn try_nearest<'t, const FIELD: usize, const D: usize, const CELL: u32>(
        &'t self,
        index: impl FnOnce(&'t X) -> &'t Grid<X, FIELD, D, CELL>,
        point: [f32; D],
        most: usize,
    ) -> Result<Found<'t, K, R, impl Iterator<Item = u32>>, Error> {
        let mut points = Vec::new();
        own(&self.by, index).index().try_nearest_into(point, most, &mut points)?;
        Ok(Found::new(&self.rows, points.into_iter().map(|near| near.slot)))
    }

    /// Returns an iterator over the `most` nearest rows that a closure accepts, and their keys, nearest first.
    ///
    /// The closure is called for rows in no particular order, at most twice for each; see
    /// [`Grid::nearest_where`](crate::index::Grid::nearest_where).
    ///
    /// # Panics
    ///
    /// If the global allocator refuses memory for `most` rows.
    ///
    /// # Examples
    ///
    /// ```
    /// # use stayput::{Table, indices};
    /// # indices! { struct By for ([f32; 2], char) { at: Grid<2, cell = 1.0> = |row| row.0, } }
    /// let table: Table<([f32; 2], char), By> =
    ///     [([0.0, 1.0], 'a'), ([0.0, 2.0], 'b'), ([0.0, 3.0], 'a')].into();
    /// let mut found = table.nearest_where(|by| &by.at, [0.0, 3.0], 1, |_, row| row.1 == 'b');
    /// assert_eq!(found.next().unwrap().1, &([0.0, 2.0], 'b'));
    /// assert!(found.next().is_none());
    /// ```
    #[track_caller]
    pub fn nearest_where<'t, const FIELD: usize, const D: usize, const CELL: u32>(
        &'t self,
        index: impl FnOnce(&'t X) -> &'t Grid<X, FIELD, D, CELL>,
        point: [f32; D],
        most: usize,
        accept: impl FnMut(K, &'t R) -> bool,
    ) -> Found<'t, K, R, impl Iterator<Item = u32>> {
        unwrap_or_panic(self.try_nearest_where(index, point, most, accept))
    }

    /// Returns what [`nearest_where`](Self::nearest_where) does, or the error.
    ///
    /// # Errors
    ///
    /// If the global allocator refuses memory for `most` rows.
    pub fn try_nearest_where<'t, const FIELD: usize, const D: usize, const CELL: u32>(
        &'t self,
        index: impl FnOnce(&'t X) -> &'t Grid<X, FIELD, D, CELL>,
        point: [f32; D],
        most: usize,
        mut accept: impl FnMut(K, &'t R) -> bool,
    ) -> Result<Found<'t, K, R, impl Iterator<Item = u32>>, Error> {
        let accept =
            |slot, _: &_| self.rows.get_by_index(slot).is_some_and(|(key, row)| accept(key, row));
        let mut points = Vec::new();
        own(&self.by, index).index().try_nearest_where_into(point, most, accept, &mut points)?;
        Ok(Found::new(&self.rows, points.into_iter().map(|near| near.slot)))
    }

    /// Calls a closure once for each pair of rows within a distance of each other, in no particular order; see
    /// [`Grid::for_each_pair`](crate::index::Grid::for_each_pair).
    ///
    /// # Examples
    ///
    /// ```
    /// # use stayput::{Table, indices};
    /// # indices! { struct By for [f32; 2] { at: Grid<2, cell = 1.0> = |row| *row, } }
    /// let table: Table<[f32; 2], By> = [[0.0, 0.0], [9.0, 9.0], [0.5, 0.0]].into();
    /// let mut pairs = Vec::new();
    /// table.for_each_pair(|by| &by.at, 1.0, |(_, a), (_, b)| pairs.push((*a, *b)));
    /// assert_eq!(pairs, [([0.0, 0.0], [0.5, 0.0])]);
    /// ```
    pub fn for_each_pair<'t, const FIELD: usize, const D: usize, const CELL: u32>(
        &'t self,
        index: impl FnOnce(&'t X) -> &'t Grid<X, FIELD, D, CELL>,
        radius: f32,
        mut visit: impl FnMut((K, &'t R), (K, &'t R)),
    ) {
        own(&self.by, index).index().for_each_pair(radius, |one, other| {
            let rows = self.rows.get_by_index(one).zip(self.rows.get_by_index(other));
            if let Some((one, other)) = rows {
                visit(one, other);
            }
        });
    }

    /// Sets the cell size of a grid. O(n) in the slots; allocates nothing.
    ///
    /// # Panics
    ///
    /// If the size is not positive and finite.
    ///
    /// # Examples
    ///
    /// ```
    /// # use stayput::{Table, indices};
    /// # indices! { struct By for [f32; 2] { at: Grid<2, cell = 1.0> = |row| *row, } }
    /// let mut table: Table<[f32; 2], By> = [[0.0, 0.0], [60.0, 80.0]].into_iter().collect();
    /// table.set_cell(|by| &by.at, 100.0);
    /// assert_eq!(table.within(|by| &by.at, [0.0, 0.0], 100.0).count(), 2);
    /// ```
    #[track_caller]
    pub fn set_cell<const FIELD: usize, const D: usize, const CELL: u32>(
        &mut self,
        _: impl FnOnce(&X) -> &Grid<X, FIELD, D, CELL>,
        cell: f32,
    ) {
        // Identified by its number, because the closure cannot be allowed to return `&mut` to an index.
        self.all(SetCell { field: FIELD, cell });
    }

    /// Checks that each index finds each row by its value. Meant for tests: each row is compared with all rows that
    /// have the same value, so it can take quadratic time.
    ///
    /// # Errors
    ///
    /// The key of the first row that an index does not find; see [inconsistent values](Self#inconsistent-values).
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
    /// assert_eq!(table.check(), Ok(()));
    /// table[key].set(8); // the index does not notice
    /// assert_eq!(table.check(), Err(key));
    /// ```
    pub fn check(&self) -> Result<(), K> {
        let rows = &self.rows;
        for (key, row) in &self.rows {
            let slot = key.data().index();
            let mut finds = Finds { slot, part: row.part(), rows, all: true };
            let found = self.by.each(&mut finds);
            debug_assert!(found.is_ok(), "this visitor does not fail");
            if !finds.all {
                return Err(key);
            }
        }
        Ok(())
    }
}

struct Finds<'p, P, K: Key, R> {
    slot: u32,
    part: &'p P,
    rows: &'p SlotMap<K, R>,
    all: bool,
}

impl<P, K: Key, R: Row<P>> Visit<P> for Finds<'_, P, K, R> {
    fn visit<I: Index<P>>(&mut self, index: &I) -> Result<(), Error> {
        self.all &= index.finds(self.slot, self.part, self.rows);
        Ok(())
    }
}
