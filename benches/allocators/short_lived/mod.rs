//! Memory that is allocated, used and freed again and again: is its cost paid each time?

pub(crate) mod pattern;

use std::sync::Barrier;
use std::time::{Duration, Instant};
use std::{iter, panic, thread};

use bench_allocators_common::allocator::Allocator;
use bench_allocators_common::contenders::{self, Case, cases};
use bench_common::harness::Result;
use bench_common::jobs::{Job, Rounds, rounds_of};
use bench_common::memory::touch;
use bench_common::spread::{Spread, each, median, micros, nanoseconds};
use bench_common::table::{Table, short, words};
use bench_common::usage::{self, Resident};
use serde::{Deserialize, Serialize};

use pattern::{Pattern, Work};

#[derive(Debug)]
pub(crate) struct Extent {
    patterns: &'static [(Pattern, usize)],
    repetitions: usize,
}

impl Extent {
    /// Everything once, with small sizes.
    pub(crate) const SMOKE: Self = Self { patterns: pattern::SMOKE, repetitions: 1 };

    pub(crate) fn all(repetitions: usize) -> Self {
        Self { patterns: pattern::ALL, repetitions }
    }
}

/// The job of a child.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
pub(crate) struct Coming {
    pattern: Pattern,
    rounds: usize,
}

/// What a child measured. For several threads: from the first one's start to the last one's end, and the page
/// faults of all.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct Outcome {
    total_ns: u64,
    worst_ns: u64,
    page_faults: Option<u64>,
    /// Beyond what was resident before.
    peak_bytes: Option<u64>,
    end_bytes: Option<u64>,
}

/// What a thread measured.
struct Run {
    start: Instant,
    end: Instant,
    worst: Duration,
    page_faults: Option<u64>,
}

impl Job for Coming {
    type Outcome = Outcome;

    fn run(&self) -> Result<Outcome> {
        let resident = Resident::open();
        let resident = || resident.as_ref().and_then(Resident::bytes);
        let before = resident();
        let mut works: Vec<Work> =
            (0..self.pattern.threads()).map(|_| self.pattern.work()).collect();
        let together = Barrier::new(works.len());
        let runs: Vec<Run> = match works.as_mut_slice() {
            // In the main thread, because allocators serve other threads from other arenas.
            [work] => vec![run(*self, work, &together)],
            works => thread::scope(|scope| {
                let threads =
                    works.iter_mut().map(|work| scope.spawn(|| run(*self, work, &together)));
                let threads: Vec<_> = threads.collect();
                let joined = threads.into_iter().map(thread::ScopedJoinHandle::join);
                joined.map(|run| run.unwrap_or_else(|panic| panic::resume_unwind(panic))).collect()
            }),
        };
        // Before `works` are dropped, which would free what they keep.
        let beyond = |bytes: Option<u64>| Some(bytes?.saturating_sub(before?));
        let end_bytes = beyond(resident());
        let start = runs.iter().map(|run| run.start).min();
        let end = runs.iter().map(|run| run.end).max();
        let worst = runs.iter().map(|run| run.worst).max();
        let total = start.zip(end).map(|(start, end)| end - start);
        Ok(Outcome {
            total_ns: total.map_or(0, nanoseconds),
            worst_ns: worst.map_or(0, nanoseconds),
            // Where the system counts faults only for the process, each thread's count includes the others'.
            page_faults: runs.iter().map(|run| run.page_faults).sum(),
            peak_bytes: beyond(usage::peak_rss_bytes()),
            end_bytes,
        })
    }
}

fn run(job: Coming, work: &mut Work, together: &Barrier) -> Run {
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

/// The results of a pattern under an allocator.
type Row = Rounds<Case<Coming>, Outcome>;

/// Measures all patterns, interleaved: each repetition visits all allocators before the next begins.
pub(crate) fn measure(extent: &Extent) -> Result<Vec<Row>> {
    let jobs = extent.patterns.iter().map(|&(pattern, rounds)| Coming { pattern, rounds });
    let cases = cases(jobs, contenders::AS_THEY_COME);
    let name = |case: &Case<Coming>| format!("{}, {}", case.job.pattern, case.contender.name);
    rounds_of(cases, extent.repetitions, name, |case| {
        touch(most_bytes(case.job.pattern.live_bytes(case.job.rounds)[0]))?;
        case.outcome()
    })
}

/// The mean of a run's rounds, so that deferred work is included.
fn round_us(row: &Row) -> Spread {
    row.spread(|run| each(run.total_ns, row.of.job.rounds) / 1e3)
}

/// For a round.
fn page_faults(row: &Row) -> Option<f64> {
    let faults = over(row, |run| run.page_faults)?;
    Some(each(faults, row.of.job.rounds))
}

fn over(row: &Row, figure: fn(&Outcome) -> Option<u64>) -> Option<u64> {
    median(row.found.iter().map(figure))
}

/// Resident bytes of the pattern, at most and at its end, each with the bytes that the pattern has written and
/// not freed.
fn resident(row: &Row) -> [(Option<u64>, usize); 2] {
    let [peak, end] = row.of.job.pattern.live_bytes(row.of.job.rounds);
    [(over(row, |run| run.peak_bytes), peak), (over(row, |run| run.end_bytes), end)]
}

/// The target for `GlobalVm`'s time over that of a peer.
fn bound(pattern: Pattern, peer: Allocator) -> Option<f64> {
    match (pattern, peer) {
        (Pattern::Frame { buffers: 1, .. }, Allocator::System) => Some(1.0),
        (_, Allocator::System) => Some(1.15),
        (_, Allocator::Mimalloc) => Some(1.5),
        _ => None,
    }
}

fn ratio(own: &Row, peer: &Row) -> f64 {
    round_us(own).median / round_us(peer).median
}

/// Names the targets that are missed.
#[expect(clippy::cast_precision_loss, reason = "counts are far below 2^52")]
fn above(own: &Row, peers: &[Row]) -> String {
    let pattern = own.of.job.pattern;
    let slower = peers.iter().filter(|peer| {
        bound(pattern, peer.of.contender.allocator).is_some_and(|bound| ratio(own, peer) > bound)
    });
    let mut above: Vec<&str> = slower.map(|peer| peer.of.contender.name).collect();
    // The kernel may take a page away for its own reasons, which causes faults in some rounds.
    let most = pattern.needed_faults() as f64 + 0.5;
    if page_faults(own).is_some_and(|faults| faults > most) {
        above.push("faults");
    }
    for ((resident, live_bytes), what) in resident(own).into_iter().zip(["peak", "end"]) {
        if resident.is_some_and(|resident| resident > most_bytes(live_bytes) as u64) {
            above.push(what);
        }
    }
    above.join(", ")
}

/// The target for resident memory.
fn most_bytes(live_bytes: usize) -> usize {
    live_bytes + live_bytes / 4 + (64 << 20)
}

/// For each pattern, the row of `GlobalVm` and those of its peers.
fn patterns(rows: &[Row]) -> impl Iterator<Item = (&Row, &[Row])> {
    rows.chunks(contenders::AS_THEY_COME.len()).filter_map(<[Row]>::split_first)
}

pub(crate) fn table(rows: &[Row]) -> Table {
    let mut header = words(["pattern", "µs a round", "range", "worst µs"]);
    header.extend(peer_names().map(|name| format!("to {name}")));
    header.push("page faults".into());
    header.extend(peer_names().map(str::to_owned));
    header.push("missed targets".into());
    let cells = |(row, peers): (&Row, &[Row])| {
        let mut cells = vec![row.of.job.pattern.to_string()];
        cells.extend(round_us(row).range());
        cells.push(short(row.spread(|run| micros(run.worst_ns)).median));
        cells.extend(peers.iter().map(|peer| short(ratio(row, peer))));
        let faults = iter::once(row).chain(peers).map(page_faults);
        cells.extend(faults.map(|faults| faults.map_or_else(|| "?".into(), short)));
        cells.push(above(row, peers));
        cells
    };
    bench_common::table::table(1, header, patterns(rows).map(cells).collect())
}

/// Memory that is resident beyond what is live.
pub(crate) fn resident_table(rows: &[Row]) -> Table {
    let names = || contenders::AS_THEY_COME.iter().map(|contender| contender.name);
    let mut header = words(["pattern", "live MiB"]);
    header.extend(names().map(|name| format!("peak, {name}")));
    header.push("live at the end".into());
    header.extend(names().map(|name| format!("end, {name}")));
    let cells = |(row, peers): (&Row, &[Row])| {
        let mut cells = vec![row.of.job.pattern.to_string()];
        for (figure, (_, live_bytes)) in resident(row).into_iter().enumerate() {
            cells.push(mib(live_bytes as u64));
            let all = iter::once(row).chain(peers).map(|row| resident(row)[figure].0);
            let beyond = |bytes: u64| mib(bytes.saturating_sub(live_bytes as u64));
            cells.extend(all.map(|bytes| bytes.map_or_else(|| "?".into(), beyond)));
        }
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
