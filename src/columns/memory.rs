//! Taking memory, and giving it back.

#![forbid(unsafe_code)]

use super::{Columns, Row};
use crate::error::{Error, or_give_up};
use crate::growing::{Budget, GivenBack, Prefaulted, Purse};
use crate::raw_vec::Amount;

impl<R: Row> Columns<R> {
    /// Makes room for `additional` more rows, and maybe some ahead, by the growth policy.
    ///
    /// Enters the kernel if there is not room already, once for each column. O(1) in the length: nothing is
    /// moved.
    ///
    /// # Panics
    ///
    /// Where [`try_reserve`](Self::try_reserve) has an error.
    #[inline]
    #[track_caller]
    pub fn reserve(&mut self, additional: usize) {
        or_give_up(self.try_reserve(additional));
    }

    /// [`reserve`](Self::reserve), or the error.
    ///
    /// # Errors
    ///
    /// If all rows would be more than `isize::MAX` bytes, or, where they have none, than `usize::MAX`
    /// ([`CapacityOverflow`](crate::ErrorKind::CapacityOverflow)); else if the maximum would be passed
    /// ([`MaxLen`](crate::ErrorKind::MaxLen)); or if the system, or for the first memory the program's
    /// allocator, refuses. Nothing has changed then: memory is committed for all columns, or for none.
    #[inline]
    pub fn try_reserve(&mut self, additional: usize) -> Result<(), Error> {
        if additional <= self.capacity() - self.len() {
            return Ok(());
        }
        self.grow(additional, Amount::AtLeast)
    }

    /// Makes room for `additional` more rows, to the page.
    ///
    /// # Panics
    ///
    /// Where [`try_reserve`](Self::try_reserve) has an error.
    #[inline]
    #[track_caller]
    pub fn reserve_exact(&mut self, additional: usize) {
        or_give_up(self.try_reserve_exact(additional));
    }

    /// [`reserve_exact`](Self::reserve_exact), or the error.
    ///
    /// # Errors
    ///
    /// As for [`try_reserve`](Self::try_reserve).
    #[inline]
    pub fn try_reserve_exact(&mut self, additional: usize) -> Result<(), Error> {
        if additional <= self.capacity() - self.len() {
            return Ok(());
        }
        self.grow(additional, Amount::Exact)
    }

    /// Makes room for `additional` more rows, and makes its pages resident now, so that filling it takes no
    /// page fault.
    ///
    /// Enters the kernel; linear in the pages.
    ///
    /// # Panics
    ///
    /// Where [`try_prefault`](Self::try_prefault) has an error.
    #[track_caller]
    pub fn prefault(&mut self, additional: usize) {
        or_give_up(self.try_prefault(additional));
    }

    /// [`prefault`](Self::prefault), or the error.
    ///
    /// # Errors
    ///
    /// As for [`try_reserve`](Self::try_reserve). Where only the second step is refused, there is more capacity.
    pub fn try_prefault(&mut self, additional: usize) -> Result<(), Error> {
        self.try_reserve(additional)?;
        let len = self.len();
        self.raw.prefault(Self::ROW, len, len + additional)
    }

    /// Makes memory behind the last row resident ahead of its use, as
    /// [`VmVec::prefault_ahead`](crate::VmVec::prefault_ahead) does.
    pub fn prefault_ahead(&mut self, budget: Budget) -> Prefaulted {
        let prefaulted = self.raw.prefault_ahead(Self::ROW, self.len(), budget);
        self.find_starts();
        prefaulted
    }

    /// Gives memory behind the last row back to the system, as
    /// [`VmVec::shrink_to_fit`](crate::VmVec::shrink_to_fit) does: in whole runs of 64 KiB of rows. No row
    /// moves.
    pub fn shrink_to_fit(&mut self) {
        // As for `VmVec`.
        let _: Result<(), Error> = self.try_shrink_to(0);
    }

    /// [`shrink_to_fit`](Self::shrink_to_fit), but keeps room for `min_capacity` rows, if there is so much.
    pub fn shrink_to(&mut self, min_capacity: usize) {
        let _: Result<(), Error> = self.try_shrink_to(min_capacity);
    }

    /// [`shrink_to_fit`](Self::shrink_to_fit), or the error.
    ///
    /// # Errors
    ///
    /// If the system refuses ([`MappingLimit`](crate::ErrorKind::MappingLimit)); no memory was given back then. (Where it
    /// refuses for columns behind the first, these stay charged until they are used again, or dropped.)
    pub fn try_shrink_to_fit(&mut self) -> Result<(), Error> {
        self.try_shrink_to(0)
    }

    /// [`shrink_to`](Self::shrink_to), or the error.
    ///
    /// # Errors
    ///
    /// As for [`try_shrink_to_fit`](Self::try_shrink_to_fit).
    pub fn try_shrink_to(&mut self, min_capacity: usize) -> Result<(), Error> {
        let keep = self.len().max(min_capacity);
        self.raw.shrink(Self::ROW, keep, &mut Purse::unlimited()).map(drop)
    }

    /// [`shrink_to_fit`](Self::shrink_to_fit), but no more of it than a budget allows, so that it can be spread
    /// over frames: call it again until it [is done](GivenBack::is_done).
    ///
    /// # Errors
    ///
    /// As for [`try_shrink_to_fit`](Self::try_shrink_to_fit). What was given back before is.
    pub fn shrink_to_fit_within(&mut self, budget: Budget) -> Result<GivenBack, Error> {
        let mut purse = Purse::new(budget);
        let is_done = self.raw.shrink(Self::ROW, self.len(), &mut purse)?;
        Ok(GivenBack { bytes: purse.spent(), is_done })
    }
}
