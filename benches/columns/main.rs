//! Structures of arrays: stayput's `Columns` against those of other crates and arrays of structs,
//! operation by operation; and what it does to a loop where columns begin.
//!
//! `cargo bench --bench columns` measures and prints tables; `benches/README.md` says what is
//! measured, how, and how to read it.

mod aliasing;
mod cli;
mod containers;
mod groups;
mod operation;
mod peers;
mod rows;
mod run;
mod stage;
mod stayput_rows;
mod table;

use bench_common::compare::Life;
use bench_common::harness;
use bench_common::jobs::perform;

fn main() -> harness::Result {
    harness::main(&[perform::<Life<containers::Structures>>], run::bench, run::smoke)
}
