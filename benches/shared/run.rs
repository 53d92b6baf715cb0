//! From the plan to what is printed.

use bench_common::harness;
use bench_common::machine::Machine;
use bench_common::table::Table;
use serde::Serialize;

use crate::cli::{Options, Part, Plan};
use crate::{asked, held, lost, maps, push, read, worst};

/// All that was measured.
#[derive(Debug, Serialize)]
pub(crate) struct Summary {
    machine: Machine,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) push: Option<Vec<push::Row>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) worst: Option<Vec<worst::Row>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) read: Option<Vec<read::Row>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) held: Option<Vec<held::Row>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) lost: Option<Vec<lost::Row>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    maps: Option<Vec<maps::Row>>,
}

/// Measures, and prints everything.
pub(crate) fn bench(options: &Options) -> harness::Result {
    let plan = options.plan();
    let summary = measure(&plan)?;
    harness::print(options.common.json, &summary, &summary.machine, &tables(&plan, &summary))
}

/// Everything once, and small: what `cargo test --benches` runs.
pub(crate) fn smoke() -> harness::Result {
    let plan = Plan::smoke();
    let summary = measure(&plan)?;
    harness::print_smoke(&summary, &tables(&plan, &summary))
}

const PEERS: [&str; 11] = [
    "append-only-vec",
    "boxcar",
    "concurrent-slotmap",
    "elsa",
    "orx-concurrent-bag",
    "orx-concurrent-vec",
    "parking_lot",
    "scc",
    "sharded-slab",
    "slotmap",
    "virtual-buffer@2",
];

fn measure(plan: &Plan) -> harness::Result<Summary> {
    let Plan { contenders, elements, repetitions, .. } = plan;
    let (elements, repetitions) = (*elements, *repetitions);
    let is_wanted = |part| plan.parts.contains(&part);
    let mut summary = Summary {
        machine: Machine::with(env!("CARGO_PKG_NAME"), PEERS),
        push: None,
        worst: None,
        read: None,
        held: None,
        lost: None,
        maps: None,
    };
    if is_wanted(Part::Push) {
        summary.push = Some(push::measure(contenders, &plan.cases, repetitions)?);
        let threads = &plan.worst_threads;
        summary.worst = Some(worst::measure(contenders, threads, elements, repetitions)?);
    }
    if is_wanted(Part::Read) {
        summary.read = Some(read::measure(contenders, plan.read, plan.read_ms, repetitions)?);
    }
    if is_wanted(Part::Memory) {
        summary.held = Some(held::measure(contenders, elements, repetitions)?);
        summary.lost = Some(lost::measure(contenders, plan.lost, repetitions)?);
    }
    if is_wanted(Part::Maps) {
        summary.maps = Some(maps::measure(&plan.maps, repetitions)?);
    }
    Ok(summary)
}

/// Those of the parts that were measured, each with its title.
fn tables(plan: &Plan, summary: &Summary) -> Vec<(String, Table)> {
    let count = bench_common::numbers::text(plan.elements);
    let mut tables = Vec::new();
    if let Some(rows) = &summary.push {
        tables.extend(push::show(rows));
    }
    if let Some(rows) = &summary.worst {
        let title = format!("the longest push of {count} of 8 bytes");
        tables.push((title, worst::show(rows)));
    }
    if let Some(rows) = &summary.read {
        let count = bench_common::numbers::text(plan.read);
        let title = format!("reading {count} of 8 bytes, beside a thread that pushes, and alone");
        tables.push((title, read::show(rows)));
    }
    if let Some(rows) = &summary.held {
        let title = format!("memory of {count} of 8 bytes, beyond theirs, an element");
        tables.push((title, held::show(rows)));
    }
    if let Some(rows) = &summary.lost {
        tables.push(("pushes by 4 threads, and what is lost".to_owned(), lost::show(rows)));
    }
    if let Some(rows) = &summary.maps {
        tables.extend(maps::show(rows));
    }
    tables.extend(asked::show(plan, summary).map(|table| ("what is asked".to_owned(), table)));
    tables
}
