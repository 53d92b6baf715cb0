//! [`Iter`], [`IterMut`], [`BlockIter`], [`BlockIterMut`]: iterators over elements, and over slices of them.

#![forbid(unsafe_code)]

use super::raw::{Runs, RunsMut};
#[cfg(feature = "rayon")]
use crate::vec::SplitAt;
use std::fmt;
use std::iter::FusedIterator;
use std::mem;
use std::slice;

/// An iterator over the elements of a [`BlockVec`](super::BlockVec).
///
/// This struct is created by [`BlockVec::iter`](super::BlockVec::iter). See its documentation for more.
pub struct Iter<'a, T> {
    front: slice::Iter<'a, T>,
    runs: Runs<'a, T>,
    back: slice::Iter<'a, T>,
}

/// An iterator over mutable references to the elements of a [`BlockVec`](super::BlockVec).
///
/// This struct is created by [`BlockVec::iter_mut`](super::BlockVec::iter_mut). See its documentation for more.
pub struct IterMut<'a, T> {
    front: slice::IterMut<'a, T>,
    runs: RunsMut<'a, T>,
    back: slice::IterMut<'a, T>,
}

/// An iterator over the elements of a [`BlockVec`](super::BlockVec) as slices.
///
/// This struct is created by [`BlockVec::blocks`](super::BlockVec::blocks). See its documentation for more.
pub struct BlockIter<'a, T> {
    runs: Runs<'a, T>,
}

/// An iterator over the elements of a [`BlockVec`](super::BlockVec) as mutable slices.
///
/// This struct is created by [`BlockVec::blocks_mut`](super::BlockVec::blocks_mut). See its documentation for more.
pub struct BlockIterMut<'a, T> {
    runs: RunsMut<'a, T>,
}

clone_fields!([T] Iter<'_, T>: front, runs, back);

clone_fields!([T] BlockIter<'_, T>: runs);

macro_rules! iterators {
    ($elements:ident, $blocks:ident, $runs:ident, $element:ty, $slice:ty) => {
        impl<'a, T> $elements<'a, T> {
            #[inline]
            pub(super) fn new(runs: $runs<'a, T>) -> Self {
                Self { front: Default::default(), runs, back: Default::default() }
            }

            /// Loads the next run into `front`, after the last one ended. Returns `false` if there is none.
            // Inlined, so that a loop keeps the iterator in registers; the rarely needed parts are not.
            #[inline]
            fn step(&mut self) -> bool {
                self.front = match self.runs.next_seldom() {
                    Some(run) => run.into_iter(),
                    None => mem::take(&mut self.back),
                };
                self.front.len() > 0
            }

            /// The same for `back`.
            #[inline]
            fn step_back(&mut self) -> bool {
                self.back = match self.runs.next_back_seldom() {
                    Some(run) => run.into_iter(),
                    None => mem::take(&mut self.front),
                };
                self.back.len() > 0
            }

            /// Returns the first result of `look`, which is called with one slice after another.
            #[inline]
            fn search<B>(
                &mut self,
                mut look: impl FnMut(&mut slice::$elements<'a, T>) -> Option<B>,
            ) -> Option<B> {
                loop {
                    let found = look(&mut self.front);
                    if found.is_some() || !self.step() {
                        return found;
                    }
                }
            }
        }

        #[cfg(feature = "rayon")]
        impl<T> SplitAt for $elements<'_, T> {
            /// Requires that no element was yielded yet.
            fn split_at(self, count: usize) -> (Self, Self) {
                assert!(self.front.len() == 0 && self.back.len() == 0);
                let (left, right) = self.runs.split_at(count);
                (Self::new(left), Self::new(right))
            }
        }

        impl<'a, T> Iterator for $elements<'a, T> {
            type Item = $element;

            #[inline]
            fn next(&mut self) -> Option<$element> {
                loop {
                    let next = self.front.next();
                    if next.is_some() || !self.step() {
                        return next;
                    }
                }
            }

            #[inline]
            fn size_hint(&self) -> (usize, Option<usize>) {
                let count = self.front.len() + self.runs.len() + self.back.len();
                (count, Some(count))
            }

            fn count(self) -> usize {
                self.len()
            }

            fn last(mut self) -> Option<$element> {
                self.next_back()
            }

            fn nth(&mut self, n: usize) -> Option<$element> {
                let Some(n) = n.checked_sub(self.front.len()) else { return self.front.nth(n) };
                self.front = Default::default();
                let Some(n) = n.checked_sub(self.runs.len()) else {
                    self.runs.skip(n);
                    return self.next();
                };
                self.runs.skip(self.runs.len());
                self.back.nth(n)
            }

            fn fold<A, F: FnMut(A, $element) -> A>(mut self, start: A, mut f: F) -> A {
                let mut sum = self.front.fold(start, &mut f);
                while let Some(run) = self.runs.next() {
                    sum = run.into_iter().fold(sum, &mut f);
                }
                self.back.fold(sum, f)
            }

            fn all<F: FnMut($element) -> bool>(&mut self, mut f: F) -> bool {
                self.search(|front| (!front.all(&mut f)).then_some(())).is_none()
            }

            fn any<F: FnMut($element) -> bool>(&mut self, mut f: F) -> bool {
                self.search(|front| front.any(&mut f).then_some(())).is_some()
            }

            fn find<P: FnMut(&$element) -> bool>(&mut self, mut predicate: P) -> Option<$element> {
                self.search(|front| front.find(&mut predicate))
            }

            fn find_map<B, F: FnMut($element) -> Option<B>>(&mut self, mut f: F) -> Option<B> {
                self.search(|front| front.find_map(&mut f))
            }

            fn position<P: FnMut($element) -> bool>(&mut self, mut predicate: P) -> Option<usize> {
                let mut before = 0;
                self.search(|front| {
                    let here = front.len();
                    let found = front.position(&mut predicate).map(|index| before + index);
                    before += here;
                    found
                })
            }
        }

        impl<'a, T> DoubleEndedIterator for $elements<'a, T> {
            #[inline]
            fn next_back(&mut self) -> Option<$element> {
                loop {
                    let last = self.back.next_back();
                    if last.is_some() || !self.step_back() {
                        return last;
                    }
                }
            }

            fn nth_back(&mut self, n: usize) -> Option<$element> {
                let Some(n) = n.checked_sub(self.back.len()) else { return self.back.nth_back(n) };
                self.back = Default::default();
                let Some(n) = n.checked_sub(self.runs.len()) else {
                    self.runs.skip_back(n);
                    return self.next_back();
                };
                self.runs.skip_back(self.runs.len());
                self.front.nth_back(n)
            }

            fn rfold<A, F: FnMut(A, $element) -> A>(mut self, start: A, mut f: F) -> A {
                let mut sum = self.back.rfold(start, &mut f);
                while let Some(run) = self.runs.next_back() {
                    sum = run.into_iter().rfold(sum, &mut f);
                }
                self.front.rfold(sum, f)
            }
        }

        impl<T> ExactSizeIterator for $elements<'_, T> {}
        impl<T> FusedIterator for $elements<'_, T> {}

        impl<'a, T> $blocks<'a, T> {
            pub(super) fn new(runs: $runs<'a, T>) -> Self {
                Self { runs }
            }
        }

        exact_iterator! {
            ['a, T] $blocks<'a, T> => $slice:
            |iter| iter.runs.count(), iter.runs.next(), iter.runs.next_back()
        }
    };
}

iterators!(Iter, BlockIter, Runs, &'a T, &'a [T]);
iterators!(IterMut, BlockIterMut, RunsMut, &'a mut T, &'a mut [T]);

debug_items!([T: fmt::Debug] Iter<'_, T>, debug_list, |items| items.clone());

debug_items!([T: fmt::Debug] BlockIter<'_, T>, debug_list, |items| items.clone());

debug_items! {
    [T: fmt::Debug] IterMut<'_, T>, debug_list,
    |items| items.front.as_slice().iter().chain(Iter::new(items.runs.rest())).chain(items.back.as_slice())
}

debug_items!([T: fmt::Debug] BlockIterMut<'_, T>, debug_list, |items| BlockIter::new(items.runs.rest()));
