//! [`Memory`]: what the growth lock guards; and the methods that take memory.

#![expect(unsafe_code, reason = "tells threads where memory is")]

use super::super::check_prefaulting_is_shared;
use super::super::lock::{Guard, LockError};
use super::super::places::{Claim, Grown, RUN, Refusal};
use super::SharedSlotMap;
use super::view::SharedView;
use crate::container::{prefault_methods, reserve_methods};
use crate::error::{Error, ErrorKind, Holder, unwrap_or_panic};
use crate::growing::{Amount, Budget, Prefaulted};
use crate::key::Key;
use crate::os;
#[cfg(doc)]
use crate::slot_map::SlotMap;
use crate::slot_map::{Sharing, SlotMapStats};

pub(super) struct Memory<K: Key, V> {
    pub(super) sharing: Sharing<K, V>,
    /// How many forks there had been when the map began to be shared; `None` before it has memory.
    pub(super) forks: Option<usize>,
    refused: Option<Error>,
}

/// Returns the error of a call out of one that takes memory, and of a call while the map is lent.
#[cold]
pub(super) fn busy() -> Error {
    Error::new(ErrorKind::Busy, 0).of(Holder::SharedSlotMap)
}

impl<K: Key, V> Memory<K, V> {
    pub(super) const fn new() -> Self {
        Self { sharing: Sharing::new(), forks: None, refused: None }
    }

    /// Whether the owner has the map, or has leaked the guard that returns it.
    pub(super) const fn is_lent(&self) -> bool {
        !self.sharing.is_shared()
    }

    /// Tells threads where the memory is.
    pub(super) fn show_to(&mut self, view: &SharedView<K, V>) {
        // SAFETY: this is the extent of the map, which belongs to the same `SharedSlotMap` as `view`. `publish_extent` and
        // the drop of `MapMut`, which alone call this, have made sure that it is shared.
        unsafe { view.set_extent(&self.sharing.extent()) };
    }

    /// Makes `need` tickets, and possibly more.
    fn grow(&mut self, need: usize) -> Grown {
        let refused = self.try_grow(need).err();
        if let Some(error) = refused {
            // The slot may lie past others that no thread has asked for yet. Those that fit get memory nevertheless.
            let is_at_limit = error.is_full() || error.kind() == ErrorKind::KeyBits;
            if is_at_limit && !self.is_lent() && !self.sharing.is_at_end() {
                let most = self.sharing.most_tickets();
                let _ = self.try_grow(most);
            }
        }
        self.refused = refused;
        Grown { committed: self.tickets(), refused }
    }

    /// [`grow`](Self::grow), or the error. There may be more tickets even after an error.
    fn try_grow(&mut self, need: usize) -> Result<(), Error> {
        // Earlier refusals are over. If this unwinds, the reason is not known.
        self.refused = None;
        if self.is_lent() {
            return Err(busy());
        }
        self.forks.get_or_insert_with(os::forks);
        self.sharing.try_grow(need).map_err(|error| error.of(Holder::SharedSlotMap))
    }

    fn tickets(&self) -> usize {
        if self.is_lent() { 0 } else { self.sharing.tickets() }
    }
}

impl<K: Key, V> SharedSlotMap<K, V> {
    /// Claims a slot, or several, with the growth lock.
    #[cold]
    #[inline(never)]
    pub(super) fn claim_slowly(&self, claim: &Claim) -> Result<Option<usize>, Error> {
        let mut guard = match self.memory.lock() {
            Ok(guard) => guard,
            Err(LockError::Reentrant) => {
                return self.places.claim_again(claim).map(Some).ok_or_else(busy);
            }
            Err(LockError::Orphaned) => {
                return self.places.abandon(claim).map(Some).ok_or_else(busy);
            }
        };
        let memory = &mut *guard;
        let claimed = self.places.claim_locked(claim, &mut |need| {
            let before = memory.tickets();
            let grown = memory.grow(need);
            self.publish_extent(memory, before);
            grown
        });
        claimed.map_err(|refusal| match refusal {
            Refusal::Memory(error) => error,
            Refusal::Closed => memory.refused.unwrap_or_else(busy),
        })
    }

    /// Publishes where memory is, and sets from which ticket on to take more.
    fn publish_extent(&self, memory: &mut Memory<K, V>, before: usize) {
        if memory.is_lent() {
            return;
        }
        memory.show_to(&self.view);
        let tickets = memory.tickets();
        let step = tickets.saturating_sub(before);
        if memory.sharing.is_at_end() {
            self.places.set_ahead_from(usize::MAX);
        } else if step > 0 {
            self.places.set_ahead_from(tickets - step / 4);
        }
    }

    /// Takes memory ahead if filling the slots of the tickets from `first` to `last` makes that due.
    #[inline]
    pub(super) fn note(&self, first: usize, last: usize) {
        if (last + 1) / RUN != first / RUN && self.places.is_ahead(last) {
            self.grow_ahead();
        }
    }

    /// Makes tickets before a thread needs them, unless the growth lock is held.
    #[cold]
    #[inline(never)]
    fn grow_ahead(&self) {
        let Some(mut guard) = self.memory.try_lock() else { return };
        let memory = &mut *guard;
        let before = memory.tickets();
        // Other threads need not try the same meanwhile, nor, after a refusal, before one of them needs memory.
        self.places.set_ahead_from(usize::MAX);
        if !memory.is_lent() && !memory.sharing.is_at_end() && !self.places.is_closed() {
            // The thread that needs the memory gets the error.
            let _ = memory.try_grow(before + 1);
            self.publish_extent(memory, before);
            self.places.raise_committed(memory.tickets());
        }
    }

    /// Ensures that a ticket has its slot, without claiming it.
    pub(super) fn try_have(&self, ticket: usize) -> Result<(), Error> {
        if ticket < self.places.committed() {
            return Ok(());
        }
        let mut guard = self.memory.lock().map_err(|_| busy())?;
        self.try_grow_to(&mut guard, ticket.saturating_add(1))
    }

    fn try_grow_to(&self, memory: &mut Memory<K, V>, need: usize) -> Result<(), Error> {
        let before = memory.tickets();
        if need <= before.min(self.places.committed()) {
            return Ok(());
        }
        if self.places.is_closed() {
            return Err(memory.refused.unwrap_or_else(busy));
        }
        // Not `grow`, which takes all available memory when more is refused: no ticket waits for it here.
        let grown = memory.try_grow(need);
        self.publish_extent(memory, before);
        self.places.raise_committed(memory.tickets());
        grown?;
        // A call of this thread out of `try_grow` may have closed the map.
        if self.places.is_closed() { Err(busy()) } else { Ok(()) }
    }

    /// Ensures that a slot has the bit that says that its value was removed. Only slots of values that came with a map
    /// can be without one, if memory for it was refused then.
    #[cold]
    #[inline(never)]
    pub(super) fn cover_removed(&self, index: u32) -> Result<(), Error> {
        let mut guard = self.memory.lock().map_err(|_| busy())?;
        let memory = &mut *guard;
        let tickets = memory.tickets();
        let covered = memory.sharing.cover_removed(index as usize + 1);
        self.publish_extent(memory, tickets);
        covered.map_err(|error| error.of(Holder::SharedSlotMap))
    }

    /// Returns how many tickets that have slots were issued.
    #[inline]
    pub(super) fn issued(&self) -> usize {
        self.places.issued()
    }

    /// Returns the maximum number of slots; see [`SlotMap::max_len`]. Waits for a thread that takes memory.
    ///
    /// # Panics
    ///
    /// If [`try_max_len`](Self::try_max_len) returns an error.
    #[track_caller]
    pub fn max_len(&self) -> usize {
        unwrap_or_panic(self.try_max_len())
    }

    /// [`max_len`](Self::max_len), or the error.
    ///
    /// # Errors
    ///
    /// [`Busy`](ErrorKind::Busy) as for [`try_reserve`](Self::try_reserve).
    pub fn try_max_len(&self) -> Result<usize, Error> {
        Ok(self.memory.lock().map_err(|_| busy())?.sharing.max_len())
    }

    /// Returns the number of slots that committed memory has room for. O(1).
    #[inline]
    pub fn capacity(&self) -> usize {
        self.view.capacity()
    }

    /// Returns what the map holds and how much memory it takes, including what it keeps for threads. Slots of removed
    /// values are neither live nor holes until the owner takes the map. Waits for a thread that takes memory; see
    /// [`SlotMap::stats`].
    ///
    /// # Panics
    ///
    /// If [`try_stats`](Self::try_stats) returns an error.
    #[track_caller]
    pub fn stats(&self) -> SlotMapStats {
        unwrap_or_panic(self.try_stats())
    }

    /// [`stats`](Self::stats), or the error.
    ///
    /// # Errors
    ///
    /// As for [`try_max_len`](Self::try_max_len).
    pub fn try_stats(&self) -> Result<SlotMapStats, Error> {
        let memory = self.memory.lock().map_err(|_| busy())?;
        Ok(memory.sharing.stats(self.len(), self.issued()))
    }

    reserve_methods! {
        &, "values";
        /// `additional` is counted from what all threads have inserted until now. Holes are used first, then slots
        /// after the last one. Other threads may fill them first.
        ///
        /// Enters the kernel unless there is enough room already. O(n) in the holes that it makes available.
    }

    fn make_room_for(&self, additional: usize, _: Amount) -> Result<(), Error> {
        self.room_for(additional).map(drop)
    }

    /// [`try_reserve`](Self::try_reserve), with the growth lock still held; also returns the first ticket that the
    /// memory is for.
    fn room_for(&self, additional: usize) -> Result<(Guard<'_, Memory<K, V>>, usize), Error> {
        let mut guard = self.memory.lock().map_err(|_| busy())?;
        let first = self.issued();
        self.try_grow_to(&mut guard, first.saturating_add(additional))?;
        Ok((guard, first))
    }

    prefault_methods! {
        &, "values";
        /// Pages of holes that were [trimmed](SlotMap::trim) are left out. Threads that need more memory meanwhile
        /// wait; others can insert. On processors that cannot touch pages in use, which are all except x86 and 64-bit
        /// ARM, this makes room and then fails with [`Unsupported`](ErrorKind::Unsupported).
    }

    fn prefault_room(&self, additional: usize) -> Result<(), Error> {
        let (mut memory, first) = self.room_for(additional)?;
        check_prefaulting_is_shared(Holder::SharedSlotMap)?;
        memory.sharing.try_prefault(first..first + additional)
    }

    /// Makes memory after the last slot resident ahead of its use; see [`SlotMap::prefault_ahead`], and
    /// [`prefault`](Self::prefault) for processors on which it fails.
    ///
    /// # Examples
    ///
    /// ```
    /// use stayput::{Budget, SharedSlotMap};
    /// use std::time::Duration;
    ///
    /// let jobs = SharedSlotMap::new();
    /// for frame in 0..3 {
    ///     (0..1000).for_each(|n| _ = jobs.insert([frame, n]));
    ///     // The frame is done early: use the remaining time, while other threads insert.
    ///     let done = jobs.prefault_ahead(Budget::time(Duration::from_millis(1)));
    ///     println!("{done:?}");
    /// }
    /// ```
    pub fn prefault_ahead(&self, budget: Budget) -> Prefaulted {
        self.try_prefault_ahead(budget).unwrap_or_else(Prefaulted::refused)
    }

    fn try_prefault_ahead(&self, budget: Budget) -> Result<Prefaulted, Error> {
        check_prefaulting_is_shared(Holder::SharedSlotMap)?;
        let mut guard = self.memory.lock().map_err(|_| busy())?;
        let memory = &mut *guard;
        if memory.is_lent() {
            return Err(busy());
        }
        let done = memory.sharing.prefault_ahead(self.issued(), budget);
        let tickets = memory.tickets();
        self.publish_extent(memory, tickets);
        Ok(done)
    }
}
