//! Pairs of points that are near each other.

use super::blocks::Runs;
use super::cells::{Area, Ball, Shape};
use super::walk::{LISTS, Store};

/// How many buckets ahead the first points of a bucket are prefetched.
const AHEAD: usize = 16;

/// Visits each pair once: from the point in the lower cell or, within a cell, from the point that is first in its list.
///
/// Cells are ordered by their coordinates. The partners of a point are therefore in the rest of its list, and in those
/// cells of a search around it that come after its own.
pub(super) fn each<const D: usize, T: Store<D>>(
    store: &T,
    radius: f32,
    mut visit: impl FnMut(u32, u32),
) {
    let buckets = store.blocks().buckets();
    for bucket in 0..buckets {
        let mut list = [T::NO_LIST];
        if bucket + AHEAD < buckets {
            store.begin(bucket + AHEAD..bucket + AHEAD + 1, &mut list);
        }
        if store.begin(bucket..bucket + 1, &mut list) == 0 {
            continue;
        }
        let [mut list] = list;
        let mut has_more = true;
        while has_more {
            let (slot, position, more) = store.step(&mut list);
            has_more = more;
            let Some(ball) = Ball::new(*position, radius) else { return };
            let mut pair = |other: u32| visit(slot.min(other), slot.max(other));
            if more {
                rest_of_list(store, &ball, list, &mut pair);
            }
            others(store, &ball, &mut pair);
        }
    }
}

/// Visits the points of the same cell that follow in its list.
fn rest_of_list<const D: usize, T: Store<D>>(
    store: &T,
    ball: &Ball<D>,
    list: T::List,
    visit: &mut impl FnMut(u32),
) {
    let cell = store.cells().of(&ball.center);
    each_of(store, list, |slot, position| {
        if ball.holds(position) && store.cells().of(position) == cell {
            visit(slot);
        }
    });
}

fn others<const D: usize, T: Store<D>>(store: &T, ball: &Ball<D>, visit: &mut impl FnMut(u32)) {
    let cells = store.cells();
    let cell = cells.of(&ball.center);
    let area = ball.area(cells);
    let mut lists = [T::NO_LIST; LISTS];
    if area.count() > store.blocks().buckets() as u64 {
        for first in (0..store.blocks().buckets()).step_by(LISTS) {
            let begun = store.begin(first..first + LISTS, &mut lists);
            for list in &lists[..begun] {
                each_of(store, *list, |slot, position| {
                    if ball.holds(position) && cells.of(position) > cell {
                        visit(slot);
                    }
                });
            }
        }
        return;
    }
    let own = Area { low: cell, high: cell };
    for slab in (0..D).filter_map(|axis| area.outside(&own, axis)[1]) {
        for run in Runs::new(store.blocks(), slab) {
            let begun = store.begin(run.buckets, &mut lists);
            for list in &lists[..begun] {
                each_of(store, *list, |slot, position| {
                    if ball.holds(position) && cells.block_of(position) == run.block {
                        visit(slot);
                    }
                });
            }
        }
    }
}

#[inline]
fn each_of<const D: usize, T: Store<D>>(
    store: &T,
    mut list: T::List,
    mut visit: impl FnMut(u32, &[f32; D]),
) {
    loop {
        let (slot, position, has_more) = store.step(&mut list);
        visit(slot, position);
        if !has_more {
            return;
        }
    }
}
