//! [`Holes`]: the slots that later values can fill.
//!
//! # The front
//!
//! Recently freed slots are kept on a small LIFO stack, *in front* of the others, together with the generation that
//! their next value gets. So reusing one reads neither the slot nor the bitmap, and touches memory that is still in the
//! cache. All other holes are recorded in the bitmap. When the stack is empty, it is refilled from the lowest one or
//! two words of the bitmap.
//!
//! The top of the stack is kept in a field of its own. If removals and insertions alternate, only that field changes,
//! and no call waits for the stack length that the previous call has written.
//!
//! A hole goes to the front only if it is *near*, that is, among the first slots of the map, about twice as many as
//! there are values. Otherwise values would stay scattered. If the user has chosen a strict order, no hole goes to the
//! front.
//!
//! # What holds between calls
//!
//! - A hole is either in front or marked in the bitmap, and no other slot is.
//! - The bitmap covers all slots of the map, so that holes in front can be moved there without taking memory. (More
//!   room in front may take memory. If that is refused, the stack stays as it is.)

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
use self::identity::MapId;
use self::reuse::Reuse;
use crate::error::Error;
use crate::heap::{try_boxed, try_reserve_exact};
use crate::slots::any_slots::States;
use crate::slots::cursor::{HoleBits, Picked, WORD_SLOTS};
use crate::slots::state::State;
use crate::slots::words::Words;
use crate::vec::VecStats;
use std::mem;
use std::num::NonZeroU32;

/// A slot to fill: its index in the upper half, and the last generation that it has had in the lower.
///
/// This is the key of its last value as one number, and that of the next value is one more. It is not 0 if the slot has
/// had a value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Hole(u64);

impl Hole {
    const NONE: Self = Self(0);

    /// There must be a generation after `last`.
    #[inline]
    pub(crate) const fn after(index: u32, last: u32) -> Self {
        Self((index as u64) << 32 | last as u64)
    }

    /// Whether this is [`NONE`](Self::NONE), which is also the first slot before its first value.
    #[inline]
    pub(crate) const fn is_none(self) -> bool {
        self.0 == 0
    }

    #[inline]
    pub(crate) const fn index(self) -> u32 {
        // Taken from the same sum as the generation, so that the compiler computes the next key once.
        ((self.0 + 1) >> 32) as u32
    }

    /// Returns the generation of the next value.
    #[inline]
    #[expect(clippy::cast_possible_truncation, reason = "it is the lower half")]
    pub(crate) const fn generation(self) -> u32 {
        (self.0 + 1) as u32
    }
}

/// The slots below the length that later values can fill.
#[derive(Debug)]
pub(crate) struct Holes {
    /// The hole that is filled next, which has had a value; [`NONE`](Hole::NONE) if that is the last one on the stack.
    latest: Hole,
    /// The holes after that, the next one last. In a strict order, only the hole that is being filled.
    stack: Vec<Hole>,
    /// A hole goes to the front if its index is below this.
    near: usize,
    /// All else, allocated with the first memory; [`NOTHING`] before.
    cold: Option<Box<Cold>>,
}

/// What is rarely accessed.
#[derive(Debug)]
pub(crate) struct Cold {
    bitmap: Bitmap,
    order: Reuse,
    /// Under [`Reuse::Rotating`], the index after the hole that was filled last.
    turn: u32,
    /// The number of retired slots.
    pub(crate) retired: usize,
    /// How many holes that are not in front have an empty state, since their memory was returned or never used.
    pub(crate) trimmed: usize,
    /// An upper bound of how many such holes were in front since the front was empty.
    pub(crate) trimmed_in_front: usize,
    pub(crate) floors: Floors,
    /// Where the next call of [`trim_within`](crate::SlotMap::trim_within) continues.
    pub(crate) trim_from: usize,
    /// Not in the map itself: through a `&` to data that contains an atomic, a loop reads all fields again each time.
    pub(crate) identity: MapId,
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
            identity: MapId::new(),
        }
    }

    /// Marks holes of the stack in the bitmap.
    fn mark<'h>(&mut self, holes: impl Iterator<Item = &'h Hole> + Clone, states: States<'_>) {
        if self.trimmed_in_front > 0 {
            let is_trimmed = |hole: &&Hole| states.at(hole.index()) == State::EMPTY;
            self.trimmed += holes.clone().filter(is_trimmed).count();
        }
        self.bitmap.set_all(holes.map(|hole| hole.index()));
    }
}

/// Out of line, to keep the code of every insertion and removal small.
#[cold]
#[inline(never)]
fn no_memory() -> ! {
    unreachable!("it is allocated with the first memory")
}

impl Holes {
    /// The room on the stack at first: for two words of holes, which may be moved there at once.
    const LEAST_ROOM: usize = 2 * WORD_SLOTS;

    /// The most room that the stack ever has, for frames that remove many values and then insert many. Such frames of
    /// 5,000 of up to a million values and 9,090 take 0.74 to 1.02 of `slotmap`'s time with room for 8,192, and 0.97 to
    /// 1.11 with room for 1,024.
    const MOST_ROOM: usize = 1 << 13;

    /// Returns how many holes the stack may have room for in a map with `slots` slots. These are the slots in use, not
    /// the committed ones, so that the same calls make the same keys.
    ///
    /// Removing all of 4,096 values in random order takes 0.6 of the time with room for all of them instead of 128. But
    /// with 65,536 values, it takes 1.4 times as long with room for 8,192 as with room for 2,048.
    fn room_for(slots: usize) -> usize {
        if slots <= Self::MOST_ROOM {
            slots
        } else {
            (slots / 32).clamp(Self::MOST_ROOM / 4, Self::MOST_ROOM)
        }
    }

    /// Creates an empty set of holes, to be filled in the default order.
    pub(crate) const fn new() -> Self {
        Self { latest: Hole::NONE, stack: Vec::new(), near: 0, cold: None }
    }

    /// Creates an empty set of holes, to be filled in an order.
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

    /// [`cold`](Self::cold), as a mutable reference. The map must have memory.
    #[inline]
    pub(crate) fn cold_mut(&mut self) -> &mut Cold {
        match &mut self.cold {
            Some(cold) => cold,
            None => no_memory(),
        }
    }

    /// [`cold_mut`](Self::cold_mut), if it exists.
    pub(crate) fn some_cold_mut(&mut self) -> Option<&mut Cold> {
        self.cold.as_deref_mut()
    }

    /// [`cold_mut`](Self::cold_mut), which is allocated if it does not exist.
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

    /// Ensures that slots below `len`, of at most `max_len`, can become holes without taking memory.
    pub(crate) fn cover(&mut self, len: usize, max_len: usize) -> Result<(), Error> {
        let cold = self.try_cold_mut()?;
        // Each time, since `max_len` is an estimate until the slots have a reservation.
        cold.bitmap.limit(max_len);
        let room = match cold.order {
            Reuse::Recent => Self::LEAST_ROOM,
            Reuse::Lowest | Reuse::Rotating { .. } => 1,
        };
        // Reserved first, since holes that the bitmap covers may be moved there.
        if len > 0 && room > self.stack.capacity() {
            let more = room - self.stack.len();
            try_reserve_exact(&mut self.stack, more)?;
        }
        self.bitmap_mut().cover(len)
    }

    /// Returns the memory for slots from `len` on. No hole is in front.
    pub(crate) fn uncover(&mut self, len: usize) {
        debug_assert!(self.is_settled(), "holes in front must stay covered");
        if let Some(cold) = self.some_cold_mut() {
            cold.bitmap.uncover(len);
        }
    }

    #[inline]
    pub(crate) fn count(&self) -> usize {
        self.stack.len() + self.bitmap().count() + usize::from(!self.latest.is_none())
    }

    /// Returns the holes that are not in front.
    #[inline]
    pub(crate) fn bitmap(&self) -> &Bitmap {
        &self.cold().bitmap
    }

    /// [`bitmap`](Self::bitmap), for callers that leave no hole in front.
    #[inline]
    pub(crate) fn bitmap_mut(&mut self) -> &mut Bitmap {
        &mut self.cold_mut().bitmap
    }

    /// Returns a bit for each slot, which is set if the slot is a hole that is not in front.
    #[inline]
    pub(crate) fn words(&self) -> HoleBits<'_> {
        self.bitmap().bits()
    }

    /// [`words`](Self::words), for visiting the values of a map with `slots` slots.
    pub(crate) fn words_of(&self, slots: usize) -> HoleBits<'_> {
        HoleBits { lack_bits: self.stack.len() > slots / Self::MANY_LACK_BITS, ..self.words() }
    }

    /// If more than one hole in this many slots has no bit, a `for` loop reads the states of 64 slots at a time, to leave
    /// those out. (`fold` does not: the compiler often makes do without a branch for each slot.)
    const MANY_LACK_BITS: usize = 8;

    /// Returns the [`words`](Self::words) by value.
    pub(crate) fn into_words(self) -> Words {
        self.cold.map_or(const { Bitmap::new() }, |cold| cold.bitmap).into_words()
    }

    /// Returns the holes that are in front, and so have no bit.
    pub(crate) fn front(&self) -> impl Iterator<Item = Hole> {
        self.stack.iter().copied().chain((!self.latest.is_none()).then_some(self.latest))
    }

    /// Whether a slot is a hole. O(n) in the holes in front.
    pub(crate) fn contains(&self, index: u32) -> bool {
        self.bitmap().contains(index) || self.front().any(|hole| hole.index() == index)
    }

    /// Whether searching the holes in front takes long.
    pub(crate) fn are_many_in_front(&self) -> bool {
        self.stack.len() > WORD_SLOTS
    }

    /// Whether no hole is in front.
    #[inline]
    pub(crate) fn is_settled(&self) -> bool {
        self.latest.is_none() && self.stack.is_empty()
    }

    /// Returns the hole in front that is filled next.
    #[inline]
    pub(crate) fn first(&self) -> Option<Hole> {
        if self.latest.is_none() { self.stack.last().copied() } else { Some(self.latest) }
    }

    /// Removes the hole in front that is filled next.
    #[inline]
    pub(crate) fn pop(&mut self) -> Option<Hole> {
        if self.latest.is_none() {
            self.stack.pop()
        } else {
            Some(mem::replace(&mut self.latest, Hole::NONE))
        }
    }

    /// Puts a new hole in front, if it is near and there is room, and returns whether it did. If not, the caller must
    /// [set it aside](Self::set_aside). `last` is the last generation of the slot.
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

    /// Records a hole that could not be [pushed](Self::push): in front, after the oldest holes there were marked and
    /// the limit for near ones was renewed, or in the bitmap.
    pub(crate) fn set_aside(&mut self, index: u32, last: u32, states: States<'_>) {
        if self.order() == Reuse::Recent {
            let near = Self::near_of(states.len() - self.count());
            if self.stack.len() == self.stack.capacity() || self.stack.len() > near {
                self.mark_some(near, states);
            }
            self.set_near(near);
            if self.push(index, last) {
                return;
            }
        }
        self.bitmap_mut().set(index);
    }

    /// Marks all holes on the stack if there are more than slots that are near. Iteration would visit the others, too,
    /// since they have no bit. Otherwise makes room for another hole.
    #[cold]
    #[inline(never)]
    fn mark_some(&mut self, near: usize, states: States<'_>) {
        let len = self.stack.len();
        if len > near {
            self.mark_oldest(len, states);
        } else if len == self.stack.capacity() && !self.extends_stack(near, states.len()) {
            self.mark_oldest(len.div_ceil(2), states);
        }
    }

    /// Makes more room on a full stack, if it has less than a map with `slots` slots is to have, and memory is
    /// available. For about half as many holes as there are values, so that it is full again when those have halved.
    fn extends_stack(&mut self, near: usize, slots: usize) -> bool {
        let len = self.stack.len();
        let room = Self::room_for(slots).min(2 * len).min(len + near / 4);
        room > len && self.stack.try_reserve_exact(room - len).is_ok()
    }

    /// Moves the holes on the stack that would be filled last, `count` of them, to the bitmap.
    fn mark_oldest(&mut self, count: usize, states: States<'_>) {
        let Self { stack, cold: Some(cold), .. } = self else { return };
        cold.mark(stack[..count].iter(), states);
        stack.drain(..count);
    }

    /// Moves all holes in front to the bitmap.
    pub(crate) fn settle(&mut self, states: States<'_>) {
        self.mark_oldest(self.stack.len(), states);
        if let Some(hole) = self.pop() {
            self.stack.push(hole);
            self.mark_oldest(1, states);
        }
        self.near = 0;
    }

    /// Returns below which index a hole is near, in a map with `others` slots that are not holes.
    pub(crate) const fn near_of(others: usize) -> usize {
        2 * others + 2 * WORD_SLOTS
    }

    /// Puts a hole in front that was removed from the bitmap. There must be room.
    pub(crate) fn put_in_front(&mut self, hole: Hole) {
        debug_assert!(self.stack.len() < self.stack.capacity(), "the stack has room for two words");
        self.stack.push(hole);
    }

    /// Marks a hole in the bitmap.
    #[inline]
    pub(crate) fn mark(&mut self, index: u32) {
        let is_covered = self.bitmap_mut().set(index);
        debug_assert!(is_covered, "all slots are covered");
        // There may be fewer values now, so the limit for near holes is renewed before the next hole goes to the front.
        self.near = 0;
    }

    /// Marks the picked slots in the bitmap, all at once.
    #[inline]
    pub(crate) fn mark_picked(&mut self, picked: Picked) {
        let (word, bits) = picked.word();
        self.bitmap_mut().set_in_word(word, bits);
        // As above.
        self.near = 0;
    }

    /// Removes the mark of a slot that is not a hole after all.
    #[cold]
    pub(crate) fn unmark(&mut self, index: u32) {
        self.bitmap_mut().clear(index);
    }

    /// Marks a hole in the bitmap, if it is not marked.
    pub(crate) fn mark_again(&mut self, index: u32) {
        if !self.bitmap().contains(index) {
            self.mark(index);
        }
    }

    /// Returns the next of the holes that are not in front.
    pub(crate) fn first_marked(&self) -> Option<u32> {
        let Cold { bitmap, order, turn, .. } = self.cold();
        match order {
            Reuse::Recent | Reuse::Lowest => bitmap.first(),
            // Starts again at the front after the last one.
            Reuse::Rotating { .. } => bitmap.first_at_or_after(*turn).or_else(|| bitmap.first()),
        }
    }

    /// Under [`Reuse::Rotating`], returns the index from which on the next hole is searched.
    pub(crate) fn turn(&self) -> u32 {
        self.cold().turn
    }

    pub(crate) fn set_turn(&mut self, index: u32) {
        self.cold_mut().turn = index;
    }

    /// Removes all holes, and keeps the memory.
    #[inline(never)]
    pub(crate) fn clear(&mut self) {
        self.latest = Hole::NONE;
        self.stack.clear();
        self.near = 0;
        if let Some(cold) = self.some_cold_mut() {
            cold.bitmap.clear_all();
            (cold.turn, cold.trimmed, cold.trimmed_in_front) = (0, 0, 0);
        }
    }

    /// Returns the number by which weak pointers recognize the map.
    pub(crate) fn identity(&self) -> NonZeroU32 {
        match &self.cold {
            Some(cold) => cold.identity.get(),
            None => MapId::fresh(),
        }
    }

    /// Forgets all generations, and takes a new identity.
    pub(crate) fn forget(&mut self) {
        if let Some(cold) = self.some_cold_mut() {
            cold.floors.set_all(0);
            cold.retired = 0;
            cold.identity = MapId::new();
        }
    }

    pub(crate) fn set_trim_from(&mut self, slot: usize) {
        if let Some(cold) = self.some_cold_mut() {
            cold.trim_from = slot;
        }
    }

    /// Returns the holes on the stack, the one that is filled before them, how many the stack has room for, and below
    /// which index a hole is near.
    #[cfg(any(feature = "serde", feature = "file"))]
    pub(crate) fn front_parts(&self) -> (&[Hole], Option<Hole>, usize, usize) {
        let latest = (!self.latest.is_none()).then_some(self.latest);
        (&self.stack, latest, self.stack.capacity(), self.near)
    }

    /// Sets the order in which holes are filled. No hole may be in front.
    #[cfg(any(feature = "serde", feature = "file"))]
    pub(crate) fn try_set_order(&mut self, order: Reuse) -> Result<(), Error> {
        debug_assert!(self.is_settled(), "a strict order has no hole in front");
        self.try_cold_mut()?.order = order;
        Ok(())
    }

    /// Makes room on the stack for `room` holes in all, at most [`MOST_ROOM`](Self::MOST_ROOM).
    #[cfg(any(feature = "serde", feature = "file"))]
    pub(crate) fn try_reserve_in_front(&mut self, room: usize) -> Result<(), Error> {
        let more = room.min(Self::MOST_ROOM).saturating_sub(self.stack.len());
        try_reserve_exact(&mut self.stack, more)
    }

    /// Sets the hole that is filled before all others. It has had a value, and its bit is cleared.
    #[cfg(any(feature = "serde", feature = "file"))]
    pub(crate) fn set_latest(&mut self, hole: Hole) {
        self.latest = hole;
    }

    pub(crate) fn retire(&mut self, index: u32) {
        let Cold { floors, retired, .. } = self.cold_mut();
        *retired += 1;
        floors.forget_read(index);
    }

    /// Records that `holes` holes no longer lack memory.
    pub(crate) fn untrim(&mut self, holes: usize) {
        let trimmed = &mut self.cold_mut().trimmed;
        *trimmed = trimmed.saturating_sub(holes);
    }

    /// Sets below which index a hole is near. In a strict order, none is.
    pub(crate) fn set_near(&mut self, slots: usize) {
        self.near = if self.order() == Reuse::Recent { slots } else { 0 };
    }

    /// Returns a copy that covers slots below `len`, all holes among them, of which there can be `max_len`.
    pub(crate) fn try_clone(&self, len: usize, max_len: usize) -> Result<Self, Error> {
        let mut clone = Self { latest: self.latest, near: self.near, ..Self::new() };
        // As much room as the original, so that a hole goes to the front of the clone if it does so here.
        try_reserve_exact(&mut clone.stack, self.stack.capacity())?;
        clone.stack.extend_from_slice(&self.stack);
        if let Some(cold) = self.cold.as_deref() {
            clone.cold = Some(try_boxed(Cold {
                bitmap: cold.bitmap.try_clone(len, max_len)?,
                floors: cold.floors.try_clone()?,
                identity: MapId::new(),
                ..*cold
            })?);
        }
        Ok(clone)
    }

    pub(crate) fn stats(&self) -> VecStats {
        self.bitmap().stats()
    }
}
