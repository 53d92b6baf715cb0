//! Iterators over the points of a ball, or of a box.

use super::cells::{Ball, Span};
use super::lists::Lists;
use super::sorted::Table;
use super::walk::{Store, Walk};
use std::iter::FusedIterator;

/// Walks over a shape in a store, by the name of the iterator and the function that begins the walk.
macro_rules! points {
    (
        $(#[$docs:meta])*
        $name:ident, $store:ident, $shape:ident: $walk:ident($one:ident: $one_type:ty, $other:ident: $other_type:ty)
    ) => {
        $(#[$docs])*
        #[must_use = "iterators are lazy"]
        pub struct $name<'a, const D: usize>(Walk<'a, D, $store<D>, $shape<D>>);

        impl<'a, const D: usize> $name<'a, D> {
            #[inline]
            pub(super) fn new(store: &'a $store<D>, $one: $one_type, $other: $other_type) -> Self {
                Self($walk(store, $one, $other))
            }
        }

        impl<const D: usize> Iterator for $name<'_, D> {
            type Item = (u32, [f32; D]);

            #[inline]
            fn next(&mut self) -> Option<(u32, [f32; D])> {
                self.0.next()
            }
        }

        impl<const D: usize> FusedIterator for $name<'_, D> {}

        debug_as!([const D: usize] $name<'_, D>, stringify!($name));
    };
}

points! {
    /// Slots and positions within a radius, made by [`Grid::within`](super::Grid::within).
    Within, Lists, Ball: within(center: [f32; D], radius: f32)
}
points! {
    /// Slots and positions in a box, made by [`Grid::in_box`](super::Grid::in_box).
    InBox, Lists, Span: in_box(min: [f32; D], max: [f32; D])
}
points! {
    /// Slots and positions within a radius, made by [`SortedGrid::within`](super::SortedGrid::within).
    SortedWithin, Table, Ball: within(center: [f32; D], radius: f32)
}
points! {
    /// Slots and positions in a box, made by [`SortedGrid::in_box`](super::SortedGrid::in_box).
    SortedInBox, Table, Span: in_box(min: [f32; D], max: [f32; D])
}

#[inline]
fn within<const D: usize, T: Store<D>>(
    store: &T,
    center: [f32; D],
    radius: f32,
) -> Walk<'_, D, T, Ball<D>> {
    match Ball::new(center, radius) {
        Some(ball) => Walk::over(store, ball, &ball.area(store.cells())),
        None => Walk::new(store, Ball { center, square: f32::NAN }),
    }
}

#[inline]
fn in_box<const D: usize, T: Store<D>>(
    store: &T,
    min: [f32; D],
    max: [f32; D],
) -> Walk<'_, D, T, Span<D>> {
    let span = Span { min, max };
    match span.area(store.cells()) {
        Some(area) => Walk::over(store, span, &area),
        None => Walk::new(store, span),
    }
}
