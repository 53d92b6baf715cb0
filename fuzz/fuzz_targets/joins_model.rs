//! Fuzzes the model test of joins: after any operations on a `SlotMap` and two `SecondaryMap`s, joins yield the keys that
//! all of them have, with their values.

#![no_main]

include!("../../tests/common/arbitrary.rs");
#[path = "../../tests/it/joins_op.rs"]
mod joins_op;
#[path = "../rest.rs"]
mod rest;

use joins_op::{Aligned, Op, check, ends_of};
use libfuzzer_sys::fuzz_target;
use rest::Rest;

arbitrary! {
    enum Kind {
        Numbers,
        WideAndNothing,
        NothingAndAligned,
    }
}

fuzz_target!(|input: (Kind, u128, u8, Rest<Op>)| {
    let (kind, ends, count, Rest(ops)) = input;
    let ends = ends_of(ends, count);
    match kind {
        Kind::Numbers => check::<u32, u32>(&ops, &ends),
        Kind::WideAndNothing => check::<[u32; 9], ()>(&ops, &ends),
        Kind::NothingAndAligned => check::<(), Aligned>(&ops, &ends),
    }
});
