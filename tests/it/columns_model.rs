//! Model tests: after any operations on `Columns` and a `Vec` of rows, both hold the same rows.

use crate::columns_op::{Config, Mixed, Model, Op, Record, Twelve};
use crate::made;
use stayput::Columns;
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
