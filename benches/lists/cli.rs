//! The command line.

use bench_common::harness::{Common, wanted};
use bench_common::numbers;
use clap::Parser;

use crate::lists::Contender;

/// Many lists of varying length: building, walking, changing and dropping the edges of a graph
#[derive(Debug, Parser)]
#[command(bin_name = "cargo bench --bench lists --")]
#[command(mut_arg("quick", |arg| arg.help("Fewer cases and repetitions, in under 10 seconds")))]
#[command(mut_arg("repetitions", |arg| arg.help("Number of repetitions [default: 5; with --quick: 1]")))]
pub(crate) struct Options {
    #[command(flatten)]
    pub(crate) common: Common,

    /// Compare only these structures [default: all]
    #[arg(long, value_name = "LISTS", num_args = 1..)]
    only: Vec<Contender>,

    /// Nodes, each with 8 edges on average [default: 1K 64K 1M; with --quick: 1K 64K]
    #[arg(long, value_name = "N", num_args = 1.., value_parser = numbers::parse)]
    nodes: Vec<usize>,
}

/// The selected measurements.
#[derive(Debug)]
pub(crate) struct Plan {
    pub(crate) contenders: Vec<Contender>,
    pub(crate) nodes: Vec<usize>,
    pub(crate) ms: u64,
    pub(crate) frames: usize,
    pub(crate) repetitions: usize,
}

impl Options {
    pub(crate) fn plan(&self) -> Plan {
        let nodes = match self.nodes.as_slice() {
            [] => self.common.of([1 << 10, 64 << 10, 1 << 20].as_slice(), &[1 << 10, 64 << 10]),
            nodes => nodes,
        };
        Plan {
            contenders: wanted(&self.only),
            nodes: nodes.iter().map(|&nodes| nodes.max(1)).collect(),
            ms: self.common.of(50, 5),
            frames: 220,
            repetitions: self.common.repetitions(5, 1),
        }
    }
}

impl Plan {
    /// Everything once, with small sizes.
    pub(crate) fn smoke() -> Self {
        Self { contenders: wanted(&[]), nodes: vec![100, 2000], ms: 0, frames: 3, repetitions: 1 }
    }
}
