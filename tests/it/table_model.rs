//! Model tests: after any operations on a `Table` and a map of rows, both hold and find the same rows.

use crate::made;
use crate::table_op::{Op, Spread};
use crate::table_twin::Twin;

#[test]
fn rows_and_what_finds_them_agree_with_the_model() {
    made::run_with(60, 1..80, |spread: Spread, ops: &[Op]| {
        Twin::run(spread, ops);
    });
}
