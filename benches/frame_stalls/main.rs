//! Frame stalls: what growing an array, or a table, costs a game loop, container by container.
//!
//! `cargo bench --bench frame_stalls` measures and writes a report. `benches/README.md` describes what it
//! measures, how, and how to read the results.

mod allocator;
mod child;
mod cli;
mod containers;
mod entity;
mod overview;
mod page;
mod plan;
mod plots;
mod readme;
mod run;
mod scenario;
mod stats;
mod summary;
mod table;
mod verdict;

use bench_common::harness;
use bench_common::jobs::perform;

fn main() -> harness::Result {
    harness::main(&[perform::<child::Job>, perform::<child::Touch>], run::bench, run::smoke)
}
