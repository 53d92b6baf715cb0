//! Model tests: after any operations, a `Grid` finds the points that a search over all points finds.

use crate::grid_op::{Config, Model, Op};
use crate::made;
use stayput::index::grid::Position;

fn agree<const D: usize>(cases: u32)
where
    [f32; D]: Position,
{
    made::run_with(cases, 1..50, |config: Config, ops: &[Op]| {
        Model::<D>::run(config, ops);
    });
}

#[test]
fn points_of_two_dimensions_agree_with_the_model() {
    agree::<2>(50);
}

#[test]
fn points_of_three_dimensions_agree_with_the_model() {
    agree::<3>(50);
}
