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

use std::error::Error;

/// Without `--bench` it is `cargo test` that runs this file, perhaps with options meant for the test harness. Criterion
/// tells the two apart in the same way.
fn main() -> Result<(), Box<dyn Error>> {
    if let Some(task) = bench_common::delegate::task_from_args()? {
        return task::run(task);
    }
    if std::env::args().any(|arg| arg == "--bench") {
        run::bench(&cli::Options::from_args())
    } else {
        run::smoke()
    }
}
