//! Instructions and cache lines instead of time.

use std::error::Error;
use std::path::Path;
use std::{fs, iter};

use bench_common::callgrind;
use bench_common::progress::Progress;
use bench_common::table::table;
use bench_common::target;

use crate::case::Case;
use crate::child::{self, Times};
use crate::cli::{Plan, PlannedCase};
use crate::containers::Container;
use crate::operation::Operation;
use crate::stage::Sample;

/// All that is timed is executed in it.
const FUNCTIONS: &str = "indices::stage::timed*";

/// Counts all that is planned, once each, since it comes out the same every time, and prints tables.
pub(crate) fn run(plan: &Plan) -> Result<(), Box<dyn Error>> {
    let directory = target::directory()?.join("indices");
    fs::create_dir_all(&directory)?;
    let file = directory.join("callgrind.out");
    let steps = |case: &PlannedCase| case.operations.len() * case.containers.len();
    let mut progress = Progress::new(plan.cases.iter().map(steps).sum());
    for PlannedCase { case, operations, containers, .. } in &plan.cases {
        let mut rows = Vec::new();
        let all = Operation::of(case.group).iter();
        let planned = all.filter(|one| operations.contains(one) && one.can_be_counted());
        for &operation in planned {
            let mut row = vec![operation.name().to_owned()];
            for container in containers {
                progress.begin(container.name);
                row.push(cell(container, *case, operation, &file)?);
            }
            rows.push(row);
        }
        let header = iter::once(callgrind::COLUMNS);
        let header = header.chain(containers.iter().map(|container| container.name));
        println!("{case}\n{}\n", table(1, header.map(str::to_owned).collect(), rows));
    }
    println!("{}", callgrind::LEGEND);
    Ok(())
}

/// Empty where the structure has nothing that does it.
fn cell(
    container: &Container,
    case: Case,
    operation: Operation,
    file: &Path,
) -> Result<String, Box<dyn Error>> {
    let child = child::command(container, case, &[operation], Times::Once)?;
    let (counts, output) = callgrind::count(&child, FUNCTIONS, file)?;
    let samples: Vec<Sample> = serde_json::from_slice(&output)?;
    let sample = samples.iter().find(|sample| sample.operation == operation);
    Ok(sample.map_or_else(String::new, |sample| counts.cell(sample.count)))
}
