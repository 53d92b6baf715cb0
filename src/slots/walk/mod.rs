//! Walks over the values in slots, in the order of addresses, from both ends.
//!
//! # Why this is sound
//!
//! [`WalkRef`] and [`WalkMut`] borrow the slots for `'a`, and give out references of that lifetime to
//! values in them, which a [`LiveSlots`] finds in slots below the length that they had when the walk was made, and
//! have while they are borrowed. Of mutable references no two are to one value, since a `LiveSlots` comes to each slot once, and
//! both halves of a split one, and the blocks that are taken out of one, come to what the whole would
//! have come to. (A [`reborrow`](WalkLive::reborrow) comes to them too, and its references end before the walk
//! goes on.) A walk that moves values out on several threads is one of those, of slots that a
//! [`WalkOwned`] has: each slot that it comes to is no longer live before the value goes, so what is
//! left over is dropped with their owner, and nothing twice.

#![expect(unsafe_code, reason = "gives out references to one value after another")]

pub(crate) mod blocks;
pub(crate) mod drain;
pub(crate) mod extract_if;
pub(crate) mod iter;
pub(crate) mod join;
mod live_slots;

use self::live_slots::{LiveSlot, LiveSlots};
use crate::error::Error;
use crate::raw_vec::Options;
use crate::slots::array::{self, Slot, Slots};
use crate::slots::cursor::Cursor;
use crate::slots::state::Vacant;
use crate::vec::VmVec;
use std::marker::PhantomData;
use std::ptr::NonNull;

/// What goes through slots: gives index, generation and value.
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

    /// The same, for what branches at each value anyway.
    fn fold_one_by_one<B>(self, init: B, add: impl FnMut(B, (u32, u32, Self::Value)) -> B) -> B {
        self.fold(init, add)
    }
}

/// What a walk gives for a slot: a reference to the value, or the value.
pub(super) trait FromSlot<V> {
    /// # Safety
    ///
    /// - The slot is below the length, and live, and stays where it is for as long as the result lives.
    /// - Until then nobody writes to the value; if the result is mutable or the value itself, nobody else reaches the slot.
    unsafe fn from_slot(slot: NonNull<Slot<V>>) -> Self;
}

impl<V> FromSlot<V> for &V {
    #[inline]
    unsafe fn from_slot(slot: NonNull<Slot<V>>) -> Self {
        // SAFETY: the caller's promise.
        unsafe { array::value_of(slot) }
    }
}

impl<V> FromSlot<V> for &mut V {
    #[inline]
    unsafe fn from_slot(slot: NonNull<Slot<V>>) -> Self {
        // SAFETY: the caller's promise.
        unsafe { array::value_of_mut(slot) }
    }
}

/// Goes through the live slots that are borrowed for `'a`, and gives a `T` for each.
pub(crate) struct WalkLive<'a, V, T> {
    live: LiveSlots<'a, V>,
    given: PhantomData<T>,
}

/// Goes through values by shared reference.
pub(crate) type WalkRef<'a, V> = WalkLive<'a, V, &'a V>;

/// Goes through values by mutable reference.
pub(crate) type WalkMut<'a, V> = WalkLive<'a, V, &'a mut V>;

// SAFETY: it is what it gives, and nothing else that has a thread.
unsafe impl<V, T: Send> Send for WalkLive<'_, V, T> {}
// SAFETY: the same; through `&WalkLive` nothing is reached, but that one of shared references can be cloned.
unsafe impl<V, T: Sync> Sync for WalkLive<'_, V, T> {}

impl<'a, V> WalkRef<'a, V> {
    #[inline]
    pub(crate) fn new(slots: &'a Slots<V>, holes: &'a [u64]) -> Self {
        Self { live: LiveSlots::new(slots, holes), given: PhantomData }
    }
}

impl<'a, V> WalkMut<'a, V> {
    #[inline]
    pub(crate) fn new(slots: &'a mut Slots<V>, holes: &'a [u64]) -> Self {
        Self { live: LiveSlots::new(slots, holes), given: PhantomData }
    }

    /// The same walk, for the time of a borrow.
    #[inline]
    pub(crate) fn reborrow(&mut self) -> WalkMut<'_, V> {
        WalkMut { live: self.live.clone(), given: PhantomData }
    }
}

impl<V, T> WalkLive<'_, V, T> {
    /// # Safety
    ///
    /// - The slot was just found by `live`, and for the first time.
    #[inline]
    unsafe fn give((index, generation, slot): LiveSlot<V>) -> (u32, u32, T)
    where
        T: FromSlot<V>,
    {
        // SAFETY: live, and given once, by the caller's promise. The slots are borrowed for as long as a reference lives,
        // mutably if it is mutable; values are moved out only by the walks of `WalkOwned::share`, which borrows it mutably.
        (index, generation, unsafe { T::from_slot(slot) })
    }

    /// A walk over the next 64 slots that are not all holes, taken out of this one.
    #[inline]
    pub(crate) fn next_block(&mut self) -> Option<Self> {
        // SAFETY: the slots are borrowed; the cursor was made of their length.
        Some(Self { live: unsafe { self.live.next_block() }?, given: PhantomData })
    }

    /// The index of the first slot, of a walk over a block.
    #[inline]
    pub(crate) fn block_start(&self) -> u32 {
        self.live.word().start()
    }

    /// Where the first slot is, of a walk over a block.
    #[inline]
    pub(crate) fn block_ptr(&self) -> *mut V {
        self.live.block_ptr()
    }

    /// Which slots hold values, of a walk over a block; all that are no holes if `all_live`.
    #[inline]
    pub(crate) fn block_mask(&self, all_live: bool) -> u64 {
        if all_live {
            return self.live.word().left();
        }
        let add = |mask, (index, ..): LiveSlot<V>| mask | 1 << (index % 64);
        // SAFETY: the slots are borrowed, and `add` reaches none; the cursor was made of their length.
        unsafe { self.live.clone().fold(0, add) }
    }
}

clone_fields!([V] WalkRef<'_, V>: live, given);

impl<V, T: FromSlot<V>> Walk for WalkLive<'_, V, T> {
    type Value = T;

    #[inline]
    fn step(&mut self) -> Option<(u32, u32, T)> {
        // SAFETY: the slots are borrowed; the cursor was made of their length.
        let found = unsafe { self.live.step() }?;
        // SAFETY: just found, and each is once.
        Some(unsafe { Self::give(found) })
    }

    #[inline]
    fn step_back(&mut self) -> Option<(u32, u32, T)> {
        // SAFETY: the slots are borrowed; the cursor was made of their length.
        let found = unsafe { self.live.step_back() }?;
        // SAFETY: just found, and each is once.
        Some(unsafe { Self::give(found) })
    }

    #[inline]
    fn fold<B>(self, init: B, mut add: impl FnMut(B, (u32, u32, T)) -> B) -> B {
        // SAFETY: just found, and each is once.
        let add = |sum, found| add(sum, unsafe { Self::give(found) });
        // SAFETY: the slots are borrowed, and `add` reaches the one that it is given; the cursor was made of their length.
        unsafe { self.live.fold(init, add) }
    }

    #[inline]
    fn fold_one_by_one<B>(self, init: B, mut add: impl FnMut(B, (u32, u32, T)) -> B) -> B {
        // SAFETY: just found, and each is once.
        let add = |sum, found| add(sum, unsafe { Self::give(found) });
        // SAFETY: as in `fold`.
        unsafe { self.live.fold_one_by_one(init, add) }
    }
}

/// Owns slots, and moves the values out.
pub(crate) struct WalkOwned<V> {
    slots: Slots<V>,
    holes: VmVec<u64>,
    cursor: Cursor,
}

impl<V> WalkOwned<V> {
    pub(crate) fn new(slots: Slots<V>, holes: VmVec<u64>) -> Self {
        let cursor = Cursor::new(slots.len());
        Self { slots, holes, cursor }
    }

    #[inline]
    fn take_next(
        &mut self,
        next: impl Fn(&mut Cursor, &[u64]) -> Option<u32>,
    ) -> Option<(u32, u32, V)> {
        loop {
            let index = next(&mut self.cursor, &self.holes)?;
            if let Some(generation) = self.slots.state(index).live_generation() {
                let value = self.slots.take(index, generation, Vacant::EMPTY)?;
                return Some((index, generation, value));
            }
        }
    }
}

#[cfg(feature = "rayon")]
impl<V> WalkOwned<V> {
    /// A walk over the same, to be shared out. What it does not come to stays here.
    pub(crate) fn share(&mut self) -> WalkTake<'_, V> {
        let live = LiveSlots::with_cursor(self.slots.start(), &self.holes, self.cursor.clone());
        WalkTake { live, given: PhantomData }
    }
}

/// Moves the values out of slots that somebody else owns, and that are of no map any more.
#[cfg(feature = "rayon")]
pub(crate) type WalkTake<'a, V> = WalkLive<'a, V, V>;

#[cfg(feature = "rayon")]
impl<V> FromSlot<V> for V {
    #[inline]
    unsafe fn from_slot(slot: NonNull<Slot<V>>) -> Self {
        // SAFETY: the caller's promise.
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
    /// A walk over copies of what is left, in slots of the same options and indices.
    fn try_clone(&self) -> Result<Self, Error> {
        let len = self.slots.len();
        let mut slots = Slots::try_new(self.slots.options(), 0)?;
        slots.try_reserve_exact(len)?;
        slots.extend_vacant(len)?;
        // Over all slots as yet: should the clone of a value panic, the copies that are there are
        // dropped with it. It knows of no holes, and finds them vacant.
        let mut clone = Self::new(slots, VmVec::with_options(&Options::INTERNAL));
        for index in array::indices(0..len) {
            if let Some((generation, value)) = self.slots.at_index(index) {
                clone.slots.fill(index, generation, value.clone());
            }
        }
        clone.cursor = self.cursor.clone();
        Ok(clone)
    }
}

impl<V> Drop for WalkOwned<V> {
    fn drop(&mut self) {
        self.slots.drop_values(self.cursor.clone(), &self.holes);
    }
}
