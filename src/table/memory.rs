//! Methods that reserve and return memory.

use super::Table;
use super::indices::{Index, Indices, Row, Visit, VisitMut};
use super::insert::Tidy;
use crate::container::{prefault_methods, reserve_exact_methods, reserve_methods, stats};
use crate::error::{Error, Holder};
use crate::growing::{Amount, Budget, GivenBack, Prefaulted};
use crate::index::memory::{ForArrays, GiveBack, MakeRoom, Means, PrefaultAhead};
use crate::key::Key;
use crate::vec::VecStats;

stats! {
    /// Statistics of a [`Table`], returned by [`Table::stats`]. Those of the slots alone are in the
    /// [`stats`](crate::SlotMap::stats) of [`rows`](Table::rows).
    ///
    /// # Examples
    ///
    /// ```
    /// use stayput::{Table, indices};
    /// # indices! { struct By for (u32, char) { number: Unique<u32> = |row| &row.0, } }
    ///
    /// let table: Table<(u32, char), By> = [(7, 'a'), (8, 'b')].into();
    /// let stats = table.stats();
    /// assert_eq!(stats.live, 2);
    /// assert!(stats.capacity >= stats.live);
    /// ```
    pub struct TableStats of "Rows", in memory of "rows and indices" {
        /// Rows.
        live,
    }
}

/// Applies an operation to all arrays of each index.
impl<P, F: ForArrays> VisitMut<P> for F {
    fn visit<I: Index<P>>(&mut self, index: &mut I) -> Result<(), Error> {
        index.each_array(self)
    }
}

struct Sum(VecStats);

impl<P> Visit<P> for Sum {
    fn visit<I: Index<P>>(&mut self, index: &I) -> Result<(), Error> {
        self.0 += index.memory();
        Ok(())
    }
}

impl<R: Row<X::Part>, X: Indices, K: Key> Table<R, X, K> {
    /// Adds to an error that it is of a table, and the name of the index.
    #[cold]
    pub(super) fn explain(error: Error) -> Error {
        error.with_name_of(X::NAMES).of(Holder::Table)
    }

    reserve_methods! {
        &mut, "rows";
        /// Also reserves memory in the indices, as far as their needs are known in advance: poorly distributed hashes,
        /// and sets of one or two rows, take more later.
        ///
        /// Enters the kernel unless enough is reserved already. No row moves.
    }

    reserve_exact_methods!("rows");

    fn make_room_for(&mut self, additional: usize, amount: Amount) -> Result<(), Error> {
        self.rows.make_room_for(additional, amount).map_err(Self::explain)?;
        self.make_room_in_indices(additional, Means::Reserve(amount))
    }

    prefault_methods!(&mut, "rows");

    fn prefault_room(&mut self, additional: usize) -> Result<(), Error> {
        self.rows.try_prefault(additional).map_err(Self::explain)?;
        self.make_room_in_indices(additional, Means::Prefault)
    }

    fn make_room_in_indices(&mut self, additional: usize, means: Means) -> Result<(), Error> {
        let slots_len = self.rows.slots_len();
        let mut room = MakeRoom { additional, slots_len, means };
        self.by.each_mut(&mut room).map_err(Self::explain)
    }

    /// Makes committed memory past the rows, and then that of the indices, resident before it is used, in the idle time
    /// of a frame; see [`VmVec::prefault_ahead`](crate::VmVec::prefault_ahead).
    pub fn prefault_ahead(&mut self, budget: Budget) -> Prefaulted {
        let mut ahead = PrefaultAhead { budget, done: self.rows.prefault_ahead(budget) };
        match self.by.each_mut(&mut ahead) {
            Ok(()) => ahead.done,
            Err(error) => Prefaulted { refused: Some(error), ..ahead.done },
        }
    }

    /// Compacts the indices, and returns unused memory to the system as
    /// [`VmVec::shrink_to_fit`](crate::VmVec::shrink_to_fit) does.
    ///
    /// No row moves, and stale keys stay stale. If the system refuses, the memory stays committed.
    ///
    /// # Examples
    ///
    /// ```
    /// # use stayput::{Table, indices};
    /// # indices! { struct By for (u32, char) { number: Unique<u32> = |row| &row.0, } }
    /// let mut table: Table<(u32, char), By> = (0..100_000).map(|n| (n, 'x')).collect();
    /// let before = table.rows().capacity();
    /// table.retain(|_, row| row.0 < 10);
    /// table.shrink_to_fit();
    /// assert!(table.rows().capacity() < before);
    /// assert_eq!(table.find(|by| &by.number, &9).unwrap().1, &(9, 'x'));
    /// ```
    pub fn shrink_to_fit(&mut self) {
        // An error, as at the process's limit of mappings, leaves memory committed and has no other effect.
        let _ = self.try_shrink_to_fit();
    }

    /// Shrinks as [`shrink_to_fit`](Self::shrink_to_fit) does, or returns the error.
    ///
    /// # Errors
    ///
    /// If the system refuses ([`MappingLimit`](crate::ErrorKind::MappingLimit)), or memory for the bookkeeping is
    /// refused. The rows are then unchanged.
    pub fn try_shrink_to_fit(&mut self) -> Result<(), Error> {
        self.rows.try_shrink_to_fit().map_err(Self::explain)?;
        self.try_shrink_indices()
    }

    /// Shrinks as [`shrink_to_fit`](Self::shrink_to_fit) does, but without compacting, and no further than a [`Budget`]
    /// allows, to spread the work over frames: call it again until it [is done](GivenBack::is_done).
    ///
    /// # Errors
    ///
    /// As for [`try_shrink_to_fit`](Self::try_shrink_to_fit). Memory returned by then stays returned.
    pub fn shrink_to_fit_within(&mut self, budget: Budget) -> Result<GivenBack, Error> {
        let done = self.indices_within(budget)?;
        let left = budget.less(done.bytes);
        Ok(done.and(self.rows.shrink_to_fit_within(left).map_err(Self::explain)?))
    }

    /// Shrinks as [`shrink_to_fit`](Self::shrink_to_fit) does, and also returns pages without rows, as
    /// [`SlotMap::trim`](crate::SlotMap::trim) does.
    pub fn trim(&mut self) {
        // As in `shrink_to_fit`.
        let _ = self.try_trim();
    }

    /// Trims as [`trim`](Self::trim) does, or returns the error.
    ///
    /// # Errors
    ///
    /// As for [`try_shrink_to_fit`](Self::try_shrink_to_fit).
    pub fn try_trim(&mut self) -> Result<(), Error> {
        self.rows.try_trim().map_err(Self::explain)?;
        self.try_shrink_indices()
    }

    /// Trims as [`trim`](Self::trim) does, but without compacting the indices, and no further than a budget allows, to
    /// spread the work over frames: call it again until it [is done](GivenBack::is_done), as in the example of
    /// [`SlotMap::trim_within`](crate::SlotMap::trim_within).
    ///
    /// # Errors
    ///
    /// As for [`try_trim`](Self::try_trim). Memory returned by then stays returned.
    pub fn trim_within(&mut self, budget: Budget) -> Result<GivenBack, Error> {
        // The rows last, because a finished trim of the rows starts over when it is called again.
        let done = self.indices_within(budget)?;
        let left = budget.less(done.bytes);
        Ok(done.and(self.rows.trim_within(left).map_err(Self::explain)?))
    }

    fn try_shrink_indices(&mut self) -> Result<(), Error> {
        self.all(Tidy {});
        self.indices_within(Budget::UNLIMITED).map(drop)
    }

    fn indices_within(&mut self, budget: Budget) -> Result<GivenBack, Error> {
        let mut give = GiveBack { budget, done: GivenBack { bytes: 0, is_done: true } };
        self.by.each_mut(&mut give).map_err(Self::explain)?;
        Ok(give.done)
    }

    /// Returns statistics of the table's contents and memory.
    ///
    /// Asks the system which pages are resident, in time linear in the committed pages. Meant for monitoring, not for
    /// hot paths.
    pub fn stats(&self) -> TableStats {
        let rows = self.rows.stats().memory();
        let mut all = Sum(rows);
        let added = self.by.each(&mut all);
        debug_assert!(added.is_ok(), "this visitor does not fail");
        let VecStats { capacity, max_len, .. } = rows;
        TableStats { live: self.len(), capacity, max_len, ..TableStats::of(all.0) }
    }
}
