//! Fuzzes the model test of `SlotMap`: after any operations, it holds the same as maps of std.

#![no_main]

include!("../../tests/common/arbitrary.rs");
#[path = "../../tests/it/buffer.rs"]
mod buffer;
#[path = "../rest.rs"]
mod rest;
#[path = "../../tests/it/slot_map_op.rs"]
mod slot_map_op;
#[path = "../../tests/it/slot_map_twin.rs"]
mod slot_map_twin;
#[path = "../../tests/it/slot_map_value.rs"]
mod slot_map_value;

use libfuzzer_sys::fuzz_target;
use rest::Rest;
use slot_map_op::{Compact, Config, Medium, Once, Op, Plain, Small, SmallTagged, Tagged};
use slot_map_twin::Model;
use std::rc::Rc;

arbitrary! {
    /// The type of keys, and the size of values.
    enum Kind {
        Plain,
        Tagged,
        Compact,
        Medium,
        Small,
        SmallTagged,
        Once,
        /// Values that need no drop.
        PlainBare,
        TaggedBare,
    }
}

fuzz_target!(|input: (Kind, Config, Rest<Op>)| {
    let (kind, config, Rest(ops)) = input;
    match kind {
        Kind::Plain => Model::<Plain, 1000, Rc<()>>::run(config, &ops),
        Kind::Tagged => Model::<Tagged, 5, Rc<()>>::run(config, &ops),
        Kind::Compact => Model::<Compact, 1000, Rc<()>>::run(config, &ops),
        Kind::Medium => Model::<Medium, 1000, Rc<()>>::run(config, &ops),
        Kind::Small => Model::<Small, 0, Rc<()>>::run(config, &ops),
        Kind::SmallTagged => Model::<SmallTagged, 1000, Rc<()>>::run(config, &ops),
        Kind::Once => Model::<Once, 0, Rc<()>>::run(config, &ops),
        Kind::PlainBare => Model::<Plain, 1000, ()>::run(config, &ops),
        Kind::TaggedBare => Model::<Tagged, 0, ()>::run(config, &ops),
    }
});
