//! Whatever is done to a `SharedVec` and to a `Vec`, both hold the same; and whatever threads append to one, it is
//! there once, in the order of each.

use crate::effort;
use crate::elements::{PageSized, ZeroSized};
use crate::op::Config;
use crate::shared_op::{Held, Model, Op, Page, Tagged, run_together};
use proptest::collection::vec;
use proptest::prelude::*;

/// Runs random operations; fails with the shortest list of them that does.
fn agrees_with_vec<T: Held>(cases: u32) {
    proptest!(effort::cases(cases), |(config: Config, ops in vec(any::<Op>(), 1..80))| {
        Model::<T>::run(config, &ops);
    });
}

#[test]
fn bytes_agree_with_vec() {
    agrees_with_vec::<u8>(40);
}

#[test]
fn words_agree_with_vec() {
    agrees_with_vec::<u64>(60);
}

#[test]
fn three_byte_elements_agree_with_vec() {
    agrees_with_vec::<[u8; 3]>(40);
}

#[test]
fn elements_with_memory_of_their_own_agree_with_vec() {
    agrees_with_vec::<String>(40);
}

#[test]
fn zero_sized_elements_agree_with_vec() {
    agrees_with_vec::<ZeroSized>(60);
}

#[test]
fn page_aligned_elements_agree_with_vec() {
    agrees_with_vec::<PageSized>(60);
}

fn threads_lose_nothing<T: Tagged>(cases: u32) {
    let lists = vec(vec(any::<Op>(), 1..60), 2..=3);
    proptest!(effort::cases(cases), |(config: Config, lists in lists)| {
        run_together::<T>(config, &lists);
    });
}

#[test]
fn words_of_threads_are_there_once_and_in_the_order_of_each() {
    threads_lose_nothing::<u64>(40);
}

#[test]
fn elements_with_memory_of_their_own_are_there_once_and_in_the_order_of_each() {
    threads_lose_nothing::<String>(40);
}

#[test]
fn page_aligned_elements_of_threads_are_there_once_and_in_the_order_of_each() {
    threads_lose_nothing::<Page>(60);
}
