//! One process a measurement, so that page faults, huge pages and the allocator's state belong to
//! one structure alone.

use std::error::Error;

use bench_common::delegate;
use serde::{Deserialize, Serialize};

use crate::containers::{self, Container};
use crate::operation::Operation;
use crate::stage::Sample;

/// What a child is for: operations, one after the other.
#[derive(Debug, Serialize, Deserialize)]
pub(crate) struct Task {
    container: String,
    rows: usize,
    operations: Vec<Operation>,
}

/// Does the task and writes what was found to standard output.
pub(crate) fn perform(task: &Task) -> Result<(), Box<dyn Error>> {
    let Task { container, rows, operations } = task;
    let container =
        containers::find(container).ok_or_else(|| format!("no container {container}"))?;
    Ok(delegate::answer(&life(container, *rows, operations))?)
}

/// Goes through the operations.
pub(crate) fn life(container: &Container, rows: usize, operations: &[Operation]) -> Vec<Sample> {
    let mut stage = (container.stage)(rows);
    let mut samples = Vec::new();
    for &operation in operations {
        if stage.can(operation) {
            samples.extend((0..operation.times_in_life()).map(|_| stage.perform(operation)));
        }
    }
    samples
}

/// Has a new process go through the operations.
pub(crate) fn measure(
    container: &Container,
    rows: usize,
    operations: &[Operation],
) -> Result<Vec<Sample>, Box<dyn Error>> {
    let operations = operations.into();
    let task = Task { container: container.id.to_owned(), rows, operations };
    delegate::command(&task)
        .and_then(delegate::outcome)
        .map_err(|error| format!("measuring {}: {error}", container.name).into())
}
