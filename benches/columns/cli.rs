//! The command line.

use bench_common::harness::{self, Common};
use bench_common::numbers;
use clap::Parser;
use clap::builder::PossibleValuesParser;

use crate::aliasing;
use crate::containers::{self, Container};
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
    #[arg(long, value_name = "N", num_args = 1.., value_delimiter = ',', value_parser = rows)]
    rows: Vec<usize>,

    /// Measure these operations only
    #[arg(long, value_name = "NAME", num_args = 1.., value_delimiter = ',')]
    operations: Vec<Operation>,

    /// Measure these structures only
    #[arg(
        long, value_name = "NAME", num_args = 1.., value_delimiter = ',',
        value_parser = container_ids()
    )]
    only: Vec<String>,
}

/// What is to be measured, every choice made.
#[derive(Debug)]
pub(crate) struct Plan {
    pub(crate) cases: Vec<PlannedCase>,
    pub(crate) containers: Vec<&'static Container>,
    pub(crate) aliasing: Option<aliasing::Extent>,
    /// Does the same again.
    pub(crate) command: String,
}

#[derive(Debug)]
pub(crate) struct PlannedCase {
    pub(crate) rows: usize,
    pub(crate) repetitions: usize,
    pub(crate) operations: Vec<Operation>,
}

const ROWS: &[usize] = &[1 << 10, 1 << 16, 1 << 20];
const QUICK_ROWS: &[usize] = &[1 << 10, 1 << 16];

/// From so many rows on there are fewer repetitions.
const MANY_ROWS: usize = 1 << 20;

impl Options {
    pub(crate) fn plan(&self) -> Plan {
        let rows = match (self.rows.as_slice(), self.common.quick) {
            ([], false) => ROWS,
            ([], true) => QUICK_ROWS,
            (rows, _) => rows,
        };
        let wanted = |one: &Operation| self.operations.is_empty() || self.operations.contains(one);
        let operations: Vec<Operation> =
            Operation::ON_ROWS.iter().copied().filter(wanted).collect();
        let case = |&rows| {
            let repetitions = self.repetitions(rows);
            PlannedCase { rows, repetitions, operations: operations.clone() }
        };
        let cases = if operations.is_empty() { &[] } else { rows };
        Plan {
            cases: cases.iter().map(case).collect(),
            containers: containers::ALL.iter().filter(|one| self.wants(one)).collect(),
            aliasing: wanted(&Operation::Aliasing).then(|| aliasing::Extent {
                rows: rows.into(),
                repetitions: self.repetitions(MANY_ROWS),
            }),
            command: harness::command("columns"),
        }
    }

    fn repetitions(&self, rows: usize) -> usize {
        self.common.repetitions(if rows >= MANY_ROWS { 9 } else { 15 }, 3)
    }

    fn wants(&self, container: &Container) -> bool {
        self.only.is_empty() || self.only.iter().any(|id| id == container.id)
    }
}

fn rows(text: &str) -> Result<usize, String> {
    match numbers::parse(text)? {
        // Half of them are removed, and each has a number of 32 bits.
        rows if (2..=1 << 28).contains(&rows) => Ok(rows),
        _ => Err("must be from 2 to 256M".into()),
    }
}

fn container_ids() -> PossibleValuesParser {
    PossibleValuesParser::new(containers::ALL.iter().map(|container| container.id))
}
