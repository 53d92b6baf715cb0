//! Arenas: storing small values, growing the last one, and a reset.

mod peers;

use std::time::Duration;

use bench_allocators_common::contenders;
use bench_common::harness::Result;
use bench_common::jobs::Job;
use bench_common::memory::touch;
use bench_common::spread::{Spread, each, micros, nanoseconds};
use bench_common::table::{Table, name, short, words};
use serde::{Deserialize, Serialize};

#[derive(Debug)]
pub(crate) struct Extent {
    /// Values stored in a run.
    pub(crate) values: usize,
    /// The contents of an arena that is reset.
    pub(crate) reset_bytes: usize,
    pub(crate) repetitions: usize,
}

/// The state of the arena's memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
enum MemoryState {
    /// New, in a process that has had no arena.
    Fresh,
    /// New, after two like it were dropped: the allocator below may have kept their memory.
    Again,
    /// Filled before, and reset.
    Warm,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
enum Unit {
    NsEach,
    Us,
}

struct Case {
    operation: &'static str,
    arena: &'static str,
    unit: Unit,
    /// How often a run does it.
    count: usize,
    run: Box<dyn FnMut() -> Duration>,
}

impl Case {
    fn row(&self, memory: MemoryState, times: &[u64]) -> Row {
        let time = Spread::of(times.iter().map(|&ns| match self.unit {
            Unit::NsEach => each(ns, self.count),
            Unit::Us => micros(ns),
        }));
        Row { operation: self.operation, memory, arena: self.arena, unit: self.unit, time }
    }
}

/// The job of a child: one of the cases that create an arena.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct Making {
    case: usize,
    values: usize,
}

/// What a child measured, in nanoseconds.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
pub(crate) struct Outcome {
    fresh: u64,
    again: u64,
}

impl Job for Making {
    type Outcome = Outcome;

    fn run(&self) -> Result<Outcome> {
        let mut cases = peers::new(self.values);
        let mut run = || nanoseconds((cases[self.case].run)());
        let fresh = run();
        run();
        Ok(Outcome { fresh, again: run() })
    }
}

/// The results of a case.
#[derive(Debug, Serialize)]
pub(crate) struct Row {
    operation: &'static str,
    memory: MemoryState,
    arena: &'static str,
    unit: Unit,
    time: Spread,
}

pub(crate) const TITLE: &str = if cfg!(feature = "allocator-api2-02") {
    "arena: values stored, and freed at once"
} else {
    "arena: values stored, and freed at once (`Vec`s in them by `--features allocator-api2-02`)"
};

/// The arena that the others are compared with.
const BASE: &str = "stayput";

/// Measures all cases, interleaved: each repetition visits all cases before the next begins.
pub(crate) fn measure(extent: &Extent) -> Result<Vec<Row>> {
    let mut new: Vec<_> =
        peers::new(extent.values).into_iter().map(|case| (case, Vec::new(), Vec::new())).collect();
    for _ in 0..extent.repetitions {
        for (number, (_, fresh, again)) in new.iter_mut().enumerate() {
            touch(extent.reset_bytes)?;
            let job = Making { case: number, values: extent.values };
            let outcome = contenders::SYSTEM.outcome(job)?;
            fresh.push(outcome.fresh);
            again.push(outcome.again);
        }
    }
    let mut warm: Vec<_> = peers::warm(extent).into_iter().map(|case| (case, Vec::new())).collect();
    for _ in 0..WARM_RUNS * extent.repetitions {
        for (case, times) in &mut warm {
            times.push(nanoseconds((case.run)()));
        }
    }
    let mut rows = Vec::new();
    rows.extend(new.iter().map(|(case, fresh, _)| case.row(MemoryState::Fresh, fresh)));
    rows.extend(new.iter().map(|(case, _, again)| case.row(MemoryState::Again, again)));
    rows.extend(warm.iter().map(|(case, times)| case.row(MemoryState::Warm, times)));
    Ok(rows)
}

/// Several, because warm runs are short and need no process each.
const WARM_RUNS: usize = 5;

pub(crate) fn table(rows: &[Row]) -> Table {
    let header = words(["memory", "operation", "arena", "time", "range", "unit", "ratio"]);
    let cells = |row: &Row| {
        let base = rows.iter().find(|base| {
            (base.operation, base.memory, base.arena) == (row.operation, row.memory, BASE)
        });
        let mut cells = vec![name(row.memory), row.operation.to_owned(), row.arena.to_owned()];
        cells.extend(row.time.range());
        cells.push(if row.unit == Unit::Us { "µs" } else { "ns each" }.to_owned());
        let ratio = base.map(|base| short(row.time.median / base.time.median));
        cells.push(ratio.unwrap_or_default());
        cells
    };
    bench_common::table::table(3, header, rows.iter().map(cells).collect())
}
