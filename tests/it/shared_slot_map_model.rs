//! Whatever is done to a `SharedSlotMap`, by one or several threads and the owner between them, it holds what a map of std
//! does, and a key finds the value that it was made for or none.

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
fn what_threads_put_in_and_take_out_is_so_once() {
    threads_lose_nothing::<Plain>(40, 0..30, 3);
    threads_lose_nothing::<Small>(40, 0..30, 3);
    threads_lose_nothing::<Plain>(8, 50..200, 4);
    threads_lose_nothing::<SmallTagged>(8, 50..200, 4);
    threads_lose_nothing::<Medium>(8, 50..200, 4);
}
