//! Frames in which arrays grow: with memory made ready ahead by the thread, with memory that is
//! warm from the start, and with neither.

use std::error::Error;
use std::hint::black_box;
use std::thread;
use std::time::{Duration, Instant};

use bench_common::memory::{Entity, entity, touch};
use bench_common::spread::{median, nanoseconds};
use bench_common::table::{Table, short, words};
use serde::Serialize;
use stayput::{CommitAhead, VmVec};

use crate::samples::{Figures, Run, latency, resident};

/// How much is measured.
#[derive(Debug)]
pub(crate) struct Extent {
    /// Entities a frame.
    pub(crate) spawn: usize,
    pub(crate) frames: usize,
    /// Where ten times as many are spawned in each.
    pub(crate) fast_frames: usize,
    pub(crate) repetitions: usize,
}

/// How many arrays share what is spawned.
const ARRAYS: [usize; 3] = [1, 4, 16];

/// What is done in frames, and when they begin.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
struct Load {
    name: &'static str,
    spawn: usize,
    frames: usize,
    /// `None`: as soon as the one before has ended.
    frame: Option<Duration>,
}

/// Where memory comes from.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
enum Memory {
    /// Prefaulted before the first frame: the limit.
    Warm,
    /// `CommitAhead::Auto`.
    Auto,
    /// `CommitAhead::Off`.
    Off,
}

impl Memory {
    const ALL: [Self; 3] = [Self::Warm, Self::Auto, Self::Off];

    fn name(self) -> &'static str {
        match self {
            Self::Warm => "warm",
            Self::Auto => "auto",
            Self::Off => "off",
        }
    }
}

#[derive(Debug, Serialize)]
pub(crate) struct Row {
    load: Load,
    arrays: usize,
    memory: Memory,
    frames: Figures,
    /// Of all arrays, in a run: the median.
    late: usize,
}

/// Interleaved: each repetition goes through everything before the next begins.
pub(crate) fn measure(extent: &Extent) -> Result<Vec<Row>, Box<dyn Error>> {
    const FRAME: Option<Duration> = Some(Duration::from_millis(3));
    let &Extent { spawn, frames, fast_frames, repetitions } = extent;
    let loads = [
        Load { name: "every 3 ms", spawn, frames, frame: FRAME },
        Load { name: "ten times as much", spawn: 10 * spawn, frames: fast_frames, frame: FRAME },
        Load { name: "back to back", spawn, frames, frame: None },
    ];
    let mut cases = Vec::new();
    for load in loads {
        for arrays in ARRAYS {
            for memory in Memory::ALL {
                cases.push((load, arrays, memory, Vec::new()));
            }
        }
    }
    let largest = loads.map(|load| load.frames * load.spawn).into_iter().max().unwrap_or(0);
    for _ in 0..repetitions {
        touch(largest * size_of::<Entity>())?;
        for (load, arrays, memory, runs) in &mut cases {
            runs.push(run(load, *arrays, *memory));
        }
    }
    let row = |(load, arrays, memory, runs): (_, _, _, Vec<(Run, usize)>)| {
        let frames: Vec<Run> = runs.iter().map(|&(run, _)| run).collect();
        let late = median(runs.iter().map(|&(_, late)| late));
        Row { load, arrays, memory, frames: Figures::of(&frames), late }
    };
    Ok(cases.into_iter().map(row).collect())
}

/// Times the frames, and counts how often arrays needed what was not ready.
fn run(load: &Load, arrays: usize, memory: Memory) -> (Run, usize) {
    /// As long as it takes to load something: the thread gets the first of it ready meanwhile.
    const LOADING: Duration = Duration::from_millis(50);
    let each = load.spawn / arrays;
    let make = || {
        let ahead = if memory == Memory::Auto { CommitAhead::Auto } else { CommitAhead::Off };
        let mut array = VmVec::<Entity>::builder().commit_ahead(ahead).build();
        if memory == Memory::Warm {
            array.prefault(each * load.frames);
        }
        array
    };
    let mut arrays: Vec<VmVec<Entity>> = (0..arrays).map(|_| make()).collect();
    let mut samples = resident(load.frames);
    thread::sleep(LOADING);
    let mut next = Instant::now();
    for frame in 0..load.frames {
        if let Some(frame) = load.frame {
            // One that is late begins at once, and those after it keep their distance.
            thread::sleep(next.saturating_duration_since(Instant::now()));
            next = Instant::now().max(next) + frame;
        }
        let start = Instant::now();
        for array in &mut arrays {
            spawn(array, black_box(frame * each), each);
        }
        samples.push(nanoseconds(start.elapsed()));
    }
    let last = (each * load.frames - 1) as u64;
    assert!(arrays.iter().all(|array| array.last() == Some(&entity(last))));
    (Run::of(&mut samples), arrays.iter().map(|array| array.stats().late).sum())
}

/// Never inlined, so that the loop is compiled alike for all.
#[inline(never)]
fn spawn(array: &mut VmVec<Entity>, first: usize, count: usize) {
    for n in first..first + count {
        array.push(entity(n as u64));
    }
}

pub(crate) fn table(rows: &[Row]) -> Table {
    let mut header = words(["frames", "arrays", "memory", "mean", "p50", "p99", "worst"]);
    header.extend(words(["worst of all", "late"]));
    let cells = |row: &Row| {
        let mut cells = words([row.load.name, &row.arrays.to_string(), row.memory.name()]);
        cells.push(short(row.frames.mean_us));
        cells.extend(latency(Some(&row.frames)));
        cells.extend([short(row.frames.worst_us_max), row.late.to_string()]);
        cells
    };
    bench_common::table::table(3, header, rows.iter().map(cells).collect())
}
