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

fn main() -> harness::Result {
    harness::main_of_task(task::answer, run::bench, run::smoke)
}
