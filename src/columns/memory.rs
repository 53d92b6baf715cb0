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
    }

    reserve_exact_methods!("rows");

    #[inline]
    fn make_room_for(&mut self, additional: usize, amount: Amount) -> Result<(), Error> {
        if additional <= self.capacity() - self.len() {
            return Ok(());
        }
        self.grow(additional, amount)
    }

    prefault_methods!(&mut, "rows");

    fn prefault_room(&mut self, additional: usize) -> Result<(), Error> {
        self.try_reserve(additional)?;
        let len = self.len();
        self.raw.prefault(Self::ROW, len, len + additional)
    }

    /// Makes memory past the last row resident before it is used, as
    /// [`VmVec::prefault_ahead`](crate::VmVec::prefault_ahead) does.
    pub fn prefault_ahead(&mut self, budget: Budget) -> Prefaulted {
        let prefaulted = self.raw.prefault_ahead(Self::ROW, self.len(), budget);
        self.find_starts();
        prefaulted
    }

    shrink_methods! {
        /// Returns memory past the last row to the system, as [`VmVec::shrink_to_fit`](crate::VmVec::shrink_to_fit)
        /// does, in whole runs of 64 KiB of rows. No row moves. (If the system refuses for a column other than the
        /// first, its memory stays charged until it is used again or dropped.)
    }

    fn shrink_within(&mut self, budget: Budget) -> Result<GivenBack, Error> {
        budget.spend(|meter| self.raw.shrink(Self::ROW, self.len, meter))
    }

    /// Shrinks as [`shrink_to_fit`](Self::shrink_to_fit) does, but keeps capacity for at least `min_capacity` rows, if
    /// that much is committed.
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
