//! Taking and returning memory.

use super::{SecondaryMap, unwrap_or_panic};
use crate::container::{prefault_methods, reserve_methods, shrink_methods, stats};
use crate::error::{Error, ErrorKind, Holder};
use crate::growing::{Amount, Budget, BudgetMeter, GivenBack, Prefaulted};
use crate::key::Key;
use crate::slots::array::Slots;
use crate::slots::far_index::{FarRule, NEAR_BYTES};
use crate::slots::key_bits::explain;

stats! {
    /// What a [`SecondaryMap`] holds, and how much memory it takes; returned by [`SecondaryMap::stats`].
    ///
    /// # Examples
    ///
    /// ```
    /// use stayput::{DefaultKey, SecondaryMap, SlotMap};
    ///
    /// let map: SlotMap<DefaultKey, u32> = (0..10).collect();
    /// let third: SecondaryMap<_, u32> = map.keys().step_by(3).map(|key| (key, map[key])).collect();
    /// let stats = third.stats();
    /// assert_eq!((stats.live, stats.slots), (4, 10));
    /// ```
    pub struct SecondaryMapStats of "Slots", in memory of "slots" {
        /// Slots that hold values.
        live,
        /// Slots up to the highest that was filled since the last `clear`. Iteration covers these.
        slots,
    }
}

impl<K: Key, V> SecondaryMap<K, V> {
    pub(super) const FAR: FarRule = FarRule::new(Slots::<V>::STRIDE_BYTES, Holder::SecondaryMap);
    /// How many bytes of slots are near when keys are read: less than otherwise, since stored data may be forged, and
    /// contain many maps.
    #[cfg(feature = "serde")]
    pub(crate) const NEAR_READ_BYTES: usize = 4 << 20;

    /// Returns the number of slots that committed memory has room for. Keys with a lower index that is not
    /// [far](Self#far-indices) are inserted without entering the kernel. O(1).
    #[inline]
    pub const fn capacity(&self) -> usize {
        self.slots.capacity()
    }

    /// Returns the maximum number of slots: `max_len` if it was set, or as many as fit into the reservation, but no
    /// more than keys have bits for. O(1).
    pub fn max_len(&self) -> usize {
        self.slots.max_len()
    }

    /// Takes memory for indices below `new_capacity`, none of which is [far](Self#far-indices) afterwards.
    ///
    /// Enters the kernel once, unless there is enough room already. No value moves, and no page is touched.
    ///
    /// # Panics
    ///
    /// If [`try_set_capacity`](Self::try_set_capacity) returns an error.
    ///
    /// # Examples
    ///
    /// ```
    /// # use stayput::{SecondaryMap, SlotMap};
    /// let mut map = SlotMap::new();
    /// let key = map.insert("foo");
    /// let mut second: SecondaryMap<_, [u8; 1024]> = SecondaryMap::new();
    /// second.set_capacity(map.capacity());
    /// assert!(second.capacity() >= map.capacity());
    /// # second.insert(key, [0; 1024]);
    /// ```
    #[track_caller]
    pub fn set_capacity(&mut self, new_capacity: usize) {
        unwrap_or_panic(self.try_set_capacity(new_capacity));
    }

    /// [`set_capacity`](Self::set_capacity), or the error.
    ///
    /// # Errors
    ///
    /// If keys have no bits for all the slots ([`KeyBits`](ErrorKind::KeyBits)); if the slots would exceed `isize::MAX`
    /// bytes ([`CapacityOverflow`](ErrorKind::CapacityOverflow)) or `max_len` ([`MaxLen`](ErrorKind::MaxLen)); or if
    /// the system refuses memory. The map is unchanged then.
    pub fn try_set_capacity(&mut self, new_capacity: usize) -> Result<(), Error> {
        Self::check_key_bits(new_capacity)?;
        let additional = new_capacity.saturating_sub(self.slots.len());
        self.slots.try_reserve_exact(additional).map_err(Self::explain)?;
        self.announced = self.announced.max(new_capacity);
        Ok(())
    }

    reserve_methods! {
        &mut, "slots";
        /// Their indices follow the highest that was filled, and are not [far](Self#far-indices) afterwards.
        ///
        /// Enters the kernel unless there is enough room already. No value moves, and no page is touched.
    }

    fn make_room_for(&mut self, additional: usize, _: Amount) -> Result<(), Error> {
        let new_capacity = self.slots.len().saturating_add(additional);
        Self::check_key_bits(new_capacity)?;
        self.slots.try_reserve(additional).map_err(Self::explain)?;
        self.announced = self.announced.max(new_capacity);
        Ok(())
    }

    shrink_methods! {
        /// Returns the memory after the last value to the system, as
        /// [`VmVec::shrink_to_fit`](crate::VmVec::shrink_to_fit) does. Iteration ends there, and indices that were
        /// announced by `set_capacity` and similar methods may be far again. No value moves. If the system refuses, the
        /// memory stays committed. O(n) in the slots that are released.
        ///
        /// # Examples
        ///
        /// ```
        /// # use stayput::{DefaultKey, SecondaryMap, SlotMap};
        /// let map: SlotMap<DefaultKey, u32> = (0..100_000).collect();
        /// let mut second: SecondaryMap<_, u64> = map.keys().map(|key| (key, 1)).collect();
        /// let before = second.capacity();
        /// second.retain(|key, _| map[key] < 10);
        /// second.shrink_to_fit();
        /// assert!(second.capacity() < before);
        /// assert_eq!(second.len(), 10);
        /// ```
    }

    fn shrink_within(&mut self, budget: Budget) -> Result<GivenBack, Error> {
        budget.spend(|meter| self.shrink(meter))
    }

    fn shrink(&mut self, meter: &mut BudgetMeter) -> Result<bool, Error> {
        (self.announced, self.next_below) = (0, 0);
        self.slots.shrink(meter)
    }

    /// Returns all memory without values in it to the system, wherever it lies, as
    /// [`SlotMap::trim`](crate::SlotMap::trim) does, and memory past the last value, as
    /// [`shrink_to_fit`](Self::shrink_to_fit) does. No value moves. If the system refuses, the memory stays.
    ///
    /// Enters the kernel for each range of 64 KiB or more. O(n) in the slots.
    ///
    /// # Examples
    ///
    /// ```
    /// # use stayput::{DefaultKey, SecondaryMap, SlotMap};
    /// let map: SlotMap<DefaultKey, u32> = (0..100_000).collect();
    /// let mut second: SecondaryMap<_, [u64; 8]> = map.keys().map(|key| (key, [1; 8])).collect();
    /// second.retain(|key, _| map[key] % 50_000 == 0);
    /// second.trim();
    /// # #[cfg(target_os = "linux")]
    /// assert!(second.stats().resident_bytes < Some(1 << 20));
    /// assert_eq!(second.len(), 2);
    /// ```
    pub fn trim(&mut self) {
        // As for `shrink_to_fit`, an error has no other effect.
        let _ = self.try_trim();
    }

    /// [`trim`](Self::trim), or the error.
    ///
    /// # Errors
    ///
    /// As for [`try_shrink_to_fit`](Self::try_shrink_to_fit). Memory that was returned before the error stays returned.
    pub fn try_trim(&mut self) -> Result<(), Error> {
        self.trim_within(Budget::UNLIMITED).map(drop)
    }

    /// Trims as [`trim`](Self::trim) does, but no further than a budget allows; see
    /// [`SlotMap::trim_within`](crate::SlotMap::trim_within).
    ///
    /// # Errors
    ///
    /// As for [`try_trim`](Self::try_trim).
    pub fn trim_within(&mut self, budget: Budget) -> Result<GivenBack, Error> {
        (self.announced, self.next_below) = (0, 0);
        self.slots.trim(budget)
    }

    prefault_methods! {
        &mut, "slots";
        /// # Examples
        ///
        /// ```
        /// # use stayput::{DefaultKey, SecondaryMap, SlotMap};
        /// let map: SlotMap<DefaultKey, u32> = (0..1000).collect();
        /// let mut second = SecondaryMap::new();
        /// second.prefault(map.len());
        /// second.extend(map.keys().map(|key| (key, [0_u8; 100]))); // takes no page fault
        /// ```
    }

    fn prefault_room(&mut self, additional: usize) -> Result<(), Error> {
        self.try_reserve(additional)?;
        self.slots.try_prefault(additional)
    }

    /// Makes memory after the highest slot that was filled resident ahead of its use, in the idle time of a frame; see
    /// [`VmVec::prefault_ahead`](crate::VmVec::prefault_ahead).
    pub fn prefault_ahead(&mut self, budget: Budget) -> Prefaulted {
        self.slots.prefault_ahead(budget)
    }

    /// Returns what the map holds and how much memory it takes.
    ///
    /// Asks the system which pages are resident, in O(n) of the committed pages: for diagnostics, not for a hot path.
    pub fn stats(&self) -> SecondaryMapStats {
        let slots = self.slots.stats();
        SecondaryMapStats { live: self.live, slots: slots.len, ..SecondaryMapStats::of(slots) }
    }

    /// Whether an index is the one after the last slot, and the slot can be [pushed](GappedSlots::push).
    #[inline]
    pub(super) fn is_next(&self, index: u32, generation: u32) -> bool {
        let index = index as usize;
        index == self.slots.len() && index < self.next_below && generation != 0
    }

    /// Adds slots up to an index past the last one, unless its key is null or the index is far.
    #[cold]
    #[inline(never)]
    pub(super) fn extend_to(&mut self, index: u32, generation: u32) -> Result<(), Error> {
        if generation == 0 {
            return Err(Error::new(ErrorKind::StaleKey, 0));
        }
        let need = (index as usize).saturating_add(1);
        Self::check_near(&self.slots, need, self.live + 1, self.announced)?;
        self.reach(need)?;
        let near = Self::FAR.near_slots(NEAR_BYTES).max(self.announced);
        self.next_below = self.slots.room().min(near);
        Ok(())
    }

    /// Returns an error if `need` slots are far for the number of values.
    pub(super) fn check_near(
        slots: &Slots<V>,
        need: usize,
        values: usize,
        announced: usize,
    ) -> Result<(), Error> {
        Self::FAR.check(need, values, announced.max(slots.len()), slots.options().max_len)
    }

    /// Adds slots until there are `need`.
    pub(super) fn reach(&mut self, need: usize) -> Result<(), Error> {
        let additional = need.saturating_sub(self.slots.len());
        self.slots.extend_vacant(additional).map_err(Self::explain)
    }

    /// Changes the kind of an error if the keys set the limit.
    pub(super) fn explain(error: Error) -> Error {
        explain(error, Self::BOUND)
    }
}
