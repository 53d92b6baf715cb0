//! [`States`] and [`AnySlots`]: slots without the type of their values, for code that is compiled once instead of once
//! per type.

#![expect(unsafe_code, reason = "reads states by their offset in slots of any type")]

use super::array::Slots;
use super::prefetch;
use super::state::State;
use crate::vec::AnyVec;
use std::marker::PhantomData;

/// The states of some slots.
///
/// # Invariants
///
/// - **States**: `first` and each `stride` bytes on, `len` times, are states of slots that are borrowed as long as
///   this. By **Live** of [`Slot`](super::array::slot::Slot) they are initialized.
#[derive(Clone, Copy, Debug)]
pub(crate) struct States<'s> {
    /// The address of the first state, if there is one.
    first: *const State,
    stride: usize,
    len: usize,
    slots: PhantomData<&'s State>,
}

impl States<'_> {
    /// Returns the state of a slot; [`State::EMPTY`] past the last one.
    pub(crate) fn at(self, index: u32) -> State {
        if index as usize >= self.len {
            return State::EMPTY;
        }
        let state = self.first.wrapping_byte_add(index as usize * self.stride);
        // SAFETY: `index` is below the length, as checked above, so by **States** it is a state, initialized and
        // aligned; and borrowed, so no thread writes to it.
        unsafe { state.read() }
    }

    pub(crate) const fn len(self) -> usize {
        self.len
    }
}

#[cfg(test)]
impl<'s> States<'s> {
    pub(crate) fn all(state: &'s State, len: usize) -> Self {
        Self { first: state, stride: 0, len, slots: PhantomData }
    }
}

/// [`Slots`] without the type of their values. Their number does not change.
///
/// # Invariants
///
/// - **Offset**: `array` is that of [`Slots`], in each of which the state is `state_offset` bytes after the start. So
///   what [`states`](Self::states) returns are states.
#[derive(Debug)]
pub(crate) struct AnySlots<'s> {
    pub(super) array: AnyVec<'s>,
    state_offset: usize,
    /// The number of bits to shift an index to the right, to get the number of its block.
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
    pub(crate) const fn block_slots(&self) -> usize {
        1 << self.block_shift
    }

    pub(crate) const fn block_of(&self, index: usize) -> usize {
        index >> self.block_shift
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

    pub(crate) fn prefetch_hole(&self, index: u32) {
        let start = self.array.start().as_ptr().cast();
        prefetch::prefetch_hole(start, self.array.stride_bytes(), self.state_offset, index);
    }
}
