//! Allocators under a whole program, and arenas: what growing in place saves, and what it costs.
//!
//! `cargo bench --bench allocators` measures and prints tables. `benches/README.md` describes what it measures,
//! how, and how to read the results.

mod arena;
mod arrays;
mod asked;
mod beside;
mod buffer;
mod cli;
mod growth;
mod large;
mod phase;
mod repeat;
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
        perform::<Under<large::Large>>,
        perform::<Under<phase::Phase>>,
        perform::<beside::Hog>,
        perform::<Under<arrays::Filling>>,
        perform::<Under<arena::Making>>,
        perform::<Under<soak::Extent>>,
    ];
    harness::main(&jobs, bench, || run::measure(&cli::Plan::SMOKE)?.print_smoke())
}
