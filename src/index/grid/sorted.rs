//! [`SortedGrid`]: the points of a grid, with those of each bucket stored contiguously.

use super::Grid;
use super::blocks::Blocks;
use super::cells::{Cells, Position};
use super::lists::NONE;
use super::nearest::{self, Near, search_methods};
use super::pairs;
use super::query::{SortedInBox, SortedWithin};
use super::walk::Store;
use crate::error::Error;
use crate::index::memory::{array, copy};
use crate::slots::prefetch;
use crate::vec::VmVec;
use std::ops::Range;

/// How many buckets ahead the first points of a bucket are prefetched.
const AHEAD: usize = 16;

/// A copy of the points of a [`Grid`](super::Grid), in arrays in which near points are stored together; returned by
/// [`Grid::sorted`](super::Grid::sorted).
///
/// It has the searches of the grid, and reads the points of a cell sequentially. Use it for frames with about as many
/// searches as points. Points with a NaN coordinate are left out.
///
/// [`Grid::sort_into`](super::Grid::sort_into) replaces the points and reuses the memory.
///
/// # Examples
///
/// ```
/// use stayput::index::{Grid, SortedGrid};
///
/// let mut grid = Grid::new(10.0);
/// let mut sorted = SortedGrid::new();
/// for frame in 0..3 {
///     for slot in 0..100 {
///         grid.insert(slot, [slot as f32, frame as f32]);
///     }
///     grid.sort_into(&mut sorted);
///     assert_eq!(sorted.within([50.0, frame as f32], 2.0).count(), 5);
/// }
/// ```
pub struct SortedGrid<const D: usize> {
    cells: Cells,
    blocks: Blocks,
    positions: VmVec<[f32; D]>,
    slots: VmVec<u32>,
    /// The first point of each bucket, followed by the end of the last bucket.
    starts: VmVec<u32>,
}

impl<const D: usize> SortedGrid<D> {
    /// Creates an empty sorted grid. Allocates nothing until it is filled.
    #[must_use]
    pub const fn new() -> Self
    where
        [f32; D]: Position,
    {
        Self::empty()
    }

    pub(super) const fn empty() -> Self {
        Self {
            cells: Cells::new(1.0),
            blocks: Blocks::NONE,
            positions: array(),
            slots: array(),
            starts: array(),
        }
    }

    /// Returns the number of points. O(1).
    #[inline]
    pub const fn len(&self) -> usize {
        self.slots.len()
    }

    /// Returns `true` if there are no points. O(1).
    #[inline]
    pub const fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Returns the slots, and the position of each, in bucket order.
    ///
    /// # Examples
    ///
    /// ```
    /// # use stayput::index::Grid;
    /// let mut grid = Grid::new(1.0);
    /// grid.insert(7, [0.2, 0.3]);
    /// let sorted = grid.sorted();
    /// assert_eq!(sorted.as_slices(), (&[7][..], &[[0.2, 0.3]][..]));
    /// ```
    #[inline]
    pub const fn as_slices(&self) -> (&[u32], &[[f32; D]]) {
        (self.slots.as_slice(), self.positions.as_slice())
    }

    search_methods!(SortedWithin, SortedInBox);

    /// Returns a copy as [`clone`](Self::clone) does, or the error.
    ///
    /// # Errors
    ///
    /// If memory is refused.
    pub fn try_clone(&self) -> Result<Self, Error> {
        let Self { positions, slots, starts, .. } = self;
        let (positions, slots, starts) = (copy(positions)?, copy(slots)?, copy(starts)?);
        Ok(Self { positions, slots, starts, ..*self })
    }

    /// Replaces all points by those of a grid.
    pub(super) fn try_fill(&mut self, grid: &Grid<D>) -> Result<(), Error> {
        let Self { positions, slots, starts, .. } = self;
        let len = grid.listed;
        positions.try_reserve(len.saturating_sub(positions.len()))?;
        slots.try_reserve(len.saturating_sub(slots.len()))?;
        starts.try_reserve((grid.heads.len() + 1).saturating_sub(starts.len()))?;
        self.fill(grid);
        Ok(())
    }

    #[cfg(test)]
    pub(super) fn check(&self) {
        let Self { cells, blocks, positions, slots, starts } = self;
        assert_eq!((positions.len(), starts.len()), (slots.len(), blocks.buckets() + 1));
        for (bucket, ends) in starts.windows(2).enumerate() {
            for position in &positions[ends[0] as usize..ends[1] as usize] {
                assert_eq!(blocks.bucket(&cells.of(position)), bucket);
            }
        }
        assert_eq!(starts.last().copied(), u32::try_from(slots.len()).ok());
    }
}

impl<const D: usize> SortedGrid<D> {
    /// Replaces all points. Memory must have been reserved.
    fn fill(&mut self, grid: &Grid<D>) {
        (self.cells, self.blocks) = (grid.cells, grid.blocks);
        self.positions.clear();
        self.slots.clear();
        self.starts.clear();
        let heads = &grid.heads;
        for (bucket, head) in heads.iter().enumerate() {
            grid.prefetch(heads.get(bucket + AHEAD).copied().unwrap_or(NONE));
            self.starts.push(self.end());
            let mut list = *head;
            let mut has_more = list != NONE;
            while has_more {
                let (slot, position, more) = grid.step(&mut list);
                self.positions.push(*position);
                self.slots.push(slot);
                has_more = more;
            }
        }
        self.starts.push(self.end());
    }

    /// The number of points fits: slots are below [`NONE`].
    #[inline]
    fn end(&self) -> u32 {
        u32::try_from(self.slots.len()).unwrap_or(NONE)
    }
}

impl<const D: usize> Store<D> for SortedGrid<D> {
    /// A range of points.
    type List = (u32, u32);

    const NO_LIST: (u32, u32) = (0, 0);

    #[inline]
    fn cells(&self) -> Cells {
        self.cells
    }

    #[inline]
    fn blocks(&self) -> Blocks {
        self.blocks
    }

    #[inline]
    fn begin(&self, buckets: Range<usize>, lists: &mut [(u32, u32)]) -> usize {
        let (first, end) = (self.starts[buckets.start], self.starts[buckets.end]);
        lists[0] = (first, end);
        prefetch::prefetch_value(self.positions.as_ptr().wrapping_add(first as usize));
        usize::from(first < end)
    }

    #[inline]
    fn step(&self, list: &mut (u32, u32)) -> (u32, &[f32; D], bool) {
        let (at, end) = *list;
        list.0 = at + 1;
        (self.slots[at as usize], &self.positions[at as usize], at + 1 < end)
    }

    #[inline]
    fn fold<A>(
        &self,
        buckets: Range<usize>,
        init: A,
        mut fold: impl FnMut(A, u32, &[f32; D]) -> A,
    ) -> A {
        let range = self.starts[buckets.start] as usize..self.starts[buckets.end] as usize;
        let points = self.slots[range.clone()].iter().zip(&self.positions[range]);
        points.fold(init, |sum, (slot, position)| fold(sum, *slot, position))
    }

    #[inline]
    fn is_near(&self) -> bool {
        prefetch::is_near(self.positions.len() * size_of::<[f32; D]>())
    }

    fn lens(&self) -> (usize, usize) {
        (self.len(), self.len())
    }

    #[inline]
    fn points(&self) -> impl Iterator<Item = (u32, [f32; D])> {
        self.slots.iter().copied().zip(self.positions.iter().copied())
    }
}

clone_by_try! {
    /// Returns a copy of the points. O(n); enters the kernel for memory.
    ///
    /// # Panics
    ///
    /// If [`try_clone`](SortedGrid::try_clone) returns an error.
    ///
    /// # Examples
    ///
    /// ```
    /// # use stayput::index::Grid;
    /// let mut grid = Grid::new(1.0);
    /// grid.insert(0, [0.5, 0.5]);
    /// let mut sorted = grid.sorted();
    /// let before = sorted.clone();
    /// grid.clear();
    /// grid.sort_into(&mut sorted);
    /// assert_eq!((before.len(), sorted.len()), (1, 0));
    /// ```
    [const D: usize] SortedGrid<D>
}

impl<const D: usize> Default for SortedGrid<D>
where
    [f32; D]: Position,
{
    /// Creates an empty sorted grid, as [`new`](Self::new) does.
    fn default() -> Self {
        Self::new()
    }
}

debug_fields!([const D: usize] SortedGrid<D>, "SortedGrid", |grid| len: grid.len());
