//! Iterators over the points of a ball, or of a box.

use super::cells::{Ball, Span};
use super::lists::Lists;
use super::sorted::Table;
use super::walk::{Store, Walk};
use std::iter::FusedIterator;

/// Walks over a shape, by the name of who gives them.
macro_rules! points {
    ($(#[$docs:meta])* $name:ident, $store:ident, $shape:ident) => {
        $(#[$docs])*
        #[must_use = "iterators are lazy"]
        pub struct $name<'a, const D: usize>(Walk<'a, D, $store<D>, $shape<D>>);

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
    Within, Lists, Ball
}
points! {
    /// Slots and positions in a box, made by [`Grid::in_box`](super::Grid::in_box).
    InBox, Lists, Span
}
points! {
    /// Slots and positions within a radius, made by [`SortedGrid::within`](super::SortedGrid::within).
    SortedWithin, Table, Ball
}
points! {
    /// Slots and positions in a box, made by [`SortedGrid::in_box`](super::SortedGrid::in_box).
    SortedInBox, Table, Span
}

impl<'a, const D: usize> Within<'a, D> {
    #[inline]
    pub(super) fn new(lists: &'a Lists<D>, center: [f32; D], radius: f32) -> Self {
        Self(within(lists, center, radius))
    }
}

impl<'a, const D: usize> InBox<'a, D> {
    #[inline]
    pub(super) fn new(lists: &'a Lists<D>, min: [f32; D], max: [f32; D]) -> Self {
        Self(in_box(lists, min, max))
    }
}

impl<'a, const D: usize> SortedWithin<'a, D> {
    #[inline]
    pub(super) fn new(table: &'a Table<D>, center: [f32; D], radius: f32) -> Self {
        Self(within(table, center, radius))
    }
}

impl<'a, const D: usize> SortedInBox<'a, D> {
    #[inline]
    pub(super) fn new(table: &'a Table<D>, min: [f32; D], max: [f32; D]) -> Self {
        Self(in_box(table, min, max))
    }
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
