//! Arrays in pieces, beside those in one: pushing, making and dropping, iterating, reading at random.
//!
//! `cargo bench --bench blocks` measures and prints tables; `benches/README.md` says what is measured, how, and how to
//! read it.

#![expect(clippy::cast_precision_loss, reason = "a few digits are shown")]

mod arrays;
mod asked;
mod case;
mod cli;
mod peers;
mod run;
mod task;

use bench_common::harness;
use bench_common::jobs::perform;

fn main() -> harness::Result {
    let bench = |options: &cli::Options| run::measure(&options.plan())?.print(options.common.json);
    let smoke = || run::measure(&cli::Plan::smoke())?.print_smoke();
    harness::main(&[perform::<task::Task>], bench, smoke)
}
