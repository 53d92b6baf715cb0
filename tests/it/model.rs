//! Whatever is done to a `VmVec` and to a `Vec`, both hold the same.

use crate::elements::{Element, PageSized, ZeroSized};
use crate::op::{Config, Model, Op};
use proptest::collection::vec;
use proptest::prelude::*;

/// Runs random operations; fails with the shortest list of them that does.
fn agrees_with_vec<T: Element>(cases: u32) {
    let config = ProptestConfig { cases, failure_persistence: None, ..ProptestConfig::default() };
    proptest!(config, |(config: Config, ops in vec(any::<Op>(), 1..80))| {
        Model::<T>::run(config, &ops);
    });
}

#[test]
fn bytes_agree_with_vec() {
    agrees_with_vec::<u8>(160);
}

#[test]
fn words_agree_with_vec() {
    agrees_with_vec::<u64>(240);
}

#[test]
fn three_byte_elements_agree_with_vec() {
    agrees_with_vec::<[u8; 3]>(160);
}

#[test]
fn elements_with_memory_of_their_own_agree_with_vec() {
    agrees_with_vec::<String>(160);
}

#[test]
fn zero_sized_elements_agree_with_vec() {
    agrees_with_vec::<ZeroSized>(240);
}

#[test]
fn page_aligned_elements_agree_with_vec() {
    agrees_with_vec::<PageSized>(240);
}
