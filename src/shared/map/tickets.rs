//! [`TicketMap`]: which slot a ticket stands for, and how the state of a slot changes, so that one thread fills it and
//! one removes its value.
//!
//! This file handles only numbers, neither values nor memory, so that `loom/` can run it over its own atomics. The
//! source of the [module](super) says what it guarantees and why.

#![forbid(unsafe_code)]

use super::sync::atomic::{AtomicU8, AtomicU32, AtomicUsize, Ordering};

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
