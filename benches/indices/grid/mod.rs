//! Rows near a place.

pub(crate) mod peers;
pub(crate) mod stage;
pub(crate) mod stayput_grids;

use crate::operation::Operation;

/// Along each axis.
pub(crate) const CELL: f32 = 1.0;

/// Positions are multiples of a cell over this, so that squares of short distances are exact, and all agree on
/// what is near.
pub(crate) const LATTICE: u16 = 512;

/// A cell, and half of one, but half a step of the lattice less: nothing is exactly that far apart.
pub(crate) const RADIUS: f32 = CELL - HALF_STEP;
pub(crate) const PAIRS_RADIUS: f32 = CELL / 2.0 - HALF_STEP;
const HALF_STEP: f32 = 0.5 / 512.0;

/// How many of the nearest.
pub(crate) const NEAREST: usize = 8;

/// What a measurement needs of a structure that finds points. It is compiled once for each.
pub(crate) trait Points<const D: usize>: Sized {
    /// Operations that are not measured, since there is nothing that does them.
    const LACKS: &'static [Operation] = &[];

    /// With all of them; a point is known by its place among them.
    fn of(positions: &[[f32; D]]) -> Self;

    /// Has all of them where they are now.
    fn advance(&mut self, positions: &[[f32; D]]);

    /// Those within a radius.
    fn within(&mut self, center: [f32; D], radius: f32, each: impl FnMut(u32));

    /// The squares of how far the nearest are.
    fn nearest(&mut self, center: [f32; D], each: impl FnMut(f32));

    /// How many pairs there are within a radius.
    fn pairs(&mut self, positions: &[[f32; D]], radius: f32) -> u64 {
        let mut pairs = 0;
        for (slot, &position) in (0..).zip(positions) {
            self.within(position, radius, |other| pairs += u64::from(other > slot));
        }
        pairs
    }
}
