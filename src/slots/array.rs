//! [`Slots`]: values, each with a word that says whether it exists.
//!
//! # Why this is sound
//!
//! All maps rely on one invariant, **Live** of [`Slot`]: **a slot below the length holds an initialized value if its
//! state is live**, and nothing else is ever read as a value. Every method here accepts any index and any generation,
//! so memory safety does not depend on what maps record (holes, lengths, keys): a mistake there would lose or leak
//! values, and no more. The invariant holds because
//!
//! - a state becomes live only after the value was written: right after, in [`Writable::write`] and where threads
//!   insert into a shared map; or again, if the value stayed in place, by [`slot::revive`];
//! - a state stops being live before the value is moved out or dropped, by [`slot::take`];
//! - a slot gets below the length either by a write or as a vacant one, with fresh zeros or a state that was written;
//!   see [`Slots::extend_vacant`] and [`Slots::push_vacant`];
//! - the memory of pages is returned only after the state of each slot in them was checked.
//!
//! No user code runs in between: no clone, no drop except in [`Slots::drop_values`], and no closure except in
//! [`Slots::select_in`], which changes no state.
//!
//! References are made to the value of one slot at a time, never to a slice of slots. So a shared reference to one
//! value stays valid while another slot is written to, which the grow-only scope relies on, and users' pointers stay
//! valid while other slots change.

#![expect(unsafe_code, reason = "stores values that may or may not exist")]

use super::cursor::{Cursor, HoleBits, Picked, WORD_SLOTS, low_half};
use super::disjoint::DisjointError;
use super::state::{State, Vacant};
use crate::backing::Backing;
use crate::error::{Error, Refused};
use crate::growing::{Budget, BudgetMeter, Prefaulted};
use crate::poison::{self, poison};
use crate::raw_vec::Options;
use crate::vec::{VecStats, VmVec};
use std::mem::{self, offset_of};
use std::ops::Range;
use std::ptr::NonNull;

pub(super) mod slot;
#[cfg(test)]
mod tests;
mod write;

use self::slot::{Slot, SlotRef, Writable};

/// An array of [`Slot`]s that never move. Dropping it drops no values; see [`drop_values`](Self::drop_values).
///
/// It has at most 2^32 slots, so that each has an index: the `bound` in the options of all maps is
/// [`most_slots`](super::key_bits::most_slots) or less, and the array refuses to grow past it.
pub(crate) struct Slots<V> {
    slots: VmVec<Slot<V>>,
    /// A slot within capacity that is neither below this, nor below the length, nor in reused memory
    /// ([`VmVec::warm_bytes`]) is all zero, as the system supplied it. This holds since only slots below the length are
    /// written to, and this is raised when the length falls.
    fresh_from: usize,
}

impl<V> Slots<V> {
    /// The distance in bytes from one value to the next.
    pub(crate) const STRIDE_BYTES: usize = size_of::<Slot<V>>();

    /// The distance in bytes from a value to its state.
    pub(super) const STATE_OFFSET: usize = offset_of!(Slot<V>, state);

    pub(crate) const fn new(options: &'static Options) -> Self {
        Self { slots: VmVec::with_options(options), fresh_from: 0 }
    }

    /// Reserves addresses if the options have a `max_len`, and commits memory for `capacity` slots.
    pub(crate) fn try_new(options: Options, capacity: usize) -> Result<Self, Error> {
        Ok(Self { slots: VmVec::try_with_options(options, capacity)?, fresh_from: 0 })
    }

    /// [`try_new`](Self::try_new) in memory that a backing supplies.
    pub(crate) fn try_new_in<B: Backing>(
        backing: B,
        options: Options,
        capacity: usize,
    ) -> Result<Self, Refused<B>> {
        Ok(Self { slots: VmVec::try_new_in(backing, options, capacity)?, fresh_from: 0 })
    }

    /// Returns the backing of slots that were just created in it.
    pub(crate) fn into_backing<B: Backing>(self) -> B {
        self.slots.into_backing()
    }

    pub(crate) const fn len(&self) -> usize {
        self.slots.len()
    }

    /// See [`VmVec::stay_unserved`].
    pub(crate) fn stay_unserved(&mut self) {
        self.slots.stay_unserved();
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

    /// Slots are grouped in blocks. Each takes at least the memory that is worth a call to return it, and whole words
    /// of the hole bitmap.
    pub(crate) const BLOCK_SLOTS: usize = {
        let mut slots = WORD_SLOTS;
        while Self::STRIDE_BYTES.saturating_mul(slots) < 64 << 10 {
            slots *= 2;
        }
        slots
    };

    #[cfg_attr(debug_assertions, track_caller)]
    pub(crate) fn try_reserve(&mut self, additional: usize) -> Result<(), Error> {
        self.slots.try_reserve(additional)
    }

    #[cfg_attr(debug_assertions, track_caller)]
    pub(crate) fn try_reserve_exact(&mut self, additional: usize) -> Result<(), Error> {
        self.slots.try_reserve_exact(additional)
    }

    pub(crate) fn try_prefault(&mut self, additional: usize) -> Result<(), Error> {
        self.slots.try_prefault(additional)
    }

    pub(crate) fn prefault_ahead(&mut self, budget: Budget) -> Prefaulted {
        self.slots.prefault_ahead(budget)
    }

    /// Makes pages of the slots from `start` to `end` resident, which may be past the last one.
    pub(crate) fn prefault_within(&mut self, start: usize, end: usize) -> Result<(), Error> {
        self.slots.prefault_within(start, end)
    }

    /// Makes memory after the first `used` slots resident, as if there were no others.
    pub(crate) fn prefault_ahead_past(&mut self, used: usize, budget: Budget) -> Prefaulted {
        self.slots.prefault_ahead_past(used, budget)
    }

    /// Returns memory after the last slot within the budget, and whether all of it was returned.
    pub(crate) fn shrink(&mut self, meter: &mut BudgetMeter) -> Result<bool, Error> {
        let result = self.slots.shrink(self.slots.len(), meter);
        // Memory that was returned reads as zero when it is committed again, except for part of the slot at the
        // capacity.
        self.fresh_from = self.fresh_from.min(self.capacity().saturating_add(1));
        result
    }

    /// Returns how many slots would fit into the memory that stays if all slots after the first `len` were removed;
    /// `None` if no memory would be returned.
    pub(crate) fn shrinks_to(&self, len: usize) -> Option<usize> {
        self.slots.shrinks_to(len)
    }

    /// Returns the array, whose length must not be changed.
    pub(super) fn array_mut(&mut self) -> &mut VmVec<Slot<V>> {
        &mut self.slots
    }

    #[inline]
    pub(super) const fn start(&self) -> NonNull<Slot<V>> {
        self.slots.start()
    }

    /// This and [`at_mut`](Self::at_mut) are the only range checks.
    #[inline]
    fn at(&self, index: usize) -> Option<SlotRef<V, &V>> {
        if index >= self.slots.len() {
            return None;
        }
        // SAFETY: `index` is below the length, as checked above. `&self` is borrowed as long as the `&V`, so
        // **Borrowed** holds, and **Access**: only `&mut self` permits writes.
        Some(unsafe { SlotRef::new(self.start(), index) })
    }

    #[inline]
    fn at_mut(&mut self, index: usize) -> Option<SlotRef<V, &mut V>> {
        if index >= self.slots.len() {
            return None;
        }
        // SAFETY: `index` is below the length, as checked above. `&mut self` is borrowed as long as the `&mut V`, so
        // **Borrowed** and **Access** hold.
        Some(unsafe { SlotRef::new(self.start(), index) })
    }

    /// Returns the state of a slot; [`State::EMPTY`] past the last one.
    #[inline]
    pub(crate) fn state(&self, index: u32) -> State {
        match self.at(index as usize) {
            Some(slot) => slot.state(),
            None => State::EMPTY,
        }
    }

    /// Returns the address of the value of a generation. It may be used for reading and writing as long as the slots
    /// exist, not only while `self` is borrowed.
    #[inline]
    pub(crate) fn pointer_to(&self, index: u32, generation: u32) -> Option<NonNull<V>> {
        let slot = self.at(index as usize)?;
        if slot.state() == State::live(generation) { Some(slot.pointer()) } else { None }
    }

    /// Returns the address that the value of a slot has, or would have. It may be used like that of
    /// [`pointer_to`](Self::pointer_to) while the slot is live.
    ///
    /// # Panics
    ///
    /// If the slot is not below the length.
    #[inline]
    pub(crate) fn place(&self, index: u32) -> NonNull<V> {
        let Some(slot) = self.at(index as usize) else { not_there() };
        slot.pointer()
    }

    #[inline]
    pub(crate) fn contains(&self, index: u32, generation: u32) -> bool {
        self.pointer_to(index, generation).is_some()
    }

    #[inline]
    pub(crate) fn get(&self, index: u32, generation: u32) -> Option<&V> {
        self.at(index as usize)?.get(generation)
    }

    #[inline]
    pub(crate) fn get_mut(&mut self, index: u32, generation: u32) -> Option<&mut V> {
        self.at_mut(index as usize)?.get(generation)
    }

    /// # Safety
    ///
    /// - The slot is below the length and live.
    #[inline]
    pub(crate) unsafe fn get_unchecked(&self, index: u32) -> &V {
        // SAFETY: the slot is below the length, by the caller's guarantee. **Borrowed** and **Access** as in `at`.
        let slot = unsafe { SlotRef::<V, &V>::new(self.start(), index as usize) };
        // SAFETY: the slot is live, by the caller's guarantee.
        unsafe { slot.value() }
    }

    /// # Safety
    ///
    /// - The slot is below the length and live.
    #[inline]
    pub(crate) unsafe fn get_unchecked_mut(&mut self, index: u32) -> &mut V {
        // SAFETY: the slot is below the length and live, by the caller's guarantee, and it is the only one.
        let [value] = unsafe { self.get_disjoint_unchecked_mut([index]) };
        value
    }

    /// Returns the value in a slot, whatever its generation, and its generation.
    #[inline]
    pub(crate) fn at_index(&self, index: u32) -> Option<(u32, &V)> {
        self.at(index as usize)?.live()
    }

    /// [`at_index`](Self::at_index), with a mutable reference.
    #[inline]
    pub(crate) fn at_index_mut(&mut self, index: u32) -> Option<(u32, &mut V)> {
        self.at_mut(index as usize)?.live()
    }

    /// Calls `is_it` for the values in some slots of one word, in order, and picks those for which it returns `true`.
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
        assert!(slots.end <= self.len(), "the slots end past the last one");
        for at in slots {
            // SAFETY: `at` is below the length, as checked above. **Borrowed** and **Access** hold until the next turn,
            // since `self` is mutably borrowed, and the reference ends before: `is_it` accepts one of any lifetime, so
            // it cannot keep it.
            let slot = unsafe { SlotRef::<V, &mut V>::new(self.start(), at) };
            picked.visit(at);
            let Some((generation, value)) = slot.live() else { continue };
            // Without a branch, which would be mispredicted often.
            picked.pick_if(is_it(low_half(at), generation, value));
        }
    }

    /// Returns the values of several slots, or which is the first key that is missing or repeated.
    pub(crate) fn get_disjoint_mut<const N: usize>(
        &mut self,
        keys: [(u32, u32); N],
    ) -> Result<[&mut V; N], DisjointError> {
        let mut found = [NonNull::dangling(); N];
        let mut count = 0;
        // Each slot that is found is marked as vacant for now, so that it is not found twice. Nothing panics before the
        // marks are removed.
        while count < N {
            let (index, generation) = keys[count];
            let live = State::live(generation);
            let Some(slot) = self.at_mut(index as usize) else { break };
            if slot.state() != live {
                break;
            }
            found[count] = slot.pointer();
            slot.writable().vacate(Vacant::EMPTY);
            count += 1;
        }
        for (value, (_, generation)) in found.iter().zip(keys).take(count) {
            // SAFETY: the pointer of a slot that was live until it was marked, with its value in place. `&mut self`
            // guarantees exclusive access.
            unsafe { slot::revive(*value, generation) };
        }
        if count < N {
            return Err(DisjointError::at(&keys, count));
        }
        // SAFETY: by **Live** the values are initialized. They are distinct, since none was found twice, and `&mut
        // self` is borrowed as long as the references, so each is the only access to its value.
        Ok(found.map(|value| unsafe { &mut *value.as_ptr() }))
    }

    /// Returns the index of the slot whose value begins at an address.
    #[inline]
    pub(crate) fn index_at(&self, address: usize) -> Option<u32> {
        let distance = address.wrapping_sub(self.start().addr().get());
        let index = distance / Self::STRIDE_BYTES;
        let is_ours = index < self.len() && distance % Self::STRIDE_BYTES == 0;
        u32::try_from(index).ok().filter(|_| is_ours)
    }

    /// Returns the values of several slots without checking them.
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
            // SAFETY: the slot is below the length, and no other index is its, by the caller's guarantee. `&mut self`
            // is borrowed as long as the result, so **Borrowed** and **Access** hold.
            let slot = unsafe { SlotRef::<V, &mut V>::new(start, index as usize) };
            // SAFETY: the slot is live, by the caller's guarantee.
            unsafe { slot.value() }
        })
    }

    /// Adds vacant slots without touching fresh memory.
    pub(crate) fn extend_vacant(&mut self, additional: usize) -> Result<(), Error> {
        self.try_reserve(additional)?;
        let (len, end) = (self.len(), self.len() + additional);
        let warm = self.warm();
        let empty = self.empty_untouched(len.max(self.fresh_from)..end.min(warm));
        // SAFETY: `empty_untouched` has returned slots whose states read as empty. Nothing was written since.
        unsafe { self.extend_vacant_but(empty, end) };
        Ok(())
    }

    /// Adds vacant slots up to `desired`, in committed memory, which are about to be filled; or up to `most`, if that
    /// touches no memory.
    pub(crate) fn extend_vacant_for_use(&mut self, desired: usize, most: usize) {
        let is_known = desired >= self.fresh_from.max(self.warm());
        let end = if is_known { most.max(desired) } else { desired };
        // SAFETY: there are no slots in `0..0`.
        unsafe { self.extend_vacant_but(0..0, end) };
    }

    /// Returns how many slots lie in reused memory, whose contents are arbitrary.
    fn warm(&self) -> usize {
        self.slots.warm_bytes().div_ceil(Self::STRIDE_BYTES)
    }

    /// Adds vacant slots up to `end`, and writes no state of those in `empty`.
    ///
    /// # Panics
    ///
    /// If fewer than `end` slots are committed.
    ///
    /// # Safety
    ///
    /// - The states of the slots in `empty` read as empty.
    unsafe fn extend_vacant_but(&mut self, empty: Range<usize>, end: usize) {
        assert!(end <= self.capacity(), "no memory was committed for these slots");
        let end = end.max(self.len());
        let unknown = self.len()..end.min(self.fresh_from.max(self.warm()));
        let before = unknown.start..empty.start.min(unknown.end);
        before.chain(empty.end.max(unknown.start)..unknown.end).for_each(|index| {
            // SAFETY: `index` is below `end`, which is within capacity, and `self` is mutably borrowed: **Exclusive**
            // holds.
            unsafe { Writable::new(self.start(), index) }.vacate(Vacant::EMPTY);
        });
        let added = self.len()..end;
        // SAFETY: `end` is within capacity, as asserted. By **Live**, vacant slots need no values. States below
        // `fresh_from` or in reused memory were written above, except for those in `empty`, which read as empty, by the
        // caller's guarantee; all others are zero, see `fresh_from`.
        unsafe { self.slots.set_len(end) };
        self.poison_values(added);
    }

    /// Poisons the values of vacant slots below the length, which no code may access.
    fn poison_values(&self, slots: Range<usize>) {
        if poison::IS_ON {
            let slots = slots.filter_map(|index| self.at(index));
            slots.for_each(|slot| poison(slot.pointer().as_ptr(), 1));
        }
    }

    /// Removes vacant slots after the first `len`, to which nothing was written.
    ///
    /// # Safety
    ///
    /// - None of them was written to since they were added.
    pub(crate) unsafe fn retract(&mut self, len: usize) {
        // SAFETY: at most the length, so within capacity and initialized. The slots after it read as they did before they
        // were added, by the caller's guarantee, as `fresh_from` requires: what held data before is still below that, or
        // in reused memory.
        unsafe { self.slots.set_len(len.min(self.len())) };
    }

    /// Makes a slot live again with the last generation that it had, and returns that; `None` if it is live.
    ///
    /// # Safety
    ///
    /// - The slot is below the length. If it is not live, it was live with the generation in its state, and its value
    ///   was neither moved out nor dropped.
    pub(crate) unsafe fn revive(&mut self, index: u32) -> Option<u32> {
        let slot = self.at_mut(index as usize)?;
        let generation = slot.state().generation();
        if slot.state().is_live() {
            return None;
        }
        // SAFETY: a slot below the length that was live, with its value in place, by the caller's guarantee. `&mut
        // self` guarantees exclusive access.
        unsafe { slot::revive(slot.pointer(), generation) };
        Some(generation)
    }

    /// Returns whole pages of reused memory with slots past the last one that were never used, so that a map that skips
    /// many slots does not keep that memory. Returns the slots whose states read as empty afterwards.
    fn empty_untouched(&mut self, slots: Range<usize>) -> Range<usize> {
        /// Less stays, as most slots that are added are soon filled, and would take page faults again.
        const WORTH_RETURNING_BYTES: usize = 4 << 20;
        assert!(slots.is_empty() || slots.start >= self.len(), "they may hold values");
        let is_worth = slots.len() * Self::STRIDE_BYTES >= WORTH_RETURNING_BYTES;
        let discard = if is_worth { self.discardable(slots, |_| false) } else { None };
        let Some(Discard { bytes, cleared, .. }) = discard else { return 0..0 };
        // SAFETY: only bytes of these slots are cleared, since `discardable` rounds inwards. They are past the last
        // slot, as asserted, so they are not part of an element.
        let is_done = unsafe { self.slots.discard(bytes) }.is_ok();
        if is_done { cleared } else { 0..0 }
    }

    /// Moves the value of a generation out, and sets the state to `left`.
    #[inline]
    pub(crate) fn take(&mut self, index: u32, generation: u32, left: Vacant) -> Option<V> {
        self.take_with(index, generation, |_, _| left)
    }

    /// Moves the value of a generation out, and sets the state to what `leave` returns. `leave` is called only if there
    /// is such a value, with the state that its removal leaves, and must run no user code.
    ///
    /// (It is called before the value is moved, since otherwise the value would have to be stored during the call.)
    #[expect(
        clippy::inline_always,
        reason = "otherwise its captures would go through memory, as the value would"
    )]
    #[inline(always)]
    pub(crate) fn take_with(
        &mut self,
        index: u32,
        generation: u32,
        leave: impl FnOnce(&Self, Vacant) -> Vacant,
    ) -> Option<V> {
        let value = self.pointer_to(index, generation)?;
        let left = leave(self, Vacant::after(generation));
        // SAFETY: the pointer of a slot that is live, as `pointer_to` has seen, since `leave` had only `&Self`. `&mut
        // self` guarantees exclusive access.
        Some(unsafe { slot::take(value, left) })
    }

    /// Changes the generation of a value, if there is one.
    #[inline]
    pub(crate) fn renew(&mut self, index: u32, generation: u32, new: u32) {
        if let Some(value) = self.pointer_to(index, generation) {
            // SAFETY: the pointer of a slot that is live, as `pointer_to` has seen. `&mut self` guarantees exclusive
            // access.
            unsafe { slot::revive(value, new) };
        }
    }

    /// Sets the state of a slot without a value. (If the slot is live, its value leaks.)
    #[cfg(any(feature = "serde", feature = "file"))]
    #[inline]
    pub(crate) fn set_vacant(&mut self, index: u32, state: Vacant) {
        debug_assert!(!self.state(index).is_live(), "slot {index} holds a value");
        if let Some(slot) = self.at_mut(index as usize) {
            slot.writable().vacate(state);
        }
    }

    /// Removes the slots after the first `len`. Values in them leak.
    pub(crate) fn truncate(&mut self, len: usize) {
        self.fresh_from = self.fresh_from.max(self.len());
        self.slots.truncate(len);
    }

    /// Drops the values at the candidates, none of which may occur twice. All others leak. If a drop panics, the rest
    /// are dropped nevertheless.
    pub(crate) fn drop_values(&mut self, mut candidates: Cursor, holes: HoleBits<'_>) {
        if !mem::needs_drop::<V>() {
            return;
        }
        until_done(|| {
            let Some(index) = candidates.next(holes) else { return false };
            if let Some(generation) = self.state(index).live_generation() {
                drop(self.take(index, generation, Vacant::EMPTY));
            }
            true
        });
    }

    /// Returns what memory of vacant slots can be returned: whole pages inside them, and the slots whose states are in
    /// these pages.
    ///
    /// A huge page at either end that they cover only in part is kept, unless it `is_sparse`.
    pub(crate) fn discardable(
        &self,
        slots: Range<usize>,
        is_sparse: impl Fn(Range<usize>) -> bool,
    ) -> Option<Discard> {
        let (first, end) = (slots.start * Self::STRIDE_BYTES, slots.end * Self::STRIDE_BYTES);
        let least = self.slots.least_run_bytes();
        let mut bytes = first.next_multiple_of(least)..end / least * least;
        // Both ends at the larger of the run sizes that they need.
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
        // A state is aligned to its size, so none crosses a page boundary.
        let first_state_at =
            |byte: usize| byte.saturating_sub(Self::STATE_OFFSET).div_ceil(Self::STRIDE_BYTES);
        let cleared = first_state_at(bytes.start)..first_state_at(bytes.end).min(slots.end);
        Some(Discard { slots, bytes, cleared })
    }

    /// Returns how many bytes of the slots can be returned in the smallest runs.
    pub(crate) fn least_runs_bytes(&self, slots: Range<usize>) -> usize {
        let (first, end) = (slots.start * Self::STRIDE_BYTES, slots.end * Self::STRIDE_BYTES);
        let least = self.slots.least_run_bytes();
        (end / least * least).saturating_sub(first.next_multiple_of(least))
    }

    /// Returns how many blocks to discard at once when working incrementally: enough to contain whole runs.
    pub(crate) fn piece_blocks(&self) -> usize {
        let run = self.slots.run_bytes(self.len() * Self::STRIDE_BYTES);
        let block = Self::STRIDE_BYTES.saturating_mul(Self::BLOCK_SLOTS);
        (1 << 20_usize).max(2 * run).div_ceil(block) + 1
    }

    /// Returns the slot from which on memory is kept when all possible memory of vacant slots is returned.
    pub(crate) fn piece_end(&self, slots: Range<usize>) -> usize {
        let end = slots.end * Self::STRIDE_BYTES;
        let run = self.slots.run_bytes(end);
        end / run * run / Self::STRIDE_BYTES
    }

    /// Returns the memory of vacant slots. The states of the `cleared` ones read as empty afterwards.
    ///
    /// # Panics
    ///
    /// If one of the slots holds a value.
    pub(crate) fn discard(&mut self, discard: &Discard) -> Result<(), Error> {
        let Discard { slots, bytes, .. } = discard;
        assert!(slots.end <= self.len(), "the slots to discard end past the last one");
        let within = slots.start * Self::STRIDE_BYTES..slots.end * Self::STRIDE_BYTES;
        let is_within = within.start <= bytes.start && bytes.end <= within.end;
        assert!(is_within, "the bytes to discard are those of other slots");
        let live = indices(slots.clone()).any(|index| self.state(index).is_live());
        assert!(!live, "a slot to discard holds a value");
        // SAFETY: only bytes of these slots are cleared, and none of them is live, both as asserted, so by **Live** they may
        // read as zero, which is vacant.
        let discarded = unsafe { self.slots.discard(bytes.clone()) };
        self.poison_values(slots.clone());
        discarded
    }
}

/// Memory of vacant slots that can be returned; created by [`Slots::discardable`].
pub(crate) struct Discard {
    slots: Range<usize>,
    bytes: Range<usize>,
    cleared: Range<usize>,
}

impl Discard {
    pub(crate) fn bytes(&self) -> usize {
        self.bytes.len()
    }

    /// Returns the slots whose states read as empty afterwards.
    pub(crate) fn cleared(&self) -> Range<usize> {
        self.cleared.clone()
    }
}

/// Out of line, to keep the code of every insertion small.
#[cold]
#[inline(never)]
fn not_there() -> ! {
    panic!("the slot is not below the length")
}

/// Calls `step` until it returns `false`. If it panics, calls it again until then, and the panic continues.
#[inline]
pub(crate) fn until_done(step: impl FnMut() -> bool) {
    struct DropGuard<F: FnMut() -> bool>(F);

    impl<F: FnMut() -> bool> DropGuard<F> {
        fn finish(&mut self) {
            while (self.0)() {}
        }
    }

    impl<F: FnMut() -> bool> Drop for DropGuard<F> {
        fn drop(&mut self) {
            self.finish();
        }
    }

    DropGuard(step).finish();
}

/// Returns the indices of a range of slots, whose end may exceed the highest index.
pub(crate) fn indices(slots: Range<usize>) -> impl Iterator<Item = u32> {
    let first = u32::try_from(slots.start).unwrap_or(u32::MAX);
    (first..=u32::MAX).take(slots.len())
}
