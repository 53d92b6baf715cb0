//! [`GrowingSlots`]: slots that are filled through `&self`, while references to values in them live.
//!
//! # Why this is sound
//!
//! As for the grow-only scope of a vector, see `vec/grow_only.rs`: this has the one mutable borrow of the
//! slots for `'m`, on one thread, and never moves, drops, or lends mutably a value that is in one. A
//! value is written only to a slot that is not live, so no reference points to it; whoever calls
//! need not know which are. No reference to a slice of slots is ever made, see
//! [`array`](super::array).
//!
//! The slots' own fields are borrowed mutably for a call at a time, for which [`Lent`] answers:
//! whatever runs while they take memory, and comes back, sees no slots.

#![expect(unsafe_code, reason = "changes slots through a shared reference")]

use super::array::Slots;
use super::gapped_slots::GappedSlots;
use crate::error::Error;
use crate::raw_vec::Options;
use crate::vec::lent::{Lend, Lent, busy};
use std::ptr::NonNull;

/// A mutable borrow of slots, of which vacant ones can be filled and more be added.
pub(crate) struct GrowingSlots<'m, V> {
    /// It keeps this on one thread, too.
    slots: Lent<'m, GappedSlots<V>>,
}

impl<V> Lend for GappedSlots<V> {
    fn in_place() -> Self {
        Self::new(&Options::FULL)
    }

    #[inline]
    fn is_in_place(&self) -> bool {
        self.is_full_for_good()
    }
}

impl<'m, V> GrowingSlots<'m, V> {
    #[inline]
    pub(crate) fn new(slots: &'m mut GappedSlots<V>) -> Self {
        Self { slots: Lent::new(slots) }
    }

    /// How many there are; none, as long as they take memory.
    #[inline]
    pub(crate) fn len(&self) -> usize {
        // SAFETY: it reads a number.
        unsafe { self.slots.lend_seen(|slots| slots.len()) }
    }

    /// The generation of the value in a slot, if there is one, and they do not take memory.
    #[inline]
    pub(crate) fn live_generation(&self, index: u32) -> Option<u32> {
        // SAFETY: it reads a word.
        unsafe { self.slots.lend_seen(|slots| slots.state(index).live_generation()) }
    }

    /// The value of a generation.
    ///
    /// # Panics
    ///
    /// If they take memory meanwhile.
    #[inline]
    #[track_caller]
    pub(crate) fn get(&self, index: u32, generation: u32) -> Option<&'m V> {
        let find = |slots: &mut GappedSlots<V>| slots.pointer_to(index, generation);
        // SAFETY: it compares a word.
        let value = unsafe { self.slots.lend_briefly(find) }.unwrap_or_else(|| busy())?;
        // SAFETY: live, and it stays where and what it is for `'m`: see above.
        Some(unsafe { value.as_ref() })
    }

    /// Puts a value into a slot that has none; else, or if there is no such slot, gives it back.
    #[inline]
    pub(crate) fn fill(&self, index: u32, generation: u32, value: V) -> Result<&'m V, V> {
        let fill = |slots: &mut GappedSlots<V>| {
            if index as usize >= slots.len() || slots.state(index).is_live() {
                return Err(value);
            }
            slots.fill(index, generation, value);
            // SAFETY: below the length, and just filled.
            Ok(NonNull::from(unsafe { slots.get_unchecked(index) }))
        };
        // SAFETY: it moves a value, and marks its slot, and its bit; the slot is below the length, so nothing panics.
        let value = unsafe { self.slots.lend_seen(fill) }?;
        // SAFETY: initialised, and it stays where and what it is for `'m`: see above.
        Ok(unsafe { value.as_ref() })
    }

    /// Adds vacant slots until there are so many, if they may be.
    ///
    /// # Errors
    ///
    /// That of `check`; if the slots are being lent already ([`Busy`](crate::ErrorKind::Busy)); or if
    /// memory is refused.
    pub(crate) fn try_reach(
        &self,
        need: usize,
        check: impl FnOnce(&Slots<V>) -> Result<(), Error>,
    ) -> Result<(), Error> {
        self.slots.lend(|slots| {
            check(slots)?;
            slots.extend_vacant(need.saturating_sub(slots.len()))
        })?
    }
}
