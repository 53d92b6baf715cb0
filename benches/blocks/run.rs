//! From the plan to what is printed.

use bench_common::delegate;
use bench_common::harness;
use bench_common::machine::Machine;
use bench_common::spread::Spread;
use bench_common::table::{Table, short, table, words};
use serde::Serialize;

use crate::arrays::Contender;
use crate::asked::{self, Asked};
use crate::case::{Case, Found};
use crate::cli::{Options, Plan};
use crate::task::Task;

/// All that was measured.
#[derive(Debug, Serialize)]
pub(crate) struct Summary {
    machine: Machine,
    cases: Vec<Measured>,
    asked: Vec<Asked>,
}

/// An array, by all contenders.
#[derive(Debug, Serialize)]
pub(crate) struct Measured {
    pub(crate) case: Case,
    pub(crate) rows: Vec<Row>,
}

#[derive(Debug, Serialize)]
pub(crate) struct Row {
    pub(crate) contender: Contender,
    /// Round by round.
    pub(crate) found: Vec<Found>,
}

const PEERS: [&str; 3] = ["boxcar", "orx-split-vec", "segvec"];

/// Measures, and prints everything.
pub(crate) fn bench(options: &Options) -> harness::Result {
    let summary = measure(&options.plan())?;
    harness::print(options.common.json, &summary, &summary.machine, &tables(&summary))
}

/// Everything once, and small: what `cargo test --benches` runs.
pub(crate) fn smoke() -> harness::Result {
    let summary = measure(&Plan::smoke())?;
    harness::print_smoke(&summary, &tables(&summary))
}

/// Case by case, all contenders in turns.
fn measure(plan: &Plan) -> harness::Result<Summary> {
    let Plan { contenders, cases, ms, repetitions } = plan;
    let mut measured = Vec::new();
    for &case in cases {
        let found = harness::in_turns(
            contenders,
            |_| *repetitions,
            |contender| format!("{case}, {}", contender.name()),
            |&contender| delegate::outcome(delegate::command(&Task { contender, case, ms: *ms })?),
        )?;
        let rows = contenders.iter().zip(found).map(|(&contender, found)| Row { contender, found });
        measured.push(Measured { case, rows: rows.collect() });
    }
    Ok(Summary {
        machine: Machine::with(env!("CARGO_PKG_NAME"), PEERS),
        asked: asked::all(&measured),
        cases: measured,
    })
}

/// One an array, and what is asked, each with its title.
fn tables(summary: &Summary) -> Vec<(String, Table)> {
    let of = |measured: &Measured| (format!("{}, ns an element", measured.case), show(measured));
    let mut tables: Vec<(String, Table)> = summary.cases.iter().map(of).collect();
    tables.extend(asked::show(&summary.asked).map(|table| ("what is asked".to_owned(), table)));
    tables
}

fn show(measured: &Measured) -> Table {
    let header = words([
        "array",
        "first push",
        "faults/1000",
        "push, cleared",
        "make, push, drop",
        "with room",
        "for",
        "fold",
        "slices",
        "random read",
    ]);
    let cells = measured.rows.iter().map(|row| {
        let figures: [fn(&Found) -> Option<f64>; 9] = [
            |found| Some(found.first),
            |found| found.faults,
            |found| Some(found.again),
            |found| Some(found.over),
            |found| Some(found.roomy),
            |found| Some(found.each),
            |found| Some(found.fold),
            |found| found.slices,
            |found| Some(found.get),
        ];
        let cells = figures.into_iter().map(|figure| {
            let figures: Option<Vec<f64>> = row.found.iter().map(figure).collect();
            figures.map_or_else(|| "–".to_owned(), |found| short(Spread::of(found).median))
        });
        std::iter::once(row.contender.name().to_owned()).chain(cells).collect()
    });
    table(1, header, cells.collect())
}
