//! Threads that allocate and free memory in all ways for minutes: does the process grow, and does it return its
//! memory?

mod sample;
mod work;

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc;
use std::thread;
use std::time::{Duration, Instant};

use bench_allocators_common::contenders;
use bench_common::harness::Result;
use bench_common::jobs::Job;
use bench_common::spread::{each, median};
use bench_common::table::{Table, header, short};
use serde::{Deserialize, Serialize};
use stayput::{VmVec, region_cache};

use sample::{FIGURES, Figure, Sample};
use work::Worker;

#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct Extent {
    pub(crate) seconds: usize,
}

const THREADS: u64 = 8;
const BETWEEN_SAMPLES: Duration = Duration::from_secs(1);

/// How long the region cache keeps a region by default, plus a margin: one second, and then half of it each second.
const AGEING: Duration = Duration::from_millis(4500);

/// What a child measured; `None` where the system does not say.
#[derive(Debug, Serialize, Deserialize)]
pub(crate) struct Outcome {
    rounds: u64,
    before: Option<Sample>,
    during: Vec<Sample>,
    /// Regions that were still cached once all threads had ended and these had aged; then new requests arrived,
    /// this many and a few more, before `after`.
    pieces: usize,
    after: Option<Sample>,
}

impl Job for Extent {
    type Outcome = Outcome;

    fn run(&self) -> Result<Outcome> {
        let time = Duration::from_secs(self.seconds as u64);
        // Stacks and small blocks of ended threads stay with the system's library, independently of `GlobalVm`.
        work_and_sample(time.min(Duration::from_secs(1)));
        region_cache::trim();
        let before = Sample::take();
        let (during, rounds) = work_and_sample(time);
        thread::sleep(AGEING);
        let pieces = region_cache::stats().kept_blocks;
        for _ in 0..pieces + 8 {
            // A request to the region cache releases one old region: at most one for each tick of a clock, of
            // 10 ms at most.
            VmVec::with_max_len(1).push(0_u8);
            thread::sleep(Duration::from_millis(10));
        }
        let after = Sample::take();
        Ok(Outcome { rounds, before, during, pieces, after })
    }
}

fn work_and_sample(time: Duration) -> (Vec<Sample>, u64) {
    let end = &AtomicBool::new(false);
    // Large enough that it does not grow meanwhile.
    let mut during = Vec::with_capacity(16 << 10);
    let (senders, receivers): (Vec<_>, Vec<_>) =
        (0..THREADS).map(|_| mpsc::sync_channel(4)).unzip();
    // Each thread sends to the next.
    let senders = senders.into_iter().cycle().skip(1);
    let rounds = thread::scope(|scope| {
        let start = |((n, sender), receiver)| {
            let mut worker = Worker::new(n, sender, receiver);
            let work = move || {
                while !end.load(Ordering::Relaxed) {
                    worker.round();
                }
                worker.rounds()
            };
            scope.spawn(work)
        };
        let threads: Vec<_> = (0..THREADS).zip(senders).zip(receivers).map(start).collect();
        let start = Instant::now();
        while start.elapsed() < time {
            thread::sleep(BETWEEN_SAMPLES.min(time / 60));
            during.extend(Sample::take());
        }
        end.store(true, Ordering::Relaxed);
        threads.into_iter().map(|thread| thread.join().expect("a thread panicked")).sum()
    });
    (during, rounds)
}

/// The results of one figure.
#[derive(Debug, Serialize)]
pub(crate) struct Row {
    figure: &'static str,
    before: f64,
    /// Medians of the first and last minute, or of the first and last third.
    first: f64,
    last: f64,
    highest: f64,
    a_minute: f64,
    /// Of the first third, without the first tenth of all, and of the last third.
    highest_first: f64,
    highest_last: f64,
    /// `None` if the soak was too short to decide.
    is_flat: Option<bool>,
    after: f64,
}

/// All rows, and how much was done meanwhile.
#[derive(Debug, Serialize)]
pub(crate) struct Soak {
    rows: Vec<Row>,
    samples: usize,
    rounds: u64,
    pieces: usize,
}

pub(crate) fn measure(extent: &Extent) -> Result<Soak> {
    let outcome = contenders::AS_THEY_COME[0].outcome(extent.clone())?;
    let rows = FIGURES.iter().filter_map(|figure| row(figure, extent.seconds, &outcome));
    Ok(Soak {
        rows: rows.collect(),
        samples: outcome.during.len(),
        rounds: outcome.rounds,
        pieces: outcome.pieces,
    })
}

/// `None` where the system does not say.
fn row(figure: &Figure, seconds: usize, outcome: &Outcome) -> Option<Row> {
    let of = |sample: &Sample| (figure.of)(sample);
    let scaled = |value: u64| each(value, figure.unit);
    let values: Vec<u64> = outcome.during.iter().map(of).collect();
    let (count, third) = (values.len(), values.len() / 3);
    let a_minute = (60 * count).div_ceil(seconds);
    let part = third.min(a_minute);
    let middle = |values: &[u64]| scaled(median(values.iter().copied()));
    let highest = |values: &[u64]| scaled(values.iter().copied().max().unwrap_or_default());
    let highest_first = highest(&values[count / 10..count - 2 * third]);
    let highest_last = highest(&values[count - third..]);
    Some(Row {
        figure: figure.name,
        before: scaled(of(outcome.before.as_ref()?)),
        first: middle(&values[..part]),
        last: middle(&values[count - part..]),
        highest: highest(&values),
        a_minute: slope(&values, a_minute) / each(figure.unit as u64, 1),
        highest_first,
        highest_last,
        is_flat: (seconds >= 60).then_some(highest_last <= highest_first * MARGIN),
        after: scaled(of(outcome.after.as_ref()?)),
    })
}

/// The bound for the highest sample of the last third over that of the first. They differ by chance: which of
/// the eight threads happen to hold their largest blocks at one moment.
const MARGIN: f64 = 1.1;

/// The slope of the samples by least squares.
#[expect(clippy::cast_precision_loss, reason = "far below 2^52")]
fn slope(values: &[u64], taken: usize) -> f64 {
    let middle = (values.len() as f64 - 1.0) / 2.0;
    let (mut products, mut squares) = (0.0, 0.0);
    for (at, value) in values.iter().enumerate() {
        let from_middle = at as f64 - middle;
        products += from_middle * *value as f64;
        squares += from_middle * from_middle;
    }
    if squares > 0.0 { products / squares * taken as f64 } else { 0.0 }
}

pub(crate) const TITLE: &str = "soak: the process while 8 threads allocate and free";

pub(crate) fn table(soak: &Soak) -> Table {
    let header = header(
        "figure | before | first minute | last minute | highest | a minute | \
         first third's highest | last third's | flat | after",
    );
    let cells = |row: &Row| {
        let mut cells = vec![row.figure.to_owned()];
        let numbers = [row.before, row.first, row.last, row.highest];
        cells.extend(numbers.map(short));
        cells.push(format!("{:+.2}", row.a_minute));
        cells.extend([row.highest_first, row.highest_last].map(short));
        let flat = row.is_flat.map_or("too short", |is_flat| if is_flat { "yes" } else { "no" });
        cells.push(flat.into());
        cells.push(short(row.after));
        cells
    };
    bench_common::table::table(1, header, soak.rows.iter().map(cells).collect())
}
