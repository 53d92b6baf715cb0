//! Constructors, and the options of a `Table`.

use super::Table;
use super::indices::{Indices, Row};
use super::insert::{Clear, Tidy};
use crate::backing::Backing;
use crate::container::{Builder, Container, ContainerIn, constructors};
use crate::error::{Error, Refused, unwrap_or_panic};
use crate::index::memory::Remake;
use crate::key::Key;
use crate::slot_map::SlotMap;
use crate::slots::key_bits::most_slots;
use crate::slots::key_options::KeyOptions;

/// Options for a [`Table`], its rows and its indices; created by [`Table::builder`].
///
/// An array of an index reserves addresses once it exceeds 64 KiB. Without `max_len`, each such array reserves as many
/// bytes as the rows do, or fewer if the keys have few slots. Where addresses are scarce, an index may therefore run out
/// of them before the rows do.
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
    const STARTS_SMALL: bool = true;

    fn try_from_builder(builder: TableBuilder<R, X, K>) -> Result<Self, Error> {
        builder.try_build_with(X::default())
    }
}

impl<R: Row<X::Part>, X: Indices, K: Key> ContainerIn<KeyOptions> for Table<R, X, K> {
    fn try_from_builder_in<B: Backing>(
        builder: TableBuilder<R, X, K>,
        backing: B,
    ) -> Result<Self, Refused<B>> {
        let rows = match builder.part::<SlotMap<K, R>>(builder.options).try_build_in(backing) {
            Ok(rows) => rows,
            Err(Refused { error, value }) => {
                return Err(Refused { error: Self::explain(error), value });
            }
        };
        let mut table = Self { rows, by: X::default() };
        match table.make_indices(builder) {
            Ok(()) => Ok(table),
            Err(error) => Err(Refused { error, value: table.rows.into_backing() }),
        }
    }
}

impl<R: Row<X::Part>, X: Indices, K: Key> Table<R, X, K> {
    /// Creates an empty table. Reserves nothing until the first insertion.
    #[must_use]
    pub fn new() -> Self {
        Self::builder().build()
    }

    constructors! {
        /// Creates an empty table with memory committed for `capacity` rows.
        with_capacity, try_with_capacity, capacity;
        /// # Examples
        ///
        /// ```
        /// use stayput::{Table, indices};
        /// # indices! { struct By for (u32, char) { number: Unique<u32> = |row| &row.0, } }
        ///
        /// let table: Table<(u32, char), By> = Table::with_capacity(1000);
        /// assert!(table.rows().capacity() >= 1000);
        /// ```
    }

    constructors! {
        /// Creates an empty table that can hold at most `max_len` rows. Reserves addresses for them immediately.
        with_max_len, try_with_max_len, max_len;
        /// # Examples
        ///
        /// ```
        /// use stayput::{Table, indices};
        /// # indices! { struct By for (u32, char) { number: Unique<u32> = |row| &row.0, } }
        ///
        /// let mut table: Table<(u32, char), By> = Table::with_max_len(1);
        /// table.insert((1, 'a'));
        /// assert_eq!(table.try_insert((2, 'b')).unwrap_err().value, (2, 'b'));
        /// ```
    }

    /// Returns the options for a new table.
    pub fn builder() -> TableBuilder<R, X, K> {
        TableBuilder::new()
    }

    /// Applies the options to the indices of a table whose rows were just created.
    fn make_indices(&mut self, builder: TableBuilder<R, X, K>) -> Result<(), Error> {
        // They may come from elsewhere, and have entries.
        self.all(Clear {});
        self.all(Tidy {});
        let mut remake = Remake { options: builder.options, most_slots: most_slots::<K>() };
        self.by.each_mut(&mut remake).map_err(Self::explain)?;
        self.try_reserve(builder.capacity)
    }
}

impl<R: Row<X::Part>, X: Indices, K: Key> TableBuilder<R, X, K> {
    /// Builds a table with the given indices, for example a [`Grid`](super::Grid) with another cell size.
    ///
    /// # Panics
    ///
    /// If [`try_build_with`](Self::try_build_with) returns an error.
    ///
    /// # Examples
    ///
    /// ```
    /// use stayput::table::Grid;
    /// use stayput::{Table, indices};
    /// # indices! { struct By for [f32; 3] { at: Grid<3, cell = 1.0> = |row| *row, } }
    ///
    /// let by = By { at: Grid::with_cell(25.0) };
    /// let mut table: Table<[f32; 3], By> = Table::builder().build_with(by);
    /// table.insert([0.0, 15.0, 20.0]);
    /// assert_eq!(table.within(|by| &by.at, [0.0; 3], 25.0).count(), 1);
    /// ```
    #[track_caller]
    pub fn build_with(self, by: X) -> Table<R, X, K> {
        unwrap_or_panic(self.try_build_with(by))
    }

    /// Builds a table as [`build_with`](Self::build_with) does, or returns the error.
    ///
    /// # Errors
    ///
    /// As for [`try_build`](Self::try_build).
    pub fn try_build_with(self, by: X) -> Result<Table<R, X, K>, Error> {
        let rows = self.part::<SlotMap<K, R>>(self.options).try_build();
        let mut table = Table { rows: rows.map_err(Table::<R, X, K>::explain)?, by };
        table.make_indices(self)?;
        Ok(table)
    }
}
