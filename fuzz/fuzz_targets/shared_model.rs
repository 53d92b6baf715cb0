//! Whatever is done to a `SharedVec` and to a `Vec`, both hold the same, and what threads append to one is there: the
//! model test, fuzzed.

#![no_main]

#[path = "../../tests/it/buffer.rs"]
mod buffer;
#[path = "../../tests/it/elements.rs"]
#[allow(dead_code, reason = "calls of one thread's arrays")]
mod elements;
#[path = "../../tests/it/op.rs"]
#[allow(dead_code, reason = "the model of one thread's arrays")]
mod op;
#[path = "../../tests/it/shared_op.rs"]
mod shared_op;

use elements::{PageSized, ZeroSized};
use libfuzzer_sys::fuzz_target;
use op::Config;
use shared_op::{Model, Op, Page, run_together};

/// What the array holds.
#[derive(Clone, Copy, Debug, arbitrary::Arbitrary)]
enum Element {
    Byte,
    Word,
    ThreeBytes,
    Text,
    ZeroSized,
    PageSized,
    /// Of threads.
    Words,
    Texts,
    Pages,
}

const THREADS: usize = 3;

fuzz_target!(|input: (Element, Config, [Vec<Op>; THREADS])| {
    let (element, config, lists) = input;
    let ops = &lists[0];
    match element {
        Element::Byte => Model::<u8>::run(config, ops),
        Element::Word => Model::<u64>::run(config, ops),
        Element::ThreeBytes => Model::<[u8; 3]>::run(config, ops),
        Element::Text => Model::<String>::run(config, ops),
        Element::ZeroSized => Model::<ZeroSized>::run(config, ops),
        Element::PageSized => Model::<PageSized>::run(config, ops),
        Element::Words => run_together::<u64>(config, &lists),
        Element::Texts => run_together::<String>(config, &lists),
        Element::Pages => run_together::<Page>(config, &lists),
    }
});
