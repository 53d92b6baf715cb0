//! [`Near`]: those of all points that are nearest to one.

use super::cells::{Any, Area, Ball, is_somewhere, square_apart};
use super::walk::{Store, Walk};
use crate::error::{Error, ErrorKind};

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

/// Finds the `most` nearest ones, for which there is room, in order.
///
/// Looks into the cells around the point, ring by ring, until no other can have a nearer one than those that were
/// found; into all, if rings had more cells than there are buckets.
pub(super) fn find<const D: usize, T: Store<D>>(
    store: &T,
    point: [f32; D],
    most: usize,
    found: &mut Vec<Near<D>>,
) {
    found.clear();
    let buckets = store.blocks().buckets() as u64;
    if most == 0 || buckets == 0 || !is_somewhere(&point) {
        return;
    }
    let mut best = Best { found, most, point };
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
struct Best<'a, const D: usize> {
    found: &'a mut Vec<Near<D>>,
    most: usize,
    point: [f32; D],
}

impl<const D: usize> Best<'_, D> {
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
        if self.found.len() < self.most {
            self.found.push(near);
            self.sift_up();
        } else if near.is_before(&self.found[0]) {
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
