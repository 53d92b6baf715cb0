//! Walks with look-ups in other slots, at the same index and generation.
//!
//! # Why this is sound
//!
//! A [`LookupRef`] borrows slots shared and a [`LookupMut`] mutably, for `'a`. Both know the start and length of the
//! slots for that time, and check each index against the length. The references that they return have that lifetime. No
//! two mutable ones are to the same value, since a lookup is asked for each index at most once: only a [`Joined`]
//! passes it indices, and takes them from a walk that returns none twice ([`EachOnce`]). A lookup is split only with
//! its walk; each part of the walk then has a lookup of its own over the same slots. No index comes from a key, whose
//! code is the user's. A tuple of lookups holds several borrows, which are of distinct slots if one is mutable.

#![expect(unsafe_code, reason = "returns references to the values of slots")]

use super::{FromSlot, Walk, WalkLive};
use crate::slots::array::{self, Slot, Slots};
use std::marker::PhantomData;
use std::ptr::NonNull;

/// A walk that visits no index twice.
///
/// # Safety
///
/// - It returns no index twice, and the two parts of a split return no index in common.
pub(crate) unsafe trait EachOnce: Walk {
    /// Splits it into two walks of about half each, if enough is left.
    #[cfg(feature = "rayon")]
    fn split(self) -> (Self, Option<Self>);
}

// SAFETY: its cursor returns each index once, and so do both parts of a split cursor.
unsafe impl<V, T: FromSlot<V>> EachOnce for WalkLive<'_, V, T> {
    #[cfg(feature = "rayon")]
    fn split(self) -> (Self, Option<Self>) {
        // SAFETY: the slots are borrowed, and the cursor was made from their length.
        let (left, right) = unsafe { self.live.split() };
        let part = |live| Self { live, given: PhantomData };
        (part(left), right.map(part))
    }
}

/// Slots in which values are looked up during a walk.
pub trait Lookup: Sized {
    type Value;

    /// Returns the value at an index, if it has this generation.
    ///
    /// # Safety
    ///
    /// - The index was not looked up before, here or in a lookup that this was split from or into; or the lookup is
    ///   `Clone`.
    unsafe fn look(&self, index: u32, generation: u32) -> Option<Self::Value>;

    /// Returns another lookup over the same slots.
    ///
    /// # Safety
    ///
    /// - No index is looked up in both; or the lookup is `Clone`.
    unsafe fn split(&self) -> Self;
}

/// Looks up values, and returns a reference `T` to each.
#[expect(missing_debug_implementations, reason = "the type cannot be named outside the crate")]
pub struct SlotLookup<V, T> {
    /// Of slots that are borrowed for as long as `T` lives.
    start: NonNull<Slot<V>>,
    len: usize,
    given: PhantomData<T>,
}

pub(crate) type LookupRef<'a, V> = SlotLookup<V, &'a V>;

pub(crate) type LookupMut<'a, V> = SlotLookup<V, &'a mut V>;

// SAFETY: it gives access to `T`s and to nothing else.
unsafe impl<V, T: Send> Send for SlotLookup<V, T> {}
// SAFETY: as above. Through `&LookupMut`, a value is reached only by unsafe calls, whose callers guarantee that each
// index is looked up once.
unsafe impl<V, T: Sync> Sync for SlotLookup<V, T> {}

impl<'a, V> LookupRef<'a, V> {
    #[inline]
    pub(crate) fn new(slots: &'a Slots<V>) -> Self {
        Self { start: slots.start(), len: slots.len(), given: PhantomData }
    }
}

impl<'a, V> LookupMut<'a, V> {
    #[inline]
    pub(crate) fn new(slots: &'a mut Slots<V>) -> Self {
        Self { start: slots.start(), len: slots.len(), given: PhantomData }
    }
}

impl<V, T> SlotLookup<V, T> {
    /// Returns a lookup that finds nothing.
    #[inline]
    pub(crate) const fn at_nothing(self) -> Self {
        Self { len: 0, ..self }
    }
}

copy!([V] LookupRef<'_, V>);

impl<V, T: FromSlot<V>> Lookup for SlotLookup<V, T> {
    type Value = T;

    #[inline]
    unsafe fn look(&self, index: u32, generation: u32) -> Option<T> {
        if index as usize >= self.len {
            return None;
        }
        // SAFETY: `index` is below the length, as checked above, so the slot lies within the array.
        let slot = unsafe { self.start.add(index as usize) };
        // SAFETY: the slot is below the length. `LookupRef::new` and `LookupMut::new`, the only constructors, borrow
        // the slots, so `T` is a reference, and no lookup writes to a state.
        let is_live = unsafe { array::is_live_with(slot, generation) };
        // SAFETY: the slot is live, and the slots are borrowed for as long as `T` lives. If `T` is mutable, the caller
        // guarantees that the index is looked up once.
        is_live.then(|| unsafe { T::from_slot(slot) })
    }

    unsafe fn split(&self) -> Self {
        Self { given: PhantomData, ..*self }
    }
}

/// Implements lookups for tuples of them.
macro_rules! tuple {
    ($($look:ident $at:tt),+) => {
        impl<$($look: Lookup),+> Lookup for ($($look,)+) {
            type Value = ($($look::Value,)+);

            #[inline]
            unsafe fn look(&self, index: u32, generation: u32) -> Option<Self::Value> {
                // SAFETY: the caller guarantees the requirements for each lookup of the tuple.
                Some(($(unsafe { self.$at.look(index, generation) }?,)+))
            }

            unsafe fn split(&self) -> Self {
                // SAFETY: the caller guarantees the requirements for each lookup of the tuple.
                ($(unsafe { self.$at.split() },)+)
            }
        }
    };
}

tuple!(A 0, B 1);
tuple!(A 0, B 1, C 2);
tuple!(A 0, B 1, C 2, D 3);

/// A walk that returns only items for which a lookup finds a value, together with that.
#[derive(Clone)]
pub(crate) struct Joined<W, L> {
    walk: W,
    look: L,
}

impl<W: EachOnce, L: Lookup> Joined<W, L> {
    /// `look` must not have been used yet.
    #[inline]
    pub(crate) fn new(walk: W, look: L) -> Self {
        Self { walk, look }
    }
}

// SAFETY: it returns the indices of its walk or fewer, and so do both parts of a split.
unsafe impl<W: EachOnce, L: Lookup> EachOnce for Joined<W, L> {
    #[cfg(feature = "rayon")]
    fn split(self) -> (Self, Option<Self>) {
        let Self { walk, look } = self;
        let (left, right) = walk.split();
        let right = right.map(|walk| {
            // SAFETY: all indices come from the two walks, which have none in common.
            Self { walk, look: unsafe { look.split() } }
        });
        (Self { walk: left, look }, right)
    }
}

impl<W: EachOnce, L: Lookup> Walk for Joined<W, L> {
    type Value = (W::Value, L::Value);

    #[inline]
    fn step(&mut self) -> Option<(u32, u32, Self::Value)> {
        loop {
            let (index, generation, value) = self.walk.step()?;
            // SAFETY: the walk returns each index once, and `look` gets no others. If it was cloned with the walk, it
            // is `Clone`.
            if let Some(beside) = unsafe { self.look.look(index, generation) } {
                return Some((index, generation, (value, beside)));
            }
        }
    }

    #[inline]
    fn step_back(&mut self) -> Option<(u32, u32, Self::Value)> {
        loop {
            let (index, generation, value) = self.walk.step_back()?;
            // SAFETY: as in `step`.
            if let Some(beside) = unsafe { self.look.look(index, generation) } {
                return Some((index, generation, (value, beside)));
            }
        }
    }

    #[inline]
    fn fold<B>(self, init: B, mut add: impl FnMut(B, (u32, u32, Self::Value)) -> B) -> B {
        let Self { walk, look } = self;
        walk.fold_one_by_one(init, |sum, (index, generation, value)| {
            // SAFETY: as in `step`.
            match unsafe { look.look(index, generation) } {
                Some(beside) => add(sum, (index, generation, (value, beside))),
                None => sum,
            }
        })
    }
}
