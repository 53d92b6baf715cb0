//! [`ColumnsBuilder`]: the options of columns.

#![forbid(unsafe_code)]

use super::{Columns, Row};
use crate::container::{Builder, Container};
use crate::error::Error;
use crate::raw_vec::Options;

/// Options for [`Columns`]; created by [`Columns::builder`].
///
/// [`VecBuilder::build_in`](crate::VecBuilder::build_in) has no counterpart. A [`Backing`](crate::Backing) is
/// used from its front, and each call commits one range or nothing, but more rows need a range in each column. To use
/// caller-provided memory, create a [`VmVec`](crate::VmVec) for each column, each in a part of that memory.
///
/// # Examples
///
/// ```
/// use stayput::{Columns, CommitAhead};
///
/// let columns: Columns<(f32, u8)> = Columns::builder()
///     .max_len(1 << 20)
///     .capacity(1 << 10)
///     .commit_ahead(CommitAhead::Auto)
///     .build();
/// assert_eq!(columns.max_len(), 1 << 20);
/// ```
pub type ColumnsBuilder<R> = Builder<Columns<R>>;

impl<R: Row> Container for Columns<R> {
    const BUILDER: &'static str = "ColumnsBuilder";
    const DEFAULTS: Options = *Self::OPTIONS;

    fn try_from_builder(builder: ColumnsBuilder<R>) -> Result<Self, Error> {
        Self::try_with_options(builder.options, builder.capacity)
    }
}
