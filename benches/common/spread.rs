//! From samples to figures.

use std::time::Duration;

use serde::Serialize;

use crate::table::short;

/// The median of several samples, between the others.
#[derive(Clone, Copy, Debug, Serialize)]
#[expect(missing_docs, reason = "the fields' names say it")]
pub struct Spread {
    pub median: f64,
    pub min: f64,
    pub p25: f64,
    pub p75: f64,
    pub max: f64,
    pub samples: usize,
}

impl Spread {
    /// Of no samples, not a number.
    pub fn of(samples: impl IntoIterator<Item = f64>) -> Self {
        let mut samples: Vec<f64> = samples.into_iter().collect();
        samples.sort_by(f64::total_cmp);
        let at = |quarter: usize| {
            // The higher one of two: always a value that was observed.
            let at = (samples.len() * quarter / 4).min(samples.len().saturating_sub(1));
            samples.get(at).copied().unwrap_or(f64::NAN)
        };
        let [min, p25, median, p75, max] = [0, 1, 2, 3, 4].map(at);
        Self { median, min, p25, p75, max, samples: samples.len() }
    }

    /// `None` of no samples.
    pub fn of_some(samples: impl IntoIterator<Item = f64>) -> Option<Self> {
        Some(Self::of(samples)).filter(|spread| spread.samples > 0)
    }

    /// With the lowest and the highest.
    pub fn range(&self) -> [String; 2] {
        [short(self.median), format!("{}–{}", short(self.min), short(self.max))]
    }

    /// The same of what may not be there.
    pub fn range_of_some(spread: Option<Self>) -> [String; 2] {
        spread.map_or_else(Default::default, |spread| spread.range())
    }

    /// The median and the quartiles, in one cell.
    pub fn short_quartiles(&self) -> String {
        format!("{} {}–{}", short(self.median), short(self.p25), short(self.p75))
    }

    /// With the quartiles, where small differences count.
    pub fn quartiles(&self) -> [String; 2] {
        [format!("{:.3}", self.median), format!("{:.3}–{:.3}", self.p25, self.p75)]
    }
}

/// The middle value, the higher one of two: always a value that was observed.
pub fn median<T: Ord + Copy + Default>(values: impl IntoIterator<Item = T>) -> T {
    let mut values: Vec<T> = values.into_iter().collect();
    values.sort_unstable();
    values.get(values.len() / 2).copied().unwrap_or_default()
}

/// The smallest value that at least so many of a thousand do not exceed.
pub fn percentile(sorted: &[u64], thousandths: usize) -> u64 {
    let rank = (sorted.len() * thousandths).div_ceil(1000);
    sorted.get(rank.saturating_sub(1)).copied().unwrap_or(0)
}

/// The mean, and less than one more or less.
pub fn mean(values: &[u64]) -> u64 {
    values.iter().sum::<u64>() / values.len().max(1) as u64
}

/// Returns the duration in nanoseconds.
pub fn nanoseconds(duration: Duration) -> u64 {
    u64::try_from(duration.as_nanos()).unwrap_or(u64::MAX)
}

/// Returns nanoseconds in milliseconds.
pub fn millis(ns: u64) -> f64 {
    micros(ns) / 1e3
}

/// Time, or what else there is, for each of so many.
#[expect(clippy::cast_precision_loss, reason = "2^53 are out of reach")]
pub fn each(all: u64, count: usize) -> f64 {
    all as f64 / count as f64
}

/// Returns nanoseconds in microseconds.
#[expect(clippy::cast_precision_loss, reason = "2^53 ns are a hundred days")]
pub fn micros(ns: u64) -> f64 {
    ns as f64 / 1e3
}
