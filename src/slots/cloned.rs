//! Copies of slots.

#![forbid(unsafe_code)]

use super::array::{Slots, indices};
use super::cursor::low_half;
use super::state::{State, Vacant};
use crate::error::Error;

impl<V: Clone> Slots<V> {
    /// Appends copies of all slots of `other`. If cloning a value panics, the copies of those before it stay.
    ///
    /// # Errors
    ///
    /// If memory is refused.
    pub(crate) fn try_extend_cloned(&mut self, other: &Self) -> Result<(), Error> {
        self.try_reserve_exact(other.len())?;
        let mut at = 0;
        while at < other.len() {
            let state = other.state(low_half(at));
            if let Some((generation, value)) = other.at_index(low_half(at)) {
                self.push_within_capacity(generation, value.clone());
                at += 1;
            } else if state != State::EMPTY {
                self.push_vacant(Vacant::after(state.generation()));
                at += 1;
            } else {
                // These are not written, and may be many, so their memory is not touched.
                let is_empty = |index: &u32| other.state(*index) == State::EMPTY;
                let count = indices(at..other.len()).take_while(is_empty).count();
                self.extend_vacant(count)?;
                at += count;
            }
        }
        Ok(())
    }
}
