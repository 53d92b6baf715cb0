//! Fuzzes the model test of secondary maps: after any operations, both kinds hold the same as the model.

#![no_main]

include!("../../tests/common/arbitrary.rs");
#[path = "../rest.rs"]
mod rest;
#[path = "../../tests/it/secondary_op.rs"]
mod secondary_op;
#[path = "../../tests/it/slot_map_op.rs"]
#[allow(dead_code, reason = "the model of slot maps")]
mod slot_map_op;

use libfuzzer_sys::fuzz_target;
use rest::Rest;
use secondary_op::{Config, Model, Op};
use slot_map_op::{Compact, Plain, SmallTagged, Tagged};

arbitrary! {
    /// The type of keys, and the size of values: with large values, low indices are far already.
    enum Kind {
        Plain,
        PlainLarge,
        Tagged,
        Compact,
        Tiny,
    }
}

fuzz_target!(|input: (Kind, Config, Rest<Op>)| {
    let (kind, config, Rest(ops)) = input;
    match kind {
        Kind::Plain => Model::<Plain, 0>::run(config, &ops),
        Kind::PlainLarge => Model::<Plain, 16_376>::run(config, &ops),
        Kind::Tagged => Model::<Tagged, 44>::run(config, &ops),
        Kind::Compact => Model::<Compact, 4>::run(config, &ops),
        Kind::Tiny => Model::<SmallTagged, 0>::run(config, &ops),
    }
});
