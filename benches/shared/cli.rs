//! The command line.

use std::thread;

use bench_common::harness::{Common, wanted};
use bench_common::numbers;
use clap::{Parser, ValueEnum};

use crate::arrays::Contender;
use crate::maps::MapCase;
use crate::push::Case;

/// Arrays to which many threads append: pushing, reading meanwhile, memory, and losses
#[derive(Debug, Parser)]
#[command(bin_name = "cargo bench --bench shared --")]
#[command(mut_arg("quick", |arg| arg.help("Fewer cases and repetitions, in under 10 seconds")))]
#[command(mut_arg("repetitions", |arg| arg.help("Number of repetitions [default: 5; with --quick: 1]")))]
pub(crate) struct Options {
    #[command(flatten)]
    pub(crate) common: Common,

    /// Measure only these parts [default: all]
    #[arg(long, value_name = "PART", num_args = 1..)]
    parts: Vec<Part>,

    /// Compare only these arrays [default: all]
    #[arg(long, value_name = "ARRAY", num_args = 1..)]
    only: Vec<Contender>,

    /// Threads that push [default: 1 2 4 8; with --quick: 1 2]
    #[arg(long, value_name = "N", num_args = 1.., value_parser = clap::value_parser!(u16).range(1..=256))]
    threads: Vec<u16>,

    /// Elements of 8 bytes that are pushed; of 64 bytes, an eighth of it [default: 8M; with --quick: 256K]
    #[arg(long, value_name = "N", value_parser = numbers::parse)]
    elements: Option<usize>,

    /// Elements that are read [default: 1M; with --quick: 64K]
    #[arg(long, value_name = "N", value_parser = numbers::parse)]
    read: Option<usize>,

    /// Pushes that are checked for losses [default: 10,000,000; with --quick: 200,000]
    #[arg(long, value_name = "N", value_parser = numbers::parse)]
    lost: Option<usize>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Part {
    /// Pushes by several threads, and the longest push
    Push,
    /// Reads while another thread pushes
    Read,
    /// Resident memory beyond the elements, and losses
    Memory,
    /// Slot maps; --only does not apply
    Maps,
}

/// The selected measurements.
#[derive(Debug)]
pub(crate) struct Plan {
    pub(crate) parts: Vec<Part>,
    pub(crate) contenders: Vec<Contender>,
    pub(crate) threads: Vec<usize>,
    pub(crate) cases: Vec<Case>,
    /// The numbers of threads whose longest push is measured.
    pub(crate) worst_threads: Vec<usize>,
    pub(crate) elements: usize,
    pub(crate) read: usize,
    pub(crate) read_ms: u64,
    pub(crate) lost: usize,
    pub(crate) maps: Vec<MapCase>,
    pub(crate) repetitions: usize,
}

impl Options {
    pub(crate) fn plan(&self) -> Plan {
        let Common { quick, .. } = self.common;
        let of = |usual, if_quick| self.common.of(usual, if_quick);
        let mut threads: Vec<usize> = self.threads.iter().copied().map(usize::from).collect();
        if threads.is_empty() {
            threads = if quick { vec![1, 2] } else { vec![1, 2, 4, 8] };
        }
        let elements = self.elements.unwrap_or(of(8 << 20, 256 << 10));
        let everyday = if quick { vec![1 << 10] } else { vec![1 << 10, 64 << 10, 1 << 20] };
        let pushes = of(4 << 20, 64 << 10);
        Plan {
            parts: wanted(&self.parts),
            contenders: wanted(&self.only),
            cases: cases(&threads, elements, &everyday, pushes),
            worst_threads: no_more_than_cores(&threads),
            maps: if quick {
                map_cases(&[2], &[64 << 10], 100_000)
            } else {
                map_cases(&no_more_than_cores(&threads), &[64 << 10, 1 << 20], 1 << 20)
            },
            threads,
            elements,
            read: self.read.unwrap_or(of(1 << 20, 64 << 10)),
            read_ms: if quick { 5 } else { 100 },
            lost: self.lost.unwrap_or(of(10_000_000, 200_000)),
            repetitions: self.common.repetitions(5, 1),
        }
    }
}

/// Large arrays of both sizes of elements, and everyday sizes with `pushes` pushes in all, in new arrays, and by one
/// thread in one that is cleared.
fn cases(threads: &[usize], elements: usize, everyday: &[usize], pushes: usize) -> Vec<Case> {
    let large =
        [(8, elements), (64, elements / 8)].into_iter().flat_map(|(element_bytes, total)| {
            let case = Case { threads: 1, element_bytes, total, arrays: 1, is_reused: false };
            threads.iter().map(move |&threads| Case { threads, ..case })
        });
    let threads = no_more_than_cores(threads);
    let small = everyday.iter().flat_map(|&total| {
        let arrays = (pushes / total).max(2);
        let case = Case { threads: 1, element_bytes: 8, total, arrays, is_reused: false };
        let reused = Case { is_reused: true, ..case };
        threads.iter().map(move |&threads| Case { threads, ..case }).chain([reused])
    });
    large.chain(small).collect()
}

fn map_cases(threads: &[usize], totals: &[usize], calls: usize) -> Vec<MapCase> {
    let kinds = totals.iter().flat_map(|&total| [(8, total), (56, total)]);
    kinds
        .flat_map(|(value_bytes, total)| {
            threads.iter().map(move |&threads| MapCase { threads, value_bytes, total, calls })
        })
        .collect()
}

/// With more threads than cores, time slices would hide everything else in short and in longest times.
fn no_more_than_cores(threads: &[usize]) -> Vec<usize> {
    let cores = thread::available_parallelism().map_or(1, Into::into);
    threads.iter().copied().filter(|threads| *threads <= cores).collect()
}

impl Plan {
    /// Everything once, with small sizes.
    pub(crate) fn smoke() -> Self {
        Self {
            parts: wanted(&[]),
            contenders: wanted(&[]),
            cases: cases(&[1, 2], 4 << 10, &[64], 128),
            worst_threads: vec![2],
            threads: vec![1, 2],
            elements: 4 << 10,
            read: 1 << 10,
            read_ms: 1,
            lost: 10_000,
            maps: map_cases(&[1, 2], &[1 << 10], 2000),
            repetitions: 1,
        }
    }
}
