//! Indices and tables: stayput's against the maps, trees and grids of other crates, operation by operation.
//!
//! `cargo bench --bench indices` measures and writes a report; `benches/README.md` says what is
//! measured, how, and how to read it.

mod bounds;
mod case;
mod cli;
mod containers;
mod grid;
mod operation;
mod run;
mod sets;
mod stage;
mod table;
mod unique;
mod verdict;

use bench_common::compare::Life;
use bench_common::harness;
use bench_common::jobs::perform;

fn main() -> harness::Result {
    harness::main(&[perform::<Life<case::Indices>>], run::bench, run::smoke)
}
