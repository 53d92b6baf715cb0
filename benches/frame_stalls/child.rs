//! One process for each measurement, so that page faults, peak memory and the allocator's state belong to one
//! container alone.

use std::hint::black_box;
use std::process::Command;
use std::thread;
use std::time::Duration;

use bench_common::allocator;
use bench_common::harness::Result;
use bench_common::jobs::{self, Job as _};
use bench_common::usage;
use serde::{Deserialize, Serialize};

use crate::allocator::{Allocator, GLOBAL};
use crate::containers::{Container, Pages};
use crate::scenario::ecs::Steps;
use crate::scenario::{Scenario, Script};

const SMALLEST_PAGE_BYTES: usize = 4096;

/// What is timed. One run cannot time both: reading the clock would distort the frames.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) enum Pass {
    Frames,
    Pushes,
}

/// The job of a child.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct Job {
    pub(crate) scenario: Scenario,
    pub(crate) script: Script,
    pub(crate) pass: Pass,
    pub(crate) container: &'static Container,
    pub(crate) period_us: u64,
}

impl Job {
    /// The time from the start of a frame to the start of the next; zero if they run back to back.
    pub(crate) fn period(&self) -> Duration {
        Duration::from_micros(self.period_us)
    }
}

/// The results of a child. Each pass sets its own fields.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub(crate) struct Outcome {
    pub(crate) frame_ns: Vec<u64>,
    /// Resident memory of the process after each frame; empty if the system does not say.
    pub(crate) resident_bytes: Vec<u64>,
    /// The longest preparation between two frames; `None` for containers without preparation.
    pub(crate) idle_ns_max: Option<u64>,
    /// Page faults inside frames, by the frame's thread and by appending threads.
    pub(crate) page_faults: Option<u64>,
    /// Of the process, including the samples in `frame_ns`.
    pub(crate) peak_rss_bytes: Option<u64>,
    pub(crate) worst_push_ns: u64,
    /// How often a thread that works ahead was late; `None` for containers without one.
    pub(crate) late: Option<u64>,
    /// The mean over all frames; `None` if a frame has no steps.
    pub(crate) steps: Option<Steps>,
}

impl jobs::Job for Job {
    type Outcome = Outcome;

    fn run(&self) -> Result<Outcome> {
        assert_eq!(GLOBAL.number(), self.container.allocator as usize, "a different allocator");
        Ok((self.container.run)(self))
    }

    fn set_up(&self, child: &mut Command) {
        allocator::set_for(child, self.container.allocator as usize);
    }
}

/// Whether a run finds memory that was touched shortly before.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Host {
    Warm,
    /// The host has taken free memory back, and the run's first touches make it supply other memory.
    Cold,
}

/// Touches memory, and ends. Under a hypervisor that takes free memory back, the first touch of a page after a
/// pause takes several times as long as the kernel's own work. This job before each measurement gives all
/// containers the same memory at hand.
#[derive(Debug, Serialize, Deserialize)]
pub(crate) struct Touch {
    bytes: usize,
    pages: Pages,
}

impl jobs::Job for Touch {
    type Outcome = ();

    fn run(&self) -> Result {
        let mut memory = vec![0_u8; self.bytes];
        memory.iter_mut().step_by(SMALLEST_PAGE_BYTES).for_each(|byte| *byte = 1);
        black_box(&memory);
        Ok(())
    }

    fn set_up(&self, child: &mut Command) {
        // Mimalloc is the allocator that asks for huge pages.
        let allocator = match self.pages {
            Pages::Small => Allocator::System,
            Pages::Huge => Allocator::Mimalloc,
        };
        allocator::set_for(child, allocator as usize);
    }
}

/// Runs a process that touches as much memory as the job can need, in pages of the size that the container will
/// ask for.
pub(crate) fn touch(job: &Job) -> Result {
    let bytes = job.script.most_bytes();
    let bytes = match job.container.allocator {
        // The old and the new array of a `Vec` that copies, each up to twice its contents.
        Allocator::Mimalloc => bytes * 4,
        _ => bytes * 2,
    };
    Touch { bytes, pages: job.container.pages }.outcome()
}

/// The most memory that is touched so that the host takes it back.
const COOLED_BYTES_MAX: u64 = 16 << 30;

/// A kernel waits two seconds before it begins to report free memory to the host, and does so in pieces: after three
/// seconds most of 16 GiB is still at hand, as measured.
const COOLING: Duration = Duration::from_secs(20);

/// Makes the host take memory back: touches much of what is available in a process that ends, and waits.
pub(crate) fn cool() -> Result {
    let available =
        usage::available_bytes().ok_or("the system does not report available memory")?;
    let bytes = usize::try_from(COOLED_BYTES_MAX.min(available / 4 * 3))?;
    Touch { bytes, pages: Pages::Huge }.outcome()?;
    thread::sleep(COOLING);
    Ok(())
}
