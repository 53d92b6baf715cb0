//! From the plan to the report.

use bench_common::harness::{Report, Result};
use bench_common::jobs::{Rounds, rounds};
use bench_common::table::{Table, header, short, table};

use crate::asked;
use crate::case::{Case, Outcome};
use crate::cli::Plan;
use crate::task::Task;

/// The figures of all contenders for one array size.
pub(crate) type Measured = (Case, Vec<Rounds<Task>>);

/// Measures all contenders of a case, interleaved, then the next case; prints a table for each, and the
/// targets.
pub(crate) fn measure(plan: &Plan) -> Result<Report> {
    let mut report = Report::new(env!("CARGO_PKG_NAME"), ["boxcar", "orx-split-vec", "segvec"]);
    let measured = |plan: &Plan| plan.cases.iter().map(|&case| of_case(plan, case)).collect();
    let tables = |all: &Vec<Measured>| all.iter().map(show).collect();
    let measured = report.part("cases", Some(plan), measured, tables)?.unwrap_or_default();
    let asked = |(): &()| Ok(asked::all(&measured));
    report.part("asked", Some(&()), asked, |asked| asked::show(asked))?;
    Ok(report)
}

fn of_case(plan: &Plan, case: Case) -> Result<Measured> {
    let tasks = plan.contenders.iter().map(|&contender| Task { contender, case, ms: plan.ms });
    let name = |task: &Task| format!("{case}, {}", task.contender.name());
    Ok((case, rounds(tasks, plan.repetitions, name)?))
}

fn show((case, rows): &Measured) -> (String, Table) {
    let header = header(
        "array | first push | faults/1000 | push, cleared | make, push, drop | with room | for | \
         fold | slices | random read",
    );
    let cells = rows.iter().map(|row| {
        let figures: [fn(&Outcome) -> Option<f64>; 9] = [
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
            let spread = row.spread_of_some(figure);
            spread.map_or_else(|| "–".to_owned(), |spread| short(spread.median))
        });
        [row.of.contender.name().to_owned()].into_iter().chain(cells).collect()
    });
    (format!("{case}, ns an element"), table(1, header, cells.collect()))
}
