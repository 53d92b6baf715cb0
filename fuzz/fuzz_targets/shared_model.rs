//! Fuzzes the model tests of `SharedVec`: after any operations on it and a `Vec`, both hold the same elements, and it
//! holds all elements that threads append.

#![no_main]

include!("../../tests/common/arbitrary.rs");
#[path = "../../tests/it/arrays/mod.rs"]
#[allow(dead_code, reason = "the models of other arrays")]
mod arrays;
#[path = "../../tests/it/buffer.rs"]
mod buffer;

use arrays::op::{Config, Op};
use arrays::shared_vec::Own;
use arrays::threads::{Page, run_together};
use arrays::{Kind, run};
use libfuzzer_sys::fuzz_target;
use stayput::SharedVec;

const THREADS: usize = 3;

arbitrary! {
    #[derive(Debug)]
    /// The type of elements, and the operations of one thread or of several.
    enum Input {
        Alone(Kind, Vec<Op<Own>>),
        Words([Vec<Own>; THREADS]),
        Texts([Vec<Own>; THREADS]),
        Pages([Vec<Own>; THREADS]),
    }
}

fuzz_target!(|input: (Config, Input)| {
    let (config, input) = input;
    match input {
        Input::Alone(kind, ops) => run!(kind, SharedVec, config, &ops),
        Input::Words(lists) => run_together::<u64>(config, &lists),
        Input::Texts(lists) => run_together::<String>(config, &lists),
        Input::Pages(lists) => run_together::<Page>(config, &lists),
    }
});
