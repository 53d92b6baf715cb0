//! Model tests: after any operations on a `Table` and a map of rows, both hold and find the same rows.

use crate::made;
use crate::table_op::{Config, Op};
use crate::table_twin::{Own, Twin};

fn agrees<O: Own>(cases: u32) {
    made::run_with(cases, 1..80, |config: Config, ops: &[Op]| {
        Twin::<O>::run(config, ops);
    });
}

#[test]
fn rows_and_what_finds_them_agree_with_the_model() {
    agrees::<Box<u8>>(40);
}

#[test]
fn rows_that_are_modified_in_place_agree_with_the_model() {
    agrees::<()>(20);
}
