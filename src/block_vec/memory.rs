//! Reserving and returning memory.

#![forbid(unsafe_code)]

use super::BlockVec;
use crate::container::{prefault_methods, reserve_exact_methods, reserve_methods};
use crate::error::Error;
use crate::growing::{Amount, Budget, BudgetMeter, GivenBack};

impl<T> BlockVec<T> {
    reserve_methods! {
        &mut, "elements";
        /// Allocates at most the last block in advance. Calls the allocator once for each new block. If the new blocks
        /// exceed the machine's memory, it first requests all of that in one block, so that an unreasonable size is
        /// refused at once. Nothing is moved. If a block is refused, the new blocks that were allocated before are
        /// deallocated.
        ;
        /// # Examples
        ///
        /// ```
        /// let mut names = stayput::BlockVec::from(["Ann"]);
        /// names.reserve(1000);
        /// assert!(names.capacity() >= 1001);
        /// ```
    }

    reserve_exact_methods! {
        "elements";
        /// # Examples
        ///
        /// ```
        /// let mut names = stayput::BlockVec::from(["Ann"]);
        /// names.reserve_exact(1000);
        /// assert!(names.capacity() >= 1001);
        /// ```
    }

    #[inline]
    fn make_room_for(&mut self, additional: usize, _: Amount) -> Result<(), Error> {
        if additional <= self.capacity() - self.len() {
            return Ok(());
        }
        self.raw.grow(additional)
    }

    prefault_methods! {
        &mut, "elements";
        /// Memory that the allocator used before is resident already.
        ;
        /// # Examples
        ///
        /// ```
        /// let mut samples = stayput::BlockVec::new();
        /// samples.prefault(100_000);
        /// samples.extend((0..100_000).map(f64::from)); // takes no page faults
        /// assert_eq!(samples[99_999], 99_999.0);
        /// ```
    }

    fn prefault_room(&mut self, additional: usize) -> Result<(), Error> {
        self.try_reserve(additional)?;
        self.raw.touch(additional);
        Ok(())
    }

    /// Deallocates all blocks past the last element. Linear in the number of these blocks.
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

    /// Like [`shrink_to_fit`](Self::shrink_to_fit), but keeps capacity for at least `min_capacity` elements, if there
    /// is as much.
    ///
    /// # Examples
    ///
    /// ```
    /// let mut bytes = stayput::BlockVec::from(vec![1_u8; 4 << 20]);
    /// bytes.truncate(10);
    /// bytes.shrink_to(1 << 20); // as much as the next level needs
    /// assert!((1 << 20..2 << 20).contains(&bytes.capacity()));
    /// ```
    pub fn shrink_to(&mut self, min_capacity: usize) {
        self.shrink(min_capacity, &mut BudgetMeter::unlimited());
    }

    /// Like [`shrink_to_fit`](Self::shrink_to_fit), but deallocates no more than a budget allows, to spread the work
    /// over frames. Call it again until it [is done](GivenBack::is_done).
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
        self.shrink(0, &mut BudgetMeter::new(budget))
    }

    fn shrink(&mut self, min_capacity: usize, meter: &mut BudgetMeter) -> GivenBack {
        let is_done = self.raw.give_back(min_capacity, meter);
        if is_done {
            self.raw.shrink_table();
        }
        GivenBack { bytes: meter.spent(), is_done }
    }
}
