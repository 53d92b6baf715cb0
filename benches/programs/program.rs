//! The programs, each a process of its own under each allocator.

use std::fmt;
use std::time::Instant;

use bench_allocators_common::best::{Group, groups, ratios};
use bench_allocators_common::contenders::{self, Case, cases};
use bench_common::harness::{Result, check_same};
use bench_common::jobs::{Job, Rounds, rounds_of};
use bench_common::memory::touch;
use bench_common::spread::{Spread, each, millis, nanoseconds};
use bench_common::table::{Table, Target, header, short};
use bench_common::{numbers, usage};
use clap::ValueEnum;
use serde::{Deserialize, Serialize};

use crate::{json, prover, sort};

#[derive(Debug)]
pub(crate) struct Extent {
    pub(crate) runs: Vec<Run>,
    pub(crate) repetitions: usize,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, ValueEnum)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Kind {
    /// `winter-prover`: a trace of 2^17 rows and 20 columns
    Prover,
    /// `serde_json`: 200 MB parsed to a `Value`, and written again
    Json,
    /// `csv`: 200 MB parsed to owned records, sorted by a column, and written
    Csv,
}

/// The job of a child: a program and its data.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
pub(crate) struct Run {
    pub(crate) kind: Kind,
    /// Rows of the prover's trace, or bytes.
    pub(crate) size: usize,
}

/// What a child measured. Page faults and memory are those of the whole process.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct Outcome {
    /// Without making the data.
    work_ns: u64,
    page_faults: Option<u64>,
    peak_rss_bytes: Option<u64>,
    checksum: u64,
}

/// What was measured of a process, from outside as well.
#[derive(Clone, Debug, Serialize)]
pub(crate) struct Found {
    /// From before the start of the process until it has ended.
    wall_ns: u64,
    #[serde(flatten)]
    outcome: Outcome,
}

impl Job for Run {
    type Outcome = Outcome;

    fn run(&self) -> Result<Outcome> {
        let (checksum, work_ns) = match self.kind {
            Kind::Prover => timed(|| prover::prove(self.size))?,
            Kind::Json => {
                let text = json::document(self.size);
                timed(|| json::read_and_write(&text))?
            }
            Kind::Csv => {
                let text = sort::lines(self.size);
                timed(|| sort::sort(&text))?
            }
        };
        let (page_faults, peak_rss_bytes) = (usage::page_faults_of_all(), usage::peak_rss_bytes());
        Ok(Outcome { work_ns, page_faults, peak_rss_bytes, checksum })
    }
}

fn timed(work: impl FnOnce() -> Result<u64>) -> Result<(u64, u64)> {
    let start = Instant::now();
    let checksum = work()?;
    Ok((checksum, nanoseconds(start.elapsed())))
}

impl Run {
    /// The memory that is touched before.
    fn touched_bytes(self) -> usize {
        match self.kind {
            // The trace is extended to eight times its rows, in columns and in rows.
            Kind::Prover => self.size * prover::COLUMNS * size_of::<u64>() * 24,
            Kind::Json | Kind::Csv => 8 * self.size,
        }
    }
}

impl fmt::Display for Run {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mb = self.size / 1_000_000;
        match self.kind {
            Kind::Prover => {
                write!(f, "winter-prover, {} × {}", numbers::text(self.size), prover::COLUMNS)
            }
            Kind::Json => write!(f, "serde_json, {mb} MB"),
            Kind::Csv => write!(f, "csv, {mb} MB"),
        }
    }
}

type Row = Rounds<Case<Run>, Found>;

/// Measures all programs, interleaved: each repetition visits all allocators before the next begins.
pub(crate) fn measure(extent: &Extent) -> Result<Vec<Row>> {
    let cases = cases(extent.runs.iter().copied(), contenders::WITH_KEEPING);
    let rows = rounds_of(cases, extent.repetitions, Case::to_string, |case| {
        touch(case.job.touched_bytes())?;
        let start = Instant::now();
        let outcome = case.outcome()?;
        Ok(Found { wall_ns: nanoseconds(start.elapsed()), outcome })
    })?;
    for Group { own, peers } in by_program(&rows) {
        let found = [own].into_iter().chain(peers).flat_map(|row| {
            row.found.iter().map(|found| (row.of.contender.name, found.outcome.checksum))
        });
        check_same(own.of.job, found);
    }
    Ok(rows)
}

fn by_program(rows: &[Row]) -> impl Iterator<Item = Group<'_, Run, Found>> {
    groups(rows, contenders::WITH_KEEPING.len())
}

type Figure = fn(&Found) -> Option<f64>;

const WALL_MS: Figure = |found| Some(millis(found.wall_ns));
const WORK_MS: Figure = |found| Some(millis(found.outcome.work_ns));

/// The targets for `GlobalVm`, over the best allocator in the same rounds.
pub(crate) fn targets(rows: &[Row]) -> Vec<Target> {
    let targets = by_program(rows).flat_map(|group| {
        let what = |figure: &str| format!("{figure}, {}", group.own.of.job);
        let wall = group.to_best(what("process"), WALL_MS, 1.03);
        let work = group.to_best(what("work"), WORK_MS, 1.03);
        [wall, work].into_iter().flatten()
    });
    targets.collect()
}

pub(crate) fn table(rows: &[Row]) -> Table {
    let header = header(
        "program | allocator | process, ms | range | to GlobalVm | work, ms | range | to GlobalVm | page faults | \
         peak MiB",
    );
    let cells = |row: &Row, own: &Row| {
        let mut cells = vec![row.of.job.to_string(), row.of.contender.name.to_owned()];
        for figure in [WALL_MS, WORK_MS] {
            cells.extend(Spread::range_of_some(row.spread_of_some(figure)));
            cells.push(ratios(row, own, figure).map_or_else(String::new, |all| short(all.median)));
        }
        let faults = |found: &Found| Some(each(found.outcome.page_faults?, 1));
        let peak = |found: &Found| Some(each(found.outcome.peak_rss_bytes?, 1 << 20));
        for figure in [row.spread_of_some(faults), row.spread_of_some(peak)] {
            cells.push(figure.map_or_else(|| "?".into(), |figure| short(figure.median)));
        }
        cells
    };
    let rows = by_program(rows).flat_map(|Group { own, peers }| {
        [own].into_iter().chain(peers).map(move |row| cells(row, own))
    });
    bench_common::table::table(2, header, rows.collect())
}
