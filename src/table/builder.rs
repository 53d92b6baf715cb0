//! [`TableBuilder`]: options for a `Table`.

use super::Table;
use super::indices::{Index, Indices, Row, VisitMut};
use crate::error::{Error, or_give_up};
use crate::index::memory::Remake;
use crate::key::Key;
use crate::raw_vec::{Options, option_methods};
use crate::slot_map::{Reuse, SlotMapBuilder};
use std::fmt;
use std::marker::PhantomData;

/// Options for a [`Table`], its rows and its indices; see [`Table::builder`].
///
/// # Examples
///
/// ```
/// use stayput::{CommitAhead, Table, indices};
/// # indices! { struct By for (u32, char) { number: Unique<u32> = |row| &row.0, } }
///
/// let table: Table<(u32, char), By> = Table::builder()
///     .max_len(1 << 20)
///     .capacity(1 << 10)
///     .commit_ahead(CommitAhead::Auto)
///     .build();
/// assert!(table.rows().capacity() >= 1 << 10);
/// ```
#[must_use = "nothing is made before `build` is called"]
pub struct TableBuilder<R, X, K> {
    options: Options,
    capacity: usize,
    reuse: Reuse,
    type_id: Option<u32>,
    rows: PhantomData<fn() -> (R, K)>,
    by: PhantomData<fn() -> X>,
}

impl<R: Row<X::Part>, X: Indices, K: Key> TableBuilder<R, X, K> {
    pub(super) const fn new() -> Self {
        Self {
            options: Options::DEFAULT,
            capacity: 0,
            reuse: Reuse::Recent,
            type_id: None,
            rows: PhantomData,
            by: PhantomData,
        }
    }

    /// The number of rows that the table can ever have, slots that are retired among them; addresses for
    /// the rows are reserved at once. Arrays of indices reserve theirs once they take more than 64 KiB.
    ///
    /// If it is not said, as much is reserved as the machine has memory, or keys can number, but each of
    /// very many tables has less; see [`VmVec::new`](crate::VmVec::new). An index is several arrays, each of which has
    /// as much: where addresses are few, it may have no room for more before the table is full.
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

    /// Which slot the next row comes into. The most recent, if not said; see [`Reuse`].
    pub const fn reuse(mut self, reuse: Reuse) -> Self {
        self.reuse = reuse;
        self
    }

    /// A number in the keys of the table, which tells it from others that have keys of the same type. None, if not
    /// said; see [`SlotMapBuilder::type_id`].
    pub const fn type_id(mut self, type_id: u32) -> Self {
        self.type_id = Some(type_id);
        self
    }

    /// Makes the table.
    ///
    /// # Panics
    ///
    /// Where [`try_build`](Self::try_build) has an error.
    #[track_caller]
    pub fn build(self) -> Table<R, X, K> {
        or_give_up(self.try_build())
    }

    /// Makes the table. Enters the kernel if a maximum or a capacity was asked for.
    ///
    /// # Errors
    ///
    /// As for [`SlotMapBuilder::try_build`].
    pub fn try_build(self) -> Result<Table<R, X, K>, Error> {
        self.try_build_with(X::default())
    }

    /// [`build`](Self::build), with indices that were not made by [`Default`]: a [`Grid`](super::Grid) with cells of
    /// another size, say.
    ///
    /// # Panics
    ///
    /// Where [`try_build`](Self::try_build) has an error.
    ///
    /// # Examples
    ///
    /// ```
    /// use stayput::table::Grid;
    /// use stayput::{Table, indices};
    /// # indices! { struct By for [f32; 3] { at: Grid<3, cell = 1.0> = |row| *row, } }
    ///
    /// let by = By { at: Grid::with_cell(25.0) };
    /// let table: Table<[f32; 3], By> = Table::builder().build_with(by);
    /// ```
    #[track_caller]
    pub fn build_with(self, by: X) -> Table<R, X, K> {
        or_give_up(self.try_build_with(by))
    }

    /// [`build_with`](Self::build_with), or the error.
    ///
    /// # Errors
    ///
    /// As for [`try_build`](Self::try_build).
    pub fn try_build_with(self, by: X) -> Result<Table<R, X, K>, Error> {
        let Self { options, capacity, reuse, type_id, .. } = self;
        let mut rows = SlotMapBuilder::of_options(options).capacity(capacity).reuse(reuse);
        if let Some(type_id) = type_id {
            rows = rows.type_id(type_id);
        }
        let rows = rows.try_build().map_err(Table::<R, X, K>::explain)?;
        let mut table = Table { rows, by };
        table.by.each_mut(&mut Made(options)).map_err(Table::<R, X, K>::explain)?;
        table.try_reserve(capacity)?;
        Ok(table)
    }
}

/// Has indices take their memory as the rows do.
struct Made(Options);

impl<P> VisitMut<P> for Made {
    fn visit<I: Index<P>>(&mut self, index: &mut I) -> Result<(), Error> {
        index.each_array(&mut Remake(self.0))
    }
}

impl<R, X, K> Clone for TableBuilder<R, X, K> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<R, X, K> Copy for TableBuilder<R, X, K> {}

impl<R, X, K> fmt::Debug for TableBuilder<R, X, K> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut shown = f.debug_struct("TableBuilder");
        self.options
            .show(&mut shown)
            .field("capacity", &self.capacity)
            .field("reuse", &self.reuse)
            .field("type_id", &self.type_id)
            .finish()
    }
}
