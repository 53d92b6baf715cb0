//! [`Lists`]: the points of each bucket, in a list of its own.
//!
//! A list goes through its points in both directions, so that one is taken out wherever it is, in constant time. The
//! first one of a list does not know its bucket, but its position does.

use super::blocks::{BLOCK, Blocks, Halves};
use super::cells::{Cells, is_somewhere};
use super::walk::Store;
use crate::error::Error;
use crate::index::memory::{
    Arrays, ForArrays, Share, array, check_slot, copy, cover, too_many, uncover,
};
use crate::slots::prefetch;
use crate::vec::{VecStats, VmVec};
use std::ops::Range;

/// No slot: the end of a list.
pub(super) const NONE: u32 = u32::MAX;

/// With more points a bucket, there are to be more buckets; with fewer than one in so many, fewer.
const MOST: usize = 1;
const SPARSE: usize = 4;

/// What a slot has.
#[derive(Clone, Copy, Debug)]
struct Node<const D: usize> {
    position: [f32; D],
    next: u32,
    /// The one before it, itself if it is the first, or [`NONE`] if the slot is not in the index.
    prev: u32,
}

pub(super) struct Lists<const D: usize> {
    cells: Cells,
    blocks: Blocks,
    heads: VmVec<u32>,
    nodes: VmVec<Node<D>>,
    /// Slots that are in the index, and such of them as are in a list: those that are somewhere.
    len: usize,
    listed: usize,
}

impl<const D: usize> Lists<D> {
    pub(super) const fn new(cells: Cells) -> Self {
        Self { cells, blocks: Blocks::NONE, heads: array(), nodes: array(), len: 0, listed: 0 }
    }

    pub(super) fn try_clone(&self) -> Result<Self, Error> {
        Ok(Self { heads: copy(&self.heads)?, nodes: copy(&self.nodes)?, ..*self })
    }

    #[inline]
    pub(super) const fn len(&self) -> usize {
        self.len
    }

    #[inline]
    pub(super) const fn listed(&self) -> usize {
        self.listed
    }

    #[inline]
    pub(super) fn get(&self, slot: u32) -> Option<[f32; D]> {
        let node = self.nodes.get(slot as usize)?;
        (node.prev != NONE).then_some(node.position)
    }

    #[inline]
    pub(super) const fn size(&self) -> f32 {
        self.cells.size()
    }

    /// All slots of the index and their positions.
    #[cfg(test)]
    fn all(&self) -> impl Iterator<Item = (u32, [f32; D])> {
        let nodes = (0..).zip(self.nodes.iter());
        nodes.filter(|(_, node)| node.prev != NONE).map(|(slot, node)| (slot, node.position))
    }

    /// Refuses a slot that is no number for one, or far; see [`check_slot`].
    #[inline]
    pub(super) fn check_slot(&self, slot: u32) -> Result<(), Error> {
        check_slot(&self.nodes, slot, NONE, size_of::<Node<D>>(), self.len)
    }

    /// See [`Grid::try_reserve_slot`](super::Grid::try_reserve_slot).
    #[inline]
    pub(super) fn reserve(&mut self, slot: u32) -> Result<(), Error> {
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

    /// Puts a slot in, for which there is room, or moves it; where it was.
    #[inline]
    pub(super) fn put(&mut self, slot: u32, position: [f32; D]) -> Option<[f32; D]> {
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
            self.put_elsewhere(slot, position);
        }
        is_there.then_some(old)
    }

    #[inline(never)]
    fn put_elsewhere(&mut self, slot: u32, position: [f32; D]) {
        let node = &mut self.nodes[slot as usize];
        if node.prev == NONE {
            self.len += 1;
        } else if is_somewhere(&node.position) {
            self.unlink(slot);
        }
        let node = &mut self.nodes[slot as usize];
        node.position = position;
        // It is in no list, unless that is changed below.
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

    /// Whether it was in it.
    pub(super) fn remove(&mut self, slot: u32) -> bool {
        let Some(node) = self.nodes.get(slot as usize).filter(|node| node.prev != NONE) else {
            return false;
        };
        if is_somewhere(&node.position) {
            self.unlink(slot);
        }
        self.nodes[slot as usize].prev = NONE;
        self.len -= 1;
        if self.listed < self.heads.len() / SPARSE && self.blocks.count() > 1 {
            self.merge();
        }
        true
    }

    /// Puts a slot in front of a list.
    #[inline]
    fn link(&mut self, bucket: usize, slot: u32) {
        let next = std::mem::replace(&mut self.heads[bucket], slot);
        let node = &mut self.nodes[slot as usize];
        (node.next, node.prev) = (next, slot);
        if let Some(next) = self.nodes.get_mut(next as usize) {
            next.prev = slot;
        }
    }

    /// Takes a slot out of its list.
    fn unlink(&mut self, slot: u32) {
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

    /// Makes a block of buckets more, and splits the one whose turn it is; not, if there is no memory.
    #[cold]
    #[inline(never)]
    fn split(&mut self) {
        if self.heads.try_resize(self.heads.len() + BLOCK, NONE).is_err() {
            return;
        }
        let halves = self.blocks.grow();
        self.ask_for_block(halves.first);
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

    /// Puts what the last block of buckets has, of two and more, into the one that it was split from.
    #[cold]
    #[inline(never)]
    fn merge(&mut self) {
        let halves = self.blocks.shrink();
        self.ask_for_block(halves.last);
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

    fn ask_for_block(&self, block: usize) {
        for head in &self.heads[block * BLOCK..][..BLOCK] {
            self.ask(*head);
        }
    }

    /// Asks for the node of a slot, if it is one.
    #[inline]
    pub(super) fn ask(&self, slot: u32) {
        // An address that is not there would be looked up for long.
        let at = if slot == NONE { 0 } else { slot as usize };
        prefetch::ask_for(self.nodes.as_ptr().wrapping_add(at));
    }

    pub(super) fn heads(&self) -> &[u32] {
        &self.heads
    }

    /// Goes over all points anew, with other cells.
    pub(super) fn set_cells(&mut self, cells: Cells) {
        self.cells = cells;
        self.heads.fill(NONE);
        for slot in 0..self.nodes.len() {
            let node = &self.nodes[slot];
            if node.prev != NONE && is_somewhere(&node.position) {
                let bucket = self.blocks.bucket(&cells.of(&node.position));
                self.link(bucket, u32::try_from(slot).unwrap_or(NONE));
            }
        }
    }

    pub(super) fn clear(&mut self) {
        self.nodes.clear();
        self.heads.clear();
        self.blocks = Blocks::NONE;
        (self.len, self.listed) = (0, 0);
    }
}

impl<const D: usize> Arrays for Lists<D> {
    fn each_array(&mut self, visitor: &mut impl ForArrays) -> Result<(), Error> {
        let most = |slots: usize| (slots / MOST).saturating_add(2 * BLOCK);
        visitor.visit(&mut self.heads, Share { slots_each: MOST, most })?;
        visitor.visit(&mut self.nodes, Share::SLOTS)
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

    fn each_stats(&self, visit: &mut impl FnMut(VecStats)) {
        visit(self.heads.stats());
        visit(self.nodes.stats());
    }
}

impl<const D: usize> Store<D> for Lists<D> {
    type List = u32;

    const NO_LIST: u32 = NONE;
    const IN_STEP: bool = true;

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
            // Whether there is one is not foreseen: better not to branch by it.
            lists[begun] = *head;
            begun += usize::from(*head != NONE);
            self.ask(*head);
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
            self.ask(node.next);
        }
        (slot, &node.position, has_more)
    }
}

#[cfg(test)]
impl<const D: usize> Lists<D> {
    /// Whether each point is in the list of its bucket, once.
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

    /// How many points each list has.
    pub(super) fn lengths(&self) -> Vec<usize> {
        let lengths = self.heads.iter().map(|head| {
            let next = |slot: &u32| self.nodes.get(*slot as usize).map(|node| node.next);
            std::iter::successors(Some(*head), next).count() - 1
        });
        lengths.collect()
    }
}
