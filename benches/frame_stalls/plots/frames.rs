//! Time and memory over the frame's number.

use super::chart::{Axis, Failure, Line, budgets, height, line_plot};
use crate::child::Outcome;
use crate::containers::Container;
use crate::stats::{Measured, as_f64, mebibytes, micros, typical_run};

/// Few enough points that a line shows stalls rather than a sawtooth: a frame that faults in a huge page is
/// followed by one that needs none.
const POINTS_MAX: usize = 100;

/// Returns the number of frames for each point, which shows the longest of them.
pub(crate) fn frames_a_point(frames: usize) -> usize {
    frames.div_ceil(POINTS_MAX).max(1)
}

/// Plots a line for each container that is shown, of its typical run. All lines, shown or not, determine the
/// range, so that plots of one scenario can be compared.
pub(crate) fn frame_times(
    title: &str,
    measured: &[Measured],
    shown: fn(&Container) -> bool,
) -> Result<String, Failure> {
    let mut lines = lines(measured, |run| thinned(&run.frame_ns, micros));
    let times = lines.iter().flat_map(|line| &line.points).map(|&(_, us)| us);
    let y = Axis::times("", times);
    lines.retain(|line| shown(line.container));
    for point in lines.iter_mut().flat_map(|line| &mut line.points) {
        point.1 = height(point.1);
    }
    line_plot(title, &frame_numbers(measured), &y, &budgets(), &lines)
}

/// Plots a line for each container that is shown, of the same run; `None` if the system does not say.
pub(crate) fn memory(
    title: &str,
    measured: &[Measured],
    shown: fn(&Container) -> bool,
) -> Result<Option<String>, Failure> {
    let mut lines = lines(measured, |run| thinned(&run.resident_bytes, mebibytes));
    lines.retain(|line| shown(line.container));
    let points = lines.iter().flat_map(|line| &line.points);
    let Some(most) = points.map(|&(_, mebibytes)| mebibytes).reduce(f64::max) else {
        return Ok(None);
    };
    let ticks = round_ticks(most).into_iter().map(|tick| (tick, format!("{tick} MiB"))).collect();
    let y = Axis { label: "", range: (0.0, most * 1.05), ticks };
    line_plot(title, &frame_numbers(measured), &y, &[], &lines).map(Some)
}

pub(super) fn lines(
    measured: &[Measured],
    points: impl Fn(&Outcome) -> Vec<(f64, f64)>,
) -> Vec<Line> {
    let line = |measured: &Measured| Line {
        container: measured.container,
        points: typical_run(measured).map_or(Vec::new(), &points),
    };
    measured.iter().map(line).collect()
}

pub(super) fn frame_numbers(measured: &[Measured]) -> Axis {
    let runs = measured.iter().filter_map(typical_run);
    let frames = as_f64(runs.map(|run| run.frame_ns.len()).max().unwrap_or(0).max(1));
    let ticks = round_ticks(frames).into_iter().map(|tick| (tick, tick.to_string())).collect();
    Axis { label: "frame", range: (0.0, frames), ticks }
}

/// Returns the largest value of each group, over the number of its first frame.
pub(super) fn thinned(values: &[u64], scaled: fn(u64) -> f64) -> Vec<(f64, f64)> {
    let group = frames_a_point(values.len());
    let groups = values.chunks(group).enumerate();
    groups
        .map(|(index, values)| {
            let most = values.iter().copied().max().unwrap_or(0);
            (as_f64(index * group), scaled(most))
        })
        .collect()
}

/// Returns four to eight round numbers from zero to `max`, which is at least 1.
fn round_ticks(max: f64) -> Vec<f64> {
    let decade = 10_f64.powf(max.log10().floor() - 1.0);
    let step = [1.0, 2.0, 5.0, 10.0, 20.0].map(|factor| factor * decade);
    let step = step.into_iter().find(|step| max / step <= 8.0).unwrap_or(max);
    (0..=8_u8).map(|count| f64::from(count) * step).take_while(|&tick| tick <= max).collect()
}
