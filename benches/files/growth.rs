//! Pushes, 64 of them at a time, into an array that grows; and random reads of what was pushed.

use std::error::Error;
use std::hint::black_box;
use std::path::Path;
use std::time::Instant;

use bench_common::harness;
use bench_common::random::Random;
use bench_common::spread::Spread;
use bench_common::table::{Table, short, table, words};
use serde::{Deserialize, Serialize};
use stayput::VmVec;

use crate::arrays::{
    Array, BY_PAGES, ByMemvec, ByMmapVec, Contender, ELEMENT_BYTES, InFile, PLAIN, Remapping,
    SPARSE, Stream, element,
};
use crate::task::{Folder, Task, outcome};

/// How many pushes are timed together.
const RUN: usize = 64;
const READS: usize = 2_000_000;

/// What a child has found.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
pub(crate) struct Grown {
    push_ns: f64,
    worst_ms: f64,
    read_ns: Option<f64>,
}

impl Grown {
    pub(crate) const fn push_ns(&self) -> f64 {
        self.push_ns
    }

    pub(crate) const fn worst_ms(&self) -> f64 {
        self.worst_ms
    }
}

/// Of one contender.
#[derive(Debug, Serialize)]
pub(crate) struct Row {
    contender: Contender,
    push_ns: Spread,
    worst_ms: Spread,
    read_ns: Option<Spread>,
}

pub(crate) fn grow(
    contender: Contender,
    folder: &Path,
    count: usize,
    reads: usize,
) -> Result<Grown, Box<dyn Error>> {
    match contender {
        Contender::FileVec => measure::<InFile<PLAIN>>(folder, count, reads),
        Contender::FileVecSparse => measure::<InFile<SPARSE>>(folder, count, reads),
        Contender::FileVecByPages => measure::<InFile<BY_PAGES>>(folder, count, reads),
        Contender::VmVec => measure::<VmVec<_>>(folder, count, reads),
        Contender::Remapping => measure::<Remapping>(folder, count, reads),
        Contender::MmapVec => measure::<ByMmapVec>(folder, count, reads),
        Contender::Memvec => measure::<ByMemvec>(folder, count, reads),
        Contender::BufWriter => measure::<Stream>(folder, count, reads),
    }
}

fn measure<A: Array>(folder: &Path, count: usize, reads: usize) -> Result<Grown, Box<dyn Error>> {
    let mut array = A::new(folder, count)?;
    let mut worst = 0;
    let begun = Instant::now();
    let mut number = 0;
    while number < count {
        let start = Instant::now();
        for _ in 0..RUN.min(count - number) {
            array.push(element(number));
            number += 1;
        }
        worst = start.elapsed().as_nanos().max(worst);
    }
    let push_ns = begun.elapsed().as_nanos() as f64 / count as f64;
    let read_ns = array.elements().filter(|_| reads > 0).map(|elements| {
        let sum: u64 = elements.iter().map(|element| element[5]).sum();
        assert_eq!(sum, (0..count as u64).sum::<u64>(), "not all elements are there");
        let mut random = Random::new(1);
        let begun = Instant::now();
        let mut sum = 0_u64;
        for _ in 0..reads {
            sum = sum.wrapping_add(elements[random.below(count)][3]);
        }
        black_box(sum);
        begun.elapsed().as_nanos() as f64 / reads as f64
    });
    Ok(Grown { push_ns, worst_ms: worst as f64 / 1e6, read_ns })
}

/// All of them in turns.
pub(crate) fn in_turns(
    contenders: &[Contender],
    inside: &Path,
    bytes: usize,
    repetitions: usize,
) -> Result<Vec<Row>, Box<dyn Error>> {
    let count = bytes / ELEMENT_BYTES;
    let found: Vec<Vec<Grown>> = harness::in_turns(
        contenders,
        |_| repetitions,
        |contender| format!("growth of {}", contender.name()),
        |&contender| {
            let own = Folder::new(inside)?;
            let folder = own.path().to_owned();
            outcome(&Task::Grow { contender, folder, count, reads: READS, group: None })
        },
    )?;
    let rows = contenders.iter().zip(&found).map(|(contender, found)| {
        let of = |figure: fn(&Grown) -> f64| Spread::of(found.iter().map(figure));
        let reads: Option<Vec<f64>> = found.iter().map(|grown| grown.read_ns).collect();
        Row {
            contender: *contender,
            push_ns: of(|grown| grown.push_ns),
            worst_ms: of(|grown| grown.worst_ms),
            read_ns: reads.map(Spread::of),
        }
    });
    Ok(rows.collect())
}

pub(crate) fn show(rows: &[Row]) -> Table {
    let header =
        words(["array", "push, ns", "range", "worst 64, ms", "range", "random read, ns", "range"]);
    let cells = rows.iter().map(|row| {
        let read = row.read_ns.map_or_else(Default::default, |spread| spread.range());
        [
            [row.contender.name().to_owned()].as_slice(),
            &row.push_ns.range(),
            &row.worst_ms.range(),
            &read,
        ]
        .concat()
    });
    table(1, header, cells.collect())
}

/// What is asked of a `FileVec`, over what the others took in the same run.
pub(crate) fn show_ratios(rows: &[Row]) -> Option<Table> {
    let row = |wanted| rows.iter().find(|row| row.contender == wanted);
    let own = row(Contender::FileVec)?;
    let ratio = |what: &str, other, figure: fn(&Row) -> f64, most: f64| {
        let ratio = figure(own) / figure(row(other)?);
        let verdict = if ratio <= most { "yes" } else { "no" };
        Some([what, other.name(), &short(ratio), &short(most), verdict].map(str::to_owned).into())
    };
    let mean: fn(&Row) -> f64 = |row| row.push_ns.median;
    let worst: fn(&Row) -> f64 = |row| row.worst_ms.median;
    let ratios = [
        ratio("mean push", Contender::VmVec, mean, 1.2),
        ratio("mean push", Contender::Remapping, mean, 0.6),
        ratio("worst 64 pushes", Contender::Remapping, worst, 0.25),
        ratio("worst 64 pushes", Contender::MmapVec, worst, 0.25),
    ];
    let header = words(["FileVec's", "over that of", "ratio", "at most", "met"]);
    Some(table(2, header, ratios.into_iter().flatten().collect()))
}
