//! Taking memory, and giving it back, as [`Columns`](crate::Columns) do.

#![forbid(unsafe_code)]

use super::{Groups, Pad};
use crate::columns::Row;
use crate::error::{Error, or_give_up};
use crate::growing::{Budget, GivenBack, Prefaulted};

impl<R: Row + Pad, const N: usize> Groups<R, N> {
    /// How many more records `additional` rows take than there are.
    pub(super) fn records_for(&self, additional: usize) -> usize {
        let spare = self.records.len() * N - self.len;
        additional.saturating_sub(spare).div_ceil(N)
    }

    /// Reserves memory for at least `additional` more rows, as [`VmVec::reserve`](crate::VmVec::reserve) does for elements.
    ///
    /// # Panics
    ///
    /// Panics where [`try_reserve`](Self::try_reserve) returns an error.
    ///
    /// # Examples
    ///
    /// ```
    /// let mut rows = stayput::Groups::<(f32, u32), 8>::new();
    /// rows.reserve(100);
    /// assert!(rows.capacity() >= 100);
    /// ```
    #[track_caller]
    pub fn reserve(&mut self, additional: usize) {
        or_give_up(self.try_reserve(additional));
    }

    /// [`reserve`](Self::reserve), or the error.
    ///
    /// # Errors
    ///
    /// As for [`VmVec::try_reserve`](crate::VmVec::try_reserve), counted in records. Nothing has changed then.
    pub fn try_reserve(&mut self, additional: usize) -> Result<(), Error> {
        self.records.try_reserve(self.records_for(additional))
    }

    /// Reserves memory for `additional` more rows, rounded up to records and pages.
    ///
    /// # Panics
    ///
    /// Panics where [`try_reserve_exact`](Self::try_reserve_exact) returns an error.
    #[track_caller]
    pub fn reserve_exact(&mut self, additional: usize) {
        or_give_up(self.try_reserve_exact(additional));
    }

    /// [`reserve_exact`](Self::reserve_exact), or the error.
    ///
    /// # Errors
    ///
    /// As for [`try_reserve`](Self::try_reserve).
    pub fn try_reserve_exact(&mut self, additional: usize) -> Result<(), Error> {
        self.records.try_reserve_exact(self.records_for(additional))
    }

    /// Reserves memory for `additional` more rows and makes its pages resident, so that filling it takes no page fault.
    ///
    /// # Panics
    ///
    /// Panics where [`try_prefault`](Self::try_prefault) returns an error.
    #[track_caller]
    pub fn prefault(&mut self, additional: usize) {
        or_give_up(self.try_prefault(additional));
    }

    /// [`prefault`](Self::prefault), or the error.
    ///
    /// # Errors
    ///
    /// As for [`try_reserve`](Self::try_reserve). If only making pages resident is refused, the capacity has grown.
    pub fn try_prefault(&mut self, additional: usize) -> Result<(), Error> {
        self.records.try_prefault(self.records_for(additional))
    }

    /// Makes memory past the last record resident ahead of its use, as
    /// [`VmVec::prefault_ahead`](crate::VmVec::prefault_ahead) does.
    pub fn prefault_ahead(&mut self, budget: Budget) -> Prefaulted {
        self.records.prefault_ahead(budget)
    }

    /// Returns memory past the last record to the system, as
    /// [`VmVec::shrink_to_fit`](crate::VmVec::shrink_to_fit) does. No row moves.
    ///
    /// # Examples
    ///
    /// ```
    /// let mut rows: stayput::Groups<(u64, u32), 8> = (0..100_000).map(|n| (n, 1)).collect();
    /// rows.truncate(10);
    /// rows.shrink_to_fit();
    /// assert!(rows.stats().committed_bytes < 256 << 10);
    /// ```
    pub fn shrink_to_fit(&mut self) {
        self.records.shrink_to_fit();
    }

    /// [`shrink_to_fit`](Self::shrink_to_fit), but keeps memory for `min_capacity` rows if there is as much.
    pub fn shrink_to(&mut self, min_capacity: usize) {
        self.records.shrink_to(min_capacity.div_ceil(N));
    }

    /// [`shrink_to_fit`](Self::shrink_to_fit), or the error.
    ///
    /// # Errors
    ///
    /// If the system refuses ([`MappingLimit`](crate::ErrorKind::MappingLimit)). Nothing has changed then.
    pub fn try_shrink_to_fit(&mut self) -> Result<(), Error> {
        self.records.try_shrink_to_fit()
    }

    /// [`shrink_to`](Self::shrink_to), or the error.
    ///
    /// # Errors
    ///
    /// As for [`try_shrink_to_fit`](Self::try_shrink_to_fit).
    pub fn try_shrink_to(&mut self, min_capacity: usize) -> Result<(), Error> {
        self.records.try_shrink_to(min_capacity.div_ceil(N))
    }

    /// [`shrink_to_fit`](Self::shrink_to_fit) within a budget, so that it can be spread over frames: call it again until
    /// it [is done](GivenBack::is_done).
    ///
    /// # Errors
    ///
    /// As for [`try_shrink_to_fit`](Self::try_shrink_to_fit). Memory that was returned before stays returned.
    pub fn shrink_to_fit_within(&mut self, budget: Budget) -> Result<GivenBack, Error> {
        self.records.shrink_to_fit_within(budget)
    }
}
