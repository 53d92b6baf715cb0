//! Moving points, operation by operation.

use bench_common::compare;
use bench_common::memory::{List, list};
use bench_common::random::Random;

use super::{LATTICE, PAIRS_RADIUS, Points, RADIUS, WIDE_RADIUS, cells_along};
use crate::operation::Operation;
use crate::stage::{Sample, timed};

/// The number of look-ups in a measurement.
const QUERIES: usize = 10_000;

/// The number of look-ups that check the result of a frame.
const CHECKS: usize = 500;

/// The furthest that a point moves, in steps of the lattice: a fifth of a cell.
const MOVE: usize = LATTICE as usize / 5;

pub(crate) struct Stage<P, const D: usize> {
    points: Option<P>,
    positions: List<[f32; D]>,
    /// The number of lattice steps along each axis.
    side: usize,
    random: Random,
}

impl<P: Points<D>, const D: usize> Stage<P, D> {
    /// Creates a world with one point for each cell.
    pub(crate) fn new(rows: usize) -> Self {
        let mut stage = Self {
            points: None,
            positions: list([]),
            side: cells_along::<D>(rows) * usize::from(LATTICE),
            random: Random::new(rows as u64),
        };
        stage.positions = list((0..rows).map(|_| stage.anywhere()));
        stage
    }

    fn anywhere(&mut self) -> [f32; D] {
        [(); D].map(|()| steps(self.random.below(self.side)))
    }

    /// Moves all points in random directions, within the world.
    fn stir(&mut self) {
        let Self { positions, side, random, .. } = self;
        let last = steps(*side - 1);
        for position in positions {
            let by = loop {
                let by = [(); D].map(|()| steps(random.below(2 * MOVE + 1)) - steps(MOVE));
                let square: f32 = by.iter().map(|along| along * along).sum();
                if square <= steps(MOVE) * steps(MOVE) {
                    break by;
                }
            };
            for (at, by) in position.iter_mut().zip(by) {
                *at = (*at + by).clamp(0.0, last);
            }
        }
    }

    fn points(&mut self) -> P {
        self.points.take().unwrap_or_else(|| P::of(&self.positions))
    }

    fn places(&mut self, count: usize) -> List<[f32; D]> {
        list((0..count).map(|_| self.anywhere()))
    }

    fn frame(&mut self) -> Sample {
        let mut points = self.points();
        self.stir();
        let (time, ()) = timed(|| advance(&mut points, &self.positions));
        // The places are equal for all structures, and at any time.
        let mut places = Random::new(1);
        let checksum = (0..CHECKS).fold(0_u64, |sum, _| {
            let place = [(); D].map(|()| steps(places.below(self.side)));
            sum.wrapping_add(all_within(&mut points, &[place], RADIUS))
        });
        self.points = Some(points);
        Sample::new(Operation::Frame, time, 1, checksum)
    }

    fn look_up(
        &mut self,
        operation: Operation,
        all: impl FnOnce(&mut P, &[[f32; D]]) -> u64,
    ) -> Sample {
        let mut points = self.points();
        let places = self.places(QUERIES);
        let (time, checksum) = timed(|| all(&mut points, &places));
        self.points = Some(points);
        Sample::new(operation, time, QUERIES, checksum)
    }

    fn pairs(&mut self) -> Sample {
        let mut points = self.points();
        let (time, pairs) = timed(|| points.pairs(&self.positions, PAIRS_RADIUS));
        self.points = Some(points);
        Sample::new(Operation::Pairs, time, self.positions.len(), pairs)
    }
}

impl<P: Points<D>, const D: usize> compare::Stage<Operation> for Stage<P, D> {
    fn can(&self, operation: Operation) -> bool {
        !P::LACKS.contains(&operation)
    }

    fn perform(&mut self, operation: Operation) -> Vec<Sample> {
        let sample = match operation {
            Operation::Frame => self.frame(),
            Operation::Within => {
                self.look_up(operation, |points, places| all_within(points, places, RADIUS))
            }
            Operation::WithinThree => {
                self.look_up(operation, |points, places| all_within(points, places, WIDE_RADIUS))
            }
            Operation::Nearest => self.look_up(operation, all_nearest),
            Operation::NearestOne => self.look_up(operation, all_nearest_one),
            Operation::Pairs => self.pairs(),
            _ => unreachable!("belongs to another group"),
        };
        vec![sample]
    }
}

/// Converts steps of the lattice to a coordinate, exactly.
#[expect(clippy::cast_precision_loss, reason = "a world has fewer than 2^24")]
fn steps(steps: usize) -> f32 {
    steps as f32 / f32::from(LATTICE)
}

// The timed loops. Never inlined, so that all are compiled in the same surroundings.

#[inline(never)]
fn advance<P: Points<D>, const D: usize>(points: &mut P, positions: &[[f32; D]]) {
    points.advance(positions);
}

/// Returns a checksum of the numbers of the points found.
#[inline(never)]
fn all_within<P: Points<D>, const D: usize>(
    points: &mut P,
    places: &[[f32; D]],
    radius: f32,
) -> u64 {
    let mut sum = 0_u64;
    for &place in places {
        points.within(place, radius, |id| sum = sum.wrapping_add(u64::from(id) + 1));
    }
    sum
}

/// Returns the sum of the squared distances of the nearest points, in steps of the lattice.
#[inline(never)]
fn all_nearest<P: Points<D>, const D: usize>(points: &mut P, places: &[[f32; D]]) -> u64 {
    let unit = f32::from(LATTICE) * f32::from(LATTICE);
    let mut sum = 0_u64;
    for &place in places {
        points.nearest(place, |square| sum = sum.wrapping_add(whole(square * unit)));
    }
    sum
}

#[inline(never)]
fn all_nearest_one<P: Points<D>, const D: usize>(points: &mut P, places: &[[f32; D]]) -> u64 {
    let unit = f32::from(LATTICE) * f32::from(LATTICE);
    places
        .iter()
        .fold(0, |sum: u64, &place| sum.wrapping_add(whole(points.nearest_one(place) * unit)))
}

#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "squares are whole numbers, and small where there are points nearby"
)]
fn whole(number: f32) -> u64 {
    number as u64
}
