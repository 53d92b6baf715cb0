//! [`Cells`] maps positions to cells; [`Area`] is the cells that a search visits; [`Shape`] is what it looks for.
//!
//! # Why no point is missed
//!
//! The cell of a coordinate is computed in monotonic steps: multiplication by a positive number, rounding, and rounding
//! down. A coordinate between two others is therefore in a cell between theirs, however coarsely all three are rounded,
//! and a search of all cells from the lowest coordinate's to the highest's misses nothing. All code here relies on that
//! alone.

#[cfg(test)]
mod tests;

/// A bound on the relative rounding error of a distance along one axis, of its square, and of sums of squares.
const ROUNDED: f32 = 16.0 * f32::EPSILON;

/// A bound on distances whose squares are rounded to zero, or nearly.
const TINY: f32 = 1e-21;

#[derive(Clone, Copy, Debug)]
pub(super) struct Cells {
    size: f32,
    inverse: f32,
}

/// # Panics
///
/// If the size is not positive and finite.
#[track_caller]
pub(crate) const fn assert_cell(size: f32) {
    assert!(size > 0.0 && size.is_finite(), "the size of a cell should be positive and finite");
}

impl Cells {
    /// # Panics
    ///
    /// If the size is not positive and finite.
    #[track_caller]
    pub(super) const fn new(size: f32) -> Self {
        assert_cell(size);
        // The inverse of a subnormal size is limited to a finite number, whose product with 0 is 0.
        Self { size, inverse: (1.0 / size).min(f32::MAX) }
    }

    #[inline]
    pub(super) const fn size(self) -> f32 {
        self.size
    }

    /// Returns the cell of a position without NaN.
    #[inline]
    pub(super) fn of<const D: usize>(self, position: &[f32; D]) -> [i32; D] {
        position.map(|x| self.along(x))
    }

    #[inline]
    pub(super) fn block_of<const D: usize>(self, position: &[f32; D]) -> [i32; D] {
        block_of(&self.of(position))
    }

    #[inline]
    #[expect(clippy::cast_possible_truncation, reason = "the last cell extends to infinity")]
    #[expect(clippy::cast_precision_loss, reason = "floats this large are integers")]
    fn along(self, x: f32) -> i32 {
        const LEAST: f32 = i32::MIN as f32;
        let x = x * self.inverse;
        // The bound allows for the subtraction of 1. `floor` would be a call on processors without such an instruction.
        let x = if x > LEAST { x } else { LEAST };
        let toward_zero = x as i32;
        toward_zero - i32::from(toward_zero as f32 > x)
    }
}

/// A position in a grid: `[f32; 2]` or `[f32; 3]`.
///
/// This trait is sealed.
///
/// # Examples
///
/// A function for grids in two and in three dimensions:
///
/// ```
/// use stayput::index::Grid;
/// use stayput::index::grid::Position;
///
/// fn grid_of<const D: usize>(points: &[[f32; D]]) -> Grid<D>
/// where
///     [f32; D]: Position,
/// {
///     let mut grid = Grid::new(1.0);
///     for (slot, point) in (0..).zip(points) {
///         grid.insert(slot, *point);
///     }
///     grid
/// }
///
/// assert_eq!(grid_of(&[[1.0, 2.0]]).len(), 1);
/// assert_eq!(grid_of(&[[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]]).len(), 2);
/// ```
#[diagnostic::on_unimplemented(
    message = "a grid does not index `{Self}`",
    label = "grids have two or three dimensions",
    note = "`stayput::indices!` declares grids as `Grid<2, cell = 4.0>` or `Grid<3, cell = 4.0>`"
)]
pub trait Position: sealed::Sealed {}

impl Position for [f32; 2] {}
impl Position for [f32; 3] {}

mod sealed {
    pub trait Sealed {}

    impl Sealed for [f32; 2] {}
    impl Sealed for [f32; 3] {}
}

/// The bits of a cell's coordinate that give its place in the block.
pub(super) const fn bits<const D: usize>() -> u32 {
    match D {
        2 => 3,
        3 => 2,
        _ => panic!("grids have two or three dimensions"),
    }
}

#[inline]
pub(super) fn block_of<const D: usize>(cell: &[i32; D]) -> [i32; D] {
    cell.map(|x| x >> const { bits::<D>() })
}

/// The cells between two corners, inclusive.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Area<const D: usize> {
    pub(super) low: [i32; D],
    pub(super) high: [i32; D],
}

impl<const D: usize> Area<D> {
    pub(super) const WHOLE: Self = Self { low: [i32::MIN; D], high: [i32::MAX; D] };

    /// Returns all cells at most `cells` away from these along each axis.
    pub(super) fn wider(&self, cells: i32) -> Self {
        Self {
            low: self.low.map(|x| x.saturating_sub(cells)),
            high: self.high.map(|x| x.saturating_add(cells)),
        }
    }

    /// Returns the smallest area that covers both.
    pub(super) fn with(&self, other: &Self) -> Self {
        let low = std::array::from_fn(|axis| self.low[axis].min(other.low[axis]));
        let high = std::array::from_fn(|axis| self.high[axis].max(other.high[axis]));
        Self { low, high }
    }

    #[inline]
    pub(super) fn count(&self) -> u64 {
        let along = |axis: usize| u64::from(self.high[axis].abs_diff(self.low[axis])) + 1;
        (0..D).fold(1, |count: u64, axis| count.saturating_mul(along(axis)))
    }

    pub(super) fn covers(&self, other: &Self) -> bool {
        (0..D).all(|axis| self.low[axis] <= other.low[axis] && other.high[axis] <= self.high[axis])
    }

    /// Returns the cells in both areas; `None` if there are none.
    pub(super) fn shared(&self, other: &Self) -> Option<Self> {
        let low = std::array::from_fn(|axis| self.low[axis].max(other.low[axis]));
        let high = std::array::from_fn(|axis| self.high[axis].min(other.high[axis]));
        (0..D).all(|axis| low[axis] <= high[axis]).then_some(Self { low, high })
    }

    /// Returns the parts of this area before and after `inner`, which lies inside it, along one axis. Along earlier
    /// axes, the parts extend no further than `inner`, so the parts of all axes are disjoint and make up this area
    /// without `inner`.
    pub(super) fn outside(&self, inner: &Self, axis: usize) -> [Option<Self>; 2] {
        let mut slab = *self;
        slab.low[..axis].copy_from_slice(&inner.low[..axis]);
        slab.high[..axis].copy_from_slice(&inner.high[..axis]);
        let (mut before, mut after) = (slab, slab);
        [
            (self.low[axis] < inner.low[axis]).then(|| {
                before.high[axis] = inner.low[axis] - 1;
                before
            }),
            (inner.high[axis] < self.high[axis]).then(|| {
                after.low[axis] = inner.high[axis] + 1;
                after
            }),
        ]
    }
}

pub(super) trait Shape<const D: usize> {
    fn holds(&self, position: &[f32; D]) -> bool;
}

#[derive(Clone, Copy, Debug)]
pub(super) struct Ball<const D: usize> {
    pub(super) center: [f32; D],
    /// The square of the radius.
    pub(super) square: f32,
}

impl<const D: usize> Ball<D> {
    /// Returns `None` if no point can lie in it.
    #[inline]
    pub(super) fn new(center: [f32; D], radius: f32) -> Option<Self> {
        (radius >= 0.0 && is_somewhere(&center)).then_some(Self { center, square: radius * radius })
    }

    /// Returns a distance that no point in the ball exceeds along any axis.
    ///
    /// For each such point, the difference that is squared exceeds the radius by no more than the rounding of the
    /// squares, and the distance of the coordinate from the center's exceeds that by no more than the rounding of the
    /// difference.
    #[inline]
    pub(super) fn reach(&self) -> f32 {
        self.square.sqrt() * (1.0 + ROUNDED) + TINY
    }

    /// Returns the cells of all points in the ball.
    #[inline]
    pub(super) fn area(&self, cells: Cells) -> Area<D> {
        let radius = self.reach();
        // An infinite center minus an infinite radius would be NaN.
        if radius == f32::INFINITY {
            return Area::WHOLE;
        }
        Area {
            low: self.center.map(|x| cells.along(x - radius)),
            high: self.center.map(|x| cells.along(x + radius)),
        }
    }
}

impl<const D: usize> Shape<D> for Ball<D> {
    #[inline]
    fn holds(&self, position: &[f32; D]) -> bool {
        square_apart(&self.center, position) <= self.square
    }
}

/// Points between two corners, inclusive.
#[derive(Clone, Copy, Debug)]
pub(super) struct Span<const D: usize> {
    pub(super) min: [f32; D],
    pub(super) max: [f32; D],
}

impl<const D: usize> Span<D> {
    /// Returns the cells of all points in the box; `None` if it cannot hold any.
    #[inline]
    pub(super) fn area(&self, cells: Cells) -> Option<Area<D>> {
        let Self { min, max } = self;
        (0..D)
            .all(|axis| min[axis] <= max[axis])
            .then(|| Area { low: cells.of(min), high: cells.of(max) })
    }
}

impl<const D: usize> Shape<D> for Span<D> {
    #[inline]
    fn holds(&self, position: &[f32; D]) -> bool {
        (0..D).all(|axis| self.min[axis] <= position[axis] && position[axis] <= self.max[axis])
    }
}

/// Returns `true` if no coordinate is NaN.
#[inline]
pub(super) fn is_somewhere<const D: usize>(position: &[f32; D]) -> bool {
    position.iter().all(|x| !x.is_nan())
}

/// Returns the square of the distance between two points.
#[inline]
pub(super) fn square_apart<const D: usize>(a: &[f32; D], b: &[f32; D]) -> f32 {
    (0..D).fold(0.0, |sum, axis| {
        let apart = a[axis] - b[axis];
        sum + apart * apart
    })
}
