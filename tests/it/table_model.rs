//! Whatever is done to a `Table` and to a map of rows, both hold the same, and find the same.

use crate::effort;
use crate::table_op::{Op, Spread};
use crate::table_twin::Twin;
use proptest::collection::vec;
use proptest::prelude::*;

#[test]
fn rows_and_what_finds_them_agree_with_the_model() {
    proptest!(effort::cases(60), |(spread: Spread, ops in vec(any::<Op>(), 1..80))| {
        Twin::run(spread, &ops);
    });
}
