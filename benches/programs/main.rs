//! Whole programs under each allocator: a prover, a document of JSON, and a sort of CSV.
//!
//! `cargo bench --bench programs` measures and prints tables. `benches/README.md` describes what it measures, how,
//! and how to read the results.

mod checksum;
mod cli;
mod json;
mod program;
mod prover;
mod run;
mod sort;

use bench_allocators_common::contenders::Under;
use bench_common::harness;
use bench_common::jobs::perform;

fn main() -> harness::Result {
    let bench =
        |options: &cli::Options| run::measure(&options.extent())?.print(options.common.json);
    harness::main(&[perform::<Under<program::Run>>], bench, || {
        run::measure(&cli::smoke())?.print_smoke()
    })
}
