//! Walks over the values in slots, in the order of addresses, from both ends.
//!
//! # Why this is sound
//!
//! [`WalkRef`] and [`WalkMut`] borrow the slots for `'a`, and give out references of that lifetime to
//! values in them, which a [`LiveSlots`] finds in slots below the length that they had when the walk was made, and
//! have while they are borrowed. Of mutable references no two are to one value, since a `LiveSlots` comes to each slot once, and
//! both halves of a split one, and the blocks that are taken out of one, come to what the whole would
//! have come to. (A [`reborrow`](WalkMut::reborrow) comes to them too, and its references end before the walk
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
use crate::slots::array::{self, Slots};
use crate::slots::cursor::Cursor;
use crate::slots::state::Vacant;
use crate::vec::VmVec;
use std::marker::PhantomData;

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

/// Goes through values by shared reference.
pub(crate) struct WalkRef<'a, V> {
    /// Of slots that are borrowed for `'a`.
    live: LiveSlots<'a, V>,
    borrow: PhantomData<&'a Slots<V>>,
}

// SAFETY: it is a shared borrow of values, and of nothing else that has a thread.
unsafe impl<V: Sync> Send for WalkRef<'_, V> {}
// SAFETY: the same.
unsafe impl<V: Sync> Sync for WalkRef<'_, V> {}

impl<'a, V> WalkRef<'a, V> {
    #[inline]
    pub(crate) fn new(slots: &'a Slots<V>, holes: &'a [u64]) -> Self {
        Self { live: LiveSlots::new(slots, holes), borrow: PhantomData }
    }

    /// # Safety
    ///
    /// - The slot was found by a `LiveSlots` of a walk of this lifetime.
    #[inline]
    unsafe fn value((index, generation, slot): LiveSlot<V>) -> (u32, u32, &'a V) {
        // SAFETY: live; the slots are borrowed for `'a`.
        (index, generation, unsafe { array::value_of(slot) })
    }

    /// A walk over the next 64 slots that are not all holes, taken out of this one.
    #[inline]
    pub(crate) fn next_block(&mut self) -> Option<Self> {
        // SAFETY: the slots are borrowed; the cursor was made of their length.
        Some(Self { live: unsafe { self.live.next_block() }?, borrow: PhantomData })
    }

    /// The index of the first slot, of a walk over a block.
    #[inline]
    pub(crate) fn block_start(&self) -> u32 {
        self.live.word().start()
    }

    /// Where the first slot is, of a walk over a block.
    #[inline]
    pub(crate) fn block_ptr(&self) -> *const V {
        self.live.block_ptr()
    }

    /// Which slots hold values, of a walk over a block; all that are no holes if `all_live`.
    #[inline]
    pub(crate) fn block_mask(&self, all_live: bool) -> u64 {
        if all_live { self.live.word().left() } else { live_mask(self.clone()) }
    }

    #[cfg(feature = "rayon")]
    pub(crate) fn split(self) -> (Self, Option<Self>) {
        // SAFETY: the slots are borrowed; the cursor was made of their length.
        let (left, right) = unsafe { self.live.split() };
        let part = |live| Self { live, borrow: PhantomData };
        (part(left), right.map(part))
    }
}

impl<V> Clone for WalkRef<'_, V> {
    fn clone(&self) -> Self {
        Self { live: self.live.clone(), borrow: PhantomData }
    }
}

impl<'a, V> Walk for WalkRef<'a, V> {
    type Value = &'a V;

    #[inline]
    fn step(&mut self) -> Option<(u32, u32, &'a V)> {
        // SAFETY: the slots are borrowed; the cursor was made of their length.
        let found = unsafe { self.live.step() }?;
        // SAFETY: just found.
        Some(unsafe { Self::value(found) })
    }

    #[inline]
    fn step_back(&mut self) -> Option<(u32, u32, &'a V)> {
        // SAFETY: the slots are borrowed; the cursor was made of their length.
        let found = unsafe { self.live.step_back() }?;
        // SAFETY: just found.
        Some(unsafe { Self::value(found) })
    }

    #[inline]
    fn fold<B>(self, init: B, mut add: impl FnMut(B, (u32, u32, &'a V)) -> B) -> B {
        // SAFETY: the value was just found.
        let add = |sum, found| add(sum, unsafe { Self::value(found) });
        // SAFETY: the slots are borrowed, shared; the cursor was made of their length.
        unsafe { self.live.fold(init, add) }
    }

    #[inline]
    fn fold_one_by_one<B>(self, init: B, mut add: impl FnMut(B, (u32, u32, &'a V)) -> B) -> B {
        // SAFETY: the value was just found.
        let add = |sum, found| add(sum, unsafe { Self::value(found) });
        // SAFETY: as in `fold`.
        unsafe { self.live.fold_one_by_one(init, add) }
    }
}

/// Goes through values by mutable reference.
pub(crate) struct WalkMut<'a, V> {
    /// Of slots that are borrowed for `'a`.
    live: LiveSlots<'a, V>,
    borrow: PhantomData<&'a mut Slots<V>>,
}

// SAFETY: it is a mutable borrow of values, and of nothing else that has a thread.
unsafe impl<V: Send> Send for WalkMut<'_, V> {}
// SAFETY: through `&WalkMut` no value is reached.
unsafe impl<V: Sync> Sync for WalkMut<'_, V> {}

impl<'a, V> WalkMut<'a, V> {
    #[inline]
    pub(crate) fn new(slots: &'a mut Slots<V>, holes: &'a [u64]) -> Self {
        Self { live: LiveSlots::new(slots, holes), borrow: PhantomData }
    }

    /// The same walk, for the time of a borrow.
    #[inline]
    pub(crate) fn reborrow(&mut self) -> WalkMut<'_, V> {
        WalkMut { live: self.live.clone(), borrow: PhantomData }
    }

    /// # Safety
    ///
    /// - The slot was found by a `LiveSlots` of a walk of this lifetime, and for the first time.
    #[inline]
    unsafe fn value((index, generation, slot): LiveSlot<V>) -> (u32, u32, &'a mut V) {
        // SAFETY: live; nobody else reaches the slots for `'a`, and this walk comes here once.
        (index, generation, unsafe { array::value_of_mut(slot) })
    }

    /// See [`WalkRef::next_block`].
    #[inline]
    pub(crate) fn next_block(&mut self) -> Option<Self> {
        // SAFETY: the slots are borrowed; the cursor was made of their length.
        Some(Self { live: unsafe { self.live.next_block() }?, borrow: PhantomData })
    }

    /// See [`WalkRef::block_start`].
    #[inline]
    pub(crate) fn block_start(&self) -> u32 {
        self.live.word().start()
    }

    /// See [`WalkRef::block_ptr`].
    #[inline]
    pub(crate) fn block_ptr(&self) -> *mut V {
        self.live.block_ptr()
    }

    /// See [`WalkRef::block_mask`].
    #[inline]
    pub(crate) fn block_mask(&mut self, all_live: bool) -> u64 {
        if all_live { self.live.word().left() } else { live_mask(self.reborrow()) }
    }

    #[cfg(feature = "rayon")]
    pub(crate) fn split(self) -> (Self, Option<Self>) {
        // SAFETY: the slots are borrowed; the cursor was made of their length.
        let (left, right) = unsafe { self.live.split() };
        let part = |live| Self { live, borrow: PhantomData };
        (part(left), right.map(part))
    }
}

impl<'a, V> Walk for WalkMut<'a, V> {
    type Value = &'a mut V;

    #[inline]
    fn step(&mut self) -> Option<(u32, u32, &'a mut V)> {
        // SAFETY: the slots are borrowed; the cursor was made of their length.
        let found = unsafe { self.live.step() }?;
        // SAFETY: just found, and each is once.
        Some(unsafe { Self::value(found) })
    }

    #[inline]
    fn step_back(&mut self) -> Option<(u32, u32, &'a mut V)> {
        // SAFETY: the slots are borrowed; the cursor was made of their length.
        let found = unsafe { self.live.step_back() }?;
        // SAFETY: just found, and each is once.
        Some(unsafe { Self::value(found) })
    }

    #[inline]
    fn fold<B>(self, init: B, mut add: impl FnMut(B, (u32, u32, &'a mut V)) -> B) -> B {
        // SAFETY: just found, and each is once.
        let add = |sum, found| add(sum, unsafe { Self::value(found) });
        // SAFETY: the slots are borrowed, and `add` reaches values alone; the cursor was made of their
        // length.
        unsafe { self.live.fold(init, add) }
    }

    #[inline]
    fn fold_one_by_one<B>(self, init: B, mut add: impl FnMut(B, (u32, u32, &'a mut V)) -> B) -> B {
        // SAFETY: just found, and each is once.
        let add = |sum, found| add(sum, unsafe { Self::value(found) });
        // SAFETY: as in `fold`.
        unsafe { self.live.fold_one_by_one(init, add) }
    }
}

/// A bit for each slot of a block that the walk gives.
fn live_mask(walk: impl Walk) -> u64 {
    walk.fold(0, |mask, (index, _, _)| mask | 1 << (index % 64))
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
    fn take(&mut self, index: u32) -> Option<(u32, u32, V)> {
        let generation = self.slots.state(index).live_generation()?;
        Some((index, generation, self.slots.take(index, generation, Vacant::EMPTY)?))
    }
}

#[cfg(feature = "rayon")]
impl<V> WalkOwned<V> {
    /// A walk over the same, to be shared out. What it does not come to stays here.
    pub(crate) fn share(&mut self) -> WalkTake<'_, V> {
        let live = LiveSlots::with_cursor(self.slots.start(), &self.holes, self.cursor.clone());
        WalkTake(WalkMut { live, borrow: PhantomData })
    }
}

/// Moves the values out of slots that somebody else owns, and that are of no map any more.
#[cfg(feature = "rayon")]
pub(crate) struct WalkTake<'a, V>(WalkMut<'a, V>);

#[cfg(feature = "rayon")]
impl<V> WalkTake<'_, V> {
    pub(crate) fn split(self) -> (Self, Option<Self>) {
        let (left, right) = self.0.split();
        (Self(left), right.map(Self))
    }

    /// # Safety
    ///
    /// - The slot was found by the `LiveSlots` of such a walk, and for the first time.
    #[inline]
    unsafe fn take((index, generation, slot): LiveSlot<V>) -> (u32, u32, V) {
        // SAFETY: below the length, and live; nobody else reaches the slots, and this walk comes here once.
        (index, generation, unsafe { array::take_value(slot) })
    }
}

#[cfg(feature = "rayon")]
impl<V> Walk for WalkTake<'_, V> {
    type Value = V;

    #[inline]
    fn step(&mut self) -> Option<(u32, u32, V)> {
        // SAFETY: the slots are borrowed; the cursor was made of their length.
        let found = unsafe { self.0.live.step() }?;
        // SAFETY: just found, and each is once.
        Some(unsafe { Self::take(found) })
    }

    #[inline]
    fn step_back(&mut self) -> Option<(u32, u32, V)> {
        // SAFETY: the slots are borrowed; the cursor was made of their length.
        let found = unsafe { self.0.live.step_back() }?;
        // SAFETY: just found, and each is once.
        Some(unsafe { Self::take(found) })
    }
}

impl<V> Walk for WalkOwned<V> {
    type Value = V;

    #[inline]
    fn step(&mut self) -> Option<(u32, u32, V)> {
        loop {
            let index = self.cursor.next(&self.holes)?;
            if let Some(item) = self.take(index) {
                return Some(item);
            }
        }
    }

    #[inline]
    fn step_back(&mut self) -> Option<(u32, u32, V)> {
        loop {
            let index = self.cursor.next_back(&self.holes)?;
            if let Some(item) = self.take(index) {
                return Some(item);
            }
        }
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
