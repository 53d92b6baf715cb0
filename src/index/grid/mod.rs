//! [`Grid`]: finds slots by position.

#![forbid(unsafe_code)]

mod blocks;
mod cells;
mod lists;
mod nearest;
mod packed;
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

use super::memory::{array, copy, memory_methods};
use crate::error::{Error, handle_error, unwrap_or_panic};
use crate::vec::VmVec;
use blocks::Blocks;
pub(crate) use cells::assert_cell;
use cells::{Cells, is_somewhere};
use lists::{NONE, Node};
use nearest::search_methods;

/// An index that finds slots by position: those near a point, in a box, nearest to a point, or near each other.
///
/// It stores the position of each slot, in two or three dimensions (`Grid<2>`, `Grid<3>`).
///
/// # Cells
///
/// Points are grouped into cells of equal size. A cell by itself costs nothing, so the world has no bounds. A good size
/// is the radius of the most frequent search or, if radii vary, one at which a few points share a cell. With much
/// larger cells, a search compares many points that are not near; with much smaller ones, it visits many empty cells.
/// [`set_cell`](Self::set_cell) changes the size.
///
/// The index is made for points that move. Moving a point within its cell writes only the position; moving it to
/// another cell relinks it into another list, in constant time. The index grows by 64 cells at a time (linear hashing),
/// so no insertion or removal visits all points, although it may visit those of one very full cell.
///
/// # Slots
///
/// The index takes 16 bytes (20 in three dimensions) for each slot up to the highest, whether or not the slot is in the
/// index, so slot numbers should be small, as those of a map or a table are. [Far](super#far-slots) slots are refused.
/// Each point takes about 4 bytes more.
///
/// # Floating-point details
///
/// Results are exact, as if each point were compared in `f32` arithmetic: a search returns the points for which the sum
/// of the squared differences, in the order of the axes, is at most `radius * radius`, whatever the cell size. Squares
/// too large for an `f32` are infinite, so all points that far away count as equally far.
///
/// - A point with a NaN coordinate is stored in the index, but no search finds it.
/// - A search with a NaN coordinate, or with a negative or NaN radius, finds nothing.
/// - An infinite radius or box finds all other points. However, an infinite coordinate has no distance from itself (the
///   difference is NaN), so a search from there finds a point with the same infinite coordinate only by a box.
///
/// Cells are numbered by an `i32` along each axis. The outermost cells hold all points beyond, and searching them is
/// slow if there are many.
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
/// grid.insert(1, [6.5, 7.0]); // moves it
/// assert_eq!(grid.nearest([7.0, 7.0], 2)[1].slot, 1);
/// grid.for_each_pair(1.0, |a, b| assert_eq!((a, b), (1, 2)));
/// ```
pub struct Grid<const D: usize> {
    cells: Cells,
    blocks: Blocks,
    heads: VmVec<u32>,
    nodes: VmVec<Node<D>>,
    /// The number of slots in the index.
    len: usize,
    /// The number of those slots that are in a list: all except those with a NaN coordinate.
    listed: usize,
}

impl<const D: usize> Grid<D> {
    /// Creates an empty grid with cells of the given size. Allocates nothing until the first insertion.
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
        let (cells, blocks) = (Cells::new(cell), Blocks::NONE);
        Self { cells, blocks, heads: array(), nodes: array(), len: 0, listed: 0 }
    }

    /// Returns the number of slots. O(1).
    #[inline]
    pub const fn len(&self) -> usize {
        self.len
    }

    /// Returns `true` if the grid has no slots. O(1).
    #[inline]
    pub const fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Returns the size of cells. O(1).
    ///
    /// # Examples
    ///
    /// ```
    /// # use stayput::index::Grid;
    /// let grid = Grid::<2>::new(4.0);
    /// assert_eq!(grid.cell(), 4.0);
    /// ```
    #[inline]
    pub const fn cell(&self) -> f32 {
        self.cells.size()
    }

    /// Sets the size of cells. O(n) in the slots; allocates nothing.
    ///
    /// # Panics
    ///
    /// If the size is not positive and finite.
    ///
    /// # Examples
    ///
    /// ```
    /// # use stayput::index::Grid;
    /// let mut grid = Grid::new(1.0);
    /// grid.insert(0, [3.0, 4.0]);
    /// grid.set_cell(5.0); // from now on, most searches have a radius of about 5
    /// assert_eq!(grid.within([0.0, 0.0], 5.0).count(), 1);
    /// ```
    #[track_caller]
    pub fn set_cell(&mut self, cell: f32) {
        self.cells = Cells::new(cell);
        self.heads.fill(NONE);
        for slot in 0..self.nodes.len() {
            let node = &self.nodes[slot];
            if node.prev != NONE && is_somewhere(&node.position) {
                let bucket = self.blocks.bucket(&self.cells.of(&node.position));
                self.link(bucket, u32::try_from(slot).unwrap_or(NONE));
            }
        }
    }

    /// Returns the position of a slot; `None` if it is not in the grid. O(1).
    ///
    /// # Examples
    ///
    /// ```
    /// # use stayput::index::Grid;
    /// let mut grid = Grid::new(1.0);
    /// grid.insert(7, [1.0, 2.0]);
    /// assert_eq!(grid.position(7), Some([1.0, 2.0]));
    /// assert_eq!(grid.position(8), None);
    /// ```
    #[inline]
    pub fn position(&self, slot: u32) -> Option<[f32; D]> {
        let node = self.nodes.get(slot as usize)?;
        (node.prev != NONE).then_some(node.position)
    }

    /// Returns `true` if a slot is in the grid. O(1).
    #[inline]
    pub fn contains(&self, slot: u32) -> bool {
        self.position(slot).is_some()
    }

    /// Inserts or moves a slot, and returns its old position, if any. O(1); enters the kernel when committed memory is
    /// used up.
    ///
    /// # Panics
    ///
    /// If [`try_insert`](Self::try_insert) returns an error.
    ///
    /// # Examples
    ///
    /// ```
    /// # use stayput::index::Grid;
    /// let mut grid = Grid::new(1.0);
    /// assert_eq!(grid.insert(0, [0.5, 0.5]), None);
    /// assert_eq!(grid.insert(0, [9.0, 0.5]), Some([0.5, 0.5])); // moves it
    /// assert_eq!(grid.within([0.0, 0.0], 1.0).next(), None);
    /// ```
    #[inline]
    #[track_caller]
    pub fn insert(&mut self, slot: u32, position: [f32; D]) -> Option<[f32; D]> {
        match self.try_insert(slot, position) {
            Ok(old) => old,
            Err(error) => handle_error(error),
        }
    }

    /// Inserts or moves a slot as [`insert`](Self::insert) does, or returns the error.
    ///
    /// # Errors
    ///
    /// If the slot is `u32::MAX` ([`KeyBits`](crate::ErrorKind::KeyBits)) or [far](super#far-slots)
    /// ([`FarIndex`](crate::ErrorKind::FarIndex)), or memory is refused. Nothing has changed then.
    #[inline]
    pub fn try_insert(&mut self, slot: u32, position: [f32; D]) -> Result<Option<[f32; D]>, Error> {
        self.check_slot(slot)?;
        self.try_reserve_slot(slot)?;
        Ok(self.insert_reserved(slot, position))
    }

    /// Removes a slot. Returns `true` if it was in the grid. O(1).
    ///
    /// # Examples
    ///
    /// ```
    /// # use stayput::index::Grid;
    /// let mut grid = Grid::new(1.0);
    /// grid.insert(0, [0.5, 0.5]);
    /// assert!(grid.remove(0));
    /// assert!(!grid.remove(0));
    /// ```
    pub fn remove(&mut self, slot: u32) -> bool {
        let Some(node) = self.nodes.get(slot as usize).filter(|node| node.prev != NONE) else {
            return false;
        };
        if is_somewhere(&node.position) {
            self.unlink(slot);
        }
        self.nodes[slot as usize].prev = NONE;
        self.len -= 1;
        self.merge_if_sparse();
        true
    }

    /// Removes all slots. Memory stays committed. O(1).
    pub fn clear(&mut self) {
        self.nodes.clear();
        self.heads.clear();
        self.blocks = Blocks::NONE;
        (self.len, self.listed) = (0, 0);
    }

    memory_methods!();

    search_methods!(Within, InBox);

    /// Returns a copy of the points in packed arrays, for large numbers of searches. O(n); enters the kernel.
    ///
    /// # Panics
    ///
    /// If memory is refused.
    ///
    /// # Examples
    ///
    /// ```
    /// # use stayput::index::Grid;
    /// let mut grid = Grid::new(1.0);
    /// for slot in 0..100 {
    ///     grid.insert(slot, [slot as f32, 0.0]);
    /// }
    /// let sorted = grid.sorted();
    /// let found = (0..100).map(|x| sorted.within([x as f32, 0.0], 1.0).count());
    /// assert_eq!(found.sum::<usize>(), 298); // each point, and those next to it
    /// ```
    #[must_use]
    #[track_caller]
    pub fn sorted(&self) -> SortedGrid<D> {
        unwrap_or_panic(self.try_sorted())
    }

    /// Returns what [`sorted`](Self::sorted) does, or the error.
    ///
    /// # Errors
    ///
    /// If memory is refused.
    pub fn try_sorted(&self) -> Result<SortedGrid<D>, Error> {
        let mut sorted = SortedGrid::empty();
        self.try_sort_into(&mut sorted)?;
        Ok(sorted)
    }

    /// Replaces the contents of a sorted grid by the points of this one, reusing its memory. O(n); enters the kernel if
    /// more memory is needed.
    ///
    /// # Panics
    ///
    /// If memory is refused.
    ///
    /// # Examples
    ///
    /// ```
    /// # use stayput::index::Grid;
    /// let mut grid = Grid::new(1.0);
    /// let mut sorted = grid.sorted();
    /// for frame in 0..3 {
    ///     grid.insert(0, [frame as f32, 0.0]);
    ///     grid.sort_into(&mut sorted);
    ///     assert_eq!(sorted.within([frame as f32, 0.0], 0.5).count(), 1);
    /// }
    /// ```
    #[track_caller]
    pub fn sort_into(&self, sorted: &mut SortedGrid<D>) {
        unwrap_or_panic(self.try_sort_into(sorted));
    }

    /// Replaces the contents as [`sort_into`](Self::sort_into) does, or returns the error.
    ///
    /// # Errors
    ///
    /// If memory is refused. `sorted` is then unchanged.
    pub fn try_sort_into(&self, sorted: &mut SortedGrid<D>) -> Result<(), Error> {
        sorted.try_fill(self)
    }

    /// Returns a copy as [`clone`](Self::clone) does, or the error.
    ///
    /// # Errors
    ///
    /// As for [`try_reserve`](Self::try_reserve).
    pub fn try_clone(&self) -> Result<Self, Error> {
        Ok(Self { heads: copy(&self.heads)?, nodes: copy(&self.nodes)?, ..*self })
    }
}

clone_by_try! {
    /// Returns a copy with the same options, cell size and points. O(n) in the slots up to the highest; enters the
    /// kernel for memory.
    ///
    /// # Panics
    ///
    /// If [`try_clone`](Grid::try_clone) returns an error.
    ///
    /// # Examples
    ///
    /// ```
    /// # use stayput::index::Grid;
    /// let mut grid = Grid::new(1.0);
    /// grid.insert(0, [0.5, 0.5]);
    /// let before = grid.clone();
    /// grid.insert(0, [9.0, 0.5]);
    /// assert_eq!(before.position(0), Some([0.5, 0.5]));
    /// ```
    [const D: usize] Grid<D>
}

debug_fields! {
    [const D: usize] Grid<D>, "Grid", |grid| len: grid.len(), cell: grid.cell()
}
