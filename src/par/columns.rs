//! The rows of columns in parallel. (Columns themselves, by their slices, have all that slices have.)

#![forbid(unsafe_code)]

use crate::columns::{Columns, Iter, IterMut, Row};
use rayon::iter::plumbing::{Consumer, Producer, ProducerCallback, UnindexedConsumer, bridge};
use rayon::iter::{IndexedParallelIterator, IntoParallelIterator, ParallelIterator};
use std::fmt;

/// The rows of columns in parallel; made by `par_iter`.
#[must_use = "iterators are lazy"]
pub struct ParIter<'a, R: Row> {
    rows: Iter<'a, R>,
}

/// The rows of columns in parallel, to be changed; made by `par_iter_mut`.
#[must_use = "iterators are lazy"]
pub struct ParIterMut<'a, R: Row> {
    rows: IterMut<'a, R>,
}

/// The traits of both, whose `rows` can be split.
macro_rules! rows {
    ($name:ident, $rows:ident, $part:ident, $item:ident, $shared:ident) => {
        impl<'a, R: Row + $shared> ParallelIterator for $name<'a, R>
        where
            R::Fields: $shared,
            R::$item<'a>: Send,
        {
            type Item = R::$item<'a>;

            fn drive_unindexed<C: UnindexedConsumer<Self::Item>>(self, consumer: C) -> C::Result {
                bridge(self, consumer)
            }

            fn opt_len(&self) -> Option<usize> {
                Some(self.rows.len())
            }
        }

        impl<'a, R: Row + $shared> IndexedParallelIterator for $name<'a, R>
        where
            R::Fields: $shared,
            R::$item<'a>: Send,
        {
            fn len(&self) -> usize {
                self.rows.len()
            }

            fn drive<C: Consumer<Self::Item>>(self, consumer: C) -> C::Result {
                bridge(self, consumer)
            }

            fn with_producer<CB: ProducerCallback<Self::Item>>(self, callback: CB) -> CB::Output {
                callback.callback($part(self.rows))
            }
        }

        impl<R: Row> fmt::Debug for $name<'_, R> {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.debug_tuple(stringify!($name)).field(&self.rows).finish()
            }
        }

        /// Some of the rows, for one thread.
        struct $part<'a, R: Row>($rows<'a, R>);

        impl<'a, R: Row + $shared> Producer for $part<'a, R>
        where
            R::Fields: $shared,
        {
            type Item = R::$item<'a>;
            type IntoIter = $rows<'a, R>;

            fn into_iter(self) -> $rows<'a, R> {
                self.0
            }

            fn split_at(self, index: usize) -> (Self, Self) {
                let (front, back) = self.0.split(index);
                (Self(front), Self(back))
            }
        }
    };
}

rows!(ParIter, Iter, Part, Ref, Sync);
rows!(ParIterMut, IterMut, PartMut, Mut, Send);

impl<'a, R: Row + Sync> IntoParallelIterator for &'a Columns<R>
where
    R::Fields: Sync,
    R::Ref<'a>: Send,
{
    type Iter = ParIter<'a, R>;
    type Item = R::Ref<'a>;

    /// The rows in parallel. Needs the feature `rayon`.
    ///
    /// # Examples
    ///
    /// ```
    /// use rayon::prelude::*;
    /// use stayput::Columns;
    ///
    /// let mut columns: Columns<(u64, u64)> = (0..1000).map(|n| (n, 0)).collect();
    /// columns.par_iter_mut().for_each(|(number, square)| *square = *number * *number);
    /// assert_eq!(columns.par_iter().map(|(_, square)| square).sum::<u64>(), 332_833_500);
    /// ```
    fn into_par_iter(self) -> ParIter<'a, R> {
        ParIter { rows: self.iter() }
    }
}

impl<'a, R: Row + Send> IntoParallelIterator for &'a mut Columns<R>
where
    R::Fields: Send,
    R::Mut<'a>: Send,
{
    type Iter = ParIterMut<'a, R>;
    type Item = R::Mut<'a>;

    /// The rows in parallel, to be changed. Needs the feature `rayon`.
    fn into_par_iter(self) -> ParIterMut<'a, R> {
        ParIterMut { rows: self.iter_mut() }
    }
}
