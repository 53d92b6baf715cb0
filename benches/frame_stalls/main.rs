//! Frame stalls: what growing an array costs a game loop, container by container.
//!
//! `cargo bench --bench frame_stalls` measures and writes a report; `benches/README.md` says what
//! is measured, how, and how to read it.

#[path = "../common/allocator.rs"]
mod allocator;
mod child;
mod cli;
mod containers;
#[path = "../common/delegate.rs"]
mod delegate;
mod entity;
#[path = "../common/machine.rs"]
mod machine;
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
#[path = "../common/target.rs"]
mod target;
#[path = "../common/usage.rs"]
mod usage;

use std::error::Error;

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
