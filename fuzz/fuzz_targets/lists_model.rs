//! Fuzzes the model test of lists: after any operations on a pool and a map of `Vec`s, both hold the same lists.

#![no_main]

include!("../../tests/common/arbitrary.rs");
#[path = "../../tests/it/lists_op.rs"]
mod lists_op;
#[path = "../../tests/it/lists_pool.rs"]
mod lists_pool;
#[path = "../rest.rs"]
mod rest;

use libfuzzer_sys::fuzz_target;
use lists_op::{Config, Model, Op};
use lists_pool::Line;
use rest::Rest;
use stayput::{DefaultKey, ListPool, SecondaryLists};

arbitrary! {
    enum Kind {
        Bytes,
        Numbers,
        Texts,
        Nothing,
        Lines,
        SecondaryNumbers,
        SecondaryTexts,
    }
}

type Secondary<T> = SecondaryLists<DefaultKey, T>;

fuzz_target!(|input: (Kind, Config, Rest<Op>)| {
    let (kind, config, Rest(ops)) = input;
    match kind {
        Kind::Bytes => Model::<u8, ListPool<_>>::run(config, &ops),
        Kind::Numbers => Model::<u32, ListPool<_>>::run(config, &ops),
        Kind::Texts => Model::<String, ListPool<_>>::run(config, &ops),
        Kind::Nothing => Model::<(), ListPool<_>>::run(config, &ops),
        Kind::Lines => Model::<Line, ListPool<_>>::run(config, &ops),
        Kind::SecondaryNumbers => Model::<u32, Secondary<_>>::run(config, &ops),
        Kind::SecondaryTexts => Model::<String, Secondary<_>>::run(config, &ops),
    }
});
