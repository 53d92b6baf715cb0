//! From the plan to what is printed.

use bench_common::compare::{self, Results};
use bench_common::harness;
use bench_common::table::Table;
use serde_json::Value;

use crate::aliasing::{self, Extent};
use crate::cli::Options;
use crate::containers::{Case, Structures};
use crate::table;

/// Measures, and prints everything.
pub(crate) fn bench(options: &Options) -> harness::Result {
    let plan = options.plan();
    let results = compare::measure(&plan.cases, None)?;
    let aliasing = plan.aliasing.as_ref().map(aliasing::measure).transpose()?.unwrap_or_default();
    let machine = compare::machine(&results);
    let mut summary = compare::summary(&machine, &results);
    summary["aliasing"] = serde_json::to_value(&aliasing)?;
    harness::print(options.common.json, &summary, &machine, &tables(&results, &aliasing))
}

/// Everything once, small, in this process: what `cargo test --benches` runs.
pub(crate) fn smoke() -> harness::Result {
    let rows = 200;
    let results = compare::smoke([Case(rows)], |_, _| true);
    let aliasing = aliasing::measure(&Extent { rows: vec![rows], repetitions: 1 })?;
    let summary: Value = compare::summary(&compare::machine(&results), &results);
    harness::print_smoke(&summary, &tables(&results, &aliasing))
}

/// Each with its title.
fn tables(results: &[Results<Structures>], aliasing: &[aliasing::Row]) -> Vec<(String, Table)> {
    let of_aliasing = || (aliasing::TITLE.to_owned(), aliasing::table(aliasing));
    let cases = results.iter().map(|one| (one.case.to_string(), table::case(one)));
    cases.chain((!aliasing.is_empty()).then(of_aliasing)).collect()
}
