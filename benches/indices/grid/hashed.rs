//! A grid by hand, for a world of any size: a hash map of the cells that have points.

use foldhash::fast::FixedState;
use hashbrown::HashMap;

use super::{CELL, Points, square};
use crate::operation::Operation;

/// The points in a cell, with their ids.
type Cell<const D: usize> = Vec<([f32; D], u32)>;

pub(crate) struct Hashed<const D: usize> {
    cells: HashMap<[i32; D], Cell<D>, FixedState>,
    /// The position of each point.
    positions: Vec<[f32; D]>,
}

#[expect(clippy::cast_possible_truncation, reason = "a world is small")]
fn cell<const D: usize>(at: [f32; D]) -> [i32; D] {
    at.map(|along| (along / CELL).floor() as i32)
}

impl<const D: usize> Points<D> for Hashed<D> {
    const LACKS: &'static [Operation] = &[Operation::Nearest, Operation::NearestOne];

    fn of(positions: &[[f32; D]]) -> Self {
        let mut cells = HashMap::<_, Cell<D>, _>::default();
        for (&position, id) in positions.iter().zip(0..) {
            cells.entry(cell(position)).or_default().push((position, id));
        }
        Self { cells, positions: positions.to_vec() }
    }

    fn advance(&mut self, positions: &[[f32; D]]) {
        for ((from, &to), id) in self.positions.iter_mut().zip(positions).zip(0..) {
            let (before, after) = (cell(*from), cell(to));
            *from = to;
            let points = self.cells.get_mut(&before).expect("the point was put there");
            let place = points.iter().position(|(_, other)| *other == id).expect("as above");
            if before == after {
                points[place].0 = to;
            } else {
                points.swap_remove(place);
                self.cells.entry(after).or_default().push((to, id));
            }
        }
    }

    #[inline]
    fn within(&mut self, center: [f32; D], radius: f32, mut each: impl FnMut(u32)) {
        let low = cell(center.map(|along| along - radius));
        let high = cell(center.map(|along| along + radius));
        let mut at = low;
        'cells: loop {
            for &(position, id) in self.cells.get(&at).map_or(&[][..], |points| points) {
                if square(position, center) <= radius * radius {
                    each(id);
                }
            }
            for axis in (0..D).rev() {
                if at[axis] < high[axis] {
                    at[axis] += 1;
                    continue 'cells;
                }
                at[axis] = low[axis];
            }
            return;
        }
    }
}
