//! Rows near a place.

pub(crate) mod counted;
pub(crate) mod hashed;
pub(crate) mod peers;
pub(crate) mod stage;
pub(crate) mod stayput_grids;

use crate::operation::Operation;
use crate::stage::narrow;

/// The size along each axis.
pub(crate) const CELL: f32 = 1.0;

/// Positions are multiples of a cell over this number, so that squares of short distances are exact, and all
/// structures agree on which points are near.
pub(crate) const LATTICE: u16 = 512;

/// A cell, and half a cell, each less half a step of the lattice: no two points are exactly that far apart.
pub(crate) const RADIUS: f32 = CELL - HALF_STEP;
pub(crate) const PAIRS_RADIUS: f32 = CELL / 2.0 - HALF_STEP;
const HALF_STEP: f32 = 0.5 / 512.0;

/// Three cells, likewise.
pub(crate) const WIDE_RADIUS: f32 = 3.0 * CELL - HALF_STEP;

/// The number of nearest points.
pub(crate) const NEAREST: usize = 8;

/// Returns the number of cells along each axis of a world with about one point for each cell.
pub(crate) fn cells_along<const D: usize>(points: usize) -> usize {
    (1..points).find(|cells| cells.pow(narrow(D)) >= points).unwrap_or(1)
}

/// Returns the squared distance of two points.
#[inline]
pub(crate) fn square<const D: usize>(one: [f32; D], other: [f32; D]) -> f32 {
    one.iter().zip(other).map(|(one, other)| (one - other) * (one - other)).sum()
}

/// A structure that finds points. Measurements are compiled once for each implementation.
pub(crate) trait Points<const D: usize>: Sized {
    /// Operations that the structure lacks.
    const LACKS: &'static [Operation] = &[];

    /// Creates a structure of these points, which are identified by their places in the slice.
    fn of(positions: &[[f32; D]]) -> Self;

    /// Moves all points to their current positions.
    fn advance(&mut self, positions: &[[f32; D]]);

    /// Calls `each` with the points within a radius.
    fn within(&mut self, center: [f32; D], radius: f32, each: impl FnMut(u32));

    /// Calls `each` with the squared distances of the nearest points.
    fn nearest(&mut self, _center: [f32; D], _each: impl FnMut(f32)) {
        unreachable!("the operation is in LACKS");
    }

    /// Returns the squared distance of the nearest point.
    fn nearest_one(&mut self, _center: [f32; D]) -> f32 {
        unreachable!("the operation is in LACKS");
    }

    /// Returns the number of pairs within a radius.
    fn pairs(&mut self, positions: &[[f32; D]], radius: f32) -> u64 {
        let mut pairs = 0;
        for (slot, &position) in (0..).zip(positions) {
            self.within(position, radius, |other| pairs += u64::from(other > slot));
        }
        pairs
    }
}
