//! [`Fields`]: the fields of a row, each stored in its own column.
//!
//! # Why this is sound
//!
//! All reads and writes of columns are here, for each field through the pointer to its own column. The trait is sealed:
//! only tuples, and [`Concat`](super::Concat) of them, implement it.
//!
//! In the contracts below, a column *has memory* at an index if the address of the field there, counted from the start
//! of the column, is aligned and valid for reads and writes of the field, and lies in the same allocated range as the
//! start, of at most `isize::MAX` bytes. It *has a value* there if the field is initialized, too. It has a number of
//! them from an index on if it has each, all in that range; if that number is 0, the address of the first is still
//! aligned and not null. The columns of a row do not overlap, which [`starts`](Fields::starts) relies on `start_of`
//! for.

#![expect(unsafe_code, reason = "reads and writes columns")]

use super::Pad;
use crate::reservation::ColumnLayouts;
use std::alloc::Layout;
use std::array;
use std::fmt;
use std::mem;
use std::panic::{RefUnwindSafe, UnwindSafe};
use std::ptr::{self, NonNull};
use std::slice;

/// The fields of a [`Row`](super::Row): a tuple of one to twelve fields, each stored in its own column, or a
/// [`Concat`](super::Concat) of such tuples.
///
/// This trait is sealed; its methods are for [`Columns`](super::Columns).
///
/// # Examples
///
/// ```
/// use stayput::columns::Fields;
/// use stayput::{Groups, Pad, Row};
///
/// fn last<R: Row + Pad>(rows: &Groups<R, 8>) -> Option<&<R::Fields as Fields>::Group<8>> {
///     rows.as_slice().last()
/// }
///
/// let rows: Groups<(u8, char), 8> = (1..=9).map(|n| (n, 'a')).collect();
/// assert_eq!(last(&rows).map(|record| record.0), Some([9, 0, 0, 0, 0, 0, 0, 0]));
/// ```
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not a list of fields",
    note = "the fields of a row are a tuple of one to twelve types, or a `Concat` of two such lists"
)]
pub trait Fields: Sized + sealed::Sealed {
    /// References to the fields of a row.
    type Refs<'a>
    where
        Self: 'a;
    /// Mutable references to the fields of a row.
    type Muts<'a>
    where
        Self: 'a;
    /// All columns, as slices of equal length.
    type Slices<'a>
    where
        Self: 'a;
    /// All columns, as mutable slices of equal length.
    type SlicesMut<'a>
    where
        Self: 'a;

    /// A record of [`Groups`](super::Groups): an array per field.
    type Group<const N: usize>;

    /// Pointers to the starts of the columns.
    #[doc(hidden)]
    type Starts: Copy + fmt::Debug + Send + Sync + UnwindSafe + RefUnwindSafe;

    /// The sum of the sizes of all fields, without padding, and the greatest alignment.
    #[doc(hidden)]
    const ROW: Layout;

    /// The layouts of the fields whose size is not zero.
    #[doc(hidden)]
    const COLUMNS: ColumnLayouts;

    /// Returns aligned pointers, which are valid for fields of size zero.
    #[doc(hidden)]
    fn dangling() -> Self::Starts;

    /// Returns the starts of the columns. `start_of` is called with the number of a column, among those whose size is
    /// not zero.
    #[doc(hidden)]
    fn starts(start_of: impl Fn(usize) -> NonNull<u8>) -> Self::Starts;

    /// # Safety
    ///
    /// - Each column has memory for a value at `index`, which is not in use.
    #[doc(hidden)]
    unsafe fn write(fields: Self, starts: Self::Starts, index: usize);

    /// # Safety
    ///
    /// - Each column has a value at `index`, which is neither written to now nor read or dropped again.
    #[doc(hidden)]
    unsafe fn read(starts: Self::Starts, index: usize) -> Self;

    /// Copies the bytes of `count` rows from `first` on to `place` on, in other columns or in the same ones, where the
    /// two ranges may overlap.
    ///
    /// # Safety
    ///
    /// - Each column has values in the first range, which are not used there afterwards, except for those that also lie
    ///   in the second range.
    /// - Each column has memory for the second range. Values in it that do not lie in the first range are not used
    ///   again.
    #[doc(hidden)]
    unsafe fn copy_rows(
        from: Self::Starts,
        to: Self::Starts,
        first: usize,
        place: usize,
        count: usize,
    );

    /// Drops the values of `count` rows, column by column. If a drop panics, the others are still dropped.
    ///
    /// # Safety
    ///
    /// - Each column has values there, which are not used afterwards.
    #[doc(hidden)]
    unsafe fn drop_rows(starts: Self::Starts, from: usize, count: usize);

    /// # Safety
    ///
    /// - Each column has a value at `index` during `'a`, which is not written to meanwhile.
    #[doc(hidden)]
    unsafe fn refs<'a>(starts: Self::Starts, index: usize) -> Self::Refs<'a>
    where
        Self: 'a;

    /// # Safety
    ///
    /// - Each column has a value at `index`, to which the caller has exclusive access during `'a`.
    #[doc(hidden)]
    unsafe fn muts<'a>(starts: Self::Starts, index: usize) -> Self::Muts<'a>
    where
        Self: 'a;

    /// # Safety
    ///
    /// - Each column has `len` values from `from` on during `'a`, which are not written to meanwhile.
    #[doc(hidden)]
    unsafe fn slices<'a>(starts: Self::Starts, from: usize, len: usize) -> Self::Slices<'a>
    where
        Self: 'a;

    /// # Safety
    ///
    /// - Each column has `len` values from `from` on, to which the caller has exclusive access during `'a`.
    #[doc(hidden)]
    unsafe fn slices_mut<'a>(starts: Self::Starts, from: usize, len: usize) -> Self::SlicesMut<'a>
    where
        Self: 'a;

    /// Creates a record of `N` rows.
    #[doc(hidden)]
    fn group<const N: usize>(rows: [Self; N]) -> Self::Group<N>;

    /// Swaps two rows of columns.
    #[doc(hidden)]
    fn swap(columns: Self::SlicesMut<'_>, a: usize, b: usize);

    /// Replaces the fields of a row, and returns the old ones.
    #[doc(hidden)]
    #[must_use]
    fn replace(self, over: Self::Muts<'_>) -> Self;

    #[doc(hidden)]
    fn lane<const N: usize>(group: &Self::Group<N>, lane: usize) -> Self::Refs<'_>;

    #[doc(hidden)]
    fn lane_mut<const N: usize>(group: &mut Self::Group<N>, lane: usize) -> Self::Muts<'_>;

    #[doc(hidden)]
    fn lanes_mut<const N: usize>(group: &mut Self::Group<N>) -> [Self::Muts<'_>; N];
}

/// [`Fields`] that are all [`Clone`]; required to clone [`Columns`](super::Columns).
///
/// This trait is sealed. It is implemented for tuples of one to twelve fields that are `Clone`, and for
/// [`Concat`](super::Concat). Code that is generic over the row requires `R: Clone` and `R::Fields: CloneFields`.
///
/// # Examples
///
/// ```
/// use stayput::columns::CloneFields;
/// use stayput::{Columns, Row};
///
/// fn twice<R: Row + Clone>(columns: &mut Columns<R>)
/// where
///     R::Fields: CloneFields,
/// {
///     columns.append(&mut columns.clone());
/// }
///
/// let mut columns = Columns::from([(1, "one".to_owned())]);
/// twice(&mut columns);
/// assert_eq!(columns.as_slices().1, ["one", "one"]);
/// ```
#[diagnostic::on_unimplemented(
    message = "the fields `{Self}` cannot all be cloned",
    note = "columns can be cloned if the row and each of its fields are `Clone`"
)]
pub trait CloneFields: Fields {
    /// Returns clones of the fields of a row.
    #[doc(hidden)]
    fn cloned(fields: Self::Refs<'_>) -> Self;

    /// Overwrites values with clones of others, in columns of equal length.
    #[doc(hidden)]
    fn clone_over(to: Self::SlicesMut<'_>, from: Self::Slices<'_>);

    /// Clones all values, column by column, to the rows from `place` on. If a clone panics, those already made are
    /// dropped.
    ///
    /// # Safety
    ///
    /// - `from` has `count` values in each column.
    /// - Each column of `to` has memory for them, which is not in use.
    #[doc(hidden)]
    unsafe fn clone_to(from: Self::Slices<'_>, to: Self::Starts, place: usize, count: usize);
}

pub(super) mod sealed {
    pub trait Sealed {}
}

/// Values of a column that are dropped together with it: the column has `count` values from `first` on, which nothing
/// else uses.
struct Dropped<T> {
    first: *mut T,
    count: usize,
}

impl<T> Drop for Dropped<T> {
    fn drop(&mut self) {
        // SAFETY: by the invariant of the type, the column has these values, so they are initialized, at an address
        // that is aligned and not null even if there are none; and nothing else uses them.
        unsafe { ptr::slice_from_raw_parts_mut(self.first, self.count).drop_in_place() }
    }
}

/// Moves the layouts whose size is not zero to the front. Returns their number, too.
const fn sized<const N: usize>(all: [Layout; N]) -> ([Layout; N], usize) {
    let mut sized = all;
    let (mut number, mut count) = (0, 0);
    while number < N {
        if all[number].size() > 0 {
            sized[count] = all[number];
            count += 1;
        }
        number += 1;
    }
    (sized, count)
}

/// Returns the sum of all layouts, without padding.
const fn row(fields: &[Layout]) -> Layout {
    let (mut number, mut size, mut align) = (0, 0_usize, 1);
    while number < fields.len() {
        size = match size.checked_add(fields[number].size()) {
            Some(sum) => sum,
            None => panic!("the fields of a row are larger than `isize::MAX` bytes"),
        };
        if fields[number].align() > align {
            align = fields[number].align();
        }
        number += 1;
    }
    match Layout::from_size_align(size, align) {
        Ok(row) => row,
        Err(_) => panic!("the fields of a row are larger than `isize::MAX` bytes"),
    }
}

/// The address of the first value of a column. Code that accesses values through it vouches for them.
pub struct Start<T>(NonNull<T>);

impl<T> Start<T> {
    /// Returns the address of a value, or of memory for one. Any other index yields a pointer that must not be used.
    #[inline]
    const fn at(self, index: usize) -> *mut T {
        self.0.as_ptr().wrapping_add(index)
    }
}

impl<T> Clone for Start<T> {
    #[inline]
    fn clone(&self) -> Self {
        *self
    }
}

impl<T> Copy for Start<T> {}

impl<T> fmt::Debug for Start<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

// SAFETY: an address gives access to nothing. A type that accesses values through it has a marker for what it borrows or
// owns, on which depends whether it can be sent.
unsafe impl<T> Send for Start<T> {}
// SAFETY: the same holds for an address that is shared.
unsafe impl<T> Sync for Start<T> {}

// Nor can a panic break what it points to through an address alone.
impl<T> UnwindSafe for Start<T> {}
impl<T> RefUnwindSafe for Start<T> {}

/// Defines methods for tuples as rows, whose references to fields are the references to the row.
macro_rules! same {
    ($($method:ident: $Type:ident),+) => {
        $(
            #[inline]
            fn $method<'a>(fields: Self::$Type<'a>) -> Self::$Type<'a>
            where
                Self: 'a,
            {
                fields
            }
        )+
    };
}

/// Implements everything for a tuple, by macro because functions cannot be generic over its length.
macro_rules! fields {
    ($($field:ident $number:tt),+) => {
        impl<$($field),+> sealed::Sealed for ($($field,)+) {}

        impl<$($field),+> Fields for ($($field,)+) {
            type Refs<'a> = ($(&'a $field,)+) where Self: 'a;
            type Muts<'a> = ($(&'a mut $field,)+) where Self: 'a;
            type Slices<'a> = ($(&'a [$field],)+) where Self: 'a;
            type SlicesMut<'a> = ($(&'a mut [$field],)+) where Self: 'a;
            type Group<const N: usize> = ($([$field; N],)+);
            type Starts = ($(Start<$field>,)+);

            const ROW: Layout = row(&[$(Layout::new::<$field>()),+]);
            const COLUMNS: ColumnLayouts = &{
                let (layouts, count) = &const { sized([$(Layout::new::<$field>()),+]) };
                layouts.split_at(*count).0
            };

            #[inline]
            fn dangling() -> Self::Starts {
                ($(Start::<$field>(NonNull::dangling()),)+)
            }

            #[inline]
            fn starts(start_of: impl Fn(usize) -> NonNull<u8>) -> Self::Starts {
                let mut number = 0;
                ($({
                    Start(if size_of::<$field>() == 0 {
                        NonNull::<$field>::dangling()
                    } else {
                        number += 1;
                        start_of(number - 1).cast::<$field>()
                    })
                },)+)
            }

            #[inline]
            unsafe fn write(fields: Self, starts: Self::Starts, index: usize) {
                $(
                    // SAFETY: the caller guarantees that each column has memory at `index`, so the place is aligned and
                    // valid for writes.
                    unsafe { starts.$number.at(index).write(fields.$number) };
                )+
            }

            #[inline]
            unsafe fn read(starts: Self::Starts, index: usize) -> Self {
                ($({
                    // Not by `at`, as in `refs`.
                    // SAFETY: the caller guarantees that each column has a value at `index`, so it lies in the same
                    // range as the start.
                    let field = unsafe { starts.$number.0.add(index) };
                    // SAFETY: the value is aligned and initialized, and not written to now; it is not read or dropped
                    // again, so no two copies of it are used.
                    unsafe { field.read() }
                },)+)
            }

            #[inline]
            unsafe fn copy_rows(
                from: Self::Starts,
                to: Self::Starts,
                first: usize,
                place: usize,
                count: usize,
            ) {
                $(
                    let (old, new) = (from.$number.at(first), to.$number.at(place));
                    // SAFETY: the caller guarantees that each column has values in the first range and memory for the
                    // second, so both are aligned, and valid for reads and writes. The ranges may overlap.
                    unsafe { old.copy_to(new, count) };
                )+
            }

            unsafe fn drop_rows(starts: Self::Starts, from: usize, count: usize) {
                // If a drop in one column panics, the columns after it are dropped while unwinding.
                // Each column has these values, which are not used afterwards, as the caller guarantees.
                drop(($(Dropped { first: starts.$number.at(from), count },)+));
            }

            #[inline]
            unsafe fn refs<'a>(starts: Self::Starts, index: usize) -> Self::Refs<'a>
            where
                Self: 'a,
            {
                ($({
                    // Not by `at`, with which loops are not vectorised.
                    // SAFETY: the caller guarantees that each column has a value at `index`, so it lies in the same
                    // range as the start.
                    let field = unsafe { starts.$number.0.add(index) };
                    // SAFETY: the value is aligned and initialized, and not written to during `'a`.
                    unsafe { field.as_ref() }
                },)+)
            }

            #[inline]
            unsafe fn muts<'a>(starts: Self::Starts, index: usize) -> Self::Muts<'a>
            where
                Self: 'a,
            {
                ($({
                    // SAFETY: the caller guarantees that each column has a value at `index`, so it lies in the same
                    // range as the start.
                    let mut field = unsafe { starts.$number.0.add(index) };
                    // SAFETY: the value is aligned and initialized; the caller guarantees exclusive access during `'a`.
                    // Columns do not overlap.
                    unsafe { field.as_mut() }
                },)+)
            }

            #[inline]
            unsafe fn slices<'a>(starts: Self::Starts, from: usize, len: usize) -> Self::Slices<'a>
            where
                Self: 'a,
            {
                ($({
                    // SAFETY: the caller guarantees that each column has these values during `'a`, which are not
                    // written to meanwhile. By the definition above, they are initialized, in one range of at most
                    // `isize::MAX` bytes, and their address is aligned and not null, even if there are none.
                    unsafe { slice::from_raw_parts(starts.$number.at(from), len) }
                },)+)
            }

            #[inline]
            unsafe fn slices_mut<'a>(
                starts: Self::Starts,
                from: usize,
                len: usize,
            ) -> Self::SlicesMut<'a>
            where
                Self: 'a,
            {
                ($({
                    // SAFETY: as for `slices`; the caller guarantees exclusive access during `'a`, and columns do not
                    // overlap.
                    unsafe { slice::from_raw_parts_mut(starts.$number.at(from), len) }
                },)+)
            }

            #[inline]
            fn group<const N: usize>(rows: [Self; N]) -> Self::Group<N> {
                let mut rows = rows.map(|row| ($(Some(row.$number),)+));
                let none = "each is taken once";
                ($(array::from_fn(|lane| rows[lane].$number.take().expect(none)),)+)
            }

            #[inline]
            fn swap(columns: Self::SlicesMut<'_>, a: usize, b: usize) {
                $(columns.$number.swap(a, b);)+
            }

            #[inline]
            fn replace(self, over: Self::Muts<'_>) -> Self {
                ($(mem::replace(over.$number, self.$number),)+)
            }

            #[inline]
            fn lane<const N: usize>(group: &Self::Group<N>, lane: usize) -> Self::Refs<'_> {
                ($(&group.$number[lane],)+)
            }

            #[inline]
            fn lane_mut<const N: usize>(group: &mut Self::Group<N>, lane: usize) -> Self::Muts<'_> {
                ($(&mut group.$number[lane],)+)
            }

            #[inline]
            fn lanes_mut<const N: usize>(group: &mut Self::Group<N>) -> [Self::Muts<'_>; N] {
                let mut lanes = ($(group.$number.each_mut().into_iter(),)+);
                array::from_fn(|_| ($(lanes.$number.next().expect("there are N lanes"),)+))
            }
        }

        impl<$($field: Pad),+> Pad for ($($field,)+) {
            const PAD: Self = ($($field::PAD,)+);
        }

        impl<$($field: Clone),+> CloneFields for ($($field,)+) {
            #[inline]
            fn cloned(fields: Self::Refs<'_>) -> Self {
                ($(fields.$number.clone(),)+)
            }

            fn clone_over(to: Self::SlicesMut<'_>, from: Self::Slices<'_>) {
                $(to.$number.clone_from_slice(from.$number);)+
            }

            unsafe fn clone_to(from: Self::Slices<'_>, to: Self::Starts, place: usize, _: usize) {
                // If a clone panics, the clones in the columns before it are dropped with these.
                mem::forget(($({
                    let mut clones = Dropped { first: to.$number.at(place), count: 0 };
                    for value in from.$number {
                        let (clone, next) = (value.clone(), clones.first.wrapping_add(clones.count));
                        // SAFETY: `clones.count` is the index of `value` in the column of `from`. The caller guarantees
                        // that the column of `to` has memory for as many values from `place` on, which is not in use, so
                        // the place is aligned and valid for writes.
                        unsafe { next.write(clone) };
                        clones.count += 1;
                    }
                    clones
                },)+));
            }
        }

        impl<$($field),+> super::Row for ($($field,)+) {
            type Fields = Self;
            type Ref<'a> = ($(&'a $field,)+) where Self: 'a;
            type Mut<'a> = ($(&'a mut $field,)+) where Self: 'a;
            type Slices<'a> = ($(&'a [$field],)+) where Self: 'a;
            type SlicesMut<'a> = ($(&'a mut [$field],)+) where Self: 'a;

            #[inline]
            fn into_fields(self) -> Self {
                self
            }

            #[inline]
            fn from_fields(fields: Self) -> Self {
                fields
            }

            same! { by_ref: Ref, by_mut: Mut, by_slices: Slices, by_slices_mut: SlicesMut }
        }
    };
}

fields!(A 0);
fields!(A 0, B 1);
fields!(A 0, B 1, C 2);
fields!(A 0, B 1, C 2, D 3);
fields!(A 0, B 1, C 2, D 3, E 4);
fields!(A 0, B 1, C 2, D 3, E 4, F 5);
fields!(A 0, B 1, C 2, D 3, E 4, F 5, G 6);
fields!(A 0, B 1, C 2, D 3, E 4, F 5, G 6, H 7);
fields!(A 0, B 1, C 2, D 3, E 4, F 5, G 6, H 7, I 8);
fields!(A 0, B 1, C 2, D 3, E 4, F 5, G 6, H 7, I 8, J 9);
fields!(A 0, B 1, C 2, D 3, E 4, F 5, G 6, H 7, I 8, J 9, K 10);
fields!(A 0, B 1, C 2, D 3, E 4, F 5, G 6, H 7, I 8, J 9, K 10, L 11);
