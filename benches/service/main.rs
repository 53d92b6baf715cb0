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

use std::error::Error;

/// Without `--bench` it is `cargo test` that runs this file, perhaps with options meant for the
/// test harness. Criterion tells the two apart in the same way.
fn main() -> Result<(), Box<dyn Error>> {
    if std::env::args().any(|arg| arg == "--bench") {
        run::bench(&cli::Options::from_args())
    } else {
        run::smoke()
    }
}
