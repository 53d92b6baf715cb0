//! Parallel iterators that know their length: each task gets a part of an iterator that can be split.

use crate::vec::SplitAt;
use rayon::iter::plumbing::Producer;

/// The part of an iterator that a task gets.
pub(super) struct Part<I>(pub(super) I);

impl<I: SplitAt + Send> Producer for Part<I> {
    type Item = I::Item;
    type IntoIter = I;

    fn into_iter(self) -> I {
        self.0
    }

    fn split_at(self, index: usize) -> (Self, Self) {
        let (left, right) = self.0.split_at(index);
        (Self(left), Self(right))
    }
}

/// Implements rayon's traits for a type whose field `items` has as `len` the number of items. `$rest` takes all of
/// them.
macro_rules! indexed {
    (
        [$($generics:tt)*] $iter:ty => $item:ty: |$this:ident| $rest:expr $(; where $($bounds:tt)*)?
    ) => {
        impl<$($generics)*> ParallelIterator for $iter $(where $($bounds)*)? {
            type Item = $item;

            fn drive_unindexed<C: UnindexedConsumer<$item>>(self, consumer: C) -> C::Result {
                bridge(self, consumer)
            }

            fn opt_len(&self) -> Option<usize> {
                Some(self.items.len())
            }
        }

        impl<$($generics)*> IndexedParallelIterator for $iter $(where $($bounds)*)? {
            fn len(&self) -> usize {
                self.items.len()
            }

            fn drive<C: Consumer<$item>>(self, consumer: C) -> C::Result {
                bridge(self, consumer)
            }

            #[allow(unused_mut, reason = "some expressions remove items from it")]
            fn with_producer<P: ProducerCallback<$item>>(self, callback: P) -> P::Output {
                let mut $this = self;
                // Dropping `$this` after this, by return or panic, closes the gap that drained items leave.
                callback.callback(Part($rest))
            }
        }
    };
}
pub(super) use indexed;

/// Implements rayon's traits for an array, except `ParallelExtend` of elements. `$this` is the array in the
/// expressions, by reference or by value.
macro_rules! parallel_array {
    (
        $array:ident, |$this:ident|
        $shared:ty: $iter:expr, $mutable:ty: $iter_mut:expr, $owned:ty: $into_iter:expr,
        $(#[$example:meta])*
    ) => {
        impl<'a, T: Sync> IntoParallelIterator for &'a $array<T> {
            type Iter = $shared;
            type Item = &'a T;

            /// Returns a parallel iterator over the elements. Needs the feature `rayon`.
            fn into_par_iter(self) -> Self::Iter {
                let $this = self;
                $iter
            }
        }

        impl<'a, T: Send> IntoParallelIterator for &'a mut $array<T> {
            type Iter = $mutable;
            type Item = &'a mut T;

            /// Returns a parallel iterator over mutable references to the elements. Needs the feature `rayon`.
            fn into_par_iter(self) -> Self::Iter {
                let $this = self;
                $iter_mut
            }
        }

        impl<T: Send> IntoParallelIterator for $array<T> {
            type Iter = $owned;
            type Item = T;

            /// Returns a parallel iterator that moves the elements out. Needs the feature `rayon`.
            $(#[$example])*
            fn into_par_iter(self) -> Self::Iter {
                let $this = self;
                $into_iter
            }
        }

        impl<'t, T: Copy + Send + Sync + 't> ParallelExtend<&'t T> for $array<T> {
            /// Appends copies of the elements of a parallel iterator, in order. Needs the feature `rayon`.
            fn par_extend<I: IntoParallelIterator<Item = &'t T>>(&mut self, iter: I) {
                self.par_extend(iter.into_par_iter().copied());
            }
        }

        impl<T: Send> FromParallelIterator<T> for $array<T> {
            /// Collects the elements of a parallel iterator, in order. Needs the feature `rayon`.
            fn from_par_iter<I: IntoParallelIterator<Item = T>>(iter: I) -> Self {
                let mut array = Self::new();
                array.par_extend(iter);
                array
            }
        }
    };
}
pub(super) use parallel_array;
