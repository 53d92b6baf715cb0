//! From the plan to the report.

use bench_common::compare::{self, Results};
use bench_common::harness;
use bench_common::table::Table;
use serde_json::Value;

use crate::aliasing;
use crate::cli::Options;
use crate::containers::{Case, Structures};
use crate::moment;
use crate::table;

pub(crate) fn bench(options: &Options) -> harness::Result {
    let plan = options.plan();
    let results = compare::measure(&plan.cases, None)?;
    let aliasing = plan.aliasing.as_ref().map(aliasing::measure).transpose()?.unwrap_or_default();
    let moment = plan.moment.as_ref().map(moment::measure).transpose()?.unwrap_or_default();
    let machine = compare::machine(&results);
    let mut summary = compare::summary(&machine, &results);
    summary["aliasing"] = serde_json::to_value(&aliasing)?;
    summary["in_columns"] = serde_json::to_value(&moment)?;
    harness::print(options.common.json, &summary, &machine, &tables(&results, &aliasing, &moment))
}

/// Everything once, with small sizes, in this process: what `cargo test --benches` runs.
pub(crate) fn smoke() -> harness::Result {
    let rows = 200;
    let results = compare::smoke([Case(rows)], |_, _| true);
    let aliasing = aliasing::measure(&aliasing::Extent { rows: vec![rows], repetitions: 1 })?;
    let moment = moment::measure(&moment::Extent { rows: vec![rows], repetitions: 1 })?;
    let summary: Value = compare::summary(&compare::machine(&results), &results);
    harness::print_smoke(&summary, &tables(&results, &aliasing, &moment))
}

/// All tables with their titles.
fn tables(
    results: &[Results<Structures>],
    aliasing: &[aliasing::Row],
    moment: &[moment::Row],
) -> Vec<(String, Table)> {
    let of_aliasing = || (aliasing::TITLE.to_owned(), aliasing::table(aliasing));
    let of_moment = || (moment::TITLE.to_owned(), moment::table(moment));
    let cases = results.iter().map(|one| (one.case.to_string(), table::case(one)));
    cases
        .chain((!aliasing.is_empty()).then(of_aliasing))
        .chain((!moment.is_empty()).then(of_moment))
        .collect()
}
