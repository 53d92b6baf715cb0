//! From samples to figures.

use std::hint::black_box;
use std::time::Duration;

use bench_common::spread::{median, micros, nanoseconds};
use bench_common::table::short;
use serde::Serialize;

/// The figures of one run, in nanoseconds.
#[derive(Clone, Copy, Debug)]
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
            mean: samples.iter().sum::<u64>() / samples.len().max(1) as u64,
            p50: percentile(samples, 50),
            p99: percentile(samples, 99),
            worst: percentile(samples, 100),
        }
    }
}

/// The figures of several runs, each the median over them, and beside it the worst of all.
#[derive(Clone, Copy, Debug, Serialize)]
pub(crate) struct Figures {
    /// In all runs.
    samples: usize,
    pub(crate) mean_us: f64,
    pub(crate) p50_us: f64,
    pub(crate) p99_us: f64,
    pub(crate) worst_us: f64,
    pub(crate) worst_us_max: f64,
}

impl Figures {
    pub(crate) fn of(runs: &[Run]) -> Self {
        let over_runs = |figure: fn(&Run) -> u64| micros(median(runs.iter().map(figure)));
        Self {
            samples: runs.iter().map(|run| run.samples).sum(),
            mean_us: over_runs(|run| run.mean),
            p50_us: over_runs(|run| run.p50),
            p99_us: over_runs(|run| run.p99),
            worst_us: over_runs(|run| run.worst),
            worst_us_max: micros(runs.iter().map(|run| run.worst).max().unwrap_or(0)),
        }
    }
}

/// Three figures, where there are any.
pub(crate) fn latency(figures: Option<&Figures>) -> [String; 3] {
    figures.map_or_else(Default::default, |figures| {
        [figures.p50_us, figures.p99_us, figures.worst_us].map(short)
    })
}

/// What is there once in a repetition: the median over them, and the worst.
#[derive(Clone, Copy, Debug, Serialize)]
pub(crate) struct Times {
    pub(crate) median_us: f64,
    pub(crate) worst_us: f64,
}

impl Times {
    pub(crate) fn of(times: &[Duration]) -> Self {
        let ns = times.iter().copied().map(nanoseconds);
        Self {
            median_us: micros(median(ns.clone())),
            worst_us: micros(ns.max().unwrap_or_default()),
        }
    }
}

/// Room for so many, its pages touched, so that adding one takes no page fault.
pub(crate) fn resident(count: usize) -> Vec<u64> {
    // Of zeroes a vector could be made without touching pages.
    let mut values = vec![black_box(u64::MAX); count];
    black_box(&mut values).clear();
    values
}

/// The smallest value that at least so many in a hundred do not exceed.
fn percentile(sorted: &[u64], hundredths: usize) -> u64 {
    let rank = (sorted.len() * hundredths).div_ceil(100);
    sorted.get(rank.saturating_sub(1)).copied().unwrap_or(0)
}
