//! From samples to figures.

use bench_common::spread::{mean, median, micros, percentile};
use bench_common::table::short;
use serde::Serialize;

/// The figures of one run, in nanoseconds.
#[derive(Clone, Copy, Debug, Serialize)]
pub(crate) struct Run {
    samples: usize,
    mean: u64,
    p50: u64,
    p99: u64,
    worst: u64,
}

impl Run {
    pub(crate) fn of(samples: &mut [u64]) -> Self {
        samples.sort_unstable();
        Self {
            samples: samples.len(),
            mean: mean(samples),
            p50: percentile(samples, 500),
            p99: percentile(samples, 990),
            worst: percentile(samples, 1000),
        }
    }
}

/// The figures of several runs in microseconds, each the median over them.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Figures {
    pub(crate) mean: f64,
    p50: f64,
    p99: f64,
    worst: f64,
    /// Of all runs.
    pub(crate) worst_of_all: f64,
}

impl Figures {
    /// `None` of no runs.
    pub(crate) fn of(runs: impl IntoIterator<Item = Run>) -> Option<Self> {
        let runs: Vec<Run> = runs.into_iter().collect();
        let over_runs = |figure: fn(&Run) -> u64| micros(median(runs.iter().map(figure)));
        let worst_of_all = micros(runs.iter().map(|run| run.worst).max()?);
        Some(Self {
            mean: over_runs(|run| run.mean),
            p50: over_runs(|run| run.p50),
            p99: over_runs(|run| run.p99),
            worst: over_runs(|run| run.worst),
            worst_of_all,
        })
    }
}

/// Three figures, where there are any.
pub(crate) fn latency(figures: Option<Figures>) -> [String; 3] {
    figures.map_or_else(Default::default, |figures| {
        [figures.p50, figures.p99, figures.worst].map(short)
    })
}
