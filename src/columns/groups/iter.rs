//! Double-ended iterators over rows.

#![forbid(unsafe_code)]

use super::{Groups, Pad, Record};
use crate::columns::{Fields, Row};
use std::iter::FlatMap;
use std::ops::Range;
use std::slice;

/// An iterator over the rows of [`Groups`].
///
/// This struct is created by [`Groups::iter`]. See its documentation for more.
#[must_use = "iterators are lazy"]
pub struct Iter<'a, R: Row + Pad, const N: usize> {
    groups: &'a Groups<R, N>,
    left: Range<usize>,
}

/// The fields of the rows of one record.
type Lanes<'a, R, const N: usize> = [<<R as Row>::Fields as Fields>::Muts<'a>; N];

type LanesOf<'a, R, const N: usize> = fn(&'a mut Record<R, N>) -> Lanes<'a, R, N>;

/// A mutable iterator over the rows of [`Groups`].
///
/// This struct is created by [`Groups::iter_mut`]. See its documentation for more.
#[must_use = "iterators are lazy"]
pub struct IterMut<'a, R: Row + Pad + 'a, const N: usize> {
    lanes: FlatMap<slice::IterMut<'a, Record<R, N>>, Lanes<'a, R, N>, LanesOf<'a, R, N>>,
    left: Range<usize>,
}

/// An iterator that moves the rows out of [`Groups`].
///
/// This struct is created by the method [`into_iter`](IntoIterator::into_iter) of [`Groups`].
///
/// # Examples
///
/// ```
/// let rows: stayput::Groups<(u32, char), 4> = [(1, 'a'), (2, 'b')].into_iter().collect();
/// assert!(rows.into_iter().eq([(1, 'a'), (2, 'b')]));
/// ```
#[must_use = "iterators are lazy"]
pub struct IntoIter<R: Row + Pad, const N: usize> {
    /// The lanes of yielded rows hold [`Pad::PAD`].
    groups: Groups<R, N>,
    left: Range<usize>,
}

impl<R: Row + Pad, const N: usize> Groups<R, N> {
    /// Returns an iterator over the rows, in order.
    ///
    /// # Examples
    ///
    /// ```
    /// let rows: stayput::Groups<(u32, char), 4> = [(1, 'a'), (2, 'b')].into_iter().collect();
    /// assert!(rows.iter().rev().eq([(&2, &'b'), (&1, &'a')]));
    /// ```
    #[inline]
    pub fn iter(&self) -> Iter<'_, R, N> {
        Iter { groups: self, left: 0..self.len }
    }

    /// Returns a mutable iterator over the rows, in order.
    ///
    /// A loop over the [records](Self::as_mut_slice) is faster.
    ///
    /// # Examples
    ///
    /// ```
    /// let mut rows: stayput::Groups<(u32, u32), 4> = (0..6).map(|n| (n, 10)).collect();
    /// for (sum, number) in &mut rows {
    ///     *sum += *number;
    /// }
    /// assert_eq!(rows.get(5), Some((&15, &10)));
    /// ```
    pub fn iter_mut(&mut self) -> IterMut<'_, R, N> {
        let left = 0..self.len;
        let padded = self.records.len() * N - self.len;
        let mut lanes = self.records.iter_mut().flat_map(R::Fields::lanes_mut as fn(_) -> _);
        if let Some(last) = padded.checked_sub(1) {
            lanes.nth_back(last);
        }
        IterMut { lanes, left }
    }
}

impl<'a, R: Row + Pad, const N: usize> Iter<'a, R, N> {
    #[inline]
    fn at(&self, index: usize) -> R::Ref<'a> {
        R::by_ref(self.groups.fields(index))
    }
}

impl<R: Row + Pad, const N: usize> IntoIter<R, N> {
    #[inline]
    fn take_at(&mut self, index: usize) -> R {
        let pad = R::PAD.into_fields();
        R::from_fields(self.groups.put(index, pad))
    }
}

exact_iterator! {
    ['a, R: Row + Pad, const N: usize] Iter<'a, R, N> => R::Ref<'a>:
    |iter| iter.left.len(),
    iter.left.next().map(|index| iter.at(index)),
    iter.left.next_back().map(|index| iter.at(index))
}

exact_iterator! {
    ['a, R: Row + Pad, const N: usize] IterMut<'a, R, N> => R::Mut<'a>:
    |iter| iter.left.len(),
    iter.left.next().and_then(|_| iter.lanes.next().map(R::by_mut)),
    iter.left.next_back().and_then(|_| iter.lanes.next_back().map(R::by_mut))
}

exact_iterator! {
    [R: Row + Pad, const N: usize] IntoIter<R, N> => R:
    |iter| iter.left.len(),
    iter.left.next().map(|index| iter.take_at(index)),
    iter.left.next_back().map(|index| iter.take_at(index))
}

debug_left!([R: Row + Pad, const N: usize] Iter<'_, R, N>, "Iter", |iter| iter.left.len());
debug_left!([R: Row + Pad, const N: usize] IterMut<'_, R, N>, "IterMut", |iter| iter.left.len());
debug_left!([R: Row + Pad, const N: usize] IntoIter<R, N>, "IntoIter", |iter| iter.left.len());

clone_fields!([R: Row + Pad, const N: usize] Iter<'_, R, N>: groups, left);

iterate_by_value! {
    [R: Row + Pad, const N: usize] Groups<R, N>: R => IntoIter<R, N>, |groups|
    IntoIter { left: 0..groups.len, groups }
}

iterate_by_ref! {
    [R: Row + Pad, const N: usize] Groups<R, N>:
    R::Ref<'a> => Iter<'a, R, N>, R::Mut<'a> => IterMut<'a, R, N>
}
