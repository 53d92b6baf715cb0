//! Frame stalls: what growing an array, or a table, costs a game loop, container by container.
//!
//! `cargo bench --bench frame_stalls` measures and writes a report; `benches/README.md` says what
//! is measured, how, and how to read it.

mod allocator;
mod child;
mod cli;
mod containers;
mod entity;
mod overview;
mod page;
mod plan;
mod plots;
mod report;
mod run;
mod scenario;
mod stats;
mod summary;
mod table;
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
