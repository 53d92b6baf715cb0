//! [`Fields`]: the parts of a row, each in a column of its own.
//!
//! # Why this is sound
//!
//! All that is done to columns is done here, to each field by the pointer to its own column. The
//! trait is sealed: only tuples, and [`Concat`](super::Concat) of them, answer for what it says.

#![expect(unsafe_code, reason = "reads and writes what lies in columns")]

use super::Pad;
use crate::reservation::ColumnLayouts;
use std::alloc::Layout;
use std::array;
use std::fmt;
use std::mem;
use std::ptr::{self, NonNull};
use std::slice;

/// What a [`Row`](super::Row) is made of: a tuple of one to twelve fields, each of which has a
/// column; or a [`Concat`](super::Concat) of such tuples.
///
/// The trait is sealed. What it has is for [`Columns`](super::Columns).
pub trait Fields: Sized + sealed::Sealed {
    /// A reference to each field of a row.
    type Refs<'a>
    where
        Self: 'a;
    /// A mutable reference to each.
    type Muts<'a>
    where
        Self: 'a;
    /// All columns, as slices of the same length.
    type Slices<'a>
    where
        Self: 'a;
    /// The same, mutable.
    type SlicesMut<'a>
    where
        Self: 'a;

    /// A record of [`Groups`](super::Groups): an array of each field.
    type Group<const N: usize>;

    /// Where the columns start: a pointer to each.
    #[doc(hidden)]
    type Starts: Copy + fmt::Debug;

    /// The size of all fields, none of them padded, and the alignment of the most aligned.
    #[doc(hidden)]
    const ROW: Layout;

    /// Those that have a size.
    #[doc(hidden)]
    const COLUMNS: ColumnLayouts;

    /// Pointers that are aligned, and good for what has no size.
    #[doc(hidden)]
    fn dangling() -> Self::Starts;

    /// `start_of` tells where the columns are that have a size, by number.
    #[doc(hidden)]
    fn starts(start_of: impl Fn(usize) -> NonNull<u8>) -> Self::Starts;

    /// # Safety
    ///
    /// - Each column has memory for a value at `index`, which is not used by anybody.
    #[doc(hidden)]
    unsafe fn write(self, starts: Self::Starts, index: usize);

    /// # Safety
    ///
    /// - Each column has a value at `index`, which nobody reads or drops again, and nobody writes to.
    #[doc(hidden)]
    unsafe fn read(starts: Self::Starts, index: usize) -> Self;

    /// Copies the row at `from`, as bytes, to `to`.
    ///
    /// # Safety
    ///
    /// - Each column has a value at `from`, which is not used by its old place from then on, and memory at
    ///   `to`, another place, that nobody uses.
    #[doc(hidden)]
    #[inline]
    unsafe fn copy(starts: Self::Starts, from: usize, to: usize) {
        // SAFETY: the caller's promise.
        unsafe { Self::copy_rows(starts, from, starts, to, 1) };
    }

    /// Copies `count` rows, as bytes, from `first` on to `place` on, in other columns or in the same: then the two
    /// ranges may overlap.
    ///
    /// # Safety
    ///
    /// - Each column has values in the first range, which are not used by their old places from then on, but
    ///   for those that are in the second too.
    /// - Each has memory for the second. What lies there, and not in the first, nobody uses.
    #[doc(hidden)]
    unsafe fn copy_rows(
        from: Self::Starts,
        first: usize,
        to: Self::Starts,
        place: usize,
        count: usize,
    );

    /// # Safety
    ///
    /// - Each column has a value at both, and they are the caller's alone.
    #[doc(hidden)]
    unsafe fn swap(starts: Self::Starts, a: usize, b: usize);

    /// Drops the values of `count` rows, column by column. Should one panic, the others are dropped.
    ///
    /// # Safety
    ///
    /// - Each column has values there, which nobody uses from then on.
    #[doc(hidden)]
    unsafe fn drop_rows(starts: Self::Starts, from: usize, count: usize);

    /// # Safety
    ///
    /// - Each column has a value at `index`, to which nobody writes for as long as `'a`.
    #[doc(hidden)]
    unsafe fn refs<'a>(starts: Self::Starts, index: usize) -> Self::Refs<'a>
    where
        Self: 'a;

    /// # Safety
    ///
    /// - Each column has a value at `index`, which is the caller's alone for as long as `'a`.
    #[doc(hidden)]
    unsafe fn muts<'a>(starts: Self::Starts, index: usize) -> Self::Muts<'a>
    where
        Self: 'a;

    /// # Safety
    ///
    /// - Each column has `len` values from `from` on, to which nobody writes for as long as `'a`.
    #[doc(hidden)]
    unsafe fn slices<'a>(starts: Self::Starts, from: usize, len: usize) -> Self::Slices<'a>
    where
        Self: 'a;

    /// # Safety
    ///
    /// - Each column has `len` values from `from` on, which are the caller's alone for as long as `'a`.
    #[doc(hidden)]
    unsafe fn slices_mut<'a>(starts: Self::Starts, from: usize, len: usize) -> Self::SlicesMut<'a>
    where
        Self: 'a;

    /// A record of so many rows.
    #[doc(hidden)]
    fn group<const N: usize>(rows: [Self; N]) -> Self::Group<N>;

    /// Puts a row into a lane, and gives the one that was there.
    #[doc(hidden)]
    #[must_use]
    fn put_into_lane<const N: usize>(self, group: &mut Self::Group<N>, lane: usize) -> Self;

    #[doc(hidden)]
    fn lane<const N: usize>(group: &Self::Group<N>, lane: usize) -> Self::Refs<'_>;

    #[doc(hidden)]
    fn lane_mut<const N: usize>(group: &mut Self::Group<N>, lane: usize) -> Self::Muts<'_>;

    #[doc(hidden)]
    fn lanes_mut<const N: usize>(group: &mut Self::Group<N>) -> [Self::Muts<'_>; N];
}

/// [`Fields`] all of which are [`Clone`], as those of [`Columns`](super::Columns) are that can be cloned.
///
/// It is implemented for tuples of one to twelve such fields and for [`Concat`](super::Concat), and is sealed. Code
/// that is generic in the row asks for `R: Clone` and `R::Fields: CloneFields`.
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
pub trait CloneFields: Fields {
    /// A row of clones.
    #[doc(hidden)]
    fn cloned(fields: Self::Refs<'_>) -> Self;

    /// Has values be clones of others, in columns of one length.
    #[doc(hidden)]
    fn clone_over(to: Self::SlicesMut<'_>, from: Self::Slices<'_>);

    /// Clones all values, column by column, to where their rows begin at `place`. Should a clone panic, those
    /// that were made are dropped.
    ///
    /// # Safety
    ///
    /// - `from` has `count` values in each column.
    /// - Each column of `to` has memory there, which is not used by anybody.
    #[doc(hidden)]
    unsafe fn clone_to(from: Self::Slices<'_>, to: Self::Starts, place: usize, count: usize);
}

pub(super) mod sealed {
    pub trait Sealed {}
}

/// Values of a column that are dropped with it.
struct Dropped<T> {
    first: NonNull<T>,
    count: usize,
}

impl<T> Drop for Dropped<T> {
    fn drop(&mut self) {
        let values = ptr::slice_from_raw_parts_mut(self.first.as_ptr(), self.count);
        // SAFETY: who made it says that they are values which nobody uses from then on.
        unsafe { values.drop_in_place() }
    }
}

/// Clones values to a column, from `first` on.
///
/// # Safety
///
/// - The column has memory for as many there, which is not used by anybody.
unsafe fn clone_column<T: Clone>(values: &[T], first: NonNull<T>) -> Dropped<T> {
    let mut clones = Dropped { first, count: 0 };
    for value in values {
        let clone = value.clone();
        // SAFETY: as many as there are values; the caller's promise.
        let place = unsafe { at(first, clones.count) };
        // SAFETY: the same.
        unsafe { place.write(clone) };
        clones.count += 1;
    }
    clones
}

/// Those that have a size, in front; and how many they are.
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

/// All of them in one, without padding.
const fn row(fields: &[Layout]) -> Layout {
    let (mut number, mut size, mut align) = (0, 0_usize, 1);
    while number < fields.len() {
        size = match size.checked_add(fields[number].size()) {
            Some(sum) => sum,
            None => panic!("the fields of a row have more bytes than there can be"),
        };
        if fields[number].align() > align {
            align = fields[number].align();
        }
        number += 1;
    }
    match Layout::from_size_align(size, align) {
        Ok(row) => row,
        Err(_) => panic!("the fields of a row have more bytes than there can be"),
    }
}

/// The place of a value in a column.
///
/// # Safety
///
/// - The column reaches as far as that.
#[inline]
unsafe fn at<T>(start: NonNull<T>, index: usize) -> NonNull<T> {
    // SAFETY: the caller's promise.
    unsafe { start.add(index) }
}

/// Defines methods of a tuple as a row, which has the references to its fields for those to it.
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

/// A tuple, which no function can take apart.
macro_rules! fields {
    ($($field:ident $number:tt),+) => {
        impl<$($field),+> sealed::Sealed for ($($field,)+) {}

        impl<$($field),+> Fields for ($($field,)+) {
            type Refs<'a> = ($(&'a $field,)+) where Self: 'a;
            type Muts<'a> = ($(&'a mut $field,)+) where Self: 'a;
            type Slices<'a> = ($(&'a [$field],)+) where Self: 'a;
            type SlicesMut<'a> = ($(&'a mut [$field],)+) where Self: 'a;
            type Group<const N: usize> = ($([$field; N],)+);
            type Starts = ($(NonNull<$field>,)+);

            const ROW: Layout = row(&[$(Layout::new::<$field>()),+]);
            const COLUMNS: ColumnLayouts = &{
                let (layouts, count) = &const { sized([$(Layout::new::<$field>()),+]) };
                layouts.split_at(*count).0
            };

            #[inline]
            fn dangling() -> Self::Starts {
                ($(NonNull::<$field>::dangling(),)+)
            }

            #[inline]
            fn starts(start_of: impl Fn(usize) -> NonNull<u8>) -> Self::Starts {
                let mut number = 0;
                ($({
                    if size_of::<$field>() == 0 {
                        NonNull::<$field>::dangling()
                    } else {
                        number += 1;
                        start_of(number - 1).cast::<$field>()
                    }
                },)+)
            }

            #[inline]
            unsafe fn write(self, starts: Self::Starts, index: usize) {
                $(
                    // SAFETY: the caller's promise.
                    let place = unsafe { at(starts.$number, index) };
                    // SAFETY: the caller's promise.
                    unsafe { place.write(self.$number) };
                )+
            }

            #[inline]
            unsafe fn read(starts: Self::Starts, index: usize) -> Self {
                ($({
                    // SAFETY: the caller's promise.
                    let place = unsafe { at(starts.$number, index) };
                    // SAFETY: the caller's promise.
                    unsafe { place.read() }
                },)+)
            }

            #[inline]
            unsafe fn copy_rows(
                from: Self::Starts,
                first: usize,
                to: Self::Starts,
                place: usize,
                count: usize,
            ) {
                $(
                    // SAFETY: the caller's promise.
                    let old = unsafe { at(from.$number, first) };
                    // SAFETY: the same.
                    let new = unsafe { at(to.$number, place) };
                    // SAFETY: the same. They may overlap.
                    unsafe { old.copy_to(new, count) };
                )+
            }

            #[inline]
            unsafe fn swap(starts: Self::Starts, a: usize, b: usize) {
                $(
                    // SAFETY: the caller's promise.
                    let place = unsafe { at(starts.$number, a) };
                    // SAFETY: the same.
                    let other = unsafe { at(starts.$number, b) };
                    // SAFETY: the same. They may be one.
                    unsafe { ptr::swap(place.as_ptr(), other.as_ptr()) };
                )+
            }

            unsafe fn drop_rows(starts: Self::Starts, from: usize, count: usize) {
                // Should the values of one column panic, the fields behind it are dropped nevertheless.
                drop(($({
                    // SAFETY: the caller's promise.
                    let first = unsafe { at(starts.$number, from) };
                    Dropped { first, count }
                },)+));
            }

            #[inline]
            unsafe fn refs<'a>(starts: Self::Starts, index: usize) -> Self::Refs<'a>
            where
                Self: 'a,
            {
                ($({
                    // SAFETY: the caller's promise.
                    let place = unsafe { at(starts.$number, index) };
                    // SAFETY: the caller's promise.
                    unsafe { place.as_ref() }
                },)+)
            }

            #[inline]
            unsafe fn muts<'a>(starts: Self::Starts, index: usize) -> Self::Muts<'a>
            where
                Self: 'a,
            {
                ($({
                    // SAFETY: the caller's promise.
                    let mut place = unsafe { at(starts.$number, index) };
                    // SAFETY: the caller's promise; columns do not overlap.
                    unsafe { place.as_mut() }
                },)+)
            }

            #[inline]
            unsafe fn slices<'a>(starts: Self::Starts, from: usize, len: usize) -> Self::Slices<'a>
            where
                Self: 'a,
            {
                ($({
                    // SAFETY: the caller's promise.
                    let first = unsafe { at(starts.$number, from) };
                    // SAFETY: the caller's promise.
                    unsafe { slice::from_raw_parts(first.as_ptr(), len) }
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
                    // SAFETY: the caller's promise.
                    let first = unsafe { at(starts.$number, from) };
                    // SAFETY: the caller's promise; columns do not overlap.
                    unsafe { slice::from_raw_parts_mut(first.as_ptr(), len) }
                },)+)
            }

            #[inline]
            fn group<const N: usize>(rows: [Self; N]) -> Self::Group<N> {
                let mut rows = rows.map(|row| ($(Some(row.$number),)+));
                let none = "each is taken once";
                ($(array::from_fn(|lane| rows[lane].$number.take().expect(none)),)+)
            }

            #[inline]
            fn put_into_lane<const N: usize>(self, group: &mut Self::Group<N>, lane: usize) -> Self {
                ($(mem::replace(&mut group.$number[lane], self.$number),)+)
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
                // Should a clone panic, those of the columns before it are dropped with these.
                mem::forget(($({
                    // SAFETY: the caller's promise.
                    let first = unsafe { at(to.$number, place) };
                    // SAFETY: the same.
                    unsafe { clone_column(from.$number, first) }
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
