//! [`Taken`]: elements that tasks take, and [`SplitAt`], which divides them among tasks.

#![expect(unsafe_code, reason = "moves elements out")]

use std::mem::{self, ManuallyDrop};
use std::{ptr, slice};

/// An iterator that can be split in two.
pub(crate) trait SplitAt: DoubleEndedIterator + ExactSizeIterator {
    /// Splits off the first `count` items, which must not be more than there are.
    fn split_at(self, count: usize) -> (Self, Self)
    where
        Self: Sized;
}

/// A double-ended iterator that moves out contiguous elements. Those not yielded are dropped.
pub(crate) struct Taken<'a, T> {
    slots: slice::IterMut<'a, ManuallyDrop<T>>,
}

impl<'a, T> Taken<'a, T> {
    /// # Safety
    ///
    /// - The elements are used and dropped only through what is returned.
    pub(super) unsafe fn new(slots: &'a mut [ManuallyDrop<T>]) -> Self {
        Self { slots: slots.iter_mut() }
    }
}

impl<T> SplitAt for Taken<'_, T> {
    fn split_at(mut self, count: usize) -> (Self, Self) {
        // The two parts own them from here on.
        let slots = mem::take(&mut self.slots).into_slice();
        let (left, right) = slots.split_at_mut(count);
        (Self { slots: left.iter_mut() }, Self { slots: right.iter_mut() })
    }
}

exact_iterator! {
    [T] Taken<'_, T> => T:
    |taken| taken.slots.len(),
    // SAFETY: only `self` uses it, as `new` requires, and it is yielded once.
    taken.slots.next().map(|slot| unsafe { ManuallyDrop::take(slot) }),
    // SAFETY: only `self` uses it, as `new` requires, and it is yielded once.
    taken.slots.next_back().map(|slot| unsafe { ManuallyDrop::take(slot) })
}

impl<T> Drop for Taken<'_, T> {
    fn drop(&mut self) {
        let rest = ptr::from_mut(mem::take(&mut self.slots).into_slice()) as *mut [T];
        // SAFETY: the elements are initialised, in the layout of `T`, and only `self` uses them, as `new` requires. If
        // a drop panics, the others are still dropped.
        unsafe { rest.drop_in_place() }
    }
}
