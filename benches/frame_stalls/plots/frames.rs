//! Frame time over frame number.

use super::chart::{Failure, Line, XAxis, line_plot};
use crate::stats::{Measured, micros, typical_run};

/// Few enough that a line shows its stalls rather than its sawtooth: a frame that faults in a huge
/// page is followed by one that needs none.
const POINTS_MAX: usize = 100;

/// How many frames each point of the plot stands for, by the worst of them.
pub(crate) fn frames_a_point(frames: usize) -> usize {
    frames.div_ceil(POINTS_MAX).max(1)
}

/// A line a container, of its typical run.
pub(crate) fn frame_times(title: &str, measured: &[&Measured]) -> Result<String, Failure> {
    let frames = measured.iter().map(|measured| typical_run(measured).len()).max().unwrap_or(0);
    let lines: Vec<Line> = measured
        .iter()
        .map(|measured| Line {
            container: measured.container,
            points: thinned(typical_run(measured)),
        })
        .collect();
    let axis =
        XAxis { label: "frame", range: (0.0, as_f64(frames.max(1))), ticks: round_ticks(frames) };
    line_plot(title, &axis, &lines)
}

fn thinned(frame_ns: &[u64]) -> Vec<(f64, f64)> {
    let group = frames_a_point(frame_ns.len());
    let groups = frame_ns.chunks(group).enumerate();
    groups
        .map(|(index, frames)| {
            let worst = frames.iter().copied().max().unwrap_or(0);
            (as_f64(index * group), micros(worst))
        })
        .collect()
}

/// Four to eight round numbers from zero up to `max`.
fn round_ticks(max: usize) -> Vec<(f64, String)> {
    let mut step = 1;
    let mut factors = [2, 5, 10].into_iter().cycle();
    let mut decade = 1;
    while max / step > 8 {
        let factor = factors.next().unwrap_or(10);
        step = decade * factor;
        if factor == 10 {
            decade *= 10;
        }
    }
    (0..=max).step_by(step).map(|tick| (as_f64(tick), tick.to_string())).collect()
}

#[expect(clippy::cast_precision_loss, reason = "frame numbers are far below 2^52")]
fn as_f64(count: usize) -> f64 {
    count as f64
}
