//! Plain `Vec`s that are pushed to from empty: one large one, or several in turns.

use std::hint::black_box;
use std::time::{Duration, Instant};

use bench_allocators_common::contenders::{self, Contender};
use bench_common::harness::Result;
use bench_common::jobs::{Job, Rounds, rounds_of};
use bench_common::memory::{Entity, entity, touch};
use bench_common::spread::{each, median, micros, millis, nanoseconds};
use bench_common::table::{Table, header, short};
use bench_common::usage;
use serde::{Deserialize, Serialize};

#[derive(Debug)]
pub(crate) struct Extent {
    pub(crate) arrays: usize,
    /// Of each array.
    pub(crate) bytes: usize,
    pub(crate) repetitions: usize,
}

/// The job of a child.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct Growth {
    arrays: usize,
    entities_each: usize,
    pass: Pass,
}

/// What is timed. One run cannot time both: reading the clock takes longer than a push.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
enum Pass {
    Total,
    Pushes,
}

/// What a child measured. Each pass sets its own fields.
#[derive(Clone, Copy, Debug, Default, Serialize, Deserialize)]
pub(crate) struct Outcome {
    total_ns: u64,
    page_faults: Option<u64>,
    peak_rss_bytes: Option<u64>,
    worst_push_ns: u64,
    /// How often arrays changed their address while they grew from [`LARGE_BYTES`] or more.
    moves: usize,
}

/// The size from which `GlobalVm` grows blocks in place by default.
const LARGE_BYTES: usize = stayput::alloc::VmAlloc::DEFAULT_THRESHOLD_BYTES;

/// How many elements an array gets before the next one's turn.
const TURN: usize = 16;

impl Job for Growth {
    type Outcome = Outcome;

    fn run(&self) -> Result<Outcome> {
        let Self { arrays, entities_each, pass } = *self;
        let mut arrays: Vec<Vec<Entity>> = (0..arrays).map(|_| Vec::new()).collect();
        let outcome = match pass {
            Pass::Total => total(&mut arrays, entities_each),
            Pass::Pushes => pushes(&mut arrays, entities_each),
        };
        let words = arrays.iter().flatten().flatten();
        let sum = words.fold(0, |sum: u64, &word| sum.wrapping_add(word));
        let one = |n: usize| entity(n as u64).into_iter().fold(0, u64::wrapping_add);
        let expected = (0..entities_each).map(one).fold(0, u64::wrapping_add);
        assert_eq!(sum, expected.wrapping_mul(arrays.len() as u64), "entities were lost");
        Ok(outcome)
    }
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

/// Never inlined, so that a single copy serves all contenders.
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

/// The results of one allocator, of both passes.
type Row = Rounds<Contender, Results>;

#[derive(Clone, Copy, Debug, Serialize)]
pub(crate) struct Results {
    #[serde(skip)]
    entities: usize,
    total: Outcome,
    pushes: Outcome,
}

/// Measures all allocators, interleaved: each repetition visits all of them before the next begins.
pub(crate) fn measure(extent: &Extent) -> Result<Vec<Row>> {
    let &Extent { arrays, bytes, repetitions } = extent;
    let entities_each = bytes / size_of::<Entity>();
    let run = |contender: &Contender, pass| -> Result<Outcome> {
        // During the last copy both places are in use, and some allocators keep others.
        touch(2 * arrays * bytes)?;
        contender.outcome(Growth { arrays, entities_each, pass })
    };
    let name = |contender: &Contender| contender.name.to_owned();
    rounds_of(contenders::ALL.iter().copied(), repetitions, name, |contender| {
        let total = run(contender, Pass::Total)?;
        let pushes = run(contender, Pass::Pushes)?;
        Ok(Results { entities: arrays * entities_each, total, pushes })
    })
}

pub(crate) fn table(rows: &[Row]) -> Table {
    let header = header(
        "allocator | total ms | range | ratio | ns a push | worst push µs | range | ratio | \
         moves | page faults | peak MiB",
    );
    let with_ratio = |row: &Row, figure: fn(&Results) -> f64| {
        let spread = row.spread(figure);
        let base = rows.iter().find(|row| row.of.is_base);
        let ratio = base.map(|base| short(spread.median / base.spread(figure).median));
        spread.range().into_iter().chain([ratio.unwrap_or_default()])
    };
    let count = |row: &Row, figure: fn(&Outcome) -> Option<u64>| {
        let count = median(row.found.iter().map(|found| figure(&found.total)));
        count.map_or_else(|| "?".into(), |count| count.to_string())
    };
    let cells = |row: &Row| {
        let mut cells = vec![row.of.name.to_owned()];
        cells.extend(with_ratio(row, |found| millis(found.total.total_ns)));
        let push_ns = row.spread(|found| each(found.total.total_ns, found.entities));
        cells.push(short(push_ns.median));
        cells.extend(with_ratio(row, |found| micros(found.pushes.worst_push_ns)));
        let moves = row.found.iter().map(|found| found.pushes.moves).max();
        cells.push(moves.unwrap_or(0).to_string());
        cells.push(count(row, |total| total.page_faults));
        cells.push(count(row, |total| total.peak_rss_bytes.map(|bytes| bytes >> 20)));
        cells
    };
    bench_common::table::table(1, header, rows.iter().map(cells).collect())
}
