//! Fuzzes the model test of `BlockVec`: after any operations on it and a `Vec`, both hold the same elements.

#![no_main]

include!("../../tests/common/arbitrary.rs");
#[path = "../../tests/it/arrays/mod.rs"]
#[allow(dead_code, reason = "the models of other arrays")]
mod arrays;
#[path = "../../tests/it/buffer.rs"]
mod buffer;

use arrays::{
    Kind,
    block_vec::{Config, Own},
    op::Op,
    run,
};
use libfuzzer_sys::fuzz_target;
use stayput::BlockVec;

fuzz_target!(|input: (Kind, Config, Vec<Op<Own>>)| {
    let (kind, config, ops) = input;
    run!(kind, BlockVec, config, &ops);
});
