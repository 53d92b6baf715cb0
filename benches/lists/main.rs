//! Many lists of varying length: building, walking, changing and dropping the edges of a graph.
//!
//! `cargo bench --bench lists` measures and prints tables. `benches/README.md` describes what it measures, how,
//! and how to read the results.

#![expect(clippy::cast_precision_loss, reason = "a few digits are shown")]

mod asked;
mod cli;
mod graph;
mod lists;
mod run;
mod task;

use bench_common::harness;
use bench_common::jobs::perform;

fn main() -> harness::Result {
    let bench = |options: &cli::Options| run::measure(&options.plan())?.print(options.common.json);
    let smoke = || run::measure(&cli::Plan::smoke())?.print_smoke();
    harness::main(&[perform::<task::Task>], bench, smoke)
}
