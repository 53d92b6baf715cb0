//! Allocators under a whole program, and arenas: what it costs to grow in place, and what not to.
//!
//! `cargo bench --bench allocators` measures and prints tables; `benches/README.md` says what is
//! measured, how, and how to read it.

mod allocator;
mod arena;
mod cli;
mod contenders;
mod growth;
mod run;
mod short_lived;
mod small;
mod soak;

use bench_common::harness;
use bench_common::jobs::perform;
use contenders::Under;

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
