//! The command line.

use bench_common::compare::{Choice, Planned};
use bench_common::harness::Common;
use bench_common::numbers;
use clap::Parser;

use crate::containers::{Case, Structures};
use crate::operation::Operation;
use crate::{aliasing, moment};

/// Structures of arrays: stayput's `Columns` against those of other crates and arrays of structs, operation by
/// operation; how a loop depends on where columns begin; and rows in columns for one pass
#[derive(Debug, Parser)]
#[command(bin_name = "cargo bench --bench columns --")]
#[command(mut_arg("quick", |arg| arg.help("Fewer cases and repetitions, in under half a minute")))]
#[command(mut_arg("repetitions", |arg| arg.help("Number of repetitions [default: 15; from 1M rows on 9; with --quick: 3]")))]
pub(crate) struct Options {
    #[command(flatten)]
    pub(crate) common: Common,

    /// Rows, 64K for 65,536 [default: 1K 64K 1M; with --quick: 1K 64K]
    // At least two, since half of them are removed.
    #[arg(
        long, value_name = "N", num_args = 1.., value_delimiter = ',',
        value_parser = |text: &str| numbers::within(text, 2)
    )]
    rows: Vec<usize>,

    #[command(flatten)]
    choice: Choice<Structures>,
}

/// The selected measurements.
#[derive(Debug)]
pub(crate) struct Plan {
    pub(crate) cases: Vec<Planned<Structures>>,
    pub(crate) aliasing: Option<aliasing::Extent>,
    pub(crate) moment: Option<moment::Extent>,
}

const ROWS: &[usize] = &[1 << 10, 1 << 16, 1 << 20];
const QUICK_ROWS: &[usize] = &[1 << 10, 1 << 16];

/// The number of rows from which there are fewer repetitions.
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
            moment: self.choice.wants(Operation::InColumns).then(|| moment::Extent {
                rows: rows.into(),
                repetitions: self.repetitions(MANY_ROWS),
            }),
        }
    }

    fn repetitions(&self, rows: usize) -> usize {
        self.common.repetitions(if rows >= MANY_ROWS { 9 } else { 15 }, 3)
    }
}
