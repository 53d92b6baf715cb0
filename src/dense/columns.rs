//! Dense maps whose values are rows of [`Columns`].

#![forbid(unsafe_code)]

#[cfg(test)]
mod tests;

use super::order::defragment_methods;
use super::rows::same_names;
use super::rows::sealed::{Made, Plan};
use super::sort::sort_methods;
use super::{DenseSlotMap, Rows};
use crate::columns::{self, Columns, Row};
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

    sort_methods!(R::Ref<'_>, |rows, a, b| rows.get(a).zip(rows.get(b)));
    defragment_methods!(R::Ref<'_>, |rows, a, b| rows.get(a).zip(rows.get(b)));
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

    same_names!();

    fn stats(&self) -> VecStats {
        let stats = self.stats();
        VecStats {
            len: stats.len,
            capacity: stats.capacity,
            max_len: stats.max_len,
            reserved_bytes: stats.reserved_bytes,
            committed_bytes: stats.committed_bytes,
            ahead_bytes: stats.ahead_bytes,
            late: stats.late,
            resident_bytes: stats.resident_bytes,
        }
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
