//! [`Iter`], [`IterMut`], [`BlockIter`], [`BlockIterMut`]: elements, and slices of them.

#![forbid(unsafe_code)]

use super::raw::{Runs, RunsMut};
#[cfg(feature = "rayon")]
use crate::vec::SplitAt;
use std::fmt;
use std::iter::FusedIterator;
use std::mem;
use std::slice;

/// The elements of a [`BlockVec`](super::BlockVec), made by [`BlockVec::iter`](super::BlockVec::iter).
pub struct Iter<'a, T> {
    /// The elements in front of those in `runs`.
    front: slice::Iter<'a, T>,
    runs: Runs<'a, T>,
    /// Those behind them.
    back: slice::Iter<'a, T>,
}

/// The elements of a [`BlockVec`](super::BlockVec), to be changed, made by
/// [`BlockVec::iter_mut`](super::BlockVec::iter_mut).
pub struct IterMut<'a, T> {
    /// The elements in front of those in `runs`.
    front: slice::IterMut<'a, T>,
    runs: RunsMut<'a, T>,
    /// Those behind them.
    back: slice::IterMut<'a, T>,
}

/// The elements of a [`BlockVec`](super::BlockVec) as slices, made by [`BlockVec::blocks`](super::BlockVec::blocks).
pub struct BlockIter<'a, T> {
    runs: Runs<'a, T>,
}

/// The elements of a [`BlockVec`](super::BlockVec) as slices, to be changed, made by
/// [`BlockVec::blocks_mut`](super::BlockVec::blocks_mut).
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

            /// Has the next elements be in front, where there are none any more. Whether there are some.
            // Inlined, so that a loop has all of the iterator in registers; what is seldom done is called from here.
            #[inline]
            fn step(&mut self) -> bool {
                self.front = match self.runs.next_seldom() {
                    Some(run) => run.into_iter(),
                    None => mem::take(&mut self.back),
                };
                self.front.len() > 0
            }

            /// The same at the other end.
            #[inline]
            fn step_back(&mut self) -> bool {
                self.back = match self.runs.next_back_seldom() {
                    Some(run) => run.into_iter(),
                    None => mem::take(&mut self.front),
                };
                self.back.len() > 0
            }
        }

        #[cfg(feature = "rayon")]
        impl<T> SplitAt for $elements<'_, T> {
            /// Where none was given out yet.
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
                loop {
                    if !self.front.all(&mut f) {
                        return false;
                    }
                    if !self.step() {
                        return true;
                    }
                }
            }

            fn any<F: FnMut($element) -> bool>(&mut self, mut f: F) -> bool {
                loop {
                    if self.front.any(&mut f) {
                        return true;
                    }
                    if !self.step() {
                        return false;
                    }
                }
            }

            fn find<P: FnMut(&$element) -> bool>(&mut self, mut predicate: P) -> Option<$element> {
                loop {
                    let found = self.front.find(&mut predicate);
                    if found.is_some() || !self.step() {
                        return found;
                    }
                }
            }

            fn find_map<B, F: FnMut($element) -> Option<B>>(&mut self, mut f: F) -> Option<B> {
                loop {
                    let found = self.front.find_map(&mut f);
                    if found.is_some() || !self.step() {
                        return found;
                    }
                }
            }

            fn position<P: FnMut($element) -> bool>(&mut self, mut predicate: P) -> Option<usize> {
                let mut before = 0;
                loop {
                    let here = self.front.len();
                    let found = self.front.position(&mut predicate);
                    if found.is_some() {
                        return found.map(|index| before + index);
                    }
                    before += here;
                    if !self.step() {
                        return None;
                    }
                }
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

impl<T: fmt::Debug> fmt::Debug for IterMut<'_, T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (front, back) = (self.front.as_slice(), self.back.as_slice());
        let runs = Iter::new(self.runs.rest());
        f.debug_list().entries(front).entries(runs).entries(back).finish()
    }
}

impl<T: fmt::Debug> fmt::Debug for BlockIterMut<'_, T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        BlockIter::new(self.runs.rest()).fmt(f)
    }
}
