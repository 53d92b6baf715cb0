//! Frame time over percentile, on an axis stretched towards the worst.

use super::chart::{Axis, Failure, Line, time_plot};
use crate::containers::Container;
use crate::stats::{Measured, micros, pooled};

/// Plots from the median on, over the frames of all repetitions together.
pub(crate) fn percentiles(
    title: &str,
    measured: &[Measured],
    shown: fn(&Container) -> bool,
) -> Result<String, Failure> {
    let lines: Vec<Line> = measured
        .iter()
        .map(|measured| Line { container: measured.container, points: points(&pooled(measured)) })
        .collect();
    let last = lines.iter().filter_map(|line| line.points.last()).map(|&(x, _)| x);
    let end = last.fold(rarity(0.9), f64::max);
    let ticks = [0.5, 0.9, 0.99, 0.999, 0.9999]
        .into_iter()
        .map(|share: f64| (rarity(share), format!("p{}", share * 100.0)))
        .filter(|&(x, _)| x <= end)
        .collect();
    let axis = Axis { label: "percentile of frames", range: (rarity(0.5), end), ticks };
    time_plot(title, &axis, lines, shown)
}

/// Returns the position of a percentile on the axis: p90 is one in ten, p99 one in a hundred.
fn rarity(share: f64) -> f64 {
    -(1.0 - share).log10()
}

/// Returns the upper half of the samples. The worst of n is placed at one in n.
#[expect(clippy::cast_precision_loss, reason = "frame counts are far below 2^52")]
fn points(sorted_ns: &[u64]) -> Vec<(f64, f64)> {
    let count = sorted_ns.len();
    let upper = sorted_ns.iter().enumerate().skip(count / 2);
    upper.map(|(rank, &ns)| (rarity(rank as f64 / count as f64), micros(ns))).collect()
}
