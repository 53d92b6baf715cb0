//! The effect of prefaulting in steps on the calls of another thread, by the size of the steps.
//!
//! Calls that change mappings hold the process's one lock exclusively; page faults and prefaulting share it,
//! for as long as they take. So a thread that commits waits for the step in progress, and all that share the
//! lock wait for the commit.

#![expect(unsafe_code, reason = "asks the system for pages directly")]

use std::ops::Range;
use std::sync::Barrier;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use bench_common::jobs::{Rounds, rounds_of};
use bench_common::memory::{size_text, touch};
use bench_common::spread::{median, nanoseconds};
use bench_common::table::{Table, header, name, words};
use bench_common::{cores, harness};
use serde::Serialize;
use stayput::{Error, Reservation, page_size};

use crate::calls::Call;
use crate::pages::Pages;
use crate::samples::{Figures, Run, latency};

#[derive(Debug)]
pub(crate) struct Extent {
    /// The bytes prefaulted in small pages while calls are timed; four times as many in huge pages, so that it
    /// takes about as long.
    pub(crate) bytes: usize,
    /// How long calls are timed without prefaulting.
    pub(crate) alone: Duration,
    pub(crate) repetitions: usize,
}

const STEP_BYTES: [usize; 5] = [64 << 10, 256 << 10, 512 << 10, 2 << 20, 8 << 20];

/// How a thread prefaults.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
enum PrefaultMode {
    /// Commits each step first.
    #[serde(rename = "commit each")]
    CommitEach,
    /// Commits [`COMMIT_BYTES`] at once, like the variants below.
    #[serde(rename = "commit ahead")]
    CommitAhead,
    /// Sleeps after each step, as briefly as the system can: a lock that is released and retaken at once can
    /// starve waiting threads.
    #[serde(rename = "ahead, sleep")]
    Sleep,
    /// Touches each page instead of prefaulting a step: newer kernels take no lock of the whole process for
    /// that.
    #[serde(rename = "ahead, touch")]
    Touch,
}

impl PrefaultMode {
    const ALL: [Self; 4] = [Self::CommitEach, Self::CommitAhead, Self::Sleep, Self::Touch];
}

const COMMIT_BYTES: usize = 32 << 20;

#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
struct Manner {
    pages: Pages,
    mode: PrefaultMode,
    step_bytes: usize,
}

/// A call, and how a thread prefaults meanwhile, if one does.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub(crate) struct Case {
    manner: Option<Manner>,
    call: Call,
}

#[derive(Clone, Copy, Debug, Serialize)]
pub(crate) struct Outcome {
    latency: Run,
    /// Of the thread that prefaults.
    mib_per_second: Option<u64>,
}

type Row = Rounds<Case, Outcome>;

/// Measures everything, interleaved: each repetition visits all cases before the next begins.
pub(crate) fn measure(extent: &Extent) -> harness::Result<Vec<Row>> {
    let mut manners = vec![None];
    for &pages in Pages::ALL {
        for mode in PrefaultMode::ALL {
            let one = [page_size()];
            let steps = if mode == PrefaultMode::Touch { one.as_slice() } else { &STEP_BYTES };
            let manner = |&step_bytes| Some(Manner { pages, mode, step_bytes });
            manners.extend(steps.iter().map(manner));
        }
    }
    let calls = |manner| Call::ALL.map(|call| Case { manner, call });
    let cases: Vec<Case> = manners.into_iter().flat_map(calls).collect();
    let first = cases[0];
    rounds_of(
        cases,
        extent.repetitions,
        |case| name(case.call),
        |case| {
            if *case == first {
                touch(4 * extent.bytes)?;
            }
            match case.manner {
                Some(manner) => run(manner, case.call, extent.bytes),
                None => run_alone(case.call, extent.alone),
            }
        },
    )
}

fn pin(processor: Option<usize>) {
    // If refused, threads run where the system puts them, which is mostly apart.
    processor.map(cores::pin);
}

/// Runs in a thread of its own, like the others, so that the calling thread is not pinned.
fn run_alone(call: Call, time: Duration) -> harness::Result<Outcome> {
    let [_, there] = cores::two();
    let caller = call.caller()?;
    let run = thread::scope(|scope| {
        let calling = scope.spawn(|| {
            pin(there);
            caller.run_for(time)
        });
        calling.join().expect("the thread has not panicked")
    });
    Ok(Outcome { latency: run?, mib_per_second: None })
}

/// Times calls while another thread prefaults `bytes` bytes, and returns its speed in MiB a second too.
fn run(manner: Manner, call: Call, bytes: usize) -> harness::Result<Outcome> {
    let [here, there] = cores::two();
    let bytes = if manner.pages == Pages::Huge { 4 * bytes } else { bytes };
    // The reservation begins with a whole huge page, if it has them.
    let memory = Reservation::builder().bytes(bytes).huge_pages(manner.pages.wanted()).reserve()?;
    let caller = call.caller()?;
    let (start, done) = (Barrier::new(2), AtomicBool::new(false));
    let (prefaulted, run) = thread::scope(|scope| {
        let prefaulting = scope.spawn(|| {
            pin(here);
            start.wait();
            let begun = Instant::now();
            let result = prefault(&memory, manner);
            let time = begun.elapsed();
            done.store(true, Ordering::Relaxed);
            result.map(|()| time)
        });
        let calling = scope.spawn(|| {
            pin(there);
            start.wait();
            caller.run(|| !done.load(Ordering::Relaxed))
        });
        let prefaulted = prefaulting.join().expect("the thread has not panicked");
        (prefaulted, calling.join().expect("the thread has not panicked"))
    });
    let ns = nanoseconds(prefaulted?).max(1);
    let mib_per_second = Some((bytes as u64 >> 10) * 1_000_000_000 / 1024 / ns);
    Ok(Outcome { latency: run?, mib_per_second })
}

fn prefault(memory: &Reservation, manner: Manner) -> Result<(), Error> {
    let end = memory.reserved_bytes();
    for from in (0..end).step_by(manner.step_bytes) {
        let step = from..end.min(from + manner.step_bytes);
        if manner.mode == PrefaultMode::CommitEach {
            memory.prefault(step)?;
            continue;
        }
        if from % COMMIT_BYTES == 0 {
            memory.commit(from..end.min(from + COMMIT_BYTES))?;
        }
        match manner.mode {
            PrefaultMode::Touch => {
                // SAFETY: `from` lies within the reservation.
                let page = unsafe { memory.as_ptr().add(from) };
                // SAFETY: the page is committed, and no other code uses it.
                unsafe { page.write_volatile(1) };
            }
            _ => populate(memory, step)?,
        }
        if manner.mode == PrefaultMode::Sleep {
            thread::sleep(Duration::from_nanos(1));
        }
    }
    Ok(())
}

/// Prefaults committed memory. The library's own call would also commit, which is to be left out.
#[cfg(target_os = "linux")]
fn populate(memory: &Reservation, step: Range<usize>) -> Result<(), Error> {
    const MADV_POPULATE_WRITE: i32 = 23;
    // SAFETY: a step begins within the reservation.
    let start = unsafe { memory.as_ptr().add(step.start) };
    loop {
        // SAFETY: the range lies within the reservation and is committed, and the call does not change the
        // pages' contents.
        if unsafe { libc::madvise(start.cast(), step.len(), MADV_POPULATE_WRITE) } == 0 {
            return Ok(());
        }
        let code = std::io::Error::last_os_error().raw_os_error();
        if !matches!(code, Some(libc::EINTR | libc::EAGAIN)) {
            return memory.prefault(step); // an older kernel, or a refusal that this call reports
        }
    }
}

#[cfg(not(target_os = "linux"))]
fn populate(memory: &Reservation, step: Range<usize>) -> Result<(), Error> {
    memory.prefault(step)
}

/// Returns a table with a row for each way of prefaulting.
pub(crate) fn table(rows: &[Row]) -> Table {
    let mut header = header("pages | way | step");
    for call in Call::ALL {
        header.extend([format!("{}: p50", name(call)), "p99".into(), "worst".into()]);
        header.push("MiB/s".into());
    }
    let line = |rows: &[Row]| {
        let mut line = rows[0].of.manner.map_or_else(
            || words(["no prefaulting", "", ""]),
            |Manner { pages, mode, step_bytes }| {
                vec![name(pages), name(mode), size_text(step_bytes)]
            },
        );
        for row in rows {
            line.extend(latency(Figures::of(row.found.iter().map(|found| found.latency))));
            let speed = median(row.found.iter().map(|found| found.mib_per_second));
            line.push(speed.map_or_else(String::new, |speed| speed.to_string()));
        }
        line
    };
    bench_common::table::table(3, header, rows.chunks(Call::ALL.len()).map(line).collect())
}
