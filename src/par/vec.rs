//! Arrays in parallel: given out by value, drained, and as slices.

#![expect(unsafe_code, reason = "takes elements out")]

use crate::vec::{Drain, IntoIter, VmVec};
use rayon::iter::plumbing::{Consumer, Producer, ProducerCallback, UnindexedConsumer, bridge};
use rayon::iter::{
    IndexedParallelIterator, IntoParallelIterator, ParallelDrainRange, ParallelIterator,
};
use std::fmt;
use std::iter::FusedIterator;
use std::mem::{self, ManuallyDrop};
use std::ops::RangeBounds;
use std::{ptr, slice};

/// The elements of an array in parallel, by value; made by `into_par_iter`.
///
/// What nobody takes is dropped.
#[must_use = "iterators are lazy"]
pub struct ParIntoIter<T> {
    elements: IntoIter<T>,
}

/// Takes a range of elements out of an array in parallel; made by `par_drain`.
///
/// The elements behind the range move down to close the gap when all tasks have ended, or when this is
/// dropped. What nobody takes is dropped. If this is forgotten instead, the array ends where the
/// range began, and the rest leaks.
#[must_use = "iterators are lazy"]
pub struct ParDrain<'v, T> {
    elements: Drain<'v, T>,
}

/// The traits of what has `elements` that can all be taken out at once.
macro_rules! by_value {
    ($name:ident $(, $lifetime:lifetime)?) => {
        impl<T: Send> ParallelIterator for $name<$($lifetime,)? T> {
            type Item = T;

            fn drive_unindexed<C: UnindexedConsumer<T>>(self, consumer: C) -> C::Result {
                bridge(self, consumer)
            }

            fn opt_len(&self) -> Option<usize> {
                Some(self.elements.len())
            }
        }

        impl<T: Send> IndexedParallelIterator for $name<$($lifetime,)? T> {
            fn len(&self) -> usize {
                self.elements.len()
            }

            fn drive<C: Consumer<T>>(self, consumer: C) -> C::Result {
                bridge(self, consumer)
            }

            fn with_producer<CB: ProducerCallback<T>>(mut self, callback: CB) -> CB::Output {
                let slots = self.elements.take_rest();
                // SAFETY: they were given up here, and are reached from nowhere else.
                let owned = unsafe { Owned::new(slots) };
                // By return or by panic, `self` is dropped behind this, and closes the gap.
                callback.callback(owned)
            }
        }

        impl<T: fmt::Debug> fmt::Debug for $name<$($lifetime,)? T> {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.debug_tuple(stringify!($name)).field(&self.elements.as_slice()).finish()
            }
        }
    };
}

pub(super) use by_value;

by_value!(ParIntoIter);
by_value!(ParDrain, '_);

impl<T: Send> IntoParallelIterator for VmVec<T> {
    type Iter = ParIntoIter<T>;
    type Item = T;

    /// Gives out the elements by value, in parallel. Needs the feature `rayon`.
    ///
    /// # Examples
    ///
    /// ```
    /// use rayon::prelude::*;
    /// use stayput::VmVec;
    ///
    /// let words: VmVec<String> = (0..1000).into_par_iter().map(|n| n.to_string()).collect();
    /// assert_eq!(words.into_par_iter().map(String::into_bytes).flatten().count(), 2890);
    /// ```
    fn into_par_iter(self) -> ParIntoIter<T> {
        ParIntoIter { elements: self.into_iter() }
    }
}

impl<'v, T: Sync> IntoParallelIterator for &'v VmVec<T> {
    type Iter = rayon::slice::Iter<'v, T>;
    type Item = &'v T;

    /// The elements in parallel, as of a slice. Needs the feature `rayon`.
    fn into_par_iter(self) -> Self::Iter {
        self.as_slice().into_par_iter()
    }
}

impl<'v, T: Send> IntoParallelIterator for &'v mut VmVec<T> {
    type Iter = rayon::slice::IterMut<'v, T>;
    type Item = &'v mut T;

    /// The elements in parallel, to be changed, as of a slice. Needs the feature `rayon`.
    fn into_par_iter(self) -> Self::Iter {
        self.as_mut_slice().into_par_iter()
    }
}

impl<'v, T: Send> ParallelDrainRange<usize> for &'v mut VmVec<T> {
    type Iter = ParDrain<'v, T>;
    type Item = T;

    /// [`drain`](VmVec::drain) in parallel. Needs the feature `rayon`.
    ///
    /// # Panics
    ///
    /// If the range ends before it starts, or beyond the length.
    ///
    /// # Examples
    ///
    /// ```
    /// use rayon::prelude::*;
    ///
    /// let mut numbers = stayput::VmVec::from([1, 2, 3, 4]);
    /// assert_eq!(numbers.par_drain(1..3).sum::<i32>(), 5);
    /// assert_eq!(numbers, [1, 4]);
    /// ```
    #[track_caller]
    fn par_drain<R: RangeBounds<usize>>(self, range: R) -> ParDrain<'v, T> {
        ParDrain { elements: self.drain(range) }
    }
}

/// Elements side by side that are to be given out: takes them out, and drops those that are left.
pub(super) struct Owned<'a, T> {
    slots: &'a mut [ManuallyDrop<T>],
}

impl<'a, T> Owned<'a, T> {
    /// # Safety
    ///
    /// - Nobody uses the elements, or drops them, but through what is returned.
    pub(super) unsafe fn new(slots: &'a mut [ManuallyDrop<T>]) -> Self {
        Self { slots }
    }
}

impl<T> Drop for Owned<'_, T> {
    fn drop(&mut self) {
        // SAFETY: nobody else has them, as `new` was promised, and they are taken from here.
        unsafe { drop_all(mem::take(&mut self.slots)) }
    }
}

impl<'a, T: Send> Producer for Owned<'a, T> {
    type Item = T;
    type IntoIter = OwnedIter<'a, T>;

    fn into_iter(mut self) -> OwnedIter<'a, T> {
        OwnedIter { slots: mem::take(&mut self.slots).iter_mut() }
    }

    fn split_at(mut self, index: usize) -> (Self, Self) {
        let (left, right) = mem::take(&mut self.slots).split_at_mut(index);
        (Self { slots: left }, Self { slots: right })
    }
}

/// Gives the elements of an [`Owned`] out.
pub(super) struct OwnedIter<'a, T> {
    slots: slice::IterMut<'a, ManuallyDrop<T>>,
}

/// Drops elements that nobody took. Should a drop panic, the others are dropped still.
///
/// # Safety
///
/// - Nobody uses the elements any more.
unsafe fn drop_all<T>(slots: &mut [ManuallyDrop<T>]) {
    let elements = ptr::from_mut(slots) as *mut [T];
    // SAFETY: initialised, in the layout of `T`, and used no more, by the caller's promise.
    unsafe { elements.drop_in_place() }
}

impl<T> Iterator for OwnedIter<'_, T> {
    type Item = T;

    #[inline]
    fn next(&mut self) -> Option<T> {
        let slot = self.slots.next()?;
        // SAFETY: nobody else has it, as `Owned::new` was promised, and it is given here once.
        Some(unsafe { ManuallyDrop::take(slot) })
    }

    #[inline]
    fn size_hint(&self) -> (usize, Option<usize>) {
        self.slots.size_hint()
    }
}

impl<T> DoubleEndedIterator for OwnedIter<'_, T> {
    #[inline]
    fn next_back(&mut self) -> Option<T> {
        let slot = self.slots.next_back()?;
        // SAFETY: nobody else has it, as `Owned::new` was promised, and it is given here once.
        Some(unsafe { ManuallyDrop::take(slot) })
    }
}

impl<T> ExactSizeIterator for OwnedIter<'_, T> {}
impl<T> FusedIterator for OwnedIter<'_, T> {}

impl<T> Drop for OwnedIter<'_, T> {
    fn drop(&mut self) {
        // SAFETY: as in `next`; these were not given out.
        unsafe { drop_all(mem::take(&mut self.slots).into_slice()) }
    }
}
