//! Taking memory, and giving it back.

use super::{DenseSlotMap, Rows};
use crate::container::{
    prefault_methods, reserve_exact_methods, reserve_methods, shrink_methods, stats,
};
use crate::error::{Error, Holder};
use crate::growing::{Amount, Budget, GivenBack, Prefaulted};
use crate::key::Key;

stats! {
    /// What a [`DenseSlotMap`] holds and takes up, given by [`DenseSlotMap::stats`].
    pub struct DenseSlotMapStats of "Values", in memory of "values, keys and the table" {
        /// Values.
        live,
        /// Slots of the table that will be used again.
        holes,
        /// Slots of the table that are kept for a [detached](DenseSlotMap::detach) value.
        detached,
        /// Slots of the table that are used up: they had the last generation that keys can have.
        retired,
    }
}

impl<K: Key, V, S: Rows<Value = V>> DenseSlotMap<K, V, S> {
    /// The error as one of this map.
    #[cold]
    pub(super) const fn explain(error: Error) -> Error {
        error.of(Holder::DenseSlotMap)
    }

    reserve_methods! {
        &mut, "values";
        /// Enters the kernel if there is not room already. Nothing is moved.
    }

    reserve_exact_methods!("values");

    fn make_room_for(&mut self, additional: usize, amount: Amount) -> Result<(), Error> {
        let reserve_rows =
            if amount == Amount::Exact { S::try_reserve_exact } else { S::try_reserve };
        self.table.make_room_for(additional, amount).map_err(Self::explain)?;
        reserve_rows(&mut self.rows, additional).map_err(Self::explain)?;
        self.keys.make_room_for(additional, amount).map_err(Self::explain)
    }

    prefault_methods!(&mut, "values");

    fn prefault_room(&mut self, additional: usize) -> Result<(), Error> {
        self.table.try_prefault(additional).map_err(Self::explain)?;
        self.rows.try_prefault(additional).map_err(Self::explain)?;
        self.keys.try_prefault(additional).map_err(Self::explain)
    }

    /// Makes memory behind the last value resident ahead of its use, for the idle time of a frame; see
    /// [`VmVec::prefault_ahead`](crate::VmVec::prefault_ahead). The table first, then keys, then values.
    pub fn prefault_ahead(&mut self, budget: Budget) -> Prefaulted {
        let table = self.table.prefault_ahead(budget);
        let both = table.and(self.keys.prefault_ahead(budget.less(table.bytes)));
        both.and(self.rows.prefault_ahead(budget.less(both.bytes)))
    }

    shrink_methods! {
        /// Gives memory behind the last value back to the system, as
        /// [`VmVec::shrink_to_fit`](crate::VmVec::shrink_to_fit) does. No value moves; keys stay
        /// stale. If the system refuses, the memory stays.
    }

    fn shrink_within(&mut self, budget: Budget) -> Result<GivenBack, Error> {
        let both = self.shrink_values_within(budget)?;
        let left = budget.less(both.bytes);
        Ok(both.and(self.table.shrink_to_fit_within(left).map_err(Self::explain)?))
    }

    /// Gives memory of values and keys back, but none of the table.
    fn shrink_values_within(&mut self, budget: Budget) -> Result<GivenBack, Error> {
        let rows = self.rows.shrink_to_fit_within(budget).map_err(Self::explain)?;
        let left = budget.less(rows.bytes);
        Ok(rows.and(self.keys.shrink_to_fit_within(left).map_err(Self::explain)?))
    }

    /// Gives memory behind the last value back, as [`shrink_to_fit`](Self::shrink_to_fit) does, and pages of the table
    /// in which no key of a value lies, as [`SlotMap::trim`](crate::SlotMap::trim) does. Keys stay stale.
    pub fn trim(&mut self) {
        // As for `shrink_to_fit`.
        let _ = self.try_trim();
    }

    /// [`trim`](Self::trim), or the error.
    ///
    /// # Errors
    ///
    /// As for [`try_shrink_to_fit`](Self::try_shrink_to_fit).
    pub fn try_trim(&mut self) -> Result<(), Error> {
        self.shrink_values_within(Budget::UNLIMITED)?;
        self.table.try_trim().map_err(Self::explain)
    }

    /// [`trim`](Self::trim), but no more of it than a budget allows, so that it can be spread over frames: call it
    /// again until it [is done](GivenBack::is_done).
    ///
    /// # Errors
    ///
    /// As for [`try_trim`](Self::try_trim). What was given back before is.
    pub fn trim_within(&mut self, budget: Budget) -> Result<GivenBack, Error> {
        let both = self.shrink_values_within(budget)?;
        let left = budget.less(both.bytes);
        Ok(both.and(self.table.trim_within(left).map_err(Self::explain)?))
    }

    /// What the map holds and takes up.
    ///
    /// Asks the system which pages are resident, linear in the committed pages: for looking, not
    /// for a hot path.
    pub fn stats(&self) -> DenseSlotMapStats {
        let table = self.table.stats();
        let memory = table.memory() + self.keys.stats() + self.rows.stats();
        DenseSlotMapStats {
            live: self.len(),
            holes: table.holes,
            detached: table.detached,
            retired: table.retired,
            capacity: self.capacity(),
            max_len: self.max_len(),
            ..DenseSlotMapStats::of(memory)
        }
    }
}
