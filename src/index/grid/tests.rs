//! Tests of grids against a comparison of all points.

use super::cells::{Ball, square_apart};
use super::packed::Packed;
use super::*;
use crate::error::ErrorKind;
use crate::index::tests::{assert_alike, fresh, refuse_copies};
use crate::os::{Call, fault::Fault};
use std::collections::BTreeMap;

struct Random(u32);

impl Random {
    fn next(&mut self) -> u32 {
        self.0 = self.0.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        self.0 >> 8
    }

    /// Returns a position at most `to` away from zero along each axis.
    fn position<const D: usize>(&mut self, to: [f32; D]) -> [f32; D] {
        let mut number = || f32::from(u16::try_from(self.next() >> 8).unwrap());
        to.map(|to| (number() / 32_768.0 + number() / 2_147_483_648.0 - 1.0) * to)
    }
}

type Points<const D: usize> = BTreeMap<u32, [f32; D]>;

fn filled<const D: usize>(cell: f32, points: &Points<D>) -> Grid<D>
where
    [f32; D]: Position,
{
    let mut grid = Grid::new(cell);
    for (slot, position) in points {
        assert_eq!(grid.insert(*slot, *position), None);
    }
    grid.check();
    grid
}

fn random<const D: usize>(count: u32, to: [f32; D]) -> Points<D> {
    let mut random = Random(count);
    (0..count).map(|slot| (slot, random.position(to))).collect()
}

fn sorted<V: Ord>(found: impl Iterator<Item = V>) -> Vec<V> {
    let mut found: Vec<V> = found.collect();
    found.sort_unstable();
    found
}

fn assert_found<const D: usize>(
    grid: &Grid<D>,
    by_grid: &SortedGrid<D>,
    points: &Points<D>,
    center: [f32; D],
    radius: f32,
) {
    let expected: Vec<u32> = points
        .iter()
        .filter(|(_, position)| radius >= 0.0 && square_apart(position, &center) <= radius * radius)
        .map(|(slot, _)| *slot)
        .collect();
    let found = sorted(grid.within(center, radius).map(|(slot, _)| slot));
    assert_eq!(found, expected, "{center:?} {radius}");
    assert_eq!(sorted(by_grid.within(center, radius).map(|(slot, _)| slot)), expected);
    // From any point on, internal iteration continues where `next` has stopped.
    for taken in [0, 1, 3, 30] {
        let (mut points, mut of_sorted) =
            (grid.within(center, radius), by_grid.within(center, radius));
        let mut found: Vec<u32> = points.by_ref().take(taken).map(|(slot, _)| slot).collect();
        points.for_each(|(slot, _)| found.push(slot));
        assert_eq!(sorted(found.into_iter()), expected);
        let mut found: Vec<u32> = of_sorted.by_ref().take(taken).map(|(slot, _)| slot).collect();
        of_sorted.for_each(|(slot, _)| found.push(slot));
        assert_eq!(sorted(found.into_iter()), expected);
    }
    let (min, max) = (center.map(|x| x - radius), center.map(|x| x + radius));
    let is_in =
        |position: &[f32; D]| (0..D).all(|axis| (min[axis]..=max[axis]).contains(&position[axis]));
    let expected: Vec<u32> =
        points.iter().filter(|(_, position)| is_in(position)).map(|(slot, _)| *slot).collect();
    assert_eq!(sorted(grid.in_box(min, max).map(|(slot, _)| slot)), expected, "{min:?} {max:?}");
    assert_eq!(sorted(by_grid.in_box(min, max).map(|(slot, _)| slot)), expected);
}

fn assert_nearest<const D: usize>(
    grid: &Grid<D>,
    by_grid: &SortedGrid<D>,
    points: &Points<D>,
    point: [f32; D],
) {
    let mut all: Vec<(f32, u32)> = points
        .iter()
        .map(|(slot, position)| (square_apart(position, &point), *slot))
        .filter(|(square, _)| !square.is_nan())
        .collect();
    all.sort_by(|a, b| a.partial_cmp(b).unwrap());
    for most in [0, 1, 2, 7, 32, 33, 100, usize::MAX] {
        let expected = &all[..most.min(all.len())];
        for found in [grid.nearest(point, most), by_grid.nearest(point, most)] {
            let order: Vec<_> =
                found.iter().map(|near| (near.distance_squared, near.slot)).collect();
            assert_eq!(order, expected, "{point:?}");
            assert!(found.iter().all(
                |near| points[&near.slot].map(f32::to_bits) == near.position.map(f32::to_bits)
            ));
        }
    }
}

fn assert_pairs<const D: usize>(
    grid: &Grid<D>,
    by_grid: &SortedGrid<D>,
    points: &Points<D>,
    radius: f32,
) {
    let points: Vec<_> = points.iter().collect();
    let mut expected = Vec::new();
    for (at, (a, from)) in points.iter().enumerate() {
        for (b, to) in &points[at + 1..] {
            if square_apart(from, to) <= radius * radius {
                expected.push((**a, **b));
            }
        }
    }
    let mut found = Vec::new();
    grid.for_each_pair(radius, |a, b| found.push((a, b)));
    found.sort_unstable();
    assert_eq!(found, expected, "{radius}");
    found.clear();
    by_grid.for_each_pair(radius, |a, b| found.push((a, b)));
    found.sort_unstable();
    assert_eq!(found, expected, "{radius}");
    found.clear();
    if let Some(ball) = Ball::new([0.0; D], radius) {
        pairs::search_each(grid, &ball, |a, b| found.push((a, b)));
    }
    found.sort_unstable();
    assert_eq!(found, expected, "{radius}");
}

#[test]
#[cfg_attr(miri, ignore = "takes minutes")]
fn points_are_sorted_for_pairs_unless_far_apart() {
    let is_sorted = |points: &[[f32; 2]], radius: f32| {
        let points: Points<2> = (0..).zip(points.iter().copied()).collect();
        let (grid, ball) = (filled(1.0, &points), Ball::new([0.0; 2], radius).unwrap());
        assert_pairs(&grid, &grid.sorted(), &points, radius);
        let is_sorted = Packed::of(&grid, &ball).is_some();
        assert_eq!(is_sorted, Packed::of(&grid.sorted(), &ball).is_some());
        is_sorted
    };
    let many: Vec<_> = random(400, [10.0, 10.0]).into_values().collect();
    assert!(is_sorted(&many, 0.0) && is_sorted(&many, 1.0) && is_sorted(&many, 30.0));
    assert!(!is_sorted(&many, f32::INFINITY) && !is_sorted(&many, f32::MAX));
    // So far from the origin, coordinates are rounded to a 128th.
    let far: Vec<_> = many.iter().map(|at| at.map(|x| x + 65_000.0)).collect();
    assert!(!is_sorted(&far, 0.9) && is_sorted(&far, 1.0));
    let farther: Vec<_> = many.iter().map(|at| at.map(|x| x - 1e9)).collect();
    assert!(!is_sorted(&farther, 1.0));
    assert!(!is_sorted(&[[0.0, 0.0], [0.5, 0.0], [1000.0, 0.0]], 1.0));
    assert!(!is_sorted(&[[0.0, 0.0], [0.5, 0.0], [f32::INFINITY, 0.0]], 1.0));
    assert!(!is_sorted(&[], 1.0));
    // Coordinates are below 2^16 cells of half the grid's size.
    let cases = [(32_767.5, true), (32_768.0, false), (-32_767.5, true), (-32_768.0, false)];
    for (x, is_near) in cases {
        assert_eq!(is_sorted(&[[0.0, x]; 2], 0.0), is_near, "{x}");
    }
    // Most slots are empty.
    let points: Points<2> = (0..40).map(|slot| (slot * 50, [0.0, 0.0])).collect();
    let (grid, ball) = (filled(1.0, &points), Ball::new([0.0; 2], 1.0).unwrap());
    assert_pairs(&grid, &grid.sorted(), &points, 1.0);
    assert!(Packed::of(&grid, &ball).is_none() && Packed::of(&grid.sorted(), &ball).is_some());
}

fn agree<const D: usize>(to: [f32; D], cell: f32, radii: &[f32])
where
    [f32; D]: Position,
{
    let points = random(300, to);
    let grid = filled(cell, &points);
    let by_grid = grid.sorted();
    by_grid.check();
    assert_eq!((by_grid.len(), by_grid.is_empty()), (points.len(), false));
    let mut random = Random(9);
    for _ in 0..8 {
        for radius in radii {
            assert_found(&grid, &by_grid, &points, random.position(to), *radius);
        }
        assert_nearest(&grid, &by_grid, &points, random.position(to));
        assert_nearest(&grid, &by_grid, &points, random.position(to.map(|x| x * 20.0)));
    }
    for radius in radii {
        assert_pairs(&grid, &by_grid, &points, *radius);
    }
}

#[test]
#[cfg_attr(miri, ignore = "takes minutes")]
fn searches_find_what_comparing_all_points_finds() {
    agree([13.0, 13.0], 1.0, &[0.0, 0.3, 1.0, 2.5, 30.0]);
    agree([4.5, 4.5, 4.5], 1.0, &[0.5, 1.0, 2.0, 9.0]);
}

#[test]
#[cfg_attr(miri, ignore = "takes minutes")]
fn long_thin_worlds_are_searched_correctly() {
    agree([350.0, 0.5], 1.0, &[0.5, 1.0, 40.0]);
    agree([0.1, 350.0], 1.0, &[0.5, 1.0, 40.0]);
    agree([0.1, 2.0, 170.0], 1.0, &[1.0, 3.0]);
    agree([0.1, 170.0, 0.0], 1.0, &[1.0, 3.0]);
}

#[test]
#[cfg_attr(miri, ignore = "takes minutes")]
fn results_do_not_depend_on_the_cell_size() {
    agree([13.0, 13.0], 100.0, &[1.0, 200.0]);
    agree([13.0, 13.0], 0.01, &[0.02, 1.0]);
    agree([1e-20, 1e-20], 1e-21, &[1e-21, 0.0]);
    agree([1e30, 1e30], 1e29, &[1e18, 1e29]);
    agree([1e9, 1e9, 1e9], 1.0, &[1.0, 1e8]);
    agree([5.0, 5.0, 5.0], f32::MAX, &[1.0]);
    agree([5.0, 5.0, 5.0], 1e-45, &[1.0]);
}

#[test]
fn points_at_borders_are_found() {
    let mut points = Points::new();
    for (slot, (x, y)) in (0..).zip((-4..=4).flat_map(|x| (-4..=4).map(move |y| (x, y)))) {
        points.insert(
            slot,
            [f32::from(i8::try_from(x).unwrap()), f32::from(i8::try_from(y).unwrap())],
        );
    }
    let grid = filled(1.0, &points);
    let by_grid = grid.sorted();
    for center in [[0.0, 0.0], [-1.0, 2.0], [0.5, -0.5], [-4.0, -4.0]] {
        for radius in [0.0, 0.5, 1.0, 2.0, 5.0] {
            assert_found(&grid, &by_grid, &points, center, radius);
        }
        assert_nearest(&grid, &by_grid, &points, center);
    }
    assert_pairs(&grid, &by_grid, &points, 1.0);
    assert_eq!(grid.within([0.0, 0.0], 1.0).count(), 5);
}

/// Inserts many points, moves them, and removes them.
fn come_and_go<const D: usize>(to: [f32; D], count: u32)
where
    [f32; D]: Position,
{
    let mut grid = Grid::new(1.0);
    let mut random = Random(5);
    let mut points = Points::new();
    for slot in 0..count {
        let position = random.position(to);
        assert_eq!(grid.insert(slot, position), None);
        points.insert(slot, position);
        if slot % 611 == 0 {
            grid.check();
        }
    }
    assert!(grid.heads.len() >= count as usize);
    for (slot, position) in &mut points {
        let to = random.position(to.map(|x| if slot % 3 == 0 { 1e-3 } else { x }));
        let to: [f32; D] = std::array::from_fn(|axis| f32::midpoint(position[axis], to[axis]));
        assert_eq!(grid.insert(*slot, to), Some(*position));
        *position = to;
    }
    grid.check();
    assert!(points.iter().all(|(slot, position)| grid.position(*slot) == Some(*position)));
    let mut slot = 0;
    while points.len() > 3 {
        slot = (slot + 7919) % count;
        assert_eq!(grid.remove(slot), points.remove(&slot).is_some());
        assert!(!grid.contains(slot) && grid.len() == points.len());
        if slot % 611 == 0 {
            grid.check();
        }
    }
    assert!(grid.heads.len() <= 64);
    grid.shrink_to_fit();
    grid.check();
    assert!(points.iter().all(|(slot, position)| grid.position(*slot) == Some(*position)));
    grid.clear();
    assert!(grid.is_empty() && !grid.contains(0) && grid.within([0.0; D], 9.0).next().is_none());
    grid.shrink_to_fit();
    assert_eq!(grid.insert(70, [0.0; D]), None);
    grid.check();
}

#[test]
#[cfg_attr(miri, ignore = "takes minutes")]
fn splits_and_merges_lose_no_point() {
    come_and_go([40.0, 40.0], 5_000);
    come_and_go([9.0, 9.0, 9.0], 5_000);
}

#[test]
#[cfg_attr(miri, ignore = "takes minutes")]
fn all_points_may_be_in_one_cell() {
    come_and_go([0.01, 0.01], 2_000);
    come_and_go([0.01, 0.01, 0.01], 2_000);
    let points: Points<2> = (0..300).map(|slot| (slot, [0.5, 0.5])).collect();
    let grid = filled(1.0, &points);
    let by_grid = grid.sorted();
    assert_found(&grid, &by_grid, &points, [0.5, 0.5], 0.0);
    assert_nearest(&grid, &by_grid, &points, [5.0, 0.5]);
    assert_pairs(&grid, &by_grid, &points, 0.0);
}

#[test]
#[cfg_attr(miri, ignore = "takes minutes")]
fn after_shrinking_the_rest_is_found_and_grids_grow_again() {
    let points = random(9_000, [50.0, 50.0]);
    let mut grid = filled(1.0, &points);
    for slot in 2_500..9_000 {
        grid.remove(slot);
    }
    grid.shrink_to_fit();
    grid.check();
    assert!(grid.heads.len() < 2_500 + 64);
    assert_eq!((grid.len(), grid.nodes.len(), grid.position(2_500)), (2_500, 2_500, None));
    assert!(!grid.remove(8_999));
    for (slot, position) in &points {
        grid.insert(*slot, *position);
    }
    grid.check();
    assert_found(&grid, &grid.sorted(), &points, [1.0, 2.0], 12.0);
}

#[test]
fn changing_the_cell_size_keeps_the_points() {
    let points = random(900, [9.0, 9.0, 9.0]);
    let mut grid = filled(1.0, &points);
    for cell in [0.1, 3.0, 1e9, 2.0] {
        grid.set_cell(cell);
        assert!(grid.cell() >= cell && grid.cell() <= cell);
        grid.check();
        assert_found(&grid, &grid.sorted(), &points, [1.0, 2.0, 3.0], 2.5);
    }
}

#[test]
fn points_with_nan_are_stored_and_never_found() {
    let mut grid = Grid::new(1.0);
    grid.insert(0, [f32::NAN, 1.0]);
    grid.insert(1, [1.0, 1.0]);
    assert_eq!(grid.insert(2, [f32::INFINITY, 1.0]), None);
    grid.insert(3, [1.0, f32::NAN]);
    grid.check();
    assert!(grid.contains(0) && grid.len() == 4);
    let everything = [f32::INFINITY; 2];
    for grid in [grid.sorted(), grid.sorted()] {
        assert_eq!((grid.len(), grid.in_box([-f32::INFINITY; 2], everything).count()), (2, 2));
    }
    assert_eq!(sorted(grid.within([0.0, 0.0], f32::INFINITY).map(|found| found.0)), [1, 2]);
    assert_eq!(grid.nearest([0.0, 0.0], 9).len(), 2);
    // The distance of a point there would be NaN.
    assert_eq!(grid.nearest([f32::INFINITY, 0.0], 9).len(), 1);
    for (center, radius) in
        [([0.0, f32::NAN], 9.0), ([0.0, 0.0], f32::NAN), ([0.0, 0.0], -9.0), ([0.0; 2], -0.0)]
    {
        assert_eq!(grid.within(center, radius).next(), None);
    }
    assert_eq!(grid.in_box([f32::NAN, 0.0], everything).next(), None);
    assert_eq!(grid.in_box([2.0, 0.0], [1.0, 3.0]).next(), None);
    assert_eq!(grid.nearest([f32::NAN, 0.0], 3), []);
    grid.for_each_pair(f32::NAN, |_, _| panic!("no pair is that near"));
    grid.for_each_pair(-1.0, |_, _| panic!("no pair is that near"));

    // To a position, within NaN positions, and back.
    assert!(grid.insert(0, [1.0, 2.0]).unwrap()[0].is_nan());
    assert!(grid.insert(3, [f32::NAN, f32::NAN]).unwrap()[1].is_nan());
    assert_eq!(grid.insert(1, [f32::NAN, 1.0]), Some([1.0, 1.0]));
    grid.check();
    assert_eq!(grid.within([1.0, 1.0], 1.0).collect::<Vec<_>>(), [(0, [1.0, 2.0])]);
    assert!([0, 1, 2, 3].into_iter().all(|slot| grid.remove(slot)));
    assert!(grid.is_empty() && !grid.remove(0));
    grid.check();
}

#[test]
fn an_empty_grid_finds_nothing() {
    let grid = Grid::<3>::new(1.0);
    let by_grid = SortedGrid::<3>::default();
    let points = Points::new();
    for radius in [0.0, 1.0, f32::INFINITY] {
        assert_found(&grid, &by_grid, &points, [1.0; 3], radius);
        assert_pairs(&grid, &by_grid, &points, radius);
    }
    assert_nearest(&grid, &by_grid, &points, [1.0; 3]);
    assert_found(&grid, &grid.sorted(), &points, [1.0; 3], 1.0);
}

#[test]
fn the_slot_number_u32_max_is_refused() {
    let mut grid = Grid::new(1.0);
    let error = grid.try_insert(u32::MAX, [0.0, 0.0]).unwrap_err();
    assert_eq!((error.kind(), error.limit()), (ErrorKind::KeyBits, Some(u32::MAX.into())));
    assert!(!grid.contains(u32::MAX) && !grid.remove(u32::MAX));
}

#[test]
#[cfg_attr(miri, ignore = "takes minutes")]
fn a_refused_insertion_changes_nothing() {
    let points = random(20_000, [70.0, 70.0]);
    for call in 0..12 {
        let mut grid = Grid::new(1.0);
        let mut sorted = filled(1.0, &random(5, [1.0, 1.0])).sorted();
        let fault = Fault::plan(Call::Commit, call, 3);
        let mut refusals = 0;
        for (slot, position) in &points {
            while grid.try_insert(*slot, *position).is_err() {
                refusals += 1;
                assert!(!grid.contains(*slot) && grid.len() == *slot as usize);
            }
        }
        assert_eq!(fault.failures(), if call < 4 { 3 } else { fault.failures() });
        drop(fault);
        // If only buckets were refused, lists are longer.
        assert!(refusals <= 3);
        grid.check();
        assert_eq!(grid.within([0.0, 0.0], 1e3).count(), 20_000);

        let fault = Fault::from_nth(Call::Commit, call % 3);
        assert!(grid.try_sort_into(&mut sorted).is_err());
        assert_eq!((sorted.len(), sorted.within([0.0; 2], 9.0).count()), (5, 5));
        drop(fault);
        grid.sort_into(&mut sorted);
        sorted.check();
        assert_eq!(sorted.len(), 20_000);
    }
}

#[test]
#[should_panic = "the size of a cell should be positive and finite"]
fn invalid_cell_sizes_panic() {
    let _ = Grid::<2>::new(0.0);
}

#[test]
fn an_invalid_cell_size_changes_nothing() {
    for cell in [-1.0, f32::NAN, f32::INFINITY] {
        let mut grid = filled(1.0, &random(10, [1.0, 1.0]));
        let set = std::panic::AssertUnwindSafe(|| grid.set_cell(cell));
        assert!(std::panic::catch_unwind(set).is_err());
        grid.check();
        assert_eq!(grid.within([0.0, 0.0], 9.0).count(), 10);
    }
}

#[test]
#[cfg_attr(miri, ignore = "takes minutes")]
fn lists_are_short_in_worlds_of_any_shape() {
    for to in [[100.0, 100.0], [5_000.0, 1.0], [0.5, 10_000.0]] {
        let grid = filled(1.0, &random(10_000, to));
        let lists = grid.lengths();
        assert!(lists.iter().max() < Some(&24), "{to:?}: {:?}", lists.iter().max());
    }
}

fn assert_copied<const D: usize>(to: [f32; D], count: u32)
where
    [f32; D]: Position,
{
    let mut points = random(count, to);
    let mut grid = filled(2.0, &points);
    // Some points are at NaN, and some slots are free.
    for slot in (0..count).step_by(4) {
        grid.insert(slot, [f32::NAN; D]);
        grid.remove(slot + 1);
        points.remove(&slot);
        points.remove(&(slot + 1));
    }
    let mut copy = grid.clone();
    let assert_is = |copy: &Grid<D>| {
        copy.check();
        assert_eq!((copy.cell().to_bits(), copy.len()), (2.0_f32.to_bits(), grid.len()));
        assert!((0..count).all(|slot| copy.contains(slot) == (slot % 4 != 1)));
        let sorted = copy.sorted().clone();
        sorted.check();
        assert_found(copy, &sorted, &points, [0.0; D], 3.0);
        assert_nearest(copy, &sorted, &points, [0.5; D]);
    };
    assert_is(&copy);

    copy.set_cell(0.5);
    for slot in (0..count).step_by(3) {
        copy.insert(slot, [1.0; D]);
    }
    copy.check();
    grid.check();
    let mut copy = grid.clone();
    assert_is(&copy);
    grid.clear();
    assert_eq!(grid.clone().len(), 0);
    grid.insert(3, [0.0; D]);
    drop(grid);
    copy.check();
    copy.shrink_to_fit();
    assert_found(&copy, &copy.sorted(), &points, [0.0; D], 3.0);
}

#[test]
#[cfg_attr(miri, ignore = "takes minutes")]
fn a_copied_grid_is_equal_and_independent() {
    for count in [4, 60, 2000] {
        assert_copied([15.0, 15.0], count);
        assert_copied([5.0, 5.0, 5.0], count);
    }
    let empty = Grid::<2>::new(3.0).clone();
    assert!(empty.is_empty() && empty.cell() >= 3.0 && empty.stats().reserved_bytes == 0);
    let mut sorted = SortedGrid::<2>::new().clone();
    assert!(sorted.is_empty() && sorted.within([0.0, 0.0], 1.0).next().is_none());
    filled(1.0, &random(70, [3.0, 3.0])).sort_into(&mut sorted);
    sorted.check();
}

#[test]
fn a_refused_copy_leaves_nothing() {
    let points = random(3000, [30.0, 30.0]);
    let mut grid = fresh(Grid::new(1.0), None);
    for (slot, position) in &points {
        grid.insert(*slot, *position);
    }
    refuse_copies(&mut grid, Grid::try_clone, |grid| {
        grid.check();
        assert_eq!(grid.within([0.0, 0.0], 1e3).count(), 3000);
    });
    let sorted = grid.sorted();
    let mut refusals = 0;
    for pass in 0.. {
        let fault = Fault::from_nth(Call::Commit, pass);
        let copy = sorted.try_clone();
        let failures = fault.failures();
        drop(fault);
        sorted.check();
        match copy {
            Ok(copy) => {
                copy.check();
                assert_eq!((copy.as_slices(), failures), (sorted.as_slices(), 0));
                break;
            }
            Err(_) => refusals += 1,
        }
    }
    assert!(refusals <= 20);
}

#[test]
fn a_copy_has_the_same_options() {
    let mut grid = fresh(Grid::new(1.0), Some(400));
    for (slot, position) in random(300, [9.0, 9.0, 9.0]) {
        if slot == 1 || slot == 150 {
            assert_alike(grid.clone(), &mut grid);
        }
        grid.insert(slot, position);
    }
    grid.clear();
    assert_alike(grid.clone(), &mut grid);
}
