//! [`Deal`]: which slot a ticket stands for; and the states of slots, of which each has one who fills it and one who
//! takes its value out.
//!
//! There is no value here and no memory, only numbers: `loom/` runs this file over atomics of its own. What is
//! promised, and why it holds, stands in the [module](super)'s source.

#![forbid(unsafe_code)]

use super::sync::atomic::{AtomicU8, AtomicU32, AtomicUsize, Ordering};

/// Which slot a ticket stands for.
pub(super) struct Deal {
    /// So many tickets stand for holes.
    listed: AtomicUsize,
    /// The slot that the next one stands for. Changed by who has it alone.
    first_fresh: usize,
}

/// What a ticket stands for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Dealt {
    /// The hole that is there in the list.
    Listed(usize),
    /// A slot that was behind the last one.
    Fresh(usize),
}

impl Deal {
    pub(super) const fn new() -> Self {
        Self { listed: AtomicUsize::new(0), first_fresh: 0 }
    }

    /// Begins anew, with no ticket.
    pub(super) fn begin(&mut self, first_fresh: usize) {
        self.first_fresh = first_fresh;
        self.listed.store(0, Ordering::Relaxed);
    }

    /// So many holes are in the list now. By who has the lock, before there are more tickets.
    pub(super) fn set_listed(&self, listed: usize) {
        self.listed.store(listed, Ordering::Relaxed);
    }

    /// What a ticket stands for that has its slot, as the caller knows by acquire.
    #[inline]
    pub(super) fn slot_of(&self, ticket: usize) -> Dealt {
        // So many were listed at least when the ticket got its slot; and if it is not among them, there are no more.
        let listed = self.listed.load(Ordering::Relaxed);
        if ticket < listed {
            Dealt::Listed(ticket)
        } else {
            Dealt::Fresh(ticket - listed + self.first_fresh)
        }
    }

    /// How far slots reach that stand for so many tickets, and those that were there before.
    pub(super) fn end_of(&self, tickets: usize) -> usize {
        let listed = self.listed.load(Ordering::Relaxed);
        self.first_fresh.saturating_add(tickets.saturating_sub(listed))
    }
}

/// Has others see the value of a slot, which was written just now.
#[inline]
pub(super) fn publish(state: &AtomicU32, live: u32) {
    state.store(live, Ordering::Release);
}

/// What a slot holds. If it is live, what was written there before is seen.
#[inline]
pub(super) fn seen(state: &AtomicU32) -> u32 {
    state.load(Ordering::Acquire)
}

/// Has no key find a value any more that was [seen](seen) to be there; whether nobody else was faster. For the owner
/// it is marked by a bit.
#[inline]
pub(super) fn take_out(
    state: &AtomicU32,
    (live, vacant): (u32, u32),
    bits: &AtomicU8,
    bit: u8,
) -> bool {
    // First, so that nothing is lost of which this is not told to the end. Where another was faster it says nothing
    // wrong: he has set it, too.
    bits.fetch_or(bit, Ordering::Relaxed);
    let (success, failure) = (Ordering::AcqRel, Ordering::Relaxed);
    state.compare_exchange(live, vacant, success, failure).is_ok()
}
