//! [`Walk`]: goes over the points in some buckets, and gives those of a shape.

use super::blocks::{Blocks, Runs};
use super::cells::{Area, Cells, Shape};
use std::ops::Range;

/// How many lists are gone along at a time: those of all cells that are beside one, in three dimensions too.
pub(super) const LISTS: usize = 32;

/// Where points are by buckets.
pub(super) trait Store<const D: usize> {
    /// What is left of points one behind another, of which there is one.
    type List: Copy;

    /// For a place without one.
    const NO_LIST: Self::List;

    /// Whether to go on with another list behind each point, since the next one of this is waited for.
    const IN_STEP: bool;

    fn cells(&self) -> Cells;

    fn blocks(&self) -> Blocks;

    /// The lists of buckets side by side, and how many they are: no more than buckets. Asks for their first points.
    fn begin(&self, buckets: Range<usize>, lists: &mut [Self::List]) -> usize;

    /// The next point of a list, and whether there is another, which is asked for.
    fn step(&self, list: &mut Self::List) -> (u32, &[f32; D], bool);
}

enum Source<const D: usize> {
    Nothing,
    /// The buckets of some cells, which may have points of others too.
    Cells(Runs<D>),
    /// All from this one on.
    Buckets(usize),
}

/// Goes over points of a shape. Each is given once.
pub(super) struct Walk<'a, const D: usize, T: Store<D>, S> {
    store: &'a T,
    shape: S,
    source: Source<D>,
    /// Those that are begun, from the front.
    lists: [T::List; LISTS],
    /// In what blocks of cells their points are to be.
    blocks: [[i32; D]; LISTS],
    begun: usize,
    at: usize,
}

impl<'a, const D: usize, T: Store<D>, S: Shape<D>> Walk<'a, D, T, S> {
    /// Over nothing.
    #[inline]
    pub(super) fn new(store: &'a T, shape: S) -> Self {
        Self {
            store,
            shape,
            source: Source::Nothing,
            lists: [T::NO_LIST; LISTS],
            blocks: [[0; D]; LISTS],
            begun: 0,
            at: 0,
        }
    }

    /// Over those of a shape, all of which are in an area.
    #[inline]
    pub(super) fn over(store: &'a T, shape: S, area: &Area<D>) -> Self {
        let mut walk = Self::new(store, shape);
        // That is never more than all, and each point is met once for sure.
        if area.count() <= store.blocks().buckets() as u64 {
            walk.go_over(*area);
        } else {
            walk.go_over_all();
        }
        walk
    }

    /// Goes over the cells of an area next, after one that is done. There is a bucket.
    #[inline]
    pub(super) fn go_over(&mut self, area: Area<D>) {
        self.source = Source::Cells(Runs::new(self.store.blocks(), area));
    }

    /// Goes over all buckets next.
    #[inline]
    pub(super) fn go_over_all(&mut self) {
        self.source = Source::Buckets(0);
    }

    /// Begins some lists; whether there is one.
    fn refill(&mut self) -> bool {
        self.at = 0;
        while self.begun == 0 {
            match &mut self.source {
                Source::Nothing => return false,
                Source::Cells(runs) => {
                    let mut free = LISTS;
                    while let Some(run) = runs.run().filter(|run| run.buckets.len() <= free) {
                        let lists = &mut self.lists[self.begun..];
                        let begun = self.store.begin(run.buckets, lists);
                        self.blocks[self.begun..self.begun + begun].fill(run.block);
                        self.begun += begun;
                        free = LISTS - self.begun;
                        runs.advance();
                    }
                    if runs.run().is_none() && self.begun == 0 {
                        self.source = Source::Nothing;
                    }
                }
                Source::Buckets(next) => {
                    let first = *next;
                    let end = self.store.blocks().buckets().min(first + LISTS);
                    if first == end {
                        return false;
                    }
                    *next = end;
                    self.begun = self.store.begin(first..end, &mut self.lists);
                }
            }
        }
        true
    }

    /// The next point of a list that is begun, and in what block of cells it is to be.
    #[inline]
    fn step(&mut self) -> (u32, &'a [f32; D], [i32; D]) {
        let at = self.at % LISTS;
        let block = self.blocks[at];
        let (slot, position, has_more) = self.store.step(&mut self.lists[at]);
        if has_more {
            self.at += usize::from(T::IN_STEP);
        } else {
            self.begun -= 1;
            self.lists[at] = self.lists[self.begun % LISTS];
            self.blocks[at] = self.blocks[self.begun % LISTS];
        }
        if self.at >= self.begun {
            self.at = 0;
        }
        (slot, position, block)
    }
}

impl<const D: usize, T: Store<D>, S: Shape<D>> Iterator for Walk<'_, D, T, S> {
    type Item = (u32, [f32; D]);

    #[inline]
    fn next(&mut self) -> Option<(u32, [f32; D])> {
        loop {
            if self.begun == 0 && !self.refill() {
                return None;
            }
            let (slot, position, block) = self.step();
            if !self.shape.holds(position) {
                continue;
            }
            // Else it is of a cell far off, whose turn is another time, or never.
            let is_meant = match self.source {
                Source::Cells(_) => self.store.cells().block_of(position) == block,
                _ => true,
            };
            if is_meant {
                return Some((slot, *position));
            }
        }
    }
}
