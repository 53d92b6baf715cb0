//! Indices and tables: stayput's against the maps, trees and grids of other crates, operation by operation.
//!
//! `cargo bench --bench indices` measures and writes a report; `benches/README.md` says what is
//! measured, how, and how to read it.

mod bounds;
mod case;
mod child;
mod cli;
mod containers;
mod count;
mod grid;
mod operation;
mod plot;
mod run;
mod sets;
mod stage;
mod summary;
mod table;
mod unique;
mod verdict;

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
