//! Fuzzes the model test of `VmVec`: after any operations on it and a `Vec`, both hold the same elements.

#![no_main]

include!("../../tests/common/arbitrary.rs");
#[path = "../../tests/it/arrays/mod.rs"]
#[allow(dead_code, reason = "the models of other arrays")]
mod arrays;
#[path = "../../tests/it/buffer.rs"]
mod buffer;
#[path = "../rest.rs"]
mod rest;

use arrays::{
    Kind,
    op::{Config, Op},
    run,
    vm_vec::Own,
};
use libfuzzer_sys::fuzz_target;
use rest::Rest;
use stayput::VmVec;

fuzz_target!(|input: (Kind, Config, Rest<Op<Own>>)| {
    let (kind, config, Rest(ops)) = input;
    run!(kind, VmVec, config, &ops);
});
