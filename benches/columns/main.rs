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

use bench_common::harness;

fn main() -> harness::Result {
    harness::main_of_task(child::perform, run::bench, run::smoke)
}
