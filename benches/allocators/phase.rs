//! A phase of a program: many large buffers are made and filled, and all are freed. What stays resident?

use std::collections::VecDeque;
use std::fmt;
use std::hint::black_box;
use std::thread;
use std::time::{Duration, Instant};

use bench_allocators_common::best::{Group, groups};
use bench_allocators_common::contenders::{self, Case, cases};
use bench_common::harness::Result;
use bench_common::jobs::{Job, Rounds, rounds_of};
use bench_common::memory::{size_text, touch};
use bench_common::random::Random;
use bench_common::spread::each;
use bench_common::table::{Table, header};
use bench_common::usage;
use serde::{Deserialize, Serialize};

use crate::buffer::{check, filled, zeroed_and_filled};
use crate::repeat::{Repeated, middle, range, repeat};

#[derive(Debug)]
pub(crate) struct Extent {
    pub(crate) phases: &'static [Phase],
    pub(crate) repetitions: usize,
}

/// The job of a child.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
pub(crate) struct Phase {
    /// Of each of the first buffers; the others are four times as large. If sizes are mixed, of the smallest.
    small_bytes: usize,
    sizes: Sizes,
    made: Made,
    kept: Kept,
    rounds: usize,
    /// How long the program then rests before its memory is read, and again after that.
    rests_ms: [u64; 2],
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
enum Sizes {
    /// All buffers of both sizes are in use at the end.
    Two,
    /// Other ones in each round, up to [`MIXED`] times as large as the smallest. Few buffers are in use at a time.
    Mixed,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
enum Made {
    WithCapacity,
    /// Every second one by `vec![0; n]`.
    HalfZeroed,
}

/// What the program holds while it rests.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
enum Kept {
    Nothing,
    /// Every fourth buffer.
    Quarter,
}

/// How many buffers there are of each size.
const BUFFERS: usize = 12;

/// The largest of mixed sizes over the smallest, how many buffers a round makes, and how many are in use.
const MIXED: usize = 8;
const MIXED_BUFFERS: usize = 24;
const IN_USE: usize = 4;

/// What a program may hold apart from its buffers.
const REST_BYTES: u64 = 8 << 20;

const ALL_FREED: Phase = Phase {
    small_bytes: 16 << 20,
    sizes: Sizes::Two,
    made: Made::WithCapacity,
    kept: Kept::Nothing,
    rounds: 8,
    rests_ms: [1000, 4000],
};

pub(crate) const ALL: &[Phase] = &[
    ALL_FREED,
    Phase { made: Made::HalfZeroed, kept: Kept::Quarter, ..ALL_FREED },
    Phase { sizes: Sizes::Mixed, ..ALL_FREED },
];

pub(crate) const QUICK: &[Phase] = &[Phase {
    small_bytes: 4 << 20,
    sizes: Sizes::Two,
    made: Made::HalfZeroed,
    kept: Kept::Quarter,
    rounds: 4,
    rests_ms: [1000, 0],
}];

pub(crate) const SMOKE: &[Phase] = &[Phase {
    small_bytes: 1 << 20,
    sizes: Sizes::Two,
    made: Made::HalfZeroed,
    kept: Kept::Quarter,
    rounds: 1,
    rests_ms: [1, 0],
}];

/// What a child measured. Memory is `None` if the system does not report it.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct Outcome {
    pub(crate) rounds: Repeated,
    before_bytes: Option<u64>,
    peak_bytes: Option<u64>,
    live_bytes: u64,
    /// Right after the last buffers were freed, and after each rest.
    resident_bytes: [Option<u64>; 3],
}

impl Phase {
    /// A phase that runs once, and does not rest.
    pub(crate) const fn once(small_bytes: usize) -> Self {
        Self { small_bytes, rounds: 0, rests_ms: [0, 0], ..ALL_FREED }
    }

    /// The sizes of all buffers.
    fn sizes(self) -> impl Iterator<Item = usize> {
        (0..2 * BUFFERS).map(move |at| self.small_bytes * if at < BUFFERS { 1 } else { 4 })
    }

    /// The most bytes that are in use.
    pub(crate) fn bytes(self) -> usize {
        match self.sizes {
            Sizes::Two => self.sizes().sum(),
            Sizes::Mixed => IN_USE * MIXED * self.small_bytes,
        }
    }

    /// Makes buffers of mixed sizes, and returns those that are in use at the end. Each octave of sizes is as frequent
    /// as the others.
    fn mixed_buffers(self, n: u64) -> Vec<Vec<u64>> {
        let mut random = Random::new(n);
        let mut buffers: VecDeque<Vec<u64>> = VecDeque::new();
        for _ in 0..MIXED_BUFFERS {
            let octave = 1 << random.below(MIXED.ilog2() as usize);
            let sixteenths = 16 + random.below(16);
            if buffers.len() == IN_USE {
                check(&buffers.pop_front().expect("some are in use"), n);
            }
            buffers.push_back(filled(self.small_bytes / 16 * sixteenths * octave, n));
        }
        buffers.into()
    }

    fn buffers(self, n: u64) -> Vec<Vec<u64>> {
        if self.sizes == Sizes::Mixed {
            return self.mixed_buffers(n);
        }
        let buffer = |(at, bytes)| match self.made {
            Made::HalfZeroed if at % 2 == 0 => zeroed_and_filled(bytes, n),
            _ => filled(bytes, n),
        };
        self.sizes().enumerate().map(buffer).collect()
    }

    /// The figures that are read while the program rests; both if it rests twice.
    pub(crate) fn rests(self) -> usize {
        self.rests_ms.into_iter().filter(|ms| *ms > 0).count()
    }
}

impl Job for Phase {
    type Outcome = Outcome;

    fn run(&self) -> Result<Outcome> {
        let before_bytes = usage::resident_bytes();
        let rounds = repeat(self.rounds, |n| {
            let buffers = black_box(self.buffers(n));
            for buffer in &buffers {
                check(buffer, n);
            }
            let freeing = Instant::now();
            drop(buffers);
            freeing
        });
        let peak_bytes = usage::peak_rss_bytes();
        let kept: Vec<Vec<u64>> = match self.kept {
            Kept::Nothing => Vec::new(),
            Kept::Quarter => self.buffers(1).into_iter().step_by(4).collect(),
        };
        let live_bytes = kept.iter().map(|buffer| size_of_val(buffer.as_slice()) as u64).sum();
        let [first, second] = self.rests_ms.map(Duration::from_millis);
        let resident_bytes = [Duration::ZERO, first, second].map(|rest| {
            thread::sleep(rest);
            usage::resident_bytes()
        });
        for buffer in black_box(&kept) {
            check(buffer, 1);
        }
        Ok(Outcome { rounds, before_bytes, peak_bytes, live_bytes, resident_bytes })
    }
}

impl Outcome {
    pub(crate) fn peak(&self) -> Option<f64> {
        self.peak_bytes.map(mib)
    }

    /// MiB resident, after that many rests.
    pub(crate) fn resident(&self, rests: usize) -> Option<f64> {
        self.resident_bytes[rests].map(mib)
    }

    /// Resident memory over what the program holds: its buffers, what was resident before them, and a little.
    pub(crate) fn resident_over_held(&self, rests: usize) -> Option<f64> {
        let held_bytes = self.live_bytes + self.before_bytes? + REST_BYTES;
        Some(self.resident(rests)? / mib(held_bytes))
    }
}

fn mib(bytes: u64) -> f64 {
    each(bytes, 1 << 20)
}

impl fmt::Display for Phase {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let [small, large, largest] =
            [1, 4, MIXED].map(|times| size_text(times * self.small_bytes));
        match self.sizes {
            Sizes::Two => write!(f, "{BUFFERS} × {small}, {BUFFERS} × {large}")?,
            Sizes::Mixed => write!(f, "{MIXED_BUFFERS} of {small} to {largest}")?,
        }
        if self.made == Made::HalfZeroed {
            write!(f, ", half zeroed")?;
        }
        if self.kept == Kept::Quarter {
            write!(f, ", a quarter kept")?;
        }
        Ok(())
    }
}

pub(crate) type Row = Rounds<Case<Phase>, Outcome>;

/// Measures all phases, interleaved: each repetition visits all allocators before the next begins.
pub(crate) fn measure(extent: &Extent) -> Result<Vec<Row>> {
    let cases = cases(extent.phases.iter().copied(), contenders::WITH_KEEPING);
    rounds_of(cases, extent.repetitions, Case::to_string, |case| {
        touch(case.job.bytes() / 4 * 5)?;
        case.outcome()
    })
}

pub(crate) fn by_phase(rows: &[Row]) -> impl Iterator<Item = Group<'_, Phase, Outcome>> {
    groups(rows, contenders::WITH_KEEPING.len())
}

pub(crate) fn table(rows: &[Row]) -> Table {
    let header = header(
        "phase | allocator | ms a round | range | page faults a round | first round, ms | range | \
         page faults | µs to free | peak MiB | live MiB | resident, at once | after 1 s | after 5 s",
    );
    let cells = |row: &Row| {
        let mut cells = vec![row.of.job.to_string(), row.of.contender.name.to_owned()];
        cells.extend(range(row, |found| found.rounds.round_ms()));
        cells.push(middle(row, |found| found.rounds.page_faults()));
        cells.extend(range(row, |found| Some(found.rounds.first_ms())));
        cells.push(middle(row, |found| found.rounds.first_page_faults()));
        cells.push(middle(row, |found| Some(found.rounds.free_us())));
        cells.push(middle(row, Outcome::peak));
        cells.push(middle(row, |found| Some(mib(found.live_bytes))));
        let rests = 0..=row.of.job.rests();
        cells.extend(rests.map(|rests| middle(row, |found| found.resident(rests))));
        cells
    };
    bench_common::table::table(2, header, rows.iter().map(cells).collect())
}
