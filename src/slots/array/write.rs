//! Writing values to slots, and adding slots one by one.

#![expect(unsafe_code, reason = "writes to slots that it has found")]

use super::{Slots, Writable, not_there};
use crate::slots::state::{State, Vacant};
use std::mem;

impl<V> Slots<V> {
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
        let Some(slot) = self.at_mut(index as usize) else { not_there() };
        slot.writable().write(generation, value)
    }

    /// Moves a value of a generation that is not 0 into a slot that is vacant or has a value of the same generation,
    /// and returns the latter. Returns the new value as the error if the slot has another one or is not below the
    /// length.
    #[expect(clippy::inline_always, reason = "as for `fill`")]
    #[inline(always)]
    pub(crate) fn put(&mut self, index: u32, generation: u32, value: V) -> Result<Option<V>, V> {
        let Some(slot) = self.at_mut(index as usize) else { return Err(value) };
        let state = slot.state();
        if state == State::live(generation) {
            return Ok(slot.get(generation).map(|old| mem::replace(old, value)));
        }
        if state.is_live() || generation == 0 {
            return Err(value);
        }
        slot.writable().write(generation, value);
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
        // SAFETY: `len` is less than the capacity, as checked above, and `self` is mutably borrowed: **Exclusive**
        // holds.
        unsafe { Writable::new(self.start(), len) }.write(generation, value);
        // SAFETY: `len + 1` is within capacity, and **Live** holds for the slot since it was written.
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
        // SAFETY: `len` is less than the capacity, as checked above, and `self` is mutably borrowed: **Exclusive**
        // holds.
        unsafe { Writable::new(self.start(), len) }.vacate(state);
        // SAFETY: `len + 1` is within capacity, and **Live** holds for the slot, which is vacant.
        unsafe { self.slots.set_len(len + 1) };
        self.poison_values(len..len + 1);
    }
}
