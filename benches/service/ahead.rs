//! Frames in which arrays grow: with memory made ready ahead by the thread, with warm memory, and with neither.

use std::hint::black_box;
use std::thread;
use std::time::{Duration, Instant};

use bench_common::harness::Result;
use bench_common::jobs::{Rounds, rounds_of};
use bench_common::memory::{Entity, entity, resident, touch};
use bench_common::spread::{median, nanoseconds};
use bench_common::table::{Table, header, name, short};
use serde::Serialize;
use stayput::{CommitAhead, VmVec};

use crate::samples::{Figures, Run, latency};

#[derive(Debug)]
pub(crate) struct Extent {
    /// Entities spawned in a frame.
    pub(crate) spawn: usize,
    pub(crate) frames: usize,
    /// The number of frames that spawn ten times as many.
    pub(crate) fast_frames: usize,
    pub(crate) repetitions: usize,
}

/// The numbers of arrays that share the spawned entities.
const ARRAYS: [usize; 3] = [1, 4, 16];

/// The work of a frame, and when frames begin.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
struct Load {
    name: &'static str,
    spawn: usize,
    frames: usize,
    /// The time between frames; `None` if they run back to back.
    frame: Option<Duration>,
}

/// Where memory comes from.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
enum MemorySource {
    /// Prefaulted before the first frame: the limit.
    Warm,
    /// `CommitAhead::Auto`.
    Auto,
    /// `CommitAhead::Off`.
    Off,
}

impl MemorySource {
    const ALL: [Self; 3] = [Self::Warm, Self::Auto, Self::Off];
}

#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub(crate) struct Case {
    load: Load,
    arrays: usize,
    memory: MemorySource,
}

/// The results of a run.
#[derive(Clone, Copy, Debug, Serialize)]
pub(crate) struct Outcome {
    frames: Run,
    /// Of all arrays.
    late: usize,
}

type Row = Rounds<Case, Outcome>;

/// Measures everything, interleaved: each repetition visits all cases before the next begins.
pub(crate) fn measure(extent: &Extent) -> Result<Vec<Row>> {
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
            cases.extend(MemorySource::ALL.map(|memory| Case { load, arrays, memory }));
        }
    }
    let largest = loads.map(|load| load.frames * load.spawn).into_iter().max().unwrap_or(0);
    let first = cases[0];
    rounds_of(
        cases,
        repetitions,
        |case| case.load.name.to_owned(),
        |case| {
            if *case == first {
                touch(largest * size_of::<Entity>())?;
            }
            Ok(run(*case))
        },
    )
}

/// Times the frames, and counts how often arrays needed memory that was not ready.
fn run(Case { load, arrays, memory }: Case) -> Outcome {
    /// A typical loading time, in which the thread makes the first memory ready.
    const LOADING: Duration = Duration::from_millis(50);
    let each = load.spawn / arrays;
    let make = || {
        let ahead = if memory == MemorySource::Auto { CommitAhead::Auto } else { CommitAhead::Off };
        let mut array = VmVec::<Entity>::builder().commit_ahead(ahead).build();
        if memory == MemorySource::Warm {
            array.prefault(each * load.frames);
        }
        array
    };
    let mut arrays: Vec<VmVec<Entity>> = (0..arrays).map(|_| make()).collect();
    let mut samples = resident(load.frames, u64::MAX);
    thread::sleep(LOADING);
    let mut next = Instant::now();
    for frame in 0..load.frames {
        if let Some(frame) = load.frame {
            // A late frame begins at once, and later ones keep their distance.
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
    let late = arrays.iter().map(|array| array.stats().late).sum();
    Outcome { frames: Run::of(&mut samples), late }
}

/// Never inlined, so that the loop is compiled alike for all.
#[inline(never)]
fn spawn(array: &mut VmVec<Entity>, first: usize, count: usize) {
    for n in first..first + count {
        array.push(entity(n as u64));
    }
}

pub(crate) fn table(rows: &[Row]) -> Table {
    let header =
        header("frames | arrays | memory | mean | p50 | p99 | worst | worst of all | late");
    let cells = |row: &Row| {
        let Case { load, arrays, memory } = row.of;
        let mut cells = vec![load.name.to_owned(), arrays.to_string(), name(memory)];
        let figures = Figures::of(row.found.iter().map(|found| found.frames));
        cells.push(figures.map_or_else(String::new, |figures| short(figures.mean)));
        cells.extend(latency(figures));
        cells.push(figures.map_or_else(String::new, |figures| short(figures.worst_of_all)));
        cells.push(median(row.found.iter().map(|found| found.late)).to_string());
        cells
    };
    bench_common::table::table(3, header, rows.iter().map(cells).collect())
}
