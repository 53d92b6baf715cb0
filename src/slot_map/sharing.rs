//! [`Sharing`]: a map whose vacant slots are dealt out by numbers, *tickets*, to those who fill them without having the
//! map.
//!
//! It begins and ends by `&mut self`, and in between it only [grows](Sharing::grow): tickets, each of which stands for a
//! slot from then on, come to those that there are. First they stand for holes, in the order in which the map would fill
//! them; when there is none left that may be filled, for slots behind the last one.
//!
//! As long as it is shared, the map's own code looks at no state of a slot that there is a ticket for: holes that were
//! dealt out are none of its holes any more, and slots behind the last one were made vacant before. When it ends, what was
//! not used goes back, and what others have [removed](Baseline) is taken out as the map takes out any other.

#![expect(unsafe_code, reason = "makes slots live that hold values")]

use super::SlotMap;
use super::memory::SlotMapStats;
use crate::error::Error;
use crate::growing::{Budget, Prefaulted};
use crate::key::Key;
use crate::raw_vec::Options;
use crate::slots::array::{Slots, indices};
use crate::slots::holes::Hole;
use crate::slots::key_tag::TypeNumber;
use crate::slots::state::State;
use crate::slots::vacancy::Fresh;
use crate::vec::VmVec;
use std::ops::Range;

/// So many holes are listed at first, or slots made vacant in memory that held others: not all, for what is not used
/// goes back.
const FIRST_STEP: usize = 64;

/// And never more than these at once, nor twice as many as before.
const MOST_STEP: usize = 1 << 14;

/// A map of which others fill slots.
pub(crate) struct Sharing<K: Key, V> {
    map: SlotMap<K, V>,
    /// The holes that the first tickets stand for.
    list: VmVec<Hole>,
    /// A bit for each slot; set by others, before they take a value out that they leave where it is.
    removed: VmVec<u8>,
    /// The slot that the first ticket behind the list stands for.
    first_fresh: usize,
    /// There are tickets, or may be, for slots behind the last one. So no hole is listed any more.
    is_fresh: bool,
    step: usize,
}

/// What is known when sharing begins, and until it ends.
pub(crate) struct Baseline<K> {
    pub(crate) number: TypeNumber<K>,
    /// Values that are there.
    pub(crate) len: usize,
    /// The slot that the first ticket stands for that does not stand for a hole.
    pub(crate) first_fresh: usize,
    floors: SeenFloors,
}

/// Generations above which slots start, of a map that somebody else has.
#[derive(Clone, Copy)]
struct SeenFloors {
    /// Of the first blocks.
    blocks: *const u32,
    count: usize,
    /// Of all behind.
    beyond: u32,
}

// SAFETY: nothing is read through it but by who promises that nobody writes there.
unsafe impl Send for SeenFloors {}
// SAFETY: as above.
unsafe impl Sync for SeenFloors {}

/// The memory that others access without the map, and how far they may.
pub(crate) struct Extent {
    pub(crate) slots: *mut u8,
    /// So many slots may be looked at.
    pub(crate) end: usize,
    pub(crate) removed: *mut u8,
    /// So many slots have a bit there.
    pub(crate) removed_end: usize,
    pub(crate) list: *mut Hole,
    pub(crate) listed: usize,
    pub(crate) capacity: usize,
}

/// Whether there may be tickets that somebody had and did not use.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum UnusedTickets {
    None,
    Some,
    /// Some; and a fork stopped a thread that was listing holes, so that a hole may be in no list, or in two.
    Anywhere,
}

impl<K: Key> Baseline<K> {
    /// What is known of an empty map.
    pub(crate) const NONE: Self = Self {
        number: TypeNumber::NONE,
        len: 0,
        first_fresh: 0,
        floors: SeenFloors { blocks: std::ptr::null(), count: 0, beyond: 0 },
    };

    /// The generation of what comes into a slot, for values of this type, that is no hole.
    ///
    /// # Safety
    ///
    /// - The map that it [began](Sharing::begin) with is there, and is shared yet.
    #[inline]
    pub(crate) unsafe fn fresh_generation<V>(&self, index: usize) -> u32 {
        let block = index / Slots::<V>::BLOCK_SLOTS;
        if block >= self.floors.count {
            return self.floors.beyond + 1;
        }
        // SAFETY: there is one for the block, and the map changes none while it is shared.
        let floor = unsafe { self.floors.blocks.add(block) };
        // SAFETY: as above.
        unsafe { floor.read() + 1 }
    }
}

impl<K: Key, V> Sharing<K, V> {
    /// Not begun.
    pub(crate) const fn new(map: SlotMap<K, V>) -> Self {
        Self {
            map,
            list: VmVec::new(),
            removed: VmVec::new(),
            first_fresh: 0,
            is_fresh: false,
            step: FIRST_STEP,
        }
    }

    /// The map, which is not to be changed as long as it is shared.
    pub(crate) fn map(&mut self) -> &mut SlotMap<K, V> {
        &mut self.map
    }

    /// From now on it is shared, and there is no ticket yet.
    pub(crate) fn begin(&mut self) -> Baseline<K> {
        let Self { map, list, removed, .. } = self;
        map.fresh = Fresh::NONE;
        list.clear();
        if list.options().bound != list_bound(map) {
            *list = VmVec::new();
        }
        if removed.options().bound != removed_bound(map) {
            // It is another map, which may become larger. No bit is set.
            *removed = VmVec::new();
        }
        self.first_fresh = self.map.slots.len();
        (self.is_fresh, self.step) = (false, FIRST_STEP);
        // Whoever removes a value sees to it if it is refused here.
        let _ = self.cover_removed(self.first_fresh);
        Baseline {
            number: self.map.number,
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

    /// Gives memory for the list back. By who has it alone, when there is no ticket.
    pub(crate) fn shrink_list(&mut self) {
        debug_assert_eq!(self.tickets(), 0, "they are in the list");
        self.list.shrink_to_fit();
    }

    /// How many tickets there are.
    pub(crate) fn tickets(&self) -> usize {
        let fresh = if self.is_fresh { self.map.slots.len() - self.first_fresh } else { 0 };
        self.list.len() + fresh
    }

    /// How many slots there can ever be.
    pub(crate) fn max_len(&self) -> usize {
        let slots = self.map.max_len();
        if self.removed.is_empty() {
            slots
        } else {
            slots.min(self.removed.max_len().saturating_mul(8))
        }
    }

    /// Whether there will be no more tickets.
    pub(crate) fn is_at_end(&self) -> bool {
        self.is_fresh && self.map.slots.len() >= self.max_len()
    }

    /// How many tickets there would be if there were all slots.
    pub(crate) fn most_tickets(&self) -> usize {
        self.list.len() + self.max_len().saturating_sub(self.first_fresh)
    }

    /// Sees to it that there are so many tickets, and maybe more. If it is refused, there may be more, too.
    pub(crate) fn try_grow(&mut self, need: usize) -> Result<(), Error> {
        if !self.is_fresh {
            self.list_holes(need)?;
            if self.list.len() >= need {
                return Ok(());
            }
        }
        let need = self.slot_behind(need);
        let grown = if need > self.room() { self.try_grow_slots(need) } else { Ok(()) };
        // What there is, all the same.
        let room = self.room();
        let ahead = self.map.slots.len().saturating_add(self.step());
        self.map.slots.extend_vacant_for_use(need.max(ahead).min(room), room);
        grown
    }

    /// So many slots there are if there are as many tickets, and no hole more is listed.
    fn slot_behind(&self, tickets: usize) -> usize {
        self.first_fresh.saturating_add(tickets.saturating_sub(self.list.len()))
    }

    fn step(&mut self) -> usize {
        let step = self.step;
        self.step = (2 * step).min(MOST_STEP);
        step
    }

    /// Lists holes, until there are so many, and some more; or there are none that may be filled.
    fn list_holes(&mut self, need: usize) -> Result<(), Error> {
        let end = need.max(self.list.len().saturating_add(self.step()));
        while self.list.len() < end {
            if self.map.holes.first().is_none() && !self.brings_hole() {
                (self.is_fresh, self.step) = (true, FIRST_STEP);
                break;
            }
            // First, since a hole that was taken out is to be kept.
            match self.try_reserve_in_list() {
                Ok(()) => self.list.extend(self.map.holes.pop()),
                Err(_) if self.list.len() >= need => break,
                refused => return refused,
            }
        }
        Ok(())
    }

    fn brings_hole(&mut self) -> bool {
        self.map.holes.count() > 0 && self.map.vacancies().bring_hole()
    }

    fn try_reserve_in_list(&mut self) -> Result<(), Error> {
        if self.list.capacity() == 0 {
            let options = self.map.options_beside(list_bound(&self.map));
            self.list = VmVec::try_unreserved(options)?;
        }
        self.list.try_reserve(1)
    }

    /// How many slots there may be without a call for memory.
    fn room(&self) -> usize {
        let bits = self.removed.len().saturating_mul(8);
        self.map.slots.capacity().min(self.map.holes.bitmap().covered()).min(bits)
    }

    fn try_grow_slots(&mut self, need: usize) -> Result<(), Error> {
        self.map.grow(need - self.map.slots.len())?;
        self.cover_removed(need)
    }

    /// Sees to it that so many slots have a bit that says that the value is removed; and all others that there is
    /// memory for, if it can be had.
    pub(crate) fn cover_removed(&mut self, need: usize) -> Result<(), Error> {
        let missing =
            |slots: usize, removed: &VmVec<u8>| slots.div_ceil(8).saturating_sub(removed.len());
        if missing(need, &self.removed) == 0 {
            return Ok(());
        }
        if self.removed.is_empty() {
            let options = self.map.options_beside(removed_bound(&self.map));
            self.removed = VmVec::try_unreserved(options)?;
        }
        let wished = missing(self.map.slots.capacity(), &self.removed);
        if self.removed.try_extend_by_zeros(wished).is_err() {
            // More are not worth that it is refused.
            self.removed.try_extend_by_zeros(missing(need, &self.removed))?;
        }
        Ok(())
    }

    /// The slots that tickets stand for, but for holes.
    fn fresh_of(&self, tickets: Range<usize>) -> Range<usize> {
        self.slot_behind(tickets.start)..self.slot_behind(tickets.end)
    }

    /// Makes pages of slots resident that tickets stand for, but for holes.
    pub(crate) fn try_prefault(&mut self, tickets: Range<usize>) -> Result<(), Error> {
        let Range { start, end } = self.fresh_of(tickets);
        self.map.slots.prefault_within(start, end)
    }

    /// Makes memory behind the first `dealt` tickets resident.
    pub(crate) fn prefault_ahead(&mut self, dealt: usize, budget: Budget) -> Prefaulted {
        let used = self.slot_behind(dealt);
        let prefaulted = self.map.slots.prefault_ahead_behind(used, budget);
        match self.map.cover_holes() {
            Ok(()) => prefaulted,
            Err(error) => Prefaulted { refused: Some(error), ..prefaulted },
        }
    }

    /// What the map takes up, and this; with so many values, where so many tickets were dealt out.
    pub(crate) fn stats(&self, live: usize, dealt: usize) -> SlotMapStats {
        let map = self.map.stats();
        let (list, removed) = (self.list.stats(), self.removed.stats());
        let resident = [map.resident_bytes, list.resident_bytes, removed.resident_bytes];
        SlotMapStats {
            live,
            holes: map.holes + self.list.len().saturating_sub(dealt),
            max_len: self.max_len(),
            reserved_bytes: map.reserved_bytes + list.reserved_bytes + removed.reserved_bytes,
            committed_bytes: map.committed_bytes + list.committed_bytes + removed.committed_bytes,
            resident_bytes: resident.into_iter().sum(),
            ..map
        }
    }

    /// It is shared no more: what of the first `dealt` tickets was filled is in the map, all others go back. But what
    /// others have removed is yet to be [collected](Self::collect).
    ///
    /// # Safety
    ///
    /// - Of tickets behind the first `dealt`, none was used: nothing was written to their slots.
    pub(crate) unsafe fn end(&mut self, dealt: usize, unused: UnusedTickets) {
        let end = self.slot_behind(dealt);
        if self.is_fresh {
            // SAFETY: what is behind belongs to tickets that were not used, by the caller's promise.
            unsafe { self.map.slots.retract(end) };
        }
        if unused == UnusedTickets::Anywhere {
            self.recover_holes();
        } else {
            for hole in self.list.iter().skip(dealt) {
                self.map.take_back(hole.index());
            }
        }
        if unused == UnusedTickets::Some {
            let holes = self.list.iter().take(dealt).map(|hole| hole.index());
            for index in holes.chain(indices(self.first_fresh..self.map.slots.len())) {
                if !self.is_removed(index) && !self.map.slots.state(index).is_live() {
                    self.map.take_back(index);
                }
            }
        }
        self.list.clear();
        (self.is_fresh, self.first_fresh) = (false, self.map.slots.len());
    }

    /// Whether the bit of a slot says that its value is removed.
    fn is_removed(&self, index: u32) -> bool {
        self.removed.get(index as usize / 8).is_some_and(|bits| bits >> (index % 8) & 1 == 1)
    }

    /// Gives every hole its bit, including holes in no list. Linear in the slots.
    ///
    /// If slots are detached or retired, a hole in no list cannot be told from these, and counts as detached.
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

    /// Takes out and drops what others have removed. Should a drop panic, the rest is dropped all the same.
    ///
    /// # Safety
    ///
    /// - Of slots that have their bit, each that is not live was so, with the generation that its state has, when it
    ///   was shared; its value was not moved out, nor dropped, and it is no hole.
    pub(crate) unsafe fn collect(&mut self) {
        struct Collecting<'m, K: Key, V> {
            map: &'m mut SlotMap<K, V>,
            bits: &'m mut [u8],
            /// Before this, none is set.
            at: usize,
        }

        impl<K: Key, V> Collecting<'_, K, V> {
            fn next(&mut self) -> Option<u32> {
                /// So many are looked at at once.
                const RUN: usize = 64;
                let is_unset = |bits: &&[u8]| bits.iter().all(|bits| *bits == 0);
                let unset = self.bits[self.at..].chunks(RUN).take_while(is_unset).count();
                self.at = self.bits.len().min(self.at + RUN * unset);
                let rest = &mut self.bits[self.at..];
                let (nth, bits) = rest.iter_mut().enumerate().find(|(_, bits)| **bits != 0)?;
                self.at += nth;
                let index = self.at * 8 + bits.trailing_zeros() as usize;
                *bits &= *bits - 1;
                u32::try_from(index).ok()
            }

            fn drop_all(&mut self) {
                while let Some(index) = self.next() {
                    // SAFETY: its bit was set, and is not any more, so it comes here once; the rest is what the
                    // caller of `collect` promises.
                    if let Some(generation) = unsafe { self.map.slots.revive(index) } {
                        drop(self.map.remove_in_order(index, generation));
                    }
                }
            }
        }

        impl<K: Key, V> Drop for Collecting<'_, K, V> {
            fn drop(&mut self) {
                self.drop_all();
            }
        }

        let end = self.map.slots.len().div_ceil(8).min(self.removed.len());
        let bits = &mut self.removed[..end];
        Collecting { map: &mut self.map, bits, at: 0 }.drop_all();
    }
}

impl<K: Key, V> SlotMap<K, V> {
    fn seen_floors(&self) -> SeenFloors {
        let (blocks, beyond) = self.holes.cold().floors.parts();
        SeenFloors { blocks: blocks.as_ptr(), count: blocks.len(), beyond }
    }

    /// Options of an array beside the map that never has more elements than that. Where a maximum was named for the map,
    /// it has addresses for as many, and not what can be had by guess.
    fn options_beside(&self, bound: usize) -> Options {
        let named = self.slots.options().max_len;
        Options { bound, max_len: named.map(|_| bound), ..Options::DEFAULT }
    }

    /// Makes a vacant slot a hole that nobody has filled after all.
    fn take_back(&mut self, index: u32) {
        if self.slots.state(index) == State::EMPTY {
            self.holes.cold_mut().trimmed += 1;
        }
        self.holes.mark(index);
    }
}

/// How many holes can ever be listed.
fn list_bound<K: Key, V>(map: &SlotMap<K, V>) -> usize {
    map.max_len().max(1)
}

/// How many bytes of bits there can ever be.
fn removed_bound<K: Key, V>(map: &SlotMap<K, V>) -> usize {
    map.max_len().div_ceil(8).max(1)
}
