//! [`Packed`]: points sorted by cell, for one visit to all pairs.
//!
//! # Why no pair is missed
//!
//! The coordinates of a pair differ by at most the reach of the radius, and cells are a 32nd larger than that. The cell
//! of a coordinate is the product with the inverse of the size, rounded down. Products are below 2<sup>16</sup>, so
//! each is rounded by at most 2<sup>-8</sup>, and two of a pair differ by less than 32/33 + 2<sup>-6</sup>. So their
//! cells differ by at most 1 along each axis.

use super::cells::{Area, Ball, Cells, square_apart};
use super::walk::Store;

/// The most cells, and slots, for each point. With more, finding the cells that have points would take longest.
const MOST_EACH: usize = 8;

/// Cells are nearer to the origin than this.
const FURTHEST: u32 = 1 << 16;

/// Points in the order of their cells. The outermost cells are empty, so each other cell has all its neighbours.
pub(super) struct Packed<const D: usize> {
    square: f32,
    /// How many cells one step along each axis is.
    strides: [usize; D],
    /// The first point of each cell, followed by the end of the last cell, twice.
    starts: Vec<u32>,
    points: Vec<(u32, [f32; D])>,
}

impl<const D: usize> Packed<D> {
    /// Sorts all points for pairs with the radius of a ball. Returns `None` if they are too far apart, are stored too
    /// sparsely, or memory is refused.
    pub(super) fn of<T: Store<D>>(store: &T, ball: &Ball<D>) -> Option<Self> {
        let (len, slots) = store.lens();
        let most = (len + MOST_EACH) * MOST_EACH;
        // Much smaller cells than the store's would mostly be empty.
        let size = (ball.reach() * (33.0 / 32.0)).max(store.cells().size() / 2.0);
        if slots > most || !size.is_normal() {
            return None;
        }
        let cells = Cells::new(size);
        let (mut min, mut max) = ([f32::INFINITY; D], [f32::NEG_INFINITY; D]);
        for (_, position) in store.points() {
            for axis in 0..D {
                let x = position[axis];
                min[axis] = if x < min[axis] { x } else { min[axis] };
                max[axis] = if x > max[axis] { x } else { max[axis] };
            }
        }
        let (low, high) = (cells.of(&min), cells.of(&max));
        if low.iter().chain(&high).any(|x| x.unsigned_abs() >= FURTHEST) {
            return None;
        }
        let area = Area { low: low.map(|x| x - 1), high: high.map(|x| x + 1) };
        let count = usize::try_from(area.count()).ok().filter(|count| *count <= most)?;
        // The empty cells at the end of a row are also those at the start of the next.
        let mut strides = [1; D];
        for axis in (1..D).rev() {
            let along = area.high[axis].abs_diff(area.low[axis]) as usize;
            strides[axis - 1] = strides[axis] * along;
        }
        let number = |position: &[f32; D]| -> usize {
            let cell = cells.of(position);
            (0..D).map(|axis| cell[axis].abs_diff(area.low[axis]) as usize * strides[axis]).sum()
        };

        let (mut starts, mut points) = (Vec::new(), Vec::new());
        let ends = count.checked_add(2)?;
        starts.try_reserve_exact(ends).ok()?;
        points.try_reserve_exact(len).ok()?;
        starts.resize(ends, 0_u32);
        points.resize(len, (0, [0.0; D]));
        // Each cell is counted two places after its own, summed up, and has one place less when it is filled.
        store.points().for_each(|(_, position)| starts[number(&position) + 2] += 1);
        let mut end = 0;
        for start in &mut starts {
            end += *start;
            *start = end;
        }
        for point in store.points() {
            let next = &mut starts[number(&point.1) + 1];
            points[*next as usize] = point;
            *next += 1;
        }
        Some(Self { square: ball.square, strides, starts, points })
    }

    /// Visits each pair once, with the smaller slot first.
    pub(super) fn each_pair(&self, mut visit: impl FnMut(u32, u32)) {
        let Self { square, starts, points, .. } = self;
        // The rows of cells after a cell's own in which its neighbours are.
        let (far, near) = (self.strides[0], self.strides[D - 2]);
        let rows = [near, far - near, far, far + near];
        let rows = if D == 2 { &rows[..1] } else { &rows };
        let mut partners: [&[_]; 5] = [&[]; 5];
        for (cell, ends) in starts.windows(2).enumerate() {
            let own = ends[0] as usize..ends[1] as usize;
            if own.is_empty() {
                continue;
            }
            for (part, row) in partners[1..].iter_mut().zip(rows) {
                let middle = cell + row;
                *part = &points[starts[middle - 1] as usize..starts[middle + 2] as usize];
            }
            let end = starts[cell + 2] as usize;
            for at in own {
                let (slot, position) = &points[at];
                partners[0] = &points[at + 1..end];
                for (other, there) in partners[..=rows.len()].iter().copied().flatten() {
                    if square_apart(position, there) <= *square {
                        visit(*slot.min(other), *slot.max(other));
                    }
                }
            }
        }
    }
}
