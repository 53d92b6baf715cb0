//! One process a measurement, so that page faults, peak memory and the allocator's state belong
//! to one container alone.

use std::error::Error;
use std::hint::black_box;
use std::time::Duration;

use bench_common::delegate;
use serde::{Deserialize, Serialize};

use crate::allocator::Allocator;
use crate::containers::{self, Container, Pages};
use crate::scenario::ecs::Steps;
use crate::scenario::{Scenario, Script};

/// What a child is for.
#[derive(Debug, Serialize, Deserialize)]
pub(crate) enum Task {
    Measure(Job),
    /// Touch that many bytes, and end. Under a hypervisor that takes free memory back, the first
    /// touch of a page after a pause costs several times as much as the kernel's own work. Done
    /// before each measurement, this has every container start with the same memory at hand.
    Touch(usize),
}

const SMALLEST_PAGE_BYTES: usize = 4096;

/// What is timed. One run can't time both: the clock would distort the frames.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) enum Pass {
    Frames,
    Pushes,
}

/// What a child is to measure.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct Job {
    pub(crate) scenario: Scenario,
    pub(crate) script: Script,
    pub(crate) pass: Pass,
    /// A [`Container::id`].
    pub(crate) container: String,
    pub(crate) period_us: u64,
}

impl Job {
    /// From the start of a frame to that of the next; zero if they follow each other at once.
    pub(crate) fn period(&self) -> Duration {
        Duration::from_micros(self.period_us)
    }
}

/// What a child found. Each pass fills in its part.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub(crate) struct Outcome {
    pub(crate) frame_ns: Vec<u64>,
    /// Of the whole process, after each frame; none where the system does not say.
    pub(crate) resident_bytes: Vec<u64>,
    /// The longest preparation between two frames; `None` for containers that aren't prepared.
    pub(crate) idle_ns_max: Option<u64>,
    /// Taken inside frames, by the thread that runs them; and by those that append beside it.
    pub(crate) page_faults: Option<u64>,
    /// Of the whole process, the samples in `frame_ns` included.
    pub(crate) peak_rss_bytes: Option<u64>,
    pub(crate) worst_push_ns: u64,
    /// How often a thread that works ahead was late; `None` for containers that have none.
    pub(crate) late: Option<u64>,
    /// The mean over all frames; `None` where a frame is not made of steps.
    pub(crate) steps: Option<Steps>,
}

/// Does the task and writes what was found to standard output.
pub(crate) fn perform(task: &Task) -> Result<(), Box<dyn Error>> {
    let outcome = match task {
        Task::Measure(job) => {
            let container = containers::find(&job.container).ok_or("no container of that name")?;
            assert!(container.allocator.is_current(), "the wrong allocator");
            (container.run)(job)
        }
        Task::Touch(bytes) => {
            let mut memory = vec![0_u8; *bytes];
            memory.iter_mut().step_by(SMALLEST_PAGE_BYTES).for_each(|byte| *byte = 1);
            black_box(&memory);
            Outcome::default()
        }
    };
    Ok(delegate::answer(&outcome)?)
}

/// Has a new process measure a container.
pub(crate) fn measure(job: Job, container: &Container) -> Result<Outcome, Box<dyn Error>> {
    run(&Task::Measure(job), container.allocator)
        .map_err(|error| format!("measuring {}: {error}", container.name).into())
}

/// Has a new process touch as much memory as the job can need, in pages of the size that the
/// container will ask for. Mimalloc is the allocator that asks for huge ones.
pub(crate) fn touch(job: &Job, container: &Container) -> Result<(), Box<dyn Error>> {
    let bytes = job.script.most_bytes();
    let needed = match container.allocator {
        // The old and the new array of a `Vec` that copies, each up to twice its content.
        Allocator::Mimalloc => bytes * 4,
        _ => bytes * 2,
    };
    let allocator = match container.pages {
        Pages::Small => Allocator::System,
        Pages::Huge => Allocator::Mimalloc,
    };
    run(&Task::Touch(needed), allocator).map(drop)
}

fn run(task: &Task, allocator: Allocator) -> Result<Outcome, Box<dyn Error>> {
    let mut command = delegate::command(task)?;
    allocator.set_for(&mut command);
    delegate::outcome(command)
}
