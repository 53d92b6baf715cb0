//! Whatever is done to a `SharedSlotMap` and to a map of std, both hold the same, and what threads put in and take out of
//! one is so once: the model test, fuzzed.

#![no_main]

#[path = "../../tests/it/buffer.rs"]
mod buffer;
#[path = "../../tests/it/ledger.rs"]
#[allow(dead_code, reason = "what panics")]
mod ledger;
#[path = "../../tests/it/shared_slot_map_op.rs"]
mod shared_slot_map_op;
#[path = "../../tests/it/shared_slot_map_twin.rs"]
mod shared_slot_map_twin;
#[path = "../../tests/it/slot_map_op.rs"]
#[allow(dead_code, reason = "the model of one thread's maps")]
mod slot_map_op;

use libfuzzer_sys::fuzz_target;
use shared_slot_map_op::{Config, Op, Owned};
use shared_slot_map_twin::{run, run_together};
use slot_map_op::{Medium, Once, Plain, Small, SmallTagged, Tagged};

const THREADS: usize = 2;

/// What keys the map has, and what is done between two visits of the owner.
#[derive(Debug, arbitrary::Arbitrary)]
enum Input {
    Plain(Alone),
    Tagged(Alone),
    Medium(Alone),
    Small(Alone),
    SmallTagged(Alone),
    Once(Alone),
    PlainTogether(Together),
    SmallTogether(Together),
}

type Alone = Vec<(Vec<Op>, Owned)>;
type Together = Vec<([Vec<Op>; THREADS], Owned)>;

fuzz_target!(|input: (Config, Input)| {
    let (config, input) = input;
    match input {
        Input::Plain(frames) => run::<Plain>(config, &frames),
        Input::Tagged(frames) => run::<Tagged>(config, &frames),
        Input::Medium(frames) => run::<Medium>(config, &frames),
        Input::Small(frames) => run::<Small>(config, &frames),
        Input::SmallTagged(frames) => run::<SmallTagged>(config, &frames),
        Input::Once(frames) => run::<Once>(config, &frames),
        Input::PlainTogether(frames) => run_together::<Plain>(config, &lists(frames)),
        Input::SmallTogether(frames) => run_together::<Small>(config, &lists(frames)),
    }
});

fn lists(frames: Together) -> Vec<(Vec<Vec<Op>>, Owned)> {
    frames.into_iter().map(|(lists, owned)| (lists.into(), owned)).collect()
}
