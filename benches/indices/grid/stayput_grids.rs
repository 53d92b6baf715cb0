//! The grids of this crate, and tables with them.

use stayput::index::grid::{Near, Position};
use stayput::index::{Grid, SortedGrid};
use stayput::{Table, indices};

use super::{CELL, NEAREST, Points, square};

/// A grid with default settings.
pub(crate) struct Plain<const D: usize> {
    grid: Grid<D>,
    near: Vec<Near<D>>,
}

/// A grid, and a `SortedGrid` made of it in each frame.
pub(crate) struct Sorted<const D: usize> {
    grid: Grid<D>,
    side_by_side: SortedGrid<D>,
    near: Vec<Near<D>>,
}

/// Implements the look-ups, whose names are equal in both.
macro_rules! look_ups {
    ($grid:ident) => {
        #[inline]
        fn within(&mut self, center: [f32; D], radius: f32, mut each: impl FnMut(u32)) {
            self.$grid.within(center, radius).for_each(|(slot, _)| each(slot));
        }

        #[inline]
        fn nearest(&mut self, center: [f32; D], mut each: impl FnMut(f32)) {
            self.$grid.nearest_into(center, NEAREST, &mut self.near);
            self.near.iter().for_each(|near| each(near.distance_squared));
        }

        #[inline]
        fn nearest_one(&mut self, center: [f32; D]) -> f32 {
            self.$grid.nearest_into(center, 1, &mut self.near);
            self.near[0].distance_squared
        }

        fn pairs(&mut self, _: &[[f32; D]], radius: f32) -> u64 {
            let mut pairs = 0;
            self.$grid.for_each_pair(radius, |_, _| pairs += 1);
            pairs
        }
    };
}

impl<const D: usize> Points<D> for Plain<D>
where
    [f32; D]: Position,
{
    look_ups!(grid);

    fn of(positions: &[[f32; D]]) -> Self {
        let mut all = Self { grid: Grid::new(CELL), near: Vec::new() };
        all.advance(positions);
        all
    }

    fn advance(&mut self, positions: &[[f32; D]]) {
        for (slot, &position) in (0..).zip(positions) {
            self.grid.insert(slot, position);
        }
    }
}

impl<const D: usize> Points<D> for Sorted<D>
where
    [f32; D]: Position,
{
    look_ups!(side_by_side);

    fn of(positions: &[[f32; D]]) -> Self {
        let (grid, side_by_side) = (Grid::new(CELL), SortedGrid::new());
        let mut all = Self { grid, side_by_side, near: Vec::new() };
        all.advance(positions);
        all
    }

    fn advance(&mut self, positions: &[[f32; D]]) {
        for (slot, &position) in (0..).zip(positions) {
            self.grid.insert(slot, position);
        }
        self.grid.sort_into(&mut self.side_by_side);
    }
}

/// An indexed part with the position and a mutable part; 64 bytes together.
macro_rules! bodies {
    ($module:ident, $axes:literal, $rest:literal) => {
        pub(crate) mod $module {
            use super::*;

            #[derive(Clone, Debug)]
            pub(crate) struct Body {
                id: u32,
                position: [f32; $axes],
            }

            indices! {
                pub(crate) struct BodyBy for Body {
                    position: Grid<$axes, cell = CELL> = |body| body.position,
                }
            }

            pub(crate) type Bodies = Table<(Body, [u32; $rest]), BodyBy>;

            impl Points<$axes> for Bodies {
                fn of(positions: &[[f32; $axes]]) -> Self {
                    let bodies = (0..).zip(positions);
                    bodies.map(|(id, &position)| (Body { id, position }, [id; $rest])).collect()
                }

                fn advance(&mut self, positions: &[[f32; $axes]]) {
                    self.for_each_mut(|_, body| body.position = positions[body.id as usize]);
                }

                #[inline]
                fn within(&mut self, center: [f32; $axes], radius: f32, mut each: impl FnMut(u32)) {
                    let found = Table::within(self, |by| &by.position, center, radius);
                    found.for_each(|(_, (body, _))| each(body.id));
                }

                #[inline]
                fn nearest(&mut self, center: [f32; $axes], mut each: impl FnMut(f32)) {
                    let found = Table::nearest(self, |by| &by.position, center, NEAREST);
                    found.for_each(|(_, (body, _))| each(square(body.position, center)));
                }

                #[inline]
                fn nearest_one(&mut self, center: [f32; $axes]) -> f32 {
                    let mut found = Table::nearest(self, |by| &by.position, center, 1);
                    found.next().map_or(0.0, |(_, (body, _))| square(body.position, center))
                }

                fn pairs(&mut self, _: &[[f32; $axes]], radius: f32) -> u64 {
                    let mut pairs = 0;
                    self.for_each_pair(|by| &by.position, radius, |_, _| pairs += 1);
                    pairs
                }
            }
        }
    };
}

bodies!(plane, 2, 13);
bodies!(space, 3, 12);
