//! Fuzzes the model test of `VmVec`: after any operations on it and a `Vec`, both hold the same elements.

#![no_main]

include!("../../tests/common/arbitrary.rs");
#[path = "../../tests/it/arrays/mod.rs"]
#[allow(dead_code, reason = "the models of other arrays")]
mod arrays;
#[path = "../../tests/it/buffer.rs"]
mod buffer;

use arrays::{
    Kind,
    op::{Config, Op},
    run,
    vm_vec::Own,
};
use libfuzzer_sys::fuzz_target;
use stayput::VmVec;

fuzz_target!(|input: (Kind, Config, Vec<Op<Own>>)| {
    let (kind, config, ops) = input;
    run!(kind, VmVec, config, &ops);
});
