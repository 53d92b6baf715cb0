//! Walks with a look beside: what other slots hold at the same index, of the same generation.
//!
//! # Why this is sound
//!
//! A [`LookRef`] borrows slots shared, a [`LookMut`] mutably, for `'a`; both for as long have their start
//! and their length, and check each index against that. The references they give are of that lifetime. Of
//! mutable ones no two are to one value: a look asks for each index once at most. For it is told
//! indices by a [`Joined`] alone, which has them from a walk that gives none twice ([`EachOnce`]), and
//! is split only as that is: each part of the walk has a look of its own, over the same slots. No index
//! comes from a key, which is a user's. The tuple of two looks has two borrows, which are not of the
//! same slots if one is mutable.

#![expect(unsafe_code, reason = "gives out references to one value after another")]

use super::{FromSlot, Walk, WalkLive};
use crate::slots::array::{self, Slot, Slots};
use std::marker::PhantomData;
use std::ptr::NonNull;

/// A walk for which no index comes up twice.
///
/// # Safety
///
/// - It gives no index twice, and of the two that it is split into, none gives one that the other gives.
pub(crate) unsafe trait EachOnce: Walk {
    /// Two walks, each over about half, if there is enough.
    #[cfg(feature = "rayon")]
    fn split(self) -> (Self, Option<Self>);
}

// SAFETY: its cursor gives each index once, and so do both parts of that.
unsafe impl<V, T: FromSlot<V>> EachOnce for WalkLive<'_, V, T> {
    #[cfg(feature = "rayon")]
    fn split(self) -> (Self, Option<Self>) {
        // SAFETY: the slots are borrowed; the cursor was made of their length.
        let (left, right) = unsafe { self.live.split() };
        let part = |live| Self { live, given: PhantomData };
        (part(left), right.map(part))
    }
}

/// What is looked up in beside a walk.
pub trait Look: Sized {
    type Value;

    /// The value at an index, if it is of this generation.
    ///
    /// # Safety
    ///
    /// - This index was not looked up before, here or in one that this was split from or into; or the
    ///   look is `Clone`.
    unsafe fn look(&self, index: u32, generation: u32) -> Option<Self::Value>;

    /// Another look over the same.
    ///
    /// # Safety
    ///
    /// - No index is looked up in both; or the look is `Clone`.
    unsafe fn split(&self) -> Self;
}

/// Looks values up, and gives a reference `T` to each.
#[expect(missing_debug_implementations, reason = "nobody can name it")]
pub struct LookAt<V, T> {
    /// Of slots that are borrowed for as long as `T`.
    start: NonNull<Slot<V>>,
    len: usize,
    given: PhantomData<T>,
}

/// Looks values up by shared reference.
pub(crate) type LookRef<'a, V> = LookAt<V, &'a V>;

/// Looks values up by mutable reference.
pub(crate) type LookMut<'a, V> = LookAt<V, &'a mut V>;

// SAFETY: it is what it gives, and nothing else that has a thread.
unsafe impl<V, T: Send> Send for LookAt<V, T> {}
// SAFETY: the same; through `&LookMut` no value is reached but by those who promise to be the only ones.
unsafe impl<V, T: Sync> Sync for LookAt<V, T> {}

impl<'a, V> LookRef<'a, V> {
    #[inline]
    pub(crate) fn new(slots: &'a Slots<V>) -> Self {
        Self { start: slots.start(), len: slots.len(), given: PhantomData }
    }
}

impl<'a, V> LookMut<'a, V> {
    #[inline]
    pub(crate) fn new(slots: &'a mut Slots<V>) -> Self {
        Self { start: slots.start(), len: slots.len(), given: PhantomData }
    }
}

impl<V, T> LookAt<V, T> {
    /// The same, that finds nothing.
    #[inline]
    pub(crate) const fn at_nothing(self) -> Self {
        Self { len: 0, ..self }
    }
}

copy!([V] LookRef<'_, V>);

impl<V, T: FromSlot<V>> Look for LookAt<V, T> {
    type Value = T;

    #[inline]
    unsafe fn look(&self, index: u32, generation: u32) -> Option<T> {
        if index as usize >= self.len {
            return None;
        }
        // SAFETY: below the length, so inside the array.
        let slot = unsafe { self.start.add(index as usize) };
        // SAFETY: below the length. The slots are borrowed by looks of `LookRef::new` and `LookMut::new`, the only
        // constructors, so `T` is a reference, and no look writes to a state.
        let is_live = unsafe { array::is_live_with(slot, generation) };
        // SAFETY: live; the slots are borrowed for as long as `T`, and if that is mutable, the index is looked up once, by
        // the caller's promise.
        is_live.then(|| unsafe { T::from_slot(slot) })
    }

    unsafe fn split(&self) -> Self {
        Self { given: PhantomData, ..*self }
    }
}

/// Defines looks beside looks, by tuples.
macro_rules! tuple {
    ($($look:ident $at:tt),+) => {
        impl<$($look: Look),+> Look for ($($look,)+) {
            type Value = ($($look::Value,)+);

            #[inline]
            unsafe fn look(&self, index: u32, generation: u32) -> Option<Self::Value> {
                // SAFETY: the caller's promise is that for each.
                Some(($(unsafe { self.$at.look(index, generation) }?,)+))
            }

            unsafe fn split(&self) -> Self {
                // SAFETY: the caller's promise is that for each.
                ($(unsafe { self.$at.split() },)+)
            }
        }
    };
}

tuple!(A 0, B 1);
tuple!(A 0, B 1, C 2);
tuple!(A 0, B 1, C 2, D 3);

/// A walk, of which only that is given for which a look finds something, with that.
#[derive(Clone)]
pub(crate) struct Joined<W, L> {
    walk: W,
    look: L,
}

impl<W: EachOnce, L: Look> Joined<W, L> {
    /// Of a look that nobody looked up in.
    #[inline]
    pub(crate) fn new(walk: W, look: L) -> Self {
        Self { walk, look }
    }
}

// SAFETY: it gives those of its walk, or fewer, and so do both parts.
unsafe impl<W: EachOnce, L: Look> EachOnce for Joined<W, L> {
    #[cfg(feature = "rayon")]
    fn split(self) -> (Self, Option<Self>) {
        let Self { walk, look } = self;
        let (left, right) = walk.split();
        let right = right.map(|walk| {
            // SAFETY: neither of the walks, from which the indices are, gives one that the other gives.
            Self { walk, look: unsafe { look.split() } }
        });
        (Self { walk: left, look }, right)
    }
}

impl<W: EachOnce, L: Look> Walk for Joined<W, L> {
    type Value = (W::Value, L::Value);

    #[inline]
    fn step(&mut self) -> Option<(u32, u32, Self::Value)> {
        loop {
            let (index, generation, value) = self.walk.step()?;
            // SAFETY: the walk gives each index once, and `look` is told of no other; where it was
            // cloned with the walk, it is `Clone`.
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
