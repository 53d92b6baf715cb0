//! [`SizeClass`]: slots for regions of about equal size.

#![forbid(unsafe_code)]

use super::sync::atomic::{AtomicPtr, AtomicU32, AtomicUsize, Ordering};
use super::{Region, SLOTS};
use std::ptr::{self, NonNull};
use std::sync::atomic::AtomicUsize as StdAtomicUsize;

const ORDER: Ordering = Ordering::Relaxed;

const ALL: usize = usize::MAX >> (usize::BITS as usize - SLOTS);

/// Slots, each of which holds a pointer or null. The thread that removes a pointer owns the region it points to.
#[derive(Debug)]
pub(super) struct SizeClass {
    /// One bit for each slot that is full. Only a hint: a bit may be wrong while a thread is changing its slot.
    hint: AtomicUsize,
    /// Bytes of the regions, for statistics. Not of `sync`, since no other code depends on it.
    pub(super) bytes: StdAtomicUsize,
    slots: [RegionSlot; SLOTS],
}

#[derive(Debug)]
struct RegionSlot {
    place: AtomicPtr<Region>,
    /// When the region was put here, in milliseconds.
    since: AtomicU32,
}

impl RegionSlot {
    const fn new() -> Self {
        Self { place: AtomicPtr::new(ptr::null_mut()), since: AtomicU32::new(0) }
    }
}

impl SizeClass {
    pub(super) const fn new() -> Self {
        Self {
            hint: AtomicUsize::new(0),
            bytes: StdAtomicUsize::new(0),
            slots: [const { RegionSlot::new() }; SLOTS],
        }
    }

    /// Returns the slots that seem to be full, the lowest first.
    pub(super) fn full(&self) -> impl Iterator<Item = usize> + use<> {
        bits(self.hint.load(ORDER))
    }

    pub(super) fn count(&self) -> usize {
        self.slots.iter().filter(|slot| !slot.place.load(ORDER).is_null()).count()
    }

    /// Puts a pointer into the lowest empty slot, or returns it.
    pub(super) fn put(&self, place: NonNull<Region>, since: u32) -> Option<NonNull<Region>> {
        for at in bits(!self.hint.load(ORDER) & ALL) {
            let (slot, null) = (&self.slots[at], ptr::null_mut());
            // Before the exchange: a thread that sees the pointer sees this time, or that of a thread that failed to
            // put.
            slot.since.store(since, ORDER);
            let put = slot.place.compare_exchange(null, place.as_ptr(), Ordering::Release, ORDER);
            if put.is_ok() {
                self.mark_full(at);
                return None;
            }
        }
        Some(place)
    }

    /// Removes the pointer from a slot, and returns it and when it was put there.
    pub(super) fn take(&self, slot: usize) -> Option<(NonNull<Region>, u32)> {
        let RegionSlot { place, since } = &self.slots[slot];
        if place.load(ORDER).is_null() {
            return None;
        }
        let found = NonNull::new(place.swap(ptr::null_mut(), Ordering::Acquire))?;
        self.mark_empty(slot);
        Some((found, since.load(ORDER)))
    }

    /// Sets the bit of a slot that was filled.
    //
    // Another thread may have emptied the slot and cleared the bit in between, so the thread that wrote the bit checks
    // the slot again. Once all threads are done, the bit is right: consider the last write, in the modification order
    // of `hint`. All other threads wrote the bit after they changed the slot, and the last one acquired those writes,
    // so its check saw their changes.
    fn mark_full(&self, slot: usize) {
        self.hint.fetch_or(1 << slot, Ordering::AcqRel);
        if self.slots[slot].place.load(ORDER).is_null() {
            self.mark_empty(slot);
        }
    }

    /// Clears the bit of a slot that was emptied, as [`mark_full`](Self::mark_full) sets it.
    fn mark_empty(&self, slot: usize) {
        self.hint.fetch_and(!(1 << slot), Ordering::AcqRel);
        if !self.slots[slot].place.load(ORDER).is_null() {
            self.mark_full(slot);
        }
    }

    /// Whether a slot is full, and has been for `time` milliseconds.
    pub(super) fn is_old(&self, slot: usize, now: u32, time: u32) -> bool {
        self.left(slot, now, time) == Some(0)
    }

    /// Returns how many milliseconds are left until a slot has been full for `time`. `None` if it is empty.
    pub(super) fn left(&self, slot: usize, now: u32, time: u32) -> Option<u32> {
        let RegionSlot { place, since } = &self.slots[slot];
        let age = now.wrapping_sub(since.load(ORDER));
        // The clock may have been read before the region was put here.
        let age = if age <= u32::MAX / 2 { age } else { 0 };
        (!place.load(ORDER).is_null()).then_some(time.saturating_sub(age))
    }
}

/// Returns the positions of the bits that are set, the lowest first.
fn bits(mut left: usize) -> impl Iterator<Item = usize> + use<> {
    std::iter::from_fn(move || {
        let lowest = left.trailing_zeros();
        left &= left.checked_sub(1)?;
        Some(lowest as usize)
    })
}
