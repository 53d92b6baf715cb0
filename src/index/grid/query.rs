//! Iterators over the points in a ball or a box.

use super::cells::{Ball, Span};
use super::walk::{Store, Walk};
use super::{Grid, SortedGrid};
use std::iter::FusedIterator;

/// Defines an iterator over the points of a store in a shape; `$walk` is the function that starts it.
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

            #[inline]
            fn fold<A, F: FnMut(A, (u32, [f32; D])) -> A>(self, init: A, fold: F) -> A {
                self.0.fold(init, fold)
            }
        }

        impl<const D: usize> FusedIterator for $name<'_, D> {}

        debug_as!([const D: usize] $name<'_, D>, stringify!($name));
    };
}

points! {
    /// An iterator over slots and positions within a radius.
    ///
    /// This struct is created by [`Grid::within`](super::Grid::within). See its documentation for more.
    Within, Grid, Ball: within(center: [f32; D], radius: f32)
}
points! {
    /// An iterator over slots and positions in a box.
    ///
    /// This struct is created by [`Grid::in_box`](super::Grid::in_box). See its documentation for more.
    InBox, Grid, Span: in_box(min: [f32; D], max: [f32; D])
}
points! {
    /// An iterator over slots and positions within a radius.
    ///
    /// This struct is created by [`SortedGrid::within`](super::SortedGrid::within). See its documentation for more.
    SortedWithin, SortedGrid, Ball: within(center: [f32; D], radius: f32)
}
points! {
    /// An iterator over slots and positions in a box.
    ///
    /// This struct is created by [`SortedGrid::in_box`](super::SortedGrid::in_box). See its documentation for more.
    SortedInBox, SortedGrid, Span: in_box(min: [f32; D], max: [f32; D])
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
