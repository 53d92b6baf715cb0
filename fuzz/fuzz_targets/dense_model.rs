//! Whatever is done to a dense map, it holds what a `HashMap` and a list of its keys hold: the model test, fuzzed.

#![no_main]

#[path = "../../tests/it/dense_op.rs"]
mod dense_op;
#[path = "../../tests/it/dense_twin.rs"]
mod dense_twin;

use dense_op::{Compact, Config, Op, Plain, Record, Small, Tagged, Value};
use dense_twin::Model;
use libfuzzer_sys::fuzz_target;
use stayput::{Columns, VmVec};

#[derive(Clone, Copy, Debug, arbitrary::Arbitrary)]
enum Kind {
    Plain,
    Compact,
    Tagged,
    Small,
    Columns,
    SmallColumns,
}

fuzz_target!(|input: (Kind, Config, Vec<Op>)| {
    let (kind, config, ops) = input;
    match kind {
        Kind::Plain => Model::<Plain, VmVec<Value>>::run(config, &ops),
        Kind::Compact => Model::<Compact, VmVec<Value>>::run(config, &ops),
        Kind::Tagged => Model::<Tagged, VmVec<Value>>::run(config, &ops),
        Kind::Small => Model::<Small, VmVec<Value>>::run(config, &ops),
        Kind::Columns => Model::<Plain, Columns<Record>>::run(config, &ops),
        Kind::SmallColumns => Model::<Small, Columns<Record>>::run(config, &ops),
    }
});
