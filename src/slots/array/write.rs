//! Writing values to slots, and adding slots one by one.

#![expect(unsafe_code, reason = "writes to slots that it has found")]

use super::{Slot, Slots, not_there, value_of_mut};
use crate::poison::unpoison;
use crate::slots::state::{State, Vacant};
use std::mem;
use std::ptr::NonNull;

impl<V> Slots<V> {
    /// Writes a value and makes the slot live.
    ///
    /// # Safety
    ///
    /// - The slot is within the capacity of slots that the caller has exclusive access to.
    #[inline]
    unsafe fn write(slot: NonNull<Slot<V>>, generation: u32, value: V) {
        unpoison(slot.as_ptr(), 1);
        // SAFETY: the caller guarantees that the slot is within capacity, so it is writable, and that nothing else accesses
        // it. The value comes first in a slot.
        unsafe { slot.cast::<V>().write(value) };
        // SAFETY: as above.
        unsafe { (*slot.as_ptr()).state = State::live(generation) };
    }

    /// Fills a vacant slot below the length. (If the slot is live, the old value leaks.)
    ///
    /// # Panics
    ///
    /// If the slot is not below the length.
    #[expect(
        clippy::inline_always,
        reason = "a value in memory, passed to a call, is copied twice"
    )]
    #[inline(always)]
    pub(crate) fn fill(&mut self, index: u32, generation: u32, value: V) -> &mut V {
        debug_assert!(!self.state(index).is_live(), "slot {index} holds a value");
        let Some(slot) = self.at(index as usize) else { not_there() };
        // SAFETY: `at` has checked that the slot is below the length, so it is within capacity. `&mut self` guarantees
        // exclusive access.
        unsafe { Self::write(slot, generation, value) };
        // SAFETY: the slot is live since `write`, and `&mut self` guarantees exclusive access.
        unsafe { value_of_mut(slot) }
    }

    /// Moves a value of a generation that is not 0 into a slot that is vacant or has a value of the same generation,
    /// and returns the latter. Returns the new value as the error if the slot has another one or is not below the
    /// length.
    #[expect(clippy::inline_always, reason = "as for `fill`")]
    #[inline(always)]
    pub(crate) fn put(&mut self, index: u32, generation: u32, value: V) -> Result<Option<V>, V> {
        let Some(slot) = self.at(index as usize) else { return Err(value) };
        // SAFETY: `at` has checked that the slot is below the length, so its state is initialized. `&mut self`
        // guarantees exclusive access.
        let state = unsafe { (*slot.as_ptr()).state };
        if state == State::live(generation) {
            // SAFETY: the slot is live, as seen above, and `&mut self` guarantees exclusive access.
            return Ok(Some(mem::replace(unsafe { value_of_mut(slot) }, value)));
        }
        if state.is_live() || generation == 0 {
            return Err(value);
        }
        // SAFETY: `at` has checked that the slot is below the length, so it is within capacity. `&mut self` guarantees
        // exclusive access.
        unsafe { Self::write(slot, generation, value) };
        Ok(None)
    }

    /// Adds a slot with a value, for which there must be memory.
    ///
    /// # Panics
    ///
    /// If all committed slots are used.
    #[expect(clippy::inline_always, reason = "as for `fill`")]
    #[inline(always)]
    pub(crate) fn push_within_capacity(&mut self, generation: u32, value: V) {
        let len = self.len();
        assert!(len < self.capacity(), "no memory was committed for another slot");
        // SAFETY: `len` is less than the capacity, as checked above.
        let slot = unsafe { self.start().add(len) };
        // SAFETY: as above. `&mut self` guarantees exclusive access.
        unsafe { Self::write(slot, generation, value) };
        // SAFETY: `len + 1` is within capacity, and the slot was initialized above.
        unsafe { self.slots.set_len(len + 1) };
    }

    /// Adds a vacant slot, for which there must be memory.
    ///
    /// # Panics
    ///
    /// If all committed slots are used.
    #[inline]
    pub(crate) fn push_vacant(&mut self, state: Vacant) {
        let len = self.len();
        assert!(len < self.capacity(), "no memory was committed for another slot");
        // SAFETY: `len` is less than the capacity, as checked above.
        let slot = unsafe { self.start().add(len) };
        unpoison(slot.as_ptr(), 1);
        // SAFETY: as above, so the slot is writable, and `&mut self` guarantees exclusive access.
        unsafe { (*slot.as_ptr()).state = state.into() };
        // SAFETY: `len + 1` is within capacity. The slot is vacant, so its value need not be initialized.
        unsafe { self.slots.set_len(len + 1) };
        self.poison_values(len..len + 1);
    }
}
