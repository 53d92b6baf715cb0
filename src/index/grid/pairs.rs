//! Pairs of points that are near each other.

use super::cells::Ball;
use super::packed::Packed;
use super::walk::{Store, Walk};

/// Visits each pair once, with the smaller slot first.
pub(super) fn each<const D: usize, T: Store<D>>(
    store: &T,
    radius: f32,
    visit: impl FnMut(u32, u32),
) {
    let Some(ball) = Ball::new([0.0; D], radius) else { return };
    match Packed::of(store, &ball) {
        Some(packed) => packed.each_pair(visit),
        None => search_each(store, &ball, visit),
    }
}

/// Visits each pair by a search around each point, with a ball of the given radius. Allocates nothing.
pub(super) fn search_each<const D: usize, T: Store<D>>(
    store: &T,
    ball: &Ball<D>,
    mut visit: impl FnMut(u32, u32),
) {
    for (slot, center) in store.points() {
        let ball = Ball { center, ..*ball };
        Walk::over(store, ball, &ball.area(store.cells())).for_each(|(other, _)| {
            if other > slot {
                visit(slot, other);
            }
        });
    }
}
