//! The command line.

use bench_common::harness::{self, Common};
use bench_common::numbers;
use clap::Parser;
use clap::builder::PossibleValuesParser;

use crate::case::{Case, Group};
use crate::containers::{self, Container};
use crate::operation::Operation;

/// Indices and tables: stayput's against the maps, trees and grids of other crates, operation by
/// operation.
#[derive(Debug, Parser)]
#[command(bin_name = "cargo bench --bench indices --")]
#[command(mut_arg("quick", |arg| arg.help("Fewer cases and repetitions, in under two minutes")))]
#[command(mut_arg("repetitions", |arg| arg.help("How often each structure is measured [default: 15; from 1M rows on 7, from 8M on 3; with --quick: 3]")))]
pub(crate) struct Options {
    #[command(flatten)]
    pub(crate) common: Common,

    /// Measure these groups only
    #[arg(long, value_name = "NAME", num_args = 1.., value_delimiter = ',')]
    groups: Vec<Group>,

    /// Rows, 64K for 65,536 [default: 1K 64K 1M 8M for unique keys, else 64K 1M; with --quick: 1K 64K]
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

    /// Count instructions and cache lines by valgrind, instead of measuring time; some hundred times
    /// as slow
    #[arg(long, conflicts_with_all = ["json", "repetitions"])]
    pub(crate) count: bool,
}

/// What is to be measured, every choice made.
#[derive(Debug)]
pub(crate) struct Plan {
    pub(crate) cases: Vec<PlannedCase>,
    /// Does the same again.
    pub(crate) command: String,
}

#[derive(Debug)]
pub(crate) struct PlannedCase {
    pub(crate) case: Case,
    pub(crate) repetitions: usize,
    /// In the order in which they are done.
    pub(crate) operations: Vec<Operation>,
    pub(crate) containers: Vec<&'static Container>,
}

impl Options {
    pub(crate) fn plan(&self) -> Plan {
        let groups: &[Group] =
            if self.groups.is_empty() { &Group::ALL } else { self.groups.as_slice() };
        let cases = groups.iter().flat_map(|&group| self.cases(group));
        let planned = cases.map(|case| self.planned(case));
        let is_something =
            |one: &PlannedCase| !one.operations.is_empty() && !one.containers.is_empty();
        Plan { cases: planned.filter(is_something).collect(), command: harness::command("indices") }
    }

    fn cases(&self, group: Group) -> Vec<Case> {
        let (mut rows, mut shapes) = (group.rows(), group.shapes());
        if self.common.quick {
            (rows, shapes) = group.quick();
        }
        if !self.rows.is_empty() {
            rows = &self.rows;
        }
        let of_rows = |&rows| shapes.iter().map(move |&shape| Case { group, rows, shape });
        rows.iter().flat_map(of_rows).collect()
    }

    fn planned(&self, case: Case) -> PlannedCase {
        let usual = match case.rows {
            0x40_0000.. => 3,
            0x8_0000.. => 7,
            _ => 15,
        };
        let all = Operation::of(case.group);
        let wanted = |one: &Operation| {
            all.contains(one)
                && one.is_for(case.rows)
                && (self.operations.is_empty() || self.operations.contains(one))
        };
        PlannedCase {
            case,
            repetitions: self.common.repetitions(usual, 3),
            operations: Operation::LIFE.iter().copied().filter(wanted).collect(),
            containers: containers::of(case).filter(|one| self.wants(one)).collect(),
        }
    }

    fn wants(&self, container: &Container) -> bool {
        self.only.is_empty() || self.only.iter().any(|id| id == container.id)
    }
}

fn rows(text: &str) -> Result<usize, String> {
    match numbers::parse(text)? {
        // Half of them are removed, and each has a number of 32 bits.
        rows if (16..=1 << 28).contains(&rows) => Ok(rows),
        _ => Err("must be from 16 to 256M".into()),
    }
}

fn container_ids() -> PossibleValuesParser {
    PossibleValuesParser::new(containers::ALL.iter().map(|container| container.id))
}
