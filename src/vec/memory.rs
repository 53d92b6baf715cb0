//! Taking memory, and giving it back.

#![expect(unsafe_code, reason = "makes slices of spare and of leaked memory")]

use super::VmVec;
use crate::container::{prefault_methods, reserve_exact_methods, reserve_methods, shrink_methods};
use crate::error::Error;
use crate::growing::{Budget, GivenBack, Prefaulted, Purse};
use crate::raw_vec::Amount;
use std::mem::{ManuallyDrop, MaybeUninit};
use std::ops::Range;
use std::slice;

impl<T> VmVec<T> {
    reserve_methods! {
        &mut, "elements";
        /// Enters the kernel if there is not room already. O(1) in the length: nothing is moved.
    }

    reserve_exact_methods!("elements");

    /// Makes room for so many elements more, if there is not room already.
    #[inline]
    pub(crate) fn make_room_for(&mut self, additional: usize, amount: Amount) -> Result<(), Error> {
        if additional <= self.capacity() - self.len {
            return Ok(());
        }
        self.grow(additional, amount)
    }

    /// Makes room for so many elements more, where there is too little.
    pub(super) fn grow(&mut self, additional: usize, amount: Amount) -> Result<(), Error> {
        let (before, start) = (self.capacity(), self.start());
        let grown = self.raw.grow(Self::ELEMENT, self.len, additional, amount);
        // Where all has moved, nothing is closed yet.
        self.close_new(if self.start() == start { before } else { self.len });
        grown
    }

    prefault_methods!(&mut, "elements");

    fn prefault_room(&mut self, additional: usize) -> Result<(), Error> {
        self.try_reserve(additional)?;
        self.raw.prefault(Self::ELEMENT, self.len, self.len + additional)
    }

    /// Makes memory behind the last element resident ahead of its use: twice as much as the
    /// busiest sixtieth of a second of late has used, as far as the budget goes.
    ///
    /// For the idle time of a frame, where no [background thread](crate::CommitAhead) is to do it:
    /// call it once in each. It needs no number from you, since it sees how the array grows. If the
    /// system refuses it stops, and says so; nothing else comes of it.
    ///
    /// Enters the kernel once for each 64 KiB, or huge page.
    ///
    /// # Examples
    ///
    /// ```
    /// use stayput::{Budget, VmVec};
    /// use std::time::Duration;
    ///
    /// let mut sparks = VmVec::new();
    /// for frame in 0..3 {
    ///     sparks.extend([[frame as f32; 4]; 1000]);
    ///     // The frame is done early: use the time that is left.
    ///     let done = sparks.prefault_ahead(Budget::time(Duration::from_millis(1)));
    ///     assert!(done.refused.is_none());
    /// }
    /// ```
    pub fn prefault_ahead(&mut self, budget: Budget) -> Prefaulted {
        self.prefault_ahead_behind(self.len, budget)
    }

    /// Makes pages of elements resident, for which there is capacity, whatever the length.
    pub(crate) fn prefault_within(&mut self, from: usize, to: usize) -> Result<(), Error> {
        self.raw.prefault(Self::ELEMENT, from, to)
    }

    /// [`prefault_ahead`](Self::prefault_ahead), behind so many elements, whatever the length.
    pub(crate) fn prefault_ahead_behind(&mut self, len: usize, budget: Budget) -> Prefaulted {
        let before = self.capacity();
        let prefaulted = self.raw.prefault_ahead(Self::ELEMENT, len, budget);
        self.close_new(before);
        prefaulted
    }

    /// Sets the maximum of an array with options of its own. Does nothing after addresses were reserved.
    pub(crate) fn limit(&mut self, max_len: usize) {
        self.raw.limit(Self::ELEMENT, max_len.max(self.len));
    }

    shrink_methods! {
        /// Gives memory behind the last element back to the system: it is neither resident nor
        /// charged to the process any more.
        ///
        /// Memory goes back in whole runs of 64 KiB (2 MiB where huge pages are asked for), and only
        /// if two or more are spare, so calling this often costs little. The reservation stays, and
        /// no element moves. If the system refuses, the memory stays.
        ///
        /// # Examples
        ///
        /// ```
        /// let mut bytes = stayput::VmVec::from(vec![1_u8; 4 << 20]);
        /// bytes.truncate(10);
        /// bytes.shrink_to_fit();
        /// assert!(bytes.stats().committed_bytes < 128 << 10);
        /// ```
    }

    fn shrink_within(&mut self, budget: Budget) -> Result<GivenBack, Error> {
        budget.spend(|purse| self.shrink(self.len, purse))
    }

    /// [`shrink_to_fit`](Self::shrink_to_fit), but keeps room for `min_capacity` elements, if
    /// there is so much.
    pub fn shrink_to(&mut self, min_capacity: usize) {
        // As for `shrink_to_fit`.
        let _ = self.try_shrink_to(min_capacity);
    }

    /// [`shrink_to`](Self::shrink_to), or the error.
    ///
    /// # Errors
    ///
    /// As for [`try_shrink_to_fit`](Self::try_shrink_to_fit).
    pub fn try_shrink_to(&mut self, min_capacity: usize) -> Result<(), Error> {
        self.shrink(self.len.max(min_capacity), &mut Purse::unlimited()).map(drop)
    }

    /// Gives memory behind the first `len` elements, of which there are as many or fewer, back as far
    /// as there is money. Whether there is nothing more to give back.
    pub(crate) fn shrink(&mut self, len: usize, purse: &mut Purse) -> Result<bool, Error> {
        self.raw.shrink(Self::ELEMENT, len, purse)
    }

    /// Hands back the memory of bytes within capacity, in whole [`run_bytes`](Self::run_bytes);
    /// they read as zero then.
    ///
    /// # Safety
    ///
    /// - Elements that lie there, or reach there, are valid with zeroes in their place.
    pub(crate) unsafe fn discard(&mut self, bytes: Range<usize>) -> Result<(), Error> {
        self.raw.discard(bytes)
    }

    /// Up to how many bytes from the start memory may hold what another array has left there, wherever nothing
    /// was written since. Never grows once there is memory.
    pub(crate) fn warm_bytes(&self) -> usize {
        self.raw.warm_bytes()
    }

    /// How many elements lie wholly in the memory that would stay if all behind the first `len` were
    /// given back, if any would go.
    pub(crate) fn shrinks_to(&self, len: usize) -> Option<usize> {
        self.raw.shrinks_to_bytes(Self::ELEMENT, len)?.checked_div(size_of::<T>())
    }

    /// In what units memory is worth giving back where that splits huge pages.
    pub(crate) fn least_run_bytes(&self) -> usize {
        self.raw.least_run_bytes()
    }

    /// In what units memory at an offset in bytes is best given back.
    pub(crate) fn run_bytes(&self, offset: usize) -> usize {
        self.raw.run_bytes(offset)
    }

    /// The room behind the last element, within capacity.
    ///
    /// After writing to it, [`set_len`](Self::set_len) says that it holds elements.
    #[inline]
    pub fn spare_capacity_mut(&mut self) -> &mut [MaybeUninit<T>] {
        let spare = self.capacity() - self.len;
        // SAFETY: `len` is within capacity.
        let first = unsafe { self.as_mut_ptr().add(self.len) };
        // SAFETY: `spare` more elements are within capacity, and need not be initialised.
        unsafe { slice::from_raw_parts_mut(first.cast(), spare) }
    }

    /// Gives up the array for a slice that lives as long as the elements may. The memory, and the
    /// reservation, are never released.
    #[inline]
    pub fn leak<'a>(self) -> &'a mut [T]
    where
        T: 'a,
    {
        let mut vec = ManuallyDrop::new(self);
        vec.raw.leak();
        // SAFETY: `len` elements are initialised; the array is never dropped and nobody else has
        // it, so they stay so, and are the slice's alone.
        unsafe { slice::from_raw_parts_mut(vec.first(), vec.len) }
    }
}
