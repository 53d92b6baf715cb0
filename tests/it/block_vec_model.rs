//! Whatever is done to a `BlockVec` and to a `Vec`, both hold the same.

use crate::block_vec_op::{Config, Model, Op};
use crate::effort;
use crate::elements::{Element, PageSized, ZeroSized};
use proptest::collection::vec;
use proptest::prelude::*;

/// Runs random operations; fails with the shortest list of them that does.
fn agrees_with_vec<T: Element>(cases: u32) {
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
