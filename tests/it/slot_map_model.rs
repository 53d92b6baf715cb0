//! Model tests: after any operations on a `SlotMap` and maps of std, both hold the same, and a key finds either its own
//! value or nothing.

use crate::made;
use crate::slot_map_op::{Compact, Config, Medium, Once, Op, Plain, Small, SmallTagged, Tagged};
use crate::slot_map_twin::Model;
use crate::slot_map_value::Token;
use stayput::Key;
use std::rc::Rc;

/// Runs random operations, and reports the shortest list that fails. With a `PAD` of a thousand bytes, memory is
/// returned for as few as 64 slots.
fn agrees<K: Key, const PAD: usize, T: Token>(cases: u32) {
    made::run_with(cases, 1..60, |config: Config, ops: &[Op]| {
        Model::<K, PAD, T>::run(config, ops);
    });
}

#[test]
fn keys_of_64_bits_find_their_values_alone() {
    agrees::<Plain, 1000, Rc<()>>(10);
}

#[test]
fn keys_of_64_bits_with_a_tag_find_their_values_alone() {
    agrees::<Tagged, 5, Rc<()>>(10);
}

#[test]
fn keys_of_32_bits_find_their_values_alone() {
    agrees::<Compact, 1000, Rc<()>>(10);
}

#[test]
fn keys_with_few_generations_and_blocks_that_are_trimmed_find_their_values_alone() {
    agrees::<Medium, 1000, Rc<()>>(20);
}

#[test]
fn keys_with_few_generations_find_their_values_alone() {
    agrees::<Small, 0, Rc<()>>(20);
}

#[test]
fn keys_with_few_generations_and_a_tag_find_their_values_alone() {
    agrees::<SmallTagged, 1000, Rc<()>>(20);
}

#[test]
fn keys_that_are_used_once_find_their_values_alone() {
    agrees::<Once, 0, Rc<()>>(20);
}

#[test]
fn keys_of_large_values_with_nothing_to_drop_find_them_alone() {
    agrees::<Plain, 1000, ()>(10);
}

#[test]
fn keys_of_small_values_with_nothing_to_drop_find_them_alone() {
    agrees::<Tagged, 0, ()>(10);
    agrees::<Plain, 0, ()>(10);
}

#[test]
fn keys_with_few_generations_of_values_with_nothing_to_drop_find_them_alone() {
    agrees::<Medium, 1000, ()>(10);
}
