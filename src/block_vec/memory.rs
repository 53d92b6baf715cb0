//! Taking memory, and giving it back.

#![forbid(unsafe_code)]

use super::BlockVec;
use crate::container::{reserve_exact_methods, reserve_methods};
use crate::error::Error;
use crate::growing::{Amount, Budget, GivenBack, Purse};

impl<T> BlockVec<T> {
    reserve_methods! {
        &mut, "elements";
        /// Takes no more than the last block ahead. Calls the allocator once for each block that is not there already; and
        /// before, where they are more than the machine has memory for, for all in one, so that what is out of all reason is
        /// refused at once. Nothing is moved. If a block is refused, the others that could be had are given back.
    }

    reserve_exact_methods!("elements");

    #[inline]
    fn make_room_for(&mut self, additional: usize, _: Amount) -> Result<(), Error> {
        if additional <= self.capacity() - self.len() {
            return Ok(());
        }
        self.raw.grow(additional)
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
