//! Dropping a large array: how long the caller takes, and the effect on mapping calls.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc;
use std::thread;
use std::time::{Duration, Instant};

use bench_common::harness::Result;
use bench_common::jobs::{Rounds, rounds_of};
use bench_common::memory::{Entity, touch};
use bench_common::spread::{micros, nanoseconds};
use bench_common::table::{Table, header, name, short, words};
use serde::Serialize;
use stayput::{CommitAhead, Release, VmVec, service};

use crate::calls::Call;
use crate::pages::Pages;
use crate::samples::{Figures, Run, latency};

#[derive(Debug)]
pub(crate) struct Extent {
    /// The size of the array.
    pub(crate) bytes: usize,
    pub(crate) repetitions: usize,
}

/// How an array is dropped.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum DropMode {
    /// `Release::Now`.
    Now,
    /// `Release::Background`.
    Background,
    /// Handed to a thread that drops it, and so unmaps it at once.
    #[serde(rename = "another thread")]
    OtherThread,
}

impl DropMode {
    const ALL: [Self; 3] = [Self::Now, Self::Background, Self::OtherThread];
}

/// The results of a drop.
#[derive(Clone, Copy, Debug, Serialize)]
pub(crate) struct Outcome {
    /// Until the caller continues.
    dropped: Duration,
    /// Until the memory is released.
    released: Duration,
    /// Calls between the two.
    commits: Option<Run>,
}

/// The array's pages, and how it is dropped; `None` if no array is dropped.
type Case = Option<(Pages, DropMode)>;

type Row = Rounds<Case, Outcome>;

/// How long calls are timed if no array is dropped.
const ALONE: Duration = Duration::from_millis(50);

/// Measures everything, interleaved: each repetition visits all cases before the next begins.
pub(crate) fn measure(extent: &Extent) -> Result<Vec<Row>> {
    // Keeps the service running, so that starting its thread is not measured.
    let _keeper = VmVec::<u8>::builder().commit_ahead(CommitAhead::Bytes(1)).build();
    let drops = Pages::ALL.iter().flat_map(|&pages| DropMode::ALL.map(|mode| Some((pages, mode))));
    let cases = [None].into_iter().chain(drops);
    let title = |case: &Case| case.map_or_else(|| "no drop".to_owned(), |(_, mode)| name(mode));
    rounds_of(cases, extent.repetitions, title, |case| {
        if let Some((pages, mode)) = *case {
            return run(pages, mode, extent.bytes);
        }
        touch(extent.bytes)?;
        let commits = Some(Call::Commit.caller()?.run_for(ALONE)?);
        Ok(Outcome { dropped: Duration::ZERO, released: Duration::ZERO, commits })
    })
}

fn run(pages: Pages, mode: DropMode, bytes: usize) -> Result<Outcome> {
    let count = bytes / size_of::<Entity>();
    let release = if mode == DropMode::Background { Release::Background } else { Release::Now };
    let builder = VmVec::<Entity>::builder().max_len(count).huge_pages(pages.wanted());
    let mut array = builder.release(release).build();
    array.prefault(count);
    let caller = Call::Commit.caller()?;

    if mode == DropMode::Now {
        let start = Instant::now();
        drop(array);
        let dropped = start.elapsed();
        return Ok(Outcome { dropped, released: dropped, commits: None });
    }
    // The other thread waits for the end, since this one makes calls; or it drops the array.
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
        let dropped = if mode == DropMode::Background {
            drop(array);
            let dropped = start.elapsed();
            send.send(None)?;
            dropped
        } else {
            send.send(Some(array))?;
            start.elapsed()
        };
        let commits = caller.run(|| !done.load(Ordering::Relaxed))?;
        let end = other.join().expect("the thread has not panicked");
        Ok(Outcome { dropped, released: end - start, commits: Some(commits) })
    })
}

pub(crate) fn table(rows: &[Row]) -> Table {
    let header = header(
        "pages | released | drop | worst | released after | worst | commits: p50 | p99 | worst",
    );
    let cells = |row: &Row| {
        // The median and the worst of values that occur once in a repetition.
        let times = |time: fn(&Outcome) -> Duration| {
            let times = row.spread(|outcome| micros(nanoseconds(time(outcome))));
            [short(times.median), short(times.max)]
        };
        let mut cells = match row.of {
            None => words(["no drop", "", "", "", "", ""]),
            Some((pages, mode)) => {
                let mut cells = vec![name(pages), name(mode)];
                cells.extend(times(|outcome| outcome.dropped));
                cells.extend(times(|outcome| outcome.released));
                cells
            }
        };
        let commits = row.found.iter().filter_map(|outcome| outcome.commits);
        cells.extend(latency(Figures::of(commits)));
        cells
    };
    bench_common::table::table(2, header, rows.iter().map(cells).collect())
}
