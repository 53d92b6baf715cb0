//! A loop that stores to one column and loads from all others, where columns begin at the same offset in a
//! page, and where they do not.

use std::hint::black_box;
use std::time::Instant;

use bench_common::harness::Result;
use bench_common::jobs::{Rounds, rounds_of};
use bench_common::numbers;
use bench_common::table::{Table, header, short};
use serde::Serialize;
use stayput::{Columns, HugePages, VmVec};

#[derive(Debug)]
pub(crate) struct Extent {
    pub(crate) rows: Vec<usize>,
    pub(crate) repetitions: usize,
}

pub(crate) const TITLE: &str =
    "aliasing: a loop stores to one column of f32 and loads from all others, ns a field";

/// The numbers of columns. Rows of tuples have at most twelve fields.
const COUNTS: [usize; 5] = [4, 8, 10, 12, 16];

/// Columns laid out by hand begin at multiples of this, so that their addresses have the same lowest bits, or
/// are shifted further by as much as `Columns` shift them within a page.
const SAME_BYTES: usize = 64 << 10;
const APART_BYTES: usize = 4096 + 64;

/// The least number of rows visited in a measurement, so that it takes milliseconds.
const ENOUGH_ROWS: usize = 1 << 22;

const FIELD_BYTES: usize = size_of::<f32>();

#[derive(Clone, Copy, Debug, Serialize)]
pub(crate) struct Case {
    rows: usize,
    columns: usize,
}

/// The results, in ns a field.
#[derive(Clone, Copy, Debug, Serialize)]
pub(crate) struct Outcome {
    same_offset: f64,
    apart: f64,
    of_columns: Option<f64>,
}

pub(crate) type Row = Rounds<Case, Outcome>;

/// Small numbers, whose sums are exact.
#[expect(clippy::cast_precision_loss, reason = "they are below 256")]
fn field(row: usize, column: usize) -> f32 {
    ((row * 7 + column) % 256) as f32
}

/// Stores the sum of the others to the first.
#[inline(never)]
fn combine<const OTHERS: usize>(stored: &mut [f32], others: [&[f32]; OTHERS]) {
    // Slices of a known common length, so that the compiler omits bounds checks.
    let others = others.map(|column| &column[..stored.len()]);
    for (row, stored) in stored.iter_mut().enumerate() {
        *stored = others.iter().map(|column| column[row]).sum();
    }
}

/// Times the loop for each field, in passes over warm columns.
fn time<const OTHERS: usize>(stored: &mut [f32], others: [&[f32]; OTHERS]) -> f64 {
    let rows = stored.len();
    combine(stored, others);
    for (row, &sum) in stored.iter().enumerate() {
        let expected: f32 = (1..=OTHERS).map(|column| field(row, column)).sum();
        assert!((sum - expected).abs() < f32::EPSILON, "row {row} has another sum");
    }
    let passes = (ENOUGH_ROWS / rows).max(1);
    let start = Instant::now();
    for _ in 0..passes {
        combine(black_box(&mut *stored), black_box(others));
    }
    let time = start.elapsed();
    #[expect(clippy::cast_precision_loss, reason = "2^53 are out of reach")]
    let fields = (passes * rows * (OTHERS + 1)) as f64;
    time.as_secs_f64() * 1e9 / fields
}

/// Lays out columns in one array, each shifted by `apart_bytes` from the next multiple.
fn time_by_hand<const OTHERS: usize>(rows: usize, apart_bytes: usize) -> f64 {
    let stride_bytes = (rows * FIELD_BYTES).next_multiple_of(SAME_BYTES) + apart_bytes;
    let stride = stride_bytes / FIELD_BYTES;
    let mut array = VmVec::builder().huge_pages(HugePages::Never).build();
    array.resize(stride * (OTHERS + 1), 0.0);
    for (number, column) in array.chunks_exact_mut(stride).enumerate() {
        for (row, value) in column.iter_mut().enumerate() {
            *value = field(row, number);
        }
    }
    let (stored, others) = array.split_at_mut(stride);
    let mut others = others.chunks_exact(stride);
    let others = [(); OTHERS].map(|()| &others.next().expect("one array for each column")[..rows]);
    time(&mut stored[..rows], others)
}

/// Times `Columns` with a field for each of the names, and the one that is stored to.
macro_rules! time_columns {
    ($rows:expr, $($name:ident $number:literal),+) => {{
        let mut columns = Columns::builder().huge_pages(HugePages::Never).build();
        columns.extend((0..$rows).map(|row| (field(row, 0), $(field(row, $number)),+)));
        let (stored, $($name),+) = columns.as_mut_slices();
        time(stored, [$(&*$name),+])
    }};
}

fn measure_once(&Case { rows, columns }: &Case) -> Outcome {
    let by_hand = match columns {
        4 => time_by_hand::<3>,
        8 => time_by_hand::<7>,
        10 => time_by_hand::<9>,
        12 => time_by_hand::<11>,
        16 => time_by_hand::<15>,
        _ => unreachable!("not in COUNTS"),
    };
    let (same_offset, apart) = (by_hand(rows, 0), by_hand(rows, APART_BYTES));
    let of_columns = match columns {
        4 => Some(time_columns!(rows, a 1, b 2, c 3)),
        8 => Some(time_columns!(rows, a 1, b 2, c 3, d 4, e 5, f 6, g 7)),
        10 => Some(time_columns!(rows, a 1, b 2, c 3, d 4, e 5, f 6, g 7, h 8, i 9)),
        12 => Some(time_columns!(rows, a 1, b 2, c 3, d 4, e 5, f 6, g 7, h 8, i 9, j 10, k 11)),
        _ => None,
    };
    Outcome { same_offset, apart, of_columns }
}

/// Measures all layouts, interleaved: each repetition visits all of them before the next begins, in new memory.
pub(crate) fn measure(extent: &Extent) -> Result<Vec<Row>> {
    let cases = extent.rows.iter().flat_map(|&rows| COUNTS.map(|columns| Case { rows, columns }));
    let name = |_: &Case| "aliasing".to_owned();
    rounds_of(cases, extent.repetitions, name, |case| Ok(measure_once(case)))
}

pub(crate) fn table(rows: &[Row]) -> Table {
    let header = header(
        "rows | columns | same offset | range | apart by hand | range | Columns | range | \
         same offset / Columns",
    );
    let cells = |row: &Row| {
        let same_offset = row.spread(|found| found.same_offset);
        let mut cells = vec![numbers::text(row.of.rows), row.of.columns.to_string()];
        cells.extend(same_offset.range());
        cells.extend(row.spread(|found| found.apart).range());
        if let Some(of_columns) = row.spread_of_some(|found| found.of_columns) {
            cells.extend(of_columns.range());
            cells.push(short(same_offset.median / of_columns.median));
        }
        cells
    };
    bench_common::table::table(1, header, rows.iter().map(cells).collect())
}
