//! Taking memory, and giving it back.

use super::{SecondaryMap, or_give_up};
use crate::container::{prefault_methods, reserve_methods, shrink_methods, stats};
use crate::error::{Error, ErrorKind, Holder};
use crate::growing::{Amount, Budget, GivenBack, Prefaulted, Purse};
use crate::key::Key;
use crate::slots::array::Slots;
use crate::slots::far_index::{FarRule, NEAR_BYTES};
use crate::slots::key_bits::explain;

stats! {
    /// What a [`SecondaryMap`] holds and takes up, given by [`SecondaryMap::stats`].
    pub struct SecondaryMapStats of "Slots", in memory of "slots" {
        /// Slots with values.
        live,
        /// Slots up to the highest that was filled since the last `clear`, which iteration goes over.
        slots,
    }
}

impl<K: Key, V> SecondaryMap<K, V> {
    /// Which indices are far.
    pub(super) const FAR: FarRule = FarRule::new(Slots::<V>::STRIDE_BYTES, Holder::SecondaryMap);
    /// So many, if the keys are read: who wrote them may be anyone, and may have written many maps.
    #[cfg(feature = "serde")]
    pub(crate) const NEAR_READ_BYTES: usize = 4 << 20;

    /// The number of slots that committed memory has room for: keys with indices below it, unless
    /// they are [far](Self#far-indices), are taken without a call to the kernel. O(1).
    #[inline]
    pub const fn capacity(&self) -> usize {
        self.slots.capacity()
    }

    /// The number of slots that the map can ever have: as asked, or as fit into the reservation,
    /// or as keys can number. O(1).
    pub fn max_len(&self) -> usize {
        self.slots.max_len()
    }

    /// Makes room for indices below `new_capacity`, and so announces them; see
    /// [far indices](Self#far-indices).
    ///
    /// Enters the kernel once, if there is not room already. Nothing is moved, and no page is touched.
    ///
    /// # Panics
    ///
    /// Where [`try_set_capacity`](Self::try_set_capacity) has an error.
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
        or_give_up(self.try_set_capacity(new_capacity));
    }

    /// [`set_capacity`](Self::set_capacity), or the error.
    ///
    /// # Errors
    ///
    /// If keys cannot number so many slots ([`KeyBits`](ErrorKind::KeyBits)); else if they would be
    /// more than `isize::MAX` bytes ([`CapacityOverflow`](ErrorKind::CapacityOverflow)); else if it is
    /// more than `max_len` ([`MaxLen`](ErrorKind::MaxLen)); or if the system refuses. The map is
    /// unchanged then.
    pub fn try_set_capacity(&mut self, new_capacity: usize) -> Result<(), Error> {
        if new_capacity > self.slots.capacity() {
            Self::check_key_bits(new_capacity)?;
            let additional = new_capacity - self.slots.len();
            self.slots.try_reserve_exact(additional).map_err(Self::explain)?;
        }
        self.announced = self.announced.max(new_capacity);
        Ok(())
    }

    reserve_methods! {
        &mut, "slots";
        /// They come after the highest that was filled, and are [announced](Self#far-indices) thereby.
        ///
        /// Enters the kernel if there is not room already. Nothing is moved, and no page is touched.
    }

    fn make_room_for(&mut self, additional: usize, _: Amount) -> Result<(), Error> {
        let new_capacity = self.slots.len().saturating_add(additional);
        Self::check_key_bits(new_capacity)?;
        self.slots.try_reserve(additional).map_err(Self::explain)?;
        self.announced = self.announced.max(new_capacity);
        Ok(())
    }

    shrink_methods! {
        /// Gives the memory behind the last value back to the system, as
        /// [`VmVec::shrink_to_fit`](crate::VmVec::shrink_to_fit) does, so iteration ends there, and
        /// nothing is announced any more. No value moves. If the system refuses, the memory stays. Linear
        /// in the slots given up.
    }

    fn shrink_within(&mut self, budget: Budget) -> Result<GivenBack, Error> {
        budget.spend(|purse| self.shrink(purse))
    }

    fn shrink(&mut self, purse: &mut Purse) -> Result<bool, Error> {
        self.announced = 0;
        self.slots.shrink(purse)
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

    /// Makes memory behind the highest slot that was filled resident ahead of its use, for the idle
    /// time of a frame; see [`VmVec::prefault_ahead`](crate::VmVec::prefault_ahead).
    pub fn prefault_ahead(&mut self, budget: Budget) -> Prefaulted {
        self.slots.prefault_ahead(budget)
    }

    /// What the map holds and takes up.
    ///
    /// Asks the system which pages are resident, linear in the committed pages: for looking, not
    /// for a hot path.
    pub fn stats(&self) -> SecondaryMapStats {
        let slots = self.slots.stats();
        SecondaryMapStats { live: self.live, slots: slots.len, ..SecondaryMapStats::of(slots) }
    }

    /// Whether an index is that behind the last slot, surely not far, and there is room at hand.
    #[inline]
    pub(super) fn is_next(&self, index: u32, generation: u32) -> bool {
        let index = index as usize;
        index == self.slots.len()
            && generation != 0
            && (index < const { Self::FAR.near_slots(NEAR_BYTES) } || index < self.announced)
            && self.slots.has_room()
    }

    /// Adds slots up to an index behind the last, unless its key is null or the index far.
    #[cold]
    #[inline(never)]
    pub(super) fn extend_to(&mut self, index: u32, generation: u32) -> Result<(), Error> {
        if generation == 0 {
            return Err(Error::new(ErrorKind::StaleKey, 0));
        }
        let need = (index as usize).saturating_add(1);
        Self::check_near(&self.slots, need, self.live + 1, self.announced)?;
        self.reach(need)
    }

    /// Refuses so many slots if they are far for so many values.
    pub(super) fn check_near(
        slots: &Slots<V>,
        need: usize,
        values: usize,
        announced: usize,
    ) -> Result<(), Error> {
        Self::FAR.check(need, values, announced.max(slots.len()), slots.options().max_len)
    }

    /// Adds slots up to so many.
    pub(super) fn reach(&mut self, need: usize) -> Result<(), Error> {
        let additional = need.saturating_sub(self.slots.len());
        self.slots.extend_vacant(additional).map_err(Self::explain)
    }

    /// Says it if it is the keys that set the limit.
    pub(super) fn explain(error: Error) -> Error {
        explain(error, Self::BOUND)
    }
}
