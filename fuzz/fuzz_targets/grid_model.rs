//! Fuzzes the model test of grids: after any operations, a grid finds the points that a search over all of them finds.

#![no_main]

include!("../../tests/common/arbitrary.rs");
#[path = "../../tests/it/grid_op.rs"]
mod grid_op;

use grid_op::{Config, Model, Op};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|input: (bool, Config, Vec<Op>)| {
    let (is_flat, config, ops) = input;
    if is_flat {
        Model::<2>::run(config, &ops);
    } else {
        Model::<3>::run(config, &ops);
    }
});
