//! Fuzzes the model test of lists: after any operations on a pool and a map of `Vec`s, both hold the same lists.

#![no_main]

include!("../../tests/common/arbitrary.rs");
#[path = "../../tests/it/lists_op.rs"]
mod lists_op;

use libfuzzer_sys::fuzz_target;
use lists_op::{Config, Line, Model, Op};

arbitrary! {
    enum Kind {
        Bytes,
        Numbers,
        Texts,
        Nothing,
        Lines,
    }
}

fuzz_target!(|input: (Kind, Config, Vec<Op>)| {
    let (kind, config, ops) = input;
    match kind {
        Kind::Bytes => Model::<u8>::run(config, &ops),
        Kind::Numbers => Model::<u32>::run(config, &ops),
        Kind::Texts => Model::<String>::run(config, &ops),
        Kind::Nothing => Model::<()>::run(config, &ops),
        Kind::Lines => Model::<Line>::run(config, &ops),
    }
});
