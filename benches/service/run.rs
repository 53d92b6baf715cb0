//! From the plan to what is printed.

use bench_common::cores;
use bench_common::harness::{self, part};
use bench_common::machine::Machine;
use bench_common::table::Table;
use serde::Serialize;

use crate::cli::{Options, Plan};
use crate::{ahead, idle, release, steps};

/// All that was measured.
#[derive(Debug, Serialize)]
struct Summary {
    /// As it shows itself to this process, on one processor if that was asked for.
    machine: Machine,
    #[serde(skip_serializing_if = "Option::is_none")]
    steps: Option<steps::Results>,
    #[serde(skip_serializing_if = "Option::is_none")]
    release: Option<Vec<release::Row>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    idle: Option<Vec<idle::Row>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    ahead: Option<Vec<ahead::Row>>,
}

/// Measures, and prints everything.
pub(crate) fn bench(options: &Options) -> harness::Result {
    if options.one_core {
        cores::pin_to_one()?;
    }
    let summary = measure(&options.plan()?)?;
    harness::print(options.common.json, &summary, &summary.machine, &tables(&summary))
}

/// Everything once, and small: what `cargo test --benches` runs.
pub(crate) fn smoke() -> harness::Result {
    let summary = measure(&Plan::SMOKE)?;
    harness::print_smoke(&summary, &tables(&summary))
}

/// One part after the other; each takes turns within itself.
fn measure(plan: &Plan) -> harness::Result<Summary> {
    Ok(Summary {
        machine: Machine::with(env!("CARGO_PKG_NAME"), []),
        steps: part("steps", plan.steps.as_ref(), steps::measure)?,
        release: part("release", plan.release.as_ref(), release::measure)?,
        idle: part("idle", plan.idle.as_ref(), |extent| Ok(idle::measure(extent)))?,
        ahead: part("ahead", plan.ahead.as_ref(), ahead::measure)?,
    })
}

/// Those of the parts that were measured, each with its title.
fn tables(summary: &Summary) -> Vec<(&'static str, Table)> {
    let Summary { machine: _, steps, release, idle, ahead } = summary;
    let tables = [
        ("steps: calls of a thread while another prefaults, µs", steps.as_ref().map(steps::table)),
        ("release: a large array is dropped, µs", release.as_deref().map(release::table)),
        ("idle: the thread when nothing grows any more", idle.as_deref().map(idle::table)),
        ("ahead: frames in which arrays grow, µs", ahead.as_deref().map(ahead::table)),
    ];
    tables.into_iter().filter_map(|(title, table)| Some((title, table?))).collect()
}
