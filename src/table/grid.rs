//! [`Grid`]: an index of positions.

use super::indices::{Extract, Index, Row, TryClone};
use crate::error::Error;
use crate::index;
use crate::index::grid::Position;
use crate::index::memory::forward_arrays;
use crate::key::Key;
use crate::slot_map::SlotMap;
use std::borrow::Borrow;
use std::marker::PhantomData;

/// An index that finds rows by position, declared in [`indices!`](crate::indices) as `Grid<2, cell = 4.0>` or `Grid<3,
/// cell = 4.0>`.
///
/// It is searched by [`Table::within`](super::Table::within), [`in_box`](super::Table::in_box) and
/// [`nearest`](super::Table::nearest). `CELL` is the bit pattern of the cell size; [`with_cell`](Self::with_cell) and
/// [`Table::set_cell`](super::Table::set_cell) override it. See [`index::Grid`](index::Grid#cells).
///
/// # Examples
///
/// ```
/// use stayput::{Table, indices};
///
/// indices! {
///     struct TreeBy for [f32; 2] {
///         at: Grid<2, cell = 4.0> = |tree| *tree,
///     }
/// }
///
/// let trees: Table<[f32; 2], TreeBy> = [[1.0, 1.0], [9.0, 9.0]].into();
/// assert_eq!(trees.within(|by| &by.at, [0.0, 0.0], 4.0).count(), 1);
/// ```
///
/// A grid without a cell size, or with one that is not positive and finite, does not compile:
///
/// ```compile_fail
/// stayput::indices! { struct By for [f32; 2] { at: Grid<2> = |row| *row, } }
/// ```
/// ```compile_fail,E0080
/// stayput::indices! { struct By for [f32; 2] { at: Grid<2, cell = 0.0> = |row| *row, } }
/// ```
pub struct Grid<X, const FIELD: usize, const D: usize, const CELL: u32> {
    index: index::Grid<D>,
    planned: [f32; D],
    of: PhantomData<fn() -> X>,
}

impl<X, const FIELD: usize, const D: usize, const CELL: u32> Grid<X, FIELD, D, CELL> {
    /// Creates an index with another cell size than the declared one.
    ///
    /// # Panics
    ///
    /// If the size is not positive and finite.
    ///
    /// # Examples
    ///
    /// ```
    /// use stayput::table::Grid;
    /// use stayput::{Table, indices};
    ///
    /// indices! { struct By for [f32; 2] { at: Grid<2, cell = 1.0> = |row| *row, } }
    ///
    /// let cell = 50.0; // known only at run time
    /// let by = By { at: Grid::with_cell(cell) };
    /// let mut table: Table<[f32; 2], By> = Table::builder().build_with(by);
    /// table.insert([30.0, 40.0]);
    /// assert_eq!(table.within(|by| &by.at, [0.0, 0.0], cell).count(), 1);
    /// ```
    #[must_use]
    #[track_caller]
    pub fn with_cell(cell: f32) -> Self
    where
        [f32; D]: Position,
    {
        Self { index: index::Grid::new(cell), planned: [0.0; D], of: PhantomData }
    }

    #[inline]
    pub(super) const fn index(&self) -> &index::Grid<D> {
        &self.index
    }
}

impl<X, const FIELD: usize, const D: usize, const CELL: u32> Default for Grid<X, FIELD, D, CELL>
where
    [f32; D]: Position,
{
    /// Creates an index with the declared cell size.
    fn default() -> Self {
        Self::with_cell(f32::from_bits(CELL))
    }
}

/// Returns the bit pattern of a cell size, for [`indices!`](crate::indices).
///
/// # Panics
///
/// If the size is not positive and finite; in `indices!`, this is a compile-time error.
#[doc(hidden)]
#[must_use]
pub const fn cell_bits(cell: f32) -> u32 {
    index::grid::assert_cell(cell);
    cell.to_bits()
}

impl<X, const FIELD: usize, const D: usize, const CELL: u32> Index<X::Row>
    for Grid<X, FIELD, D, CELL>
where
    X: Extract<FIELD, Key = [f32; D]>,
    [f32; D]: Position,
{
    #[inline]
    fn plan<K: Key, R: Row<X::Row>>(
        &mut self,
        slot: u32,
        new: &X::Row,
        _: Option<&X::Row>,
        _: &SlotMap<K, R>,
    ) -> Result<(), Error> {
        self.planned = *X::extract(new).borrow();
        self.index.try_reserve_slot(slot)
    }

    #[inline]
    fn is_unchanged(&self, slot: u32, new: &X::Row, old: &X::Row) -> bool {
        // Compared by bits, because NaN is not equal to itself.
        let bits = |part| X::extract(part).borrow().map(f32::to_bits);
        bits(old) == bits(new) && self.index.contains(slot)
    }

    #[inline]
    fn commit(&mut self, slot: u32) {
        self.index.insert_reserved(slot, self.planned);
    }

    #[inline]
    fn remove(&mut self, slot: u32) {
        self.index.remove(slot);
    }

    fn clear(&mut self) {
        self.index.clear();
    }

    fn set_cell(&mut self, field: usize, cell: f32) {
        if field == FIELD {
            self.index.set_cell(cell);
        }
    }

    fn finds<K: Key, R: Row<X::Row>>(&self, slot: u32, part: &X::Row, _: &SlotMap<K, R>) -> bool {
        let position = self.index.position(slot);
        // Compared by bits, because NaN is not equal to itself.
        position.map(|at| at.map(f32::to_bits)) == Some(X::extract(part).borrow().map(f32::to_bits))
    }
}

impl<X, const FIELD: usize, const D: usize, const CELL: u32> TryClone for Grid<X, FIELD, D, CELL> {
    fn try_clone(&self) -> Result<Self, Error> {
        Ok(Self { index: self.index.try_clone()?, planned: [0.0; D], of: PhantomData })
    }
}

forward_arrays!([X, const FIELD: usize, const D: usize, const CELL: u32] Grid<X, FIELD, D, CELL>, index);

debug_as! {
    [X, const FIELD: usize, const D: usize, const CELL: u32] Grid<X, FIELD, D, CELL>,
    "Grid", |grid| grid.index
}
