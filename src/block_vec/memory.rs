//! Taking memory, and giving it back.

#![forbid(unsafe_code)]

use super::{BlockVec, or_give_up};
use crate::error::Error;
use crate::growing::{Budget, GivenBack, Purse};

impl<T> BlockVec<T> {
    /// Makes room for `additional` more elements, up to the end of a block.
    ///
    /// Calls the allocator once for each block that is not there already; and before, where they are more than the
    /// machine has memory for, for all in one, so that what is out of all reason is refused at once. Nothing is moved.
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
    /// If all elements would be more than `isize::MAX` bytes, or, where they have none, than
    /// `usize::MAX` elements ([`CapacityOverflow`](crate::ErrorKind::CapacityOverflow)); else if the
    /// maximum would be passed ([`MaxLen`](crate::ErrorKind::MaxLen)); or if the allocator refuses a block
    /// ([`Memory`](crate::ErrorKind::Memory)). The array is unchanged then: blocks that could be had are given back.
    #[inline]
    pub fn try_reserve(&mut self, additional: usize) -> Result<(), Error> {
        if additional <= self.capacity() - self.len() {
            return Ok(());
        }
        self.raw.grow(additional)
    }

    /// The same as [`reserve`](Self::reserve), since no array takes more than the last block ahead.
    ///
    /// # Panics
    ///
    /// Where [`try_reserve`](Self::try_reserve) has an error.
    #[inline]
    #[track_caller]
    pub fn reserve_exact(&mut self, additional: usize) {
        self.reserve(additional);
    }

    /// [`reserve_exact`](Self::reserve_exact), or the error.
    ///
    /// # Errors
    ///
    /// As for [`try_reserve`](Self::try_reserve).
    #[inline]
    pub fn try_reserve_exact(&mut self, additional: usize) -> Result<(), Error> {
        self.try_reserve(additional)
    }

    /// Gives all blocks behind the last element back to the allocator. Linear in their number.
    ///
    /// # Examples
    ///
    /// ```
    /// let mut bytes = stayput::BlockVec::from(vec![1_u8; 4 << 20]);
    /// bytes.truncate(10);
    /// bytes.shrink_to_fit();
    /// assert_eq!(bytes.stats().blocks, 1);
    /// ```
    pub fn shrink_to_fit(&mut self) {
        self.shrink_to(0);
    }

    /// [`shrink_to_fit`](Self::shrink_to_fit), but keeps room for `min_capacity` elements, if
    /// there is so much.
    pub fn shrink_to(&mut self, min_capacity: usize) {
        self.shrink(min_capacity, &mut Purse::unlimited());
    }

    /// [`shrink_to_fit`](Self::shrink_to_fit), but no more of it than a budget allows, so that it can
    /// be spread over frames: call it again until it [is done](GivenBack::is_done).
    ///
    /// # Examples
    ///
    /// ```
    /// use stayput::{BlockVec, Budget};
    ///
    /// let mut bytes = BlockVec::from(vec![1_u8; 1 << 20]);
    /// bytes.clear();
    /// let mut frames = 0;
    /// while !bytes.shrink_to_fit_within(Budget::bytes(256 << 10)).is_done {
    ///     frames += 1;
    /// }
    /// assert_eq!((frames, bytes.capacity()), (3, 0));
    /// ```
    pub fn shrink_to_fit_within(&mut self, budget: Budget) -> GivenBack {
        self.shrink(0, &mut Purse::new(budget))
    }

    fn shrink(&mut self, min_capacity: usize, purse: &mut Purse) -> GivenBack {
        let is_done = self.raw.give_back(min_capacity, purse);
        if is_done {
            self.raw.shrink_table();
        }
        GivenBack { bytes: purse.spent(), is_done }
    }
}
