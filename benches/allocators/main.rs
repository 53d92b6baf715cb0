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

use bench_common::harness;

fn main() -> harness::Result {
    harness::main_of_task(child::perform, run::bench, run::smoke)
}
