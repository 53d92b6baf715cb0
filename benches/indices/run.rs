//! From the plan to the report.

use bench_common::compare::{self, Results};
use bench_common::harness;
use bench_common::table::Table;
use clap::ValueEnum;

use crate::case::{Case, Group, Indices};
use crate::cli::Options;
use crate::operation::Operation;
use crate::{table, verdict};

/// Few, because there are many structures of few rows.
const SMOKE_ROWS: usize = 200;

/// Measures, prints and writes everything.
pub(crate) fn bench(options: &Options) -> harness::Result {
    let plan = options.plan();
    if options.count {
        return compare::count(&plan);
    }
    let results = compare::measure(&plan, None)?;
    let machine = compare::machine(&results);
    let mut summary = compare::summary(&machine, &results);
    summary["bounds"] = serde_json::to_value(verdict::all(&results))?;
    compare::publish::<Indices>(
        options.common.json,
        (&machine, &summary),
        &tables(&results),
        verdict::text(&results),
        pictures(&results)?,
    )
}

/// Everything once, with small sizes, in this process, without files: what `cargo test --benches` runs.
pub(crate) fn smoke() -> harness::Result {
    let of_group = |&group: &Group| {
        let shapes = group.shapes().iter();
        shapes.map(move |&shape| Case { group, rows: SMOKE_ROWS, shape })
    };
    let cases = Group::value_variants().iter().flat_map(of_group);
    let results = compare::smoke(cases, |case, operation: Operation| operation.is_for(case));
    let summary = compare::summary(&compare::machine(&results), &results);
    println!("{} pictures", pictures(&results)?.len());
    harness::print_smoke(&summary, &tables(&results))
}

/// Returns a table for each case, with its title.
fn tables(results: &[Results<Indices>]) -> Vec<(String, Table)> {
    results.iter().map(|one| (one.case.to_string(), table::case(one))).collect()
}

/// Returns a file for each case.
fn pictures(results: &[Results<Indices>]) -> harness::Result<Vec<(String, String)>> {
    let subtitle = "ns each unless stated, less is better: median, and a line between the quartiles, \
                    cut at the edge. Blue: stayput.";
    let file = |one: &Results<Indices>| {
        let picture = compare::picture(one, &one.case.to_string(), subtitle)?;
        Ok((format!("{}.svg", one.case.id()), picture))
    };
    results.iter().map(file).collect()
}
