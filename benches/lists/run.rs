//! From the plan to the report.

use bench_common::harness::{Report, Result};
use bench_common::jobs::{Rounds, rounds};
use bench_common::numbers;
use bench_common::table::{Table, header, short, table};

use crate::asked;
use crate::cli::Plan;
use crate::task::{Outcome, Task};

/// The figures of all contenders for a number of nodes.
pub(crate) type Measured = (usize, Vec<Rounds<Task>>);

/// Measures all contenders of a size, interleaved, then the next; prints a table for each, and the targets.
pub(crate) fn measure(plan: &Plan) -> Result<Report> {
    let peers = ["cranelift-entity", "smallvec", "thin-vec"];
    let mut report = Report::new(env!("CARGO_PKG_NAME"), peers);
    let measured = |plan: &Plan| plan.nodes.iter().map(|&nodes| of_size(plan, nodes)).collect();
    let tables = |all: &Vec<Measured>| all.iter().map(show).collect();
    let measured = report.part("sizes", Some(plan), measured, tables)?.unwrap_or_default();
    let asked = |(): &()| Ok(asked::all(&measured));
    report.part("asked", Some(&()), asked, |asked| asked::show(asked))?;
    Ok(report)
}

fn of_size(plan: &Plan, nodes: usize) -> Result<Measured> {
    let task = |&contender| Task { contender, nodes, ms: plan.ms, frames: plan.frames };
    let name = |task: &Task| format!("{}, {}", numbers::text(nodes), task.contender.name());
    Ok((nodes, rounds(plan.contenders.iter().map(task), plan.repetitions, name)?))
}

fn show((nodes, rows): &Measured) -> (String, Table) {
    let header = header(
        "lists | first build | build | drop | walk | compact | walk, compacted | random | memory | \
         memory, compacted | frame, µs | worst frame, µs | worst push, µs",
    );
    let cells = rows.iter().map(|row| {
        let figures: [fn(&Outcome) -> Option<f64>; 12] = [
            |found| Some(found.first),
            |found| Some(found.build),
            |found| Some(found.drop),
            |found| Some(found.walk),
            |found| Some(found.compact),
            |found| Some(found.walk_compacted),
            |found| Some(found.random),
            |found| found.memory,
            |found| found.memory_compacted,
            |found| found.frame,
            |found| found.worst_frame,
            |found| found.worst_push,
        ];
        let cells = figures.into_iter().map(|figure| {
            let spread = row.spread_of_some(figure);
            spread.map_or_else(|| "–".to_owned(), |spread| short(spread.median))
        });
        [row.of.contender.name().to_owned()].into_iter().chain(cells).collect()
    });
    let title =
        format!("{} nodes, ns an edge; memory in multiples of the edges'", numbers::text(*nodes));
    (title, table(1, header, cells.collect()))
}
