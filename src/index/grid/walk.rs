//! [`Walk`]: an iterator over the points in some buckets that lie in a shape.

use super::blocks::{Blocks, Runs};
use super::cells::{Area, Cells, Shape};
use std::ops::Range;

/// How many lists are started at a time.
pub(super) const LISTS: usize = 16;

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

    /// Returns the next point of a list, and whether there is another.
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
    /// Started lists; those from `at` to `begun` are left.
    lists: [T::List; LISTS],
    at: usize,
    begun: usize,
    /// The block of cells that the points of these lists must be in, if any.
    block: Option<[i32; D]>,
}

impl<'a, const D: usize, T: Store<D>, S: Shape<D>> Walk<'a, D, T, S> {
    #[inline]
    pub(super) fn new(store: &'a T, shape: S) -> Self {
        let (source, lists) = (WalkSource::Nothing, [T::NO_LIST; LISTS]);
        Self { store, shape, source, lists, at: 0, begun: 0, block: None }
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

    /// Starts some lists, of one block of cells. Returns `false` if none are left.
    #[inline(never)]
    fn refill(&mut self) -> bool {
        (self.at, self.begun) = (0, 0);
        while self.begun == 0 {
            match &mut self.source {
                WalkSource::Nothing => return false,
                WalkSource::Cells(runs) => {
                    self.block = runs.run().map(|run| run.block);
                    if self.block.is_none() {
                        self.source = WalkSource::Nothing;
                        return false;
                    }
                    while let Some(run) = runs.run()
                        && Some(run.block) == self.block
                        && run.buckets.len() <= LISTS - self.begun
                    {
                        self.begun += self.store.begin(run.buckets, &mut self.lists[self.begun..]);
                        runs.advance();
                    }
                }
                WalkSource::Buckets(next) => {
                    self.block = None;
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

    /// Returns `true` if a point is to be yielded.
    ///
    /// A point of another cell in the same bucket is yielded when its own cell is visited, or never.
    #[inline]
    fn holds(&self, position: &[f32; D]) -> bool {
        let is_in = |block| self.store.cells().block_of(position) == block;
        self.shape.holds(position) && self.block.is_none_or(is_in)
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
            for list in &self.lists[self.at..self.begun] {
                let (mut list, mut has_more) = (*list, true);
                while has_more {
                    let (slot, position, more) = store.step(&mut list);
                    if self.holds(position) {
                        sum = fold(sum, (slot, *position));
                    }
                    has_more = more;
                }
            }
            self.begun = self.at;
            if let WalkSource::Cells(runs) = &self.source
                && store.is_near()
            {
                // Lists are started only to prefetch their first points.
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
            if !self.refill() {
                return sum;
            }
        }
    }
}

impl<const D: usize, T: Store<D>, S: Shape<D>> Iterator for Walk<'_, D, T, S> {
    type Item = (u32, [f32; D]);

    #[inline]
    fn next(&mut self) -> Option<(u32, [f32; D])> {
        let store = self.store;
        while self.at < self.begun || self.refill() {
            let (slot, position, has_more) = store.step(&mut self.lists[self.at % LISTS]);
            self.at += usize::from(!has_more);
            if self.holds(position) {
                return Some((slot, *position));
            }
        }
        None
    }

    #[inline]
    fn fold<A, F: FnMut(A, (u32, [f32; D])) -> A>(mut self, init: A, fold: F) -> A {
        self.fold_rest(init, fold)
    }
}
