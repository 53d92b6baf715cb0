//! Whatever is done to `Columns` and to a `Vec` of rows, both hold the same.

use crate::columns_op::{Config, Mixed, Model, Op, Record, Twelve};
use crate::effort;
use proptest::collection::vec;
use proptest::prelude::*;
use stayput::Columns;
use std::hash::Hash;

fn agree_with_rows<R: Record>(cases: u32)
where
    Columns<R>: Ord + Hash,
{
    proptest!(effort::cases(cases), |(config: Config, ops in vec(any::<Op>(), 1..80))| {
        Model::<R>::run(config, &ops);
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
