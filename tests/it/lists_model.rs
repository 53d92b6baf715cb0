//! Model tests: after any operations on a `ListPool` and a map of `Vec`s, both hold the same lists.

use crate::lists_op::{Config, Item, Line, Model, Op};
use crate::made;

fn agree_with_arrays<T: Item>(cases: u32) {
    made::run_with(cases, 1..100, |config: Config, ops: &[Op]| Model::<T>::run(config, ops));
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
