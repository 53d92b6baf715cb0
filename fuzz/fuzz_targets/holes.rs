//! After any operations on the bitmap of a slot map's holes and on a `BTreeSet`, both hold the same.

#![no_main]

include!("../../tests/common/arbitrary.rs");
#[path = "../../src/slots/holes/bitmap/tests/op.rs"]
mod op;
#[path = "../rest.rs"]
mod rest;

use libfuzzer_sys::fuzz_target;
use op::{Model, Op};
use rest::Rest;
use stayput::Bitmap;

fuzz_target!(|ops: Rest<Op>| Model::run(&ops.0));
