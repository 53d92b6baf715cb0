//! [`Rows`]: where the values of a dense map lie.

#![forbid(unsafe_code)]

use crate::error::{Error, Refused};
use crate::growing::{Budget, GivenBack, Prefaulted};
use crate::raw_vec::Options;
use crate::slots::prefetch::ask_for;
use crate::vec::{self, VecStats, VmVec};
use std::iter::FusedIterator;
use std::slice;

/// An array of rows without gaps, in which a [`DenseSlotMap`](super::DenseSlotMap) keeps its values:
/// a [`VmVec`], or [`Columns`](crate::Columns).
///
/// It is implemented for these two, and nobody else can implement it. What it has is for the map.
pub trait Rows: sealed::Made {
    /// What is put in, and taken out.
    type Value;
    /// One to look at: `&V`, or a [`RowRef`](crate::RowRef).
    type Ref<'a>
    where
        Self: 'a;
    /// One to change: `&mut V`, or a [`RowMut`](crate::RowMut).
    type Mut<'a>
    where
        Self: 'a;
    /// All of them: a slice, or the slices of all columns.
    type Slices<'a>
    where
        Self: 'a;
    /// The same, to be changed.
    type SlicesMut<'a>
    where
        Self: 'a;
    /// Goes over them.
    type Iter<'a>: DoubleEndedIterator<Item = Self::Ref<'a>>
        + ExactSizeIterator
        + FusedIterator
        + Clone
    where
        Self: 'a;
    /// Goes over them, which may be changed.
    type IterMut<'a>: DoubleEndedIterator<Item = Self::Mut<'a>> + ExactSizeIterator + FusedIterator
    where
        Self: 'a;
    /// Takes them out.
    type IntoIter: DoubleEndedIterator<Item = Self::Value> + ExactSizeIterator + FusedIterator;

    /// What a value is taken apart into, so that a user's code for it runs before the map is changed, or after it.
    #[doc(hidden)]
    type Parts;

    /// Of one row.
    #[doc(hidden)]
    const BYTES: usize;
    #[doc(hidden)]
    fn count(&self) -> usize;
    #[doc(hidden)]
    fn capacity(&self) -> usize;
    #[doc(hidden)]
    fn max_len(&self) -> usize;
    #[doc(hidden)]
    fn stats(&self) -> VecStats;
    #[doc(hidden)]
    fn try_reserve(&mut self, additional: usize) -> Result<(), Error>;
    #[doc(hidden)]
    fn try_reserve_exact(&mut self, additional: usize) -> Result<(), Error>;
    #[doc(hidden)]
    fn try_prefault(&mut self, additional: usize) -> Result<(), Error>;
    #[doc(hidden)]
    fn prefault_ahead(&mut self, budget: Budget) -> Prefaulted;
    #[doc(hidden)]
    fn try_shrink_to_fit(&mut self) -> Result<(), Error>;
    #[doc(hidden)]
    fn shrink_to_fit_within(&mut self, budget: Budget) -> Result<GivenBack, Error>;
    #[doc(hidden)]
    fn take_apart(value: Self::Value) -> Self::Parts;
    #[doc(hidden)]
    fn put_together(parts: Self::Parts) -> Self::Value;
    #[doc(hidden)]
    fn push(&mut self, parts: Self::Parts);
    #[doc(hidden)]
    fn try_push(&mut self, value: Self::Value) -> Result<(), Refused<Self::Value>>;
    #[doc(hidden)]
    fn pop(&mut self) -> Option<Self::Parts>;
    #[doc(hidden)]
    fn swap_remove(&mut self, row: usize) -> Self::Parts;
    #[doc(hidden)]
    fn swap(&mut self, a: usize, b: usize);
    #[doc(hidden)]
    fn clear(&mut self);
    #[doc(hidden)]
    fn get(&self, row: usize) -> Option<Self::Ref<'_>>;
    #[doc(hidden)]
    fn get_mut(&mut self, row: usize) -> Option<Self::Mut<'_>>;
    /// Asks for the memory of a row ahead of its use.
    #[doc(hidden)]
    fn ask(&self, row: usize);
    #[doc(hidden)]
    fn slices(&self) -> Self::Slices<'_>;
    #[doc(hidden)]
    fn slices_mut(&mut self) -> Self::SlicesMut<'_>;
    #[doc(hidden)]
    fn iter(&self) -> Self::Iter<'_>;
    #[doc(hidden)]
    fn iter_mut(&mut self) -> Self::IterMut<'_>;
    #[doc(hidden)]
    fn into_rows(self) -> Self::IntoIter;
}

pub(super) mod sealed {
    use super::{Error, Options};

    /// What a user chose for a map.
    #[derive(Debug)]
    pub struct Plan {
        pub(in crate::dense) options: Options,
        pub(in crate::dense) capacity: usize,
    }

    pub trait Made: Default {
        fn try_made(plan: Plan) -> Result<Self, Error>;
    }
}

/// The methods of [`Rows`] that both arrays have by the same names.
macro_rules! same_names {
    () => {
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
        fn clear(&mut self) {
            self.clear();
        }

        fn try_push(&mut self, value: Self::Value) -> Result<(), Refused<Self::Value>> {
            self.try_push(value)
        }
    };
}
pub(super) use same_names;

impl<V> sealed::Made for VmVec<V> {
    fn try_made(plan: sealed::Plan) -> Result<Self, Error> {
        Self::try_with_options(plan.options, plan.capacity)
    }
}

impl<V> Rows for VmVec<V> {
    type Value = V;
    type Ref<'a>
        = &'a V
    where
        V: 'a;
    type Mut<'a>
        = &'a mut V
    where
        V: 'a;
    type Slices<'a>
        = &'a [V]
    where
        V: 'a;
    type SlicesMut<'a>
        = &'a mut [V]
    where
        V: 'a;
    type Iter<'a>
        = slice::Iter<'a, V>
    where
        V: 'a;
    type IterMut<'a>
        = slice::IterMut<'a, V>
    where
        V: 'a;
    type IntoIter = vec::IntoIter<V>;
    type Parts = V;

    const BYTES: usize = size_of::<V>();

    same_names!();

    fn stats(&self) -> VecStats {
        self.stats()
    }

    #[inline]
    fn take_apart(value: V) -> V {
        value
    }

    #[inline]
    fn put_together(value: V) -> V {
        value
    }

    #[inline]
    fn push(&mut self, value: V) {
        self.push(value);
    }

    #[inline]
    fn pop(&mut self) -> Option<V> {
        self.pop()
    }

    #[inline]
    fn swap_remove(&mut self, row: usize) -> V {
        self.swap_remove(row)
    }

    #[inline]
    fn swap(&mut self, a: usize, b: usize) {
        self.as_mut_slice().swap(a, b);
    }

    #[inline]
    fn get(&self, row: usize) -> Option<&V> {
        self.as_slice().get(row)
    }

    #[inline]
    fn get_mut(&mut self, row: usize) -> Option<&mut V> {
        self.as_mut_slice().get_mut(row)
    }

    #[inline]
    fn ask(&self, row: usize) {
        ask_for(self.as_ptr().wrapping_add(row));
    }

    #[inline]
    fn slices(&self) -> &[V] {
        self
    }

    #[inline]
    fn slices_mut(&mut self) -> &mut [V] {
        self
    }

    #[inline]
    fn iter(&self) -> slice::Iter<'_, V> {
        self.as_slice().iter()
    }

    #[inline]
    fn iter_mut(&mut self) -> slice::IterMut<'_, V> {
        self.as_mut_slice().iter_mut()
    }

    fn into_rows(self) -> vec::IntoIter<V> {
        self.into_iter()
    }
}
