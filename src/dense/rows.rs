//! [`Rows`]: the storage of a dense map's values.

#![forbid(unsafe_code)]

use crate::error::{Error, Refused};
use crate::growing::{Budget, GivenBack, Prefaulted};
use crate::raw_vec::Options;
use crate::slots::prefetch::prefetch_value;
use crate::vec::{self, VecStats, VmVec};
use std::iter::FusedIterator;
use std::slice;

/// A packed array in which a [`DenseSlotMap`](super::DenseSlotMap) stores its values: a [`VmVec`] or
/// [`Columns`](crate::Columns).
///
/// This trait is sealed; its methods are for the map.
///
/// # Examples
///
/// A function for maps with either storage:
///
/// ```
/// use stayput::dense::Rows;
/// use stayput::{Columns, DefaultKey, DenseSlotMap};
///
/// type Body = (f32, f32);
///
/// fn spawn<S: Rows<Value = Body>>(bodies: &mut DenseSlotMap<DefaultKey, Body, S>) -> DefaultKey {
///     bodies.insert((0.0, 1.5))
/// }
///
/// let mut packed: DenseSlotMap<DefaultKey, Body> = DenseSlotMap::new();
/// spawn(&mut packed);
/// assert_eq!(packed.as_slice(), [(0.0, 1.5)]);
///
/// let mut columns: DenseSlotMap<DefaultKey, Body, Columns<Body>> = DenseSlotMap::default();
/// spawn(&mut columns);
/// assert_eq!(columns.as_slice(), (&[0.0][..], &[1.5][..]));
/// ```
#[diagnostic::on_unimplemented(
    message = "`{Self}` does not store the values of a `DenseSlotMap`",
    note = "the third parameter of `DenseSlotMap` is `VmVec<V>` or, for rows with `#[derive(Row)]`, `Columns<R>`"
)]
pub trait Rows: sealed::FromOptions {
    /// The type of a value.
    type Value;
    /// A shared reference to a value: `&V`, or a [`RowRef`](crate::RowRef).
    type Ref<'a>
    where
        Self: 'a;
    /// A mutable reference to a value: `&mut V`, or a [`RowMut`](crate::RowMut).
    type Mut<'a>
    where
        Self: 'a;
    /// All values: a slice, or the slices of all columns.
    type Slices<'a>
    where
        Self: 'a;
    /// All values: a mutable slice, or the mutable slices of all columns.
    type SlicesMut<'a>
    where
        Self: 'a;
    /// An iterator over the values.
    type Iter<'a>: DoubleEndedIterator<Item = Self::Ref<'a>>
        + ExactSizeIterator
        + FusedIterator
        + Clone
    where
        Self: 'a;
    /// A mutable iterator over the values.
    type IterMut<'a>: DoubleEndedIterator<Item = Self::Mut<'a>> + ExactSizeIterator + FusedIterator
    where
        Self: 'a;
    /// An iterator that moves the values out.
    type IntoIter: DoubleEndedIterator<Item = Self::Value> + ExactSizeIterator + FusedIterator;

    /// The parts of a value. Values are split and assembled by separate calls, so that user code in them runs before or
    /// after a change to the map.
    #[doc(hidden)]
    type Parts;

    /// The size of one row.
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
    fn shrink_to_fit_within(&mut self, budget: Budget) -> Result<GivenBack, Error>;
    #[doc(hidden)]
    fn into_parts(value: Self::Value) -> Self::Parts;
    #[doc(hidden)]
    fn from_parts(parts: Self::Parts) -> Self::Value;
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
    #[doc(hidden)]
    fn prefetch(&self, row: usize);
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

    /// The options that a user chose for a map.
    #[derive(Debug)]
    pub struct RowOptions {
        pub(in crate::dense) options: Options,
        pub(in crate::dense) capacity: usize,
    }

    pub trait FromOptions: Default {
        fn try_made(row: RowOptions) -> Result<Self, Error>;
    }
}

/// Implements the methods of [`Rows`] that both arrays have, by their names there. `$shared` and `$mutable` have the
/// methods of slices.
macro_rules! same_methods {
    (
        |$this:ident| $shared:expr, $mutable:expr;
        $stats:ident, $push:ident, $pop:ident, $swap_remove:ident, $slices:ident, $slices_mut:ident
    ) => {
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
            self.$stats()
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

        fn shrink_to_fit_within(&mut self, budget: Budget) -> Result<GivenBack, Error> {
            self.shrink_to_fit_within(budget)
        }

        #[inline]
        fn clear(&mut self) {
            self.clear();
        }

        #[inline]
        fn push(&mut self, parts: Self::Parts) {
            self.$push(parts);
        }

        fn try_push(&mut self, value: Self::Value) -> Result<(), Refused<Self::Value>> {
            self.try_push(value)
        }

        #[inline]
        fn pop(&mut self) -> Option<Self::Parts> {
            self.$pop()
        }

        #[inline]
        fn swap_remove(&mut self, row: usize) -> Self::Parts {
            self.$swap_remove(row)
        }

        #[inline]
        fn swap(&mut self, a: usize, b: usize) {
            let $this = self;
            $mutable.swap(a, b);
        }

        #[inline]
        fn get(&self, row: usize) -> Option<Self::Ref<'_>> {
            let $this = self;
            $shared.get(row)
        }

        #[inline]
        fn get_mut(&mut self, row: usize) -> Option<Self::Mut<'_>> {
            let $this = self;
            $mutable.get_mut(row)
        }

        #[inline]
        fn slices(&self) -> Self::Slices<'_> {
            self.$slices()
        }

        #[inline]
        fn slices_mut(&mut self) -> Self::SlicesMut<'_> {
            self.$slices_mut()
        }

        #[inline]
        fn iter(&self) -> Self::Iter<'_> {
            let $this = self;
            $shared.iter()
        }

        #[inline]
        fn iter_mut(&mut self) -> Self::IterMut<'_> {
            let $this = self;
            $mutable.iter_mut()
        }

        fn into_rows(self) -> Self::IntoIter {
            self.into_iter()
        }
    };
}
pub(super) use same_methods;

impl<V> sealed::FromOptions for VmVec<V> {
    fn try_made(row: sealed::RowOptions) -> Result<Self, Error> {
        Self::try_with_options(row.options, row.capacity)
    }
}

impl<V> Rows for VmVec<V> {
    type Value = V;
    borrowed_types! {
        Ref = &'a V, Mut = &'a mut V,
        Slices = &'a [V], SlicesMut = &'a mut [V],
        Iter = slice::Iter<'a, V>, IterMut = slice::IterMut<'a, V>,
    }
    type IntoIter = vec::IntoIter<V>;
    type Parts = V;

    const BYTES: usize = size_of::<V>();

    same_methods! {
        |vec| vec.as_slice(), vec.as_mut_slice();
        stats, push, pop, swap_remove, as_slice, as_mut_slice
    }

    #[inline]
    fn into_parts(value: V) -> V {
        value
    }

    #[inline]
    fn from_parts(value: V) -> V {
        value
    }

    #[inline]
    fn prefetch(&self, row: usize) {
        prefetch_value(self.as_ptr().wrapping_add(row));
    }
}
