//! One process a measurement, so that the allocator and its state belong to it alone.

use std::error::Error;

use bench_common::delegate;
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};

use crate::allocator::Allocator;
use crate::contenders::Contender;
use crate::{arena, growth, short_lived, soak};

/// What a child is for.
#[derive(Debug, Serialize, Deserialize)]
pub(crate) struct Task {
    /// What it should find itself under.
    allocator: Allocator,
    job: Job,
}

#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) enum Job {
    Growth(growth::Job),
    ShortLived(short_lived::Job),
    Arena(arena::Job),
    Soak(soak::Job),
}

/// Does the task and writes what was found to standard output.
pub(crate) fn perform(task: &Task) -> Result<(), Box<dyn Error>> {
    assert!(task.allocator.is_current(), "the wrong allocator");
    match &task.job {
        Job::Growth(job) => delegate::answer(&growth::perform(job))?,
        Job::ShortLived(job) => delegate::answer(&short_lived::perform(job))?,
        Job::Arena(job) => delegate::answer(&arena::perform(job))?,
        Job::Soak(job) => delegate::answer(&soak::perform(job))?,
    }
    Ok(())
}

/// Has a new process do a job under an allocator.
pub(crate) fn measure<R: DeserializeOwned>(
    contender: &Contender,
    job: Job,
) -> Result<R, Box<dyn Error>> {
    let allocator = contender.allocator;
    let mut command = delegate::command(&Task { allocator, job })?;
    allocator.set_for(&mut command);
    command.envs(contender.variables.iter().copied());
    delegate::outcome(command)
        .map_err(|error| format!("measuring {}: {error}", contender.name).into())
}
