//! Slot maps: stayput's against those of other crates, operation by operation.
//!
//! `cargo bench --bench slot_maps` measures and writes a report; `benches/README.md` says what is
//! measured, how, and how to read it.

mod apart;
mod bars;
mod case;
mod cli;
mod containers;
mod map;
mod operation;
mod peers;
mod run;
mod sampling;
mod stage;
mod stayput_maps;
mod table;
mod value;
mod verdict;

use std::alloc::System;

use bench_common::allocator::Switch;
use bench_common::compare::Life;
use bench_common::harness;
use bench_common::jobs::perform;
use mimalloc::MiMalloc;

/// Each at the place that its number says; the system's, where nobody chose.
#[global_allocator]
static GLOBAL: Switch = Switch::new(&[&System, &MiMalloc]);

/// Its number there.
const MIMALLOC: usize = 1;

fn main() -> harness::Result {
    let jobs = [perform::<Life<case::SlotMaps>>, perform::<apart::Part>];
    harness::main(&jobs, run::bench, run::smoke)
}
