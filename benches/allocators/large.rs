//! Large `Vec`s that are allocated with their capacity, filled and dropped, again and again.

use std::fmt;
use std::hint::black_box;
use std::time::Instant;

use bench_allocators_common::best::{Group, groups};
use bench_allocators_common::contenders::{self, Case, cases};
use bench_common::harness::Result;
use bench_common::jobs::{Job, Rounds, rounds_of};
use bench_common::memory::{size_text, touch};
use bench_common::table::{Table, header};
use serde::{Deserialize, Serialize};

use crate::buffer::{check, filled};
use crate::repeat::{Repeated, middle, range, repeat};

#[derive(Debug)]
pub(crate) struct Extent {
    pub(crate) sizes: &'static [Large],
    pub(crate) repetitions: usize,
}

/// The job of a child.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
pub(crate) struct Large {
    bytes: usize,
    rounds: usize,
}

const fn large(mib: usize, rounds: usize) -> Large {
    Large { bytes: mib << 20, rounds }
}

pub(crate) const ALL: &[Large] = &[large(8, 40), large(64, 40), large(256, 16), large(512, 8)];
pub(crate) const QUICK: &[Large] = &[large(8, 8), large(64, 8)];
pub(crate) const SMOKE: &[Large] = &[large(8, 2)];

impl Job for Large {
    type Outcome = Repeated;

    fn run(&self) -> Result<Repeated> {
        Ok(repeat(self.rounds, |n| {
            let buffer = filled(self.bytes, n);
            check(black_box(&buffer), n);
            let freeing = Instant::now();
            drop(buffer);
            freeing
        }))
    }
}

impl fmt::Display for Large {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&size_text(self.bytes))
    }
}

pub(crate) type Row = Rounds<Case<Large>, Repeated>;

/// Measures all sizes, interleaved: each repetition visits all allocators before the next begins.
pub(crate) fn measure(extent: &Extent) -> Result<Vec<Row>> {
    let cases = cases(extent.sizes.iter().copied(), contenders::WITH_KEEPING);
    rounds_of(cases, extent.repetitions, Case::to_string, |case| {
        touch(2 * case.job.bytes)?;
        case.outcome()
    })
}

pub(crate) fn by_size(rows: &[Row]) -> impl Iterator<Item = Group<'_, Large, Repeated>> {
    groups(rows, contenders::WITH_KEEPING.len())
}

pub(crate) fn table(rows: &[Row]) -> Table {
    let header = header(
        "size | allocator | ms a round | range | page faults a round | range | first round, ms | \
         range | page faults | µs to free | range | slowest",
    );
    let cells = |row: &Row| {
        let mut cells = vec![row.of.job.to_string(), row.of.contender.name.to_owned()];
        cells.extend(range(row, Repeated::round_ms));
        cells.extend(range(row, Repeated::page_faults));
        cells.extend(range(row, |found| Some(found.first_ms())));
        cells.push(middle(row, Repeated::first_page_faults));
        cells.extend(range(row, |found| Some(found.free_us())));
        cells.push(middle(row, |found| Some(found.free_us_max())));
        cells
    };
    bench_common::table::table(2, header, rows.iter().map(cells).collect())
}
