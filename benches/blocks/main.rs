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

use std::error::Error;

/// Without `--bench` it is `cargo test` that runs this file, perhaps with options meant for the test harness. Criterion
/// tells the two apart in the same way.
fn main() -> Result<(), Box<dyn Error>> {
    if let Some(task) = bench_common::delegate::task_from_args()? {
        return Ok(bench_common::delegate::answer(&task::run(task)?)?);
    }
    if std::env::args().any(|arg| arg == "--bench") {
        run::bench(&cli::Options::from_args())
    } else {
        run::smoke()
    }
}
