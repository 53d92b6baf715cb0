//! Fuzzes the model test of indices of sets: after any operations, they hold the same as a `HashMap` of sets.

#![no_main]

include!("../../tests/common/arbitrary.rs");
#[path = "../rest.rs"]
mod rest;
#[path = "../../tests/it/sets_op.rs"]
mod sets_op;

use libfuzzer_sys::fuzz_target;
use rest::Rest;
use sets_op::{Config, Model, Op, Spreads};
use stayput::index::{ListIndex, SetIndex};

arbitrary! {
    enum Kind {
        Sets,
        Lists,
        WrongSets,
        WrongLists,
    }
}

fuzz_target!(|input: (Kind, Config, Rest<Op>)| {
    let (kind, config, Rest(ops)) = input;
    match kind {
        Kind::Sets => Model::<SetIndex<Spreads>>::run(config, &ops),
        Kind::Lists => Model::<ListIndex<Spreads>>::run(config, &ops),
        Kind::WrongSets => Model::<SetIndex<Spreads>>::run_wrong(config, &ops),
        Kind::WrongLists => Model::<ListIndex<Spreads>>::run_wrong(config, &ops),
    }
});
