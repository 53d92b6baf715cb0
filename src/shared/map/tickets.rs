//! [`TicketMap`]: which slot a ticket stands for, and how the state of a slot changes, so that one thread fills it and
//! one removes its value.
//!
//! This file handles only numbers, neither values nor memory, so that `loom/` can run it over its own atomics. The
//! source of the [module](super) says what it guarantees and why.

#![forbid(unsafe_code)]

use super::REMOVAL_COUNTS;
use super::sync::atomic::{AtomicU8, AtomicU32, AtomicUsize, Ordering};
use std::mem;

/// Maps tickets to slots.
pub(super) struct TicketMap {
    /// How many tickets stand for holes, the first ones.
    listed: AtomicUsize,
    /// The slot that the next ticket stands for. Changed only through `&mut`.
    first_fresh: usize,
}

/// What a ticket stands for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum TicketSlot {
    /// The hole at this position of the list.
    Listed(usize),
    /// A slot past the last one that the map had before it was shared.
    Fresh(usize),
}

impl TicketMap {
    pub(super) const fn new() -> Self {
        Self { listed: AtomicUsize::new(0), first_fresh: 0 }
    }

    /// Starts again, without tickets.
    pub(super) fn begin(&mut self, first_fresh: usize) {
        self.first_fresh = first_fresh;
        self.listed.store(0, Ordering::Relaxed);
    }

    /// Sets how many holes are in the list. The caller must hold the growth lock, and must not have made more tickets
    /// yet.
    pub(super) fn set_listed(&self, listed: usize) {
        self.listed.store(listed, Ordering::Relaxed);
    }

    /// Returns what a ticket stands for. The caller must have seen by acquire that it has its slot.
    #[inline]
    pub(super) fn slot_of(&self, ticket: usize) -> TicketSlot {
        // At least the holes up to this ticket were listed when it got its slot. If it is not among them, the list has
        // ended.
        let listed = self.listed.load(Ordering::Relaxed);
        if ticket < listed {
            TicketSlot::Listed(ticket)
        } else {
            TicketSlot::Fresh(ticket - listed + self.first_fresh)
        }
    }

    /// Returns the end of the slots that the first `tickets` tickets stand for, and of those that were there before.
    pub(super) fn end_of(&self, tickets: usize) -> usize {
        let listed = self.listed.load(Ordering::Relaxed);
        self.first_fresh.saturating_add(tickets.saturating_sub(listed))
    }
}

/// Up to which slots there is memory.
pub(super) struct Ends {
    slots: AtomicUsize,
    removed: AtomicUsize,
}

impl Ends {
    pub(super) const fn new() -> Self {
        Self { slots: AtomicUsize::new(0), removed: AtomicUsize::new(0) }
    }

    /// Hides all slots. No other thread may use this meanwhile.
    #[inline]
    pub(super) fn withdraw(&mut self) {
        self.slots.store(0, Ordering::Relaxed);
        self.removed.store(0, Ordering::Relaxed);
    }

    /// Publishes up to where slots have memory, and up to where they have bits. A thread that sees these also sees what
    /// the caller wrote before.
    #[inline]
    pub(super) fn publish(&self, slots: usize, removed: usize) {
        self.removed.store(removed, Ordering::Release);
        self.slots.store(slots, Ordering::Release);
    }

    /// Slots below this may be read.
    #[inline]
    pub(super) fn slots(&self) -> usize {
        self.slots.load(Ordering::Acquire)
    }

    /// Slots below this have a bit that is set before their value is removed.
    #[inline]
    pub(super) fn removed(&self) -> usize {
        self.removed.load(Ordering::Acquire)
    }
}

/// The number of removed values, in parts: values at near indices are counted in the same one.
pub(super) struct Removals([Count; REMOVAL_COUNTS]);

/// In a cache line of its own, so that threads that remove values do not all contend for one.
#[repr(align(128))]
struct Count(AtomicUsize);

impl Removals {
    pub(super) const fn new() -> Self {
        Self([const { Count(AtomicUsize::new(0)) }; REMOVAL_COUNTS])
    }

    #[inline]
    pub(super) fn note(&self, index: usize) {
        self.0[index / 64 % REMOVAL_COUNTS].0.fetch_add(1, Ordering::Release);
    }

    /// Returns the number of removals. A thread that sees one also sees the insertion of the value.
    pub(super) fn count(&self) -> usize {
        let counts = self.0.iter().map(|count| count.0.load(Ordering::Acquire));
        counts.fold(0, usize::wrapping_add)
    }

    /// Returns the number of removals, and starts again. No other thread may use this meanwhile.
    #[inline]
    pub(super) fn take(&mut self) -> usize {
        let taken = self.0.iter_mut().map(|count| mem::take(&mut count.0).into_inner());
        taken.fold(0, usize::wrapping_add)
    }
}

/// Publishes the value of a slot, which the caller has just written.
#[inline]
pub(super) fn publish(state: &AtomicU32, live: u32) {
    state.store(live, Ordering::Release);
}

/// Returns the state of a slot. If it is live, the caller also sees its value.
#[inline]
pub(super) fn load_state(state: &AtomicU32) -> u32 {
    state.load(Ordering::Acquire)
}

/// Makes a slot vacant that was [seen](load_state) to be live, so that no key finds its value any more, and sets its
/// bit for the owner. If several threads race, exactly one call returns `true`.
#[inline]
pub(super) fn vacate(
    state: &AtomicU32,
    (live, vacant): (u32, u32),
    bits: &AtomicU8,
    bit: u8,
) -> bool {
    // The bit is set first, so that the owner finds every value that was removed, even if a fork cuts this call off. If
    // another thread was faster, the bit is right all the same: that thread has set it, too.
    bits.fetch_or(bit, Ordering::Relaxed);
    let (success, failure) = (Ordering::AcqRel, Ordering::Relaxed);
    state.compare_exchange(live, vacant, success, failure).is_ok()
}
