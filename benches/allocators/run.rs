//! From the plan to what is printed.

use bench_common::harness::{self, part};
use bench_common::machine::Machine;
use bench_common::table::Table;
use serde::Serialize;

use crate::cli::{Options, Plan};
use crate::{arena, growth, short_lived, small, soak};

/// All that was measured.
#[derive(Debug, Serialize)]
struct Summary {
    machine: Machine,
    #[serde(skip_serializing_if = "Option::is_none")]
    growth: Option<Vec<growth::Row>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    interleaved: Option<Vec<growth::Row>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    short_lived: Option<Vec<short_lived::Row>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    small: Option<Vec<small::Row>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    arena: Option<Vec<arena::Row>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    soak: Option<soak::Soak>,
}

/// Measures, and prints everything.
pub(crate) fn bench(options: &Options) -> harness::Result {
    let summary = measure(&options.plan())?;
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
        machine: Machine::with(
            env!("CARGO_PKG_NAME"),
            ["bumpalo", "mimalloc", "tikv-jemallocator", "typed-arena"],
        ),
        growth: part("growth", plan.growth.as_ref(), growth::measure)?,
        interleaved: part("interleaved", plan.interleaved.as_ref(), growth::measure)?,
        short_lived: part("short-lived", plan.short_lived.as_ref(), short_lived::measure)?,
        small: part("small", plan.small.as_ref(), |extent| Ok(small::measure(extent)))?,
        arena: part("arena", plan.arena.as_ref(), arena::measure)?,
        soak: part("soak", plan.soak.as_ref(), soak::measure)?,
    })
}

/// Those of the parts that were measured, each with its title.
fn tables(summary: &Summary) -> Vec<(&'static str, Table)> {
    let Summary { machine: _, growth, interleaved, short_lived, small, arena, soak } = summary;
    let tables = [
        ("growth: a `Vec` pushed full", growth.as_deref().map(growth::table)),
        ("interleaved: 16 `Vec`s pushed full by turns", interleaved.as_deref().map(growth::table)),
        (
            "short-lived: time and page faults of a round",
            short_lived.as_deref().map(short_lived::table),
        ),
        (
            "short-lived: MiB resident beyond what is live",
            short_lived.as_deref().map(short_lived::resident_table),
        ),
        ("small: blocks of 8 bytes to 64 KiB", small.as_deref().map(small::table)),
        (arena::TITLE, arena.as_deref().map(arena::table)),
        (soak::TITLE, soak.as_ref().map(soak::table)),
    ];
    tables.into_iter().filter_map(|(title, table)| Some((title, table?))).collect()
}
