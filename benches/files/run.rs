//! From the plan to what is printed.

use bench_common::harness;
use bench_common::machine::Machine;
use bench_common::table::Table;
use serde::Serialize;

use crate::cli::{Options, Part, Plan};
use crate::{beyond, follow, growth, open};

/// All that was measured.
#[derive(Debug, Serialize)]
struct Summary {
    machine: Machine,
    #[serde(skip_serializing_if = "Option::is_none")]
    growth: Option<Vec<growth::Row>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    beyond: Option<Vec<beyond::Row>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    open: Option<Vec<open::Row>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    follow: Option<follow::Results>,
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

fn measure(plan: &Plan) -> harness::Result<Summary> {
    let Plan { contenders, folder, repetitions, .. } = plan;
    let repetitions = *repetitions;
    let is_wanted = |part| plan.parts.contains(&part);
    let mut summary = Summary {
        machine: Machine::with(env!("CARGO_PKG_NAME"), ["memmap2", "mmap-vec", "memvec"]),
        growth: None,
        beyond: None,
        open: None,
        follow: None,
    };
    if is_wanted(Part::Growth) {
        summary.growth = Some(growth::in_turns(contenders, folder, plan.bytes, repetitions)?);
    }
    if is_wanted(Part::Beyond) {
        summary.beyond = beyond::in_turns(contenders, folder, plan.limit_bytes, repetitions)?;
    }
    if is_wanted(Part::Open) {
        let (sizes, sparse) = (&plan.open_sizes, plan.open_bytes);
        summary.open = Some(open::in_turns(contenders, folder, sizes, sparse, repetitions)?);
    }
    if is_wanted(Part::Follow) {
        let (pushes, reads) = (plan.latency_pushes, plan.follow_reads);
        summary.follow = Some(follow::measure(folder, pushes, reads, repetitions)?);
    }
    Ok(summary)
}

/// Those of the parts that were measured, each with its title.
fn tables(plan: &Plan, summary: &Summary) -> Vec<(String, Table)> {
    let size = bench_common::memory::size_text;
    let mut tables = Vec::new();
    if let Some(rows) = &summary.growth {
        tables.push((
            format!("growth to {} by elements of 64 bytes", size(plan.bytes)),
            growth::show(rows),
        ));
        tables.extend(growth::show_ratios(rows).map(|table| ("what is asked".to_owned(), table)));
    }
    if let Some(rows) = &summary.beyond {
        let (all, limit) = (size(plan.limit_bytes * 2), size(plan.limit_bytes));
        tables.push((format!("growth to {all} with {limit} of memory"), beyond::show(rows)));
    }
    if let Some(rows) = &summary.open {
        tables.push(("opening, and reading the last element".to_owned(), open::show(rows)));
    }
    if let Some(results) = &summary.follow {
        let [latency, reads] = follow::show(results);
        tables.push(("from a push to its sight in another process".to_owned(), latency));
        tables.push(("whether an element is ever seen half written".to_owned(), reads));
    }
    tables
}
