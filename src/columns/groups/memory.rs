//! Methods that reserve and return memory, as [`Columns`](crate::Columns) have.

#![forbid(unsafe_code)]

use super::{Groups, Pad};
use crate::columns::Row;
use crate::container::{prefault_methods, reserve_exact_methods, reserve_methods, shrink_methods};
use crate::error::Error;
use crate::growing::{Amount, Budget, GivenBack, Prefaulted};

impl<R: Row + Pad, const N: usize> Groups<R, N> {
    /// Returns the number of records to add for `additional` more rows.
    pub(super) fn records_for(&self, additional: usize) -> usize {
        let spare = self.records.len() * N - self.len;
        additional.saturating_sub(spare).div_ceil(N)
    }

    reserve_methods! {
        &mut, "rows";
        /// Makes system calls if the capacity does not suffice. O(1) in the length: nothing moves.
        ;
        /// # Examples
        ///
        /// ```
        /// let mut rows = stayput::Groups::<(f32, u32), 8>::new();
        /// rows.reserve(100);
        /// assert!(rows.capacity() >= 100);
        /// ```
    }

    reserve_exact_methods! {
        "rows";
        /// # Examples
        ///
        /// ```
        /// let mut rows = stayput::Groups::<(f32, u32), 8>::new();
        /// rows.reserve_exact(100);
        /// assert!(rows.capacity() >= 100);
        /// ```
    }

    fn make_room_for(&mut self, additional: usize, amount: Amount) -> Result<(), Error> {
        self.check_count(additional)?;
        self.records.make_room_for(self.records_for(additional), amount)
    }

    prefault_methods! {
        &mut, "rows";
        /// To prefault a little per frame instead, use [`prefault_ahead`](Self::prefault_ahead).
        ;
        /// # Examples
        ///
        /// ```
        /// let mut bodies = stayput::Groups::<(f64, f32), 8>::new();
        /// bodies.prefault(10_000); // while a level loads
        /// bodies.extend((0..10_000).map(|n| (f64::from(n), 1.5))); // takes no page faults
        /// assert_eq!(bodies.get(9999), Some((&9999.0, &1.5)));
        /// ```
    }

    fn prefault_room(&mut self, additional: usize) -> Result<(), Error> {
        self.check_count(additional)?;
        self.records.try_prefault(self.records_for(additional))
    }

    /// Makes memory past the last record resident before it is used, as
    /// [`VmVec::prefault_ahead`](crate::VmVec::prefault_ahead) does.
    ///
    /// # Examples
    ///
    /// ```
    /// use stayput::{Budget, Groups};
    ///
    /// let mut sparks = Groups::<(u32, u32), 8>::new();
    /// for frame in 0..3 {
    ///     sparks.extend((0..1000).map(|n| (frame, n)));
    ///     // The frame is done early: prepare memory for the next one.
    ///     let done = sparks.prefault_ahead(Budget::bytes(1 << 20));
    ///     assert!(done.refused.is_none());
    /// }
    /// ```
    pub fn prefault_ahead(&mut self, budget: Budget) -> Prefaulted {
        self.records.prefault_ahead(budget)
    }

    shrink_methods! {
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
    }

    fn shrink_within(&mut self, budget: Budget) -> Result<GivenBack, Error> {
        self.records.shrink_to_fit_within(budget)
    }

    /// Shrinks as [`shrink_to_fit`](Self::shrink_to_fit) does, but keeps capacity for at least `min_capacity` rows, if
    /// that much is committed.
    ///
    /// # Examples
    ///
    /// ```
    /// let mut rows: stayput::Groups<(u64, u32), 8> = (0..200_000).map(|n| (n, 1)).collect();
    /// rows.truncate(10);
    /// rows.shrink_to(50_000); // as many as the next level has
    /// assert!((50_000..100_000).contains(&rows.capacity()));
    /// ```
    pub fn shrink_to(&mut self, min_capacity: usize) {
        self.records.shrink_to(min_capacity.div_ceil(N));
    }

    /// Shrinks as [`shrink_to`](Self::shrink_to) does, or returns the error.
    ///
    /// # Errors
    ///
    /// As for [`try_shrink_to_fit`](Self::try_shrink_to_fit).
    pub fn try_shrink_to(&mut self, min_capacity: usize) -> Result<(), Error> {
        self.records.try_shrink_to(min_capacity.div_ceil(N))
    }
}
