//! [`Class`]: slots for memory of about the same size.

#![forbid(unsafe_code)]

use super::sync::atomic::{AtomicPtr, AtomicU32, AtomicUsize, Ordering};
use super::{SLOTS, Warm};
use std::ptr::{self, NonNull};

const ORDER: Ordering = Ordering::Relaxed;

/// The bits of all slots.
const ALL: usize = usize::MAX >> (usize::BITS as usize - SLOTS);

/// Slots, which hold a pointer each, or null. Whoever takes one out has what it points to.
#[derive(Debug)]
pub(super) struct Class {
    /// A bit for each slot that holds something: a hint, which may be wrong while somebody is at that slot.
    hint: AtomicUsize,
    slots: [Slot; SLOTS],
}

#[derive(Debug)]
struct Slot {
    place: AtomicPtr<Warm>,
    /// When that was put here, in milliseconds.
    since: AtomicU32,
}

impl Slot {
    const fn new() -> Self {
        Self { place: AtomicPtr::new(ptr::null_mut()), since: AtomicU32::new(0) }
    }
}

impl Class {
    pub(super) const fn new() -> Self {
        Self { hint: AtomicUsize::new(0), slots: [const { Slot::new() }; SLOTS] }
    }

    /// The slots that seem to hold something, the lowest first.
    pub(super) fn full(&self) -> impl Iterator<Item = usize> + use<> {
        bits(self.hint.load(ORDER))
    }

    /// How many slots hold something.
    pub(super) fn count(&self) -> usize {
        self.slots.iter().filter(|slot| !slot.place.load(ORDER).is_null()).count()
    }

    /// Puts a pointer into the lowest empty slot, or gives it back.
    pub(super) fn put(&self, place: NonNull<Warm>, since: u32) -> Option<NonNull<Warm>> {
        for at in bits(!self.hint.load(ORDER) & ALL) {
            let (slot, null) = (&self.slots[at], ptr::null_mut());
            // Before: whoever sees the pointer sees this, or what another has written who was refused.
            slot.since.store(since, ORDER);
            let put = slot.place.compare_exchange(null, place.as_ptr(), Ordering::Release, ORDER);
            if put.is_ok() {
                self.mark_full(at);
                return None;
            }
        }
        Some(place)
    }

    /// Takes out what is in a slot, and since when it was there.
    pub(super) fn take(&self, slot: usize) -> Option<(NonNull<Warm>, u32)> {
        let Slot { place, since } = &self.slots[slot];
        if place.load(ORDER).is_null() {
            return None;
        }
        let found = NonNull::new(place.swap(ptr::null_mut(), Ordering::Acquire))?;
        self.mark_empty(slot);
        Some((found, since.load(ORDER)))
    }

    /// Sets the bit of a slot that was filled.
    //
    // Another may have emptied it meanwhile, and cleared the bit before; so who wrote the bit looks again. Then it
    // is right when all are gone: take the last, in the order of `hint`, who wrote it. All others wrote it after
    // what they did to the slot, so he saw that, as he acquired what they released.
    fn mark_full(&self, slot: usize) {
        self.hint.fetch_or(1 << slot, Ordering::AcqRel);
        if self.slots[slot].place.load(ORDER).is_null() {
            self.mark_empty(slot);
        }
    }

    /// Clears the bit of a slot that was emptied, in the same way.
    fn mark_empty(&self, slot: usize) {
        self.hint.fetch_and(!(1 << slot), Ordering::AcqRel);
        if !self.slots[slot].place.load(ORDER).is_null() {
            self.mark_full(slot);
        }
    }

    /// Whether what is in a slot, if there is anything, was there for so many milliseconds.
    pub(super) fn is_old(&self, slot: usize, now: u32, time: u32) -> bool {
        self.left(slot, now, time) == Some(0)
    }

    /// How many milliseconds it is until what is in a slot was there for so many; none if there is nothing.
    pub(super) fn left(&self, slot: usize, now: u32, time: u32) -> Option<u32> {
        let Slot { place, since } = &self.slots[slot];
        let age = now.wrapping_sub(since.load(ORDER));
        // Who looks may have read the clock before it was put here, and waited since.
        let age = if age <= u32::MAX / 2 { age } else { 0 };
        (!place.load(ORDER).is_null()).then_some(time.saturating_sub(age))
    }
}

/// The places of the bits that are set, the lowest first.
fn bits(mut left: usize) -> impl Iterator<Item = usize> + use<> {
    std::iter::from_fn(move || {
        let lowest = left.trailing_zeros();
        left &= left.checked_sub(1)?;
        Some(lowest as usize)
    })
}
