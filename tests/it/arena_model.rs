//! Model test: after any operations on an `Arena`, its scopes and boxes, all values are what was stored, and lie where
//! they should; each that has an owner is dropped once.

use crate::arena_op::{Config, Model, Op};
use crate::made;

#[test]
fn values_in_arenas_and_scopes_agree_with_the_model() {
    made::run_with(150, 1..100, |config: Config, ops: &[Op]| Model::run(config, ops));
}
