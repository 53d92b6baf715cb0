//! [`Iter`] and [`IterMut`]: row by row.

#![expect(unsafe_code, reason = "makes references to what is initialised")]

use super::{Columns, Fields, Row};
use std::fmt;
use std::iter::FusedIterator;
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

#[expect(unsafe_code, reason = "vouches for the pointers")]
// SAFETY: it is `&Columns<R>` by other means.
unsafe impl<R: Row + Sync> Send for Iter<'_, R> where R::Fields: Sync {}
#[expect(unsafe_code, reason = "vouches for the pointers")]
// SAFETY: the same.
unsafe impl<R: Row + Sync> Sync for Iter<'_, R> where R::Fields: Sync {}
#[expect(unsafe_code, reason = "vouches for the pointers")]
// SAFETY: it is `&mut Columns<R>` by other means.
unsafe impl<R: Row + Send> Send for IterMut<'_, R> where R::Fields: Send {}
#[expect(unsafe_code, reason = "vouches for the pointers")]
// SAFETY: nothing can be had through `&IterMut` but a count.
unsafe impl<R: Row + Sync> Sync for IterMut<'_, R> where R::Fields: Sync {}

impl<'a, R: Row> Iter<'a, R> {
    /// The first `count` rows that are left, of as many or more, and the others.
    #[cfg(feature = "rayon")]
    pub(crate) fn split(self, count: usize) -> (Self, Self) {
        let Self { starts, left, columns } = self;
        let [front, back] = split(left, count);
        (Self { starts, left: front, columns }, Self { starts, left: back, columns })
    }

    #[inline]
    fn at(&self, index: usize) -> R::Ref<'a> {
        // SAFETY: of a range within the length of columns, which are borrowed.
        R::by_ref(unsafe { R::Fields::refs(self.starts, index) })
    }
}

impl<'a, R: Row> IterMut<'a, R> {
    /// See [`Iter::split`].
    #[cfg(feature = "rayon")]
    pub(crate) fn split(self, count: usize) -> (Self, Self) {
        let Self { starts, left, columns } = self;
        let [front, back] = split(left, count);
        (Self { starts, left: front, columns }, Self { starts, left: back, columns })
    }

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

impl<'a, R: Row> Iterator for Iter<'a, R> {
    type Item = R::Ref<'a>;

    #[inline]
    fn next(&mut self) -> Option<R::Ref<'a>> {
        self.left.next().map(|index| self.at(index))
    }

    #[inline]
    fn nth(&mut self, n: usize) -> Option<R::Ref<'a>> {
        self.left.nth(n).map(|index| self.at(index))
    }

    #[inline]
    fn size_hint(&self) -> (usize, Option<usize>) {
        self.left.size_hint()
    }
}

impl<R: Row> DoubleEndedIterator for Iter<'_, R> {
    #[inline]
    fn next_back(&mut self) -> Option<Self::Item> {
        self.left.next_back().map(|index| self.at(index))
    }
}

impl<R: Row> ExactSizeIterator for Iter<'_, R> {}

impl<R: Row> FusedIterator for Iter<'_, R> {}

impl<R: Row> Clone for Iter<'_, R> {
    fn clone(&self) -> Self {
        Self { starts: self.starts, left: self.left.clone(), columns: PhantomData }
    }
}

impl<'a, R: Row> Iterator for IterMut<'a, R> {
    type Item = R::Mut<'a>;

    #[inline]
    fn next(&mut self) -> Option<R::Mut<'a>> {
        let index = self.left.next()?;
        // SAFETY: just taken out.
        Some(unsafe { self.at(index) })
    }

    #[inline]
    fn nth(&mut self, n: usize) -> Option<R::Mut<'a>> {
        let index = self.left.nth(n)?;
        // SAFETY: just taken out.
        Some(unsafe { self.at(index) })
    }

    #[inline]
    fn size_hint(&self) -> (usize, Option<usize>) {
        self.left.size_hint()
    }
}

impl<R: Row> DoubleEndedIterator for IterMut<'_, R> {
    #[inline]
    fn next_back(&mut self) -> Option<Self::Item> {
        let index = self.left.next_back()?;
        // SAFETY: just taken out.
        Some(unsafe { self.at(index) })
    }
}

impl<R: Row> ExactSizeIterator for IterMut<'_, R> {}

impl<R: Row> FusedIterator for IterMut<'_, R> {}

impl<R: Row> fmt::Debug for Iter<'_, R> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Iter").field("left", &self.left.len()).finish_non_exhaustive()
    }
}

impl<R: Row> fmt::Debug for IterMut<'_, R> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("IterMut").field("left", &self.left.len()).finish_non_exhaustive()
    }
}

/// The first `count` of a range, and the others: none is in both.
#[cfg(feature = "rayon")]
fn split(range: Range<usize>, count: usize) -> [Range<usize>; 2] {
    assert!(count <= range.len(), "there are not so many left");
    let middle = range.start + count;
    [range.start..middle, middle..range.end]
}
