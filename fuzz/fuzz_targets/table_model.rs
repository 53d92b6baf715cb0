//! Fuzzes the model test of tables: after any operations, a table holds and finds the same rows as a map of its rows.

#![no_main]

include!("../../tests/common/arbitrary.rs");
#[path = "../rest.rs"]
mod rest;
#[path = "../../tests/it/slot_map_op.rs"]
#[allow(dead_code, reason = "the model of slot maps")]
mod slot_map_op;
#[path = "../../tests/it/table_op.rs"]
mod table_op;
#[path = "../../tests/it/table_twin.rs"]
mod table_twin;

use libfuzzer_sys::fuzz_target;
use rest::Rest;
use table_op::{Config, Op};
use table_twin::Twin;

arbitrary! {
    /// Whether indexed parts have a drop.
    enum Kind {
        Boxed,
        Bare,
    }
}

fuzz_target!(|input: (Kind, Config, Rest<Op>)| {
    let (kind, config, Rest(ops)) = input;
    match kind {
        Kind::Boxed => Twin::<Box<u8>>::run(config, &ops),
        Kind::Bare => Twin::<()>::run(config, &ops),
    }
});
