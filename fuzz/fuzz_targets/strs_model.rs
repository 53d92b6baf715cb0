//! Fuzzes the model test of strings: after any operations on a `StrPool` and a map of strings, both hold the same strings
//! and find the same ones.

#![no_main]

include!("../../tests/common/arbitrary.rs");
#[path = "../../tests/it/strs_op.rs"]
mod strs_op;

use libfuzzer_sys::fuzz_target;
use stayput::DefaultKey;
use strs_op::{Config, Model, Op, Small};

fuzz_target!(|input: (bool, Config, Vec<Op>)| {
    let (has_few_keys, config, ops) = input;
    if has_few_keys {
        Model::<Small>::run(config, &ops);
    } else {
        Model::<DefaultKey>::run(config, &ops);
    }
});
