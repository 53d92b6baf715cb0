//! The command line.

use std::thread;
use std::time::Duration;

use bench_common::harness::Common;
use clap::{Parser, ValueEnum};

use crate::{ahead, idle, release, steps};

/// The background thread: what it costs other threads, and what it costs when idle
#[derive(Debug, Parser)]
#[command(bin_name = "cargo bench --bench service --")]
#[command(mut_arg("quick", |arg| arg.help("Fewer cases and repetitions, in under 20 seconds")))]
#[command(mut_arg("repetitions", |arg| arg.help("Number of repetitions [default: 9; idle: 3; with --quick: 1 to 3]")))]
pub(crate) struct Options {
    #[command(flatten)]
    pub(crate) common: Common,

    /// Measure only these parts [default: all; on one processor: all but steps]
    #[arg(long, value_name = "PART", num_args = 1..)]
    only: Vec<Part>,

    /// Keep the whole process on one processor (Linux)
    #[arg(long)]
    pub(crate) one_core: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Part {
    /// The effect of prefaulting, in steps of several sizes, on the calls of another thread
    Steps,
    /// Dropping a large array, and its effect on mapping calls
    Release,
    /// The thread when nothing grows
    Idle,
    /// Frames of growing arrays, with memory made ready ahead and without
    Ahead,
}

/// The selected measurements.
#[derive(Debug)]
pub(crate) struct Plan {
    pub(crate) steps: Option<steps::Extent>,
    pub(crate) release: Option<release::Extent>,
    pub(crate) idle: Option<idle::Extent>,
    pub(crate) ahead: Option<ahead::Extent>,
}

impl Options {
    pub(crate) fn plan(&self) -> Result<Plan, String> {
        let quick = self.common.quick;
        let wanted = |part| self.only.is_empty() || self.only.contains(&part);
        let several = thread::available_parallelism().is_ok_and(|processors| processors.get() > 1);
        if !several && self.only.contains(&Part::Steps) {
            return Err("steps needs two processors, one for each of two threads".into());
        }
        let times = |usual, if_quick| self.common.repetitions(usual, if_quick);
        Ok(Plan {
            steps: (several && wanted(Part::Steps)).then(|| steps::Extent {
                bytes: if quick { 32 << 20 } else { 128 << 20 },
                alone: Duration::from_millis(if quick { 30 } else { 100 }),
                repetitions: times(9, 1),
            }),
            release: wanted(Part::Release).then_some(release::Extent {
                bytes: if quick { 256 << 20 } else { 1 << 30 },
                repetitions: times(9, 3),
            }),
            idle: wanted(Part::Idle).then(|| idle::Extent {
                growing: Duration::from_millis(300),
                settling: Duration::from_millis(2500),
                quiet: Duration::from_secs(if quick { 1 } else { 5 }),
                repetitions: times(3, 1),
            }),
            ahead: wanted(Part::Ahead).then_some(ahead::Extent {
                spawn: 20_000,
                frames: if quick { 80 } else { 400 },
                fast_frames: if quick { 30 } else { 80 },
                repetitions: times(9, 1),
            }),
        })
    }
}

impl Plan {
    /// Everything once, with small sizes.
    pub(crate) const SMOKE: Self = Self {
        steps: Some(steps::Extent {
            bytes: 16 << 20,
            alone: Duration::from_millis(1),
            repetitions: 1,
        }),
        release: Some(release::Extent { bytes: 16 << 20, repetitions: 1 }),
        idle: Some(idle::Extent {
            growing: Duration::from_millis(10),
            settling: Duration::from_millis(10),
            quiet: Duration::from_millis(10),
            repetitions: 1,
        }),
        ahead: Some(ahead::Extent { spawn: 320, frames: 3, fast_frames: 3, repetitions: 1 }),
    };
}
