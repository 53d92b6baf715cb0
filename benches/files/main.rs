//! Arrays in files: growing, opening, reading, and following them.
//!
//! `cargo bench --bench files` measures and prints tables; `benches/README.md` says what is measured, how, and how to
//! read it.

#![expect(clippy::cast_precision_loss, reason = "a few digits are shown")]

mod arrays;
mod beyond;
mod cli;
mod follow;
mod growth;
mod open;
mod run;
mod task;

use bench_common::harness;

fn main() -> harness::Result {
    harness::main_of_task(task::run, run::bench, run::smoke)
}
