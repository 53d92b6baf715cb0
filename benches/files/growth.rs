//! Pushes, 64 at a time, into an array that grows; then random reads.

use std::fs;
use std::hint::black_box;
use std::path::PathBuf;
use std::time::Instant;

use bench_common::harness::Result;
use bench_common::jobs::{Job, Rounds, rounds_of};
use bench_common::memory::size_text;
use bench_common::random::Random;
use bench_common::spread::Spread;
use bench_common::table::{Table, Target, asked, table, words};
use serde::{Deserialize, Serialize};

use crate::arrays::{self, Array, Contender, ELEMENT_BYTES, element};
use crate::cli::Plan;
use crate::folder::Folder;

/// How many pushes are timed together.
const RUN: usize = 64;
const READS: usize = 2_000_000;

/// The results of a child.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
pub(crate) struct Grown {
    pub(crate) push_ns: f64,
    pub(crate) worst_ms: f64,
    read_ns: Option<f64>,
}

/// Pushes `count` elements and reads some of them; in a control group, if one is named.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct Growth {
    pub(crate) contender: Contender,
    pub(crate) folder: PathBuf,
    pub(crate) count: usize,
    pub(crate) reads: usize,
    pub(crate) group: Option<PathBuf>,
}

impl Job for Growth {
    type Outcome = Grown;

    fn run(&self) -> Result<Grown> {
        if let Some(group) = &self.group {
            // 0 stands for the writing process.
            fs::write(group.join("cgroup.procs"), "0")?;
        }
        self.contender.make(self)
    }
}

impl arrays::Job for &Growth {
    type Outcome = Result<Grown>;

    fn run<A: Array>(self) -> Result<Grown> {
        let Growth { folder, count, reads, .. } = self;
        let (count, reads) = (*count, *reads);
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
            assert_eq!(sum, (0..count as u64).sum::<u64>(), "elements are missing");
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
}

/// Measures all arrays, interleaved.
pub(crate) fn measure(plan: &Plan) -> Result<Vec<Rounds<Contender, Grown>>> {
    let name = |contender: &Contender| format!("growth of {}", contender.name());
    rounds_of(plan.contenders.iter().copied(), plan.repetitions, name, |&contender| {
        let own = Folder::new(&plan.folder)?;
        let (folder, count) = (own.path().to_owned(), plan.bytes / ELEMENT_BYTES);
        Growth { contender, folder, count, reads: READS, group: None }.outcome()
    })
}

/// Returns a table of all arrays, and one of the targets for `FileVec`: ratios to others of the same run.
pub(crate) fn show(bytes: usize, rows: &[Rounds<Contender, Grown>]) -> Vec<(String, Table)> {
    let header =
        words(["array", "push, ns", "range", "worst 64, ms", "range", "random read, ns", "range"]);
    let cells = rows.iter().map(|row| {
        [
            [row.of.name().to_owned()].as_slice(),
            &row.spread(|grown| grown.push_ns).range(),
            &row.spread(|grown| grown.worst_ms).range(),
            &Spread::range_of_some(row.spread_of_some(|grown| grown.read_ns)),
        ]
        .concat()
    });
    let title = format!("growth to {} by elements of 64 bytes", size_text(bytes));
    let asked = asked("FileVec's", ratios(rows)).map(|(title, table)| (title.to_owned(), table));
    [(title, table(1, header, cells.collect()))].into_iter().chain(asked).collect()
}

fn ratios(rows: &[Rounds<Contender, Grown>]) -> Vec<Target> {
    let ratio = |what: &str, other: Contender, figure: fn(&Grown) -> f64, most| {
        let row = |wanted| rows.iter().find(|row| row.of == wanted);
        let ratio =
            row(Contender::FileVec)?.spread(figure).median / row(other)?.spread(figure).median;
        Some(Target { what: what.to_owned(), over: other.name(), ratio, most })
    };
    let mean: fn(&Grown) -> f64 = |grown| grown.push_ns;
    let worst: fn(&Grown) -> f64 = |grown| grown.worst_ms;
    let ratios = [
        ratio("mean push", Contender::VmVec, mean, 1.2),
        ratio("mean push", Contender::Remapping, mean, 0.6),
        ratio("worst 64 pushes", Contender::Remapping, worst, 0.25),
        ratio("worst 64 pushes", Contender::MmapVec, worst, 0.25),
    ];
    ratios.into_iter().flatten().collect()
}
