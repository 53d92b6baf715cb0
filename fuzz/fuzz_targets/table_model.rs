//! Fuzzes the model test of tables: after any operations, a table holds and finds the same rows as a map of its rows.

#![no_main]

include!("../../tests/common/arbitrary.rs");
#[path = "../../tests/it/table_op.rs"]
mod table_op;
#[path = "../../tests/it/table_twin.rs"]
mod table_twin;

use libfuzzer_sys::fuzz_target;
use table_op::{Op, Spread};
use table_twin::Twin;

fuzz_target!(|input: (Spread, Vec<Op>)| {
    let (spread, ops) = input;
    Twin::run(spread, &ops);
});
