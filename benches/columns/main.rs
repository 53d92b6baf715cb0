//! Structures of arrays: stayput's `Columns` against those of other crates and arrays of structs, operation by
//! operation; how a loop depends on where columns begin; and rows in columns for one pass.
//!
//! `cargo bench --bench columns` measures and prints tables. `benches/README.md` describes what it measures,
//! how, and how to read the results.

mod aliasing;
mod cli;
mod containers;
mod groups;
mod moment;
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
