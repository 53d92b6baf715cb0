//! Memory that is taken, used and freed again and again: whether it is paid for each time.

pub(crate) mod pattern;

use std::error::Error;
use std::sync::Barrier;
use std::time::{Duration, Instant};
use std::{iter, panic, thread};

use bench_common::harness;
use bench_common::memory::touch;
use bench_common::spread::{Spread, median, micros, nanoseconds};
use bench_common::table::{Table, short, words};
use bench_common::usage::{self, Resident};
use serde::{Deserialize, Serialize};

use crate::allocator::Allocator;
use crate::child;
use crate::contenders::{self, Contender};
use crate::stats::each;
use pattern::{Pattern, Work};

/// How much is measured.
#[derive(Debug)]
pub(crate) struct Extent {
    patterns: &'static [(Pattern, usize)],
    repetitions: usize,
}

impl Extent {
    /// Once, and small.
    pub(crate) const SMOKE: Self = Self { patterns: pattern::SMOKE, repetitions: 1 };

    pub(crate) fn all(repetitions: usize) -> Self {
        Self { patterns: pattern::ALL, repetitions }
    }
}

/// What a child is to do.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct Job {
    pattern: Pattern,
    rounds: usize,
}

/// What a child found. Of several threads: from the first's start to the last's end, and the faults of
/// all.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct Outcome {
    total_ns: u64,
    worst_ns: u64,
    page_faults: Option<u64>,
    /// Beyond what was resident before.
    peak_bytes: Option<u64>,
    end_bytes: Option<u64>,
}

/// What a thread found.
struct Run {
    start: Instant,
    end: Instant,
    worst: Duration,
    page_faults: Option<u64>,
}

pub(crate) fn perform(job: &Job) -> Outcome {
    let resident = Resident::open();
    let resident = || resident.as_ref().and_then(Resident::bytes);
    let before = resident();
    let mut works: Vec<Work> = (0..job.pattern.threads()).map(|_| job.pattern.work()).collect();
    let together = Barrier::new(works.len());
    let runs: Vec<Run> = match works.as_mut_slice() {
        // In the main thread: allocators serve others from elsewhere.
        [work] => vec![run(job, work, &together)],
        works => thread::scope(|scope| {
            let threads = works.iter_mut().map(|work| scope.spawn(|| run(job, work, &together)));
            let threads: Vec<_> = threads.collect();
            let joined = threads.into_iter().map(thread::ScopedJoinHandle::join);
            joined.map(|run| run.unwrap_or_else(|panic| panic::resume_unwind(panic))).collect()
        }),
    };
    // Before `works` are dropped, and with them what is kept.
    let beyond = |bytes: Option<u64>| Some(bytes?.saturating_sub(before?));
    let end_bytes = beyond(resident());
    let start = runs.iter().map(|run| run.start).min();
    let end = runs.iter().map(|run| run.end).max();
    let worst = runs.iter().map(|run| run.worst).max();
    let total = start.zip(end).map(|(start, end)| end - start);
    Outcome {
        total_ns: total.map_or(0, nanoseconds),
        worst_ns: worst.map_or(0, nanoseconds),
        // Where the system counts them for the process only, threads count each other's, too.
        page_faults: runs.iter().map(|run| run.page_faults).sum(),
        peak_bytes: beyond(usage::peak_rss_bytes()),
        end_bytes,
    }
}

fn run(job: &Job, work: &mut Work, together: &Barrier) -> Run {
    let first = job.pattern.rounds_before();
    (0..first).for_each(|n| work(n as u64));
    together.wait();
    let faults_before = usage::page_faults();
    let start = Instant::now();
    let (mut worst, mut before) = (Duration::ZERO, start);
    for n in first..first + job.rounds {
        work(n as u64);
        let after = Instant::now();
        worst = worst.max(after - before);
        before = after;
    }
    let page_faults = usage::page_faults().zip(faults_before).map(|(after, before)| after - before);
    Run { start, end: before, worst, page_faults }
}

/// What came of one pattern and allocator.
#[derive(Debug, Serialize)]
pub(crate) struct Row {
    pattern: Pattern,
    #[serde(flatten)]
    contender: Contender,
    /// The mean of a run's rounds, for what is put off is to be paid, too.
    round_us: Spread,
    worst_us: Spread,
    /// Of a round.
    page_faults: Option<f64>,
    /// What the pattern has written and not freed, and what is resident for it: at most, and at its
    /// end.
    live_peak_bytes: usize,
    peak_bytes: Option<u64>,
    live_end_bytes: usize,
    end_bytes: Option<u64>,
}

/// Interleaved: each repetition goes through all allocators before the next begins.
pub(crate) fn measure(extent: &Extent) -> Result<Vec<Row>, Box<dyn Error>> {
    let mut cases = Vec::new();
    for &(pattern, rounds) in extent.patterns {
        let job = Job { pattern, rounds };
        let contenders = contenders::AS_THEY_COME.iter();
        cases.extend(contenders.map(|contender| (job.clone(), contender)));
    }
    let found = harness::in_turns(
        &cases,
        |_| extent.repetitions,
        |(job, contender)| format!("{}, {}", job.pattern, contender.name),
        |(job, contender)| {
            touch(most_bytes(job.pattern.live_bytes(job.rounds)[0]))?;
            child::measure(contender, child::Job::ShortLived(job.clone()))
        },
    )?;
    let cases = cases.iter().zip(found);
    Ok(cases.map(|((job, contender), runs)| row(job, contender, &runs)).collect())
}

fn row(job: &Job, contender: &Contender, runs: &[Outcome]) -> Row {
    let over = |figure: fn(&Outcome) -> Option<u64>| median(runs.iter().map(figure));
    let [live_peak_bytes, live_end_bytes] = job.pattern.live_bytes(job.rounds);
    Row {
        pattern: job.pattern,
        contender: *contender,
        round_us: Spread::of(runs.iter().map(|run| each(run.total_ns, job.rounds) / 1e3)),
        worst_us: Spread::of(runs.iter().map(|run| micros(run.worst_ns))),
        page_faults: over(|run| run.page_faults).map(|faults| each(faults, job.rounds)),
        live_peak_bytes,
        peak_bytes: over(|run| run.peak_bytes),
        live_end_bytes,
        end_bytes: over(|run| run.end_bytes),
    }
}

/// What the project has set itself: `GlobalVm`'s time over that of others.
fn bound(pattern: Pattern, peer: Allocator) -> Option<f64> {
    match (pattern, peer) {
        (Pattern::Frame { buffers: 1, .. }, Allocator::System) => Some(1.0),
        (_, Allocator::System) => Some(1.15),
        (_, Allocator::Mimalloc) => Some(1.5),
        _ => None,
    }
}

impl Row {
    fn ratio_to(&self, peer: &Self) -> f64 {
        self.round_us.median / peer.round_us.median
    }

    /// What is above its bound.
    #[expect(clippy::cast_precision_loss, reason = "counts are far below 2^52")]
    fn above(&self, peers: &[Self]) -> String {
        let slower = peers.iter().filter(|peer| {
            bound(self.pattern, peer.contender.allocator)
                .is_some_and(|bound| self.ratio_to(peer) > bound)
        });
        let mut above: Vec<&str> = slower.map(|peer| peer.contender.name).collect();
        // The kernel may take a page away for its own reasons: a fault in some rounds is none of ours.
        let most = self.pattern.needed_faults() as f64 + 0.5;
        if self.page_faults.is_some_and(|faults| faults > most) {
            above.push("faults");
        }
        if exceeds(self.peak_bytes, self.live_peak_bytes) {
            above.push("peak");
        }
        if exceeds(self.end_bytes, self.live_end_bytes) {
            above.push("end");
        }
        above.join(", ")
    }
}

/// What may be resident, by what the project has set itself.
fn most_bytes(live_bytes: usize) -> usize {
    live_bytes + live_bytes / 4 + (64 << 20)
}

fn exceeds(resident: Option<u64>, live_bytes: usize) -> bool {
    resident.is_some_and(|resident| resident > most_bytes(live_bytes) as u64)
}

/// `GlobalVm`, and then its peers, for each of the patterns.
fn patterns(rows: &[Row]) -> impl Iterator<Item = (&Row, &[Row])> {
    rows.chunks(contenders::AS_THEY_COME.len()).filter_map(<[Row]>::split_first)
}

pub(crate) fn table(rows: &[Row]) -> Table {
    let mut header = words(["pattern", "µs a round", "range", "worst µs"]);
    header.extend(peer_names().map(|name| format!("to {name}")));
    header.push("page faults".into());
    header.extend(peer_names().map(str::to_owned));
    header.push("above its bound".into());
    let cells = |(row, peers): (&Row, &[Row])| {
        let mut cells = vec![row.pattern.to_string()];
        cells.extend(row.round_us.range());
        cells.push(short(row.worst_us.median));
        cells.extend(peers.iter().map(|peer| short(row.ratio_to(peer))));
        let faults = iter::once(row).chain(peers).map(|row| row.page_faults);
        cells.extend(faults.map(|faults| faults.map_or_else(|| "?".into(), short)));
        cells.push(row.above(peers));
        cells
    };
    bench_common::table::table(1, header, patterns(rows).map(cells).collect())
}

/// What is resident beyond what is live.
pub(crate) fn resident_table(rows: &[Row]) -> Table {
    let names = || contenders::AS_THEY_COME.iter().map(|contender| contender.name);
    let mut header = words(["pattern", "live MiB"]);
    header.extend(names().map(|name| format!("peak, {name}")));
    header.push("live at the end".into());
    header.extend(names().map(|name| format!("end, {name}")));
    let cells = |(row, peers): (&Row, &[Row])| {
        let all = || iter::once(row).chain(peers);
        let beyond = |bytes: Option<u64>, live| {
            bytes.map_or_else(|| "?".into(), |bytes| mib(bytes.saturating_sub(live as u64)))
        };
        let mut cells = vec![row.pattern.to_string(), mib(row.live_peak_bytes as u64)];
        cells.extend(all().map(|row| beyond(row.peak_bytes, row.live_peak_bytes)));
        cells.push(mib(row.live_end_bytes as u64));
        cells.extend(all().map(|row| beyond(row.end_bytes, row.live_end_bytes)));
        cells
    };
    bench_common::table::table(1, header, patterns(rows).map(cells).collect())
}

fn peer_names() -> impl Iterator<Item = &'static str> {
    contenders::AS_THEY_COME[1..].iter().map(|peer| peer.name)
}

fn mib(bytes: u64) -> String {
    short(each(bytes, 1 << 20))
}
