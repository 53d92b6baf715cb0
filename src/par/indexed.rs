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
