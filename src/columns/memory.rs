//! Reserving and returning memory.

#![forbid(unsafe_code)]

use super::{Columns, Row};
use crate::container::{prefault_methods, reserve_exact_methods, reserve_methods, shrink_methods};
use crate::error::Error;
use crate::growing::{Budget, BudgetMeter, GivenBack, Prefaulted};
use crate::raw_vec::Amount;

impl<R: Row> Columns<R> {
    reserve_methods! {
        &mut, "rows";
        /// Enters the kernel once for each column if the capacity does not suffice; memory is committed for all
        /// columns or for none. O(1) in the length: nothing moves.
        ;
        /// # Examples
        ///
        /// ```
        /// let mut scores = stayput::Columns::from([("Ann", 7)]);
        /// scores.reserve(1000);
        /// assert!(scores.capacity() >= 1001);
        /// ```
    }

    reserve_exact_methods! {
        "rows";
        /// # Examples
        ///
        /// ```
        /// let mut scores = stayput::Columns::from([("Ann", 7)]);
        /// scores.reserve_exact(1000);
        /// assert!(scores.capacity() >= 1001);
        /// ```
    }

    #[inline]
    fn make_room_for(&mut self, additional: usize, amount: Amount) -> Result<(), Error> {
        if additional <= self.capacity() - self.len() {
            return Ok(());
        }
        self.grow(additional, amount)
    }

    prefault_methods! {
        &mut, "rows";
        /// To prefault a little per frame instead, use [`prefault_ahead`](Self::prefault_ahead).
        ;
        /// # Examples
        ///
        /// ```
        /// let mut bodies = stayput::Columns::new();
        /// bodies.prefault(10_000); // while a level loads
        /// bodies.extend((0..10_000).map(|n| (f64::from(n), 1.5_f32))); // takes no page faults
        /// assert_eq!(bodies.get(9999), Some((&9999.0, &1.5)));
        /// ```
    }

    fn prefault_room(&mut self, additional: usize) -> Result<(), Error> {
        self.try_reserve(additional)?;
        let len = self.len();
        self.raw.prefault(Self::ROW, len, len + additional)
    }

    /// Makes memory past the last row resident before it is used, as
    /// [`VmVec::prefault_ahead`](crate::VmVec::prefault_ahead) does.
    ///
    /// # Examples
    ///
    /// ```
    /// use stayput::{Budget, Columns};
    /// use std::time::Duration;
    ///
    /// let mut sparks = Columns::new();
    /// for frame in 0..3 {
    ///     sparks.extend((0..1000).map(|n| (frame, n)));
    ///     // The frame is done early: use the remaining time.
    ///     let done = sparks.prefault_ahead(Budget::time(Duration::from_millis(1)));
    ///     assert!(done.refused.is_none());
    /// }
    /// ```
    pub fn prefault_ahead(&mut self, budget: Budget) -> Prefaulted {
        let prefaulted = self.raw.prefault_ahead(Self::ROW, self.len(), budget);
        self.find_starts();
        prefaulted
    }

    shrink_methods! {
        /// Returns memory past the last row to the system, as [`VmVec::shrink_to_fit`](crate::VmVec::shrink_to_fit)
        /// does, in whole runs of 64 KiB of rows. No row moves. (If the system refuses for a column other than the
        /// first, its memory stays charged until it is used again or dropped.)
        ///
        /// # Examples
        ///
        /// ```
        /// let mut rows: stayput::Columns<(u64, u32)> = (0..200_000).map(|n| (n, 1)).collect();
        /// rows.truncate(10);
        /// rows.shrink_to_fit();
        /// assert!(rows.capacity() < 100_000);
        /// ```
    }

    fn shrink_within(&mut self, budget: Budget) -> Result<GivenBack, Error> {
        budget.spend(|meter| self.raw.shrink(Self::ROW, self.len, meter))
    }

    /// Shrinks as [`shrink_to_fit`](Self::shrink_to_fit) does, but keeps capacity for at least `min_capacity` rows, if
    /// that much is committed.
    ///
    /// # Examples
    ///
    /// ```
    /// let mut rows: stayput::Columns<(u64, u32)> = (0..200_000).map(|n| (n, 1)).collect();
    /// rows.truncate(10);
    /// rows.shrink_to(50_000); // as many as the next level has
    /// assert!((50_000..100_000).contains(&rows.capacity()));
    /// ```
    pub fn shrink_to(&mut self, min_capacity: usize) {
        let _: Result<(), Error> = self.try_shrink_to(min_capacity);
    }

    /// Shrinks as [`shrink_to`](Self::shrink_to) does, or returns the error.
    ///
    /// # Errors
    ///
    /// As for [`try_shrink_to_fit`](Self::try_shrink_to_fit).
    pub fn try_shrink_to(&mut self, min_capacity: usize) -> Result<(), Error> {
        let keep = self.len().max(min_capacity);
        self.raw.shrink(Self::ROW, keep, &mut BudgetMeter::unlimited()).map(drop)
    }
}
