//! Room behind memory that is in use, which others may take where addresses are few.
//!
//! A block of an allocator has far more addresses than it uses, so that it can grow. Where the limit of addresses is
//! lowered, as a child of a fork may do, those that are reserved by then may be more than there may be. So who has
//! such room offers it here, and whoever is refused something takes all that is offered, see [`take_all`].
//!
//! # Why this is sound
//!
//! An offer is one word: where the range begins, and how long it is. It is taken by the exchange of that word for
//! another, which says that nothing is left behind that place; only one thread can do it, and from then on it has
//! the range, and the owner of the reservation has what is before it. Whatever became of the slot meanwhile: the word
//! is there as long as somebody offers just that range.
//!
//! The owner does nothing with his reservation while a part of it is offered but use the memory before that. He takes
//! the word back first, and learns what he has. Neither waits for the other: who has taken a range, and not
//! released it yet, has no part in what the other does. In the child of a fork, what another thread had just taken,
//! or taken back so as to grow, stays reserved.

#![expect(unsafe_code, reason = "releases what it takes")]

use super::share::{self, MOST_BLOCKS};
use super::{Reservation, unreleased};
use crate::os;
use crate::page::PageBytes;
use std::ptr::{self, NonNull};
use std::sync::atomic::{AtomicUsize, Ordering};

/// Where there are so many offers, others are not made.
const SLOTS: usize = MOST_BLOCKS;

static OFFERS: [AtomicUsize; SLOTS] = [const { AtomicUsize::new(EMPTY) }; SLOTS];
/// Where to look for an empty one first.
static NEXT: AtomicUsize = AtomicUsize::new(0);

const EMPTY: usize = 0;

/// So many bits of a word say how many pages a range has. The rest is the number of its first page.
const COUNT_BITS: u32 = if usize::BITS >= 64 { 28 } else { 12 };
const COUNT_MASK: usize = (1 << COUNT_BITS) - 1;

/// How many bytes behind a range may be offered with it: what aligned it, and its guard.
const MOST_BEHIND_BYTES: usize = 4 << 20;

/// Of what was taken, how much is counted no more at once: not what may have been behind the range, which was not
/// counted either.
const fn counted(bytes: usize) -> usize {
    bytes.saturating_sub(MOST_BEHIND_BYTES)
}

/// The last addresses before `end`, from `start` on, or as many as a word has bits for. None, if it has not.
fn word(start: usize, end: usize) -> Option<usize> {
    let page = os::page_size().get();
    let count = ((end - start) / page).min(COUNT_MASK);
    let first = end / page - count;
    let is_known = count > 0 && first >> (usize::BITS - COUNT_BITS) == 0;
    is_known.then_some(first << COUNT_BITS | count)
}

/// Where a range starts, and its size.
fn range(word: usize) -> (usize, PageBytes) {
    let page = os::page_size();
    let bytes = PageBytes::exact((word & COUNT_MASK) * page.get(), page).expect("whole pages");
    ((word >> COUNT_BITS) * page.get(), bytes)
}

/// Puts a word into an empty slot; into which.
fn put(word: usize) -> Option<u16> {
    let first = NEXT.load(Ordering::Relaxed);
    (first..first + SLOTS).map(|slot| slot % SLOTS).find_map(|slot| {
        let offer = &OFFERS[slot];
        if offer.load(Ordering::Relaxed) != EMPTY {
            return None;
        }
        // Who takes it sees what its owner did to the range before.
        offer.compare_exchange(EMPTY, word, Ordering::Release, Ordering::Relaxed).ok()?;
        NEXT.store((slot + 1) % SLOTS, Ordering::Relaxed);
        u16::try_from(slot).ok()
    })
}

/// Takes all that is offered, and releases it; whether there was anything.
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
    // Its owner has exposed it.
    let Some(start) = NonNull::new(ptr::with_exposed_provenance_mut(start)) else { return false };
    if taken.is_ok() {
        share::room_is_taken(counted(bytes.get()));
        // SAFETY: a part of a reservation, which is ours alone since the exchange.
        unsafe { unreleased::release(start, bytes) };
    }
    taken.is_ok()
}

impl Reservation {
    /// Offers the room behind the first `used` bytes to those who need addresses, if it is room by guess. Nothing
    /// may be done with the reservation then before [`withdraw`](Self::withdraw), but to use these bytes.
    pub(crate) fn offer_behind(&mut self, used: usize) {
        debug_assert!(self.offer.is_none() && used <= self.bytes.get());
        if !self.has_room() || !os::RELEASES_PARTS {
            return;
        }
        self.mapping_start.as_ptr().expose_provenance();
        let start = self.start.addr().get() + used;
        self.offer = word(start, self.offered_end()).and_then(put);
    }

    /// Ends the offer, if there is one. If it was taken, the reservation ends there, and has no room.
    pub(crate) fn withdraw(&mut self) {
        let Some(slot) = self.offer.take() else { return };
        let left = OFFERS[usize::from(slot)].swap(EMPTY, Ordering::Relaxed);
        NEXT.store(slot.into(), Ordering::Relaxed);
        let (end, bytes) = range(left);
        if bytes != PageBytes::ZERO {
            return;
        }
        let page = os::page_size();
        let whole = |bytes| PageBytes::exact(bytes, page).expect("whole pages");
        let offered_end = self.offered_end();
        let behind = whole(self.mapping_end() - offered_end);
        if behind != PageBytes::ZERO {
            // SAFETY: the end of the mapping, and inside it.
            let start = unsafe { self.start.add(offered_end - self.start.addr().get()) };
            // SAFETY: not used by anybody, and not offered.
            unsafe { unreleased::release(start, behind) };
        }
        self.mapping_bytes = whole(end - self.mapping_start.addr().get());
        self.bytes = whole(end - self.start.addr().get());
        if let Some(taken) = &mut self.taken {
            taken.lose_taken_room(counted(offered_end - end));
        }
    }

    /// Up to where it offers room.
    fn offered_end(&self) -> usize {
        let end = self.start.addr().get() + self.bytes.get();
        self.mapping_end().min(end + MOST_BEHIND_BYTES)
    }
}
