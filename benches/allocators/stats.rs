//! From samples to figures.

use std::time::Duration;

use bench_common::table::short;
use serde::Serialize;

/// The median of several samples, between the others.
#[derive(Clone, Copy, Debug, Serialize)]
pub(crate) struct Spread {
    pub(crate) median: f64,
    min: f64,
    p25: f64,
    p75: f64,
    max: f64,
}

impl Spread {
    pub(crate) fn of(samples: impl IntoIterator<Item = f64>) -> Self {
        let mut samples: Vec<f64> = samples.into_iter().collect();
        samples.sort_by(f64::total_cmp);
        let at = |quarter: usize| {
            // The higher one of two: always a value that was observed.
            let at = (samples.len() * quarter / 4).min(samples.len().saturating_sub(1));
            samples.get(at).copied().unwrap_or(f64::NAN)
        };
        Self { median: at(2), min: at(0), p25: at(1), p75: at(3), max: at(4) }
    }

    /// With the lowest and the highest.
    pub(crate) fn range(&self) -> [String; 2] {
        [short(self.median), format!("{}–{}", short(self.min), short(self.max))]
    }

    /// With the quartiles, where small differences count.
    pub(crate) fn quartiles(&self) -> [String; 2] {
        [format!("{:.3}", self.median), format!("{:.3}–{:.3}", self.p25, self.p75)]
    }
}

pub(crate) fn nanoseconds(duration: Duration) -> u64 {
    u64::try_from(duration.as_nanos()).unwrap_or(u64::MAX)
}

#[expect(clippy::cast_precision_loss, reason = "2^53 ns are a hundred days")]
pub(crate) fn millis(ns: u64) -> f64 {
    ns as f64 / 1e6
}

#[expect(clippy::cast_precision_loss, reason = "2^53 ns are a hundred days")]
pub(crate) fn micros(ns: u64) -> f64 {
    ns as f64 / 1e3
}

/// Time, or what else there is, for each of so many.
#[expect(clippy::cast_precision_loss, reason = "2^53 are out of reach")]
pub(crate) fn each(all: u64, count: usize) -> f64 {
    all as f64 / count as f64
}

/// The middle value, the higher one of two: always a value that was observed.
pub(crate) fn median<T: Ord + Copy + Default>(values: impl IntoIterator<Item = T>) -> T {
    let mut values: Vec<T> = values.into_iter().collect();
    values.sort_unstable();
    values.get(values.len() / 2).copied().unwrap_or_default()
}
