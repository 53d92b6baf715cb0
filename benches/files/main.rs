//! Arrays in files: growing, opening, reading, and following them.
//!
//! `cargo bench --bench files` measures and prints tables; `benches/README.md` says what is measured, how, and how to
//! read it.

#![expect(clippy::cast_precision_loss, reason = "a few digits are shown")]

mod arrays;
mod beyond;
mod cli;
mod folder;
mod follow;
mod growth;
mod open;
mod run;

use bench_common::harness;
use bench_common::jobs::perform;
use clap::Parser;

fn main() -> harness::Result {
    let bench = |options: &cli::Options| run::measure(&options.plan())?.print(options.common.json);
    let smoke = || {
        let arguments = "files --quick --parts growth open follow --bytes 1M --open-bytes 1024M \
                         --follow-reads 10000";
        run::measure(&cli::Options::parse_from(arguments.split(' ')).plan())?.print_smoke()
    };
    let jobs = [
        perform::<growth::Growth>,
        perform::<open::Opening>,
        perform::<follow::Waiting>,
        perform::<follow::Reading>,
    ];
    harness::main(&jobs, bench, smoke)
}
