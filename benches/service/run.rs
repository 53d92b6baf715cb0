//! From the plan to what is printed.

use bench_common::harness::{Report, Result};

use crate::cli::Plan;
use crate::{ahead, idle, release, steps};

/// One part after the other; each takes turns within itself. The machine is as it shows itself to this process, on one
/// processor if that was asked for.
pub(crate) fn measure(plan: &Plan) -> Result<Report> {
    let mut report = Report::new(env!("CARGO_PKG_NAME"), []);
    report.part("steps", plan.steps.as_ref(), steps::measure, |results| {
        let title = "steps: calls of a thread while another prefaults, µs";
        vec![(title, steps::table(results))]
    })?;
    report.part("release", plan.release.as_ref(), release::measure, |rows| {
        vec![("release: a large array is dropped, µs", release::table(rows))]
    })?;
    report.part(
        "idle",
        plan.idle.as_ref(),
        |extent| Ok(idle::measure(extent)),
        |rows| vec![("idle: the thread when nothing grows any more", idle::table(rows))],
    )?;
    report.part("ahead", plan.ahead.as_ref(), ahead::measure, |rows| {
        vec![("ahead: frames in which arrays grow, µs", ahead::table(rows))]
    })?;
    Ok(report)
}
