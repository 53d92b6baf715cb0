//! [`Near`]: a point among those nearest to another.

use super::cells::{Area, Ball, Cells, Shape, is_somewhere, square_apart};
use super::walk::{Store, Walk};
use crate::error::{Error, ErrorKind};
use std::cell::Cell;

/// Defines the searches of a [`Store`]; `$within` and `$in_box` are its iterators.
macro_rules! search_methods {
    ($within:ident, $in_box:ident) => {
        /// Returns an iterator over the points at most `radius` away from a center, each once, in no particular order.
        ///
        /// Takes time linear in the cells that the search touches and the points in them; at most about that of
        /// visiting all points.
        ///
        /// # Examples
        ///
        /// ```
        /// # use stayput::index::Grid;
        /// let mut grid = Grid::new(1.0);
        /// grid.insert(3, [1.0, 2.0, 2.0]);
        /// assert_eq!(grid.within([0.0; 3], 3.0).next(), Some((3, [1.0, 2.0, 2.0])));
        /// assert_eq!(grid.within([0.0; 3], 2.9).next(), None);
        /// ```
        #[inline]
        pub fn within(&self, center: [f32; D], radius: f32) -> $within<'_, D> {
            $within::new(self, center, radius)
        }

        /// Returns an iterator over the points between two corners, inclusive, each once, in no particular order. Takes
        /// time as [`within`](Self::within) does.
        ///
        /// # Examples
        ///
        /// ```
        /// # use stayput::index::Grid;
        /// let mut grid = Grid::new(0.3);
        /// grid.insert(0, [1.0, 2.0]);
        /// grid.insert(1, [1.0, 3.5]);
        /// let slots: Vec<_> = grid.in_box([0.0, 2.0], [1.0, 3.0]).map(|(slot, _)| slot).collect();
        /// assert_eq!(slots, [0]);
        /// ```
        #[inline]
        pub fn in_box(&self, min: [f32; D], max: [f32; D]) -> $in_box<'_, D> {
            $in_box::new(self, min, max)
        }

        /// Calls a closure once for each pair of points at most `radius` apart, with the lower slot first, in no
        /// particular order.
        ///
        /// Sorts the points first, in memory from the global allocator. If that refuses the memory, or if the points
        /// are far apart for their number, each point is searched around instead, as by [`within`](Self::within).
        ///
        /// # Examples
        ///
        /// ```
        /// # use stayput::index::Grid;
        /// let mut grid = Grid::new(1.0);
        /// for slot in 0..10 {
        ///     grid.insert(slot, [slot as f32, 0.0]);
        /// }
        /// let mut pairs = Vec::new();
        /// grid.for_each_pair(1.0, |a, b| pairs.push((a, b)));
        /// pairs.sort_unstable();
        /// assert_eq!((pairs.len(), pairs[8]), (9, (8, 9)));
        /// ```
        pub fn for_each_pair(&self, radius: f32, visit: impl FnMut(u32, u32)) {
            pairs::each(self, radius, visit);
        }

        /// Returns the `most` points nearest to a point, or all if there are fewer; nearest first, and by slot among
        /// points at the same distance.
        ///
        /// # Panics
        ///
        /// If the allocator refuses memory.
        ///
        /// # Time complexity
        ///
        /// O(n) in the cells and points around the point, as far as must be searched; at most twice the time of
        /// visiting all points. Sorting the results adds O(`most` log `most`).
        ///
        /// # Examples
        ///
        /// ```
        /// # use stayput::index::Grid;
        /// let mut grid = Grid::new(1.0);
        /// for slot in 0..100 {
        ///     grid.insert(slot, [slot as f32, 0.0]);
        /// }
        /// for found in [grid.nearest([41.9, 0.0], 3), grid.sorted().nearest([41.9, 0.0], 3)] {
        ///     assert_eq!(found.iter().map(|near| near.slot).collect::<Vec<_>>(), [42, 41, 43]);
        /// }
        /// ```
        #[track_caller]
        pub fn nearest(&self, point: [f32; D], most: usize) -> Vec<Near<D>> {
            let mut found = Vec::new();
            self.nearest_into(point, most, &mut found);
            found
        }

        /// Replaces the contents of a vector by the result of [`nearest`](Self::nearest).
        ///
        /// # Panics
        ///
        /// If the capacity does not suffice and the allocator refuses memory.
        ///
        /// # Examples
        ///
        /// ```
        /// # use stayput::index::Grid;
        /// let mut grid = Grid::new(1.0);
        /// for slot in 0..100 {
        ///     grid.insert(slot, [slot as f32, 0.0]);
        /// }
        /// let mut found = Vec::new(); // one allocation for all searches
        /// for x in [10, 20, 30] {
        ///     grid.nearest_into([x as f32, 0.0], 3, &mut found);
        ///     assert_eq!((found.len(), found[0].slot), (3, x));
        /// }
        /// ```
        #[track_caller]
        pub fn nearest_into(&self, point: [f32; D], most: usize, found: &mut Vec<Near<D>>) {
            $crate::error::unwrap_or_panic(self.try_nearest_into(point, most, found));
        }

        /// Replaces the contents of a vector as [`nearest_into`](Self::nearest_into) does, or returns the error.
        ///
        /// # Errors
        ///
        /// If the allocator refuses memory. Nothing has changed then.
        pub fn try_nearest_into(
            &self,
            point: [f32; D],
            most: usize,
            found: &mut Vec<Near<D>>,
        ) -> Result<(), Error> {
            self.try_nearest_where_into(point, most, |_, _| true, found)
        }

        /// Returns the `most` nearest points that a closure accepts, as [`nearest`](Self::nearest) does.
        ///
        /// The closure is called with the slot and position of a point only if fewer than `most` nearer ones are known;
        /// in no particular order, and at most twice for each point.
        ///
        /// # Panics
        ///
        /// If the allocator refuses memory.
        ///
        /// # Time complexity
        ///
        /// That of [`nearest`](Self::nearest) for as many points as are accepted and rejected up to the farthest
        /// result. If fewer than `most` are accepted, all points are visited.
        ///
        /// # Examples
        ///
        /// ```
        /// # use stayput::index::Grid;
        /// let mut grid = Grid::new(1.0);
        /// for slot in 0..100 {
        ///     grid.insert(slot, [slot as f32, 0.0]);
        /// }
        /// let even = grid.nearest_where([41.9, 0.0], 2, |slot, _| slot % 2 == 0);
        /// assert_eq!(even.iter().map(|near| near.slot).collect::<Vec<_>>(), [42, 40]);
        /// ```
        #[track_caller]
        pub fn nearest_where(
            &self,
            point: [f32; D],
            most: usize,
            accept: impl FnMut(u32, &[f32; D]) -> bool,
        ) -> Vec<Near<D>> {
            let mut found = Vec::new();
            self.nearest_where_into(point, most, accept, &mut found);
            found
        }

        /// Replaces the contents of a vector by the result of [`nearest_where`](Self::nearest_where).
        ///
        /// # Panics
        ///
        /// If the capacity does not suffice and the allocator refuses memory.
        #[track_caller]
        pub fn nearest_where_into(
            &self,
            point: [f32; D],
            most: usize,
            accept: impl FnMut(u32, &[f32; D]) -> bool,
            found: &mut Vec<Near<D>>,
        ) {
            $crate::error::unwrap_or_panic(self.try_nearest_where_into(point, most, accept, found));
        }

        /// Replaces the contents of a vector as [`nearest_where_into`](Self::nearest_where_into) does, or returns the
        /// error.
        ///
        /// If `accept` panics, the vector holds some of the points.
        ///
        /// # Errors
        ///
        /// If the allocator refuses memory. Nothing has changed then.
        pub fn try_nearest_where_into(
            &self,
            point: [f32; D],
            most: usize,
            accept: impl FnMut(u32, &[f32; D]) -> bool,
            found: &mut Vec<Near<D>>,
        ) -> Result<(), Error> {
            nearest::try_reserve(found, most.min(self.len()))?;
            nearest::find(self, point, most, accept, found);
            Ok(())
        }
    };
}
pub(super) use search_methods;

/// A point found by [`Grid::nearest`](super::Grid::nearest).
///
/// # Examples
///
/// ```
/// use stayput::index::Grid;
///
/// let mut grid = Grid::new(1.0);
/// grid.insert(0, [9.0, 9.0]);
/// grid.insert(1, [3.0, 4.0]);
/// let near = grid.nearest([0.0, 0.0], 1)[0];
/// assert_eq!((near.slot, near.position), (1, [3.0, 4.0]));
/// assert_eq!(near.distance_squared.sqrt(), 5.0);
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Near<const D: usize> {
    /// The slot of the point.
    pub slot: u32,
    /// The position of the point.
    pub position: [f32; D],
    /// The square of its distance.
    pub distance_squared: f32,
}

impl<const D: usize> Near<D> {
    #[inline]
    fn is_before(&self, other: &Self) -> bool {
        (self.distance_squared, self.slot) < (other.distance_squared, other.slot)
    }
}

/// Reserves memory for `most` points.
pub(super) fn try_reserve<const D: usize>(
    found: &mut Vec<Near<D>>,
    most: usize,
) -> Result<(), Error> {
    let additional = most.saturating_sub(found.len());
    let bytes = additional.saturating_mul(size_of::<Near<D>>());
    found.try_reserve(additional).map_err(|_| Error::new(ErrorKind::Memory, bytes))
}

/// Finds the `most` nearest points that `accept` accepts, in order. Memory must have been reserved.
///
/// Visits the cells around the point, ring by ring, until no further cell can hold a nearer point than those found; or
/// all cells, once the rings have more cells than there are buckets.
pub(super) fn find<const D: usize, T: Store<D>>(
    store: &T,
    point: [f32; D],
    most: usize,
    accept: impl FnMut(u32, &[f32; D]) -> bool,
    found: &mut Vec<Near<D>>,
) {
    found.clear();
    let buckets = store.blocks().buckets() as u64;
    if most == 0 || buckets == 0 || !is_somewhere(&point) {
        return;
    }
    let ball = Shrinking { center: point, square: Cell::new(f32::INFINITY) };
    let mut best = Best { found, most, ball: &ball, accept };
    let mut walk = Walk::new(store, &ball);
    let mut outer = first_area(store.cells(), point, most);
    let mut cells = outer.count();
    if cells <= buckets {
        walk.walk_area(outer);
        best.offer_all(&mut walk);
    }
    while cells <= buckets {
        // Where nearer points may be.
        let limit = best.area(store);
        if outer.covers(&limit) {
            return best.sort();
        }
        let inner = outer;
        outer = if best.is_full() { inner.with(&limit) } else { inner.wider(1) };
        let slabs = (0..D).flat_map(|axis| outer.outside(&inner, axis)).flatten();
        let slabs = slabs.filter_map(|slab| slab.shared(&limit));
        cells = slabs.clone().fold(cells, |sum, slab| sum.saturating_add(slab.count()));
        if cells > buckets {
            break;
        }
        for slab in slabs {
            walk.walk_area(slab);
            best.offer_all(&mut walk);
        }
    }
    best.found.clear();
    ball.square.set(f32::INFINITY);
    walk.walk_all();
    best.offer_all(&mut walk);
    best.sort();
}

/// Returns an area that has about `most` points if each cell has one.
#[expect(clippy::cast_precision_loss, reason = "an estimate")]
fn first_area<const D: usize>(cells: Cells, point: [f32; D], most: usize) -> Area<D> {
    let (half, most) = (cells.size() / 2.0, most as f32);
    let square = if D == 2 { most } else { most.cbrt() * most.cbrt() };
    Ball { center: point, square: half * half * square }.area(cells)
}

/// The points that could still be among the nearest.
struct Shrinking<const D: usize> {
    center: [f32; D],
    square: Cell<f32>,
}

impl<const D: usize> Shape<D> for &Shrinking<D> {
    /// Returns `false` if the distance is NaN, as that of an infinite coordinate from itself is.
    #[inline]
    fn holds(&self, position: &[f32; D]) -> bool {
        square_apart(&self.center, position) <= self.square.get()
    }
}

/// Up to this number, the nearest points are kept in order, which takes less time than a heap.
const FEW: usize = 32;

/// The nearest points found by now: few in order, more as a heap with the farthest first.
struct Best<'a, const D: usize, A> {
    found: &'a mut Vec<Near<D>>,
    most: usize,
    ball: &'a Shrinking<D>,
    accept: A,
}

impl<const D: usize, A: FnMut(u32, &[f32; D]) -> bool> Best<'_, D, A> {
    /// Returns the cells in which a point could still be among the nearest.
    fn area<T: Store<D>>(&self, store: &T) -> Area<D> {
        if self.is_full() {
            let Shrinking { center, ref square } = *self.ball;
            Ball { center, square: square.get() }.area(store.cells())
        } else {
            Area::WHOLE
        }
    }

    #[inline]
    fn is_full(&self) -> bool {
        self.found.len() == self.most
    }

    #[inline]
    fn farthest(&self) -> &Near<D> {
        if self.most <= FEW { &self.found[self.found.len() - 1] } else { &self.found[0] }
    }

    #[inline]
    fn offer_all<T: Store<D>>(&mut self, points: &mut Walk<'_, D, T, &Shrinking<D>>) {
        points.fold_rest((), |(), (slot, position)| {
            let distance_squared = square_apart(&self.ball.center, &position);
            self.offer(Near { slot, position, distance_squared });
        });
    }

    #[inline]
    fn offer(&mut self, near: Near<D>) {
        let was_full = self.is_full();
        if was_full && !near.is_before(self.farthest()) || !(self.accept)(near.slot, &near.position)
        {
            return;
        }
        if !was_full {
            self.found.push(near);
        }
        if self.most <= FEW {
            self.insert(near);
        } else if was_full {
            self.found[0] = near;
            self.sift_down();
        } else {
            self.sift_up();
        }
        if self.is_full() {
            self.ball.square.set(self.farthest().distance_squared);
        }
    }

    /// Puts a point in its place, in which the last one may be.
    #[inline]
    fn insert(&mut self, near: Near<D>) {
        let Some((mut place, before)) = self.found.split_last_mut() else { return };
        for other in before.iter_mut().rev() {
            if !near.is_before(other) {
                break;
            }
            *place = *other;
            place = other;
        }
        *place = near;
    }

    fn sift_up(&mut self) {
        let mut at = self.found.len() - 1;
        while at > 0 {
            let parent = (at - 1) / 2;
            if !self.found[parent].is_before(&self.found[at]) {
                return;
            }
            self.found.swap(parent, at);
            at = parent;
        }
    }

    fn sift_down(&mut self) {
        let mut at = 0;
        loop {
            let mut worst = at;
            for child in [2 * at + 1, 2 * at + 2] {
                if self.found.get(child).is_some_and(|child| self.found[worst].is_before(child)) {
                    worst = child;
                }
            }
            if worst == at {
                return;
            }
            self.found.swap(worst, at);
            at = worst;
        }
    }

    fn sort(self) {
        if self.most <= FEW {
            return;
        }
        self.found.sort_unstable_by(|a, b| {
            let order = a.distance_squared.total_cmp(&b.distance_squared);
            order.then(a.slot.cmp(&b.slot))
        });
    }
}
