//! Structures of arrays: stayput's `Columns` against those of other crates and arrays of structs,
//! operation by operation; and what it does to a loop where columns begin.
//!
//! `cargo bench --bench columns` measures and prints tables; `benches/README.md` says what is
//! measured, how, and how to read it.

mod aliasing;
mod child;
mod cli;
mod containers;
mod groups;
mod operation;
mod peers;
mod rows;
mod run;
mod stage;
mod stayput_rows;
mod summary;
mod table;

use std::error::Error;

use bench_common::delegate;

/// Without `--bench` it is `cargo test` that runs this file, perhaps with options meant for the
/// test harness. Criterion tells the two apart in the same way.
fn main() -> Result<(), Box<dyn Error>> {
    if let Some(task) = delegate::task_from_args()? {
        child::perform(&task)
    } else if std::env::args().any(|arg| arg == "--bench") {
        run::bench(&cli::Options::from_args())
    } else {
        run::smoke()
    }
}
