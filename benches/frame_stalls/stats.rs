//! The figures of a row, from samples.

use bench_common::machine::Machine;
pub(crate) use bench_common::spread::micros;
use bench_common::spread::{Spread, mean, median, percentile};
use serde::{Deserialize, Serialize};

use crate::child::Outcome;
use crate::containers::Container;
use crate::scenario::ecs::Steps;
use crate::scenario::{BUDGET_60_HZ_US, MILLISECOND_US, Scenario, Script};

/// The samples of a run, and everything else that the report needs.
#[derive(Debug, Serialize, Deserialize)]
pub(crate) struct Run {
    pub(crate) machine: Machine,
    /// Reproduces the figures.
    pub(crate) command: String,
    /// The time from the start of a frame to the start of the next; 0 if they run back to back.
    pub(crate) period_us: u64,
    pub(crate) budget_us: Option<u64>,
    pub(crate) results: Vec<Results>,
}

/// The samples of a scenario.
#[derive(Debug, Serialize, Deserialize)]
pub(crate) struct Results {
    pub(crate) scenario: Scenario,
    pub(crate) script: Script,
    pub(crate) measured: Vec<Measured>,
}

/// The samples of a container, an outcome for each repetition.
#[derive(Debug, Serialize, Deserialize)]
pub(crate) struct Measured {
    pub(crate) container: &'static Container,
    pub(crate) frames: Vec<Outcome>,
    pub(crate) pushes: Vec<Outcome>,
}

/// The figures of a container: each the median over the repetitions, some with their range.
#[derive(Clone, Debug, Serialize)]
pub(crate) struct Row {
    pub(crate) id: &'static str,
    pub(crate) name: &'static str,
    pub(crate) version: String,
    pub(crate) settings: &'static str,
    pub(crate) mean_us: f64,
    pub(crate) p50_us: f64,
    pub(crate) p99_us: f64,
    pub(crate) p999_us: f64,
    pub(crate) worst_us: f64,
    pub(crate) worst_push_ns: u64,
    pub(crate) over_1ms: usize,
    pub(crate) over_16ms: usize,
    /// Frames over the scenario's budget.
    pub(crate) over_budget: usize,
    pub(crate) page_faults: Option<u64>,
    pub(crate) peak_rss_bytes: Option<u64>,
    /// The longest preparation between two frames; `None` for containers without preparation.
    pub(crate) worst_idle_us: Option<f64>,
    /// How often a thread that works ahead was late; `None` for containers without one.
    pub(crate) late: Option<u64>,
    /// The means of the steps of a frame; `None` if it has none.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) steps: Option<Steps>,
    pub(crate) p50_us_min: f64,
    pub(crate) p50_us_max: f64,
    pub(crate) p99_us_min: f64,
    pub(crate) p99_us_max: f64,
    pub(crate) worst_us_min: f64,
    pub(crate) worst_us_max: f64,
    pub(crate) worst_push_ns_min: u64,
    pub(crate) worst_push_ns_max: u64,
    pub(crate) repetitions: usize,
}

impl Row {
    pub(crate) fn new(measured: &Measured, version: String, budget_us: u64) -> Self {
        let runs: Vec<Vec<u64>> = measured.frames.iter().map(sorted_frames).collect();
        let over = |budget_us: u64| {
            let within = |run: &Vec<u64>| run.partition_point(|&ns| ns <= budget_us * 1000);
            median(runs.iter().map(|run| run.len() - within(run)))
        };
        let us = |share| Spread::of(runs.iter().map(|run| micros(percentile(run, share))));
        let (p50, p99, worst) = (us(500), us(990), us(1000));
        let pushes = || measured.pushes.iter().map(|outcome| outcome.worst_push_ns);
        Self {
            id: measured.container.id,
            name: measured.container.name,
            version,
            settings: measured.container.settings,
            mean_us: micros(median(runs.iter().map(|run| mean(run)))),
            p50_us: p50.median,
            p99_us: p99.median,
            p999_us: us(999).median,
            worst_us: worst.median,
            worst_push_ns: median(pushes()),
            over_1ms: over(MILLISECOND_US),
            over_16ms: over(BUDGET_60_HZ_US),
            over_budget: over(budget_us),
            page_faults: median(measured.frames.iter().map(|outcome| outcome.page_faults)),
            peak_rss_bytes: median(measured.frames.iter().map(|outcome| outcome.peak_rss_bytes)),
            worst_idle_us: median(measured.frames.iter().map(|run| run.idle_ns_max)).map(micros),
            late: median(measured.frames.iter().map(|outcome| outcome.late)),
            steps: steps(measured),
            p50_us_min: p50.min,
            p50_us_max: p50.max,
            p99_us_min: p99.min,
            p99_us_max: p99.max,
            worst_us_min: worst.min,
            worst_us_max: worst.max,
            worst_push_ns_min: pushes().min().unwrap_or(0),
            worst_push_ns_max: pushes().max().unwrap_or(0),
            repetitions: runs.len(),
        }
    }
}

fn steps(measured: &Measured) -> Option<Steps> {
    let runs: Vec<Steps> = measured.frames.iter().filter_map(|outcome| outcome.steps).collect();
    let of = |step: fn(&Steps) -> u64| median(runs.iter().map(step));
    (!runs.is_empty()).then(|| Steps {
        insert_ns: of(|steps| steps.insert_ns),
        iter_mut_ns: of(|steps| steps.iter_mut_ns),
        join_ns: of(|steps| steps.join_ns),
        retain_ns: of(|steps| steps.retain_ns),
    })
}

/// Returns the repetition whose worst frame is the median one: a real run rather than a blend of several.
pub(crate) fn typical_run(measured: &Measured) -> Option<&Outcome> {
    let worst = |run: &Outcome| run.frame_ns.iter().copied().max();
    let typical = median(measured.frames.iter().map(worst));
    measured.frames.iter().find(|run| worst(run) == typical)
}

/// Formats a time as milliseconds, with two digits or more.
pub(crate) fn milliseconds(us: f64) -> String {
    let decimals = match us {
        ..995.0 => 2,
        ..9950.0 => 1,
        _ => 0,
    };
    format!("{:.decimals$}", us / 1e3)
}

#[expect(clippy::cast_precision_loss, reason = "no memory comes near 2^53 bytes")]
pub(crate) fn mebibytes(bytes: u64) -> f64 {
    bytes as f64 / f64::from(1 << 20)
}

#[expect(clippy::cast_precision_loss, reason = "no count comes near 2^53")]
pub(crate) fn as_f64(count: usize) -> f64 {
    count as f64
}

fn sorted_frames(outcome: &Outcome) -> Vec<u64> {
    let mut frames = outcome.frame_ns.clone();
    frames.sort_unstable();
    frames
}
