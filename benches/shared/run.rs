//! From the plan to what is printed.

use std::error::Error;

use bench_common::machine::Machine;
use bench_common::table::Table;
use serde::Serialize;

use crate::cli::{Options, Part, Plan};
use crate::{push, worst};

/// All that was measured.
#[derive(Debug, Serialize)]
pub(crate) struct Summary {
    machine: Machine,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) push: Option<Vec<push::Row>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) worst: Option<Vec<worst::Row>>,
}

/// Measures, and prints everything.
pub(crate) fn bench(options: &Options) -> Result<(), Box<dyn Error>> {
    let plan = options.plan();
    let summary = measure(&plan)?;
    if options.json {
        println!("{}", serde_json::to_string_pretty(&summary)?);
        return Ok(());
    }
    for (label, value) in summary.machine.facts().iter().filter(|(_, value)| !value.is_empty()) {
        println!("{label}: {value}");
    }
    for (title, table) in tables(&plan, &summary) {
        println!("\n{title}\n{table}");
    }
    Ok(())
}

/// Everything once, and small: what `cargo test --benches` runs.
pub(crate) fn smoke() -> Result<(), Box<dyn Error>> {
    let plan = Plan::smoke();
    let summary = measure(&plan)?;
    let tables = tables(&plan, &summary);
    let lines: usize = tables.iter().map(|(_, table)| table.height()).sum();
    let json = serde_json::to_string(&summary)?;
    println!("smoke run: {} tables of {lines} lines, {} bytes of JSON", tables.len(), json.len());
    Ok(())
}

const PEERS: [&str; 8] = [
    "append-only-vec",
    "boxcar",
    "elsa",
    "orx-concurrent-bag",
    "orx-concurrent-vec",
    "parking_lot",
    "scc",
    "virtual-buffer@2",
];

fn measure(plan: &Plan) -> Result<Summary, Box<dyn Error>> {
    let Plan { contenders, elements, repetitions, .. } = plan;
    let (elements, repetitions) = (*elements, *repetitions);
    let is_wanted = |part| plan.parts.contains(&part);
    let mut summary =
        Summary { machine: Machine::with(env!("CARGO_PKG_NAME"), PEERS), push: None, worst: None };
    if is_wanted(Part::Push) {
        summary.push = Some(push::measure(contenders, &plan.cases, repetitions)?);
        let threads = &plan.worst_threads;
        summary.worst = Some(worst::measure(contenders, threads, elements, repetitions)?);
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
    tables
}
