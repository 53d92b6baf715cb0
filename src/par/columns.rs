//! Parallel iterators over the rows of columns. (Single columns are slices, which have their own.)

#![forbid(unsafe_code)]

use super::indexed::{Part, indexed};
use crate::columns::{Columns, Iter, IterMut, Row};
use rayon::iter::plumbing::{Consumer, ProducerCallback, UnindexedConsumer, bridge};
use rayon::iter::{IndexedParallelIterator, IntoParallelIterator, ParallelIterator};

/// A parallel iterator over the rows of [`Columns`], created by `par_iter`.
///
/// # Examples
///
/// ```
/// use rayon::prelude::*;
/// use stayput::Columns;
///
/// let bodies: Columns<(f64, f64)> = (0..1000).map(|n| (f64::from(n), 2.0)).collect();
/// let momentum: f64 = bodies.par_iter().map(|(mass, speed)| mass * speed).sum();
/// assert_eq!(momentum, 999_000.0);
/// ```
#[must_use = "iterators are lazy"]
pub struct ParIter<'a, R: Row> {
    items: Iter<'a, R>,
}

/// A mutable parallel iterator over the rows of [`Columns`], created by `par_iter_mut`.
///
/// # Examples
///
/// ```
/// use rayon::prelude::*;
/// use stayput::Columns;
///
/// let mut bodies: Columns<(f64, f64)> = (0..1000).map(|n| (f64::from(n), 1.5)).collect();
/// bodies.par_iter_mut().for_each(|(place, speed)| *place += *speed);
/// assert_eq!(bodies.get(10), Some((&11.5, &1.5)));
/// ```
#[must_use = "iterators are lazy"]
pub struct ParIterMut<'a, R: Row> {
    items: IterMut<'a, R>,
}

indexed! {
    ['a, R: Row + Sync] ParIter<'a, R> => R::Ref<'a>: |iter| iter.items;
    where
        R::Fields: Sync,
        R::Ref<'a>: Send,
}

indexed! {
    ['a, R: Row + Send] ParIterMut<'a, R> => R::Mut<'a>: |iter| iter.items;
    where
        R::Fields: Send,
        R::Mut<'a>: Send,
}

debug_as!([R: Row] ParIter<'_, R>, "ParIter", |iter| iter.items);
debug_as!([R: Row] ParIterMut<'_, R>, "ParIterMut", |iter| iter.items);

impl<'a, R: Row + Sync> IntoParallelIterator for &'a Columns<R>
where
    R::Fields: Sync,
    R::Ref<'a>: Send,
{
    type Iter = ParIter<'a, R>;
    type Item = R::Ref<'a>;

    /// Returns a parallel iterator over the rows. Needs the feature `rayon`.
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
        ParIter { items: self.iter() }
    }
}

impl<'a, R: Row + Send> IntoParallelIterator for &'a mut Columns<R>
where
    R::Fields: Send,
    R::Mut<'a>: Send,
{
    type Iter = ParIterMut<'a, R>;
    type Item = R::Mut<'a>;

    /// Returns a mutable parallel iterator over the rows. Needs the feature `rayon`.
    fn into_par_iter(self) -> ParIterMut<'a, R> {
        ParIterMut { items: self.iter_mut() }
    }
}
