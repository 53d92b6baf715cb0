//! Taking memory, and giving it back.

use super::Table;
use super::indices::{Index, Indices, Row, Visit, VisitMut};
use crate::container::{prefault_methods, reserve_methods, stats};
use crate::error::{Error, Holder};
use crate::growing::{Amount, Budget, GivenBack, Prefaulted};
use crate::index::IndexStats;
use crate::index::memory::{Ahead, ForArrays, GiveBack, Room, stats_of};
use crate::key::Key;

stats! {
    /// What a [`Table`] holds and takes up, given by [`Table::stats`]. Of its rows alone, and their slots,
    /// [`rows`](Table::rows) has more.
    pub struct TableStats of "Rows", in memory of "rows and indices" {
        /// Rows.
        live,
    }
}

/// What is done to all arrays of an index is done to those of each.
impl<P, F: ForArrays> VisitMut<P> for F {
    fn visit<I: Index<P>>(&mut self, index: &mut I) -> Result<(), Error> {
        index.each_array(self)
    }
}

struct Tidy;

impl<P> VisitMut<P> for Tidy {
    fn visit<I: Index<P>>(&mut self, index: &mut I) -> Result<(), Error> {
        index.tidy();
        Ok(())
    }
}

struct Sum<'s>(&'s mut TableStats);

impl<P> Visit<P> for Sum<'_> {
    fn visit<I: Index<P>>(&mut self, index: &I) -> Result<(), Error> {
        let IndexStats {
            reserved_bytes, committed_bytes, ahead_bytes, late, resident_bytes, ..
        } = stats_of(index, index.count());
        self.0.reserved_bytes += reserved_bytes;
        self.0.committed_bytes += committed_bytes;
        self.0.ahead_bytes += ahead_bytes;
        self.0.late += late;
        self.0.resident_bytes =
            self.0.resident_bytes.zip(resident_bytes).map(|(all, index)| all + index);
        Ok(())
    }
}

impl<R: Row<X::Part>, X: Indices, K: Key> Table<R, X, K> {
    /// The error as one of a table.
    #[cold]
    pub(super) fn explain(error: Error) -> Error {
        error.with_name_of(X::NAMES).of(Holder::Table)
    }

    reserve_methods! {
        &mut, "rows";
        /// Makes room in the indices, too, as far as can be foreseen: hashes that are not spread, and sets of one or two,
        /// take more when they come.
        ///
        /// Enters the kernel if there is not room already. Nothing is moved.
    }

    fn make_room_for(&mut self, additional: usize, amount: Amount) -> Result<(), Error> {
        self.rows.make_room_for(additional, amount).map_err(Self::explain)?;
        self.by.each_mut(&mut Room::Reserve(additional)).map_err(Self::explain)
    }

    prefault_methods!(&mut, "rows");

    fn prefault_room(&mut self, additional: usize) -> Result<(), Error> {
        self.rows.try_prefault(additional).map_err(Self::explain)?;
        self.by.each_mut(&mut Room::Prefault(additional)).map_err(Self::explain)
    }

    /// Makes memory behind what is used resident ahead of its use, for the idle time of a frame; see
    /// [`VmVec::prefault_ahead`](crate::VmVec::prefault_ahead). Rows first, then indices.
    pub fn prefault_ahead(&mut self, budget: Budget) -> Prefaulted {
        let mut ahead = Ahead { budget, done: self.rows.prefault_ahead(budget) };
        match self.by.each_mut(&mut ahead) {
            Ok(()) => ahead.done,
            Err(error) => Prefaulted { refused: Some(error), ..ahead.done },
        }
    }

    /// Puts what there is in the indices together, and gives memory behind what is used back to the system, as
    /// [`VmVec::shrink_to_fit`](crate::VmVec::shrink_to_fit) does. No row moves; keys stay stale. If the system refuses, the
    /// memory stays.
    pub fn shrink_to_fit(&mut self) {
        // The one refusal is that of a process at its limit of mappings; it costs only memory.
        let _ = self.try_shrink_to_fit();
    }

    /// [`shrink_to_fit`](Self::shrink_to_fit), or the error.
    ///
    /// # Errors
    ///
    /// If the system refuses ([`MappingLimit`](crate::ErrorKind::MappingLimit)), or there is no
    /// memory to keep account with; no row has changed then.
    pub fn try_shrink_to_fit(&mut self) -> Result<(), Error> {
        self.rows.try_shrink_to_fit().map_err(Self::explain)?;
        self.try_shrink_indices()
    }

    /// [`shrink_to_fit`](Self::shrink_to_fit), but nothing is put together, and no more than a budget allows, so that it can
    /// be spread over frames: call it again until it [is done](GivenBack::is_done).
    ///
    /// # Errors
    ///
    /// As for [`try_shrink_to_fit`](Self::try_shrink_to_fit). What was given back before is.
    pub fn shrink_to_fit_within(&mut self, budget: Budget) -> Result<GivenBack, Error> {
        let done = self.indices_within(budget)?;
        let left = budget.less(done.bytes);
        Ok(done.and(self.rows.shrink_to_fit_within(left).map_err(Self::explain)?))
    }

    /// [`shrink_to_fit`](Self::shrink_to_fit), and pages in which no row lies go back as well, as by
    /// [`SlotMap::trim`](crate::SlotMap::trim).
    pub fn trim(&mut self) {
        // As above.
        let _ = self.try_trim();
    }

    /// [`trim`](Self::trim), or the error.
    ///
    /// # Errors
    ///
    /// As for [`try_shrink_to_fit`](Self::try_shrink_to_fit).
    pub fn try_trim(&mut self) -> Result<(), Error> {
        self.rows.try_trim().map_err(Self::explain)?;
        self.try_shrink_indices()
    }

    /// [`trim`](Self::trim), but no more of it than a budget allows, so that it can be spread over frames: call it
    /// again until it [is done](GivenBack::is_done).
    ///
    /// # Errors
    ///
    /// As for [`try_trim`](Self::try_trim). What was given back before is.
    pub fn trim_within(&mut self, budget: Budget) -> Result<GivenBack, Error> {
        // The rows last: once they are done they begin anew.
        let done = self.indices_within(budget)?;
        let left = budget.less(done.bytes);
        Ok(done.and(self.rows.trim_within(left).map_err(Self::explain)?))
    }

    fn try_shrink_indices(&mut self) -> Result<(), Error> {
        self.all(Tidy);
        self.indices_within(Budget::UNLIMITED).map(drop)
    }

    fn indices_within(&mut self, budget: Budget) -> Result<GivenBack, Error> {
        let mut give = GiveBack { budget, done: GivenBack { bytes: 0, is_done: true } };
        self.by.each_mut(&mut give).map_err(Self::explain)?;
        Ok(give.done)
    }

    /// What the table holds and takes up.
    ///
    /// Asks the system which pages are resident, linear in the committed pages: for looking, not
    /// for a hot path.
    pub fn stats(&self) -> TableStats {
        let rows = self.rows.stats().memory();
        let mut all = TableStats { live: self.len(), ..TableStats::of(rows) };
        let added = self.by.each(&mut Sum(&mut all));
        debug_assert!(added.is_ok(), "it cannot fail");
        all
    }
}
