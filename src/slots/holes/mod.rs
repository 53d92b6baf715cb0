//! [`Holes`]: the slots that may be filled again, those that are next in front.
//!
//! # The front
//!
//! The holes that are filled next lie in front of the others, with the generation that the next value
//! gets, so that to fill one reads neither its slot nor the bitmap. What is removed goes there first, as
//! long as there is room, and is filled first: its memory is in the cache. All else is in the bitmap,
//! and when no hole is in front, the lowest ones are moved there, a word or two at once.
//!
//! The front is a stack whose top is kept beside it. Where removals and insertions alternate, only that one
//! changes, and no call waits for the length of the stack that the last one wrote.
//!
//! A hole goes there only if it is near the front of the map, so that values do not stay scattered over
//! more than about twice as many slots. Where the user wants a strict order, none does.
//!
//! # What holds between calls
//!
//! - A hole is either in front, or has its bit; what is no hole is neither.
//! - The bitmap covers all slots of the map, so that whatever is in front can be moved there without a
//!   call for memory. (More room in front may take one, and is done without if that is refused.)

#![forbid(unsafe_code)]

#[cfg_attr(not(fuzzing), expect(unreachable_pub, reason = "the fuzz target reaches it"))]
pub(crate) mod bitmap;
mod floors;
mod identity;
pub(crate) mod reuse;
#[cfg(test)]
mod tests;

use self::bitmap::Bitmap;
use self::floors::Floors;
use self::identity::Identity;
use self::reuse::Reuse;
use crate::error::Error;
use crate::heap::{try_boxed, try_reserve_exact};
use crate::slots::any_slots::States;
use crate::slots::cursor::WORD_SLOTS;
use crate::slots::state::State;
use crate::vec::{VecStats, VmVec};
use std::mem;
use std::num::NonZeroU32;

/// A slot to fill: its index, above the last generation that it has had.
///
/// So it is in one word what the key of its last value was, and that of the next is one more. It is not 0
/// if the slot has had a value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Hole(u64);

impl Hole {
    const NONE: Self = Self(0);

    /// There is a generation after the last one.
    #[inline]
    pub(crate) const fn after(index: u32, last: u32) -> Self {
        Self((index as u64) << 32 | last as u64)
    }

    /// Whether this is [`NONE`](Self::NONE), as is the first slot before its first value.
    #[inline]
    pub(crate) const fn is_none(self) -> bool {
        self.0 == 0
    }

    #[inline]
    pub(crate) const fn index(self) -> u32 {
        // Of the same number as the generation, which is all of the next key then.
        ((self.0 + 1) >> 32) as u32
    }

    /// That of the next value.
    #[inline]
    #[expect(clippy::cast_possible_truncation, reason = "it is the lower half")]
    pub(crate) const fn generation(self) -> u32 {
        (self.0 + 1) as u32
    }
}

/// The slots below the length that may be filled again.
#[derive(Debug)]
pub(crate) struct Holes {
    /// The hole that is next; it has had a value. [`NONE`](Hole::NONE), if that is the last on the stack.
    latest: Hole,
    /// Those that are next, the very next one last. Where the order is strict, that which a value comes
    /// into now.
    stack: Vec<Hole>,
    /// What is removed below this goes to the front.
    near: usize,
    /// All else, made with the first memory; [`NOTHING`] before.
    cold: Option<Box<Cold>>,
}

/// What is known of slots without values, and seldom looked at.
#[derive(Debug)]
pub(crate) struct Cold {
    bitmap: Bitmap,
    order: Reuse,
    /// Under [`Reuse::Rotating`], behind the hole that was filled last.
    turn: u32,
    /// Slots below the length that are used up.
    pub(crate) retired: usize,
    /// Holes that are not in front whose state is empty, since their memory was handed back, or never
    /// used.
    pub(crate) trimmed: usize,
    /// How many such holes were in front, at most, since it was empty.
    pub(crate) trimmed_in_front: usize,
    pub(crate) floors: Floors,
    /// Where the next call to [`trim_within`](crate::SlotMap::trim_within) goes on.
    pub(crate) trim_from: usize,
    /// Here, and not in the map itself: through a `&` to what holds an atomic, a loop reads everything anew.
    pub(crate) identity: Identity,
}

static NOTHING: Cold = Cold::new(Reuse::Recent);

impl Cold {
    const fn new(order: Reuse) -> Self {
        Self {
            bitmap: Bitmap::new(),
            order,
            turn: 0,
            retired: 0,
            trimmed: 0,
            trimmed_in_front: 0,
            floors: Floors::NONE,
            trim_from: 0,
            identity: Identity::new(),
        }
    }
}

/// Out of line, for it stands wherever a value goes.
#[cold]
#[inline(never)]
fn no_memory() -> ! {
    unreachable!("it is made with the first memory")
}

impl Holes {
    /// What the stack has room for at first: two words of holes, since that is what comes at once.
    const LEAST_ROOM: usize = 2 * WORD_SLOTS;

    /// How many holes the stack is to have room for, of a map with so many slots. (Of slots in use, not of
    /// committed ones: so the same calls make the same keys.)
    ///
    /// More than that is good for frames that remove many values and then put many in. But a walk over the
    /// map comes to each hole in front unforeseen, for it has no bit. Measured: frames that remove 5,000 of
    /// up to a million values and insert 9,090 take 0.74 to 1.02 of the time that they take with `slotmap`
    /// if there is room for 8,192, 0.97 to 1.11 if for 1,024; a walk over 1,024 slots, of which half are
    /// holes, takes 2.1 ns a value if there is room for 128 of these, 7.3 if for all.
    const fn room_for(slots: usize) -> usize {
        match slots / 32 {
            0..Self::LEAST_ROOM => Self::LEAST_ROOM,
            room @ Self::LEAST_ROOM..=Self::MOST_ROOM => room,
            _ => Self::MOST_ROOM,
        }
    }

    /// What the stack ever has room for.
    const MOST_ROOM: usize = 1 << 13;

    /// None, to be filled in the order that nobody chose.
    pub(crate) const fn new() -> Self {
        Self { latest: Hole::NONE, stack: Vec::new(), near: 0, cold: None }
    }

    /// None, to be filled in an order.
    pub(crate) fn try_in(order: Reuse) -> Result<Self, Error> {
        let mut holes = Self::new();
        if order != Reuse::Recent {
            holes.try_make(order)?;
        }
        Ok(holes)
    }

    fn try_make(&mut self, order: Reuse) -> Result<(), Error> {
        self.cold = Some(try_boxed(Cold::new(order))?);
        Ok(())
    }

    #[inline]
    pub(crate) fn cold(&self) -> &Cold {
        match &self.cold {
            Some(cold) => cold,
            None => &NOTHING,
        }
    }

    /// The same, to be changed: of a map that has memory.
    #[inline]
    pub(crate) fn cold_mut(&mut self) -> &mut Cold {
        match &mut self.cold {
            Some(cold) => cold,
            None => no_memory(),
        }
    }

    /// The same, if it is there.
    pub(crate) fn some_cold_mut(&mut self) -> Option<&mut Cold> {
        self.cold.as_deref_mut()
    }

    /// Whether there is anything to change.
    #[inline]
    const fn has_cold(&self) -> bool {
        self.cold.is_some()
    }

    /// Has [`cold_mut`](Self::cold_mut) be there.
    pub(crate) fn try_cold_mut(&mut self) -> Result<&mut Cold, Error> {
        if self.cold.is_none() {
            self.try_make(Reuse::Recent)?;
        }
        Ok(self.cold_mut())
    }

    #[inline]
    pub(crate) fn order(&self) -> Reuse {
        self.cold().order
    }

    /// Sees to it that slots below `len` can become holes without a call for memory, of `max_len` that
    /// there can ever be.
    pub(crate) fn cover(&mut self, len: usize, max_len: usize) -> Result<(), Error> {
        let cold = self.try_cold_mut()?;
        // Each time: until the slots have a reservation, `max_len` is an estimate.
        cold.bitmap.try_limit(max_len)?;
        let room = match cold.order {
            Reuse::Recent => Self::LEAST_ROOM,
            Reuse::Lowest | Reuse::Rotating { .. } => 1,
        };
        // First, since what is covered may be moved there.
        if len > 0 && room > self.stack.capacity() {
            let more = room - self.stack.len();
            try_reserve_exact(&mut self.stack, more)?;
        }
        self.bitmap_mut().cover(len)
    }

    /// Gives back memory for slots from `len` on. There are none in front.
    pub(crate) fn uncover(&mut self, len: usize) {
        debug_assert!(self.is_settled(), "what is in front is covered");
        if self.has_cold() {
            self.cold_mut().bitmap.uncover(len);
        }
    }

    /// How many there are. O(1).
    #[inline]
    pub(crate) fn count(&self) -> usize {
        self.stack.len() + self.bitmap().count() + usize::from(!self.latest.is_none())
    }

    /// Those that are not in front.
    #[inline]
    pub(crate) fn bitmap(&self) -> &Bitmap {
        &self.cold().bitmap
    }

    /// The same, to be changed by what leaves nothing in front.
    #[inline]
    pub(crate) fn bitmap_mut(&mut self) -> &mut Bitmap {
        &mut self.cold_mut().bitmap
    }

    /// A bit for each slot, set if it is a hole, but for those in front.
    #[inline]
    pub(crate) fn words(&self) -> &[u64] {
        self.bitmap().words()
    }

    /// What [`words`](Self::words) borrows.
    pub(crate) fn into_words(self) -> VmVec<u64> {
        self.cold.map_or(const { Bitmap::new() }, |cold| cold.bitmap).into_words()
    }

    /// Those that have no bit.
    pub(crate) fn front(&self) -> impl Iterator<Item = Hole> {
        self.stack.iter().copied().chain((!self.latest.is_none()).then_some(self.latest))
    }

    /// Whether all holes have their bits.
    #[inline]
    pub(crate) fn is_settled(&self) -> bool {
        self.latest.is_none() && self.stack.is_empty()
    }

    /// The hole that is next, if one is in front.
    #[inline]
    pub(crate) fn first(&self) -> Option<Hole> {
        if self.latest.is_none() { self.stack.last().copied() } else { Some(self.latest) }
    }

    /// Takes out the hole that is next in front.
    #[inline]
    pub(crate) fn pop(&mut self) -> Option<Hole> {
        if self.latest.is_none() {
            self.stack.pop()
        } else {
            Some(mem::replace(&mut self.latest, Hole::NONE))
        }
    }

    /// Puts a slot that has become a hole after a generation in front, if it is near and there is room, and
    /// tells whether it did: else it is to be [set aside](Self::set_aside).
    #[inline]
    pub(crate) fn push(&mut self, index: u32, last: u32) -> bool {
        if index as usize >= self.near {
            return false;
        }
        let hole = Hole::after(index, last);
        if self.latest.is_none() {
            self.latest = hole;
            return true;
        }
        let has_room = self.stack.len() < self.stack.capacity();
        if has_room {
            self.stack.push(mem::replace(&mut self.latest, hole));
        }
        has_room
    }

    /// Finds a place for a hole that [was not](Self::push) put in front, of these slots: there, once the
    /// older ones have gone and what is near was said anew; or it is marked.
    pub(crate) fn set_aside(&mut self, index: u32, last: u32, states: States<'_>) {
        if self.order() == Reuse::Recent {
            if self.stack.len() == self.stack.capacity() && !self.extends_stack(states.len()) {
                self.mark_oldest(self.stack.len().div_ceil(2), states);
            }
            self.set_near(Self::near_of(states.len() - self.count()));
            if self.push(index, last) {
                return;
            }
        }
        self.bitmap_mut().set(index);
    }

    /// Makes more room on the stack, if there is to be more, of so many slots; and if there is memory for it.
    fn extends_stack(&mut self, slots: usize) -> bool {
        let more = Self::room_for(slots).saturating_sub(self.stack.len());
        more > 0 && self.stack.try_reserve_exact(more).is_ok()
    }

    /// Gives so many holes on the stack their bits, those that would be filled last.
    fn mark_oldest(&mut self, count: usize, states: States<'_>) {
        let Self { stack, cold: Some(cold), .. } = self else { return };
        let Cold { bitmap, trimmed, trimmed_in_front, .. } = &mut **cold;
        if *trimmed_in_front > 0 {
            let is_trimmed = |hole: &&Hole| states.at(hole.index()) == State::EMPTY;
            *trimmed += stack[..count].iter().filter(is_trimmed).count();
        }
        bitmap.set_all(stack.drain(..count).map(Hole::index));
    }

    /// Gives all their bits.
    pub(crate) fn settle(&mut self, states: States<'_>) {
        self.mark_oldest(self.stack.len(), states);
        if let Some(hole) = self.pop() {
            self.stack.push(hole);
            self.mark_oldest(1, states);
        }
        self.near = 0;
    }

    /// Below how many slots a hole is near, of a map with so many others.
    pub(crate) const fn near_of(others: usize) -> usize {
        2 * others + 2 * WORD_SLOTS
    }

    /// Puts a hole in front that was taken out of the bitmap; there is room.
    pub(crate) fn put_in_front(&mut self, hole: Hole) {
        debug_assert!(self.stack.len() < self.stack.capacity(), "there is room for two words");
        self.stack.push(hole);
    }

    /// Gives a hole its bit.
    #[inline]
    pub(crate) fn mark(&mut self, index: u32) {
        let is_covered = self.bitmap_mut().set(index);
        debug_assert!(is_covered, "all slots are covered");
        // There may be fewer values now, so what is near is to be said anew.
        self.near = 0;
    }

    /// Gives a hole its bit, if it has none.
    pub(crate) fn mark_again(&mut self, index: u32) {
        if !self.bitmap().contains(index) {
            self.mark(index);
        }
    }

    /// The next of those that are not in front.
    pub(crate) fn first_marked(&self) -> Option<u32> {
        let Cold { bitmap, order, turn, .. } = self.cold();
        match order {
            Reuse::Recent | Reuse::Lowest => bitmap.first(),
            // Round and round.
            Reuse::Rotating { .. } => bitmap.first_at_or_after(*turn).or_else(|| bitmap.first()),
        }
    }

    /// Behind which hole to go on, under [`Reuse::Rotating`].
    pub(crate) fn turn(&self) -> u32 {
        self.cold().turn
    }

    pub(crate) fn set_turn(&mut self, index: u32) {
        self.cold_mut().turn = index;
    }

    /// Forgets all, and keeps the memory.
    #[inline(never)]
    pub(crate) fn clear(&mut self) {
        self.latest = Hole::NONE;
        self.stack.clear();
        self.near = 0;
        if self.has_cold() {
            let Cold { bitmap, turn, trimmed, trimmed_in_front, .. } = self.cold_mut();
            bitmap.clear_all();
            (*turn, *trimmed, *trimmed_in_front) = (0, 0, 0);
        }
    }

    /// The number of the map.
    pub(crate) fn identity(&self) -> NonZeroU32 {
        match &self.cold {
            Some(cold) => cold.identity.get(),
            None => Identity::fresh(),
        }
    }

    /// Forgets which generations there were, and that there was this map.
    pub(crate) fn forget(&mut self) {
        if self.has_cold() {
            let Cold { floors, retired, identity, .. } = self.cold_mut();
            floors.set_all(0);
            *retired = 0;
            *identity = Identity::new();
        }
    }

    pub(crate) fn set_trim_from(&mut self, slot: usize) {
        if self.has_cold() {
            self.cold_mut().trim_from = slot;
        }
    }

    /// Which holes are in front: those on the stack, and the one that is filled before them; how many the
    /// stack has room for, and below which slot a hole is near.
    #[cfg(any(feature = "serde", feature = "file"))]
    pub(crate) fn front_parts(&self) -> (&[Hole], Option<Hole>, usize, usize) {
        let latest = (!self.latest.is_none()).then_some(self.latest);
        (&self.stack, latest, self.stack.capacity(), self.near)
    }

    /// Sets the order in which holes are filled, of a map without holes in front.
    #[cfg(any(feature = "serde", feature = "file"))]
    pub(crate) fn try_set_order(&mut self, order: Reuse) -> Result<(), Error> {
        debug_assert!(self.is_settled(), "none is in front where the order is strict");
        self.try_cold_mut()?.order = order;
        Ok(())
    }

    /// Makes room on the stack for `room` holes in all, at most [`MOST_ROOM`](Self::MOST_ROOM).
    #[cfg(any(feature = "serde", feature = "file"))]
    pub(crate) fn try_reserve_in_front(&mut self, room: usize) -> Result<(), Error> {
        let more = room.min(Self::MOST_ROOM).saturating_sub(self.stack.len());
        try_reserve_exact(&mut self.stack, more)
    }

    /// Sets the hole that is filled before all others; it has had a value, and its bit is cleared.
    #[cfg(any(feature = "serde", feature = "file"))]
    pub(crate) fn set_latest(&mut self, hole: Hole) {
        self.latest = hole;
    }

    /// Takes note that a slot is used up.
    pub(crate) fn retire(&mut self, index: u32) {
        let Cold { floors, retired, .. } = self.cold_mut();
        *retired += 1;
        floors.forget_read(index);
    }

    /// So many holes less have no memory.
    pub(crate) fn untrim(&mut self, holes: usize) {
        let trimmed = &mut self.cold_mut().trimmed;
        *trimmed = trimmed.saturating_sub(holes);
    }

    /// Says what is near: holes below so many slots. None is, where the order is strict.
    pub(crate) fn set_near(&mut self, slots: usize) {
        self.near = if self.order() == Reuse::Recent { slots } else { 0 };
    }

    /// Copies that cover the same, of slots of which there can be `max_len`.
    pub(crate) fn try_clone(&self, max_len: usize) -> Result<Self, Error> {
        let mut clone = Self { latest: self.latest, near: self.near, ..Self::new() };
        let Some(cold) = self.cold.as_deref() else { return Ok(clone) };
        clone.cold = Some(try_boxed(Cold {
            bitmap: cold.bitmap.try_clone(max_len)?,
            floors: cold.floors.try_clone()?,
            identity: Identity::new(),
            ..*cold
        })?);
        let highest = self.front().map(|hole| hole.index() as usize + 1).max();
        clone.cover(highest.unwrap_or(0).max(clone.bitmap().covered()), max_len)?;
        // As much as here, so that what is removed later goes to the front there, too, if it does here.
        let room = self.stack.capacity();
        try_reserve_exact(&mut clone.stack, room)?;
        clone.stack.extend_from_slice(&self.stack);
        Ok(clone)
    }

    pub(crate) fn stats(&self) -> VecStats {
        self.bitmap().stats()
    }
}
