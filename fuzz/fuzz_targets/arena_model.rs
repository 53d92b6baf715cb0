//! Fuzzes the model test of arenas: after any operations on an `Arena`, its scopes and boxes, all values are what was
//! stored, and lie where they should; each that has an owner is dropped once.

#![no_main]

include!("../../tests/common/arbitrary.rs");
#[path = "../../tests/it/arena_op/mod.rs"]
mod arena_op;
#[path = "../rest.rs"]
mod rest;

use arena_op::{Config, Model, Op};
use libfuzzer_sys::fuzz_target;
use rest::Rest;

fuzz_target!(|input: (Config, Rest<Op>)| {
    let (config, Rest(ops)) = input;
    Model::run(config, &ops);
});
