//! One process a measurement, so that page faults, huge pages and the allocator's state belong to
//! one structure alone.

use std::error::Error;
use std::process::Command;

use bench_common::delegate;
use serde::{Deserialize, Serialize};

use crate::case::Case;
use crate::containers::{self, Container};
use crate::operation::Operation;
use crate::stage::Sample;

/// What a child is for: operations, one after the other.
#[derive(Debug, Serialize, Deserialize)]
pub(crate) struct Task {
    container: String,
    case: Case,
    operations: Vec<Operation>,
    times: Times,
}

/// How often each is measured.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
pub(crate) enum Times {
    Usual,
    Once,
}

/// Does the task and writes what was found to standard output.
pub(crate) fn perform(task: &Task) -> Result<(), Box<dyn Error>> {
    let Task { container, case, operations, times } = task;
    let container =
        containers::find(container).ok_or_else(|| format!("no container {container}"))?;
    Ok(delegate::answer(&life(container, *case, operations, *times))?)
}

/// Goes through the operations.
pub(crate) fn life(
    container: &Container,
    case: Case,
    operations: &[Operation],
    times: Times,
) -> Vec<Sample> {
    let mut stage = (container.stage)(case);
    let mut samples = Vec::new();
    for &operation in operations {
        if !stage.can(operation) {
            continue;
        }
        let times = match times {
            Times::Usual => operation.times_in_life(),
            Times::Once => 1,
        };
        samples.extend((0..times).flat_map(|_| stage.perform(operation)));
    }
    samples
}

/// The command that starts a process that goes through the operations.
pub(crate) fn command(
    container: &Container,
    case: Case,
    operations: &[Operation],
    times: Times,
) -> Result<Command, Box<dyn Error>> {
    let (container, operations) = (container.id.to_owned(), operations.into());
    delegate::command(&Task { container, case, operations, times })
}

/// Has a new process go through the operations.
pub(crate) fn measure(
    container: &Container,
    case: Case,
    operations: &[Operation],
) -> Result<Vec<Sample>, Box<dyn Error>> {
    command(container, case, operations, Times::Usual)
        .and_then(delegate::outcome)
        .map_err(|error| format!("measuring {}: {error}", container.name).into())
}
