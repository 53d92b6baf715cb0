//! Iterators that know their length, in parallel: tasks get parts of an iterator that can be cut in two.

use crate::vec::SplitAt;
use rayon::iter::plumbing::Producer;

/// What a task is given of an iterator.
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

/// Implements rayon's traits for a type with `items`, whose number is their `len`. `$rest` is all that it gives.
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

            #[allow(unused_mut, reason = "items are taken out of some")]
            fn with_producer<P: ProducerCallback<$item>>(self, callback: P) -> P::Output {
                let mut $this = self;
                // By return or by panic, what the rest was taken out of is dropped behind this, and closes the gap.
                callback.callback(Part($rest))
            }
        }
    };
}
pub(super) use indexed;

/// What all arrays have in parallel, but for `ParallelExtend` of elements: `$this` is one that is gone through, by
/// reference or by value.
macro_rules! parallel_array {
    (
        $array:ident, |$this:ident|
        $shared:ty: $iter:expr, $mutable:ty: $iter_mut:expr, $owned:ty: $into_iter:expr,
        $(#[$example:meta])*
    ) => {
        impl<'a, T: Sync> IntoParallelIterator for &'a $array<T> {
            type Iter = $shared;
            type Item = &'a T;

            /// The elements in parallel. Needs the feature `rayon`.
            fn into_par_iter(self) -> Self::Iter {
                let $this = self;
                $iter
            }
        }

        impl<'a, T: Send> IntoParallelIterator for &'a mut $array<T> {
            type Iter = $mutable;
            type Item = &'a mut T;

            /// The elements in parallel, to be changed. Needs the feature `rayon`.
            fn into_par_iter(self) -> Self::Iter {
                let $this = self;
                $iter_mut
            }
        }

        impl<T: Send> IntoParallelIterator for $array<T> {
            type Iter = $owned;
            type Item = T;

            /// Gives out the elements by value, in parallel. Needs the feature `rayon`.
            $(#[$example])*
            fn into_par_iter(self) -> Self::Iter {
                let $this = self;
                $into_iter
            }
        }

        impl<'t, T: Copy + Send + Sync + 't> ParallelExtend<&'t T> for $array<T> {
            /// Appends copies of all elements that the iterator gives, in its order. Needs the feature `rayon`.
            fn par_extend<I: IntoParallelIterator<Item = &'t T>>(&mut self, iter: I) {
                self.par_extend(iter.into_par_iter().copied());
            }
        }

        impl<T: Send> FromParallelIterator<T> for $array<T> {
            /// An array of all that the iterator gives, in its order. Needs the feature `rayon`.
            fn from_par_iter<I: IntoParallelIterator<Item = T>>(iter: I) -> Self {
                let mut array = Self::new();
                array.par_extend(iter);
                array
            }
        }
    };
}
pub(super) use parallel_array;
