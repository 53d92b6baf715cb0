//! [`SortedGrid`]: the points of a grid, those of a bucket side by side.

use super::blocks::Blocks;
use super::cells::{Cells, Position};
use super::lists::{Lists, NONE};
use super::nearest::{self, Near, search_methods};
use super::pairs;
use super::query::{SortedInBox, SortedWithin};
use super::walk::Store;
use crate::error::{Error, or_give_up};
use crate::index::memory::{array, copy};
use crate::slots::prefetch;
use crate::vec::VmVec;
use std::fmt;
use std::ops::Range;

/// How many buckets ahead first points are asked for.
const AHEAD: usize = 16;

/// The points of a [`Grid`](super::Grid) as they were at one time, side by side in arrays where they are near each
/// other, made by [`Grid::sorted`](super::Grid::sorted).
///
/// It finds what the grid found then, by the same calls, and reads the points of a cell one behind another. It is for
/// frames with about as many searches as points. Points with a coordinate that is not a number are not in it.
///
/// To have the points of another time in the same memory, there is [`Grid::sort_into`](super::Grid::sort_into).
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
    table: Table<D>,
}

/// Points by buckets.
pub(super) struct Table<const D: usize> {
    cells: Cells,
    blocks: Blocks,
    positions: VmVec<[f32; D]>,
    slots: VmVec<u32>,
    /// Of each bucket, where its points start; and where those of the last end.
    starts: VmVec<u32>,
}

impl<const D: usize> SortedGrid<D> {
    /// Without points. Takes no memory until it has some.
    #[must_use]
    pub const fn new() -> Self
    where
        [f32; D]: Position,
    {
        Self::empty()
    }

    pub(super) const fn empty() -> Self {
        let table = Table {
            cells: Cells::new(1.0),
            blocks: Blocks::NONE,
            positions: array(),
            slots: array(),
            starts: array(),
        };
        Self { table }
    }

    /// How many points there are. O(1).
    #[inline]
    pub const fn len(&self) -> usize {
        self.table.slots.len()
    }

    /// Whether there is none. O(1).
    #[inline]
    pub const fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The slots, and the position of each, in the order of the buckets.
    #[inline]
    pub const fn as_slices(&self) -> (&[u32], &[[f32; D]]) {
        (self.table.slots.as_slice(), self.table.positions.as_slice())
    }

    search_methods!(table, SortedWithin, SortedInBox);

    /// [`clone`](Self::clone), or the error.
    ///
    /// # Errors
    ///
    /// If the system refuses memory.
    pub fn try_clone(&self) -> Result<Self, Error> {
        let Table { positions, slots, starts, .. } = &self.table;
        let (positions, slots, starts) = (copy(positions)?, copy(slots)?, copy(starts)?);
        Ok(Self { table: Table { positions, slots, starts, ..self.table } })
    }

    /// Takes all points of a grid in place of those that there are.
    pub(super) fn try_fill(&mut self, lists: &Lists<D>) -> Result<(), Error> {
        let Table { positions, slots, starts, .. } = &mut self.table;
        let len = lists.listed();
        positions.try_reserve(len.saturating_sub(positions.len()))?;
        slots.try_reserve(len.saturating_sub(slots.len()))?;
        starts.try_reserve((lists.heads().len() + 1).saturating_sub(starts.len()))?;
        self.table.fill(lists);
        Ok(())
    }

    #[cfg(test)]
    pub(super) fn check(&self) {
        let Table { cells, blocks, positions, slots, starts } = &self.table;
        assert_eq!((positions.len(), starts.len()), (slots.len(), blocks.buckets() + 1));
        for (bucket, ends) in starts.windows(2).enumerate() {
            for position in &positions[ends[0] as usize..ends[1] as usize] {
                assert_eq!(blocks.bucket(&cells.of(position)), bucket);
            }
        }
        assert_eq!(starts.last().copied(), u32::try_from(slots.len()).ok());
    }
}

impl<const D: usize> Table<D> {
    /// For all of which there is room.
    fn fill(&mut self, lists: &Lists<D>) {
        (self.cells, self.blocks) = (lists.cells(), lists.blocks());
        self.positions.clear();
        self.slots.clear();
        self.starts.clear();
        let heads = lists.heads();
        for (bucket, head) in heads.iter().enumerate() {
            lists.ask(heads.get(bucket + AHEAD).copied().unwrap_or(NONE));
            self.starts.push(self.end());
            let mut list = *head;
            let mut has_more = list != NONE;
            while has_more {
                let (slot, position, more) = lists.step(&mut list);
                self.positions.push(*position);
                self.slots.push(slot);
                has_more = more;
            }
        }
        self.starts.push(self.end());
    }

    /// There are no more than slots, and one number is none of a slot.
    #[inline]
    fn end(&self) -> u32 {
        u32::try_from(self.slots.len()).unwrap_or(NONE)
    }
}

impl<const D: usize> Store<D> for Table<D> {
    /// From one point up to another.
    type List = (u32, u32);

    const NO_LIST: (u32, u32) = (0, 0);
    const IN_STEP: bool = false;

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
        prefetch::ask_for(self.positions.as_ptr().wrapping_add(first as usize));
        usize::from(first < end)
    }

    #[inline]
    fn step(&self, list: &mut (u32, u32)) -> (u32, &[f32; D], bool) {
        let (at, end) = *list;
        list.0 = at + 1;
        (self.slots[at as usize], &self.positions[at as usize], at + 1 < end)
    }
}

impl<const D: usize> Clone for SortedGrid<D> {
    /// The same points in arrays of their own. Linear; enters the kernel for the memory.
    ///
    /// # Panics
    ///
    /// Where [`try_clone`](SortedGrid::try_clone) has an error.
    #[track_caller]
    fn clone(&self) -> Self {
        or_give_up(self.try_clone())
    }
}

impl<const D: usize> Default for SortedGrid<D>
where
    [f32; D]: Position,
{
    /// Without points; see [`new`](Self::new).
    fn default() -> Self {
        Self::new()
    }
}

impl<const D: usize> fmt::Debug for SortedGrid<D> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("SortedGrid").field("len", &self.len()).finish_non_exhaustive()
    }
}
