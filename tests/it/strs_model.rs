//! Model tests: after any operations on a `StrPool` and a map of strings, both hold the same strings and find the same
//! ones.

use crate::made;
use crate::strs_op::{Config, Model, Op, Small};
use stayput::{DefaultKey, Key};

fn agree_with_a_map<K: Key>(cases: u32) {
    made::run_with(cases, 1..100, |config: Config, ops: &[Op]| Model::<K>::run(config, ops));
}

#[test]
fn strings_agree_with_the_model() {
    agree_with_a_map::<DefaultKey>(30);
}

#[test]
fn strings_of_few_keys_agree_with_the_model() {
    agree_with_a_map::<Small>(30);
}
