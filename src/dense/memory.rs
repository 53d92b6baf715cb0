//! Reserving and returning memory.

use super::{DenseSlotMap, Rows};
use crate::container::{
    prefault_methods, reserve_exact_methods, reserve_methods, shrink_methods, stats,
};
use crate::error::{Error, Holder};
use crate::growing::{Amount, Budget, GivenBack, Prefaulted};
use crate::key::Key;

stats! {
    /// Statistics of a [`DenseSlotMap`], returned by [`DenseSlotMap::stats`].
    ///
    /// # Examples
    ///
    /// ```
    /// use stayput::{DefaultKey, DenseSlotMap};
    ///
    /// let mut map: DenseSlotMap<DefaultKey, u32> = (0..10).collect();
    /// map.retain(|_, n| *n < 7);
    /// let stats = map.stats();
    /// assert_eq!((stats.live, stats.holes, stats.retired), (7, 3, 0));
    /// ```
    pub struct DenseSlotMapStats of "Values", in memory of "values, keys and the table" {
        /// Values.
        live,
        /// Slots of the table that will be reused.
        holes,
        /// Slots of the table that are kept for a [detached](DenseSlotMap::detach) value.
        detached,
        /// Slots of the table that are retired: their generations are used up.
        retired,
    }
}

impl<K: Key, V, S: Rows<Value = V>> DenseSlotMap<K, V, S> {
    /// Attributes an error to this map.
    #[cold]
    pub(super) const fn explain(error: Error) -> Error {
        error.of(Holder::DenseSlotMap)
    }

    reserve_methods! {
        &mut, "values";
        /// Enters the kernel if the capacity does not suffice. Nothing moves.
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

    /// Makes committed memory past the last value resident before it is used, in the idle time of a frame; see
    /// [`VmVec::prefault_ahead`](crate::VmVec::prefault_ahead). The table comes first, then keys, then values.
    pub fn prefault_ahead(&mut self, budget: Budget) -> Prefaulted {
        let table = self.table.prefault_ahead(budget);
        let both = table.and(self.keys.prefault_ahead(budget.less(table.bytes)));
        both.and(self.rows.prefault_ahead(budget.less(both.bytes)))
    }

    shrink_methods! {
        /// Returns memory past the last value to the system, as [`VmVec::shrink_to_fit`](crate::VmVec::shrink_to_fit)
        /// does. No value moves; stale keys stay stale. If the system refuses, the memory stays committed.
        ///
        /// # Examples
        ///
        /// ```
        /// # use stayput::{DefaultKey, DenseSlotMap};
        /// let mut map: DenseSlotMap<DefaultKey, u64> = (0..100_000).collect();
        /// let before = map.capacity();
        /// map.retain(|_, n| *n < 10);
        /// map.shrink_to_fit();
        /// assert!(map.capacity() < before);
        /// assert_eq!(map.len(), 10);
        /// ```
    }

    fn shrink_within(&mut self, budget: Budget) -> Result<GivenBack, Error> {
        let both = self.shrink_values_within(budget)?;
        let left = budget.less(both.bytes);
        Ok(both.and(self.table.shrink_to_fit_within(left).map_err(Self::explain)?))
    }

    /// Shrinks values and keys, but not the table.
    fn shrink_values_within(&mut self, budget: Budget) -> Result<GivenBack, Error> {
        let rows = self.rows.shrink_to_fit_within(budget).map_err(Self::explain)?;
        let left = budget.less(rows.bytes);
        Ok(rows.and(self.keys.shrink_to_fit_within(left).map_err(Self::explain)?))
    }

    /// Shrinks as [`shrink_to_fit`](Self::shrink_to_fit) does, and also returns those pages of the table that hold no
    /// live slot, as [`SlotMap::trim`](crate::SlotMap::trim) does. Stale keys stay stale.
    pub fn trim(&mut self) {
        // The error is ignored, as in `shrink_to_fit`.
        let _ = self.try_trim();
    }

    /// Trims as [`trim`](Self::trim) does, or returns the error.
    ///
    /// # Errors
    ///
    /// As for [`try_shrink_to_fit`](Self::try_shrink_to_fit).
    pub fn try_trim(&mut self) -> Result<(), Error> {
        self.shrink_values_within(Budget::UNLIMITED)?;
        self.table.try_trim().map_err(Self::explain)
    }

    /// Trims as [`trim`](Self::trim) does, but no further than a budget allows, to spread the work over frames: call it
    /// again until it [is done](GivenBack::is_done), as in the example of
    /// [`SlotMap::trim_within`](crate::SlotMap::trim_within).
    ///
    /// # Errors
    ///
    /// As for [`try_trim`](Self::try_trim). Memory returned by then stays returned.
    pub fn trim_within(&mut self, budget: Budget) -> Result<GivenBack, Error> {
        let both = self.shrink_values_within(budget)?;
        let left = budget.less(both.bytes);
        Ok(both.and(self.table.trim_within(left).map_err(Self::explain)?))
    }

    /// Returns statistics of the map's contents and memory.
    ///
    /// Asks the system which pages are resident, in time linear in the committed pages. Meant for monitoring, not for
    /// hot paths.
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
