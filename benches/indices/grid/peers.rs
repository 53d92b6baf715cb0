//! Trees and a grid of other crates.

use std::num::NonZero;

use rstar::RTree;
use rstar::primitives::GeomWithData;

use super::{NEAREST, Points};
use crate::operation::Operation;

const EIGHT: NonZero<usize> = NonZero::new(NEAREST).expect("not zero");

/// The tree of the previous version, with leaves of the default size.
pub(crate) type OldKdTree<const D: usize> =
    kiddo_5::immutable::float::kdtree::ImmutableKdTree<f32, u32, D, 32>;

impl<const D: usize> Points<D> for OldKdTree<D> {
    fn of(positions: &[[f32; D]]) -> Self {
        Self::new_from_slice(positions)
    }

    fn advance(&mut self, positions: &[[f32; D]]) {
        *self = Self::new_from_slice(positions);
    }

    #[inline]
    fn within(&mut self, center: [f32; D], radius: f32, mut each: impl FnMut(u32)) {
        let square = radius * radius;
        for near in self.within_unsorted::<kiddo_5::SquaredEuclidean>(&center, square) {
            each(near.item);
        }
    }

    #[inline]
    fn nearest(&mut self, center: [f32; D], mut each: impl FnMut(f32)) {
        for near in self.nearest_n::<kiddo_5::SquaredEuclidean>(&center, EIGHT) {
            each(near.distance);
        }
    }

    #[inline]
    fn nearest_one(&mut self, center: [f32; D]) -> f32 {
        Self::nearest_one::<kiddo_5::SquaredEuclidean>(self, &center).distance
    }
}

pub(crate) type KdTree<const D: usize> = kiddo::ImmutableKdTree<f32, D>;

impl<const D: usize> Points<D> for KdTree<D> {
    fn of(positions: &[[f32; D]]) -> Self {
        Self::new_from_slice(positions).expect("all positions are finite")
    }

    fn advance(&mut self, positions: &[[f32; D]]) {
        *self = Self::of(positions);
    }

    #[inline]
    fn within(&mut self, center: [f32; D], radius: f32, mut each: impl FnMut(u32)) {
        let query = self.query(&center).within::<kiddo::SquaredEuclidean<f32>>(radius * radius);
        for near in query.unsorted().execute() {
            each(near.item);
        }
    }

    #[inline]
    fn nearest(&mut self, center: [f32; D], mut each: impl FnMut(f32)) {
        let query = self.query(&center).nearest_n::<kiddo::SquaredEuclidean<f32>>(EIGHT);
        for near in query.execute() {
            each(near.distance);
        }
    }

    #[inline]
    fn nearest_one(&mut self, center: [f32; D]) -> f32 {
        self.query(&center).nearest_one::<kiddo::SquaredEuclidean<f32>>().execute().distance
    }
}

pub(crate) type Rectangles<const D: usize> = RTree<GeomWithData<[f32; D], u32>>;

impl<const D: usize> Points<D> for Rectangles<D> {
    fn of(positions: &[[f32; D]]) -> Self {
        let points = positions.iter().zip(0..);
        Self::bulk_load(points.map(|(&at, id)| GeomWithData::new(at, id)).collect())
    }

    fn advance(&mut self, positions: &[[f32; D]]) {
        *self = Self::of(positions);
    }

    #[inline]
    fn within(&mut self, center: [f32; D], radius: f32, mut each: impl FnMut(u32)) {
        let found = self.locate_within_distance(center, radius * radius);
        found.for_each(|point| each(point.data));
    }

    #[inline]
    fn nearest(&mut self, center: [f32; D], mut each: impl FnMut(f32)) {
        let found = self.nearest_neighbor_iter_with_distance_2(center).take(NEAREST);
        found.for_each(|(_, square)| each(square));
    }

    #[inline]
    fn nearest_one(&mut self, center: [f32; D]) -> f32 {
        self.nearest_neighbor_with_distance_2(center).map_or(0.0, |(_, square)| square)
    }
}

/// A grid of the plane, with handles to objects.
pub(crate) struct Flat {
    grid: flat_spatial::Grid<u32, [f32; 2]>,
    handles: Vec<flat_spatial::grid::GridHandle>,
}

impl Points<2> for Flat {
    const LACKS: &'static [Operation] = &[Operation::Nearest, Operation::NearestOne];

    fn of(positions: &[[f32; 2]]) -> Self {
        let mut grid = flat_spatial::Grid::new(1);
        let handles = positions.iter().zip(0..).map(|(&at, id)| grid.insert(at, id)).collect();
        Self { grid, handles }
    }

    fn advance(&mut self, positions: &[[f32; 2]]) {
        for (&handle, &position) in self.handles.iter().zip(positions) {
            self.grid.set_position(handle, position);
        }
        self.grid.maintain();
    }

    #[inline]
    fn within(&mut self, center: [f32; 2], radius: f32, mut each: impl FnMut(u32)) {
        let found = self.grid.query_around(center, radius);
        found.filter_map(|(handle, _)| self.grid.get(handle)).for_each(|(_, &id)| each(id));
    }
}
