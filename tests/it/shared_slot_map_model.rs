//! Model tests: after any operations on a `SharedSlotMap`, by one or several threads and its owner in between, it holds
//! the same as a map of std, and a key finds either its own value or nothing.

use crate::effort;
use crate::made::made;
use crate::shared_slot_map_op::{Config, Op, Owned};
use crate::shared_slot_map_twin::{run, run_together};
use crate::slot_map_op::{Medium, Once, Plain, Small, SmallTagged, Tagged};
use proptest::collection::vec;
use proptest::proptest;
use stayput::Key;
use std::ops::Range;

fn agrees<K: Key>(cases: u32) {
    let frames = vec((vec(made::<Op>(), 0..20), made::<Owned>()), 1..12);
    proptest!(effort::cases(cases), |(config in made::<Config>(), frames in frames)| {
        run::<K>(config, &frames);
    });
}

#[test]
fn keys_of_64_bits_find_their_values_alone() {
    agrees::<Plain>(60);
    agrees::<Tagged>(30);
}

#[test]
fn keys_with_few_generations_find_their_values_alone() {
    agrees::<Medium>(40);
    agrees::<Small>(40);
    agrees::<SmallTagged>(40);
}

#[test]
fn keys_that_are_used_once_find_their_values_alone() {
    agrees::<Once>(60);
}

fn threads_lose_nothing<K: Key + Send + Sync>(cases: u32, ops: Range<usize>, threads: usize) {
    let frame = (vec(vec(made::<Op>(), ops), 2..=threads), made::<Owned>());
    proptest!(effort::cases(cases), |(config in made::<Config>(), frames in vec(frame, 1..6))| {
        run_together::<K>(config, &frames);
    });
}

#[test]
fn values_are_inserted_and_removed_by_threads_exactly_once() {
    threads_lose_nothing::<Plain>(40, 0..30, 3);
    threads_lose_nothing::<Small>(40, 0..30, 3);
    threads_lose_nothing::<Plain>(8, 50..200, 4);
    threads_lose_nothing::<SmallTagged>(8, 50..200, 4);
    threads_lose_nothing::<Medium>(8, 50..200, 4);
}
