//! The background thread: what its calls cost others, and what it costs when there is nothing to
//! do.
//!
//! `cargo bench --bench service` measures and prints tables; `benches/README.md` says what is
//! measured, how, and how to read it.

mod ahead;
mod calls;
mod cli;
mod idle;
mod pages;
mod release;
mod run;
mod samples;
mod steps;

use bench_common::{cores, harness};

fn main() -> harness::Result {
    let bench = |options: &cli::Options| {
        if options.one_core {
            cores::pin_to_one()?;
        }
        run::measure(&options.plan()?)?.print(options.common.json)
    };
    harness::main(&[], bench, || run::measure(&cli::Plan::SMOKE)?.print_smoke())
}
