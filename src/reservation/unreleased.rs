//! Ranges of addresses whose release was refused, kept until they can be released.
//!
//! This happens to a process at its limit of mappings: adjacent ranges with equal access are one mapping to the system,
//! and removing a part from its middle makes two. Their memory has been returned; the addresses wait here. Each
//! reservation and each release tries again, which costs one load if there are no such ranges.
//!
//! Ranges are made inaccessible if possible, since adjacent ones are then one mapping. A range for which this is
//! refused, because it also splits a mapping, stays accessible and charged until it is released, but has no memory
//! except for one page at most. To keep their number low, code that needs such a range [takes one](take) rather than
//! reserving, and makes no new ones while there are [many](count).
//!
//! There are [`SLOTS`] slots. If all are full, an accessible range replaces the range in a slot, and the description of
//! the replaced range is written into the first page of the new one. An inaccessible range has no page to write to: it
//! stays reserved until the process ends, and costs only addresses. Windows releases whole reservations only, and never
//! refuses.

#![forbid(unsafe_code)]

use super::range_slot::RangeSlot;
use super::sync::atomic::{AtomicUsize, Ordering};
use crate::os::{self, Mapping};
use crate::page::PageBytes;

const SLOTS: usize = 1024;

/// Ranges in the same neighbourhood of this size go into the same slot.
const NEIGHBOURHOOD_BYTES: usize = 64 << 20;

/// After this many refusals, the others are most likely refused, too.
const MOST_TRIES: usize = 8;

static KEPT: [RangeSlot; SLOTS] = [const { RangeSlot::empty() }; SLOTS];
/// How many ranges there are: a hint.
pub(super) static COUNT: AtomicUsize = AtomicUsize::new(0);
/// The slot that is tried next.
static NEXT: AtomicUsize = AtomicUsize::new(0);

/// Releases a range that is not in use, or keeps it until that is possible. Its memory is returned in any case.
pub(super) fn release(range: Mapping) {
    if range.bytes() == PageBytes::ZERO {
        return;
    }
    let Err(mut range) = range.release() else { return release_kept() };
    // Once inaccessible, it may merge with its neighbours, which leaves a mapping for taking it out again.
    if range.unused().decommit().is_ok() {
        let Err(refused) = range.release() else { return };
        range = refused;
    } else {
        // If this is refused, too, no other call is left.
        let _ = range.unused().abandon();
    }
    if os::RELEASES_PARTS {
        keep(range);
    }
}

fn keep(mut range: Mapping) {
    while KEPT.iter().any(|slot| slot.take(|other| range.absorb(other)).is_some()) {}
    for slot in &KEPT {
        let Err(refused) = slot.put(range) else { return };
        range = refused;
    }
    // Neighbours go into one slot, so that they are released one after another.
    let first = range.start().addr().get() / NEIGHBOURHOOD_BYTES % SLOTS;
    // Some slots may be busy. If all refuse, nothing more can be done.
    for slot in KEPT[first..].iter().chain(&KEPT[..first]).take(MOST_TRIES) {
        let Err(refused) = slot.put_before(range) else { return };
        range = refused;
    }
}

/// Takes a range of at least `bytes` and at most twice as many, if a quick search finds one. It may be accessible or
/// not, and hold anything.
pub(super) fn take(bytes: PageBytes) -> Option<Mapping> {
    let fits = |range: Mapping| {
        let is_fit = range.bytes() >= bytes && range.bytes().get() / 2 <= bytes.get();
        if is_fit { Ok(range) } else { Err(range) }
    };
    if count() == 0 {
        return None;
    }
    (0..MOST_TRIES).find_map(|_| KEPT[NEXT.fetch_add(1, Ordering::Relaxed) % SLOTS].take(fits))
}

/// How many ranges are kept: a hint.
pub(super) fn count() -> usize {
    COUNT.load(Ordering::Relaxed)
}

/// Releases kept ranges, as far as possible.
pub(super) fn release_kept() {
    if count() > 0 {
        release_each();
    }
}

#[cold]
fn release_each() {
    let mut refusals = 0;
    for _ in 0..SLOTS {
        let slot = &KEPT[NEXT.fetch_add(1, Ordering::Relaxed) % SLOTS];
        let released = slot.take(Mapping::release);
        // Ranges at the end of a mapping may be released although those in the middle are not.
        let is_refused = released.is_none() && !slot.is_empty();
        refusals += usize::from(is_refused);
        // The next call continues after these.
        if refusals == MOST_TRIES || count() == 0 {
            return;
        }
    }
}

#[cfg(test)]
mod tests;

/// Whether an address lies in a kept range.
#[cfg(test)]
pub(super) fn holds(address: usize) -> bool {
    KEPT.iter().any(|slot| slot.holds(address))
}
