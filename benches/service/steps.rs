//! What prefaulting in steps does to the calls of another thread, by the size of the steps.
//!
//! Calls that change mappings have the process' one lock to themselves; page faults and prefaulting
//! share it, for as long as they take. So a thread that commits waits for the step under way, and
//! all who share wait for it.

#![expect(unsafe_code, reason = "asks the system for pages directly")]

use std::error::Error;
use std::ops::Range;
use std::sync::Barrier;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use bench_common::cores;
use bench_common::memory::{size_text, touch};
use bench_common::spread::{median, nanoseconds};
use bench_common::table::Table;
use serde::Serialize;
use stayput::{Reservation, page_size};

use crate::calls::Call;
use crate::pages::Pages;
use crate::samples::{Figures, Run, latency};

/// How much is measured.
#[derive(Debug)]
pub(crate) struct Extent {
    /// What is prefaulted in small pages while calls are timed; of huge ones it is four times as
    /// much, so that it takes about as long.
    pub(crate) bytes: usize,
    /// How long calls are timed without anybody prefaulting.
    pub(crate) alone: Duration,
    pub(crate) repetitions: usize,
}

const STEP_BYTES: [usize; 5] = [64 << 10, 256 << 10, 512 << 10, 2 << 20, 8 << 20];

/// How a thread prefaults.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
enum Way {
    /// It commits each step before.
    CommitEach,
    /// It commits [`COMMIT_BYTES`] at once; so do those below.
    CommitAhead,
    /// It sleeps after each step, as short as the system can: a lock that is released and taken again
    /// at once is not always had by those who wait for it.
    Sleep,
    /// It touches each page instead of asking for a step: newer kernels take no lock of the whole
    /// process for that.
    Touch,
}

impl Way {
    const ALL: [Self; 4] = [Self::CommitEach, Self::CommitAhead, Self::Sleep, Self::Touch];

    fn name(self) -> &'static str {
        match self {
            Self::CommitEach => "commit each",
            Self::CommitAhead => "commit ahead",
            Self::Sleep => "ahead, sleep",
            Self::Touch => "ahead, touch",
        }
    }
}

const COMMIT_BYTES: usize = 32 << 20;

#[derive(Clone, Copy, Debug, Serialize)]
struct Manner {
    pages: Pages,
    way: Way,
    step_bytes: usize,
}

/// What came of one kind of call.
#[derive(Debug, Serialize)]
struct Calls {
    call: Call,
    latency: Figures,
    /// Of the thread that prefaults meanwhile, the median.
    #[serde(skip_serializing_if = "Option::is_none")]
    mib_per_second: Option<u64>,
}

#[derive(Debug, Serialize)]
struct Row {
    manner: Manner,
    calls: Vec<Calls>,
}

#[derive(Debug, Serialize)]
pub(crate) struct Results {
    /// Without anybody prefaulting.
    alone: Vec<Calls>,
    rows: Vec<Row>,
}

/// Interleaved: each repetition goes through everything before the next begins.
pub(crate) fn measure(extent: &Extent) -> Result<Results, Box<dyn Error>> {
    let mut alone: Vec<(Call, Vec<Run>)> = Call::ALL.map(|call| (call, Vec::new())).into();
    let mut cases = Vec::new();
    for &pages in Pages::ALL {
        for way in Way::ALL {
            let one = [page_size()];
            let steps = if way == Way::Touch { one.as_slice() } else { &STEP_BYTES };
            for &step_bytes in steps {
                let manner = Manner { pages, way, step_bytes };
                cases.push((manner, Call::ALL.map(|call| (call, Vec::new()))));
            }
        }
    }
    for _ in 0..extent.repetitions {
        touch(4 * extent.bytes)?;
        for (call, runs) in &mut alone {
            runs.push(run_alone(*call, extent.alone)?);
        }
        for (manner, calls) in &mut cases {
            for (call, runs) in calls {
                runs.push(run(*manner, *call, extent.bytes)?);
            }
        }
    }
    let summed = |(call, runs): (Call, Vec<(Run, u64)>)| {
        let mib_per_second = Some(median(runs.iter().map(|&(_, speed)| speed)));
        let runs: Vec<Run> = runs.into_iter().map(|(run, _)| run).collect();
        Calls { call, latency: Figures::of(&runs), mib_per_second }
    };
    let only = |(call, runs): (Call, Vec<Run>)| Calls {
        call,
        latency: Figures::of(&runs),
        mib_per_second: None,
    };
    Ok(Results {
        alone: alone.into_iter().map(only).collect(),
        rows: cases
            .into_iter()
            .map(|(manner, calls)| Row { manner, calls: calls.into_iter().map(summed).collect() })
            .collect(),
    })
}

fn pin(processor: Option<usize>) {
    // Where it is refused threads run where they may, which is mostly apart.
    processor.map(cores::pin);
}

/// In a thread of its own, like the others, so that the calling one stays where it was.
fn run_alone(call: Call, time: Duration) -> Result<Run, Box<dyn Error>> {
    let [_, there] = cores::two();
    let caller = call.caller()?;
    let run = thread::scope(|scope| {
        let calling = scope.spawn(|| {
            pin(there);
            caller.run_for(time)
        });
        calling.join().expect("it has not panicked")
    });
    Ok(run?)
}

/// The calls while another thread prefaults so many bytes, and how many MiB a second it does.
fn run(manner: Manner, call: Call, bytes: usize) -> Result<(Run, u64), Box<dyn Error>> {
    let [here, there] = cores::two();
    let bytes = if manner.pages == Pages::Huge { 4 * bytes } else { bytes };
    // It begins with a whole huge page, if it is to have them.
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
        let prefaulted = prefaulting.join().expect("it has not panicked");
        (prefaulted, calling.join().expect("it has not panicked"))
    });
    let ns = nanoseconds(prefaulted?).max(1);
    Ok((run?, (bytes as u64 >> 10) * 1_000_000_000 / 1024 / ns))
}

fn prefault(memory: &Reservation, manner: Manner) -> Result<(), stayput::Error> {
    let end = memory.reserved_bytes();
    for from in (0..end).step_by(manner.step_bytes) {
        let step = from..end.min(from + manner.step_bytes);
        if manner.way == Way::CommitEach {
            memory.prefault(step)?;
            continue;
        }
        if from % COMMIT_BYTES == 0 {
            memory.commit(from..end.min(from + COMMIT_BYTES))?;
        }
        match manner.way {
            Way::Touch => {
                // SAFETY: a step begins within the reservation.
                let page = unsafe { memory.as_ptr().add(from) };
                // SAFETY: it is committed, and nobody else has it.
                unsafe { page.write_volatile(1) };
            }
            _ => populate(memory, step)?,
        }
        if manner.way == Way::Sleep {
            thread::sleep(Duration::from_nanos(1));
        }
    }
    Ok(())
}

/// Prefaults what is committed. The library's own call commits first, which is what is to be left
/// out.
#[cfg(target_os = "linux")]
fn populate(memory: &Reservation, step: Range<usize>) -> Result<(), stayput::Error> {
    const MADV_POPULATE_WRITE: i32 = 23;
    // SAFETY: a step begins within the reservation.
    let start = unsafe { memory.as_ptr().add(step.start) };
    loop {
        // SAFETY: the range lies within the reservation and is committed, and the call changes
        // nothing that the pages hold.
        if unsafe { libc::madvise(start.cast(), step.len(), MADV_POPULATE_WRITE) } == 0 {
            return Ok(());
        }
        let code = std::io::Error::last_os_error().raw_os_error();
        if !matches!(code, Some(libc::EINTR | libc::EAGAIN)) {
            return memory.prefault(step); // an older kernel, or a refusal that it will tell
        }
    }
}

#[cfg(not(target_os = "linux"))]
fn populate(memory: &Reservation, step: Range<usize>) -> Result<(), stayput::Error> {
    memory.prefault(step)
}

pub(crate) fn table(results: &Results) -> Table {
    let mut header: Vec<String> = ["pages", "way", "step"].map(str::to_owned).into();
    for call in Call::ALL {
        header.extend([format!("{}: p50", call.name()), "p99".into(), "worst".into()]);
        header.push("MiB/s".into());
    }
    let cells = |calls: &Calls| {
        let speed = calls.mib_per_second.map_or_else(String::new, |speed| speed.to_string());
        latency(Some(&calls.latency)).into_iter().chain([speed])
    };
    let mut rows = vec![["nobody prefaults", "", ""].map(str::to_owned).to_vec()];
    rows[0].extend(results.alone.iter().flat_map(cells));
    for Row { manner, calls } in &results.rows {
        let way = manner.way.name().to_owned();
        let mut row = vec![manner.pages.name().to_owned(), way, size_text(manner.step_bytes)];
        row.extend(calls.iter().flat_map(cells));
        rows.push(row);
    }
    bench_common::table::table(3, header, rows)
}
