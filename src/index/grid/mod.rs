//! [`Grid`]: where something is to the slot that it is in.

#![forbid(unsafe_code)]

mod blocks;
mod cells;
mod lists;
mod nearest;
mod pairs;
mod query;
mod sorted;
#[cfg(test)]
mod tests;
mod walk;

pub use cells::Position;
pub use nearest::Near;
pub use query::{InBox, SortedInBox, SortedWithin, Within};
pub use sorted::SortedGrid;

use super::memory::{forward_arrays, memory_methods};
use crate::error::{Error, give_up, or_give_up};
use cells::Cells;
pub(crate) use cells::assert_cell;
use lists::Lists;
use nearest::search_methods;
use std::fmt;

/// Finds slots by where they are: those near a point, in a box, the nearest ones, all that are near each other.
///
/// It holds the position of each slot, in two or three dimensions (`Grid<2>`, `Grid<3>`).
///
/// # Cells
///
/// Points are in cells, all of one size. A cell costs nothing as such, so the world has no bounds. A good size is the radius
/// of the most frequent search; where radii vary, one at which a few points share a cell. With cells much larger than that a
/// search compares many points that are not near, and with much smaller ones it visits many empty cells.
/// [`set_cell`](Self::set_cell) changes the size.
///
/// It is for points that move. One that stays in its cell is moved by writing its position, and one that leaves it is
/// put into another list, in constant time. The index grows by 64 cells at a time (linear hashing), so no insertion
/// goes over all points; but where very many are in one cell, it may go over those.
///
/// # Slots
///
/// The index takes 16 bytes for each slot up to the highest, in three dimensions 20, whether or not the slot is in the index:
/// it is for the slots of a map or a table, whose numbers are small. [Far](super#far-slots) slots are refused. Each point
/// takes about 4 bytes more.
///
/// # Numbers
///
/// What is found is exact, as by a comparison of each point with `f32`: the points for which the sum of the squares of
/// the differences, in the order of the axes, is no more than `radius * radius`, however large or small cells are.
/// Squares that are too large for an `f32` are infinite, so all that has such is equally far.
///
/// - A point with a coordinate that is not a number (NaN) is in the index, and no search finds it.
/// - A search with such a coordinate, or with a radius that is negative or not a number, finds nothing.
/// - An infinite radius finds all other points, and so does an infinite box. But an infinite coordinate has no distance
///   from itself (the difference is not a number), so from there no point is found that has it too, but by a box.
///
/// Cells are numbered by an `i32` along each axis. The last ones have all that is beyond; if that is much, it is found
/// slowly.
///
/// # Examples
///
/// ```
/// use stayput::index::Grid;
///
/// let mut grid = Grid::new(1.0);
/// grid.insert(0, [0.5, 0.5]);
/// grid.insert(1, [-0.2, 0.4]);
/// grid.insert(2, [7.0, 7.0]);
///
/// let mut near: Vec<u32> = grid.within([0.0, 0.0], 1.0).map(|(slot, _)| slot).collect();
/// near.sort_unstable();
/// assert_eq!(near, [0, 1]);
///
/// grid.insert(1, [6.5, 7.0]); // it has moved
/// assert_eq!(grid.nearest([7.0, 7.0], 2)[1].slot, 1);
/// grid.for_each_pair(1.0, |a, b| assert_eq!((a, b), (1, 2)));
/// ```
pub struct Grid<const D: usize> {
    lists: Lists<D>,
}

impl<const D: usize> Grid<D> {
    /// Without points, with cells of that size. Takes no memory until the first.
    ///
    /// # Panics
    ///
    /// If the size is not positive and finite.
    #[must_use]
    #[track_caller]
    pub const fn new(cell: f32) -> Self
    where
        [f32; D]: Position,
    {
        Self { lists: Lists::new(Cells::new(cell)) }
    }

    /// How many slots there are. O(1).
    #[inline]
    pub const fn len(&self) -> usize {
        self.lists.len()
    }

    /// Whether there is none. O(1).
    #[inline]
    pub const fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The size of cells. O(1).
    #[inline]
    pub const fn cell(&self) -> f32 {
        self.lists.size()
    }

    /// Has cells of another size. Linear in the slots; takes no memory.
    ///
    /// # Panics
    ///
    /// If the size is not positive and finite.
    #[track_caller]
    pub fn set_cell(&mut self, cell: f32) {
        self.lists.set_cells(Cells::new(cell));
    }

    /// Where a slot is, if it is in it. O(1).
    #[inline]
    pub fn position(&self, slot: u32) -> Option<[f32; D]> {
        self.lists.get(slot)
    }

    /// Whether a slot is in it. O(1).
    #[inline]
    pub fn contains(&self, slot: u32) -> bool {
        self.position(slot).is_some()
    }

    /// Puts a slot in, or moves it; where it was, if it was in it. O(1); enters the kernel if
    /// memory is used up.
    ///
    /// # Panics
    ///
    /// Where [`try_insert`](Self::try_insert) has an error.
    #[inline]
    #[track_caller]
    pub fn insert(&mut self, slot: u32, position: [f32; D]) -> Option<[f32; D]> {
        match self.try_insert(slot, position) {
            Ok(old) => old,
            Err(error) => give_up(error),
        }
    }

    /// [`insert`](Self::insert), or the error.
    ///
    /// # Errors
    ///
    /// If the slot is `u32::MAX` ([`KeyBits`](crate::ErrorKind::KeyBits)) or [far](super#far-slots)
    /// ([`FarIndex`](crate::ErrorKind::FarIndex)), or the system refuses memory; then nothing has changed.
    #[inline]
    pub fn try_insert(&mut self, slot: u32, position: [f32; D]) -> Result<Option<[f32; D]>, Error> {
        self.lists.check_slot(slot)?;
        self.try_reserve_slot(slot)?;
        Ok(self.insert_reserved(slot, position))
    }

    /// Makes room for a slot, so that [`insert_reserved`](Self::insert_reserved) is refused nothing, until the grid is
    /// cleared or shrunk.
    ///
    /// # Errors
    ///
    /// If the system refuses memory, or the slot is `u32::MAX`; nothing has changed then that anybody could tell.
    #[inline]
    pub(crate) fn try_reserve_slot(&mut self, slot: u32) -> Result<(), Error> {
        self.lists.reserve(slot)
    }

    /// [`insert`](Self::insert) of a slot for which there is room.
    #[inline]
    pub(crate) fn insert_reserved(&mut self, slot: u32, position: [f32; D]) -> Option<[f32; D]> {
        self.lists.put(slot, position)
    }

    /// Takes a slot out; whether it was in it. O(1).
    pub fn remove(&mut self, slot: u32) -> bool {
        self.lists.remove(slot)
    }

    /// Takes all slots out. The memory stays. O(1).
    pub fn clear(&mut self) {
        self.lists.clear();
    }

    memory_methods!();

    search_methods!(lists, Within, InBox);

    /// The points as they are now, side by side in arrays: for very many searches. Linear; enters the kernel.
    ///
    /// # Panics
    ///
    /// If the system refuses memory.
    #[must_use]
    #[track_caller]
    pub fn sorted(&self) -> SortedGrid<D> {
        or_give_up(self.try_sorted())
    }

    /// [`sorted`](Self::sorted), or the error.
    ///
    /// # Errors
    ///
    /// If the system refuses memory.
    pub fn try_sorted(&self) -> Result<SortedGrid<D>, Error> {
        let mut sorted = SortedGrid::empty();
        self.try_sort_into(&mut sorted)?;
        Ok(sorted)
    }

    /// [`sorted`](Self::sorted), in place of what is there, whose memory is used. Enters the kernel if it is used up.
    ///
    /// # Panics
    ///
    /// If the system refuses memory.
    #[track_caller]
    pub fn sort_into(&self, sorted: &mut SortedGrid<D>) {
        or_give_up(self.try_sort_into(sorted));
    }

    /// [`sort_into`](Self::sort_into), or the error.
    ///
    /// # Errors
    ///
    /// If the system refuses memory; what is there has not changed then.
    pub fn try_sort_into(&self, sorted: &mut SortedGrid<D>) -> Result<(), Error> {
        sorted.try_fill(&self.lists)
    }

    /// [`clone`](Self::clone), or the error.
    ///
    /// # Errors
    ///
    /// As for [`try_reserve`](Self::try_reserve).
    pub fn try_clone(&self) -> Result<Self, Error> {
        Ok(Self { lists: self.lists.try_clone()? })
    }
}

impl<const D: usize> Clone for Grid<D> {
    /// A copy with the same options and cells, that has the same points. Linear in the slots, up to the highest; enters
    /// the kernel for the memory.
    ///
    /// # Panics
    ///
    /// Where [`try_clone`](Grid::try_clone) has an error.
    #[track_caller]
    fn clone(&self) -> Self {
        or_give_up(self.try_clone())
    }
}

forward_arrays!([const D: usize] Grid<D>, lists);

impl<const D: usize> fmt::Debug for Grid<D> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Grid")
            .field("len", &self.len())
            .field("cell", &self.cell())
            .finish_non_exhaustive()
    }
}
