//! The targets for memory that is large: ratios of figures to those of the best allocator in the same rounds.

use bench_common::table::Target;

use crate::{arrays, large, phase};

/// All rows that have targets here.
pub(crate) struct Measured {
    pub(crate) large: Option<Vec<large::Row>>,
    pub(crate) phase: Option<Vec<phase::Row>>,
    pub(crate) arrays: Option<Vec<arrays::Row>>,
}

/// Page faults of a warm round.
pub(crate) const FAULTS: f64 = 50.0;

/// A warm round's time over that of the best allocator.
const ROUND: f64 = 1.05;

/// The first round's time over that of the system's allocator.
const FIRST: f64 = 0.5;

/// The most resident memory over that of the best allocator.
const PEAK: f64 = 1.1;

/// Resident memory after a rest of a second and of five, over what the program holds.
const RESIDENT: [f64; 2] = [1.25, 1.05];

pub(crate) fn all(measured: &Measured) -> Vec<Target> {
    let large = measured.large.as_deref().unwrap_or_default();
    let phase = measured.phase.as_deref().unwrap_or_default();
    let arrays = measured.arrays.as_deref().unwrap_or_default();
    large_targets(large).chain(phase_targets(phase)).chain(arrays::targets(arrays)).collect()
}

fn large_targets(rows: &[large::Row]) -> impl Iterator<Item = Target> + '_ {
    use crate::repeat::Repeated;

    large::by_size(rows).flat_map(|group| {
        let what = |figure: &str| format!("{figure}, {}", group.own.of.job);
        let first = |found: &Repeated| Some(found.first_ms());
        let targets = [
            group.to_best(what("round"), Repeated::round_ms, ROUND),
            group.alone(what("page faults"), Repeated::page_faults, FAULTS),
            group.to_system(what("first round"), first, FIRST),
        ];
        targets.into_iter().flatten()
    })
}

fn phase_targets(rows: &[phase::Row]) -> impl Iterator<Item = Target> + '_ {
    phase::by_phase(rows).flat_map(|group| {
        let what = |figure: &str| format!("{figure}, {}", group.own.of.job);
        let first = |found: &phase::Outcome| Some(found.rounds.first_ms());
        let targets = [
            group.to_best(what("phase"), |found| found.rounds.round_ms(), ROUND),
            group.alone(what("page faults"), |found| found.rounds.page_faults(), FAULTS),
            group.to_system(what("first phase"), first, FIRST),
            group.to_best(what("peak memory"), phase::Outcome::peak, PEAK),
        ];
        let resident = (1..=group.own.of.job.rests()).map(move |rests| {
            let (when, most) = (["1 s", "5 s"][rests - 1], RESIDENT[rests - 1]);
            let what = what(&format!("resident after {when}, over what is held"));
            group.alone(what, |found| found.resident_over_held(rests), most)
        });
        let resident: Vec<_> = resident.collect();
        targets.into_iter().chain(resident).flatten()
    })
}
