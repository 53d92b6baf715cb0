//! One process a measurement, so that page faults, peak memory and the allocator's state belong
//! to one container alone.

use std::error::Error;
use std::process::{Command, Stdio};
use std::{env, io};

use serde::{Deserialize, Serialize};

use crate::alloc::{Allocator, MIMALLOC_VARIABLE};
use crate::containers::{self, Container};
use crate::scenario::Scenario;

/// The first argument of a child; its job follows as JSON.
const CHILD: &str = "--frame-stalls-child";

/// What is timed. One run can't time both: the clock would distort the frames.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) enum Pass {
    Frames,
    Pushes,
}

impl Pass {
    pub(crate) const ALL: &[Self] = &[Self::Frames, Self::Pushes];
}

/// What a child is to measure.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct Job {
    pub(crate) scenario: Scenario,
    pub(crate) pass: Pass,
    /// A [`Container::id`].
    pub(crate) container: String,
    pub(crate) frames: usize,
    /// Entities a frame.
    pub(crate) spawn: usize,
    pub(crate) paced: bool,
}

impl Job {
    /// Entities in the container at the end.
    pub(crate) fn total(&self) -> usize {
        self.frames * self.spawn
    }
}

/// What a child found. Each pass fills in its part.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub(crate) struct Outcome {
    pub(crate) frame_ns: Vec<u64>,
    /// The longest preparation between two frames.
    pub(crate) idle_ns_max: u64,
    /// Taken inside frames.
    pub(crate) page_faults: Option<u64>,
    /// Of the whole process, the samples in `frame_ns` included.
    pub(crate) peak_rss_bytes: Option<u64>,
    pub(crate) worst_push_ns: u64,
}

/// The job, if this process is a child.
pub(crate) fn job_from_args() -> serde_json::Result<Option<Job>> {
    let mut args = env::args().skip(1);
    match (args.next(), args.next()) {
        (Some(flag), Some(job)) if flag == CHILD => serde_json::from_str(&job).map(Some),
        _ => Ok(None),
    }
}

/// Does the job and writes what was found to standard output.
pub(crate) fn answer(job: &Job) -> Result<(), Box<dyn Error>> {
    let container = containers::find(&job.container).ok_or("no container of that name")?;
    assert_eq!(Allocator::current(), container.allocator, "started under the wrong allocator");
    serde_json::to_writer(io::stdout(), &(container.run)(job))?;
    Ok(())
}

/// Has a new process do the job.
pub(crate) fn delegate(job: &Job, container: &Container) -> Result<Outcome, Box<dyn Error>> {
    let mut command = Command::new(env::current_exe()?);
    command.arg(CHILD).arg(serde_json::to_string(job)?).stderr(Stdio::inherit());
    match container.allocator {
        Allocator::System => command.env_remove(MIMALLOC_VARIABLE),
        Allocator::Mimalloc => command.env(MIMALLOC_VARIABLE, "1"),
    };
    let output = command.output()?;
    if !output.status.success() {
        return Err(format!("measuring {} failed: {}", container.name, output.status).into());
    }
    Ok(serde_json::from_slice(&output.stdout)?)
}
