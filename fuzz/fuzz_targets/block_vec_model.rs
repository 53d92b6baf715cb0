//! Whatever is done to a `BlockVec` and to a `Vec`, both hold the same: the model test, fuzzed.

#![no_main]

#[path = "../../tests/it/block_vec_op.rs"]
mod block_vec_op;
#[allow(dead_code, reason = "the model of `VmVec` uses all of it")]
#[path = "../../tests/it/elements.rs"]
mod elements;

use block_vec_op::{Config, Model, Op};
use elements::{PageSized, ZeroSized};
use libfuzzer_sys::fuzz_target;

/// What the array holds.
#[derive(Clone, Copy, Debug, arbitrary::Arbitrary)]
enum Element {
    Byte,
    Word,
    ThreeBytes,
    Text,
    ZeroSized,
    PageSized,
}

fuzz_target!(|input: (Element, Config, Vec<Op>)| {
    let (element, config, ops) = input;
    match element {
        Element::Byte => Model::<u8>::run(config, &ops),
        Element::Word => Model::<u64>::run(config, &ops),
        Element::ThreeBytes => Model::<[u8; 3]>::run(config, &ops),
        Element::Text => Model::<String>::run(config, &ops),
        Element::ZeroSized => Model::<ZeroSized>::run(config, &ops),
        Element::PageSized => Model::<PageSized>::run(config, &ops),
    }
});
