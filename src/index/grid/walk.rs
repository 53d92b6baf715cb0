//! [`Walk`]: an iterator over the points in some buckets that lie in a shape.

use super::blocks::{Blocks, Runs};
use super::cells::{Area, Cells, Shape};
use std::ops::Range;

/// How many lists are walked at a time: enough for a cell and all its neighbours in three dimensions.
pub(super) const LISTS: usize = 32;

/// Points, stored in buckets.
pub(super) trait Store<const D: usize> {
    /// The rest of a list of points, which is not empty.
    type List: Copy;

    /// A placeholder.
    const NO_LIST: Self::List;

    fn cells(&self) -> Cells;

    fn blocks(&self) -> Blocks;

    /// Starts the lists of adjacent buckets, and prefetches their first points. Returns the number of lists, at most
    /// one per bucket.
    fn begin(&self, buckets: Range<usize>, lists: &mut [Self::List]) -> usize;

    /// Returns the next point of a list, and whether there is another, which is prefetched.
    fn step(&self, list: &mut Self::List) -> (u32, &[f32; D], bool);

    /// Calls a closure with all points of adjacent buckets.
    fn fold<A>(
        &self,
        buckets: Range<usize>,
        init: A,
        fold: impl FnMut(A, u32, &[f32; D]) -> A,
    ) -> A;

    /// Whether the points are probably in the cache.
    fn is_near(&self) -> bool;

    /// Returns the number of points in lists, and how many places [`points`](Self::points) reads to return them.
    fn lens(&self) -> (usize, usize);

    /// Returns all points in lists.
    fn points(&self) -> impl Iterator<Item = (u32, [f32; D])>;
}

enum WalkSource<const D: usize> {
    Nothing,
    /// The buckets of some cells, which may also hold points of other cells.
    Cells(Runs<D>),
    /// All buckets from this one on.
    Buckets(usize),
}

/// An iterator over the points of a shape, each once.
pub(super) struct Walk<'a, const D: usize, T: Store<D>, S> {
    store: &'a T,
    shape: S,
    source: WalkSource<D>,
    /// Started lists, at the front.
    lists: [T::List; LISTS],
    /// The block of cells that the points of each list must be in.
    blocks: [[i32; D]; LISTS],
    begun: usize,
    at: usize,
}

impl<'a, const D: usize, T: Store<D>, S: Shape<D>> Walk<'a, D, T, S> {
    #[inline]
    pub(super) fn new(store: &'a T, shape: S) -> Self {
        Self {
            store,
            shape,
            source: WalkSource::Nothing,
            lists: [T::NO_LIST; LISTS],
            blocks: [[0; D]; LISTS],
            begun: 0,
            at: 0,
        }
    }

    /// Creates a walk over the points of a shape, all of which lie in an area.
    #[inline]
    pub(super) fn over(store: &'a T, shape: S, area: &Area<D>) -> Self {
        let mut walk = Self::new(store, shape);
        // If an area has more cells than there are buckets, walking over all buckets is shorter and yields each point
        // once.
        if area.count() <= store.blocks().buckets() as u64 {
            walk.walk_area(*area);
        } else {
            walk.walk_all();
        }
        walk
    }

    /// Continues a finished walk with the cells of an area. There must be a bucket.
    #[inline]
    pub(super) fn walk_area(&mut self, area: Area<D>) {
        self.source = WalkSource::Cells(Runs::new(self.store.blocks(), area));
    }

    #[inline]
    pub(super) fn walk_all(&mut self) {
        self.source = WalkSource::Buckets(0);
    }

    /// Starts some lists. Returns `false` if none are left.
    fn refill(&mut self) -> bool {
        self.at = 0;
        while self.begun == 0 {
            match &mut self.source {
                WalkSource::Nothing => return false,
                WalkSource::Cells(runs) => {
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
                        self.source = WalkSource::Nothing;
                    }
                }
                WalkSource::Buckets(next) => {
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

    /// Returns the next point of a started list, and the block of cells that it must be in.
    #[inline]
    fn step(&mut self) -> (u32, &'a [f32; D], [i32; D]) {
        let at = self.at % LISTS;
        let block = self.blocks[at];
        let (slot, position, has_more) = self.store.step(&mut self.lists[at]);
        // Another list is next, so that points are fetched from several lists at a time.
        if has_more {
            self.at += 1;
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

    /// Calls a closure with all points that are left.
    #[inline]
    pub(super) fn fold_rest<A>(
        &mut self,
        init: A,
        mut fold: impl FnMut(A, (u32, [f32; D])) -> A,
    ) -> A {
        let (store, mut sum) = (self.store, init);
        loop {
            match &self.source {
                // Nothing has to be fetched, so no lists are started.
                WalkSource::Cells(runs) if self.begun == 0 && store.is_near() => {
                    let (shape, cells) = (&self.shape, store.cells());
                    for run in runs.clone() {
                        sum = store.fold(run.buckets, sum, |sum, slot, position| {
                            if shape.holds(position) && cells.block_of(position) == run.block {
                                fold(sum, (slot, *position))
                            } else {
                                sum
                            }
                        });
                    }
                    self.source = WalkSource::Nothing;
                    return sum;
                }
                _ => {}
            }
            match self.next() {
                Some(point) => sum = fold(sum, point),
                None => return sum,
            }
        }
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
            // A point of another cell in the same bucket is yielded when its own cell is visited, or never.
            let is_meant = match self.source {
                WalkSource::Cells(_) => self.store.cells().block_of(position) == block,
                _ => true,
            };
            if is_meant {
                return Some((slot, *position));
            }
        }
    }

    #[inline]
    fn fold<A, F: FnMut(A, (u32, [f32; D])) -> A>(mut self, init: A, fold: F) -> A {
        self.fold_rest(init, fold)
    }
}
