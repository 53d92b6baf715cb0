//! Fuzzes the model tests of `SharedVec`: after any operations on it and a `Vec`, both hold the same elements, and it
//! holds all elements that threads append.

#![no_main]

include!("../../tests/common/arbitrary.rs");
#[path = "../../tests/it/arrays/mod.rs"]
#[allow(dead_code, reason = "the models of other arrays")]
mod arrays;
#[path = "../../tests/it/buffer.rs"]
mod buffer;
#[path = "../rest.rs"]
mod rest;

use arrays::op::{Config, Op};
use arrays::shared_vec::Own;
use arrays::threads::{Page, run_together};
use arrays::{Kind, run};
use libfuzzer_sys::fuzz_target;
use rest::{Few, Rest};
use stayput::SharedVec;

const THREADS: usize = 3;

arbitrary! {
    #[derive(Debug)]
    /// The type of elements, and the operations of one thread or of several.
    enum Input {
        Alone(Kind, Rest<Op<Own>>),
        Words(Rest<[Few<Own>; THREADS]>),
        Texts(Rest<[Few<Own>; THREADS]>),
        Pages(Rest<[Few<Own>; THREADS]>),
    }
}

fuzz_target!(|input: (Config, Input)| {
    let (config, input) = input;
    match input {
        Input::Alone(kind, Rest(ops)) => run!(kind, SharedVec, config, &ops),
        Input::Words(lists) => run_together::<u64>(config, &joined(lists)),
        Input::Texts(lists) => run_together::<String>(config, &joined(lists)),
        Input::Pages(lists) => run_together::<Page>(config, &joined(lists)),
    }
});

/// Returns the operations of each thread.
fn joined(parts: Rest<[Few<Own>; THREADS]>) -> [Vec<Own>; THREADS] {
    let mut lists = [const { Vec::new() }; THREADS];
    for part in parts.0 {
        lists.iter_mut().zip(part).for_each(|(list, more)| list.extend(more.0));
    }
    lists
}
