//! The result for this machine in a sentence, and the project's targets.

use bench_common::numbers::grouped;
use bench_common::table::Target;

use crate::containers::GLIBC;
use crate::overview::{self, Cases};
use crate::stats::milliseconds;
use crate::summary::Summary;

/// The ratios of one container's worst frame to another's, with the most that they are meant to be.
const TARGETS: [(&str, &str, f64); 4] = [
    ("block-vec", "vmvec-small", 1.0),
    ("table-ahead", "table-warm", 1.5),
    ("shared-ahead", "shared-warm", 1.5),
    ("shared-ahead", "mutex-vec-mimalloc", 0.1),
];

/// Sums up the scenarios in which the containers to be compared were measured; `None` if there are none.
pub(crate) fn sentence(summary: &Summary<'_>) -> Option<String> {
    let compared = |case: &Cases<'_>| matches!(case.1, [Some(_), Some(_), _, Some(_), _]);
    let rows = overview::groups(summary).flat_map(|group| group.rows).filter(compared);
    let rows: Vec<Cases<'_>> = rows.collect();
    let frames: usize = rows.iter().map(|(scenario, _)| scenario.script.frames).sum();
    let [usual, copying, _, ahead, limit] = [0, 1, 2, 3, 4].map(|column| {
        let all = rows.iter().filter_map(|(_, rows)| rows[column]);
        let worst = all.clone().map(|row| row.worst_us).fold(0.0, f64::max);
        (all.map(|row| row.over_budget).sum::<usize>(), milliseconds(worst))
    });
    let count = |late: usize| if late == 0 { "none".to_owned() } else { grouped(late) };
    let was = if ahead.0 > 1 { "were" } else { "was" };
    let allocator = if GLIBC { "glibc" } else { "the system's allocator" };
    let noise = match limit.0 {
        0 => String::new(),
        late => format!("; {late} even in warm memory, so the machine was not quiet"),
    };
    (!rows.is_empty()).then(|| {
        format!(
            "On this machine, {} of {} frames {was} late with stayput committing memory ahead \
             (worst {} ms), {} with the usual containers on {allocator} (worst {} ms), and {} on mimalloc, \
             which copies (worst {} ms){noise}.",
            count(ahead.0),
            grouped(frames),
            ahead.1,
            count(usual.0),
            usual.1,
            count(copying.0),
            copying.1,
        )
    })
}

/// Returns the targets whose containers were measured.
pub(crate) fn targets(summary: &Summary<'_>) -> Vec<Target> {
    let scenarios = summary.scenarios.iter();
    let target = scenarios.flat_map(|scenario| {
        TARGETS.iter().filter_map(|&(id, other, most)| {
            let (row, other) = (scenario.row(id)?, scenario.row(other)?);
            let what = format!("{}: {}", scenario.name, row.name);
            Some(Target { what, over: other.name, ratio: row.worst_us / other.worst_us, most })
        })
    });
    target.collect()
}
