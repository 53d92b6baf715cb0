//! [`States`] and [`AnySlots`]: slots whatever their values are, for code that is compiled once, and not
//! for each type of value.

#![expect(unsafe_code, reason = "reads states where slots of some size have them")]

use super::array::Slots;
use super::prefetch;
use super::state::State;
use crate::error::{Error, Holder};
use crate::vec::AnyVec;
use std::marker::PhantomData;

/// The states of slots.
#[derive(Clone, Copy, Debug)]
pub(crate) struct States<'s> {
    /// That of the first slot, if there is one.
    first: *const State,
    stride: usize,
    len: usize,
    slots: PhantomData<&'s State>,
}

impl States<'_> {
    /// The state of a slot; vacant behind the last one.
    pub(crate) fn at(self, index: u32) -> State {
        if index as usize >= self.len {
            return State::EMPTY;
        }
        let state = self.first.wrapping_byte_add(index as usize * self.stride);
        // SAFETY: made by `Slots::states` or `AnySlots::states`, of slots with that stride, of which those
        // below the length are initialised. They are borrowed for as long as this lives, so they stay where
        // they are, and nobody writes to them.
        unsafe { state.read() }
    }

    pub(crate) const fn len(self) -> usize {
        self.len
    }
}

/// For tests of what asks for states.
#[cfg(test)]
impl<'s> States<'s> {
    /// So many that are all the same.
    pub(crate) fn all(state: &'s State, len: usize) -> Self {
        Self { first: state, stride: 0, len, slots: PhantomData }
    }
}

/// [`Slots`] of some size, of which there stay as many.
#[derive(Debug)]
pub(crate) struct AnySlots<'s> {
    array: AnyVec<'s>,
    state_offset: usize,
    /// By how much to shift an index to the right for the number of its block.
    block_shift: u32,
}

impl<V> Slots<V> {
    pub(crate) fn states(&self) -> States<'_> {
        States {
            first: self.start().cast::<State>().as_ptr().wrapping_byte_add(Self::STATE_OFFSET),
            stride: Self::STRIDE_BYTES,
            len: self.len(),
            slots: PhantomData,
        }
    }

    pub(crate) fn any(&mut self) -> AnySlots<'_> {
        AnySlots {
            array: self.array_mut().any(),
            state_offset: Self::STATE_OFFSET,
            block_shift: Self::BLOCK_SLOTS.trailing_zeros(),
        }
    }
}

impl AnySlots<'_> {
    pub(crate) const fn len(&self) -> usize {
        self.array.len()
    }

    /// See [`Slots::STRIDE_BYTES`].
    pub(crate) const fn stride_bytes(&self) -> usize {
        self.array.stride_bytes()
    }

    /// See [`Slots::BLOCK_SLOTS`].
    pub(crate) const fn block_slots(&self) -> usize {
        1 << self.block_shift
    }

    /// The block that a slot is in.
    pub(crate) const fn block_of(&self, index: usize) -> usize {
        index >> self.block_shift
    }

    pub(crate) const fn capacity(&self) -> usize {
        self.array.capacity()
    }

    pub(crate) fn max_len(&self) -> usize {
        self.array.max_len()
    }

    pub(crate) const fn holder(&self) -> Holder {
        self.array.holder()
    }

    pub(crate) fn try_reserve(&mut self, additional: usize) -> Result<(), Error> {
        self.array.try_reserve(additional)
    }

    pub(crate) fn states(&self) -> States<'_> {
        States {
            first: self.array.start().cast::<State>().as_ptr().wrapping_byte_add(self.state_offset),
            stride: self.array.stride_bytes(),
            len: self.array.len(),
            slots: PhantomData,
        }
    }

    pub(crate) fn state(&self, index: u32) -> State {
        self.states().at(index)
    }

    /// See [`prefetch::ask_for_hole`].
    pub(crate) fn ask_for_hole(&self, index: u32) {
        let start = self.array.start().as_ptr().cast();
        prefetch::ask_for_hole(start, self.array.stride_bytes(), self.state_offset, index);
    }
}
