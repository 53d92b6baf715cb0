//! [`Near`]: a point among those nearest to another.

use super::cells::{Any, Area, Ball, is_somewhere, square_apart};
use super::walk::{Store, Walk};
use crate::error::{Error, ErrorKind};

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
        /// particular order. Takes half the time of a search [`within`](Self::within) the radius of each point.
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
    let mut best = Best { found, most, point, accept };
    let mut walk = Walk::new(store, Any);
    let center = store.cells().of(&point);
    let mut outer = Area::around(&center, 1);
    let mut cells = outer.count();
    walk.walk_area(outer);
    best.offer_all(&mut walk);
    for ring in 2.. {
        // Where nearer points may be.
        let limit = best.area(store);
        if outer.covers(&limit) {
            return best.sort();
        }
        let inner = outer;
        outer = Area::around(&center, ring);
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
    walk.walk_all();
    best.offer_all(&mut walk);
    best.sort();
}

/// The nearest points found by now, as a heap with the farthest first.
struct Best<'a, const D: usize, A> {
    found: &'a mut Vec<Near<D>>,
    most: usize,
    point: [f32; D],
    accept: A,
}

impl<const D: usize, A: FnMut(u32, &[f32; D]) -> bool> Best<'_, D, A> {
    /// Returns the cells in which a point could still be among the nearest.
    fn area<T: Store<D>>(&self, store: &T) -> Area<D> {
        match self.found.first() {
            Some(worst) if self.found.len() == self.most => {
                Ball { center: self.point, square: worst.distance_squared }.area(store.cells())
            }
            _ => Area::WHOLE,
        }
    }

    #[inline]
    fn offer_all(&mut self, points: &mut impl Iterator<Item = (u32, [f32; D])>) {
        for (slot, position) in points {
            let distance_squared = square_apart(&self.point, &position);
            // The distance of an infinite coordinate from itself is NaN.
            if !distance_squared.is_nan() {
                self.offer(Near { slot, position, distance_squared });
            }
        }
    }

    #[inline]
    fn offer(&mut self, near: Near<D>) {
        let has_room = self.found.len() < self.most;
        if !has_room && !near.is_before(&self.found[0]) || !(self.accept)(near.slot, &near.position)
        {
            return;
        }
        if has_room {
            self.found.push(near);
            self.sift_up();
        } else {
            self.found[0] = near;
            self.sift_down();
        }
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
        self.found.sort_unstable_by(|a, b| {
            let order = a.distance_squared.total_cmp(&b.distance_squared);
            order.then(a.slot.cmp(&b.slot))
        });
    }
}
