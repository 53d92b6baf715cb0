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

use bench_common::harness;

fn main() -> harness::Result {
    harness::main_of_task(child::perform, run::bench, run::smoke)
}
