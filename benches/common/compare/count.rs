//! Counting instructions and cache lines instead of measuring time.

use std::path::Path;
use std::{fs, iter};

use super::{Bench, Container, Operation, Planned, Sample};
use crate::callgrind::{self, Counts};
use crate::harness::Result;
use crate::jobs::Job;
use crate::progress::Progress;
use crate::table::table;
use crate::target;

/// Counts all operations once, since counts do not vary, and prints tables.
pub fn count<B: Bench>(cases: &[Planned<B>]) -> Result {
    let directory = target::directory()?.join(B::NAME.replace('_', "-"));
    fs::create_dir_all(&directory)?;
    let file = directory.join("callgrind.out");
    let steps = |planned: &Planned<B>| planned.operations.len() * planned.containers.len();
    let mut progress = Progress::new(cases.iter().map(steps).sum());
    for Planned { case, operations, containers, .. } in cases {
        let mut rows = Vec::new();
        for operation in B::Operation::all().filter(|one| operations.contains(one)) {
            let Some(function) = operation.function() else { continue };
            let mut row = vec![operation.name().to_owned()];
            for container in containers {
                progress.begin(container.name);
                let counted = |operation| counted(container, *case, operation, function, &file);
                let (with, times) = counted(operation)?;
                let without = match operation.prepared_by() {
                    Some(other) if times > 0 => counted(other)?.0,
                    _ => Counts::default(),
                };
                // Empty where the structure has nothing that does it.
                row.push(if times > 0 { with.without(without).cell(times) } else { String::new() });
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

/// Returns the counts of a function in a process that did the operation, and how often it did.
fn counted<B: Bench>(
    container: &Container<B>,
    case: B::Case,
    operation: B::Operation,
    function: &str,
    file: &Path,
) -> Result<(Counts, usize)> {
    let child = container.life(case, &[operation], B::COUNTED).command()?;
    let functions = format!("{}::stage::{function}*", B::NAME);
    let (counts, output) = callgrind::count(&child, &functions, file)?;
    let samples: Vec<Sample<B::Operation>> = serde_json::from_slice(&output)?;
    let samples = samples.iter().filter(|sample| sample.operation == operation);
    Ok((counts, samples.map(|sample| sample.count).sum()))
}
