//! Fuzzes the model test of dense maps: after any operations, a map holds the same as a `HashMap` and a list of its
//! keys.

#![no_main]

include!("../../tests/common/arbitrary.rs");
#[path = "../../tests/it/dense_op.rs"]
mod dense_op;
#[path = "../../tests/it/dense_twin.rs"]
mod dense_twin;
#[path = "../rest.rs"]
mod rest;
#[path = "../../tests/it/slot_map_op.rs"]
#[allow(dead_code, reason = "the model of slot maps")]
mod slot_map_op;
#[path = "../../tests/it/slot_map_value.rs"]
#[allow(dead_code, reason = "the model of slot maps")]
mod slot_map_value;

use dense_op::{Config, Op, Record, Value};
use dense_twin::Model;
use libfuzzer_sys::fuzz_target;
use rest::Rest;
use slot_map_op::{Compact, Plain, SmallTagged, Tagged};
use stayput::{Columns, VmVec};

arbitrary! {
    enum Kind {
        Plain,
        Compact,
        Tagged,
        Small,
        Columns,
        SmallColumns,
    }
}

fuzz_target!(|input: (Kind, Config, Rest<Op>)| {
    let (kind, config, Rest(ops)) = input;
    match kind {
        Kind::Plain => Model::<Plain, VmVec<Value>>::run(config, &ops),
        Kind::Compact => Model::<Compact, VmVec<Value>>::run(config, &ops),
        Kind::Tagged => Model::<Tagged, VmVec<Value>>::run(config, &ops),
        Kind::Small => Model::<SmallTagged, VmVec<Value>>::run(config, &ops),
        Kind::Columns => Model::<Plain, Columns<Record>>::run(config, &ops),
        Kind::SmallColumns => Model::<SmallTagged, Columns<Record>>::run(config, &ops),
    }
});
