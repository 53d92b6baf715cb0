//! Operations on a `Grid` and a map of points, shared by the model test and the fuzz target `grid_model`.

use stayput::index::grid::{Near, Position};
use stayput::index::{Grid, SortedGrid};
use std::collections::BTreeMap;

arbitrary! {
    /// The model, and the initial size of cells.
    pub(crate) struct Config {
        world: World,
        cell: u8,
    }

    /// The spacing of coordinates.
    pub(crate) enum World {
        /// So that many points are on the borders of cells, or in one place.
        Lattice,
        Clump,
        /// Long along that axis, and thin along the others.
        Long(u8),
        Wide,
        /// Including unusual numbers.
        Wild,
    }
}

type Coordinates = [u8; 3];

arbitrary! {
    pub(crate) enum Op {
        Insert(u8, Coordinates),
        /// A number of slots, from one on, each in a random place.
        InsertMany(u16, u8, Coordinates),
        /// Moves each point slightly.
        Nudge(Coordinates),
        Remove(u8),
        RemoveMany(u16, u8),
        /// All but the slots below.
        RemoveFrom(u16),
        Clear,
        SetCell(u8),
        Shrink,
        Position(u16),
        Within(Coordinates, u8),
        InBox(Coordinates, Coordinates),
        Nearest(Coordinates, u8),
        Pairs(u8),
        /// Searches are also made at this place from then on.
        Sort,
        SortAnew,
    }
}

type Points<const D: usize> = BTreeMap<u32, [f32; D]>;

/// Compares bits, so that NaN equals itself.
type Bits<const D: usize> = (u32, [u32; D]);

fn bits<const D: usize>((slot, position): (u32, [f32; D])) -> Bits<D> {
    (slot, position.map(f32::to_bits))
}

pub(crate) struct Model<const D: usize> {
    world: World,
    grid: Grid<D>,
    points: Points<D>,
    sorted: SortedGrid<D>,
    sorted_points: Points<D>,
}

fn cell(number: u8) -> f32 {
    const SIZES: [f32; 8] = [1.0, 0.5, 3.0, 0.3, 1e-3, 1e6, 1e-40, f32::MAX];
    SIZES[usize::from(number) % SIZES.len()]
}

fn radius(number: u8) -> f32 {
    const RADII: [f32; 16] = [
        0.0,
        1.0,
        0.5,
        0.7,
        2.0,
        3.5,
        20.0,
        1000.0,
        f32::INFINITY,
        f32::NAN,
        -1.0,
        -0.0,
        1e-30,
        1e15,
        1e25,
        f32::MAX,
    ];
    RADII[usize::from(number) % RADII.len()]
}

fn wild(number: u8) -> f32 {
    const NUMBERS: [f32; 16] = [
        f32::NAN,
        f32::INFINITY,
        f32::NEG_INFINITY,
        f32::MAX,
        f32::MIN,
        -0.0,
        1e-45,
        -1e-45,
        1e-25,
        2_147_483_648.0,
        -2_147_483_648.0,
        16_777_217.0,
        1e18,
        -1e20,
        1e-3,
        -1e-3,
    ];
    NUMBERS[usize::from(number) % NUMBERS.len()]
}

fn square<const D: usize>(a: &[f32; D], b: &[f32; D]) -> f32 {
    let mut sum = 0.0;
    for (a, b) in a.iter().zip(b) {
        sum += (a - b) * (a - b);
    }
    sum
}

/// Returns `true` if two points are within that distance, in `f32`.
fn is_within<const D: usize>(a: &[f32; D], b: &[f32; D], radius: f32) -> bool {
    radius >= 0.0 && square(a, b) <= radius * radius
}

impl World {
    fn coordinate(self, axis: usize, number: u8) -> f32 {
        let number_below_zero = f32::from(number) - 128.0;
        let lattice = f32::from(number % 16) * 0.5 - 4.0;
        match self {
            Self::Clump => f32::from(number % 4) * 0.01,
            Self::Long(along) if axis == usize::from(along % 3) => number_below_zero * 5.0,
            Self::Long(_) => f32::from(number % 3) * 0.4,
            Self::Wide => number_below_zero * 1000.25,
            Self::Wild if number >= 200 => wild(number),
            Self::Lattice | Self::Wild => lattice,
        }
    }

    fn position<const D: usize>(self, place: Coordinates) -> [f32; D] {
        std::array::from_fn(|axis| self.coordinate(axis, place[axis]))
    }
}

impl<const D: usize> Model<D>
where
    [f32; D]: Position,
{
    pub(crate) fn run(config: Config, ops: &[Op]) {
        let mut model = Self {
            world: config.world,
            grid: Grid::new(cell(config.cell)),
            points: Points::new(),
            sorted: SortedGrid::new(),
            sorted_points: Points::new(),
        };
        for op in ops {
            model.apply(*op);
            assert_eq!(model.grid.len(), model.points.len());
        }
        model.compare();
    }

    fn compare(&self) {
        for (slot, position) in &self.points {
            let found = self.grid.position(*slot).map(|found| bits((*slot, found)));
            assert_eq!(found, Some(bits((*slot, *position))));
        }
        let everything = f32::INFINITY;
        let count = self.grid.in_box([-everything; D], [everything; D]).count();
        let is_somewhere = |position: &&[f32; D]| position.iter().all(|x| !x.is_nan());
        assert_eq!(count, self.points.values().filter(is_somewhere).count());
        assert_eq!(self.grid.is_empty(), self.points.is_empty());
    }

    fn insert(&mut self, slot: u32, position: [f32; D]) {
        let old = self.grid.insert(slot, position).map(|old| bits((slot, old)));
        let expected = self.points.insert(slot, position).map(|old| bits((slot, old)));
        assert_eq!(old, expected);
    }

    fn remove(&mut self, slot: u32) {
        assert_eq!(self.grid.remove(slot), self.points.remove(&slot).is_some());
    }

    fn apply(&mut self, op: Op) {
        match op {
            Op::Insert(slot, place) => self.insert(slot.into(), self.world.position(place)),
            Op::InsertMany(first, count, [x, y, z]) => {
                let mut place = [x, y, z];
                for slot in (u32::from(first % 700)..).take(count.into()) {
                    self.insert(slot, self.world.position(place));
                    for (at, step) in place.iter_mut().zip([y | 1, z, x ^ y]) {
                        *at = at.wrapping_mul(5).wrapping_add(step);
                    }
                }
            }
            Op::Nudge(place) => {
                let by = place.map(|by| f32::from(by) / 512.0 - 0.25);
                for (slot, position) in self.points.clone() {
                    self.insert(slot, std::array::from_fn(|axis| position[axis] + by[axis]));
                }
            }
            Op::Remove(slot) => self.remove(slot.into()),
            Op::RemoveMany(first, count) => {
                (u32::from(first % 700)..).take(count.into()).for_each(|slot| self.remove(slot));
            }
            Op::RemoveFrom(first) => {
                let slots: Vec<u32> = self.points.range(u32::from(first)..).map(|p| *p.0).collect();
                for slot in slots {
                    self.remove(slot);
                }
            }
            Op::Clear => {
                self.grid.clear();
                self.points.clear();
            }
            Op::SetCell(number) => {
                self.grid.set_cell(cell(number));
                assert_eq!(self.grid.cell().to_bits(), cell(number).to_bits());
            }
            Op::Shrink => self.grid.shrink_to_fit(),
            Op::Position(slot) => {
                let slot = slot.into();
                let expected = self.points.get(&slot).map(|position| bits((slot, *position)));
                assert_eq!(self.grid.position(slot).map(|found| bits((slot, found))), expected);
                assert_eq!(self.grid.contains(slot), expected.is_some());
            }
            Op::Within(place, number) => self.within(self.world.position(place), radius(number)),
            Op::InBox(min, max) => {
                self.in_box(self.world.position(min), self.world.position(max));
            }
            Op::Nearest(place, most) => {
                self.nearest(self.world.position(place), most.into());
            }
            Op::Pairs(number) => self.pairs(radius(number)),
            Op::Sort => {
                self.grid.sort_into(&mut self.sorted);
                self.note_sorted();
            }
            Op::SortAnew => {
                self.sorted = self.grid.sorted();
                self.note_sorted();
            }
        }
    }

    fn note_sorted(&mut self) {
        self.sorted_points = self.points.clone();
        self.sorted_points.retain(|_, position| position.iter().all(|x| !x.is_nan()));
        assert_eq!(self.sorted.len(), self.sorted_points.len());
        let (slots, positions) = self.sorted.as_slices();
        self.assert_same(
            slots.iter().copied().zip(positions.iter().copied()),
            &self.sorted_points,
            |_| true,
        );
    }

    fn assert_same(
        &self,
        found: impl Iterator<Item = (u32, [f32; D])>,
        points: &Points<D>,
        is_expected: impl Fn(&[f32; D]) -> bool,
    ) {
        let mut found: Vec<_> = found.map(bits).collect();
        found.sort_unstable();
        let expected = points.iter().filter(|(_, position)| is_expected(position));
        let expected: Vec<_> = expected.map(|(slot, position)| bits((*slot, *position))).collect();
        assert_eq!(found, expected, "cells of {}", self.grid.cell());
    }

    fn within(&self, center: [f32; D], radius: f32) {
        let is_expected = |position: &[f32; D]| is_within(position, &center, radius);
        self.assert_same(self.grid.within(center, radius), &self.points, is_expected);
        self.assert_same(self.sorted.within(center, radius), &self.sorted_points, is_expected);
    }

    fn in_box(&self, min: [f32; D], max: [f32; D]) {
        let is_expected = |position: &[f32; D]| {
            position.iter().zip(min).zip(max).all(|((x, min), max)| min <= *x && *x <= max)
        };
        self.assert_same(self.grid.in_box(min, max), &self.points, is_expected);
        self.assert_same(self.sorted.in_box(min, max), &self.sorted_points, is_expected);
    }

    fn nearest(&self, point: [f32; D], most: usize) {
        let found =
            |near: &Near<D>| (near.distance_squared.to_bits(), bits((near.slot, near.position)));
        let mut into = self.grid.nearest(point, 3);
        self.sorted.nearest_into(point, most, &mut into);
        for (points, near) in
            [(&self.points, self.grid.nearest(point, most)), (&self.sorted_points, into)]
        {
            let mut expected: Vec<_> = points
                .iter()
                .map(|(slot, position)| (square(position, &point), (*slot, *position)))
                .filter(|(square, _)| !square.is_nan())
                // Their bits have the order of the numbers.
                .map(|(square, point)| (square.to_bits(), bits(point)))
                .collect();
            expected.sort_unstable();
            expected.truncate(most);
            assert_eq!(near.iter().map(found).collect::<Vec<_>>(), expected);
        }
    }

    fn pairs(&self, radius: f32) {
        let expected = |points: &Points<D>| {
            let points: Vec<_> = points.iter().collect();
            let mut pairs = Vec::new();
            for (at, (a, from)) in points.iter().enumerate() {
                for (b, to) in &points[at + 1..] {
                    if is_within(from, to, radius) {
                        pairs.push((**a, **b));
                    }
                }
            }
            pairs
        };
        let mut found = Vec::new();
        self.grid.for_each_pair(radius, |a, b| found.push((a, b)));
        found.sort_unstable();
        assert_eq!(found, expected(&self.points));
        found.clear();
        self.sorted.for_each_pair(radius, |a, b| found.push((a, b)));
        found.sort_unstable();
        assert_eq!(found, expected(&self.sorted_points));
    }
}
