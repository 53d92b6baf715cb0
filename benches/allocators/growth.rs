//! Plain `Vec`s that are pushed to, from empty on: one large, or several by turns.

use std::error::Error;
use std::hint::black_box;
use std::time::{Duration, Instant};

use bench_common::harness;
use bench_common::memory::{Entity, entity, touch};
use bench_common::spread::{Spread, median, micros, nanoseconds};
use bench_common::table::{Table, short, words};
use bench_common::usage;
use serde::{Deserialize, Serialize};

use crate::child;
use crate::contenders::{self, Contender};
use crate::stats::{each, millis};

/// How much is measured.
#[derive(Debug)]
pub(crate) struct Extent {
    pub(crate) arrays: usize,
    /// Of each.
    pub(crate) bytes: usize,
    pub(crate) repetitions: usize,
}

/// What a child is to do.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct Job {
    arrays: usize,
    entities_each: usize,
    pass: Pass,
}

/// What is timed. One run can't time both: reading the clock takes longer than a push.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
enum Pass {
    Total,
    Pushes,
}

/// What a child found. Each pass fills in its part.
#[derive(Clone, Copy, Debug, Default, Serialize, Deserialize)]
pub(crate) struct Outcome {
    total_ns: u64,
    page_faults: Option<u64>,
    peak_rss_bytes: Option<u64>,
    worst_push_ns: u64,
    /// How often arrays changed their address while they were growing from [`LARGE_BYTES`] or more.
    moves: usize,
}

/// From so much on, with the settings that it comes with, `GlobalVm` has blocks grow in place.
const LARGE_BYTES: usize = stayput::alloc::VmAlloc::DEFAULT_THRESHOLD_BYTES;

/// So many are pushed to an array before it is the next one's turn.
const TURN: usize = 16;

pub(crate) fn perform(job: &Job) -> Outcome {
    let mut arrays: Vec<Vec<Entity>> = (0..job.arrays).map(|_| Vec::new()).collect();
    let outcome = match job.pass {
        Pass::Total => total(&mut arrays, job.entities_each),
        Pass::Pushes => pushes(&mut arrays, job.entities_each),
    };
    let sum = arrays.iter().flatten().flatten().fold(0, |sum: u64, &word| sum.wrapping_add(word));
    let one = |n: usize| entity(n as u64).into_iter().fold(0, u64::wrapping_add);
    let expected = (0..job.entities_each).map(one).fold(0, u64::wrapping_add);
    assert_eq!(sum, expected.wrapping_mul(job.arrays as u64), "entities are lost");
    outcome
}

fn total(arrays: &mut [Vec<Entity>], entities_each: usize) -> Outcome {
    let faults_before = usage::page_faults();
    let start = Instant::now();
    fill(arrays, entities_each);
    let total_ns = nanoseconds(start.elapsed());
    let page_faults = usage::page_faults().zip(faults_before).map(|(after, before)| after - before);
    let peak_rss_bytes = usage::peak_rss_bytes();
    Outcome { total_ns, page_faults, peak_rss_bytes, ..Outcome::default() }
}

/// Never inlined, so that there is but one of it for all.
#[inline(never)]
fn fill(arrays: &mut [Vec<Entity>], entities_each: usize) {
    for first in (0..entities_each).step_by(TURN) {
        for array in &mut *arrays {
            for n in first..entities_each.min(first + TURN) {
                array.push(entity(black_box(n as u64)));
            }
        }
    }
}

/// Times each push by itself, from one reading of the clock to the next.
fn pushes(arrays: &mut [Vec<Entity>], entities_each: usize) -> Outcome {
    let mut longest = Duration::ZERO;
    let mut moves = 0;
    let mut before = Instant::now();
    for first in (0..entities_each).step_by(TURN) {
        for array in &mut *arrays {
            for n in first..entities_each.min(first + TURN) {
                let (address, capacity) = (array.as_ptr(), array.capacity());
                array.push(entity(black_box(n as u64)));
                if array.as_ptr() != address && capacity * size_of::<Entity>() >= LARGE_BYTES {
                    moves += 1;
                }
                let after = Instant::now();
                longest = longest.max(after - before);
                before = after;
            }
        }
    }
    Outcome { worst_push_ns: nanoseconds(longest), moves, ..Outcome::default() }
}

/// What came of one allocator.
#[derive(Debug, Serialize)]
pub(crate) struct Row {
    #[serde(flatten)]
    contender: Contender,
    total_ms: Spread,
    push_ns: f64,
    worst_push_us: Spread,
    moves: usize,
    page_faults: Option<u64>,
    peak_rss_bytes: Option<u64>,
}

/// Interleaved: each repetition goes through all allocators before the next begins.
pub(crate) fn measure(extent: &Extent) -> Result<Vec<Row>, Box<dyn Error>> {
    let entities_each = extent.bytes / size_of::<Entity>();
    let job = |pass| child::Job::Growth(Job { arrays: extent.arrays, entities_each, pass });
    let run = |contender: &Contender, pass| -> harness::Result<Outcome> {
        // The last copy has half of it in the old place, and some allocators keep others.
        touch(2 * extent.arrays * extent.bytes)?;
        child::measure(contender, job(pass))
    };
    let found = harness::in_turns(
        contenders::ALL,
        |_| extent.repetitions,
        |contender| contender.name.to_owned(),
        |contender| Ok((run(contender, Pass::Total)?, run(contender, Pass::Pushes)?)),
    )?;
    let entities = extent.arrays * entities_each;
    let row = |(contender, found): (&Contender, Vec<(Outcome, Outcome)>)| {
        let (totals, pushes): (Vec<Outcome>, Vec<Outcome>) = found.into_iter().unzip();
        let over = |figure: fn(&Outcome) -> Option<u64>| median(totals.iter().map(figure));
        let total_ns = median(totals.iter().map(|outcome| outcome.total_ns));
        Row {
            contender: *contender,
            total_ms: Spread::of(totals.iter().map(|outcome| millis(outcome.total_ns))),
            push_ns: each(total_ns, entities),
            worst_push_us: Spread::of(pushes.iter().map(|outcome| micros(outcome.worst_push_ns))),
            moves: pushes.iter().map(|outcome| outcome.moves).max().unwrap_or(0),
            page_faults: over(|outcome| outcome.page_faults),
            peak_rss_bytes: over(|outcome| outcome.peak_rss_bytes),
        }
    };
    Ok(contenders::ALL.iter().zip(found).map(row).collect())
}

pub(crate) fn table(rows: &[Row]) -> Table {
    let mut header = words(["allocator", "total ms", "range", "ratio", "ns a push"]);
    header.extend(words(["worst push µs", "range", "ratio", "moves", "page faults", "peak MiB"]));
    let base = rows.iter().find(|row| row.contender.is_base);
    let ratio = |spread: &Spread, figure: fn(&Row) -> &Spread| {
        base.map_or_else(String::new, |base| short(spread.median / figure(base).median))
    };
    let count = |count: Option<u64>| count.map_or_else(|| "?".into(), |count| count.to_string());
    let cells = |row: &Row| {
        let mut cells = vec![row.contender.name.to_owned()];
        cells.extend(row.total_ms.range());
        cells.push(ratio(&row.total_ms, |row| &row.total_ms));
        cells.push(short(row.push_ns));
        cells.extend(row.worst_push_us.range());
        cells.push(ratio(&row.worst_push_us, |row| &row.worst_push_us));
        cells.push(row.moves.to_string());
        cells.push(count(row.page_faults));
        cells.push(count(row.peak_rss_bytes.map(|bytes| bytes >> 20)));
        cells
    };
    bench_common::table::table(1, header, rows.iter().map(cells).collect())
}
