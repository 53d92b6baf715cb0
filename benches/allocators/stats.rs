//! From samples to figures.

use std::time::Duration;

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
