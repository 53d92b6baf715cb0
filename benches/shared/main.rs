//! Arrays to which many threads append: pushing, reading meanwhile, memory, and whether anything is lost; and slot maps
//! into which many threads put values.
//!
//! `cargo bench --bench shared` measures and prints tables; `benches/README.md` says what is measured, how, and how to
//! read it.

#![expect(clippy::cast_precision_loss, reason = "a few digits are shown")]

mod arrays;
mod asked;
mod cli;
mod held;
mod lost;
mod maps;
mod meeting;
mod peers;
mod push;
mod read;
mod refusing;
mod run;
mod worst;

use bench_common::harness;
use bench_common::jobs::perform;

fn main() -> harness::Result {
    let bench = |options: &cli::Options| run::measure(&options.plan())?.print(options.common.json);
    let smoke = || run::measure(&cli::Plan::smoke())?.print_smoke();
    let jobs = [
        perform::<push::Filling>,
        perform::<worst::Worst>,
        perform::<read::Reading>,
        perform::<held::Holding>,
        perform::<lost::Losing>,
        perform::<maps::Using>,
    ];
    harness::main(&jobs, bench, smoke)
}
