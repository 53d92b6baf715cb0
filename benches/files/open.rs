//! Opening a file, reading the number of elements, and reading the last one.

use std::path::PathBuf;
use std::time::Instant;

use bench_common::harness::Result;
use bench_common::jobs::{Job, Rounds, rounds_of};
use bench_common::memory::size_text;
use bench_common::table::{Table, table, words};
use serde::{Deserialize, Serialize};

use crate::arrays::{
    ByMemvec, Contender, ELEMENT_BYTES, InFile, PLAIN, Remapping, Reopened, Stream, element,
    leave_sparse,
};
use crate::cli::Plan;
use crate::folder::Folder;

/// The results of a child.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
pub(crate) struct Opened {
    open_us: f64,
    /// Reading the last element afterwards: a page fault, or many.
    read_us: f64,
}

/// An array, its size, and whether nothing was written to it.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
pub(crate) struct Case {
    contender: Contender,
    bytes: usize,
    is_sparse: bool,
}

/// Creates a file, and opens it.
#[derive(Debug, Serialize, Deserialize)]
pub(crate) struct Opening {
    case: Case,
    folder: PathBuf,
}

impl Job for Opening {
    type Outcome = Opened;

    fn run(&self) -> Result<Opened> {
        match self.case.contender {
            Contender::Remapping => self.measure::<Remapping>(),
            Contender::Memvec => self.measure::<ByMemvec>(),
            Contender::BufWriter => self.measure::<Stream>(),
            _ => self.measure::<InFile<PLAIN>>(),
        }
    }
}

impl Opening {
    fn measure<A: Reopened>(&self) -> Result<Opened> {
        let Self { case: Case { contender, bytes, is_sparse }, folder } = self;
        let count = bytes / ELEMENT_BYTES;
        if *is_sparse {
            leave_sparse(folder, count, *contender)?;
        } else {
            let mut array = A::new(folder, count)?;
            (0..count).for_each(|number| array.push(element(number)));
            array.leave();
        }
        let begun = Instant::now();
        let (len, opened, last) = A::look(folder)?;
        let us = |from: Instant, to: Instant| (to - from).as_nanos() as f64 / 1e3;
        let found = Opened { open_us: us(begun, opened), read_us: us(opened, Instant::now()) };
        let right = if *is_sparse { element(0) } else { element(count - 1) };
        assert!(len == count && last == right, "the file holds other elements");
        Ok(found)
    }
}

/// Measures all arrays, interleaved: files that were written, and one that is large and sparse.
pub(crate) fn measure(plan: &Plan) -> Result<Vec<Rounds<Case, Opened>>> {
    // mmap-vec removes its file, an array in memory is gone, and only two can be sparse.
    let written =
        [Contender::FileVec, Contender::Remapping, Contender::Memvec, Contender::BufWriter];
    let sparse = [Contender::FileVec, Contender::Remapping];
    let written = plan
        .open_sizes
        .iter()
        .flat_map(|&bytes| written.map(|contender| Case { contender, bytes, is_sparse: false }));
    let bytes = plan.open_bytes;
    let cases = written.chain(sparse.map(|contender| Case { contender, bytes, is_sparse: true }));
    let cases = cases.filter(|case| plan.contenders.contains(&case.contender));
    let name = |case: &Case| format!("opening of {}", case.contender.name());
    rounds_of(cases, plan.repetitions, name, |&case| {
        let own = Folder::new(&plan.folder)?;
        Opening { case, folder: own.path().to_owned() }.outcome()
    })
}

pub(crate) fn show(rows: &[Rounds<Case, Opened>]) -> Table {
    let header = words(["array", "size", "opened, µs", "range", "last read, µs", "range"]);
    let cells = rows.iter().map(|row| {
        let size = size_text(row.of.bytes);
        let size = if row.of.is_sparse { format!("{size}, sparse") } else { size };
        [
            [row.of.contender.name().to_owned(), size].as_slice(),
            &row.spread(|opened| opened.open_us).range(),
            &row.spread(|opened| opened.read_us).range(),
        ]
        .concat()
    });
    table(2, header, cells.collect())
}
