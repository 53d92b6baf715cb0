//! Fuzzes the model test of columns: after any operations on them and a `Vec` of rows, both hold the same rows.

#![no_main]

include!("../../tests/common/arbitrary.rs");
#[path = "../../tests/it/columns_op.rs"]
mod columns_op;
#[path = "../../tests/it/columns_record.rs"]
mod columns_record;
#[path = "../../tests/it/erased_op.rs"]
mod erased_op;
#[path = "../../tests/it/groups_op.rs"]
mod groups_op;
#[path = "../rest.rs"]
mod rest;
#[path = "../../tests/it/slot_map_value.rs"]
#[allow(dead_code, reason = "the model of slot maps")]
mod slot_map_value;

use columns_op::{Config, Model, Op};
use columns_record::{Joined, Mixed, Twelve};
use groups_op::{Boxed, Empty, Plain};
use libfuzzer_sys::fuzz_target;
use rest::Rest;

type Columns = (Config, Rest<Op>);
type Groups = (Option<u8>, Rest<groups_op::Op>);
type Erased = (bool, Rest<erased_op::Op>);

arbitrary! {
    #[derive(Debug)]
    enum Input {
        Mixed(Columns),
        One(Columns),
        Twelve(Columns),
        Joined(Columns),
        BoxedGroups(Groups),
        PlainGroups(Groups),
        EmptyGroups(Groups),
        ErasedWords(Erased),
        ErasedTexts(Erased),
        ErasedNothing(Erased),
        ErasedLines(Erased),
    }
}

fuzz_target!(|input: Input| match input {
    Input::Mixed((config, Rest(ops))) => Model::<Mixed>::run(config, &ops),
    Input::One((config, Rest(ops))) => Model::<(u32,)>::run(config, &ops),
    Input::Twelve((config, Rest(ops))) => Model::<Twelve>::run(config, &ops),
    Input::Joined((config, Rest(ops))) => Model::<Joined>::run(config, &ops),
    Input::BoxedGroups((max_len, Rest(ops))) => groups_op::Model::<Boxed, 3>::run(max_len, &ops),
    Input::PlainGroups((max_len, Rest(ops))) => groups_op::Model::<Plain, 8>::run(max_len, &ops),
    Input::EmptyGroups((max_len, Rest(ops))) => groups_op::Model::<Empty, 4>::run(max_len, &ops),
    Input::ErasedWords((in_heap, Rest(ops))) => erased_op::Model::<u64>::run(in_heap, &ops),
    Input::ErasedTexts((in_heap, Rest(ops))) => erased_op::Model::<String>::run(in_heap, &ops),
    Input::ErasedNothing((in_heap, Rest(ops))) => erased_op::Model::<()>::run(in_heap, &ops),
    Input::ErasedLines((in_heap, Rest(ops))) =>
        erased_op::Model::<erased_op::Aligned>::run(in_heap, &ops),
});
