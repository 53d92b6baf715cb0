//! Fuzzes the model test of strings: after any operations on a `StrPool` and a map of strings, both hold the same strings
//! and find the same ones.

#![no_main]

include!("../../tests/common/arbitrary.rs");
#[path = "../rest.rs"]
mod rest;
#[path = "../../tests/it/strs_op.rs"]
mod strs_op;

use libfuzzer_sys::fuzz_target;
use rest::Rest;
use stayput::DefaultKey;
use strs_op::{Config, Model, Op, Small};

fuzz_target!(|input: (bool, Config, Rest<Op>)| {
    let (has_few_keys, config, Rest(ops)) = input;
    if has_few_keys {
        Model::<Small>::run(config, &ops);
    } else {
        Model::<DefaultKey>::run(config, &ops);
    }
});
