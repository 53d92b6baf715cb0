//! From samples to figures.

#[expect(clippy::cast_precision_loss, reason = "2^53 ns are a hundred days")]
pub(crate) fn millis(ns: u64) -> f64 {
    ns as f64 / 1e6
}

/// Time, or what else there is, for each of so many.
#[expect(clippy::cast_precision_loss, reason = "2^53 are out of reach")]
pub(crate) fn each(all: u64, count: usize) -> f64 {
    all as f64 / count as f64
}
