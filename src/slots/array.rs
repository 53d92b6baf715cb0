//! [`Slots`]: values, each with the word that says whether it is there.
//!
//! # Why this is sound
//!
//! One invariant carries all maps: **a slot below the length holds an initialised value if its
//! state is live**, and nothing else is ever read as a value. Every method here takes any index
//! and any generation, so no bookkeeping of the maps (holes, lengths, keys) is relied on: if it
//! were wrong, values would be lost or leak, no more. It holds because
//!
//! - a state becomes live only right behind the write of the value, in [`Slots::write`];
//! - it stops being live before the value is moved out or dropped;
//! - slots come to be below the length either by a write or as vacant ones: fresh zeroes, or
//!   zeroed states, see [`Slots::extend_vacant`];
//! - pages are handed back only after a look at each slot in them.
//!
//! No user code runs in between: no clone, no drop but in [`Slots::drop_values`], no closure but in
//! [`Slots::select_in`], which changes nothing.
//!
//! References are made to the value of one slot at a time, never to a slice of slots. So a shared
//! reference to one value stays good while another slot is written to, which the grow-only scope
//! relies on, and pointers that users take stay good while other slots change.

#![expect(unsafe_code, reason = "keeps values that may or may not be there")]

use super::cursor::{Cursor, Picked, WORD_SLOTS, low_half};
use super::disjoint::DisjointError;
use super::state::{State, Vacant};
use crate::backing::Backing;
use crate::error::{Error, Refused};
use crate::growing::{Budget, Prefaulted, Purse};
use crate::poison::{self, AtEnd, poison, unpoison};
use crate::raw_vec::Options;
use crate::vec::{VecStats, VmVec};
use std::mem::{self, MaybeUninit, offset_of};
use std::ops::Range;
use std::ptr::NonNull;

#[cfg(test)]
mod tests;

/// A value and its state, side by side: one cache line for most look-ups.
///
/// The value comes first, so that the address of a slot is that of its value. All zero bytes are
/// a vacant slot.
#[repr(C)]
pub(super) struct Slot<V> {
    value: MaybeUninit<V>,
    pub(super) state: State,
}

/// An array of [`Slot`]s that never move. Dropping it drops no values; see
/// [`drop_values`](Self::drop_values).
pub(crate) struct Slots<V> {
    slots: VmVec<Slot<V>>,
    /// A slot that is neither below this, nor below the length, nor in memory that others had before
    /// ([`VmVec::warm_bytes`]), is as the system gave it: all zero, once it is within capacity. For only slots
    /// below the length are written to, and this is raised when the length falls.
    fresh_from: usize,
}

impl<V> Slots<V> {
    /// The distance between one value and the next.
    pub(crate) const STRIDE_BYTES: usize = size_of::<Slot<V>>();

    /// How far behind the value the state lies.
    pub(super) const STATE_OFFSET: usize = offset_of!(Slot<V>, state);

    pub(crate) const fn new(options: &'static Options) -> Self {
        Self { slots: VmVec::with_options(options), fresh_from: 0 }
    }

    /// With the addresses reserved, if the options say how many, and memory for `capacity` slots.
    pub(crate) fn try_new(options: Options, capacity: usize) -> Result<Self, Error> {
        Ok(Self { slots: VmVec::try_with_options(options, capacity)?, fresh_from: 0 })
    }

    /// The same in memory of the user's.
    pub(crate) fn try_new_in<B: Backing>(
        backing: B,
        options: Options,
        capacity: usize,
    ) -> Result<Self, Refused<B>> {
        Ok(Self { slots: VmVec::try_new_in(backing, options, capacity)?, fresh_from: 0 })
    }

    /// The backing, from slots that were just made in it.
    pub(crate) fn into_backing<B: Backing>(self) -> B {
        self.slots.into_backing()
    }

    pub(crate) const fn len(&self) -> usize {
        self.slots.len()
    }

    pub(crate) const fn capacity(&self) -> usize {
        self.slots.capacity()
    }

    pub(crate) fn max_len(&self) -> usize {
        self.slots.max_len()
    }

    pub(crate) const fn options(&self) -> Options {
        self.slots.options()
    }

    #[inline]
    pub(crate) const fn is_full_for_good(&self) -> bool {
        self.slots.is_full_for_good()
    }

    pub(crate) fn stats(&self) -> VecStats {
        self.slots.stats()
    }

    /// Slots are numbered in blocks, of which each takes at least the memory that is worth a call
    /// to hand back, and whole words of the hole bitmap.
    pub(crate) const BLOCK_SLOTS: usize = {
        let mut slots = WORD_SLOTS;
        while Self::STRIDE_BYTES.saturating_mul(slots) < 64 << 10 {
            slots *= 2;
        }
        slots
    };

    pub(crate) fn try_reserve(&mut self, additional: usize) -> Result<(), Error> {
        self.slots.try_reserve(additional)
    }

    pub(crate) fn try_reserve_exact(&mut self, additional: usize) -> Result<(), Error> {
        self.slots.try_reserve_exact(additional)
    }

    pub(crate) fn try_prefault(&mut self, additional: usize) -> Result<(), Error> {
        self.slots.try_prefault(additional)
    }

    pub(crate) fn prefault_ahead(&mut self, budget: Budget) -> Prefaulted {
        self.slots.prefault_ahead(budget)
    }

    /// Makes pages of the slots from `start` to `end` resident, past the last one, too.
    pub(crate) fn prefault_within(&mut self, start: usize, end: usize) -> Result<(), Error> {
        self.slots.prefault_within(start, end)
    }

    /// Makes memory past the first `used` slots resident, as if there were no more.
    pub(crate) fn prefault_ahead_behind(&mut self, used: usize, budget: Budget) -> Prefaulted {
        self.slots.prefault_ahead_behind(used, budget)
    }

    /// Gives memory behind the last slot back as far as there is money. Whether there is nothing more
    /// to give back.
    pub(crate) fn shrink(&mut self, purse: &mut Purse) -> Result<bool, Error> {
        let result = self.slots.shrink(self.slots.len(), purse);
        // What was handed back will be fresh. Of the slot at the capacity a part may be left.
        self.fresh_from = self.fresh_from.min(self.capacity().saturating_add(1));
        result
    }

    /// How many slots lie wholly in the memory that would stay if all behind the first `len` were
    /// given up, if any would go.
    pub(crate) fn shrinks_to(&self, len: usize) -> Option<usize> {
        self.slots.shrinks_to(len)
    }

    /// The slots, which stay as many.
    pub(super) fn array_mut(&mut self) -> &mut VmVec<Slot<V>> {
        &mut self.slots
    }

    /// Where the slots begin.
    #[inline]
    pub(super) const fn start(&self) -> NonNull<Slot<V>> {
        self.slots.start()
    }

    /// The one range check.
    #[inline]
    fn at(&self, index: usize) -> Option<NonNull<Slot<V>>> {
        if index >= self.slots.len() {
            return None;
        }
        // SAFETY: below the length, so inside the array.
        Some(unsafe { self.start().add(index) })
    }

    /// The slot that holds the value of a generation.
    #[inline]
    fn find(&self, index: u32, generation: u32) -> Option<NonNull<Slot<V>>> {
        let slot = self.at(index as usize)?;
        // SAFETY: below the length, and `&self` keeps writers away.
        unsafe { is_live_with(slot, generation) }.then_some(slot)
    }

    /// The state of a slot; vacant behind the last one.
    #[inline]
    pub(crate) fn state(&self, index: u32) -> State {
        match self.at(index as usize) {
            // SAFETY: slots below the length are initialised, and `&self` keeps writers away.
            Some(slot) => unsafe { (*slot.as_ptr()).state },
            None => State::EMPTY,
        }
    }

    /// Where the value of a generation lies: an address that is good for reading and writing as
    /// long as the slots live, not only for the time of a borrow.
    #[inline]
    pub(crate) fn pointer_to(&self, index: u32, generation: u32) -> Option<NonNull<V>> {
        self.find(index, generation).map(NonNull::cast)
    }

    #[inline]
    pub(crate) fn contains(&self, index: u32, generation: u32) -> bool {
        self.find(index, generation).is_some()
    }

    #[inline]
    pub(crate) fn get(&self, index: u32, generation: u32) -> Option<&V> {
        let slot = self.find(index, generation)?;
        // SAFETY: its state is live, and stays so while `self` is borrowed.
        Some(unsafe { value_of(slot) })
    }

    #[inline]
    pub(crate) fn get_mut(&mut self, index: u32, generation: u32) -> Option<&mut V> {
        let slot = self.find(index, generation)?;
        // SAFETY: its state is live, and `&mut self` keeps others away.
        Some(unsafe { value_of_mut(slot) })
    }

    /// # Safety
    ///
    /// - The slot is below the length and live.
    #[inline]
    pub(crate) unsafe fn get_unchecked(&self, index: u32) -> &V {
        debug_assert!(self.state(index).is_live(), "slot {index} holds no value");
        // SAFETY: below the length by the caller's promise.
        let slot = unsafe { self.start().add(index as usize) };
        // SAFETY: live by the caller's promise, and stays so while `self` is borrowed.
        unsafe { value_of(slot) }
    }

    /// # Safety
    ///
    /// - The slot is below the length and live.
    #[inline]
    pub(crate) unsafe fn get_unchecked_mut(&mut self, index: u32) -> &mut V {
        debug_assert!(self.state(index).is_live(), "slot {index} holds no value");
        // SAFETY: below the length by the caller's promise.
        let slot = unsafe { self.start().add(index as usize) };
        // SAFETY: live by the caller's promise, and `&mut self` keeps others away.
        unsafe { value_of_mut(slot) }
    }

    /// The value of a slot, whatever its generation, and that.
    #[inline]
    pub(crate) fn at_index(&self, index: u32) -> Option<(u32, &V)> {
        let slot = self.at(index as usize)?;
        // SAFETY: below the length, and `&self` keeps writers away.
        let generation = unsafe { live_generation(slot) }?;
        // SAFETY: live, and stays so while `self` is borrowed.
        Some((generation, unsafe { value_of(slot) }))
    }

    /// The same, to change the value.
    #[inline]
    pub(crate) fn at_index_mut(&mut self, index: u32) -> Option<(u32, &mut V)> {
        let slot = self.at(index as usize)?;
        // SAFETY: below the length, and `&mut self` keeps others away.
        let generation = unsafe { live_generation(slot) }?;
        // SAFETY: live, and `&mut self` keeps others away.
        Some((generation, unsafe { value_of_mut(slot) }))
    }

    /// Asks of the values in some slots of one word whether they are it, in order, and picks those that are.
    ///
    /// # Panics
    ///
    /// If a slot is not below the length.
    #[inline]
    pub(crate) fn select_in(
        &mut self,
        slots: Range<usize>,
        picked: &mut Picked,
        mut is_it: impl FnMut(u32, u32, &mut V) -> bool,
    ) {
        assert!(slots.end <= self.len(), "slots behind the last one hold no values");
        for at in slots {
            // SAFETY: below the length, so inside the array.
            let slot = unsafe { self.start().add(at) };
            picked.come_to(at);
            // SAFETY: below the length, and `&mut self` keeps others away.
            let Some(generation) = (unsafe { live_generation(slot) }) else { continue };
            // SAFETY: live, and `&mut self` keeps others away.
            let value = unsafe { value_of_mut(slot) };
            // No branch, which nobody could foresee.
            picked.pick_if(is_it(low_half(at), generation, value));
        }
    }

    /// The values of several slots at once, or the first that is not there, or is asked for twice.
    pub(crate) fn get_disjoint_mut<const N: usize>(
        &mut self,
        keys: [(u32, u32); N],
    ) -> Result<[&mut V; N], DisjointError> {
        let mut found = [NonNull::dangling(); N];
        let mut count = 0;
        // A slot that is found is marked as vacant for the time being, so it is not found again.
        // Nothing here can panic before the marks are gone.
        while count < N {
            let (index, generation) = keys[count];
            let Some(slot) = self.find(index, generation) else { break };
            // SAFETY: inside the array, and `&mut self` keeps others away.
            unsafe { (*slot.as_ptr()).state = State::EMPTY };
            found[count] = slot;
            count += 1;
        }
        for (slot, (_, generation)) in found.iter().zip(keys).take(count) {
            // SAFETY: as above. The slot was live with this generation, and its value is still
            // there.
            unsafe { (*slot.as_ptr()).state = State::live(generation) };
        }
        if count < N {
            return Err(DisjointError::at(&keys, count));
        }
        // SAFETY: all are live, and no two are the same, so each reference is the only one to its
        // value; `&mut self` keeps others away.
        Ok(found.map(|slot| unsafe { value_of_mut(slot) }))
    }

    /// The index of the slot at an address, if it is that of a slot's value.
    #[inline]
    pub(crate) fn index_at(&self, address: usize) -> Option<u32> {
        let distance = address.wrapping_sub(self.start().addr().get());
        let index = distance / Self::STRIDE_BYTES;
        let is_ours = index < self.len() && distance % Self::STRIDE_BYTES == 0;
        u32::try_from(index).ok().filter(|_| is_ours)
    }

    /// The values of several slots at once.
    ///
    /// # Safety
    ///
    /// - The slots are below the length and live, and no two are the same.
    #[inline]
    pub(crate) unsafe fn get_disjoint_unchecked_mut<const N: usize>(
        &mut self,
        indices: [u32; N],
    ) -> [&mut V; N] {
        let start = self.start();
        indices.map(|index| {
            // SAFETY: below the length by the caller's promise.
            let slot = unsafe { start.add(index as usize) };
            // SAFETY: live, and no other reference is made to it, by the caller's promise; `&mut
            // self` keeps others away.
            unsafe { value_of_mut(slot) }
        })
    }

    /// Writes a value and makes the slot live.
    ///
    /// # Safety
    ///
    /// - The slot is within capacity, and `&mut self` is held.
    #[inline]
    unsafe fn write(slot: NonNull<Slot<V>>, generation: u32, value: V) {
        unpoison(slot.as_ptr(), 1);
        // SAFETY: within capacity, so writable; the value comes first in a slot, and no reference
        // is made to it.
        unsafe { slot.cast::<V>().write(value) };
        // SAFETY: the same.
        unsafe { (*slot.as_ptr()).state = State::live(generation) };
    }

    /// Fills a vacant slot below the length. (In one that is not, the old value would leak.)
    ///
    /// # Panics
    ///
    /// If the slot is not below the length.
    #[expect(
        clippy::inline_always,
        reason = "a value in memory, passed to a call, is copied twice"
    )]
    #[inline(always)]
    pub(crate) fn fill(&mut self, index: u32, generation: u32, value: V) {
        debug_assert!(!self.state(index).is_live(), "slot {index} holds a value");
        let Some(slot) = self.at(index as usize) else { not_there() };
        // SAFETY: below the length, so within capacity.
        unsafe { Self::write(slot, generation, value) }
    }

    /// Adds a slot with a value; there is memory for it.
    ///
    /// # Panics
    ///
    /// If there is not.
    #[expect(clippy::inline_always, reason = "as for `fill`")]
    #[inline(always)]
    pub(crate) fn push_within_capacity(&mut self, generation: u32, value: V) {
        let len = self.len();
        assert!(len < self.capacity(), "no memory was committed for another slot");
        // SAFETY: `len` is less than the capacity.
        let slot = unsafe { self.start().add(len) };
        // SAFETY: the same.
        unsafe { Self::write(slot, generation, value) };
        // SAFETY: within capacity, and the slot is initialised.
        unsafe { self.slots.set_len(len + 1) };
    }

    /// Adds vacant slots, without touching the memory of those that are fresh.
    pub(crate) fn extend_vacant(&mut self, additional: usize) -> Result<(), Error> {
        self.try_reserve(additional)?;
        let (len, end) = (self.len(), self.len() + additional);
        let warm = self.warm();
        let empty = self.empty_untouched(len.max(self.fresh_from)..end.min(warm));
        self.extend_vacant_but(empty, end);
        Ok(())
    }

    /// Adds vacant slots up to `wish` in memory that there is, which others are about to fill; and where none
    /// behind has to be touched for it, up to `most`.
    pub(crate) fn extend_vacant_for_use(&mut self, wish: usize, most: usize) {
        let is_known = wish >= self.fresh_from.max(self.warm());
        self.extend_vacant_but(0..0, if is_known { most.max(wish) } else { wish });
    }

    /// How many slots lie in memory that others had before, which holds anything.
    fn warm(&self) -> usize {
        self.slots.warm_bytes().div_ceil(Self::STRIDE_BYTES)
    }

    /// Adds vacant slots up to `end`, of which some read as empty.
    ///
    /// # Panics
    ///
    /// If there is no memory for so many.
    fn extend_vacant_but(&mut self, empty: Range<usize>, end: usize) {
        assert!(end <= self.capacity(), "no memory was committed for these slots");
        let end = end.max(self.len());
        let unknown = self.len()..end.min(self.fresh_from.max(self.warm()));
        for index in unknown.filter(|index| !empty.contains(index)) {
            // SAFETY: within capacity.
            let slot = unsafe { self.start().add(index) };
            unpoison(slot.as_ptr(), 1);
            // SAFETY: the same, so writable, and `&mut self` keeps others away.
            unsafe { (*slot.as_ptr()).state = State::EMPTY };
        }
        let added = self.len()..end;
        // SAFETY: within capacity. The slots are vacant, so their values need not be initialised:
        // those before `fresh_from`, or in memory that others had, were made so above, the others are all
        // zero, see there.
        unsafe { self.slots.set_len(end) };
        self.poison_values(added);
    }

    /// Nobody is to touch the values of these slots, which are below the length, and vacant.
    fn poison_values(&self, slots: Range<usize>) {
        if poison::IS_ON {
            let values = slots.filter_map(|index| self.at(index)).map(NonNull::cast::<V>);
            values.for_each(|value| poison(value.as_ptr(), 1));
        }
    }

    /// Takes vacant slots behind the first `len` away again, since nothing was put there.
    ///
    /// # Safety
    ///
    /// - None of them was written to since they were added.
    pub(crate) unsafe fn retract(&mut self, len: usize) {
        // What held anything before is below `fresh_from` yet, or in memory that others had.
        // SAFETY: there may be fewer in any array; and by the caller's promise all behind is as it was.
        unsafe { self.slots.set_len(len.min(self.len())) };
    }

    /// Makes a slot live again, by the generation that its value had, and returns that; none, if it is live.
    ///
    /// # Safety
    ///
    /// - It is below the length; and if it is not live, it was, with that generation, and its value was neither
    ///   moved out nor dropped.
    pub(crate) unsafe fn revive(&mut self, index: u32) -> Option<u32> {
        let slot = self.at(index as usize)?;
        // SAFETY: inside the array, and `&mut self` keeps others away.
        let state = unsafe { &mut (*slot.as_ptr()).state };
        if state.is_live() {
            return None;
        }
        // Its value is there, by the caller's promise.
        *state = State::live(state.generation());
        let generation = state.generation();
        unpoison(slot.as_ptr(), 1);
        Some(generation)
    }

    /// Hands back whole pages of memory that others had, in which slots behind the last one lie that were never
    /// used: where many are passed over, that memory is not to stay with those who have no use for it. Returns
    /// which of them read as empty then.
    fn empty_untouched(&mut self, slots: Range<usize>) -> Range<usize> {
        debug_assert!(slots.is_empty() || slots.start >= self.len(), "they may hold values");
        let discard = if slots.is_empty() { None } else { self.discardable(slots, |_| false) };
        let Some(Discard { bytes, cleared, .. }) = discard else { return 0..0 };
        // SAFETY: only bytes of these slots are cleared: `discardable` rounds inwards. They lie behind the last
        // one, so they are no elements.
        let is_done = unsafe { self.slots.discard(bytes) }.is_ok();
        if is_done { cleared } else { 0..0 }
    }

    /// Moves the value of a generation out, and leaves the slot as `left`.
    #[inline]
    pub(crate) fn take(&mut self, index: u32, generation: u32, left: Vacant) -> Option<V> {
        self.take_with(index, generation, |_, _| left)
    }

    /// Moves the value of a generation out, and leaves the slot as `leave` says, which is asked only if
    /// the value is there, for the state after that generation, and runs no user code.
    ///
    /// (It is asked before the value is moved, since that would have to be put aside for the time of a
    /// call.)
    #[expect(
        clippy::inline_always,
        reason = "as the value, what it captures would go through memory"
    )]
    #[inline(always)]
    pub(crate) fn take_with(
        &mut self,
        index: u32,
        generation: u32,
        leave: impl FnOnce(&Self, Vacant) -> Vacant,
    ) -> Option<V> {
        let slot = self.find(index, generation)?;
        let left = leave(self, Vacant::after(generation));
        // SAFETY: inside the array, and `&mut self` keeps others away.
        unsafe { (*slot.as_ptr()).state = left.into() };
        // Not the state, which is looked at by anybody.
        let _gone = AtEnd::of(slot.cast::<V>().as_ptr());
        // SAFETY: the slot was live, so its value, which comes first, is initialised; now the slot
        // is not live, so nobody reads the value again.
        Some(unsafe { slot.cast::<V>().read() })
    }

    /// Gives the value of a generation another, if it is there.
    #[inline]
    pub(crate) fn renew(&mut self, index: u32, generation: u32, new: u32) {
        if let Some(slot) = self.find(index, generation) {
            // SAFETY: inside the array, and `&mut self` keeps others away. The slot was live, and stays
            // so: its value is there.
            unsafe { (*slot.as_ptr()).state = State::live(new) };
        }
    }

    /// Changes the state of a slot that holds no value. (In one that does, it would leak.)
    #[inline]
    pub(crate) fn set_vacant(&mut self, index: u32, state: Vacant) {
        debug_assert!(!self.state(index).is_live(), "slot {index} holds a value");
        if let Some(slot) = self.at(index as usize) {
            // SAFETY: inside the array, and `&mut self` keeps others away.
            unsafe { (*slot.as_ptr()).state = state.into() };
        }
    }

    /// Forgets the slots behind the first `len`; values in them leak.
    pub(crate) fn truncate(&mut self, len: usize) {
        self.fresh_from = self.fresh_from.max(self.len());
        self.slots.truncate(len);
    }

    /// Drops the values at the candidates, of which there must be none twice, and all others
    /// leak. Should a drop panic, the rest is dropped all the same.
    pub(crate) fn drop_values(&mut self, candidates: Cursor, holes: &[u64]) {
        struct Rest<'s, V> {
            slots: &'s mut Slots<V>,
            candidates: Cursor,
            holes: &'s [u64],
        }

        impl<V> Rest<'_, V> {
            fn drop_all(&mut self) {
                while let Some(index) = self.candidates.next(self.holes) {
                    if let Some(generation) = self.slots.state(index).live_generation() {
                        drop(self.slots.take(index, generation, Vacant::EMPTY));
                    }
                }
            }
        }

        impl<V> Drop for Rest<'_, V> {
            fn drop(&mut self) {
                self.drop_all();
            }
        }

        if mem::needs_drop::<V>() {
            Rest { slots: self, candidates, holes }.drop_all();
        }
    }

    /// What handing back the memory of vacant slots would clear: whole pages inside them, and the
    /// slots whose states lie there.
    ///
    /// A huge page at either end that they fill only partly is kept, unless it `is_sparse`.
    pub(crate) fn discardable(
        &self,
        slots: Range<usize>,
        is_sparse: impl Fn(Range<usize>) -> bool,
    ) -> Option<Discard> {
        let (first, end) = (slots.start * Self::STRIDE_BYTES, slots.end * Self::STRIDE_BYTES);
        let least = self.slots.least_run_bytes();
        let mut bytes = first.next_multiple_of(least)..end / least * least;
        // Both ends at runs as large as either may need.
        let run = self.slots.run_bytes(first).max(self.slots.run_bytes(end));
        let is_kept = |byte: usize| {
            let page = byte / run * run;
            byte != page && !is_sparse(page / Self::STRIDE_BYTES..(page + run) / Self::STRIDE_BYTES)
        };
        if !bytes.is_empty() && is_kept(bytes.start) {
            bytes.start = bytes.start.next_multiple_of(run);
        }
        if !bytes.is_empty() && is_kept(bytes.end) {
            bytes.end = bytes.end / run * run;
        }
        if bytes.is_empty() {
            return None;
        }
        // A state has the alignment of its size, so none lies across the edge of a page.
        let first_state_at =
            |byte: usize| byte.saturating_sub(Self::STATE_OFFSET).div_ceil(Self::STRIDE_BYTES);
        let cleared = first_state_at(bytes.start)..first_state_at(bytes.end).min(slots.end);
        Some(Discard { slots, bytes, cleared })
    }

    /// How many bytes of the memory of slots can be handed back in the smallest runs.
    pub(crate) fn least_runs_bytes(&self, slots: Range<usize>) -> usize {
        let (first, end) = (slots.start * Self::STRIDE_BYTES, slots.end * Self::STRIDE_BYTES);
        let least = self.slots.least_run_bytes();
        (end / least * least).saturating_sub(first.next_multiple_of(least))
    }

    /// How many blocks to hand back at once, where that is done by and by: enough for whole runs
    /// anywhere.
    pub(crate) fn piece_blocks(&self) -> usize {
        let run = self.slots.run_bytes(self.len() * Self::STRIDE_BYTES);
        (1 << 20_usize).max(2 * run).div_ceil(Self::STRIDE_BYTES * Self::BLOCK_SLOTS) + 1
    }

    /// The slot from which on memory is left when what can be of vacant slots is handed back.
    pub(crate) fn piece_end(&self, slots: Range<usize>) -> usize {
        let end = slots.end * Self::STRIDE_BYTES;
        let run = self.slots.run_bytes(end);
        end / run * run / Self::STRIDE_BYTES
    }

    /// Hands the memory of vacant slots back; the states of the `cleared` ones read as empty then.
    ///
    /// # Panics
    ///
    /// If one of the slots holds a value.
    pub(crate) fn discard(&mut self, discard: &Discard) -> Result<(), Error> {
        let Discard { slots, bytes, .. } = discard;
        assert!(slots.end <= self.len(), "slots behind the last one are not handed back");
        let live = indices(slots.clone()).any(|index| self.state(index).is_live());
        assert!(!live, "a slot holds a value");
        // SAFETY: only bytes of these slots are cleared: `discardable`, which alone makes a
        // `Discard`, rounds inwards. None of them is live, so their values need not be
        // initialised, and a state of zero is vacant.
        let discarded = unsafe { self.slots.discard(bytes.clone()) };
        self.poison_values(slots.clone());
        discarded
    }
}

/// Memory of vacant slots to hand back, made by [`Slots::discardable`].
pub(crate) struct Discard {
    slots: Range<usize>,
    bytes: Range<usize>,
    cleared: Range<usize>,
}

impl Discard {
    /// How much memory is handed back.
    pub(crate) fn bytes(&self) -> usize {
        self.bytes.len()
    }

    /// The slots that read as empty afterwards.
    pub(crate) fn cleared(&self) -> Range<usize> {
        self.cleared.clone()
    }
}

/// Out of line, for it stands wherever a value is put in.
#[cold]
#[inline(never)]
fn not_there() -> ! {
    panic!("the slot is not below the length")
}

/// The indices of a range of slots. (The end may be more than an index can be.)
pub(crate) fn indices(slots: Range<usize>) -> impl Iterator<Item = u32> {
    let first = u32::try_from(slots.start).unwrap_or(u32::MAX);
    (first..=u32::MAX).take(slots.len())
}

/// The value of a slot.
///
/// # Safety
///
/// - The slot is live, and for `'a` stays so, and nobody writes to its value.
#[inline]
pub(super) unsafe fn value_of<'a, V>(slot: NonNull<Slot<V>>) -> &'a V {
    // SAFETY: live, so the value, which comes first, is initialised; the rest is the caller's
    // promise.
    unsafe { slot.cast().as_ref() }
}

/// The value of a slot, to be changed.
///
/// # Safety
///
/// - The slot is live, and for `'a` stays so, and nobody else reaches its value.
#[inline]
pub(super) unsafe fn value_of_mut<'a, V>(slot: NonNull<Slot<V>>) -> &'a mut V {
    // SAFETY: live, so the value, which comes first, is initialised; the rest is the caller's
    // promise.
    unsafe { slot.cast().as_mut() }
}

/// Moves the value of a slot out, and leaves the slot empty.
///
/// # Safety
///
/// - The slot is below the length, and live.
/// - Nobody else reaches it meanwhile.
#[cfg(feature = "rayon")]
pub(super) unsafe fn take_value<V>(slot: NonNull<Slot<V>>) -> V {
    // SAFETY: below the length, and nobody else is there, by the caller's promise.
    unsafe { (*slot.as_ptr()).state = State::EMPTY };
    let _gone = AtEnd::of(slot.cast::<V>().as_ptr());
    // SAFETY: the slot was live, so its value, which comes first, is initialised; now the slot is
    // not live, so nobody reads the value again.
    unsafe { slot.cast::<V>().read() }
}

/// Whether a slot holds the value of a generation.
///
/// # Safety
///
/// - The slot is below the length, and nobody writes to its state meanwhile.
#[inline]
pub(super) unsafe fn is_live_with<V>(slot: NonNull<Slot<V>>, generation: u32) -> bool {
    // SAFETY: slots below the length are initialised.
    unsafe { (*slot.as_ptr()).state == State::live(generation) }
}

/// The generation of the value in a slot, or the last one that was there.
///
/// # Safety
///
/// - The slot is below the length, and nobody writes to its state meanwhile.
#[inline]
pub(super) unsafe fn generation<V>(slot: NonNull<Slot<V>>) -> u32 {
    // SAFETY: slots below the length are initialised.
    unsafe { (*slot.as_ptr()).state }.generation()
}

/// Whether so many slots side by side all hold values.
///
/// # Safety
///
/// - The slots are below the length, and nobody writes to their states meanwhile.
#[inline]
pub(super) unsafe fn are_live<V>(first: NonNull<Slot<V>>, count: usize) -> bool {
    let all = (0..count).fold(State::live(0), |all, place| {
        // SAFETY: below the length, by the caller's promise.
        let slot = unsafe { first.add(place) };
        // SAFETY: slots below the length are initialised.
        all.and(unsafe { (*slot.as_ptr()).state })
    });
    all.is_live()
}

/// The generation of the value in a slot, if there is one.
///
/// # Safety
///
/// - The slot is below the length, and nobody writes to its state meanwhile.
#[inline]
pub(super) unsafe fn live_generation<V>(slot: NonNull<Slot<V>>) -> Option<u32> {
    // SAFETY: slots below the length are initialised.
    unsafe { (*slot.as_ptr()).state }.live_generation()
}
