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

use bench_common::harness;

fn main() -> harness::Result {
    harness::main_of_task(|(): &()| Ok(()), run::bench, run::smoke)
}
