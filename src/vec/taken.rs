//! [`Taken`]: elements that tasks take out, and [`SplitAt`], by which they share them out.

#![expect(unsafe_code, reason = "takes elements out")]

use std::mem::{self, ManuallyDrop};
use std::{ptr, slice};

/// An iterator that can be cut in two.
pub(crate) trait SplitAt: DoubleEndedIterator + ExactSizeIterator {
    /// The first `count` items, of as many or more, and the others.
    fn split_at(self, count: usize) -> (Self, Self)
    where
        Self: Sized;
}

/// Gives out elements that lie side by side, from both ends; what is left is dropped.
pub(crate) struct Taken<'a, T> {
    slots: slice::IterMut<'a, ManuallyDrop<T>>,
}

impl<'a, T> Taken<'a, T> {
    /// # Safety
    ///
    /// - Nobody uses the elements, or drops them, but through what is returned.
    pub(super) unsafe fn new(slots: &'a mut [ManuallyDrop<T>]) -> Self {
        Self { slots: slots.iter_mut() }
    }
}

impl<T> SplitAt for Taken<'_, T> {
    fn split_at(mut self, count: usize) -> (Self, Self) {
        // They belong to the two parts.
        let slots = mem::take(&mut self.slots).into_slice();
        let (left, right) = slots.split_at_mut(count);
        (Self { slots: left.iter_mut() }, Self { slots: right.iter_mut() })
    }
}

exact_iterator! {
    [T] Taken<'_, T> => T:
    |taken| taken.slots.len(),
    // SAFETY: nobody else has it, as `new` was promised, and it is given out here once.
    taken.slots.next().map(|slot| unsafe { ManuallyDrop::take(slot) }),
    // SAFETY: nobody else has it, as `new` was promised, and it is given out here once.
    taken.slots.next_back().map(|slot| unsafe { ManuallyDrop::take(slot) })
}

impl<T> Drop for Taken<'_, T> {
    fn drop(&mut self) {
        let rest = ptr::from_mut(mem::take(&mut self.slots).into_slice()) as *mut [T];
        // SAFETY: initialised, in the layout of `T`, and nobody else has them, as `new` was promised. Should a drop
        // panic, the others are dropped still.
        unsafe { rest.drop_in_place() }
    }
}
