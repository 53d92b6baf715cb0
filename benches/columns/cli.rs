//! The command line.

use bench_common::compare::{Choice, Planned};
use bench_common::harness::Common;
use bench_common::numbers;
use clap::Parser;

use crate::aliasing;
use crate::containers::{Case, Structures};
use crate::operation::Operation;

/// Structures of arrays: stayput's `Columns` against those of other crates and arrays of structs,
/// operation by operation; and what it does to a loop where columns begin.
#[derive(Debug, Parser)]
#[command(bin_name = "cargo bench --bench columns --")]
#[command(mut_arg("quick", |arg| arg.help("A look in under half a minute")))]
#[command(mut_arg("repetitions", |arg| arg.help("How often each structure is measured [default: 15; from 1M rows on 9; with --quick: 3]")))]
pub(crate) struct Options {
    #[command(flatten)]
    pub(crate) common: Common,

    /// Rows, 64K for 65,536 [default: 1K 64K 1M; with --quick: 1K 64K]
    // Half of them are removed.
    #[arg(
        long, value_name = "N", num_args = 1.., value_delimiter = ',',
        value_parser = |text: &str| numbers::within(text, 2)
    )]
    rows: Vec<usize>,

    #[command(flatten)]
    choice: Choice<Structures>,
}

/// What is to be measured, every choice made.
#[derive(Debug)]
pub(crate) struct Plan {
    pub(crate) cases: Vec<Planned<Structures>>,
    pub(crate) aliasing: Option<aliasing::Extent>,
}

const ROWS: &[usize] = &[1 << 10, 1 << 16, 1 << 20];
const QUICK_ROWS: &[usize] = &[1 << 10, 1 << 16];

/// From so many rows on there are fewer repetitions.
const MANY_ROWS: usize = 1 << 20;

impl Options {
    pub(crate) fn plan(&self) -> Plan {
        let usual = self.common.of(ROWS, QUICK_ROWS);
        let rows = if self.rows.is_empty() { usual } else { &self.rows };
        let case = |&rows| self.choice.of(Case(rows), self.repetitions(rows), |_| true);
        Plan {
            cases: rows.iter().map(case).filter(Planned::is_something).collect(),
            aliasing: self.choice.wants(Operation::Aliasing).then(|| aliasing::Extent {
                rows: rows.into(),
                repetitions: self.repetitions(MANY_ROWS),
            }),
        }
    }

    fn repetitions(&self, rows: usize) -> usize {
        self.common.repetitions(if rows >= MANY_ROWS { 9 } else { 15 }, 3)
    }
}
