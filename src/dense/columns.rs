//! Dense maps whose values are rows of [`Columns`].

#![forbid(unsafe_code)]

#[cfg(test)]
mod tests;

use super::rows::sealed::{Made, Plan};
use super::{DenseSlotMap, Rows};
use crate::columns::{self, Columns, ColumnsStats, Row};
use crate::error::{Error, Refused, or_give_up};
use crate::growing::{Budget, GivenBack, Prefaulted};
use crate::key::Key;
use crate::vec::VecStats;
use std::cmp::Ordering;
use std::fmt;

impl<K: Key, R: Row> DenseSlotMap<K, R, Columns<R>> {
    /// [`get_many`](Self::get_many), with the rows to be changed. A key may come more than once.
    #[inline]
    pub fn get_many_mut(
        &mut self,
        keys: impl IntoIterator<Item = K>,
        mut f: impl FnMut(K, Option<R::Mut<'_>>),
    ) {
        self.visit_many(keys, |map, key| f(key, map.get_mut(key)));
    }

    /// Keeps the rows of which `keep` says so, and drops the others, each of whose places is taken by the last row
    /// then. Each row is looked at once.
    ///
    /// Should `keep`, or a drop, panic, all that was not dropped stays.
    pub fn retain<F: FnMut(K, R::Mut<'_>) -> bool>(&mut self, mut keep: F) {
        self.retain_rows(|key, rows, row| rows.get_mut(row).is_none_or(|row| keep(key, row)));
    }

    /// Sorts the rows by a comparison; those that are equal keep their order, and all keep their keys. As for
    /// [values](DenseSlotMap#method.sort_by).
    ///
    /// # Panics
    ///
    /// Where [`try_sort_by`](Self::try_sort_by) has an error; and maybe if the comparison is no order.
    #[track_caller]
    pub fn sort_by(&mut self, compare: impl FnMut(R::Ref<'_>, R::Ref<'_>) -> Ordering) {
        or_give_up(self.try_sort_by(compare));
    }

    /// [`sort_by`](Self::sort_by), or the error.
    ///
    /// # Errors
    ///
    /// If the allocator refuses an index a row ([`Memory`](crate::ErrorKind::Memory)). None has moved then.
    ///
    /// # Panics
    ///
    /// Maybe, if the comparison is no order.
    pub fn try_sort_by(
        &mut self,
        mut compare: impl FnMut(R::Ref<'_>, R::Ref<'_>) -> Ordering,
    ) -> Result<(), Error> {
        self.try_sort_rows(|rows, a, b| match rows.get(a).zip(rows.get(b)) {
            Some((a, b)) => compare(a, b),
            None => Ordering::Equal,
        })
    }

    /// Sorts the rows by a comparison, no more of it than a budget allows. As for
    /// [values](DenseSlotMap#method.defragment_by).
    ///
    /// # Panics
    ///
    /// Where [`try_defragment_by`](Self::try_defragment_by) has an error.
    #[must_use = "it says whether it is done"]
    #[track_caller]
    pub fn defragment_by(
        &mut self,
        compare: impl FnMut(R::Ref<'_>, R::Ref<'_>) -> Ordering,
        budget: Budget,
    ) -> bool {
        or_give_up(self.try_defragment_by(compare, budget))
    }

    /// [`defragment_by`](Self::defragment_by), or the error.
    ///
    /// # Errors
    ///
    /// If there is no memory for what is to be known meanwhile.
    pub fn try_defragment_by(
        &mut self,
        mut compare: impl FnMut(R::Ref<'_>, R::Ref<'_>) -> Ordering,
        budget: Budget,
    ) -> Result<bool, Error> {
        let compare_rows = |rows: &Columns<R>, a, b| match rows.get(a).zip(rows.get(b)) {
            Some((a, b)) => compare(a, b),
            None => Ordering::Equal,
        };
        self.try_defragment(compare_rows, budget)
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

impl<R: Row> Made for Columns<R> {
    fn try_made(plan: Plan) -> Result<Self, Error> {
        Self::try_with_options(Self::options(plan.options), plan.capacity)
    }
}

impl<R: Row> Rows for Columns<R> {
    type Value = R;
    type Ref<'a>
        = R::Ref<'a>
    where
        R: 'a;
    type Mut<'a>
        = R::Mut<'a>
    where
        R: 'a;
    type Slices<'a>
        = R::Slices<'a>
    where
        R: 'a;
    type SlicesMut<'a>
        = R::SlicesMut<'a>
    where
        R: 'a;
    type Iter<'a>
        = columns::Iter<'a, R>
    where
        R: 'a;
    type IterMut<'a>
        = columns::IterMut<'a, R>
    where
        R: 'a;
    type IntoIter = columns::IntoIter<R>;
    type Parts = R::Fields;

    const BYTES: usize = Self::ROW_BYTES;

    #[inline]
    fn count(&self) -> usize {
        self.len()
    }

    #[inline]
    fn capacity(&self) -> usize {
        self.capacity()
    }

    fn max_len(&self) -> usize {
        self.max_len()
    }

    fn stats(&self) -> VecStats {
        let ColumnsStats {
            len,
            capacity,
            max_len,
            reserved_bytes,
            committed_bytes,
            ahead_bytes,
            late,
            resident_bytes,
        } = self.stats();
        VecStats {
            len,
            capacity,
            max_len,
            reserved_bytes,
            committed_bytes,
            ahead_bytes,
            late,
            resident_bytes,
        }
    }

    #[inline]
    fn try_reserve(&mut self, additional: usize) -> Result<(), Error> {
        self.try_reserve(additional)
    }

    fn try_reserve_exact(&mut self, additional: usize) -> Result<(), Error> {
        self.try_reserve_exact(additional)
    }

    fn try_prefault(&mut self, additional: usize) -> Result<(), Error> {
        self.try_prefault(additional)
    }

    fn prefault_ahead(&mut self, budget: Budget) -> Prefaulted {
        self.prefault_ahead(budget)
    }

    fn try_shrink_to_fit(&mut self) -> Result<(), Error> {
        self.try_shrink_to_fit()
    }

    fn shrink_to_fit_within(&mut self, budget: Budget) -> Result<GivenBack, Error> {
        self.shrink_to_fit_within(budget)
    }

    #[inline]
    fn take_apart(row: R) -> R::Fields {
        row.into_fields()
    }

    #[inline]
    fn put_together(fields: R::Fields) -> R {
        R::from_fields(fields)
    }

    #[inline]
    fn push(&mut self, fields: R::Fields) {
        self.push_fields(fields);
    }

    fn try_push(&mut self, row: R) -> Result<(), Refused<R>> {
        self.try_push(row)
    }

    #[inline]
    fn pop(&mut self) -> Option<R::Fields> {
        self.pop_fields()
    }

    #[inline]
    fn swap_remove(&mut self, row: usize) -> R::Fields {
        self.swap_remove_fields(row)
    }

    #[inline]
    fn swap(&mut self, a: usize, b: usize) {
        self.swap(a, b);
    }

    #[inline]
    fn clear(&mut self) {
        self.clear();
    }

    #[inline]
    fn get(&self, row: usize) -> Option<R::Ref<'_>> {
        self.get(row)
    }

    #[inline]
    fn get_mut(&mut self, row: usize) -> Option<R::Mut<'_>> {
        self.get_mut(row)
    }

    /// There are as many lines as columns, and who looks at a few of them need not wait for all.
    #[inline]
    fn ask(&self, _: usize) {}

    #[inline]
    fn slices(&self) -> R::Slices<'_> {
        self.as_slices()
    }

    #[inline]
    fn slices_mut(&mut self) -> R::SlicesMut<'_> {
        self.as_mut_slices()
    }

    #[inline]
    fn iter(&self) -> columns::Iter<'_, R> {
        self.iter()
    }

    #[inline]
    fn iter_mut(&mut self) -> columns::IterMut<'_, R> {
        self.iter_mut()
    }

    fn into_rows(self) -> columns::IntoIter<R> {
        self.into_iter()
    }
}
