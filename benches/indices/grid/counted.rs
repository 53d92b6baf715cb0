//! A grid by hand, for a world whose size is known: points sorted by cell, by counting, whenever they have moved.

use super::{Points, cells_along, square};
use crate::operation::Operation;
use crate::stage::narrow;

pub(crate) struct Counted<const D: usize> {
    /// The number of cells along each axis.
    side: usize,
    /// The first point of each cell, and the end of the last one.
    starts: Vec<u32>,
    /// By cell.
    points: Vec<([f32; D], u32)>,
}

impl<const D: usize> Counted<D> {
    fn cell(&self, at: [usize; D]) -> usize {
        at.iter().fold(0, |cell, along| cell * self.side + along)
    }

    /// Returns the place of the cell along each axis, within the world.
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "negative positions become 0"
    )]
    fn place(&self, at: [f32; D]) -> [usize; D] {
        at.map(|along| (along as usize).min(self.side - 1))
    }

    /// Calls `each` with the points within a radius that are not before place `from`.
    #[inline]
    fn visit(&self, center: [f32; D], radius: f32, from: usize, mut each: impl FnMut(u32)) {
        let low = self.place(center.map(|along| along - radius));
        let high = self.place(center.map(|along| along + radius));
        let mut at = low;
        // A row of neighbouring cells at a time.
        'rows: loop {
            let first = self.cell(at);
            let past = first + high[D - 1] - low[D - 1] + 1;
            let row = (self.starts[first] as usize).max(from)..self.starts[past] as usize;
            for &(position, id) in self.points.get(row).unwrap_or_default() {
                if square(position, center) <= radius * radius {
                    each(id);
                }
            }
            for axis in (0..D - 1).rev() {
                if at[axis] < high[axis] {
                    at[axis] += 1;
                    continue 'rows;
                }
                at[axis] = low[axis];
            }
            return;
        }
    }
}

impl<const D: usize> Points<D> for Counted<D> {
    const LACKS: &'static [Operation] = &[Operation::Nearest, Operation::NearestOne];

    fn of(positions: &[[f32; D]]) -> Self {
        let side = cells_along::<D>(positions.len());
        let mut all = Self { side, starts: Vec::new(), points: Vec::new() };
        all.advance(positions);
        all
    }

    fn advance(&mut self, positions: &[[f32; D]]) {
        self.starts.clear();
        self.starts.resize(self.side.pow(narrow(D)) + 2, 0);
        self.points.resize(positions.len(), ([0.0; D], 0));
        // One further than where a cell's points start, so that each is right once the points are in place.
        for &position in positions {
            let cell = self.cell(self.place(position));
            self.starts[cell + 2] += 1;
        }
        let mut sum = 0;
        for start in &mut self.starts {
            sum += *start;
            *start = sum;
        }
        for (&position, id) in positions.iter().zip(0..) {
            let cell = self.cell(self.place(position));
            let start = &mut self.starts[cell + 1];
            self.points[*start as usize] = (position, id);
            *start += 1;
        }
    }

    #[inline]
    fn within(&mut self, center: [f32; D], radius: f32, each: impl FnMut(u32)) {
        self.visit(center, radius, 0, each);
    }

    /// In a grid made anew.
    fn pairs(&mut self, positions: &[[f32; D]], radius: f32) -> u64 {
        self.advance(positions);
        let mut pairs = 0;
        for (place, &(position, _)) in self.points.iter().enumerate() {
            self.visit(position, radius, place + 1, |_| pairs += 1);
        }
        pairs
    }
}
