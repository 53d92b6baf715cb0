//! Reserving and returning memory.

#![expect(unsafe_code, reason = "makes slices of spare and of leaked memory")]

use super::VmVec;
use crate::container::{prefault_methods, reserve_exact_methods, reserve_methods, shrink_methods};
use crate::error::Error;
use crate::growing::{Budget, BudgetMeter, GivenBack, Prefaulted};
use crate::raw_vec::Amount;
use std::mem::{ManuallyDrop, MaybeUninit};
use std::ops::Range;
use std::slice;

impl<T> VmVec<T> {
    reserve_methods! {
        &mut, "elements";
        /// Makes system calls if the capacity does not suffice. O(1) in the length: nothing moves.
        ;
        /// # Examples
        ///
        /// ```
        /// let mut names = stayput::VmVec::from(["Ann"]);
        /// names.reserve(1000);
        /// assert!(names.capacity() >= 1001);
        /// ```
    }

    reserve_exact_methods! {
        "elements";
        /// # Examples
        ///
        /// ```
        /// let mut names = stayput::VmVec::from(["Ann"]);
        /// names.reserve_exact(1000);
        /// assert!(names.capacity() >= 1001);
        /// ```
    }

    /// Grows if the capacity does not suffice for `additional` more elements.
    #[inline]
    #[cfg_attr(debug_assertions, track_caller)]
    pub(crate) fn make_room_for(&mut self, additional: usize, amount: Amount) -> Result<(), Error> {
        if additional <= self.capacity() - self.len {
            return Ok(());
        }
        self.grow(additional, amount)
    }

    /// Grows for `additional` more elements.
    #[cfg_attr(debug_assertions, track_caller)]
    pub(super) fn grow(&mut self, additional: usize, amount: Amount) -> Result<(), Error> {
        let (before, start) = (self.capacity(), self.start());
        let grown = self.raw.grow(Self::ELEMENT, self.len, additional, amount);
        // After the first growth, which sets the address, none of the spare capacity is poisoned yet.
        self.close_new(if self.start() == start { before } else { self.len });
        grown
    }

    prefault_methods! {
        &mut, "elements";
        /// To prefault a little per frame instead, use [`prefault_ahead`](Self::prefault_ahead).
        ;
        /// # Examples
        ///
        /// ```
        /// let mut samples = stayput::VmVec::new();
        /// samples.prefault(100_000); // while a level loads
        /// samples.extend((0..100_000).map(f64::from)); // takes no page faults
        /// assert_eq!(samples[99_999], 99_999.0);
        /// ```
    }

    fn prefault_room(&mut self, additional: usize) -> Result<(), Error> {
        self.try_reserve(additional)?;
        self.raw.prefault(Self::ELEMENT, self.len, self.len + additional)
    }

    /// Makes memory past the last element resident before it is needed, within a budget: twice as much as was used in
    /// the busiest recent sixtieth of a second, and at most 256 MiB; but at least as much as the array uses, or 4 MiB if
    /// that is less (or if it is empty).
    ///
    /// Call it once per frame, in idle time, as an alternative to the [background thread](crate::CommitAhead). It needs
    /// no estimate from the caller, since it observes how the array grows. If the system refuses, it stops and reports
    /// the refusal. The capacity may have grown nevertheless.
    ///
    /// Makes up to two system calls per 64 KiB or per huge page.
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
    ///     // The frame is done early: use the remaining time.
    ///     let done = sparks.prefault_ahead(Budget::time(Duration::from_millis(1)));
    ///     assert!(done.refused.is_none());
    /// }
    /// ```
    pub fn prefault_ahead(&mut self, budget: Budget) -> Prefaulted {
        self.prefault_ahead_past(self.len, budget)
    }

    /// Makes the pages of elements within capacity resident, whatever the length.
    pub(crate) fn prefault_within(&mut self, from: usize, to: usize) -> Result<(), Error> {
        self.raw.prefault(Self::ELEMENT, from, to)
    }

    /// Like [`prefault_ahead`](Self::prefault_ahead), but past the first `len` elements, whatever the length.
    pub(crate) fn prefault_ahead_past(&mut self, len: usize, budget: Budget) -> Prefaulted {
        let before = self.capacity();
        let prefaulted = self.raw.prefault_ahead(Self::ELEMENT, len, budget);
        self.close_new(before);
        prefaulted
    }

    /// Sets the maximum length of an array that has its own options. Has no effect once addresses are reserved.
    pub(crate) fn limit(&mut self, max_len: usize) {
        self.raw.limit(Self::ELEMENT, max_len.max(self.len));
    }

    /// See [`RawVec::stay_unserved`](crate::raw_vec::RawVec::stay_unserved).
    pub(crate) fn stay_unserved(&mut self) {
        self.raw.stay_unserved();
    }

    shrink_methods! {
        /// Returns memory past the last element to the system, so that it is neither resident nor charged to the
        /// process.
        ///
        /// Memory is returned in whole runs of 64 KiB (2 MiB with huge pages), and only if two or more are spare, so
        /// frequent calls cost little. The reservation stays, and no element moves. If the system refuses, the memory
        /// stays committed.
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
        budget.spend(|meter| self.shrink(self.len, meter))
    }

    /// Like [`shrink_to_fit`](Self::shrink_to_fit), but keeps capacity for at least `min_capacity` elements, if that
    /// much is committed.
    ///
    /// # Examples
    ///
    /// ```
    /// let mut bytes = stayput::VmVec::from(vec![1_u8; 4 << 20]);
    /// bytes.truncate(10);
    /// bytes.shrink_to(1 << 20); // as much as the next level needs
    /// assert!((1 << 20..2 << 20).contains(&bytes.capacity()));
    /// ```
    pub fn shrink_to(&mut self, min_capacity: usize) {
        // The error is ignored, as in `shrink_to_fit`.
        let _ = self.try_shrink_to(min_capacity);
    }

    /// Like [`shrink_to`](Self::shrink_to), but returns the error.
    ///
    /// # Errors
    ///
    /// As for [`try_shrink_to_fit`](Self::try_shrink_to_fit).
    pub fn try_shrink_to(&mut self, min_capacity: usize) -> Result<(), Error> {
        self.shrink(self.len.max(min_capacity), &mut BudgetMeter::unlimited()).map(drop)
    }

    /// Returns memory past the first `len` elements within the budget, but none of elements. Returns `true` if no more
    /// can be returned.
    pub(crate) fn shrink(&mut self, len: usize, meter: &mut BudgetMeter) -> Result<bool, Error> {
        self.raw.shrink(Self::ELEMENT, len.max(self.len), meter)
    }

    /// Returns the memory of bytes within capacity, in whole [`run_bytes`](Self::run_bytes); they read as zero
    /// afterwards.
    ///
    /// # Safety
    ///
    /// - Elements that lie there, or extend into it, are valid with zeros in their place.
    pub(crate) unsafe fn discard(&mut self, bytes: Range<usize>) -> Result<(), Error> {
        self.raw.discard(bytes)
    }

    /// How many bytes from the start may hold data of a previous array, unless they were overwritten since. Once there
    /// is memory, this never grows.
    pub(crate) fn warm_bytes(&self) -> usize {
        self.raw.warm_bytes()
    }

    /// How many elements would be entirely in committed memory if all memory past the first `len` were returned. `None`
    /// if nothing would be returned.
    pub(crate) fn shrinks_to(&self, len: usize) -> Option<usize> {
        self.raw.shrinks_to_bytes(Self::ELEMENT, len)?.checked_div(size_of::<T>())
    }

    /// The smallest unit of memory worth returning, even if that splits huge pages.
    pub(crate) fn least_run_bytes(&self) -> usize {
        self.raw.least_run_bytes()
    }

    /// The unit in which memory at an offset in bytes is best returned.
    pub(crate) fn run_bytes(&self, offset: usize) -> usize {
        self.raw.run_bytes(offset)
    }

    /// Returns the spare capacity of the array as a slice of `MaybeUninit<T>`.
    ///
    /// After initializing elements in it, call [`set_len`](Self::set_len).
    ///
    /// # Examples
    ///
    /// ```
    /// let mut squares = stayput::VmVec::<u64>::with_capacity(3);
    /// for (n, place) in squares.spare_capacity_mut()[..3].iter_mut().enumerate() {
    ///     place.write((n * n) as u64);
    /// }
    /// // SAFETY: the first three elements were just initialized.
    /// unsafe { squares.set_len(3) };
    /// assert_eq!(squares, [0, 1, 4]);
    /// ```
    #[inline]
    pub fn spare_capacity_mut(&mut self) -> &mut [MaybeUninit<T>] {
        let spare = self.capacity() - self.len;
        let first = self.as_mut_ptr().wrapping_add(self.len);
        // SAFETY: the `spare` elements from `len` on are within one aligned range (*capacity*), which nothing else
        // accesses during the mutable borrow of `self`; `MaybeUninit` need not be initialized.
        unsafe { slice::from_raw_parts_mut(first.cast(), spare) }
    }

    /// Consumes the array and returns its elements as a mutable slice. The memory and the reservation are never
    /// released.
    ///
    /// # Examples
    ///
    /// ```
    /// let levels: &'static mut [&str] = stayput::VmVec::from(["cave", "lake"]).leak();
    /// levels.reverse();
    /// assert_eq!(levels, ["lake", "cave"]);
    /// ```
    #[inline]
    pub fn leak<'a>(self) -> &'a mut [T]
    where
        T: 'a,
    {
        let mut vec = ManuallyDrop::new(self);
        vec.raw.leak();
        // SAFETY: `len` elements are initialized, in one aligned range (*elements*, *capacity*). `raw.leak` keeps the
        // memory for ever, and the array was consumed and is not dropped, so the slice is the only access to them.
        unsafe { slice::from_raw_parts_mut(vec.place(0), vec.len) }
    }
}
