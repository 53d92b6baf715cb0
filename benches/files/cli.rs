//! The command line.

use std::env;
use std::path::PathBuf;

use bench_common::harness::{Common, wanted};
use bench_common::numbers;
use clap::{Parser, ValueEnum};

use crate::arrays::Contender;

/// Arrays in files: growing, opening, reading, and following them.
#[derive(Debug, Parser)]
#[command(bin_name = "cargo bench --bench files --")]
#[command(mut_arg("quick", |arg| arg.help("A look in under 20 seconds")))]
#[command(mut_arg("repetitions", |arg| arg.help("How often each thing is measured [default: 5; with --quick: 1]")))]
pub(crate) struct Options {
    #[command(flatten)]
    pub(crate) common: Common,

    /// Measure these parts only [default: all]
    #[arg(long, value_name = "PART", num_args = 1..)]
    parts: Vec<Part>,

    /// Compare these only [default: all]
    #[arg(long, value_name = "ARRAY", num_args = 1..)]
    only: Vec<Contender>,

    /// Bytes to grow to [default: 512M; with --quick: 16M]
    #[arg(long, value_name = "N", value_parser = numbers::parse)]
    bytes: Option<usize>,

    /// Bytes of memory of which twice as much is grown to [default: 512M; with --quick: 32M]
    #[arg(long, value_name = "N", value_parser = numbers::parse)]
    limit_bytes: Option<usize>,

    /// Bytes of the sparse file that is opened [default: 10240M]
    #[arg(long, value_name = "N", value_parser = numbers::parse)]
    open_bytes: Option<usize>,

    /// Reads by which torn elements are looked for [default: 100,000,000; with --quick: 1,000,000]
    #[arg(long, value_name = "N", value_parser = numbers::parse)]
    follow_reads: Option<usize>,

    /// Where files are made [default: where temporary ones are]
    #[arg(long, value_name = "FOLDER")]
    folder: Option<PathBuf>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Part {
    /// Pushes, and random reads of what was pushed
    Growth,
    /// Pushes to twice the memory that there is (Linux, as root)
    Beyond,
    /// Opening files
    Open,
    /// What another process sees (on several processors)
    Follow,
}

/// What is to be measured, every choice made.
#[derive(Debug)]
pub(crate) struct Plan {
    pub(crate) parts: Vec<Part>,
    pub(crate) contenders: Vec<Contender>,
    pub(crate) bytes: usize,
    pub(crate) limit_bytes: usize,
    pub(crate) open_sizes: Vec<usize>,
    pub(crate) open_bytes: usize,
    pub(crate) latency_pushes: usize,
    pub(crate) follow_reads: usize,
    pub(crate) folder: PathBuf,
    pub(crate) repetitions: usize,
}

impl Options {
    pub(crate) fn plan(&self) -> Plan {
        let of = |usual, if_quick| self.common.of(usual, if_quick);
        Plan {
            parts: wanted(&self.parts),
            contenders: wanted(&self.only),
            bytes: self.bytes.unwrap_or(of(512 << 20, 16 << 20)),
            limit_bytes: self.limit_bytes.unwrap_or(of(512 << 20, 32 << 20)),
            open_sizes: self.common.of(vec![64 << 10, 64 << 20], vec![64 << 10]),
            open_bytes: self.open_bytes.unwrap_or(10 << 30),
            latency_pushes: of(100_000, 5_000),
            follow_reads: self.follow_reads.unwrap_or(of(100_000_000, 1_000_000)),
            folder: self.folder.clone().unwrap_or_else(env::temp_dir),
            repetitions: self.common.repetitions(5, 1),
        }
    }
}
