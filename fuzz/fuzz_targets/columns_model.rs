//! Fuzzes the model test of columns: after any operations on them and a `Vec` of rows, both hold the same rows.

#![no_main]

include!("../../tests/common/arbitrary.rs");
#[path = "../../tests/it/columns_op.rs"]
mod columns_op;

use columns_op::{Config, Mixed, Model, Op, Twelve};
use libfuzzer_sys::fuzz_target;

arbitrary! {
    enum Kind {
        Mixed,
        One,
        Twelve,
    }
}

fuzz_target!(|input: (Kind, Config, Vec<Op>)| {
    let (kind, config, ops) = input;
    match kind {
        Kind::Mixed => Model::<Mixed>::run(config, &ops),
        Kind::One => Model::<(u32,)>::run(config, &ops),
        Kind::Twelve => Model::<Twelve>::run(config, &ops),
    }
});
