//! The surroundings of `rooms.rs` of reservations, and interleavings of owners that offer room and threads that take it.

mod sync {
    pub(super) use crate::statics as atomic;
}

mod share {
    pub(super) const MOST_BLOCKS: usize = 2;

    /// What is counted is not modelled.
    pub(super) fn room_is_taken(_: usize) {}
}

mod unreleased {
    use crate::mapping::Mapping;

    pub(super) fn release(range: Mapping) {
        range.release().unwrap();
    }
}

#[path = "../../src/reservation/rooms.rs"]
mod rooms;

use crate::mapping::{self, Mapping, PAGE};
use crate::page::PageBytes;
use crate::{explore, made, spawn};
use rooms::take_all;
use std::ops::Range;
use std::ptr::NonNull;

struct Taken;

impl Taken {
    fn lose_taken_room(&mut self, _: usize) {}
}

struct Registration;

impl Registration {
    fn hide(&self) {}

    fn set_range(&self, _: NonNull<u8>, _: usize) {}
}

/// A reservation, the last page of which is a guard page.
struct Reservation {
    start: NonNull<u8>,
    bytes: PageBytes,
    mapping: Mapping,
    taken: Option<Taken>,
    offer: Option<u16>,
    registration: Registration,
}

impl Reservation {
    /// Takes `pages`, and accesses them.
    fn new(pages: Range<usize>) -> Self {
        let mapping = Mapping::of(pages);
        mapping.access();
        let bytes = mapping.bytes().checked_sub(PageBytes::one(PAGE)).expect("a guard page");
        let (start, taken) = (mapping.start(), Some(Taken));
        Self { start, bytes, mapping, taken, offer: None, registration: Registration }
    }

    fn has_room(&self) -> bool {
        self.taken.is_some()
    }

    /// Offers all but the first page.
    fn offer(&mut self) {
        self.offer_past(PAGE.get());
        assert!(self.offer.is_some(), "there are enough slots");
    }

    /// Accesses the first page, which is never offered.
    fn access_first(&self) {
        self.mapping.pages(0, PageBytes::one(PAGE)).commit().unwrap();
    }

    /// Ends the offer, and accesses what is left. Returns whether that is all.
    fn end_offer(&mut self) -> bool {
        let before = self.mapping.bytes();
        self.withdraw();
        self.mapping.access();
        self.mapping.bytes() == before
    }

    fn end(mut self) {
        self.withdraw();
        unreleased::release(self.mapping);
    }
}

/// Starts without offers, with slots that a thread has accessed.
fn begin() {
    mapping::refuse_commits(false);
    made(|| {
        assert_eq!(mapping::released(), 0);
        let ranges = [0..2, 2..4];
        let mut offering = ranges.map(Reservation::new);
        offering.iter_mut().for_each(Reservation::offer);
        assert!(offering.iter_mut().all(Reservation::end_offer));
        assert!(!take_all());
    });
}

#[track_caller]
fn settle(pages: usize) {
    assert!(!take_all());
    assert_eq!(mapping::released(), pages, "pages are lost");
}

#[test]
fn room_is_taken_by_one_thread_or_stays_with_its_owner() {
    explore(None, || {
        begin();
        let threads = [(); 2].map(|()| spawn(take_all));
        let mut memory = Reservation::new(0..4);
        memory.offer();
        memory.access_first();
        let is_whole = memory.end_offer();
        memory.end();
        let taken = threads.map(|thread| thread.join().unwrap());
        assert_eq!(taken.iter().filter(|taken| **taken).count(), usize::from(!is_whole));
        settle(4);
    });
}

/// The second offer is the same word in the same slot, which a thread may have loaded before.
#[test]
fn a_range_that_is_offered_again_is_taken_with_what_its_owner_did_meanwhile() {
    explore(None, || {
        begin();
        let other = spawn(take_all);
        let mut memory = Reservation::new(0..3);
        memory.offer();
        if memory.end_offer() {
            memory.offer();
            memory.access_first();
            memory.end_offer();
        }
        memory.end();
        other.join().unwrap();
        settle(3);
    });
}

#[test]
fn owners_that_use_a_slot_one_after_the_other_lose_nothing() {
    explore(3, || {
        begin();
        let taker = spawn(take_all);
        let run = |pages| {
            let mut memory = Reservation::new(pages);
            memory.offer();
            memory.end();
        };
        let owner = spawn(move || run(0..3));
        run(3..6);
        taker.join().unwrap();
        owner.join().unwrap();
        settle(6);
    });
}
