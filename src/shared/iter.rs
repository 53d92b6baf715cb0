//! [`IterFinished`]: all elements whose push has finished, in the prefix or not.

#![forbid(unsafe_code)]

use super::SharedVec;
use std::fmt;
use std::iter::FusedIterator;
use std::ops::Range;

impl<T> SharedVec<T> {
    /// Returns an iterator over all finished elements and their indices, in the order of indices.
    ///
    /// [`iter`](Self::iter) ends before the first element that is not finished. This iterator skips such elements and
    /// goes on. While other threads push:
    ///
    /// - Every element whose push returned before this call is visited.
    /// - An element whose push was in progress at this call may be visited. The iterator does not return to an element
    ///   that it has skipped.
    /// - No element whose push begins after this call is visited.
    ///
    /// It takes no lock and never waits.
    ///
    /// # Time complexity
    ///
    /// O(n) in the elements, including unfinished ones. The first call of `next` is O(1).
    ///
    /// # Examples
    ///
    /// ```
    /// use stayput::SharedVec;
    ///
    /// let log = SharedVec::from(["start"]);
    /// std::thread::scope(|threads| {
    ///     threads.spawn(|| log.push("work"));
    ///     // `work` may be missing, but an unfinished push never hides what is after it.
    ///     let (index, _) = log.push("stop");
    ///     assert!(log.iter_finished().any(|found| found == (index, &"stop")));
    /// });
    /// assert_eq!(log.iter_finished().count(), 3);
    /// ```
    pub fn iter_finished(&self) -> IterFinished<'_, T> {
        let end = if Self::IS_UNSIZED { self.places.counted() } else { self.places.issued() };
        IterFinished { vec: self, indices: 0..end }
    }
}

/// An iterator over all finished elements of a [`SharedVec`] and their indices.
///
/// This struct is created by [`SharedVec::iter_finished`]. See its documentation for more.
pub struct IterFinished<'s, T> {
    vec: &'s SharedVec<T>,
    indices: Range<usize>,
}

impl<'s, T> Iterator for IterFinished<'s, T> {
    type Item = (usize, &'s T);

    #[inline]
    fn next(&mut self) -> Option<(usize, &'s T)> {
        self.indices.find_map(|index| Some((index, self.vec.get(index)?)))
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        (0, Some(self.indices.len()))
    }
}

impl<'s, T> DoubleEndedIterator for IterFinished<'s, T> {
    #[inline]
    fn next_back(&mut self) -> Option<(usize, &'s T)> {
        self.indices.by_ref().rev().find_map(|index| Some((index, self.vec.get(index)?)))
    }
}

impl<T> FusedIterator for IterFinished<'_, T> {}

clone_fields!([T] IterFinished<'_, T>: vec, indices);

debug_items!([T: fmt::Debug] IterFinished<'_, T>, debug_map, |items| items.clone());
