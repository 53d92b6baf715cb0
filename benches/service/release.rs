//! Dropping a large array: how long it takes whom, and what it does to mapping calls meanwhile.

use std::error::Error;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc;
use std::thread;
use std::time::{Duration, Instant};

use bench_common::memory::{Entity, touch};
use bench_common::table::{Table, short, words};
use serde::Serialize;
use stayput::{CommitAhead, Release, VmVec, service};

use crate::calls::Call;
use crate::pages::Pages;
use crate::samples::{Figures, Run, Times, latency};

/// How much is measured.
#[derive(Debug)]
pub(crate) struct Extent {
    /// The size of the array.
    pub(crate) bytes: usize,
    pub(crate) repetitions: usize,
}

/// How an array is got rid of.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
enum Way {
    /// `Release::Now`.
    Now,
    /// `Release::Background`.
    Background,
    /// The array is handed to a thread that drops it, and so unmaps it at once.
    OtherThread,
}

impl Way {
    const ALL: [Self; 3] = [Self::Now, Self::Background, Self::OtherThread];

    fn name(self) -> &'static str {
        match self {
            Self::Now => "now",
            Self::Background => "background",
            Self::OtherThread => "another thread",
        }
    }
}

/// What came of one drop.
#[derive(Clone, Copy, Debug)]
struct Outcome {
    /// Until the caller may go on.
    dropped: Duration,
    /// Until the memory is released.
    released: Duration,
    /// Calls between the two.
    commits: Option<Run>,
}

#[derive(Debug, Serialize)]
pub(crate) struct Row {
    /// None: no array is dropped.
    case: Option<Case>,
    /// Of commits of 64 KiB, meanwhile.
    commits: Option<Figures>,
}

#[derive(Debug, Serialize)]
struct Case {
    pages: Pages,
    way: Way,
    dropped: Times,
    released: Times,
}

/// For so long calls are timed where no array is dropped.
const ALONE: Duration = Duration::from_millis(50);

/// Interleaved: each repetition goes through everything before the next begins.
pub(crate) fn measure(extent: &Extent) -> Result<Vec<Row>, Box<dyn Error>> {
    // Has the service run all the time: starting its thread is not what is measured.
    let _keeper = VmVec::<u8>::builder().commit_ahead(CommitAhead::Bytes(1)).build();
    let mut alone = Vec::new();
    let pages = Pages::ALL.iter();
    let mut cases: Vec<(Pages, Way, Vec<Outcome>)> =
        pages.flat_map(|&pages| Way::ALL.map(|way| (pages, way, Vec::new()))).collect();
    for _ in 0..extent.repetitions {
        touch(extent.bytes)?;
        alone.push(Call::Commit.caller()?.run_for(ALONE)?);
        for (pages, way, outcomes) in &mut cases {
            outcomes.push(run(*pages, *way, extent.bytes)?);
        }
    }
    let mut rows = vec![Row { case: None, commits: Some(Figures::of(&alone)) }];
    rows.extend(cases.into_iter().map(|(pages, way, outcomes)| {
        let times = |time: fn(&Outcome) -> Duration| {
            Times::of(&outcomes.iter().map(time).collect::<Vec<_>>())
        };
        let commits: Vec<Run> = outcomes.iter().filter_map(|outcome| outcome.commits).collect();
        let dropped = times(|outcome| outcome.dropped);
        let released = times(|outcome| outcome.released);
        Row {
            case: Some(Case { pages, way, dropped, released }),
            commits: (!commits.is_empty()).then(|| Figures::of(&commits)),
        }
    }));
    Ok(rows)
}

fn run(pages: Pages, way: Way, bytes: usize) -> Result<Outcome, Box<dyn Error>> {
    let count = bytes / size_of::<Entity>();
    let release = if way == Way::Background { Release::Background } else { Release::Now };
    let builder = VmVec::<Entity>::builder().max_len(count).huge_pages(pages.wanted());
    let mut array = builder.release(release).build();
    array.prefault(count);
    let caller = Call::Commit.caller()?;

    if way == Way::Now {
        let start = Instant::now();
        drop(array);
        let dropped = start.elapsed();
        return Ok(Outcome { dropped, released: dropped, commits: None });
    }
    // It waits for the end, since this one is busy; or it drops.
    let (send, receive) = mpsc::channel::<Option<VmVec<Entity>>>();
    let done = AtomicBool::new(false);
    thread::scope(|scope| {
        let done = &done;
        let other = scope.spawn(move || {
            match receive.recv() {
                Ok(Some(array)) => drop(array),
                _ => service::drain(),
            }
            let end = Instant::now();
            done.store(true, Ordering::Relaxed);
            end
        });
        let start = Instant::now();
        let dropped = if way == Way::Background {
            drop(array);
            let dropped = start.elapsed();
            send.send(None)?;
            dropped
        } else {
            send.send(Some(array))?;
            start.elapsed()
        };
        let commits = caller.run(|| !done.load(Ordering::Relaxed))?;
        let end = other.join().expect("it has not panicked");
        Ok(Outcome { dropped, released: end - start, commits: Some(commits) })
    })
}

pub(crate) fn table(rows: &[Row]) -> Table {
    let mut header = words(["pages", "released", "drop", "worst", "released after", "worst"]);
    header.extend(words(["commits: p50", "p99", "worst"]));
    let cells = |row: &Row| {
        let mut cells = match &row.case {
            None => words(["no drop", "", "", "", "", ""]),
            Some(Case { pages, way, dropped, released }) => {
                let times = [dropped.median_us, dropped.worst_us, released.median_us];
                let mut cells = words([pages.name(), way.name()]);
                cells.extend(times.into_iter().chain([released.worst_us]).map(short));
                cells
            }
        };
        cells.extend(latency(row.commits.as_ref()));
        cells
    };
    bench_common::table::table(2, header, rows.iter().map(cells).collect())
}
