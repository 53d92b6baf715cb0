//! Allocators under a whole program, and arenas: what growing in place saves, and what it costs.
//!
//! `cargo bench --bench allocators` measures and prints tables. `benches/README.md` describes what it measures,
//! how, and how to read the results.

mod arena;
mod cli;
mod growth;
mod run;
mod short_lived;
mod small;
mod soak;

use bench_allocators_common::contenders::Under;
use bench_common::harness;
use bench_common::jobs::perform;

fn main() -> harness::Result {
    let bench = |options: &cli::Options| run::measure(&options.plan())?.print(options.common.json);
    let jobs = [
        perform::<Under<growth::Growth>>,
        perform::<Under<short_lived::Coming>>,
        perform::<Under<arena::Making>>,
        perform::<Under<soak::Extent>>,
    ];
    harness::main(&jobs, bench, || run::measure(&cli::Plan::SMOKE)?.print_smoke())
}
