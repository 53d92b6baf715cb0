//! The command line.

use bench_common::harness::{Common, wanted};
use bench_common::numbers;
use clap::Parser;

use crate::arrays::Contender;
use crate::case::{Case, Size};

/// Arrays in pieces, beside those in one: pushing, making and dropping, iterating, reading at random.
#[derive(Debug, Parser)]
#[command(bin_name = "cargo bench --bench blocks --")]
#[command(mut_arg("quick", |arg| arg.help("A look in under 10 seconds")))]
#[command(mut_arg("repetitions", |arg| arg.help("How often each array is measured [default: 5; with --quick: 1]")))]
pub(crate) struct Options {
    #[command(flatten)]
    pub(crate) common: Common,

    /// Compare these only [default: all]
    #[arg(long, value_name = "ARRAY", num_args = 1..)]
    only: Vec<Contender>,

    /// Elements in an array [default: those of 1 KiB, 1K 64K 1M 8M; with --quick: those of 1 KiB, 1K 64K]
    #[arg(long, value_name = "N", num_args = 1.., value_parser = numbers::parse)]
    elements: Vec<usize>,

    /// Bytes of an element [default: both]
    #[arg(long, value_name = "BYTES", num_args = 1..)]
    size: Vec<Size>,
}

/// What is to be measured, every choice made.
#[derive(Debug)]
pub(crate) struct Plan {
    pub(crate) contenders: Vec<Contender>,
    pub(crate) cases: Vec<Case>,
    pub(crate) ms: u64,
    pub(crate) repetitions: usize,
}

impl Options {
    pub(crate) fn plan(&self) -> Plan {
        let usual: &[usize] =
            self.common.of(&[1 << 10, 64 << 10, 1 << 20, 8 << 20], &[1 << 10, 64 << 10]);
        let counts = |size: Size| match self.elements.as_slice() {
            [] => [&[Case::SMALL_BYTES / size.bytes()], usual].concat(),
            counts => counts.iter().copied().map(|count| count.max(1)).collect(),
        };
        Plan {
            contenders: wanted(&self.only),
            cases: (wanted(&self.size).into_iter())
                .flat_map(|element| cases(element, counts(element)))
                .collect(),
            ms: self.common.of(20, 2),
            repetitions: self.common.repetitions(5, 1),
        }
    }
}

fn cases(element: Size, counts: Vec<usize>) -> impl Iterator<Item = Case> {
    counts.into_iter().map(move |count| Case { element, count })
}

impl Plan {
    /// Everything once, and small.
    pub(crate) fn smoke() -> Self {
        let small = |element: Size| cases(element, vec![Case::SMALL_BYTES / element.bytes(), 3000]);
        Self {
            contenders: wanted(&[]),
            cases: wanted(&[]).into_iter().flat_map(small).collect(),
            ms: 0,
            repetitions: 1,
        }
    }
}
