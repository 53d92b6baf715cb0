//! [`Holes`]: the slots that may be filled again, those that are next in front.
//!
//! # The front
//!
//! The holes that are filled next lie in front of the others, with the generation that the next value
//! gets, so that to fill one reads neither its slot nor the bitmap. What is removed goes there first, as
//! long as there is room, and is filled first: its memory is in the cache. All else is in the bitmap,
//! and when no hole is in front, the lowest ones are moved there, a word or two at once.
//!
//! The front is a stack, and the latest hole beside it. Where one value goes and another comes, by turns,
//! the length of the stack does not change: each call would have to wait for the last one's.
//!
//! A hole goes there only if it is near the front of the map, so that values do not stay scattered over
//! more than about twice as many slots. Where the user wants a strict order, none does.
//!
//! # What holds between calls
//!
//! - A hole is either in front, or has its bit; what is no hole is neither.
//! - The bitmap covers all slots of the map, so that whatever is in front can be moved there without a
//!   call for memory.

#![forbid(unsafe_code)]

use super::Reuse;
use super::bitmap::Bitmap;
use crate::error::{Error, ErrorKind};
use crate::vec::VecStats;
use std::mem;

/// A slot to fill: its index, above the last generation that it has had.
///
/// So it is in one word what the key of its last value was, and that of the next is one more. It is not 0
/// if the slot has had a value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Hole(u64);

impl Hole {
    const NONE: Self = Self(0);

    /// There is a generation after the last one.
    #[inline]
    pub(super) const fn after(index: u32, last: u32) -> Self {
        Self((index as u64) << 32 | last as u64)
    }

    #[inline]
    const fn is_none(self) -> bool {
        self.0 == 0
    }

    #[inline]
    pub(super) const fn index(self) -> u32 {
        // Of the same number as the generation, which is all of the next key then.
        ((self.0 + 1) >> 32) as u32
    }

    /// That of the next value.
    #[inline]
    #[expect(clippy::cast_possible_truncation, reason = "it is the lower half")]
    pub(super) const fn generation(self) -> u32 {
        (self.0 + 1) as u32
    }
}

/// The slots below the length that may be filled again.
#[derive(Debug)]
pub(super) struct Holes {
    /// The hole that is next; it has had a value. [`NONE`](Hole::NONE), if it is one on the stack.
    latest: Hole,
    /// Those that are next, the very next one last. Where the order is strict, that which a value comes
    /// into now.
    stack: Vec<Hole>,
    /// What is removed below this goes to the front.
    near: usize,
    order: Reuse,
    /// Under [`Reuse::Rotating`], behind the one that was filled last.
    turn: u32,
    bitmap: Bitmap,
}

impl Holes {
    /// Room on the stack: this at least, since two words of holes come at once,
    const STACK_MIN: usize = 2 * u64::BITS as usize;
    /// and this at most. Measured: churn of 5,000 values a frame among 50,000 takes 1,645 µs with room for 1,
    /// 1,057 for 64, 755 for 4,096, 740 for 16 K and for 64 K.
    const STACK_MAX: usize = 1 << 14;
    /// Between those, one for so many slots.
    const SLOTS_A_PLACE: usize = 2;

    pub(super) const fn new(order: Reuse) -> Self {
        Self {
            latest: Hole::NONE,
            stack: Vec::new(),
            near: 0,
            order,
            turn: 0,
            bitmap: Bitmap::new(),
        }
    }

    #[inline]
    pub(super) const fn order(&self) -> Reuse {
        self.order
    }

    /// Sees to it that slots below `len` can become holes without a call for memory, of `max_len` that
    /// there can ever be.
    pub(super) fn cover(&mut self, len: usize, max_len: usize) -> Result<(), Error> {
        if self.bitmap.covered() == 0 {
            self.bitmap = Bitmap::try_with_max_len(max_len)?;
        }
        self.bitmap.cover(len)?;
        let room = match self.order {
            Reuse::Recent => (len / Self::SLOTS_A_PLACE).clamp(Self::STACK_MIN, Self::STACK_MAX),
            Reuse::Lowest | Reuse::Rotating { .. } => 1,
        };
        if len == 0 || room <= self.stack.capacity() {
            return Ok(());
        }
        let more = room - self.stack.len();
        self.stack
            .try_reserve_exact(more)
            .map_err(|_| Error::new(ErrorKind::Memory, more * size_of::<Hole>()))
    }

    /// Gives back memory for slots from `len` on. There are none in front.
    pub(super) fn uncover(&mut self, len: usize) {
        debug_assert!(self.is_settled(), "what is in front is covered");
        self.bitmap.uncover(len);
    }

    /// How many there are. O(1).
    #[inline]
    pub(super) fn count(&self) -> usize {
        self.stack.len() + self.bitmap.count() + usize::from(!self.latest.is_none())
    }

    /// Those that are not in front.
    #[inline]
    pub(super) const fn bitmap(&self) -> &Bitmap {
        &self.bitmap
    }

    /// The same, to be changed by what leaves nothing in front.
    #[inline]
    pub(super) fn bitmap_mut(&mut self) -> &mut Bitmap {
        &mut self.bitmap
    }

    /// A bit for each slot, set if it is a hole, but for those in front.
    #[inline]
    pub(super) fn words(&self) -> &[u64] {
        self.bitmap.words()
    }

    /// Those that have no bit.
    pub(super) fn front(&self) -> impl Iterator<Item = Hole> {
        self.stack.iter().copied().chain((!self.latest.is_none()).then_some(self.latest))
    }

    /// Whether all holes have their bits.
    #[inline]
    pub(super) fn is_settled(&self) -> bool {
        self.latest.is_none() && self.stack.is_empty()
    }

    /// The hole that is next, if one is in front.
    #[inline]
    pub(super) fn first(&self) -> Option<Hole> {
        if self.latest.is_none() { self.stack.last().copied() } else { Some(self.latest) }
    }

    /// Takes out the hole that is next in front.
    #[inline]
    pub(super) fn pop(&mut self) -> Option<Hole> {
        if self.latest.is_none() {
            self.stack.pop()
        } else {
            Some(mem::replace(&mut self.latest, Hole::NONE))
        }
    }

    /// Puts a slot that has become a hole after a generation in front, if it is near and there is room, and
    /// tells whether it did: else the hole is to be [marked](Self::mark).
    #[inline]
    pub(super) fn push(&mut self, index: u32, last: u32) -> bool {
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
            self.stack.push(hole);
        }
        has_room
    }

    /// Puts a hole in front that was taken out of the bitmap; there is room.
    pub(super) fn put_in_front(&mut self, hole: Hole) {
        debug_assert!(self.stack.len() < self.stack.capacity(), "there is room for two words");
        self.stack.push(hole);
    }

    /// Gives a hole its bit.
    #[inline]
    pub(super) fn mark(&mut self, index: u32) {
        let is_covered = self.bitmap.set(index);
        debug_assert!(is_covered, "all slots are covered");
        // There may be fewer values now, so what is near is to be said anew.
        self.near = 0;
    }

    /// The next of those that are not in front.
    pub(super) fn first_marked(&self) -> Option<u32> {
        match self.order {
            Reuse::Recent | Reuse::Lowest => self.bitmap.first(),
            // Round and round.
            Reuse::Rotating { .. } => {
                self.bitmap.first_at_or_after(self.turn).or_else(|| self.bitmap.first())
            }
        }
    }

    /// Behind which hole to go on, under [`Reuse::Rotating`].
    pub(super) const fn turn(&self) -> u32 {
        self.turn
    }

    pub(super) const fn set_turn(&mut self, index: u32) {
        self.turn = index;
    }

    /// Forgets all, and keeps the memory.
    pub(super) fn clear(&mut self) {
        self.latest = Hole::NONE;
        self.stack.clear();
        self.near = 0;
        self.bitmap.clear_all();
        self.turn = 0;
    }

    /// Says what is near: holes below so many slots. None is, where the order is strict.
    pub(super) const fn set_near(&mut self, slots: usize) {
        self.near = if matches!(self.order, Reuse::Recent) { slots } else { 0 };
    }

    /// Copies that cover the same, of slots of which there can be `max_len`.
    pub(super) fn try_clone(&self, max_len: usize) -> Result<Self, Error> {
        let mut clone = Self::new(self.order);
        clone.bitmap = self.bitmap.try_clone(max_len)?;
        let highest = self.front().map(|hole| hole.index() as usize + 1).max();
        clone.cover(highest.unwrap_or(0).max(clone.bitmap.covered()), max_len)?;
        // There may be room for more here than so many slots need.
        clone
            .stack
            .try_reserve_exact(self.stack.len())
            .map_err(|_| Error::new(ErrorKind::Memory, self.stack.len() * size_of::<Hole>()))?;
        clone.stack.extend_from_slice(&self.stack);
        (clone.latest, clone.turn) = (self.latest, self.turn);
        Ok(clone)
    }

    pub(super) fn stats(&self) -> VecStats {
        self.bitmap.stats()
    }
}
