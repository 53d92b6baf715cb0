//! Tests of cells, with coordinates of all kinds.

use super::*;
use crate::effort;
use proptest::prelude::*;

const EDGES: [f32; 12] = [
    0.0,
    -0.0,
    1e-45,
    -1e-45,
    1.0,
    -1.0,
    16_777_215.0,
    2_147_483_600.0,
    -2_147_483_600.0,
    f32::MAX,
    f32::INFINITY,
    f32::NEG_INFINITY,
];

#[test]
fn cells_round_down() {
    let cells = Cells::new(0.5);
    for (x, cell) in [
        (0.0, 0),
        (-0.0, 0),
        (0.49, 0),
        (0.5, 1),
        (-0.01, -1),
        (-0.5, -1),
        (-0.51, -2),
        (1e30, i32::MAX),
        (-1e30, i32::MIN),
        (f32::INFINITY, i32::MAX),
        (f32::NEG_INFINITY, i32::MIN),
        (-1_073_741_824.0, i32::MIN),
        (1_073_741_824.0, i32::MAX),
    ] {
        assert_eq!(cells.of(&[x, 0.0]), [cell, 0], "{x}");
    }
    for size in [1e-45, f32::MIN_POSITIVE, f32::MAX] {
        assert_eq!(Cells::new(size).of(&[0.0, -0.0]), [0, 0]);
    }
    assert_eq!(
        (Cells::new(f32::MAX).along(f32::MAX), Cells::new(1e-45).along(-1e-3)),
        (0, i32::MIN)
    );
}

#[test]
fn cells_are_monotonic_and_balls_lie_in_their_area() {
    let number = || {
        prop_oneof![
            prop::sample::select(EDGES.to_vec()),
            any::<u32>().prop_map(f32::from_bits).prop_filter("a number", |x| !x.is_nan()),
            -1e3..1e3_f32,
            -1e-18..1e-18_f32,
        ]
    };
    let size =
        prop_oneof![Just(1.0), Just(0.1), Just(1e-45), Just(f32::MAX), Just(1e-20), 1e-3..1e3_f32];
    let near =
        prop_oneof![(-9..9_i8).prop_map(|n| 1.0 + f32::from(n) * f32::EPSILON), 0.9..1.1_f32];
    let input = (number(), number(), number(), near, size);
    proptest!(effort::cases(1500), |((a, b, radius, near, size) in input)| {
        let cells = Cells::new(size);
        let (low, high) = (cells.along(a.min(b)), cells.along(a.max(b)));
        prop_assert!(low <= high);
        let Some(ball) = Ball::new([a, 0.0], radius.abs()) else { unreachable!() };
        let area = ball.area(cells);
        for point in [b, a + radius * near, a - radius * near] {
            let cell = cells.of(&[point, 0.0]);
            let is_seen = area.covers(&Area { low: cell, high: cell });
            prop_assert!(is_seen || !ball.holds(&[point, 0.0]));
        }
    });
}

#[test]
fn slabs_are_the_difference_of_two_areas() {
    let outer = Area { low: [-3, 0, 1], high: [4, 2, 1] };
    let inner = Area { low: [-1, 0, 1], high: [4, 1, 1] };
    let slabs = (0..3).flat_map(|axis| outer.outside(&inner, axis)).flatten();
    let count: u64 = slabs.clone().map(|slab| slab.count()).sum();
    assert_eq!(count + inner.count(), outer.count());
    for slab in slabs {
        assert!(outer.covers(&slab) && slab.shared(&inner).is_none());
    }
    let one = |x| Area { low: [x, 5], high: [x, 5] };
    assert_eq!(Area::<2>::WHOLE.outside(&one(i32::MAX).wider(1), 0)[1], None);
    assert_eq!(Area::<3>::WHOLE.count(), u64::MAX);
    assert_eq!(one(i32::MIN).wider(2).low, [i32::MIN, 3]);
    assert!(one(3).with(&one(-2)).covers(&one(0)));
}
