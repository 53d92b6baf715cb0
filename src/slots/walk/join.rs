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

use super::{Walk, WalkMut, WalkRef};
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
    fn halves(self) -> (Self, Option<Self>);
}

// SAFETY: its cursor gives each index once, and so do both parts of that.
unsafe impl<V> EachOnce for WalkRef<'_, V> {
    #[cfg(feature = "rayon")]
    fn halves(self) -> (Self, Option<Self>) {
        self.split()
    }
}

// SAFETY: the same.
unsafe impl<V> EachOnce for WalkMut<'_, V> {
    #[cfg(feature = "rayon")]
    fn halves(self) -> (Self, Option<Self>) {
        self.split()
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

/// Looks values up by shared reference.
#[expect(missing_debug_implementations, reason = "nobody can name it")]
pub struct LookRef<'a, V> {
    at: At<V>,
    borrow: PhantomData<&'a Slots<V>>,
}

/// Looks values up by mutable reference.
#[expect(missing_debug_implementations, reason = "nobody can name it")]
pub struct LookMut<'a, V> {
    at: At<V>,
    borrow: PhantomData<&'a mut Slots<V>>,
}

/// Where slots are that are borrowed.
struct At<V> {
    start: NonNull<Slot<V>>,
    len: usize,
}

// SAFETY: it is a shared borrow of values, and of nothing else that has a thread.
unsafe impl<V: Sync> Send for LookRef<'_, V> {}
// SAFETY: the same.
unsafe impl<V: Sync> Sync for LookRef<'_, V> {}
// SAFETY: it is a mutable borrow of values, and of nothing else that has a thread.
unsafe impl<V: Send> Send for LookMut<'_, V> {}
// SAFETY: through `&LookMut` no value is reached but by those who promise to be the only ones.
unsafe impl<V: Sync> Sync for LookMut<'_, V> {}

impl<V> At<V> {
    /// The slot of a value.
    ///
    /// # Safety
    ///
    /// - The slots are borrowed, and nobody writes to the states.
    #[inline]
    unsafe fn find(self, index: u32, generation: u32) -> Option<NonNull<Slot<V>>> {
        if index as usize >= self.len {
            return None;
        }
        // SAFETY: below the length, so inside the array.
        let slot = unsafe { self.start.add(index as usize) };
        // SAFETY: below the length; nobody writes to the state, by the caller's promise.
        unsafe { array::is_live_with(slot, generation) }.then_some(slot)
    }
}

impl<V> Clone for At<V> {
    #[inline]
    fn clone(&self) -> Self {
        *self
    }
}

impl<V> Copy for At<V> {}

impl<'a, V> LookRef<'a, V> {
    #[inline]
    pub(crate) fn new(slots: &'a Slots<V>) -> Self {
        Self { at: At { start: slots.start(), len: slots.len() }, borrow: PhantomData }
    }
}

impl<'a, V> LookMut<'a, V> {
    #[inline]
    pub(crate) fn new(slots: &'a mut Slots<V>) -> Self {
        Self { at: At { start: slots.start(), len: slots.len() }, borrow: PhantomData }
    }
}

impl<V> LookRef<'_, V> {
    /// The same, that finds nothing.
    #[inline]
    pub(crate) const fn at_nothing(mut self) -> Self {
        self.at.len = 0;
        self
    }
}

impl<V> LookMut<'_, V> {
    /// The same, that finds nothing.
    #[inline]
    pub(crate) const fn at_nothing(mut self) -> Self {
        self.at.len = 0;
        self
    }
}

impl<V> Clone for LookRef<'_, V> {
    #[inline]
    fn clone(&self) -> Self {
        *self
    }
}

impl<V> Copy for LookRef<'_, V> {}

impl<'a, V> Look for LookRef<'a, V> {
    type Value = &'a V;

    #[inline]
    unsafe fn look(&self, index: u32, generation: u32) -> Option<&'a V> {
        // SAFETY: the slots are borrowed for `'a`.
        let slot = unsafe { self.at.find(index, generation) }?;
        // SAFETY: live, and the slots are borrowed for `'a`.
        Some(unsafe { array::value_of(slot) })
    }

    unsafe fn split(&self) -> Self {
        *self
    }
}

impl<'a, V> Look for LookMut<'a, V> {
    type Value = &'a mut V;

    #[inline]
    unsafe fn look(&self, index: u32, generation: u32) -> Option<&'a mut V> {
        // SAFETY: the slots are borrowed for `'a` by looks, which write to no state.
        let slot = unsafe { self.at.find(index, generation) }?;
        // SAFETY: live; the slots are borrowed for `'a`, and nobody comes here a second time, by the
        // caller's promise.
        Some(unsafe { array::value_of_mut(slot) })
    }

    unsafe fn split(&self) -> Self {
        Self { at: self.at, borrow: PhantomData }
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

    #[cfg(feature = "rayon")]
    pub(crate) fn split(self) -> (Self, Option<Self>) {
        let Self { walk, look } = self;
        let (left, right) = walk.halves();
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
