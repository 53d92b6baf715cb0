//! [`GappedSlots`]: slots, and a bit for each that says where there is nothing to go to.

// Between calls each slot that is live has its bit cleared, and each other one has it set, as have the
// bits behind the last slot. Nothing but what is gone over rests on that: whether there is a value is
// asked of the slot.

#![forbid(unsafe_code)]

use super::array::Slots;
use super::cursor::{Cursor, WORD_SLOTS};
use super::disjoint::DisjointError;
use super::state::Vacant;
use super::walk::join::{LookMut, LookRef};
use super::walk::{WalkMut, WalkOwned, WalkRef};
use crate::backing::Backing;
use crate::error::{Error, Refused};
use crate::growing::{Budget, Prefaulted, Purse};
use crate::raw_vec::Options;
use crate::vec::{VecStats, VmVec};
use std::ops::Deref;

#[cfg(test)]
mod tests;

/// [`Slots`] that are gone over past their gaps, without a look at each. What changes no slot is to be
/// had from those.
pub(crate) struct GappedSlots<V> {
    slots: Slots<V>,
    gaps: VmVec<u64>,
}

impl<V> GappedSlots<V> {
    pub(crate) const fn new(options: &'static Options) -> Self {
        Self::over(Slots::new(options))
    }

    const fn over(slots: Slots<V>) -> Self {
        Self { slots, gaps: VmVec::with_options(&Options::INTERNAL) }
    }

    /// See [`Slots::try_new`].
    pub(crate) fn try_new(options: Options, capacity: usize) -> Result<Self, Error> {
        let mut slots = Self::over(Slots::try_new(options, capacity)?);
        slots.cover()?;
        Ok(slots)
    }

    /// See [`Slots::try_new_in`]. The bits are not in the backing.
    pub(crate) fn try_new_in<B: Backing>(
        backing: B,
        options: Options,
        capacity: usize,
    ) -> Result<Self, Refused<B>> {
        let slots = Slots::try_new_in(backing, options, capacity)?;
        let mut slots = Self::over(slots);
        match slots.cover() {
            Ok(()) => Ok(slots),
            Err(error) => Err(Refused { error, value: slots.slots.into_backing() }),
        }
    }

    #[inline]
    pub(crate) const fn capacity(&self) -> usize {
        self.slots.capacity()
    }

    /// What the slots and the bits take up.
    pub(crate) fn stats(&self) -> VecStats {
        let (slots, gaps) = (self.slots.stats(), self.gaps.stats());
        VecStats {
            reserved_bytes: slots.reserved_bytes + gaps.reserved_bytes,
            committed_bytes: slots.committed_bytes + gaps.committed_bytes,
            resident_bytes: slots
                .resident_bytes
                .zip(gaps.resident_bytes)
                .map(|(slots, gaps)| slots + gaps),
            ..slots
        }
    }

    /// Makes room for the bits of as many slots as there is room for.
    fn cover(&mut self) -> Result<(), Error> {
        let Some(more) = words_of(self.slots.capacity()).checked_sub(self.gaps.len()) else {
            return Ok(());
        };
        if more > 0 && self.gaps.capacity() == 0 {
            // Now it is known how many slots there can ever be.
            let max_len = Some(words_of(self.slots.max_len()));
            self.gaps = VmVec::try_unreserved(Options { max_len, ..Options::INTERNAL })?;
        }
        // As in `Bitmap::cover`.
        let holder = self.slots.options().holder;
        self.gaps.try_reserve(more).map_err(|error| error.of_request().of(holder))
    }

    pub(crate) fn try_reserve(&mut self, additional: usize) -> Result<(), Error> {
        self.slots.try_reserve(additional)?;
        self.cover()
    }

    pub(crate) fn try_reserve_exact(&mut self, additional: usize) -> Result<(), Error> {
        self.slots.try_reserve_exact(additional)?;
        self.cover()
    }

    pub(crate) fn try_prefault(&mut self, additional: usize) -> Result<(), Error> {
        self.slots.try_prefault(additional)
    }

    pub(crate) fn prefault_ahead(&mut self, budget: Budget) -> Prefaulted {
        let prefaulted = self.slots.prefault_ahead(budget);
        match self.cover() {
            Ok(()) => prefaulted,
            Err(error) => Prefaulted { refused: Some(error), ..prefaulted },
        }
    }

    /// Adds vacant slots. No slot has changed if memory is refused.
    pub(crate) fn extend_vacant(&mut self, additional: usize) -> Result<(), Error> {
        self.slots.try_reserve(additional)?;
        let words = words_of(self.slots.len() + additional);
        if words > self.gaps.len() {
            self.cover()?;
            self.gaps.try_resize(words, u64::MAX)?;
        }
        self.slots.extend_vacant(additional)
    }

    /// Whether there is room at hand for one more.
    #[inline]
    pub(crate) fn has_room(&self) -> bool {
        let len = self.slots.len();
        len < self.slots.capacity() && len < self.gaps.len() * WORD_SLOTS
    }

    /// Adds a slot with a value, for which there [is room](Self::has_room).
    #[inline]
    pub(crate) fn push(&mut self, generation: u32, value: V) {
        debug_assert!(self.has_room(), "a bit would be missing");
        let len = self.slots.len();
        self.slots.push_within_capacity(generation, value);
        if let Some(word) = self.gaps.get_mut(len / WORD_SLOTS) {
            *word &= !(1 << (len % WORD_SLOTS));
        }
    }

    /// See [`Slots::fill`].
    #[inline]
    pub(crate) fn fill(&mut self, index: u32, generation: u32, value: V) {
        self.slots.fill(index, generation, value);
        let (word, bit) = place_of(index);
        if let Some(word) = self.gaps.get_mut(word) {
            *word &= !bit;
        }
    }

    /// Moves the value of a generation out, and leaves the slot empty.
    #[inline]
    pub(crate) fn take(&mut self, index: u32, generation: u32) -> Option<V> {
        let Self { slots, gaps } = self;
        slots.take_with(index, generation, |_, _| {
            let (word, bit) = place_of(index);
            if let Some(word) = gaps.get_mut(word) {
                *word |= bit;
            }
            Vacant::EMPTY
        })
    }

    /// See [`Slots::truncate`].
    pub(crate) fn truncate(&mut self, len: usize) {
        self.slots.truncate(len);
        self.gaps.truncate(words_of(len));
        if let (Some(last), rest @ 1..) = (self.gaps.last_mut(), len % WORD_SLOTS) {
            *last |= u64::MAX << rest;
        }
    }

    /// Forgets the slots behind the last value, and gives memory back; see [`Slots::shrink`].
    pub(crate) fn shrink(&mut self, purse: &mut Purse) -> Result<bool, Error> {
        let last = self.candidates().next_back(&self.gaps);
        self.truncate(last.map_or(0, |index| index as usize + 1));
        let result = self.slots.shrink(purse);
        self.gaps.shrink_to(words_of(self.slots.capacity()));
        result
    }

    #[inline]
    pub(crate) fn at_index_mut(&mut self, index: u32) -> Option<(u32, &mut V)> {
        self.slots.at_index_mut(index)
    }

    #[inline]
    pub(crate) fn get_mut(&mut self, index: u32, generation: u32) -> Option<&mut V> {
        self.slots.get_mut(index, generation)
    }

    pub(crate) fn get_disjoint_mut<const N: usize>(
        &mut self,
        keys: [(u32, u32); N],
    ) -> Result<[&mut V; N], DisjointError> {
        self.slots.get_disjoint_mut(keys)
    }

    /// Indices to visit, but for gaps.
    pub(crate) fn candidates(&self) -> Cursor {
        Cursor::new(self.slots.len())
    }

    pub(crate) fn gaps(&self) -> &[u64] {
        &self.gaps
    }

    #[inline]
    pub(crate) fn walk(&self) -> WalkRef<'_, V> {
        WalkRef::new(&self.slots, &self.gaps)
    }

    #[inline]
    pub(crate) fn walk_mut(&mut self) -> WalkMut<'_, V> {
        WalkMut::new(&mut self.slots, &self.gaps)
    }

    #[inline]
    pub(crate) fn look(&self) -> LookRef<'_, V> {
        LookRef::new(&self.slots)
    }

    #[inline]
    pub(crate) fn look_mut(&mut self) -> LookMut<'_, V> {
        LookMut::new(&mut self.slots)
    }

    pub(crate) fn into_walk(self) -> WalkOwned<V> {
        WalkOwned::new(self.slots, self.gaps)
    }

    /// Drops all values. Should a drop panic, the rest is dropped all the same.
    pub(crate) fn drop_values(&mut self) {
        let candidates = self.candidates();
        self.slots.drop_values(candidates, &self.gaps);
    }
}

impl<V> Deref for GappedSlots<V> {
    type Target = Slots<V>;

    #[inline]
    fn deref(&self) -> &Slots<V> {
        &self.slots
    }
}

/// The word of a slot's bit, and that.
#[inline]
const fn place_of(index: u32) -> (usize, u64) {
    (index as usize / WORD_SLOTS, 1 << (index as usize % WORD_SLOTS))
}

const fn words_of(slots: usize) -> usize {
    slots.div_ceil(WORD_SLOTS)
}
