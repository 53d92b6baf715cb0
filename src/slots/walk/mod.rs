//! Walks over the values in slots, in the order of addresses, from both ends.
//!
//! # Why this is sound
//!
//! [`WalkRef`] and [`WalkMut`] borrow the slots for `'a`, and return references of that lifetime to values that a
//! [`LiveSlots`] finds. It finds them in slots below the length that the slots had when the walk was made, and which
//! does not change while they are borrowed. No two mutable references are to the same value, since a `LiveSlots` visits
//! each slot once; and the halves of a split one, or the blocks taken from one, together visit what the whole would
//! have visited. (A [`reborrow`](WalkLive::reborrow) visits them, too, but its references end before the walk
//! continues.) A walk that moves values out on several threads is such a walk over slots that a [`WalkOwned`] has: each
//! slot that it visits stops being live before its value is moved, so the owner drops what is left, and nothing twice.

#![expect(unsafe_code, reason = "returns references to the values of slots")]

pub(crate) mod blocks;
pub(crate) mod drain;
pub(crate) mod extract_if;
pub(crate) mod iter;
pub(crate) mod join;
mod live_slots;

use self::live_slots::{LiveSlot, LiveSlots};
use crate::error::Error;
use crate::slots::array::{self, Slot, Slots};
use crate::slots::cursor::{Cursor, HoleBits};
use crate::slots::state::Vacant;
use crate::slots::words::Words;
use std::marker::PhantomData;
use std::ptr::NonNull;

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

/// What a walk returns for a slot: a reference to the value, or the value.
pub(super) trait FromSlot<V> {
    /// # Safety
    ///
    /// - The slot is below the length and live, and stays in place as long as the result lives.
    /// - Until then, the value is not written to. If the result is mutable, or is the value itself, no other code
    ///   accesses the slot.
    unsafe fn from_slot(slot: NonNull<Slot<V>>) -> Self;
}

impl<V> FromSlot<V> for &V {
    #[inline]
    unsafe fn from_slot(slot: NonNull<Slot<V>>) -> Self {
        // SAFETY: the caller guarantees that the slot is live, and not written to as long as the result lives.
        unsafe { array::value_of(slot) }
    }
}

impl<V> FromSlot<V> for &mut V {
    #[inline]
    unsafe fn from_slot(slot: NonNull<Slot<V>>) -> Self {
        // SAFETY: the caller guarantees that the slot is live, and not accessed otherwise as long as the result lives.
        unsafe { array::value_of_mut(slot) }
    }
}

/// Visits the live slots that are borrowed for `'a`, and returns a `T` for each.
pub(crate) struct WalkLive<'a, V, T> {
    live: LiveSlots<'a, V>,
    given: PhantomData<T>,
}

pub(crate) type WalkRef<'a, V> = WalkLive<'a, V, &'a V>;

pub(crate) type WalkMut<'a, V> = WalkLive<'a, V, &'a mut V>;

// SAFETY: it gives access to `T`s and to nothing else.
unsafe impl<V, T: Send> Send for WalkLive<'_, V, T> {}
// SAFETY: as above. `&WalkLive` gives access to states, which nothing writes while they are borrowed, and to no value,
// except that a walk of shared references can be cloned.
unsafe impl<V, T: Sync> Sync for WalkLive<'_, V, T> {}

impl<'a, V> WalkRef<'a, V> {
    #[inline]
    pub(crate) fn new(slots: &'a Slots<V>, holes: HoleBits<'a>) -> Self {
        Self { live: LiveSlots::new(slots, holes), given: PhantomData }
    }
}

impl<'a, V> WalkMut<'a, V> {
    #[inline]
    pub(crate) fn new(slots: &'a mut Slots<V>, holes: HoleBits<'a>) -> Self {
        Self { live: LiveSlots::new(slots, holes), given: PhantomData }
    }

    /// Returns the same walk, for the time of a borrow.
    #[inline]
    pub(crate) fn reborrow(&mut self) -> WalkMut<'_, V> {
        WalkMut { live: self.live.clone(), given: PhantomData }
    }
}

impl<V, T> WalkLive<'_, V, T> {
    /// # Safety
    ///
    /// - The slot was just found by `live`, for the first time.
    #[inline]
    unsafe fn give((index, generation, slot): LiveSlot<V>) -> (u32, u32, T)
    where
        T: FromSlot<V>,
    {
        // SAFETY: the caller guarantees that the slot is live and passed once. The slots are borrowed for as long as a
        // reference lives, mutably if it is mutable. Values are moved out only by the walks of `WalkOwned::share`,
        // which borrows it mutably.
        (index, generation, unsafe { T::from_slot(slot) })
    }

    /// Takes a walk over the next 64 slots that are not all holes out of this one.
    #[inline]
    pub(crate) fn next_block(&mut self) -> Option<Self> {
        // SAFETY: the slots are borrowed, and the cursor was made from their length.
        Some(Self { live: unsafe { self.live.next_block() }?, given: PhantomData })
    }

    #[inline]
    pub(crate) fn block_start(&self) -> u32 {
        self.live.word().start()
    }

    #[inline]
    pub(crate) fn block_ptr(&self) -> *mut V {
        self.live.block_ptr()
    }

    /// Returns which slots of a block hold values; if `all_live`, those are all that are not holes.
    #[inline]
    pub(crate) fn block_mask(&self, all_live: bool) -> u64 {
        if all_live {
            return self.live.word().left();
        }
        let add = |mask, (index, ..): LiveSlot<V>| mask | 1 << (index % 64);
        // SAFETY: the slots are borrowed, `add` accesses none of them, and the cursor was made from their length.
        unsafe { self.live.clone().fold(0, add) }
    }
}

clone_fields!([V] WalkRef<'_, V>: live, given);

impl<V, T: FromSlot<V>> Walk for WalkLive<'_, V, T> {
    type Value = T;

    #[expect(clippy::inline_always, reason = "as for `LiveSlots::step`")]
    #[inline(always)]
    fn step(&mut self) -> Option<(u32, u32, T)> {
        // SAFETY: the slots are borrowed, and the cursor was made from their length.
        let found = unsafe { self.live.step() }?;
        // SAFETY: just found, and each slot is found once.
        Some(unsafe { Self::give(found) })
    }

    #[inline]
    fn step_back(&mut self) -> Option<(u32, u32, T)> {
        // SAFETY: the slots are borrowed, and the cursor was made from their length.
        let found = unsafe { self.live.step_back() }?;
        // SAFETY: just found, and each slot is found once.
        Some(unsafe { Self::give(found) })
    }

    #[inline]
    fn fold<B>(self, init: B, mut add: impl FnMut(B, (u32, u32, T)) -> B) -> B {
        // SAFETY: just found, and each slot is found once.
        let add = |sum, found| add(sum, unsafe { Self::give(found) });
        // SAFETY: the slots are borrowed, `add` accesses only the one that it is passed, and the cursor was made from
        // their length.
        unsafe { self.live.fold(init, add) }
    }

    #[inline]
    fn fold_one_by_one<B>(self, init: B, mut add: impl FnMut(B, (u32, u32, T)) -> B) -> B {
        // SAFETY: just found, and each slot is found once.
        let add = |sum, found| add(sum, unsafe { Self::give(found) });
        // SAFETY: as in `fold`.
        unsafe { self.live.fold_one_by_one(init, add) }
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
        let live = LiveSlots::with_cursor(self.slots.start(), holes, self.cursor.clone());
        WalkTake { live, given: PhantomData }
    }
}

/// Moves values out of slots that a [`WalkOwned`] owns and that belong to no map any more.
#[cfg(feature = "rayon")]
pub(crate) type WalkTake<'a, V> = WalkLive<'a, V, V>;

#[cfg(feature = "rayon")]
impl<V> FromSlot<V> for V {
    #[inline]
    unsafe fn from_slot(slot: NonNull<Slot<V>>) -> Self {
        // SAFETY: the caller guarantees that the slot is live, and not accessed otherwise.
        unsafe { array::take_value(slot) }
    }
}

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
