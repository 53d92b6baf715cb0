//! Room at the end of blocks, which other threads may take if addresses are scarce.
//!
//! A block of an allocator has far more addresses than it uses, so that it can grow. If the limit of addresses is
//! lowered, as a child of a fork may do, more may be reserved than is allowed. So the owners of such room offer it
//! here, and a thread whose request is refused takes all that is offered, see [`take_all`].
//!
//! # Soundness
//!
//! An offer is one word: where the range begins, and how long it is. A thread takes the range by exchanging the word
//! for one that says that nothing is left there. Only one thread succeeds; it owns the range from then on, and the
//! owner of the reservation keeps what is before it. If the slot was reused meanwhile, the exchange succeeds only if
//! the same range is offered.
//!
//! While a part is offered, the owner of the reservation only uses the memory before it, and makes no calls for the
//! mapping (see `Reservation::owned`). Before any other operation it takes the word back, which says what is left.
//! Neither thread waits for the other: they own separate ranges. In the child of a fork, ranges that another thread had
//! just taken or withdrawn stay reserved.
//!
//! `loom/` runs the interleavings of this file over ranges of its own.

#![expect(unsafe_code, reason = "releases the ranges that it takes")]

use super::share::{self, MOST_BLOCKS};
use super::sync::atomic::{AtomicUsize, Ordering};
use super::{Reservation, unreleased};
use crate::os::{self, Mapping};
use crate::page::PageBytes;
use std::ptr::{self, NonNull};

/// The maximum number of offers.
const SLOTS: usize = MOST_BLOCKS;

static OFFERS: [AtomicUsize; SLOTS] = [const { AtomicUsize::new(EMPTY) }; SLOTS];
/// The slot in which to look for an empty one first.
static NEXT: AtomicUsize = AtomicUsize::new(0);

const EMPTY: usize = 0;

/// How many bits of a word hold the number of pages of a range. The others hold the number of its first page.
const COUNT_BITS: u32 = if usize::BITS >= 64 { 28 } else { 12 };
const COUNT_MASK: usize = (1 << COUNT_BITS) - 1;

/// How many bytes past a range can be offered with it: padding and guard page.
const MOST_BEHIND_BYTES: usize = 4 << 20;

/// How much of a range that was taken is subtracted from the counts at once: padding and guard page may not have been
/// counted.
const fn counted(bytes: usize) -> usize {
    bytes.saturating_sub(MOST_BEHIND_BYTES)
}

/// The word for the range from `start` to `end`, or as many pages at its end as fit. `None` if the bits do not suffice.
fn word(start: usize, end: usize) -> Option<usize> {
    let page = os::page_size().get();
    let count = ((end - start) / page).min(COUNT_MASK);
    let first = end / page - count;
    let is_known = count > 0 && first >> (usize::BITS - COUNT_BITS) == 0;
    is_known.then_some(first << COUNT_BITS | count)
}

/// The start and the size of the range that a word describes.
fn range(word: usize) -> (usize, PageBytes) {
    let page = os::page_size();
    let bytes = PageBytes::exact((word & COUNT_MASK) * page.get(), page).expect("whole pages");
    ((word >> COUNT_BITS) * page.get(), bytes)
}

/// Puts a word into an empty slot, and returns the slot.
fn put(word: usize) -> Option<u16> {
    let first = NEXT.load(Ordering::Relaxed);
    (first..first + SLOTS).map(|slot| slot % SLOTS).find_map(|slot| {
        let offer = &OFFERS[slot];
        if offer.load(Ordering::Relaxed) != EMPTY {
            return None;
        }
        // Release: the thread that takes the range sees what its owner did to it before.
        offer.compare_exchange(EMPTY, word, Ordering::Release, Ordering::Relaxed).ok()?;
        NEXT.store(slot + 1, Ordering::Relaxed);
        u16::try_from(slot).ok()
    })
}

/// Takes and releases all ranges on offer, and returns whether there were any.
pub(crate) fn take_all() -> bool {
    OFFERS.iter().fold(false, |any, offer| take(offer) | any)
}

fn take(offer: &AtomicUsize) -> bool {
    let found = offer.load(Ordering::Relaxed);
    let (start, bytes) = range(found);
    if bytes == PageBytes::ZERO {
        return false;
    }
    let nothing = found & !COUNT_MASK;
    let taken = offer.compare_exchange(found, nothing, Ordering::Acquire, Ordering::Relaxed);
    // The owner has exposed the provenance of the address.
    let Some(start) = NonNull::new(ptr::with_exposed_provenance_mut(start)) else { return false };
    if taken.is_ok() {
        share::room_is_taken(counted(bytes.get()));
        // SAFETY: `offer_past` has put the word there, for pages at the end of a mapping that the system can release in
        // parts. The exchange succeeded, so no other thread has taken them. Their owner uses only what is before them,
        // finds the word `nothing` when it withdraws the offer, and lets its mapping end where they begin.
        unreleased::release(unsafe { Mapping::from_raw(start, bytes) });
    }
    taken.is_ok()
}

impl Reservation {
    /// Offers the room past the first `used` bytes to other threads, if the reservation has room. Until
    /// [`withdraw`](Self::withdraw) only those first bytes may be used.
    ///
    /// # Panics
    ///
    /// If the room is on offer already, or `used` exceeds the size.
    pub(crate) fn offer_past(&mut self, used: usize) {
        assert!(self.offer.is_none() && used <= self.bytes.get(), "room that cannot be offered");
        if !self.has_room() || !os::RELEASES_PARTS {
            return;
        }
        self.mapping.start().as_ptr().expose_provenance();
        let start = self.start.addr().get() + used;
        self.offer = word(start, self.offered_end()).and_then(put);
    }

    /// Ends the offer, if there is one. If the room was taken, the reservation ends there, and has no room.
    pub(crate) fn withdraw(&mut self) {
        let Some(slot) = self.offer.take() else { return };
        // Relaxed: the word is the one that the owner has put there, or says that another thread owns the range, and then
        // it is not accessed here any more.
        let left = OFFERS[usize::from(slot)].swap(EMPTY, Ordering::Relaxed);
        NEXT.store(slot.into(), Ordering::Relaxed);
        let (end, bytes) = range(left);
        if bytes != PageBytes::ZERO {
            return;
        }
        let page = os::page_size();
        let whole = |bytes| PageBytes::exact(bytes, page).expect("whole pages");
        self.registration.hide();
        let offered_end = self.offered_end();
        let mapping_start = self.mapping.start().addr().get();
        let tail = self.mapping.split_off(whole(offered_end - mapping_start));
        unreleased::release(tail);
        // Owned by the thread that has taken it.
        let _taken = self.mapping.split_off(whole(end - mapping_start));
        self.bytes = whole(end - self.start.addr().get());
        self.registration.set_range(self.start, self.bytes.get());
        if let Some(taken) = &mut self.taken {
            taken.lose_taken_room(counted(offered_end - end));
        }
    }

    /// The end of the room that is offered.
    pub(super) fn offered_end(&self) -> usize {
        let end = self.start.addr().get() + self.bytes.get();
        self.mapping.end().min(end + MOST_BEHIND_BYTES)
    }
}
