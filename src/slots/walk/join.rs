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

use super::Walk;
use super::live_slots::LiveSlots;
use crate::slots::array::Slots;
use crate::slots::array::slot::{FromSlot, Slot, SlotRef};
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

// SAFETY: by **Unvisited** it gives each index once, and the parts of a split one have none in common.
unsafe impl<V, T: FromSlot<V>> EachOnce for LiveSlots<'_, V, T> {
    #[cfg(feature = "rayon")]
    fn split(self) -> (Self, Option<Self>) {
        self.split()
    }
}

/// Slots in which values are looked up during a walk.
pub trait Lookup: Sized {
    type Value;

    /// Returns the value at an index, if it has this generation.
    ///
    /// # Safety
    ///
    /// - The lookup is that of a [`Joined`], which never returns it, or a part of one.
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
///
/// # Invariants
///
/// - **Lookup**: the first `len` slots at `start` are below the length of an array that is borrowed as long as a `T`
///   can live, mutably if that is not a shared reference.
#[expect(missing_debug_implementations, reason = "the type cannot be named outside the crate")]
pub struct SlotLookup<V, T> {
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
        // SAFETY: `index` is below the length, as checked above, so by **Lookup** **Borrowed** holds. **Access** does
        // if `T` is a shared reference; if not, the index is looked up once, by the caller's guarantee.
        unsafe { SlotRef::new(self.start, index as usize) }.get(generation)
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
                // SAFETY: this is the lookup of a `Joined`, so its parts are used only here; the index was not looked
                // up before in the tuple, so not in its parts. Both by the caller's guarantee.
                Some(($(unsafe { self.$at.look(index, generation) }?,)+))
            }

            unsafe fn split(&self) -> Self {
                // SAFETY: no index is looked up in both tuples, by the caller's guarantee, so not in both of a part.
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
    #[inline]
    pub(crate) fn new(walk: W, look: L) -> Self {
        Self { walk, look }
    }

    #[inline]
    fn next_by(
        &mut self,
        next: impl Fn(&mut W) -> Option<(u32, u32, W::Value)>,
    ) -> Option<(u32, u32, <Self as Walk>::Value)> {
        loop {
            let (index, generation, value) = next(&mut self.walk)?;
            // SAFETY: the walk returns each index once, since it is `EachOnce`, and `look` gets no others: only a
            // `Joined` looks up, so it was not used before. If it was cloned with the walk, it is `Clone`.
            if let Some(beside) = unsafe { self.look.look(index, generation) } {
                return Some((index, generation, (value, beside)));
            }
        }
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
        self.next_by(W::step)
    }

    #[inline]
    fn step_back(&mut self) -> Option<(u32, u32, Self::Value)> {
        self.next_by(W::step_back)
    }

    #[inline]
    fn fold<B>(self, init: B, mut add: impl FnMut(B, (u32, u32, Self::Value)) -> B) -> B {
        let Self { walk, look } = self;
        walk.fold_one_by_one(init, |sum, (index, generation, value)| {
            // SAFETY: as in `next_by`.
            match unsafe { look.look(index, generation) } {
                Some(beside) => add(sum, (index, generation, (value, beside))),
                None => sum,
            }
        })
    }
}
