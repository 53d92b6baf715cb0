//! Whatever is done to a `Table` and to a map of rows, both hold the same, and find the same.

use crate::made;
use crate::table_op::{Op, Spread};
use crate::table_twin::Twin;

#[test]
fn rows_and_what_finds_them_agree_with_the_model() {
    made::run_with(60, 1..80, |spread: Spread, ops: &[Op]| {
        Twin::run(spread, ops);
    });
}
