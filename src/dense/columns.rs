//! Dense maps whose values are rows of [`Columns`].

#![forbid(unsafe_code)]

#[cfg(test)]
mod tests;

use super::order::defragment_methods;
use super::rows::same_methods;
use super::rows::sealed::{FromOptions, RowOptions};
use super::sort::sort_methods;
use super::{DenseSlotMap, Rows};
use crate::columns::{self, Columns, Row};
use crate::error::{Error, Refused, unwrap_or_panic};
use crate::growing::{Budget, GivenBack, Prefaulted};
use crate::key::Key;
use crate::vec::VecStats;
use std::cmp::Ordering;
use std::fmt;

impl<K: Key, R: Row> DenseSlotMap<K, R, Columns<R>> {
    /// Calls `f` with each key as [`get_many`](Self::get_many) does, with mutable references to the rows. Keys may
    /// repeat.
    ///
    /// # Examples
    ///
    /// ```
    /// # use stayput::{Columns, DefaultKey, DenseSlotMap};
    /// let mut balls: DenseSlotMap<DefaultKey, (f32, u32), Columns<_>> = DenseSlotMap::default();
    /// let [a, b] = [(0.5, 1), (1.5, 2)].map(|ball| balls.insert(ball));
    /// balls.get_many_mut([a, b, a], |_, ball| {
    ///     if let Some((height, _)) = ball {
    ///         *height += 1.0;
    ///     }
    /// });
    /// assert_eq!(balls.as_slice().0, [2.5, 2.5]);
    /// ```
    #[inline]
    pub fn get_many_mut(
        &mut self,
        keys: impl IntoIterator<Item = K>,
        mut f: impl FnMut(K, Option<R::Mut<'_>>),
    ) {
        self.visit_many(keys, |map, key| f(key, map.get_mut(key)));
    }

    /// Keeps the rows for which `keep` returns `true`, and drops the others. The last row takes the place of each
    /// dropped row. Each row is visited once.
    ///
    /// If `keep` or a drop panics, all rows not yet dropped stay.
    ///
    /// # Examples
    ///
    /// ```
    /// # use stayput::{Columns, DefaultKey, DenseSlotMap};
    /// let mut balls: DenseSlotMap<DefaultKey, (f32, u32), Columns<_>> = DenseSlotMap::default();
    /// balls.extend([(0.5, 1), (1.5, 2), (2.5, 3)]);
    /// balls.retain(|_, (height, _)| *height > 1.0);
    /// assert_eq!(balls.as_slice().0, [2.5, 1.5]);
    /// ```
    pub fn retain<F: FnMut(K, R::Mut<'_>) -> bool>(&mut self, mut keep: F) {
        self.retain_rows(|key, rows, row| rows.get_mut(row).is_none_or(|row| keep(key, row)));
    }

    sort_methods! {
        R::Ref<'_>, |rows, a, b| rows.get(a).zip(rows.get(b)),
        ///
        /// # Examples
        ///
        /// ```
        /// # use stayput::{Columns, DefaultKey, DenseSlotMap};
        /// let mut balls: DenseSlotMap<DefaultKey, (f32, u32), Columns<_>> = DenseSlotMap::default();
        /// balls.extend([(2.5, 1), (0.5, 2), (1.5, 3)]);
        /// balls.sort_by(|a, b| a.0.total_cmp(b.0));
        /// assert_eq!(balls.as_slice(), (&[0.5, 1.5, 2.5][..], &[2, 3, 1][..]));
        /// ```
    }

    defragment_methods! {
        R::Ref<'_>, |rows, a, b| rows.get(a).zip(rows.get(b)),
        ///
        /// # Examples
        ///
        /// ```
        /// # use stayput::{Budget, Columns, DefaultKey, DenseSlotMap};
        /// let mut balls: DenseSlotMap<DefaultKey, (f32, u32), Columns<_>> = DenseSlotMap::default();
        /// balls.extend((0..1000).rev().map(|n| (n as f32, n)));
        /// // In each frame, until it returns `true`:
        /// while !balls.defragment_by(|a, b| a.0.total_cmp(b.0), Budget::swaps(200)) {}
        /// assert!(balls.as_slice().0.is_sorted());
        /// ```
    }
}

impl<K: Key, R: Row> fmt::Debug for DenseSlotMap<K, R, Columns<R>>
where
    for<'a> R::Ref<'a>: fmt::Debug,
{
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_map().entries(self).finish()
    }
}

impl<R: Row> FromOptions for Columns<R> {
    fn try_made(row: RowOptions) -> Result<Self, Error> {
        Self::try_with_options(Self::options(row.options), row.capacity)
    }
}

impl<R: Row> Rows for Columns<R> {
    type Value = R;
    borrowed_types! {
        Ref = R::Ref<'a>, Mut = R::Mut<'a>,
        Slices = R::Slices<'a>, SlicesMut = R::SlicesMut<'a>,
        Iter = columns::Iter<'a, R>, IterMut = columns::IterMut<'a, R>,
    }
    type IntoIter = columns::IntoIter<R>;
    type Parts = R::Fields;

    const BYTES: usize = Self::ROW_BYTES;

    same_methods! {
        |columns| columns, columns;
        memory, push_fields, pop_fields, swap_remove_fields, as_slices, as_mut_slices
    }

    #[inline]
    fn into_parts(row: R) -> R::Fields {
        row.into_fields()
    }

    #[inline]
    fn from_parts(fields: R::Fields) -> R {
        R::from_fields(fields)
    }

    /// A prefetch would need one cache line per column, and a loop that reads few columns need not wait for all of
    /// them.
    #[inline]
    fn prefetch(&self, _: usize) {}
}
