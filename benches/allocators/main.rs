//! Allocators under a whole program, and arenas: what it costs to grow in place, and what not to.
//!
//! `cargo bench --bench allocators` measures and prints tables; `benches/README.md` says what is
//! measured, how, and how to read it.

mod allocator;
mod arena;
mod child;
mod cli;
mod contenders;
mod growth;
mod run;
mod short_lived;
mod small;
mod soak;
mod stats;

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
