//! Arrays to which many threads append: pushing, reading meanwhile, memory, and whether anything is lost; and slot maps
//! into which many threads put values.
//!
//! `cargo bench --bench shared` measures and prints tables; `benches/README.md` says what is measured, how, and how to
//! read it.

#![expect(clippy::cast_precision_loss, reason = "a few digits are shown")]

mod arrays;
mod asked;
mod cli;
mod held;
mod lost;
mod maps;
mod peers;
mod push;
mod read;
mod refusing;
mod rounds;
mod run;
mod task;
mod worst;

use bench_common::harness;

fn main() -> harness::Result {
    harness::main_of_task(task::run, run::bench, run::smoke)
}
