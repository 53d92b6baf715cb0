//! Model tests: after any operations on a `DenseSlotMap` and a `HashMap` with a list of keys, both hold the same, in
//! the same order.

use crate::dense_op::{Config, Op, Record, Spend, Stored, Value};
use crate::dense_twin::Model;
use crate::made;
use crate::slot_map_op::{Compact, Plain, SmallTagged, Tagged};
use arbitrary::Unstructured;
use stayput::{Columns, Key, VmVec};

fn agree<K: Key, S: Stored>(cases: u32) {
    // Otherwise few lists would have many values and interrupted passes.
    let op = |bytes: &mut Unstructured<'_>| match bytes.int_in_range(0..=47)? {
        0..2 => bytes.arbitrary().map(Op::InsertMore),
        2..7 => Ok(Op::Defragment(bytes.arbitrary()?, bytes.arbitrary()?)),
        _ => bytes.arbitrary(),
    };
    made::run_with_made(cases, 1..80, op, |config: Config, ops| {
        Model::<K, S>::run(config, ops);
    });
}

#[test]
fn a_started_sort_ends_when_all_rows_are_removed() {
    let config = Config { max_len: None, capacity: 0, reuse: 0, is_ahead: false, release: 0 };
    let ops = [
        Op::InsertMore(27),
        Op::Defragment(Spend::Swaps(44), None),
        Op::RemoveSpan(0, 255),
        Op::RemoveSpan(0, 255),
        Op::DefragmentAll(0),
    ];
    Model::<Plain, Columns<Record>>::run(config, &ops);
}

#[test]
fn values_with_keys_of_64_bits_agree_with_the_model() {
    agree::<Plain, VmVec<Value>>(15);
}

#[test]
fn values_with_keys_of_32_bits_agree_with_the_model() {
    agree::<Compact, VmVec<Value>>(10);
}

#[test]
fn values_with_tagged_keys_agree_with_the_model() {
    agree::<Tagged, VmVec<Value>>(10);
}

#[test]
fn values_with_keys_of_few_generations_agree_with_the_model() {
    agree::<SmallTagged, VmVec<Value>>(25);
}

#[test]
fn rows_in_columns_agree_with_the_model() {
    agree::<Plain, Columns<Record>>(12);
    agree::<Tagged, Columns<Record>>(6);
}

#[test]
fn rows_in_columns_with_keys_of_few_generations_agree_with_the_model() {
    agree::<SmallTagged, Columns<Record>>(12);
}
