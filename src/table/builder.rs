//! [`TableBuilder`]: options for a `Table`.

use super::Table;
use super::indices::{Indices, Row};
use crate::container::{Builder, Container};
use crate::error::{Error, or_give_up};
use crate::index::memory::Remake;
use crate::key::Key;
use crate::slot_map::SlotMap;
use crate::slots::key_options::KeyOptions;

/// Options for a [`Table`], its rows and its indices; see [`Table::builder`].
///
/// Arrays of indices reserve their addresses once they take more than 64 KiB. Without a maximum, each of the several arrays
/// of an index is given as much as the rows: where addresses are few, it may have no room for more before the table is
/// full.
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
pub type TableBuilder<R, X, K> = Builder<Table<R, X, K>, KeyOptions>;

impl<R: Row<X::Part>, X: Indices, K: Key> Container<KeyOptions> for Table<R, X, K> {
    const BUILDER: &'static str = "TableBuilder";

    fn try_from_builder(builder: TableBuilder<R, X, K>) -> Result<Self, Error> {
        builder.try_build_with(X::default())
    }
}

impl<R: Row<X::Part>, X: Indices, K: Key> TableBuilder<R, X, K> {
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
        let rows = self.part::<SlotMap<K, R>>(self.options).try_build();
        let mut table = Table { rows: rows.map_err(Table::<R, X, K>::explain)?, by };
        table.by.each_mut(&mut Remake(self.options)).map_err(Table::<R, X, K>::explain)?;
        table.try_reserve(self.capacity)?;
        Ok(table)
    }
}
