//! Fuzzes the model test of `SharedSlotMap`: after any operations, it holds the same as a map of std, and what threads
//! insert and remove is inserted and removed once.

#![no_main]

include!("../../tests/common/arbitrary.rs");
#[path = "../../tests/it/buffer.rs"]
mod buffer;
#[path = "../../tests/it/ledger.rs"]
#[allow(dead_code, reason = "what panics")]
mod ledger;
#[path = "../rest.rs"]
mod rest;
#[path = "../../tests/it/shared_slot_map_op.rs"]
mod shared_slot_map_op;
#[path = "../../tests/it/shared_slot_map_twin.rs"]
mod shared_slot_map_twin;
#[path = "../../tests/it/slot_map_op.rs"]
#[allow(dead_code, reason = "the model of one thread's maps")]
mod slot_map_op;

use libfuzzer_sys::fuzz_target;
use rest::{Few, Rest};
use shared_slot_map_op::{Config, Op, Owned};
use shared_slot_map_twin::{run, run_together};
use slot_map_op::{Medium, Once, Plain, Small, SmallTagged, Tagged};

const THREADS: usize = 2;

arbitrary! {
    #[derive(Debug)]
    /// The type of keys, and the operations between two visits of the owner.
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
}

type Alone = Rest<(Few<Op>, Owned)>;
type Together = Rest<([Few<Op>; THREADS], Owned)>;

fuzz_target!(|input: (Config, Input)| {
    let (config, input) = input;
    match input {
        Input::Plain(frames) => run::<Plain>(config, &alone(frames)),
        Input::Tagged(frames) => run::<Tagged>(config, &alone(frames)),
        Input::Medium(frames) => run::<Medium>(config, &alone(frames)),
        Input::Small(frames) => run::<Small>(config, &alone(frames)),
        Input::SmallTagged(frames) => run::<SmallTagged>(config, &alone(frames)),
        Input::Once(frames) => run::<Once>(config, &alone(frames)),
        Input::PlainTogether(frames) => run_together::<Plain>(config, &lists(frames)),
        Input::SmallTogether(frames) => run_together::<Small>(config, &lists(frames)),
    }
});

fn alone(frames: Alone) -> Vec<(Vec<Op>, Owned)> {
    frames.0.into_iter().map(|(ops, owned)| (ops.0, owned)).collect()
}

fn lists(frames: Together) -> Vec<(Vec<Vec<Op>>, Owned)> {
    let lists = |lists: [Few<Op>; THREADS]| lists.into_iter().map(|list| list.0).collect();
    frames.0.into_iter().map(|(all, owned)| (lists(all), owned)).collect()
}
