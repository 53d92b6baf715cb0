//! [`Iter`] and [`IterMut`]: iterators over rows.

#![expect(unsafe_code, reason = "makes references to initialized values")]

use super::{Columns, Fields, Row};
#[cfg(feature = "rayon")]
use crate::vec::SplitAt;
use std::marker::PhantomData;
use std::ops::Range;

/// An iterator over the rows of [`Columns`].
///
/// This struct is created by [`Columns::iter`]. See its documentation for more.
pub struct Iter<'a, R: Row> {
    starts: <R::Fields as Fields>::Starts,
    /// The rows not yet yielded. Invariant *left*: each column has values there, which are borrowed for `'a`.
    left: Range<usize>,
    columns: PhantomData<&'a (R, R::Fields)>,
}

/// A mutable iterator over the rows of [`Columns`].
///
/// This struct is created by [`Columns::iter_mut`]. See its documentation for more.
pub struct IterMut<'a, R: Row> {
    starts: <R::Fields as Fields>::Starts,
    /// The rows not yet yielded. Invariant *left*: each column has values there, which are mutably borrowed for `'a`, and
    /// nothing else uses that borrow.
    left: Range<usize>,
    columns: PhantomData<&'a mut (R, R::Fields)>,
}

impl<R: Row> Columns<R> {
    /// Returns an iterator over the rows, in order.
    ///
    /// If not all columns are used, a loop over their [slices](Self::as_slices) is faster.
    ///
    /// # Examples
    ///
    /// ```
    /// let scores = stayput::Columns::from([("Ann", 7), ("Ben", 4), ("Cid", 9)]);
    /// let best = scores.iter().max_by_key(|(_, points)| **points);
    /// assert_eq!(best, Some((&"Cid", &9)));
    /// ```
    #[inline]
    pub fn iter(&self) -> Iter<'_, R> {
        Iter { starts: self.starts, left: 0..self.len, columns: PhantomData }
    }

    /// Returns a mutable iterator over the rows, in order.
    ///
    /// # Examples
    ///
    /// ```
    /// let mut columns: stayput::Columns<(u32, u32)> = [(1, 10), (2, 20)].into_iter().collect();
    /// for (sum, number) in columns.iter_mut() {
    ///     *sum += *number;
    /// }
    /// assert_eq!(columns.as_slices().0, [11, 22]);
    /// ```
    #[inline]
    pub fn iter_mut(&mut self) -> IterMut<'_, R> {
        IterMut { starts: self.starts, left: 0..self.len, columns: PhantomData }
    }
}

exact_iterator! {
    ['a, R: Row] Iter<'a, R> => R::Ref<'a>:
    |iter| iter.left.len(),
    iter.nth(0),
    // SAFETY: the index was in `left`, so each column has a value there, borrowed for `'a` (*left*).
    iter.left.next_back().map(|index| R::by_ref(unsafe { R::Fields::refs(iter.starts, index) })),
    {
        #[inline]
        fn nth(&mut self, n: usize) -> Option<R::Ref<'a>> {
            let index = self.left.nth(n)?;
            // SAFETY: the index was in `left`, so each column has a value there, borrowed for `'a` (*left*).
            Some(R::by_ref(unsafe { R::Fields::refs(self.starts, index) }))
        }
    }
}

clone_fields!([R: Row] Iter<'_, R>: starts, left, columns);

exact_iterator! {
    ['a, R: Row] IterMut<'a, R> => R::Mut<'a>:
    |iter| iter.left.len(),
    iter.nth(0),
    // SAFETY: each column has a value there, mutably borrowed for `'a` (*left*); the index was removed from `left`, so
    // no two references alias.
    iter.left.next_back().map(|index| R::by_mut(unsafe { R::Fields::muts(iter.starts, index) })),
    {
        #[inline]
        fn nth(&mut self, n: usize) -> Option<R::Mut<'a>> {
            let index = self.left.nth(n)?;
            // SAFETY: each column has a value there, mutably borrowed for `'a` (*left*); the index was removed from
            // `left`, so no two references alias.
            Some(R::by_mut(unsafe { R::Fields::muts(self.starts, index) }))
        }
    }
}

debug_left!([R: Row] Iter<'_, R>, "Iter", |iter| iter.left.len());
debug_left!([R: Row] IterMut<'_, R>, "IterMut", |iter| iter.left.len());

/// Splits the remaining rows into two disjoint ranges.
#[cfg(feature = "rayon")]
fn split(left: &Range<usize>, count: usize) -> [Range<usize>; 2] {
    assert!(count <= left.len(), "fewer than `count` rows are left");
    let middle = left.start + count;
    [left.start..middle, middle..left.end]
}

#[cfg(feature = "rayon")]
impl<R: Row> SplitAt for Iter<'_, R> {
    fn split_at(self, count: usize) -> (Self, Self) {
        let [front, back] = split(&self.left, count);
        (Self { left: front, ..self }, Self { left: back, ..self })
    }
}

#[cfg(feature = "rayon")]
impl<R: Row> SplitAt for IterMut<'_, R> {
    fn split_at(self, count: usize) -> (Self, Self) {
        let [front, back] = split(&self.left, count);
        (Self { left: front, ..self }, Self { left: back, ..self })
    }
}
