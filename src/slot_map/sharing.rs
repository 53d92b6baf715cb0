//! [`Sharing`]: a map whose vacant slots other threads fill, by *tickets*, without borrowing the map.
//!
//! Sharing begins and ends with `&mut self`. In between, the map only [grows](Sharing::try_grow): tickets are added,
//! each of which stands for one slot from then on. The first stand for holes, in the order in which the map would fill
//! them. When there is none left that may be filled, tickets stand for slots past the last one.
//!
//! While the map is shared, its own code reads no state of a slot that has a ticket: holes with tickets are no longer
//! holes of the map, and slots past the last one were made vacant before. When sharing ends, unused slots are returned,
//! and values that other threads have [removed](Sharing::collect) are removed as in any map.

#![expect(unsafe_code, reason = "makes slots live whose values other threads wrote")]

use super::memory::SlotMapStats;
use super::{Reuse, SlotMap};
use crate::error::Error;
use crate::growing::{Budget, Prefaulted};
use crate::key::Key;
use crate::raw_vec::Options;
use crate::slots::array::{Slots, indices, until_done};
use crate::slots::holes::Hole;
use crate::slots::key_tag::MapTypeId;
use crate::slots::state::State;
use crate::slots::vacancy::Fresh;
use crate::vec::VmVec;
use std::mem;
use std::ops::Range;

/// How many holes are listed first, or slots made vacant in reused memory. Not all at once, since unused ones must be
/// returned.
const FIRST_STEP: usize = 64;

/// Later steps double, up to this.
const MOST_STEP: usize = 1 << 14;

pub(crate) struct Sharing<K: Key, V> {
    map: SlotMap<K, V>,
    /// The holes that the first tickets stand for.
    list: VmVec<Hole>,
    /// One bit per slot. Other threads set it before they remove a value, which they leave in place.
    removed: VmVec<u8>,
    /// The slot of the first ticket after the list.
    first_fresh: usize,
    /// Whether there may be tickets for slots past the last one. No more holes are listed then.
    is_fresh: bool,
    step: usize,
    /// Whether other threads may use the map. If not, it is as any map.
    is_shared: bool,
}

/// What does not change while a map is shared.
pub(crate) struct Baseline<K> {
    pub(crate) type_id: MapTypeId<K>,
    pub(crate) len: usize,
    /// The slot of the first ticket that does not stand for a hole.
    pub(crate) first_fresh: usize,
    floors: SeenFloors,
}

/// The generations above which slots start, in a map that other threads share.
#[derive(Clone, Copy)]
struct SeenFloors {
    /// Those of the first `count` blocks.
    blocks: *const u32,
    count: usize,
    /// That of all other blocks.
    beyond: u32,
}

// SAFETY: the pointer is read only in `fresh_generation`, whose caller guarantees that the map is shared. No thread
// writes there then.
unsafe impl Send for SeenFloors {}
// SAFETY: as above.
unsafe impl Sync for SeenFloors {}

/// The memory that other threads access, and its limits.
pub(crate) struct Extent {
    pub(crate) slots: *mut u8,
    /// Slots below this may be read.
    pub(crate) end: usize,
    pub(crate) removed: *mut u8,
    /// Slots below this have a bit.
    pub(crate) removed_end: usize,
    pub(crate) list: *mut Hole,
    pub(crate) listed: usize,
    pub(crate) capacity: usize,
}

/// Whether there may be tickets that a thread had and did not use.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum UnusedTickets {
    None,
    Some,
    /// As `Some`, and a fork stopped a thread that was listing holes, so a hole may be in no list, or in two.
    Anywhere,
}

impl<K: Key> Baseline<K> {
    /// The baseline of an empty map.
    pub(crate) const NONE: Self = Self {
        type_id: MapTypeId::NONE,
        len: 0,
        first_fresh: 0,
        floors: SeenFloors { blocks: std::ptr::null(), count: 0, beyond: 0 },
    };

    /// Returns the generation of the next value in a slot that is not a hole.
    ///
    /// # Safety
    ///
    /// - The map that [began](Sharing::begin) with this exists, and is still shared.
    #[inline]
    pub(crate) unsafe fn fresh_generation<V>(&self, index: usize) -> u32 {
        let block = index / Slots::<V>::BLOCK_SLOTS;
        if block >= self.floors.count {
            return self.floors.beyond + 1;
        }
        let floor = self.floors.blocks.wrapping_add(block);
        // SAFETY: `block < count`, so this is one of the floors that `begin` found in the map, initialized and aligned.
        // The caller guarantees that the map is still shared. Then it only grows and lists holes, which reads floors,
        // and neither changes nor moves them.
        unsafe { floor.read() + 1 }
    }
}

impl<K: Key, V> Sharing<K, V> {
    /// Makes a map, which is shared.
    pub(crate) const fn new() -> Self {
        Self {
            // Without slots: the first ticket stands for the first one.
            map: SlotMap::with_key(),
            list: VmVec::new(),
            removed: VmVec::new(),
            first_fresh: 0,
            is_fresh: false,
            step: FIRST_STEP,
            is_shared: true,
        }
    }

    #[inline]
    pub(crate) const fn is_shared(&self) -> bool {
        self.is_shared
    }

    /// Returns the map.
    ///
    /// # Safety
    ///
    /// - No other thread uses it, as while it is [not shared](Self::is_shared).
    #[inline]
    pub(crate) unsafe fn map(&self) -> &SlotMap<K, V> {
        &self.map
    }

    /// Returns the map.
    ///
    /// # Safety
    ///
    /// - As for [`map`](Self::map).
    #[inline]
    pub(crate) unsafe fn map_mut(&mut self) -> &mut SlotMap<K, V> {
        &mut self.map
    }

    /// Starts to share the map, which must not be shared, without tickets.
    pub(crate) fn begin(&mut self) -> Baseline<K> {
        assert!(!self.is_shared, "other threads use the map");
        let Self { map, list, removed, .. } = self;
        map.fresh = Fresh::NONE;
        list.clear();
        if list.options().bound != list_bound(map) {
            *list = VmVec::new();
        }
        if removed.options().bound != removed_bound(map) {
            // The map was replaced, and may have another maximum. No bit is set.
            *removed = VmVec::new();
        }
        self.first_fresh = self.map.slots.len();
        (self.is_fresh, self.step) = (false, FIRST_STEP);
        // If this is refused, a thread that removes a value asks again.
        let _ = self.cover_removed(self.first_fresh);
        // Last, so that a panic leaves a map that is not shared.
        self.is_shared = true;
        Baseline {
            type_id: self.map.type_id,
            len: self.map.len(),
            first_fresh: self.first_fresh,
            floors: self.map.seen_floors(),
        }
    }

    pub(crate) fn extent(&mut self) -> Extent {
        Extent {
            slots: self.map.slots.address(),
            end: self.map.slots.len(),
            removed: self.removed.as_mut_ptr(),
            removed_end: self.removed.len().saturating_mul(8),
            list: self.list.as_mut_ptr(),
            listed: self.list.len(),
            capacity: self.map.capacity(),
        }
    }

    /// Returns the memory of the list. There must be no tickets.
    pub(crate) fn shrink_list(&mut self) {
        debug_assert_eq!(self.tickets(), 0, "tickets are still in the list");
        self.list.shrink_to_fit();
    }

    pub(crate) fn tickets(&self) -> usize {
        let fresh = if self.is_fresh { self.map.slots.len() - self.first_fresh } else { 0 };
        self.list.len() + fresh
    }

    pub(crate) fn max_len(&self) -> usize {
        let slots = self.map.max_len();
        if self.removed.is_empty() {
            slots
        } else {
            slots.min(self.removed.max_len().saturating_mul(8))
        }
    }

    /// Whether no more tickets can be added.
    pub(crate) fn is_at_end(&self) -> bool {
        self.is_fresh && self.map.slots.len() >= self.max_len()
    }

    /// Returns the number of tickets if all slots existed.
    pub(crate) fn most_tickets(&self) -> usize {
        self.list.len() + self.max_len().saturating_sub(self.first_fresh)
    }

    /// Ensures that there are `need` tickets, and possibly adds more, even if it returns an error.
    pub(crate) fn try_grow(&mut self, need: usize) -> Result<(), Error> {
        if !self.is_fresh {
            self.list_holes(need)?;
            if self.list.len() >= need {
                return Ok(());
            }
        }
        let need = self.slot_after(need);
        let grown = if need > self.room() { self.try_grow_slots(need) } else { Ok(()) };
        // Adds tickets for what there is memory for, even after a refusal.
        let room = self.room();
        let ahead = self.map.slots.len().saturating_add(self.step());
        self.map.slots.extend_vacant_for_use(need.max(ahead).min(room), room);
        grown
    }

    /// Returns the number of slots if there are `tickets` tickets, and no more holes are listed.
    fn slot_after(&self, tickets: usize) -> usize {
        self.first_fresh.saturating_add(tickets.saturating_sub(self.list.len()))
    }

    fn step(&mut self) -> usize {
        let step = self.step;
        self.step = (2 * step).min(MOST_STEP);
        step
    }

    /// Lists `need` holes and some more, or all that may be filled.
    fn list_holes(&mut self, need: usize) -> Result<(), Error> {
        let end = need.max(self.list.len().saturating_add(self.step()));
        while self.list.len() < end {
            let turn = self.map.holes.turn();
            if self.map.holes.first().is_none() && !self.brings_hole() {
                (self.is_fresh, self.step) = (true, FIRST_STEP);
                // As whenever the map grows.
                self.map.holes.set_near(usize::MAX);
                break;
            }
            // Reserved first, so that a hole that was removed from the map is not lost.
            if let Err(refused) = self.try_reserve_in_list() {
                self.restore_order(turn);
                return if self.list.len() >= need { Ok(()) } else { Err(refused) };
            }
            self.list.extend(self.map.holes.pop());
        }
        Ok(())
    }

    /// In a strict order, returns a hole that was not filled to the others.
    fn restore_order(&mut self, turn: u32) {
        if self.map.holes.order() == Reuse::Recent {
            return;
        }
        if let Some(hole) = self.map.holes.pop() {
            self.map.take_back(hole.index());
        }
        self.map.holes.set_turn(turn);
    }

    fn brings_hole(&mut self) -> bool {
        self.map.holes.count() > 0 && self.map.vacancies().bring_hole()
    }

    fn try_reserve_in_list(&mut self) -> Result<(), Error> {
        if self.list.capacity() == 0 {
            let options = self.map.options_beside(list_bound(&self.map));
            let list = VmVec::try_unreserved(options)?;
            // An assignment would drop the old array first. A child forked in between would find it freed.
            drop(mem::replace(&mut self.list, list));
        }
        self.list.try_reserve(1)
    }

    /// Returns how many slots there can be without taking memory.
    fn room(&self) -> usize {
        let bits = self.removed.len().saturating_mul(8);
        self.map.slots.capacity().min(self.map.holes.bitmap().covered()).min(bits)
    }

    fn try_grow_slots(&mut self, need: usize) -> Result<(), Error> {
        // An array that begins to be served is without memory for a moment. A child forked then could not use it.
        self.map.slots.stay_unserved();
        self.map.grow(need - self.map.slots.len())?;
        self.cover_removed(need)
    }

    /// Ensures that `need` slots have a bit that marks their value as removed, and, if possible, all slots that have
    /// memory.
    pub(crate) fn cover_removed(&mut self, need: usize) -> Result<(), Error> {
        let missing =
            |slots: usize, removed: &VmVec<u8>| slots.div_ceil(8).saturating_sub(removed.len());
        if missing(need, &self.removed) == 0 {
            return Ok(());
        }
        if self.removed.is_empty() {
            let options = self.map.options_beside(removed_bound(&self.map));
            let removed = VmVec::try_unreserved(options)?;
            // As for the list.
            drop(mem::replace(&mut self.removed, removed));
        }
        let preferred = missing(self.map.slots.capacity(), &self.removed);
        if self.removed.try_extend_by_zeros(preferred).is_err() {
            // Memory for all of them was refused. Those that are needed may fit.
            self.removed.try_extend_by_zeros(missing(need, &self.removed))?;
        }
        Ok(())
    }

    /// Makes the pages of the slots of tickets resident, except for holes.
    pub(crate) fn try_prefault(&mut self, tickets: Range<usize>) -> Result<(), Error> {
        let [start, end] = [tickets.start, tickets.end].map(|ticket| self.slot_after(ticket));
        self.map.slots.prefault_within(start, end)
    }

    /// Makes memory after the slots of the first `issued` tickets resident.
    pub(crate) fn prefault_ahead(&mut self, issued: usize, budget: Budget) -> Prefaulted {
        let used = self.slot_after(issued);
        let prefaulted = self.map.slots.prefault_ahead_past(used, budget);
        match self.map.cover_holes() {
            Ok(()) => prefaulted,
            Err(error) => Prefaulted { refused: Some(error), ..prefaulted },
        }
    }

    /// Returns the stats of the map and of this, with `live` values, after `issued` tickets.
    pub(crate) fn stats(&self, live: usize, issued: usize) -> SlotMapStats {
        let map = self.map.stats();
        let memory = map.memory() + self.list.stats() + self.removed.stats();
        SlotMapStats {
            live,
            holes: map.holes + self.list.len().saturating_sub(issued),
            max_len: self.max_len(),
            reserved_bytes: memory.reserved_bytes,
            committed_bytes: memory.committed_bytes,
            resident_bytes: memory.resident_bytes,
            ..map
        }
    }

    /// Ends sharing. Slots of the first `issued` tickets that were filled belong to the map; all others are returned.
    /// Values that other threads have removed are still to be [collected](Self::collect).
    ///
    /// # Safety
    ///
    /// - No ticket from `issued` on was used: nothing was written to its slot.
    /// - No other thread uses the map or its memory until it [begins](Self::begin) to be shared again.
    pub(crate) unsafe fn end(&mut self, issued: usize, unused: UnusedTickets) {
        self.is_shared = false;
        let end = self.slot_after(issued);
        if self.is_fresh {
            // SAFETY: slots from `end` on belong to tickets from `issued` on, which were not used, by the caller's
            // guarantee: they hold nothing.
            unsafe { self.map.slots.retract(end) };
        }
        if unused == UnusedTickets::Anywhere {
            self.recover_holes();
        } else {
            if let Some(next) = self.list.get(issued) {
                self.map.holes.set_turn(next.index());
            }
            for hole in self.list.iter().skip(issued) {
                self.map.take_back(hole.index());
            }
        }
        if unused == UnusedTickets::Some {
            let holes = self.list.iter().take(issued).map(|hole| hole.index());
            for index in holes.chain(indices(self.first_fresh..self.map.slots.len())) {
                if !self.is_removed(index) && !self.map.slots.state(index).is_live() {
                    self.map.take_back(index);
                }
            }
        }
        self.list.clear();
        (self.is_fresh, self.first_fresh) = (false, self.map.slots.len());
    }

    /// Whether the bit of a slot marks its value as removed.
    fn is_removed(&self, index: u32) -> bool {
        self.removed.get(index as usize / 8).is_some_and(|bits| bits >> (index % 8) & 1 == 1)
    }

    /// Marks all holes in the bitmap, including those that are in no list. O(n) in the slots.
    ///
    /// If slots are detached or retired, a hole in no list cannot be distinguished from them, and counts as detached.
    fn recover_holes(&mut self) {
        if self.map.slots.len() == 0 {
            return;
        }
        self.map.holes.bitmap_mut().repair();
        while let Some(hole) = self.map.holes.pop() {
            self.map.holes.mark_again(hole.index());
        }
        for hole in &self.list {
            self.map.holes.mark_again(hole.index());
        }
        let retired = self.map.holes.cold().retired;
        let are_all_holes = self.map.detached + retired == 0;
        let (mut trimmed, mut others) = (0, 0);
        for index in indices(0..self.map.slots.len()) {
            let state = self.map.slots.state(index);
            if state.is_live() || self.is_removed(index) {
                self.map.holes.bitmap_mut().clear(index);
                continue;
            }
            if are_all_holes {
                self.map.holes.mark_again(index);
            }
            let is_hole = self.map.holes.bitmap().contains(index);
            others += usize::from(!is_hole);
            trimmed += usize::from(is_hole && state == State::EMPTY);
        }
        self.map.holes.cold_mut().trimmed = trimmed;
        self.map.detached = others.saturating_sub(retired);
    }

    /// Removes and drops the values that other threads have removed. If a drop panics, the others are dropped
    /// nevertheless.
    ///
    /// # Safety
    ///
    /// - Each slot that has its bit set and is not live was live while the map was shared, with the generation of its
    ///   state. Its value was neither moved nor dropped, and it is not a hole.
    pub(crate) unsafe fn collect(&mut self) {
        let end = self.map.slots.len().div_ceil(8).min(self.removed.len());
        let (map, bits, mut at) = (&mut self.map, &mut self.removed[..end], 0);
        until_done(|| {
            let Some(index) = take_bit(bits, &mut at) else { return false };
            // SAFETY: the bit of the slot was set, so the slot is live, or was, with its value in place, by the
            // caller's guarantee. So it is below the length, from which `end` removes only slots without a value. The
            // bit is cleared now, so the slot comes here once.
            if let Some(generation) = unsafe { map.slots.revive(index) } {
                drop(map.remove_in_order(index, generation));
            }
            true
        });
    }
}

/// Clears the first bit and returns its position. No bit before byte `at` is set.
fn take_bit(bits: &mut [u8], at: &mut usize) -> Option<u32> {
    /// How many bytes are checked at once.
    const RUN: usize = 64;
    let is_unset = |bits: &&[u8]| bits.iter().all(|bits| *bits == 0);
    let unset = bits[*at..].chunks(RUN).take_while(is_unset).count();
    *at = bits.len().min(*at + RUN * unset);
    let (nth, bits) = bits[*at..].iter_mut().enumerate().find(|(_, bits)| **bits != 0)?;
    *at += nth;
    let index = *at * 8 + bits.trailing_zeros() as usize;
    *bits &= *bits - 1;
    u32::try_from(index).ok()
}

impl<K: Key, V> SlotMap<K, V> {
    fn seen_floors(&self) -> SeenFloors {
        let (blocks, beyond) = self.holes.cold().floors.parts();
        SeenFloors { blocks: blocks.as_ptr(), count: blocks.len(), beyond }
    }

    /// Returns the options of an array next to the map that has at most `bound` elements. If the map has a `max_len`,
    /// addresses are reserved for exactly that many.
    fn options_beside(&self, bound: usize) -> Options {
        let Options { max_len, name, .. } = self.slots.options();
        Options { bound, max_len: max_len.map(|_| bound), name, ..Options::DEFAULT.unserved() }
    }

    /// Makes a vacant slot that was not filled a hole again.
    fn take_back(&mut self, index: u32) {
        if self.slots.state(index) == State::EMPTY {
            self.holes.cold_mut().trimmed += 1;
        }
        self.holes.mark(index);
    }
}

fn list_bound<K: Key, V>(map: &SlotMap<K, V>) -> usize {
    map.max_len().max(1)
}

/// Returns the maximum number of bytes of bits.
fn removed_bound<K: Key, V>(map: &SlotMap<K, V>) -> usize {
    map.max_len().div_ceil(8).max(1)
}
