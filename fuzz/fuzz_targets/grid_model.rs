//! Fuzzes the model test of grids: after any operations, a grid finds the points that a search over all of them finds.

#![no_main]

include!("../../tests/common/arbitrary.rs");
#[path = "../../tests/it/grid_op.rs"]
mod grid_op;
#[path = "../rest.rs"]
mod rest;

use grid_op::{Config, Model, Op};
use libfuzzer_sys::fuzz_target;
use rest::Rest;

fuzz_target!(|input: (bool, Config, Rest<Op>)| {
    let (is_flat, config, Rest(ops)) = input;
    if is_flat {
        Model::<2>::run(config, &ops);
    } else {
        Model::<3>::run(config, &ops);
    }
});
