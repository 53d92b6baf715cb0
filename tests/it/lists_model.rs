//! Model tests: after any operations on a `ListPool` or `SecondaryLists` and a map of `Vec`s, both hold the same lists.

use crate::lists_op::{Config, Model, Op};
use crate::lists_pool::{Item, Line, Pool};
use crate::made;
use stayput::{DefaultKey, ListPool, SecondaryLists};

fn agree<T: Item, P: Pool<T>>(cases: u32) {
    made::run_with(cases, 1..100, |config: Config, ops: &[Op]| Model::<T, P>::run(config, ops));
}

fn agree_with_arrays<T: Item>(cases: u32) {
    agree::<T, ListPool<T>>(cases);
}

#[test]
fn lists_of_numbers_agree_with_the_model() {
    agree_with_arrays::<u32>(150);
}

#[test]
fn lists_of_bytes_agree_with_the_model() {
    agree_with_arrays::<u8>(60);
}

#[test]
fn lists_of_values_that_are_dropped_agree_with_the_model() {
    agree_with_arrays::<String>(60);
}

#[test]
fn lists_of_values_of_size_zero_agree_with_the_model() {
    agree_with_arrays::<()>(40);
}

#[test]
fn lists_of_aligned_values_agree_with_the_model() {
    agree_with_arrays::<Line>(40);
}

#[test]
fn lists_of_keys_agree_with_the_model() {
    agree::<u32, SecondaryLists<DefaultKey, u32>>(40);
    agree::<String, SecondaryLists<DefaultKey, String>>(20);
}
