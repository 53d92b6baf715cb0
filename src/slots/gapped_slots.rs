//! [`GappedSlots`]: slots, and a bit for each that marks gaps.

// Between calls, the bit of a slot is cleared if the slot is live, and set otherwise; bits past the last slot, of which
// there may be whole words, are set.
// Only iteration relies on the bits: whether there is a value is read from the slot.

#![forbid(unsafe_code)]

use super::array::Slots;
use super::cursor::{Cursor, HoleBits, WORD_SLOTS, low_half};
use super::disjoint::DisjointError;
use super::state::Vacant;
use super::walk::join::{LookupMut, LookupRef};
use super::walk::{WalkMut, WalkOwned, WalkRef};
use crate::backing::Backing;
use crate::error::{Error, Refused};
use crate::growing::{Budget, BudgetMeter, GivenBack, Prefaulted};
use crate::raw_vec::Options;
use crate::vec::{VecStats, VmVec};
use std::ops::Deref;

#[cfg(test)]
mod tests;

/// [`Slots`] with a bitmap of gaps, which iteration skips without reading them. Methods that change no slot are those
/// of [`Slots`], by `Deref`.
pub(crate) struct GappedSlots<V> {
    slots: Slots<V>,
    gaps: VmVec<u64>,
    /// Where trimming continues.
    trim_from: usize,
}

impl<V> GappedSlots<V> {
    pub(crate) const fn new(options: &'static Options) -> Self {
        Self::over(Slots::new(options))
    }

    const fn over(slots: Slots<V>) -> Self {
        Self { slots, gaps: VmVec::with_options(&Options::BITS), trim_from: 0 }
    }

    pub(crate) fn try_new(options: Options, capacity: usize) -> Result<Self, Error> {
        let mut slots = Self::over(Slots::try_new(options, capacity)?);
        slots.cover()?;
        Ok(slots)
    }

    /// See [`Slots::try_new_in`]. The bits are not stored in the backing.
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

    pub(crate) fn stats(&self) -> VecStats {
        let slots = self.slots.stats();
        let VecStats { len, capacity, max_len, ahead_bytes, late, .. } = slots;
        VecStats { len, capacity, max_len, ahead_bytes, late, ..slots + self.gaps.stats() }
    }

    /// Takes memory for the bits of all slots in committed memory.
    fn cover(&mut self) -> Result<(), Error> {
        let Some(more) = words_of(self.slots.capacity()).checked_sub(self.gaps.len()) else {
            return Ok(());
        };
        let options = self.slots.options();
        if more > 0 && self.gaps.options().max_len.is_none() {
            // The maximum number of slots is known now.
            let max_len = Some(words_of(self.slots.max_len()));
            let bits = Options { max_len, name: options.name, ..Options::BITS };
            let gaps = VmVec::try_with_options(bits, 0);
            self.gaps = gaps.map_err(|error| error.of_request().of(options.holder))?;
        }
        // The request was derived from that of the slots, as in `Bitmap::cover`.
        self.gaps.try_reserve(more).map_err(|error| error.of_request().of(options.holder))
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

    /// Adds vacant slots. If memory is refused, no slot has changed.
    pub(crate) fn extend_vacant(&mut self, additional: usize) -> Result<(), Error> {
        self.slots.try_reserve(additional)?;
        let words = words_of(self.slots.len() + additional);
        if words > self.gaps.len() {
            self.cover()?;
            // More than are needed, so that not every word of slots that are pushed takes a call.
            let words = words.max(2 * self.gaps.len()).min(words_of(self.slots.capacity()));
            self.gaps.try_resize(words, u64::MAX)?;
        }
        self.slots.extend_vacant(additional)
    }

    /// Returns how many slots there can be without taking memory.
    pub(crate) fn room(&self) -> usize {
        self.slots.capacity().min(self.gaps.len() * WORD_SLOTS)
    }

    /// Adds a slot with a value. There must be [room](Self::room) for it.
    #[expect(clippy::inline_always, reason = "as for `Slots::fill`")]
    #[inline(always)]
    pub(crate) fn push(&mut self, generation: u32, value: V) {
        debug_assert!(self.slots.len() < self.room(), "no room for another slot and its bit");
        let (word, bit) = place_of(low_half(self.slots.len()));
        self.slots.push_within_capacity(generation, value);
        if let Some(word) = self.gaps.get_mut(word) {
            *word &= !bit;
        }
    }

    /// Adds a vacant slot. There must be [room](Self::room) for it.
    #[inline]
    pub(crate) fn push_vacant(&mut self) {
        debug_assert!(self.slots.len() < self.room(), "no room for another slot and its bit");
        self.slots.push_vacant(Vacant::EMPTY);
    }

    #[expect(clippy::inline_always, reason = "as for `Slots::fill`")]
    #[inline(always)]
    pub(crate) fn fill(&mut self, index: u32, generation: u32, value: V) -> &mut V {
        let (word, bit) = place_of(index);
        if let Some(word) = self.gaps.get_mut(word) {
            *word &= !bit;
        }
        self.slots.fill(index, generation, value)
    }

    /// See [`Slots::put`].
    #[expect(clippy::inline_always, reason = "as for `Slots::fill`")]
    #[inline(always)]
    pub(crate) fn put(&mut self, index: u32, generation: u32, value: V) -> Result<Option<V>, V> {
        let put = self.slots.put(index, generation, value);
        if let Ok(None) = put {
            let (word, bit) = place_of(index);
            if let Some(word) = self.gaps.get_mut(word) {
                *word &= !bit;
            }
        }
        put
    }

    /// Moves the value of a generation out, and makes the state empty.
    #[inline]
    pub(crate) fn take(&mut self, index: u32, generation: u32) -> Option<V> {
        let Self { slots, gaps, .. } = self;
        slots.take_with(index, generation, |_, _| {
            let (word, bit) = place_of(index);
            if let Some(word) = gaps.get_mut(word) {
                *word |= bit;
            }
            Vacant::EMPTY
        })
    }

    pub(crate) fn truncate(&mut self, len: usize) {
        self.slots.truncate(len);
        self.gaps.truncate(words_of(len));
        if let (Some(last), rest @ 1..) = (self.gaps.last_mut(), len % WORD_SLOTS) {
            *last |= u64::MAX << rest;
        }
    }

    /// Removes the slots after the last value, and returns their memory; see [`Slots::shrink`].
    pub(crate) fn shrink(&mut self, meter: &mut BudgetMeter) -> Result<bool, Error> {
        let last = self.candidates().next_back(self.gaps());
        self.truncate(last.map_or(0, |index| index as usize + 1));
        let result = self.slots.shrink(meter);
        self.gaps.shrink_to(words_of(self.slots.capacity()));
        result
    }

    /// [Shrinks](Self::shrink), and returns the memory of other gaps in whole runs. Continues where the last call
    /// stopped, if its budget was used up.
    pub(crate) fn trim(&mut self, budget: Budget) -> Result<GivenBack, Error> {
        let mut meter = BudgetMeter::new(budget);
        let all = meter.is_unlimited();
        if all {
            self.trim_from = 0;
        }
        let mut is_done = self.shrink(&mut meter)?;
        let mut bytes = meter.spent();
        while is_done && self.trim_from < self.slots.len() {
            let Self { slots, gaps, trim_from } = self;
            let is_dead = |first: usize| {
                let words = words_of(first)..words_of(first + Slots::<V>::BLOCK_SLOTS);
                gaps.get(words).is_some_and(|words| words.iter().all(|word| *word == u64::MAX))
            };
            let (dead, seen) = slots.dead_stretch(*trim_from, all, is_dead);
            let seen_bytes = (seen - *trim_from) * Slots::<V>::STRIDE_BYTES;
            is_done = meter.pay(dead.len() * Slots::<V>::STRIDE_BYTES + seen_bytes / 64 + 1);
            if is_done {
                let discard = slots.discardable(dead, |page| slots.is_sparse(page, is_dead));
                if let Some(discard) = discard {
                    slots.discard(&discard)?;
                    bytes += discard.bytes();
                }
                // A piece that was refused comes again in the next call.
                *trim_from = seen;
            }
        }
        if is_done {
            self.trim_from = 0;
        }
        Ok(GivenBack { bytes, is_done })
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

    /// Returns a cursor over the indices of all slots, which skips gaps.
    pub(crate) fn candidates(&self) -> Cursor {
        Cursor::new(self.slots.len())
    }

    pub(crate) fn gaps(&self) -> HoleBits<'_> {
        HoleBits::of(&self.gaps)
    }

    #[inline]
    pub(crate) fn walk(&self) -> WalkRef<'_, V> {
        WalkRef::new(&self.slots, self.gaps())
    }

    #[inline]
    pub(crate) fn walk_mut(&mut self) -> WalkMut<'_, V> {
        WalkMut::new(&mut self.slots, HoleBits::of(&self.gaps))
    }

    #[inline]
    pub(crate) fn look(&self) -> LookupRef<'_, V> {
        LookupRef::new(&self.slots)
    }

    #[inline]
    pub(crate) fn look_mut(&mut self) -> LookupMut<'_, V> {
        LookupMut::new(&mut self.slots)
    }

    pub(crate) fn into_walk(self) -> WalkOwned<V> {
        WalkOwned::new(self.slots, self.gaps)
    }

    /// Drops all values. If a drop panics, the rest are dropped nevertheless.
    pub(crate) fn drop_values(&mut self) {
        let candidates = self.candidates();
        self.slots.drop_values(candidates, HoleBits::of(&self.gaps));
    }
}

impl<V> Deref for GappedSlots<V> {
    type Target = Slots<V>;

    #[inline]
    fn deref(&self) -> &Slots<V> {
        &self.slots
    }
}

/// Returns the word of a slot's bit, and the bit in it.
#[inline]
const fn place_of(index: u32) -> (usize, u64) {
    (index as usize / WORD_SLOTS, 1 << (index as usize % WORD_SLOTS))
}

const fn words_of(slots: usize) -> usize {
    slots.div_ceil(WORD_SLOTS)
}
