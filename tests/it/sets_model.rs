//! Model tests: after any operations on indices of sets and a `HashMap` of sets, both hold the same.

use crate::made;
use crate::sets_op::{Config, Model, Op, Sets, Spreads};
use arbitrary::{Result, Unstructured};
use stayput::index::{ListIndex, SetIndex};

/// Operations that fill sets and remove single slots, more often than those that empty sets at once.
fn op(bytes: &mut Unstructured<'_>) -> Result<Op> {
    Ok(match bytes.int_in_range(0..=16)? {
        0..2 => Op::Insert(bytes.arbitrary()?, bytes.arbitrary()?),
        2..4 => Op::InsertMany(bytes.arbitrary()?, bytes.arbitrary()?, bytes.arbitrary()?),
        4 => Op::Remove(bytes.arbitrary()?),
        5 => Op::RemoveMost(bytes.arbitrary()?, bytes.arbitrary()?),
        _ => bytes.arbitrary()?,
    })
}

fn agree<I: Sets>(cases: u32) {
    made::run_with_made(cases, 1..80, op, |config: Config, ops| {
        Model::<I>::run(config, ops);
    });
}

fn keep<I: Sets>(cases: u32) {
    made::run_with_made(cases, 1..80, op, |config: Config, ops| {
        Model::<I>::run_wrong(config, ops);
    });
}

#[test]
fn sets_agree_with_the_model() {
    agree::<SetIndex<Spreads>>(60);
}

#[test]
fn lists_agree_with_the_model() {
    agree::<ListIndex<Spreads>>(60);
}

#[test]
fn sets_of_values_with_inconsistent_hash_or_eq_lose_no_slot() {
    keep::<SetIndex<Spreads>>(40);
}

#[test]
fn lists_of_values_with_inconsistent_hash_or_eq_lose_no_slot() {
    keep::<ListIndex<Spreads>>(40);
}
