//! Taking memory, and giving it back.

use super::{SecondaryMap, or_give_up};
use crate::error::{Error, ErrorKind};
use crate::growing::{Budget, GivenBack, Prefaulted, Purse};
use crate::key::Key;
use crate::slot_map::SlotMap;
use crate::slot_map::iter::Walk;
use crate::slot_map::slots::Slots;

/// So many bytes are taken at once for a key, without a word.
const NEAR_BYTES: usize = 64 << 20;

/// What a [`SecondaryMap`] holds and takes up, given by [`SecondaryMap::stats`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct SecondaryMapStats {
    /// Slots with values.
    pub live: usize,
    /// Slots up to the highest that was filled, which iteration goes over.
    pub slots: usize,
    /// Slots that fit into committed memory.
    pub capacity: usize,
    /// Slots that the map can ever have.
    pub max_len: usize,
    /// Bytes of address space.
    pub reserved_bytes: usize,
    /// Bytes that the system has promised.
    pub committed_bytes: usize,
    /// Of those, bytes that lie ready behind `capacity`.
    pub ahead_bytes: usize,
    /// How often growth needed more than lay ready, if it was to.
    pub late: usize,
    /// Bytes that are in memory now, if the system tells.
    pub resident_bytes: Option<usize>,
}

impl<K: Key, V> SecondaryMap<K, V> {
    /// The number of slots that committed memory has room for: keys with indices below it are
    /// taken without a call to the kernel. O(1).
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
    /// [far indices](Self#far-indices). Does nothing if there is room already.
    ///
    /// Enters the kernel once. Nothing is moved, and no page is touched.
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
    /// If keys cannot number so many slots ([`KeyBits`](ErrorKind::KeyBits)), it is more than
    /// `max_len` ([`MaxLen`](ErrorKind::MaxLen)), or the system refuses. The map is unchanged then.
    pub fn try_set_capacity(&mut self, new_capacity: usize) -> Result<(), Error> {
        if new_capacity <= self.slots.capacity() {
            return Ok(());
        }
        Self::check_key_bits(new_capacity)?;
        self.slots.try_reserve_exact(new_capacity - self.slots.len()).map_err(Self::explain)
    }

    /// Makes room for `additional` more slots behind the highest that was filled, and maybe some
    /// ahead.
    ///
    /// Enters the kernel if there is not room already. Nothing is moved, and no page is touched.
    ///
    /// # Panics
    ///
    /// Where [`try_reserve`](Self::try_reserve) has an error.
    #[track_caller]
    pub fn reserve(&mut self, additional: usize) {
        or_give_up(self.try_reserve(additional));
    }

    /// [`reserve`](Self::reserve), or the error.
    ///
    /// # Errors
    ///
    /// As for [`try_set_capacity`](Self::try_set_capacity).
    pub fn try_reserve(&mut self, additional: usize) -> Result<(), Error> {
        Self::check_key_bits(self.slots.len().saturating_add(additional))?;
        self.slots.try_reserve(additional).map_err(Self::explain)
    }

    /// Gives the memory behind the last value back to the system, as
    /// [`VmVec::shrink_to_fit`](crate::VmVec::shrink_to_fit) does, so iteration ends there. No
    /// value moves. If the system refuses, the memory stays. Linear in the slots given up.
    pub fn shrink_to_fit(&mut self) {
        // The one refusal is that of a process at its limit of mappings; it costs only memory.
        let _ = self.try_shrink_to_fit();
    }

    /// [`shrink_to_fit`](Self::shrink_to_fit), or the error.
    ///
    /// # Errors
    ///
    /// If the system refuses ([`MappingLimit`](ErrorKind::MappingLimit)); no value has changed
    /// then.
    pub fn try_shrink_to_fit(&mut self) -> Result<(), Error> {
        self.shrink(&mut Purse::unlimited()).map(drop)
    }

    /// [`shrink_to_fit`](Self::shrink_to_fit), but no more memory goes than a budget allows, so that
    /// it can be spread over frames: call it again until it [is done](GivenBack::is_done).
    ///
    /// # Errors
    ///
    /// As for [`try_shrink_to_fit`](Self::try_shrink_to_fit). What was given back before is.
    pub fn shrink_to_fit_within(&mut self, budget: Budget) -> Result<GivenBack, Error> {
        let mut purse = Purse::new(budget);
        let is_done = self.shrink(&mut purse)?;
        Ok(GivenBack { bytes: purse.spent(), is_done })
    }

    fn shrink(&mut self, purse: &mut Purse) -> Result<bool, Error> {
        let last = self.walk().step_back();
        self.slots.truncate(last.map_or(0, |(index, ..)| index as usize + 1));
        self.slots.shrink(purse)
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
        SecondaryMapStats {
            live: self.live,
            slots: slots.len,
            capacity: slots.capacity,
            max_len: slots.max_len,
            reserved_bytes: slots.reserved_bytes,
            committed_bytes: slots.committed_bytes,
            ahead_bytes: slots.ahead_bytes,
            late: slots.late,
            resident_bytes: slots.resident_bytes,
        }
    }

    /// Adds slots up to an index behind the last, unless its key is null or the index far.
    #[cold]
    #[inline(never)]
    pub(super) fn extend_to(&mut self, index: u32, generation: u32) -> Result<(), Error> {
        if generation == 0 {
            return Err(Error::new(ErrorKind::StaleKey, 0));
        }
        let stride = Slots::<V>::STRIDE_BYTES;
        let capacity = self.slots.capacity();
        let named = self.slots.options().max_len.unwrap_or(usize::MAX);
        let near = capacity.saturating_add(capacity.max(NEAR_BYTES / stride).max(1));
        let need = (index as usize).saturating_add(1);
        // What can never be there is not to be announced either.
        if need > near && need <= named {
            let error = Error::new(ErrorKind::FarIndex, need.saturating_mul(stride));
            return Err(error.with_limit(near as u64));
        }
        self.slots.extend_vacant(need - self.slots.len()).map_err(Self::explain)
    }

    /// Says it if it is the keys that set the limit.
    fn explain(error: Error) -> Error {
        SlotMap::<K, V>::explain(error)
    }
}
