//! Instructions and cache lines instead of time: the same operations on a processor simulated by
//! Valgrind's callgrind, where nothing else on the machine shows, and nothing of what a real one does
//! at once.

use std::error::Error;
use std::path::Path;
use std::{fs, iter};

use bench_common::callgrind::{self, Counts};
use bench_common::delegate;
use bench_common::numbers;
use bench_common::progress::Progress;
use bench_common::table::table;
use bench_common::target;

use crate::child::{Case, Task};
use crate::cli::{Plan, PlannedCase};
use crate::containers::Container;
use crate::operation::Operation;

/// Counts all that is planned, once each, since it comes out the same every time, and prints tables.
pub(crate) fn run(plan: &Plan) -> Result<(), Box<dyn Error>> {
    let directory = target::directory()?.join("slot-maps");
    fs::create_dir_all(&directory)?;
    let file = directory.join("callgrind.out");
    let containers = plan.containers.iter().filter(|container| container.generations);
    let containers: Vec<&Container> = containers.copied().collect();
    let operations: usize = plan.cases.iter().map(|case| case.operations.len()).sum();
    let mut progress = Progress::new(operations * containers.len());
    for PlannedCase { case, operations, .. } in &plan.cases {
        let mut rows = Vec::new();
        for &operation in Operation::ALL.iter().filter(|one| operations.contains(one)) {
            let Some(function) = operation.function() else { continue };
            let mut row = vec![operation.name().to_owned()];
            for container in &containers {
                progress.begin(container.name);
                // A stage without slots costs nothing, and knows as well.
                if !(container.stage)(case.value_bytes, 0).can(operation) {
                    row.push(String::new());
                    continue;
                }
                let with = count(container, *case, operation, function, &file)?;
                let without = match operation.prepared_by() {
                    Some(other) => count(container, *case, other, function, &file)?,
                    None => Counts::default(),
                };
                let times = operation.count(case.slots) * operation.times_in_life();
                row.push(with.without(without).cell(times));
            }
            rows.push(row);
        }
        let header = iter::once(callgrind::COLUMNS);
        let header = header.chain(containers.iter().map(|container| container.name));
        let title =
            format!("{} slots, values of {} bytes", numbers::text(case.slots), case.value_bytes);
        println!("{title}\n{}\n", table(1, header.map(str::to_owned).collect(), rows));
    }
    println!("{}", callgrind::LEGEND);
    Ok(())
}

/// What the function came to in a process that did the operation.
fn count(
    container: &Container,
    case: Case,
    operation: Operation,
    function: &str,
    file: &Path,
) -> Result<Counts, Box<dyn Error>> {
    let task = Task::Life { container: container.id.to_owned(), case, operations: vec![operation] };
    let child = delegate::command(&task)?;
    let functions = format!("slot_maps::stage::{function}*");
    callgrind::count(&child, &functions, file).map(|(counts, _)| counts)
}
