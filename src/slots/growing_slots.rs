//! [`GrowingSlots`]: slots that are filled through `&self`, while references to their values live.
//!
//! # Why this is sound
//!
//! - **In place**: as for the grow-only scope of a vector (`vec/grow_only.rs`), this holds the only mutable borrow of
//!   the slots for `'m`, stays on one thread, and never moves, drops or mutably borrows a value in a slot. A value is
//!   written only to a slot that is not live, so no reference points to it; callers need not know which slots are. No
//!   reference to a slice of slots is ever made; see [`array`](super::array). So a live value stays so, in place and
//!   unchanged, for `'m`.
//! - **Brief**: the fields of the slots are mutably borrowed for one call at a time. [`LendCell`] guarantees that for
//!   calls that take memory: a re-entrant one finds no slots. The closures of all others run no user code, do not
//!   allocate, and do not panic.

#![expect(unsafe_code, reason = "changes slots through a shared reference")]

use super::array::Slots;
use super::gapped_slots::GappedSlots;
use crate::error::Error;
use crate::raw_vec::Options;
use crate::vec::lend_cell::{Lend, LendCell, busy};

/// A mutable borrow of slots through which vacant slots can be filled and more slots added.
pub(crate) struct GrowingSlots<'m, V> {
    /// Also keeps this on one thread.
    slots: LendCell<'m, GappedSlots<V>>,
}

impl<V> Lend for GappedSlots<V> {
    fn placeholder() -> Self {
        Self::new(&Options::FULL)
    }

    #[inline]
    fn is_placeholder(&self) -> bool {
        self.is_full_for_good()
    }
}

impl<'m, V> GrowingSlots<'m, V> {
    #[inline]
    pub(crate) fn new(slots: &'m mut GappedSlots<V>) -> Self {
        Self { slots: LendCell::new(slots) }
    }

    /// Returns the number of slots; 0 while they take memory.
    #[inline]
    pub(crate) fn len(&self) -> usize {
        // SAFETY: **Brief**: the closure reads a number.
        unsafe { self.slots.lend_seen(|slots| slots.len()) }
    }

    /// Returns the generation of the value in a slot; `None` if it has none, or while the slots take memory.
    #[inline]
    pub(crate) fn live_generation(&self, index: u32) -> Option<u32> {
        // SAFETY: **Brief**: the closure reads a word.
        unsafe { self.slots.lend_seen(|slots| slots.state(index).live_generation()) }
    }

    /// Returns the value in a slot, if it has this generation.
    ///
    /// # Panics
    ///
    /// If called while the slots take memory.
    #[inline]
    #[track_caller]
    pub(crate) fn get(&self, index: u32, generation: u32) -> Option<&'m V> {
        let find = |slots: &mut GappedSlots<V>| slots.pointer_to(index, generation);
        // SAFETY: **Brief**: the closure compares a word.
        let value = unsafe { self.slots.lend_briefly(find) }.unwrap_or_else(|| busy())?;
        // SAFETY: `pointer_to` has seen the value live, and it stays so for `'m`: **In place**.
        Some(unsafe { value.as_ref() })
    }

    /// Moves a value into a vacant slot. Returns it as the error if the slot is live or does not exist.
    #[inline]
    pub(crate) fn fill(&self, index: u32, generation: u32, value: V) -> Result<&'m V, V> {
        let fill = |slots: &mut GappedSlots<V>| {
            if index as usize >= slots.len() || slots.state(index).is_live() {
                return Err(value);
            }
            slots.fill(index, generation, value);
            // Not by the reference that `fill` returns: it would end once another is used to change the value.
            Ok(slots.place(index))
        };
        // SAFETY: **Brief**: the closure moves a value, and marks its slot and its bit. The slot is below the length,
        // as it checks, so `fill` does not panic.
        let value = unsafe { self.slots.lend_seen(fill) }?;
        // SAFETY: `fill` has just moved the value to this place, and it stays there for `'m`: **In place**.
        Ok(unsafe { value.as_ref() })
    }

    /// Adds vacant slots until there are `need`, if `check` returns no error.
    ///
    /// # Errors
    ///
    /// If `check` returns an error, the slots are lent already ([`Busy`](crate::ErrorKind::Busy)), or memory is
    /// refused.
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
