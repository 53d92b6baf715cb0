//! Runs against a map of units.

use super::*;
use crate::random::Random;

/// A space with room for 2^16 places.
fn space() -> Space {
    let mut space = Space::new();
    space.make_ready(1 << 16).unwrap();
    space
}

fn take(space: &mut Space, class: u32) -> u32 {
    space.take_free(class).or_else(|| space.take_from_end(class)).unwrap()
}

fn below(random: &mut Random, end: usize) -> u32 {
    random.below(end).try_into().unwrap()
}

#[test]
fn the_lowest_run_of_the_best_size_is_taken_and_split() {
    let mut space = space();
    let starts = [0, 1, 0, 2, 3].map(|class| take(&mut space, class));
    // What alignment skips is taken by those that fit.
    assert_eq!(starts, [0, 2, 1, 4, 8]);
    assert_eq!((space.end(), space.unused()), (16, 0));
    space.free(4..8);
    space.free(0..1);
    assert_eq!([0, 1, 0, 0].map(|class| take(&mut space, class)), [0, 4, 6, 7]);
    assert_eq!(space.unused(), 0);
}

#[test]
fn buddies_are_merged() {
    let mut space = space();
    assert_eq!(take(&mut space, 6), 0);
    space.free(0..64);
    let starts: Vec<u32> = (0..64).map(|_| take(&mut space, 0)).collect();
    assert!(starts.iter().copied().eq(0..64));
    for start in (0..64).step_by(2).chain((1..64).step_by(2)) {
        space.free(start..start + 1);
    }
    assert_eq!((space.free_runs(6), space.unused(), space.end()), (1, 64, 64));
    assert_eq!(take(&mut space, 6), 0);
}

#[test]
fn a_run_grows_in_place_if_its_buddy_is_free() {
    let mut space = space();
    let [a, b, c] = [0; 3].map(|class| take(&mut space, class));
    assert!(!space.widen(a, 0) && !space.widen(b, 0));
    // At the end.
    assert!(space.widen(c, 0));
    assert_eq!(space.end(), 4);
    assert!(!space.widen(c, 1), "it is a second half");
    space.free(b..b + 1);
    assert!(space.widen(a, 0));
    assert_eq!(space.unused(), 0);
}

#[test]
#[cfg_attr(miri, ignore = "takes minutes")]
fn units_are_handed_out_once() {
    let mut random = Random(7);
    let mut space = space();
    let mut taken: Vec<Range<u32>> = Vec::new();
    let mut owned = vec![false; 1 << 12];
    for _ in 0..4000 {
        let pick = random.below(taken.len() + 1);
        match random.below(5) {
            0 | 1 if taken.len() < 100 => {
                let class = below(&mut random, 5);
                let start = take(&mut space, class);
                taken.push(start..start + (1 << class));
                let units = &mut owned[start as usize..][..1 << class];
                assert!(units.iter().all(|is_owned| !is_owned));
                units.fill(true);
            }
            2 if pick < taken.len() => {
                let Range { start, end } = taken[pick].clone();
                let class = (end - start).ilog2();
                if (end - start).is_power_of_two() && class < 6 && space.widen(start, class) {
                    let more = &mut owned[end as usize..][..1 << class];
                    assert!(more.iter().all(|is_owned| !is_owned));
                    more.fill(true);
                    taken[pick].end = end + (1 << class);
                }
            }
            3 if pick < taken.len() => {
                // The rest of a run, from any unit on.
                let units = taken[pick].clone();
                let from = units.start + below(&mut random, units.len());
                taken[pick].end = from;
                if taken[pick].is_empty() {
                    taken.swap_remove(pick);
                }
                space.free(from..units.end);
                owned[from as usize..units.end as usize].fill(false);
            }
            _ if pick < taken.len() => {
                let units = taken.swap_remove(pick);
                owned[units.start as usize..units.end as usize].fill(false);
                space.free(units);
            }
            _ => {}
        }
        if random.below(100) == 0 {
            space.trim();
            assert!(space.end() == 0 || owned[space.end() as usize - 1]);
        }
        let used = owned.iter().filter(|is_owned| **is_owned).count();
        assert_eq!(used, (space.end() - space.unused()) as usize);
    }
    for units in taken {
        space.free(units);
    }
    assert_eq!(space.unused(), space.end());
}

#[test]
fn places_that_are_not_ready_are_not_taken() {
    let mut space = Space::new();
    assert_eq!((space.take_free(0), space.take_from_end(0), space.extend(1)), (None, None, None));
    space.make_ready(5).unwrap();
    assert_eq!((space.take_from_end(2), space.take_from_end(2)), (Some(0), None));
    assert_eq!(space.end_with(2), Some(8));
    assert!(!space.widen(0, 2), "the next four are not ready");
    assert_eq!((space.end(), space.unused()), (4, 0));
    assert_eq!(space.end_with(31), None, "there is no room after the first");
    assert_eq!(space.extend(1), Some(4));
}

#[test]
fn free_places_at_the_front_are_taken_wherever_runs_begin() {
    let mut space = space();
    let starts: Vec<u32> = (0..40).map(|_| take(&mut space, 0)).collect();
    assert_eq!((starts.len(), space.free_front()), (40, 0));
    space.free(0..37);
    assert_eq!(space.free_front(), 37);
    space.take_range(0..35);
    assert_eq!((space.free_front(), space.unused(), take(&mut space, 1)), (0, 2, 40));
    assert_eq!([take(&mut space, 0), take(&mut space, 0)], [35, 36]);
    space.clear();
    assert_eq!((space.end(), space.unused(), take(&mut space, 3)), (0, 0, 0));
}
