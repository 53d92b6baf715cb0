//! The command line.

use bench_common::compare::{Choice, Planned};
use bench_common::harness::{Common, wanted};
use bench_common::numbers;
use clap::Parser;

use crate::case::{Case, Group, Indices};

/// Indices and tables: stayput's against the maps, trees and grids of other crates, operation by operation
#[derive(Debug, Parser)]
#[command(bin_name = "cargo bench --bench indices --")]
#[command(mut_arg("quick", |arg| arg.help("Fewer cases and repetitions, in under two minutes")))]
#[command(mut_arg("repetitions", |arg| arg.help("Number of repetitions [default: 15; from 1M rows on 7, from 8M on 3; with --quick: 3]")))]
pub(crate) struct Options {
    #[command(flatten)]
    pub(crate) common: Common,

    /// Measure only these groups
    #[arg(long, value_name = "NAME", num_args = 1.., value_delimiter = ',')]
    groups: Vec<Group>,

    /// Rows, 64K for 65,536 [default: 1K 64K 1M, and 8M for unique keys; with --quick: 1K 64K]
    // At least two, since half of them are removed.
    #[arg(
        long, value_name = "N", num_args = 1.., value_delimiter = ',',
        value_parser = |text: &str| numbers::within(text, 16)
    )]
    rows: Vec<usize>,

    #[command(flatten)]
    choice: Choice<Indices>,

    /// Count instructions and cache lines by Valgrind instead of measuring time; about a hundred times slower
    #[arg(long, conflicts_with_all = ["json", "repetitions"])]
    pub(crate) count: bool,
}

impl Options {
    pub(crate) fn plan(&self) -> Vec<Planned<Indices>> {
        let cases = wanted(&self.groups).into_iter().flat_map(|group| self.cases(group));
        let planned = cases.map(|case| {
            let repetitions = match case.rows {
                0x40_0000.. => 3,
                0x8_0000.. => 7,
                _ => 15,
            };
            let repetitions = self.common.repetitions(repetitions, 3);
            self.choice.of(case, repetitions, |operation| operation.is_for(case))
        });
        planned.filter(Planned::is_something).collect()
    }

    fn cases(&self, group: Group) -> Vec<Case> {
        let (mut rows, shapes) = self.common.of((group.rows(), group.shapes()), group.quick());
        if !self.rows.is_empty() {
            rows = &self.rows;
        }
        let of_rows = |&rows| shapes.iter().map(move |&shape| Case { group, rows, shape });
        rows.iter().flat_map(of_rows).collect()
    }
}
