//! [`Near`]: those of all points that are nearest to one.

use super::cells::{Any, Area, Ball, is_somewhere, square_apart};
use super::walk::{Store, Walk};
use crate::error::{Error, ErrorKind};

/// Defines the searches of an index whose points are in that field, by its iterators over the points of a ball and of a box.
macro_rules! search_methods {
    ($store:ident, $within:ident, $in_box:ident) => {
        /// The points at most that far from a center, in no order, each once. The time is that of the cells that are
        /// touched, and the points in them; if they are more than there are points, about that of all points.
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
            $within::new(&self.$store, center, radius)
        }

        /// The points between two corners, or at them, in no order, each once. The time is as of
        /// [`within`](Self::within).
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
            $in_box::new(&self.$store, min, max)
        }

        /// Visits all pairs of points that are at most that far from each other, each once, the lower slot first, in no
        /// order. The time is that of half of what [`within`](Self::within) takes for each point.
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
            pairs::each(&self.$store, radius, visit);
        }

        /// Returns the `most` points nearest to a point, or all if there are fewer; the nearest first, and among points at
        /// the same distance the one in the lowest slot.
        ///
        /// # Panics
        ///
        /// If the allocator refuses memory.
        ///
        /// # Time complexity
        ///
        /// Linear in the cells and points around the point, as far as must be searched; at most twice that of visiting all
        /// points. Sorting what was found adds O(`most` log `most`).
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

        /// [`nearest`](Self::nearest), in place of the contents of a vector.
        ///
        /// # Panics
        ///
        /// If the allocator refuses memory, which it is asked for if the capacity does not suffice.
        #[track_caller]
        pub fn nearest_into(&self, point: [f32; D], most: usize, found: &mut Vec<Near<D>>) {
            $crate::error::or_give_up(self.try_nearest_into(point, most, found));
        }

        /// [`nearest_into`](Self::nearest_into), or the error.
        ///
        /// # Errors
        ///
        /// If the allocator refuses memory; then nothing has changed.
        pub fn try_nearest_into(
            &self,
            point: [f32; D],
            most: usize,
            found: &mut Vec<Near<D>>,
        ) -> Result<(), Error> {
            self.try_nearest_where_into(point, most, |_, _| true, found)
        }

        /// Returns the nearest points that a closure accepts; otherwise as [`nearest`](Self::nearest).
        ///
        /// The closure is called with the slot and the position of points in no particular order, only if fewer than
        /// `most` nearer ones are known; at most twice for each.
        ///
        /// # Panics
        ///
        /// If the allocator refuses memory.
        ///
        /// # Time complexity
        ///
        /// That of [`nearest`](Self::nearest) for as many points as are accepted and rejected up to the farthest result.
        /// If fewer than `most` are accepted, all points are visited.
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

        /// [`nearest_where`](Self::nearest_where), in place of the contents of a vector.
        ///
        /// # Panics
        ///
        /// If the allocator refuses memory, which it is asked for if the capacity does not suffice.
        #[track_caller]
        pub fn nearest_where_into(
            &self,
            point: [f32; D],
            most: usize,
            accept: impl FnMut(u32, &[f32; D]) -> bool,
            found: &mut Vec<Near<D>>,
        ) {
            $crate::error::or_give_up(self.try_nearest_where_into(point, most, accept, found));
        }

        /// [`nearest_where_into`](Self::nearest_where_into), or the error.
        ///
        /// If `accept` panics, the vector holds some of the points.
        ///
        /// # Errors
        ///
        /// If the allocator refuses memory; then nothing has changed.
        pub fn try_nearest_where_into(
            &self,
            point: [f32; D],
            most: usize,
            accept: impl FnMut(u32, &[f32; D]) -> bool,
            found: &mut Vec<Near<D>>,
        ) -> Result<(), Error> {
            nearest::try_reserve(found, most.min(self.len()))?;
            nearest::find(&self.$store, point, most, accept, found);
            Ok(())
        }
    };
}
pub(super) use search_methods;

/// A point among the nearest ones, found by [`Grid::nearest`](super::Grid::nearest).
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Near<const D: usize> {
    /// Which one.
    pub slot: u32,
    /// Where it is.
    pub position: [f32; D],
    /// How far that is, squared.
    pub distance_squared: f32,
}

impl<const D: usize> Near<D> {
    #[inline]
    fn is_before(&self, other: &Self) -> bool {
        (self.distance_squared, self.slot) < (other.distance_squared, other.slot)
    }
}

/// Makes room for the `most` nearest ones.
pub(super) fn try_reserve<const D: usize>(
    found: &mut Vec<Near<D>>,
    most: usize,
) -> Result<(), Error> {
    let additional = most.saturating_sub(found.len());
    let bytes = additional.saturating_mul(size_of::<Near<D>>());
    found.try_reserve(additional).map_err(|_| Error::new(ErrorKind::Memory, bytes))
}

/// Finds the `most` nearest ones that `accept` accepts, for which there is room, in order.
///
/// Looks into the cells around the point, ring by ring, until no other can have a nearer one than those that were
/// found; into all, if rings had more cells than there are buckets.
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
    walk.go_over(outer);
    best.offer_all(&mut walk);
    for ring in 2.. {
        // Where others may be.
        let limit = best.area(store);
        if outer.covers(&limit) {
            return best.sort();
        }
        let inner = outer;
        outer = Area::around(&center, ring);
        let slabs = (0..D).flat_map(|axis| outer.beside(&inner, axis)).flatten();
        let slabs = slabs.filter_map(|slab| slab.shared(&limit));
        cells = slabs.clone().fold(cells, |sum, slab| sum.saturating_add(slab.count()));
        if cells > buckets {
            break;
        }
        for slab in slabs {
            walk.go_over(slab);
            best.offer_all(&mut walk);
        }
    }
    best.found.clear();
    walk.go_over_all();
    best.offer_all(&mut walk);
    best.sort();
}

/// The best that were found so far: a heap, the worst of which is in front.
struct Best<'a, const D: usize, A> {
    found: &'a mut Vec<Near<D>>,
    most: usize,
    point: [f32; D],
    accept: A,
}

impl<const D: usize, A: FnMut(u32, &[f32; D]) -> bool> Best<'_, D, A> {
    /// Where those are that would still be taken.
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
            // As far away as infinity from itself.
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
