//! Slot maps: stayput's against those of other crates, operation by operation.
//!
//! `cargo bench --bench slot_maps` measures and writes a report; `benches/README.md` says what is
//! measured, how, and how to read it.

mod apart;
mod bars;
mod child;
mod cli;
mod containers;
mod count;
mod map;
mod operation;
mod peers;
mod plot;
mod run;
mod sampling;
mod stage;
mod stats;
mod stayput_maps;
mod summary;
mod table;
mod value;
mod verdict;

use std::alloc::System;
use std::error::Error;

use bench_common::allocator::Switch;
use bench_common::delegate;
use mimalloc::MiMalloc;

/// Each at the place that its number says; the system's, where nobody chose.
#[global_allocator]
static GLOBAL: Switch = Switch::new(&[&System, &MiMalloc]);

/// Its number there.
const MIMALLOC: usize = 1;

/// Without `--bench` it is `cargo test` that runs this file, perhaps with options meant for the
/// test harness. Criterion tells the two apart in the same way.
fn main() -> Result<(), Box<dyn Error>> {
    if let Some(task) = delegate::task_from_args()? {
        child::perform(&task)
    } else if std::env::args().any(|arg| arg == "--bench") {
        run::bench(&cli::Options::from_args())
    } else {
        run::smoke();
        Ok(())
    }
}
