//! A buffer that is taken, written and freed again and again: the scratch memory of a frame.

use std::error::Error;
use std::hint::black_box;
use std::time::Instant;

use bench_common::memory::{size_text, touch};
use bench_common::table::{Table, short, words};
use bench_common::usage;
use serde::{Deserialize, Serialize};

use crate::child;
use crate::contenders::{self, Contender};
use crate::stats::{Spread, median, micros, nanoseconds};

/// How much is measured.
#[derive(Debug)]
pub(crate) struct Extent {
    pub(crate) sizes: &'static [usize],
    /// How often a buffer is taken in a run.
    pub(crate) times: usize,
    pub(crate) repetitions: usize,
}

/// What a child is to do.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct Job {
    bytes: usize,
    times: usize,
}

/// What a child found.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct Outcome {
    median_ns: u64,
    worst_ns: u64,
    page_faults: Option<u64>,
}

pub(crate) fn perform(job: &Job) -> Outcome {
    let words = job.bytes / size_of::<u64>();
    let mut samples = vec![black_box(u64::MAX); job.times];
    // As a program that runs already.
    for n in 0..4 {
        frame(words, n);
    }
    let faults_before = usage::page_faults();
    for (n, sample) in samples.iter_mut().enumerate() {
        let start = Instant::now();
        frame(words, n as u64);
        *sample = nanoseconds(start.elapsed());
    }
    let page_faults = usage::page_faults().zip(faults_before).map(|(after, before)| after - before);
    let worst_ns = samples.iter().copied().max().unwrap_or(0);
    Outcome { median_ns: median(samples), worst_ns, page_faults }
}

#[inline(never)]
fn frame(words: usize, n: u64) {
    let mut buffer: Vec<u64> = Vec::with_capacity(words);
    buffer.resize(words, black_box(n));
    let buffer = black_box(buffer);
    assert_eq!((buffer[0], buffer[words / 2]), (n, n), "what was written is gone");
}

/// What came of one allocator and size.
#[derive(Debug, Serialize)]
pub(crate) struct Row {
    #[serde(flatten)]
    contender: Contender,
    bytes: usize,
    /// Of the runs' medians.
    median_us: Spread,
    worst_us: Spread,
    /// For each buffer.
    page_faults: Option<f64>,
}

/// Interleaved: each repetition goes through all allocators before the next begins.
pub(crate) fn measure(extent: &Extent) -> Result<Vec<Row>, Box<dyn Error>> {
    let mut cases = Vec::new();
    for &bytes in extent.sizes {
        cases.extend(contenders::ALL.iter().map(|contender| (bytes, contender, Vec::new())));
    }
    for _ in 0..extent.repetitions {
        for (bytes, contender, runs) in &mut cases {
            touch(4 * *bytes)?;
            let job = Job { bytes: *bytes, times: extent.times };
            runs.push(child::measure(contender, child::Job::Buffers(job))?);
        }
    }
    #[expect(clippy::cast_precision_loss, reason = "counts are far below 2^52")]
    let row = |(bytes, contender, runs): (usize, &Contender, Vec<Outcome>)| Row {
        contender: *contender,
        bytes,
        median_us: Spread::of(runs.iter().map(|run| micros(run.median_ns))),
        worst_us: Spread::of(runs.iter().map(|run| micros(run.worst_ns))),
        page_faults: median(runs.iter().map(|run| run.page_faults))
            .map(|faults| faults as f64 / extent.times as f64),
    };
    Ok(cases.into_iter().map(row).collect())
}

pub(crate) fn table(rows: &[Row]) -> Table {
    let mut header = words(["buffer", "allocator", "median µs", "range", "ratio"]);
    header.extend(words(["worst µs", "range", "page faults each"]));
    let cells =
        |row: &Row| {
            let base = rows.iter().find(|base| base.contender.is_base && base.bytes == row.bytes);
            let mut cells = vec![size_text(row.bytes), row.contender.name.to_owned()];
            cells.extend(row.median_us.range());
            cells.push(base.map_or_else(String::new, |base| {
                short(row.median_us.median / base.median_us.median)
            }));
            cells.extend(row.worst_us.range());
            cells.push(row.page_faults.map_or_else(|| "?".into(), short));
            cells
        };
    bench_common::table::table(2, header, rows.iter().map(cells).collect())
}
