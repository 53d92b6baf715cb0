//! [`Grid`]: an index of where rows are.

use super::indices::{Extract, Index, Rows, TryClone};
use crate::error::Error;
use crate::index;
use crate::index::grid::Position;
use crate::index::memory::{Arrays, ForArrays};
use crate::vec::VecStats;
use std::borrow::Borrow;
use std::fmt;
use std::marker::PhantomData;

/// The index of a position in the plane or in space: what [`indices!`](crate::indices) makes of `Grid<2>` and
/// `Grid<3>`.
///
/// For [`Table::within`](super::Table::within), [`in_box`](super::Table::in_box) and
/// [`nearest`](super::Table::nearest). Its cells are 1 by 1, unless [made](Self::with_cell) otherwise, or
/// [set](super::Table::set_cell); see [`index::Grid`].
pub struct Grid<X, const FIELD: usize, const D: usize> {
    index: index::Grid<D>,
    planned: [f32; D],
    of: PhantomData<fn() -> X>,
}

impl<X, const FIELD: usize, const D: usize> Grid<X, FIELD, D> {
    /// With cells that are so large along each axis.
    ///
    /// # Panics
    ///
    /// If that is not positive and finite.
    #[must_use]
    #[track_caller]
    pub fn with_cell(cell: f32) -> Self
    where
        [f32; D]: Position,
    {
        Self { index: index::Grid::new(cell), planned: [0.0; D], of: PhantomData }
    }

    /// The index of slots itself.
    #[inline]
    pub(super) const fn index(&self) -> &index::Grid<D> {
        &self.index
    }
}

impl<X, const FIELD: usize, const D: usize> Default for Grid<X, FIELD, D>
where
    [f32; D]: Position,
{
    fn default() -> Self {
        Self::with_cell(1.0)
    }
}

impl<X, const FIELD: usize, const D: usize> Index<X::Row> for Grid<X, FIELD, D>
where
    X: Extract<FIELD, Key = [f32; D]>,
    [f32; D]: Position,
{
    #[inline]
    fn plan<R: Rows<X::Row>>(
        &mut self,
        slot: u32,
        new: &X::Row,
        _: Option<&X::Row>,
        _: R,
    ) -> Result<(), Error> {
        self.planned = *X::extract(new).borrow();
        self.index.try_reserve_slot(slot)
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

    fn count(&self) -> usize {
        self.index.len()
    }

    fn finds<R: Rows<X::Row>>(&self, slot: u32, part: &X::Row, _: R) -> bool {
        let position = self.index.position(slot);
        // By bits, since what is no number is not equal to itself.
        position.map(|at| at.map(f32::to_bits)) == Some(X::extract(part).borrow().map(f32::to_bits))
    }
}

impl<X, const FIELD: usize, const D: usize> TryClone for Grid<X, FIELD, D> {
    fn try_clone(&self) -> Result<Self, Error> {
        Ok(Self { index: self.index.try_clone()?, planned: [0.0; D], of: PhantomData })
    }
}

impl<X, const FIELD: usize, const D: usize> Arrays for Grid<X, FIELD, D> {
    fn each_array(&mut self, visitor: &mut impl ForArrays) -> Result<(), Error> {
        self.index.each_array(visitor)
    }

    fn tidy(&mut self) {
        self.index.tidy();
    }

    fn each_stats(&self, visit: &mut impl FnMut(VecStats)) {
        self.index.each_stats(visit);
    }
}

impl<X, const FIELD: usize, const D: usize> fmt::Debug for Grid<X, FIELD, D> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Grid").field(&self.index).finish()
    }
}
