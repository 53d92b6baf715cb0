//! [`ColumnsBuilder`]: options for columns.

#![forbid(unsafe_code)]

use super::{Columns, Row};
use crate::error::{Error, or_give_up};
use crate::raw_vec::{Options, option_methods};
use std::fmt;
use std::marker::PhantomData;

/// Options for [`Columns`]; see [`Columns::builder`].
///
/// There is no `build_in`, as [`VecBuilder`](crate::VecBuilder::build_in) has it. A
/// [`Backing`](crate::Backing) is used from its front on, and is called with one range at a time, all or none of
/// which it commits. Memory for more rows is a range in each column. Who has memory of their own takes a
/// [`VmVec`](crate::VmVec) for each column, each in a part of it.
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
#[must_use = "nothing is made before `build` is called"]
pub struct ColumnsBuilder<R> {
    options: Options,
    capacity: usize,
    rows: PhantomData<fn() -> R>,
}

impl<R: Row> ColumnsBuilder<R> {
    pub(super) const fn new() -> Self {
        Self { options: *Columns::<R>::OPTIONS, capacity: 0, rows: PhantomData }
    }

    /// The number of rows that there can ever be; addresses for them are reserved at once.
    ///
    /// If it is not said, as much is reserved as the machine has memory, but each of very many has
    /// less; see [`VmVec::new`](crate::VmVec::new).
    pub const fn max_len(mut self, max_len: usize) -> Self {
        self.options.max_len = Some(max_len);
        self
    }

    /// For how many rows to commit memory at once. None, if not said.
    pub const fn capacity(mut self, capacity: usize) -> Self {
        self.capacity = capacity;
        self
    }

    option_methods!();

    /// Makes the columns.
    ///
    /// # Panics
    ///
    /// Where [`try_build`](Self::try_build) has an error.
    #[track_caller]
    pub fn build(self) -> Columns<R> {
        or_give_up(self.try_build())
    }

    /// Makes the columns. Enters the kernel if a maximum or a capacity was asked for.
    ///
    /// # Errors
    ///
    /// If the addresses or the memory cannot be had; if the capacity is more than the maximum
    /// ([`MaxLen`](crate::ErrorKind::MaxLen)); if either has more than `isize::MAX` bytes
    /// ([`CapacityOverflow`](crate::ErrorKind::CapacityOverflow)).
    pub fn try_build(self) -> Result<Columns<R>, Error> {
        Columns::try_with_options(self.options, self.capacity)
    }
}

impl<R> Clone for ColumnsBuilder<R> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<R> Copy for ColumnsBuilder<R> {}

impl<R> fmt::Debug for ColumnsBuilder<R> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut shown = f.debug_struct("ColumnsBuilder");
        self.options.show(&mut shown).field("capacity", &self.capacity).finish()
    }
}
