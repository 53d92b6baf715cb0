//! Walks over the values in slots, in the order of addresses, from both ends.
//!
//! # Why this is sound
//!
//! [`WalkRef`] and [`WalkMut`] borrow the slots for `'a`, and return references of that lifetime to values, each once;
//! see [`live_slots`]. A walk that moves values out on several threads is such a walk over slots that a [`WalkOwned`]
//! has: each slot that it visits stops being live before its value is moved, so the owner drops what is left, and
//! nothing twice.

#![cfg_attr(feature = "rayon", expect(unsafe_code, reason = "shares slots between threads"))]

pub(crate) mod blocks;
pub(crate) mod drain;
pub(crate) mod extract_if;
pub(crate) mod iter;
pub(crate) mod join;
mod live_slots;

use self::live_slots::{Live, LiveSlots};
use crate::error::Error;
use crate::slots::array::Slots;
use crate::slots::array::slot::FromSlot;
use crate::slots::cursor::{Cursor, HoleBits};
use crate::slots::state::Vacant;
use crate::slots::words::Words;

/// An iteration over slots that returns index, generation and value of each.
pub(crate) trait Walk: Sized {
    type Value;

    fn step(&mut self) -> Option<(u32, u32, Self::Value)>;

    fn step_back(&mut self) -> Option<(u32, u32, Self::Value)>;

    fn fold<B>(mut self, init: B, mut add: impl FnMut(B, (u32, u32, Self::Value)) -> B) -> B {
        let mut sum = init;
        while let Some(item) = self.step() {
            sum = add(sum, item);
        }
        sum
    }

    /// [`fold`](Self::fold), for an `add` that branches at each value in any case.
    fn fold_one_by_one<B>(self, init: B, add: impl FnMut(B, (u32, u32, Self::Value)) -> B) -> B {
        self.fold(init, add)
    }
}

pub(crate) type WalkRef<'a, V> = LiveSlots<'a, V, &'a V>;

pub(crate) type WalkMut<'a, V> = LiveSlots<'a, V, &'a mut V>;

impl<V, T: FromSlot<V>> Walk for LiveSlots<'_, V, T> {
    type Value = T;

    #[expect(clippy::inline_always, reason = "as for `LiveSlots::step_on`")]
    #[inline(always)]
    fn step(&mut self) -> Option<Live<T>> {
        self.step_on()
    }

    #[inline]
    fn step_back(&mut self) -> Option<Live<T>> {
        self.step_on_back()
    }

    #[inline]
    fn fold<B>(self, init: B, add: impl FnMut(B, Live<T>) -> B) -> B {
        self.fold_all(init, add)
    }

    #[inline]
    fn fold_one_by_one<B>(self, init: B, add: impl FnMut(B, Live<T>) -> B) -> B {
        self.fold_each(init, add)
    }
}

/// Owns slots, and moves their values out.
pub(crate) struct WalkOwned<V> {
    slots: Slots<V>,
    holes: Words,
    cursor: Cursor,
}

impl<V> WalkOwned<V> {
    pub(crate) fn new(slots: Slots<V>, holes: impl Into<Words>) -> Self {
        let cursor = Cursor::new(slots.len());
        Self { slots, holes: holes.into(), cursor }
    }

    #[inline]
    fn take_next(
        &mut self,
        next: impl Fn(&mut Cursor, HoleBits<'_>) -> Option<u32>,
    ) -> Option<(u32, u32, V)> {
        loop {
            let index = next(&mut self.cursor, HoleBits::of(&self.holes))?;
            if let Some(generation) = self.slots.state(index).live_generation() {
                let value = self.slots.take(index, generation, Vacant::EMPTY)?;
                return Some((index, generation, value));
            }
        }
    }
}

#[cfg(feature = "rayon")]
impl<V> WalkOwned<V> {
    /// Returns a walk over the same slots, to be split between threads. Values that it does not reach stay here.
    pub(crate) fn share(&mut self) -> WalkTake<'_, V> {
        let holes = HoleBits::of(&self.holes);
        // SAFETY: the cursor was made of the length of the slots, and has none that `self` has visited. `&mut self`
        // borrows the slots as long as the walk, so `self`, which has the same cursor, visits none meanwhile.
        // Afterwards it finds vacant what the walk has visited: a `V` that is given is not in its slot any more.
        unsafe { LiveSlots::with_cursor(self.slots.start(), holes, self.cursor.clone()) }
    }
}

/// Moves values out of slots that a [`WalkOwned`] owns and that belong to no map any more.
#[cfg(feature = "rayon")]
pub(crate) type WalkTake<'a, V> = LiveSlots<'a, V, V>;

impl<V> Walk for WalkOwned<V> {
    type Value = V;

    #[inline]
    fn step(&mut self) -> Option<(u32, u32, V)> {
        self.take_next(Cursor::next)
    }

    #[inline]
    fn step_back(&mut self) -> Option<(u32, u32, V)> {
        self.take_next(Cursor::next_back)
    }
}

impl<V: Clone> WalkOwned<V> {
    /// Returns a walk over copies of the remaining values, in slots with the same options and indices.
    fn try_clone(&self) -> Result<Self, Error> {
        // Over all slots from the beginning: if cloning a value panics, the clones that exist are dropped with it. It
        // has no holes, so it finds the other slots vacant.
        let holes = Words::NONE;
        let cursor = Cursor::new(self.slots.len());
        let mut clone = Self { slots: Slots::try_new(self.slots.options(), 0)?, holes, cursor };
        let cloned = clone.slots.try_extend_cloned(&self.slots);
        clone.cursor = self.cursor.clone();
        cloned.map(|()| clone)
    }
}

impl<V> Drop for WalkOwned<V> {
    fn drop(&mut self) {
        self.slots.drop_values(self.cursor.clone(), HoleBits::of(&self.holes));
    }
}
