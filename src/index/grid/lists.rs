//! The points of each bucket of a grid, as linked lists.
//!
//! Lists are doubly linked, so that any point can be removed in constant time. The first point of a list does not store
//! its bucket, which follows from its position.

use super::Grid;
use super::blocks::{BLOCK, Blocks, Halves};
use super::cells::{Cells, is_somewhere};
use super::walk::Store;
use crate::error::Error;
use crate::index::memory::{Arrays, ForArrays, SlotRatio, check_slot, cover, too_many, uncover};
use crate::slots::prefetch;
use crate::vec::VecStats;
use std::ops::Range;

/// No slot: the end of a list.
pub(super) const NONE: u32 = u32::MAX;

/// Buckets are added if there are more than `MOST` points per bucket, and removed if fewer than one per `SPARSE`
/// buckets.
const MOST: usize = 1;
const SPARSE: usize = 4;

/// The data of one slot.
#[derive(Clone, Copy, Debug)]
pub(super) struct Node<const D: usize> {
    pub(super) position: [f32; D],
    next: u32,
    /// The previous slot; the slot itself if it is the first, or [`NONE`] if it is not in the index.
    pub(super) prev: u32,
}

impl<const D: usize> Grid<D> {
    /// Checks that a slot number is in range and not far; see [`check_slot`].
    #[inline]
    pub(super) fn check_slot(&self, slot: u32) -> Result<(), Error> {
        check_slot(&self.nodes, slot, NONE, size_of::<Node<D>>(), self.len)
    }

    /// Reserves memory for a slot, so that [`insert_reserved`](Self::insert_reserved) cannot fail until the grid is
    /// cleared or shrunk.
    ///
    /// # Errors
    ///
    /// If memory is refused, or the slot is `u32::MAX`. Nothing observable has changed then.
    #[inline]
    pub(crate) fn try_reserve_slot(&mut self, slot: u32) -> Result<(), Error> {
        // There are heads if there are nodes.
        if (slot as usize) < self.nodes.len() { Ok(()) } else { self.reserve_more(slot) }
    }

    #[cold]
    #[inline(never)]
    fn reserve_more(&mut self, slot: u32) -> Result<(), Error> {
        const ABSENT: u32 = NONE;
        if slot == NONE {
            return Err(too_many(NONE));
        }
        if self.heads.is_empty() {
            self.heads.try_resize(BLOCK, NONE).map_err(|refused| refused.error)?;
            self.blocks = Blocks::ONE;
        }
        let node = Node { position: [0.0; D], next: NONE, prev: ABSENT };
        cover(&mut self.nodes, slot, node)
    }

    /// Inserts or moves a slot as [`insert`](Self::insert) does. Memory must have been reserved.
    #[inline]
    pub(crate) fn insert_reserved(&mut self, slot: u32, position: [f32; D]) -> Option<[f32; D]> {
        let node = &mut self.nodes[slot as usize];
        let old = node.position;
        let is_there = node.prev != NONE;
        if is_there
            && self.cells.of(&old) == self.cells.of(&position)
            && is_somewhere(&old)
            && is_somewhere(&position)
        {
            node.position = position;
        } else {
            self.move_to_cell(slot, position);
        }
        is_there.then_some(old)
    }

    #[inline(never)]
    fn move_to_cell(&mut self, slot: u32, position: [f32; D]) {
        let node = &mut self.nodes[slot as usize];
        if node.prev == NONE {
            self.len += 1;
        } else if is_somewhere(&node.position) {
            self.unlink(slot);
        }
        let node = &mut self.nodes[slot as usize];
        node.position = position;
        // In no list, until it is linked below.
        (node.next, node.prev) = (NONE, slot);
        if is_somewhere(&position) {
            let bucket = self.blocks.bucket(&self.cells.of(&position));
            self.link(bucket, slot);
            self.listed += 1;
            if self.listed > self.heads.len() * MOST {
                self.split();
            }
        }
    }

    /// Merges a block of buckets into another if there are few points per bucket.
    pub(super) fn merge_if_sparse(&mut self) {
        if self.listed < self.heads.len() / SPARSE && self.blocks.count() > 1 {
            self.merge();
        }
    }

    #[inline]
    pub(super) fn link(&mut self, bucket: usize, slot: u32) {
        let next = std::mem::replace(&mut self.heads[bucket], slot);
        let node = &mut self.nodes[slot as usize];
        (node.next, node.prev) = (next, slot);
        if let Some(next) = self.nodes.get_mut(next as usize) {
            next.prev = slot;
        }
    }

    pub(super) fn unlink(&mut self, slot: u32) {
        let Node { position, next, prev } = self.nodes[slot as usize];
        if prev == slot {
            let bucket = self.blocks.bucket(&self.cells.of(&position));
            self.heads[bucket] = next;
        } else {
            self.nodes[prev as usize].next = next;
        }
        if let Some(node) = self.nodes.get_mut(next as usize) {
            node.prev = if prev == slot { next } else { prev };
        }
        self.listed -= 1;
    }

    /// Adds a block of buckets and splits the next one in turn, unless memory is refused.
    #[cold]
    #[inline(never)]
    fn split(&mut self) {
        if self.heads.try_resize(self.heads.len() + BLOCK, NONE).is_err() {
            return;
        }
        let halves = self.blocks.grow();
        self.prefetch_block(halves.first);
        for place in 0..BLOCK {
            self.split_bucket(halves, place);
        }
    }

    fn split_bucket(&mut self, halves: Halves, place: usize) {
        let (stays, goes) = (halves.first * BLOCK + place, halves.last * BLOCK + place);
        let mut slot = std::mem::replace(&mut self.heads[stays], NONE);
        while let Some(node) = self.nodes.get(slot as usize) {
            let next = node.next;
            let is_last = halves.is_last(&self.cells.of(&node.position));
            self.link(if is_last { goes } else { stays }, slot);
            slot = next;
        }
    }

    /// Merges the last of at least two blocks of buckets into the one it was split from.
    #[cold]
    #[inline(never)]
    fn merge(&mut self) {
        let halves = self.blocks.shrink();
        self.prefetch_block(halves.last);
        for place in 0..BLOCK {
            let mut slot = self.heads[halves.last * BLOCK + place];
            while let Some(node) = self.nodes.get(slot as usize) {
                let next = node.next;
                self.link(halves.first * BLOCK + place, slot);
                slot = next;
            }
        }
        self.heads.truncate(halves.last * BLOCK);
    }

    fn prefetch_block(&self, block: usize) {
        for head in &self.heads[block * BLOCK..][..BLOCK] {
            self.prefetch(*head);
        }
    }

    /// Prefetches the node of a slot.
    #[inline]
    pub(super) fn prefetch(&self, slot: u32) {
        // The address of a slot that does not exist would cost a slow page walk.
        let at = if slot == NONE { 0 } else { slot as usize };
        prefetch::prefetch_value(self.nodes.as_ptr().wrapping_add(at));
    }
}

impl<const D: usize> Arrays for Grid<D> {
    fn each_array(&mut self, visitor: &mut impl ForArrays) -> Result<(), Error> {
        let most = |slots: usize| (slots / MOST).saturating_add(2 * BLOCK);
        visitor.visit(&mut self.heads, SlotRatio::new(MOST, most))?;
        visitor.visit(&mut self.nodes, SlotRatio::SLOTS)
    }

    fn tidy(&mut self) {
        while self.blocks.count() > 1 && self.listed <= (self.heads.len() - BLOCK) * MOST {
            self.merge();
        }
        if self.len == 0 {
            self.clear();
        }
        uncover(&mut self.nodes, |node| node.prev != NONE);
    }

    fn memory(&self) -> VecStats {
        self.heads.stats() + self.nodes.stats()
    }
}

impl<const D: usize> Store<D> for Grid<D> {
    type List = u32;

    const NO_LIST: u32 = NONE;

    #[inline]
    fn cells(&self) -> Cells {
        self.cells
    }

    #[inline]
    fn blocks(&self) -> Blocks {
        self.blocks
    }

    #[inline]
    fn begin(&self, buckets: Range<usize>, lists: &mut [u32]) -> usize {
        let mut begun = 0;
        for head in &self.heads[buckets] {
            // Branchless, because whether a bucket has points is unpredictable.
            lists[begun] = *head;
            begun += usize::from(*head != NONE);
            self.prefetch(*head);
        }
        begun
    }

    #[inline]
    fn step(&self, list: &mut u32) -> (u32, &[f32; D], bool) {
        let slot = *list;
        let node = &self.nodes[slot as usize];
        *list = node.next;
        let has_more = node.next != NONE;
        if has_more {
            self.prefetch(node.next);
        }
        (slot, &node.position, has_more)
    }

    #[inline]
    fn fold<A>(
        &self,
        buckets: Range<usize>,
        init: A,
        mut fold: impl FnMut(A, u32, &[f32; D]) -> A,
    ) -> A {
        let (nodes, mut sum) = (self.nodes.as_slice(), init);
        for head in &self.heads[buckets] {
            let mut slot = *head;
            while let Some(node) = nodes.get(slot as usize) {
                sum = fold(sum, slot, &node.position);
                slot = node.next;
            }
        }
        sum
    }

    #[inline]
    fn is_near(&self) -> bool {
        prefetch::is_near(self.nodes.len() * size_of::<Node<D>>())
    }

    fn lens(&self) -> (usize, usize) {
        (self.listed, self.nodes.len())
    }

    #[inline]
    fn points(&self) -> impl Iterator<Item = (u32, [f32; D])> {
        let is_listed = |node: &Node<D>| node.prev != NONE && is_somewhere(&node.position);
        let nodes = (0..).zip(self.nodes.iter());
        nodes.filter(move |(_, node)| is_listed(node)).map(|(slot, node)| (slot, node.position))
    }
}

#[cfg(test)]
impl<const D: usize> Grid<D> {
    fn all(&self) -> impl Iterator<Item = (u32, [f32; D])> {
        let nodes = (0..).zip(self.nodes.iter());
        nodes.filter(|(_, node)| node.prev != NONE).map(|(slot, node)| (slot, node.position))
    }

    /// Asserts that each point is once in the list of its bucket.
    pub(super) fn check(&self) {
        assert_eq!(self.heads.len(), self.blocks.buckets());
        let mut listed = 0;
        for (bucket, head) in self.heads.iter().enumerate() {
            let (mut slot, mut prev) = (*head, *head);
            while slot != NONE {
                let node = &self.nodes[slot as usize];
                assert_eq!((node.prev, is_somewhere(&node.position)), (prev, true));
                assert_eq!(self.blocks.bucket(&self.cells.of(&node.position)), bucket);
                listed += 1;
                assert!(listed <= self.listed);
                (prev, slot) = (slot, node.next);
            }
        }
        assert_eq!(listed, self.listed);
        assert_eq!(self.all().count(), self.len);
        assert_eq!(self.all().filter(|(_, at)| is_somewhere(at)).count(), self.listed);
    }

    pub(super) fn lengths(&self) -> Vec<usize> {
        let lengths = self.heads.iter().map(|head| {
            let next = |slot: &u32| self.nodes.get(*slot as usize).map(|node| node.next);
            std::iter::successors(Some(*head), next).count() - 1
        });
        lengths.collect()
    }
}
