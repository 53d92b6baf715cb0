//! Whatever is done to indices of sets and to a `HashMap` of sets, both hold the same.

use crate::effort;
use crate::sets_op::{Config, Model, Op, Sets, Spreads};
use proptest::collection::vec;
use proptest::prelude::*;
use stayput::index::{ListIndex, SetIndex};

fn agree<I: Sets>(cases: u32) {
    proptest!(effort::cases(cases), |(config: Config, ops in vec(any::<Op>(), 1..80))| {
        Model::<I>::run(config, &ops);
    });
}

fn keep<I: Sets>(cases: u32) {
    proptest!(effort::cases(cases), |(config: Config, ops in vec(any::<Op>(), 1..80))| {
        Model::<I>::run_wrong(config, &ops);
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
fn sets_of_values_that_answer_differently_lose_no_slot() {
    keep::<SetIndex<Spreads>>(40);
}

#[test]
fn lists_of_values_that_answer_differently_lose_no_slot() {
    keep::<ListIndex<Spreads>>(40);
}
