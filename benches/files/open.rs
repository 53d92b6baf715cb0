//! Opening a file, and reading the number of elements and the last one.

use std::error::Error;
use std::path::Path;
use std::time::Instant;

use bench_common::harness;
use bench_common::spread::Spread;
use bench_common::table::{Table, table, words};
use serde::{Deserialize, Serialize};

use crate::arrays::{
    ByMemvec, Contender, ELEMENT_BYTES, InFile, PLAIN, Remapping, Reopened, Stream, element,
    leave_sparse,
};
use crate::task::{Folder, Task, outcome};

#[derive(Debug, Serialize)]
pub(crate) struct Row {
    contender: Contender,
    bytes: usize,
    is_sparse: bool,
    open_us: Spread,
    read_us: Spread,
}

/// What a child has found.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
pub(crate) struct Opened {
    open_us: f64,
    /// The last element, then: a page fault, or many.
    read_us: f64,
}

/// Makes a file, and opens it.
pub(crate) fn open(
    contender: Contender,
    folder: &Path,
    count: usize,
    is_sparse: bool,
) -> Result<Opened, Box<dyn Error>> {
    match contender {
        Contender::Remapping => measure::<Remapping>(contender, folder, count, is_sparse),
        Contender::Memvec => measure::<ByMemvec>(contender, folder, count, is_sparse),
        Contender::BufWriter => measure::<Stream>(contender, folder, count, is_sparse),
        _ => measure::<InFile<PLAIN>>(contender, folder, count, is_sparse),
    }
}

fn measure<A: Reopened>(
    contender: Contender,
    folder: &Path,
    count: usize,
    is_sparse: bool,
) -> Result<Opened, Box<dyn Error>> {
    if is_sparse {
        leave_sparse(folder, count, contender)?;
    } else {
        let mut array = A::new(folder, count)?;
        (0..count).for_each(|number| array.push(element(number)));
        array.leave();
    }
    let begun = Instant::now();
    let (len, opened, last) = A::look(folder)?;
    let us = |from: Instant, to: Instant| (to - from).as_nanos() as f64 / 1e3;
    let found = Opened { open_us: us(begun, opened), read_us: us(opened, Instant::now()) };
    let right = if is_sparse { element(0) } else { element(count - 1) };
    assert!(len == count && last == right, "what was opened is something else");
    Ok(found)
}

/// All of them in turns: files that were written, and one that is large and sparse.
pub(crate) fn in_turns(
    contenders: &[Contender],
    inside: &Path,
    sizes: &[usize],
    sparse_bytes: usize,
    repetitions: usize,
) -> Result<Vec<Row>, Box<dyn Error>> {
    // mmap-vec takes its file away, an array in memory is gone, and only two can be made sparse.
    let written =
        [Contender::FileVec, Contender::Remapping, Contender::Memvec, Contender::BufWriter];
    let sparse = [Contender::FileVec, Contender::Remapping];
    let mut cases: Vec<(Contender, usize, bool)> = Vec::new();
    for size in sizes {
        cases.extend(written.map(|contender| (contender, *size, false)));
    }
    cases.extend(sparse.map(|contender| (contender, sparse_bytes, true)));
    cases.retain(|(contender, ..)| contenders.contains(contender));
    let found = harness::in_turns(
        &cases,
        |_| repetitions,
        |(contender, ..)| format!("opening of {}", contender.name()),
        |&(contender, bytes, is_sparse)| {
            let own = Folder::new(inside)?;
            let (count, folder) = (bytes / ELEMENT_BYTES, own.path().to_owned());
            outcome(&Task::Open { contender, folder, count, is_sparse })
        },
    )?;
    let rows = cases.into_iter().zip(found).map(|((contender, bytes, is_sparse), found)| Row {
        contender,
        bytes,
        is_sparse,
        open_us: Spread::of(found.iter().map(|opened: &Opened| opened.open_us)),
        read_us: Spread::of(found.iter().map(|opened| opened.read_us)),
    });
    Ok(rows.collect())
}

pub(crate) fn show(rows: &[Row]) -> Table {
    let header = words(["array", "size", "opened, µs", "range", "last read, µs", "range"]);
    let cells = rows.iter().map(|row| {
        let size = bench_common::memory::size_text(row.bytes);
        let size = if row.is_sparse { format!("{size}, sparse") } else { size };
        [
            [row.contender.name().to_owned(), size].as_slice(),
            &row.open_us.range(),
            &row.read_us.range(),
        ]
        .concat()
    });
    table(2, header, cells.collect())
}
