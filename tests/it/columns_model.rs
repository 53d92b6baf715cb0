//! Model tests: after any operations on `Columns` and a `Vec` of rows, both hold the same rows; and so with `Groups`, and
//! with an `ErasedColumn` and a `Vec`.

use crate::columns_op::{Config, Model, Op};
use crate::columns_record::{Joined, Mixed, Record, Twelve};
use crate::groups_op::{Boxed, Empty, Lane, Plain};
use crate::{erased_op, groups_op, made};
use stayput::{Columns, Groups};
use std::hash::Hash;

fn agree_with_rows<R: Record>(cases: u32)
where
    Columns<R>: Ord + Hash,
{
    made::run_with(cases, 1..80, |config: Config, ops: &[Op]| {
        Model::<R>::run(config, ops);
    });
}

#[test]
fn columns_of_all_kinds_agree_with_the_model() {
    agree_with_rows::<Mixed>(60);
}

#[test]
fn one_column_agrees_with_the_model() {
    agree_with_rows::<(u32,)>(40);
}

#[test]
fn twelve_columns_agree_with_the_model() {
    agree_with_rows::<Twelve>(40);
}

#[test]
fn columns_of_two_lists_agree_with_the_model() {
    agree_with_rows::<Joined>(20);
}

fn groups_agree_with_rows<R: Lane, const N: usize>(cases: u32)
where
    Groups<R, N>: Clone + PartialEq,
{
    made::run_with(cases, 1..60, |max_len: Option<u8>, ops: &[groups_op::Op]| {
        groups_op::Model::<R, N>::run(max_len, ops);
    });
}

#[test]
fn groups_agree_with_the_model() {
    groups_agree_with_rows::<Boxed, 1>(10);
    groups_agree_with_rows::<Boxed, 3>(10);
    groups_agree_with_rows::<Plain, 8>(10);
    groups_agree_with_rows::<Empty, 4>(10);
}

fn erased_agrees<T: erased_op::Value>(cases: u32) {
    made::run_with(cases, 1..60, |in_heap: bool, ops: &[erased_op::Op]| {
        erased_op::Model::<T>::run(in_heap, ops);
    });
}

#[test]
fn columns_of_unknown_types_agree_with_the_model() {
    erased_agrees::<u64>(10);
    erased_agrees::<String>(10);
    erased_agrees::<()>(10);
    erased_agrees::<erased_op::Aligned>(10);
}
