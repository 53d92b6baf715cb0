//! The command line.

use bench_common::harness::{Common, wanted};
use clap::Parser;

use crate::program::{Extent, Kind, Run};

/// Whole programs under each allocator: time, page faults, memory
#[derive(Debug, Parser)]
#[command(bin_name = "cargo bench --bench programs --")]
#[command(mut_arg("quick", |arg| arg.help("Once, with a tenth of the data, in half a minute")))]
#[command(mut_arg("repetitions", |arg| arg.help("Number of repetitions [default: 5; with --quick: 1]")))]
pub(crate) struct Options {
    #[command(flatten)]
    pub(crate) common: Common,

    /// Measure only these programs [default: all]
    #[arg(long, value_name = "PROGRAM", num_args = 1..)]
    only: Vec<Kind>,
}

impl Options {
    pub(crate) fn extent(&self) -> Extent {
        let (rows, mb) = self.common.of((1 << 17, 200), (1 << 14, 20));
        let runs = wanted(&self.only).into_iter().map(|kind| match kind {
            Kind::Prover => Run { kind, size: rows },
            Kind::Json | Kind::Csv => Run { kind, size: mb * MB },
        });
        Extent { runs: runs.collect(), repetitions: self.common.repetitions(5, 1) }
    }
}

const MB: usize = 1_000_000;

/// Everything once, with small sizes.
pub(crate) fn smoke() -> Extent {
    let run = |kind| Run { kind, size: if kind == Kind::Prover { 64 } else { 10_000 } };
    Extent { runs: [Kind::Prover, Kind::Json, Kind::Csv].map(run).into(), repetitions: 1 }
}
