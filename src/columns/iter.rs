//! [`Iter`] and [`IterMut`]: row by row.

#![expect(unsafe_code, reason = "makes references to what is initialised")]

use super::{Columns, Fields, Row};
#[cfg(feature = "rayon")]
use crate::vec::SplitAt;
use std::marker::PhantomData;
use std::ops::Range;

/// An iterator over rows to look at; made by [`Columns::iter`].
pub struct Iter<'a, R: Row> {
    starts: <R::Fields as Fields>::Starts,
    left: Range<usize>,
    columns: PhantomData<&'a R>,
}

/// An iterator over rows to change; made by [`Columns::iter_mut`].
pub struct IterMut<'a, R: Row> {
    starts: <R::Fields as Fields>::Starts,
    left: Range<usize>,
    columns: PhantomData<&'a mut R>,
}

impl<R: Row> Columns<R> {
    /// Goes over the rows, in order.
    ///
    /// A loop over some columns is faster by [slices](Self::as_slices).
    #[inline]
    pub fn iter(&self) -> Iter<'_, R> {
        Iter { starts: self.starts, left: 0..self.len, columns: PhantomData }
    }

    /// Goes over the rows, in order, which may be changed.
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

// SAFETY: it is `&Columns<R>` by other means.
unsafe impl<R: Row + Sync> Send for Iter<'_, R> where R::Fields: Sync {}
// SAFETY: the same.
unsafe impl<R: Row + Sync> Sync for Iter<'_, R> where R::Fields: Sync {}
// SAFETY: it is `&mut Columns<R>` by other means.
unsafe impl<R: Row + Send> Send for IterMut<'_, R> where R::Fields: Send {}
// SAFETY: nothing can be had through `&IterMut` but a count.
unsafe impl<R: Row + Sync> Sync for IterMut<'_, R> where R::Fields: Sync {}

impl<'a, R: Row> Iter<'a, R> {
    #[inline]
    fn at(&self, index: usize) -> R::Ref<'a> {
        // SAFETY: of a range within the length of columns, which are borrowed.
        R::by_ref(unsafe { R::Fields::refs(self.starts, index) })
    }
}

impl<'a, R: Row> IterMut<'a, R> {
    /// # Safety
    ///
    /// - The index was just taken out of `left`.
    #[inline]
    unsafe fn at(&self, index: usize) -> R::Mut<'a> {
        // SAFETY: of a range within the length of columns, which are borrowed mutably; each index is taken
        // out of it once.
        R::by_mut(unsafe { R::Fields::muts(self.starts, index) })
    }
}

exact_iterator! {
    ['a, R: Row] Iter<'a, R> => R::Ref<'a>:
    |iter| iter.left.len(),
    iter.left.next().map(|index| iter.at(index)),
    iter.left.next_back().map(|index| iter.at(index)),
    {
        #[inline]
        fn nth(&mut self, n: usize) -> Option<R::Ref<'a>> {
            self.left.nth(n).map(|index| self.at(index))
        }
    }
}

clone_fields!([R: Row] Iter<'_, R>: starts, left, columns);

exact_iterator! {
    ['a, R: Row] IterMut<'a, R> => R::Mut<'a>:
    |iter| iter.left.len(),
    // SAFETY: just taken out.
    iter.left.next().map(|index| unsafe { iter.at(index) }),
    // SAFETY: just taken out.
    iter.left.next_back().map(|index| unsafe { iter.at(index) }),
    {
        #[inline]
        fn nth(&mut self, n: usize) -> Option<R::Mut<'a>> {
            // SAFETY: just taken out.
            self.left.nth(n).map(|index| unsafe { self.at(index) })
        }
    }
}

debug_left!([R: Row] Iter<'_, R>, "Iter", |iter| iter.left.len());
debug_left!([R: Row] IterMut<'_, R>, "IterMut", |iter| iter.left.len());

/// Cuts the rows that are left in two: none is in both parts.
#[cfg(feature = "rayon")]
fn split(left: &Range<usize>, count: usize) -> [Range<usize>; 2] {
    assert!(count <= left.len(), "there are not so many left");
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
