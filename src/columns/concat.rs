//! [`Concat`]: two lists of fields in sequence, for rows with more fields than a tuple has.

#![expect(unsafe_code, reason = "passes guarantees about columns on to both halves")]

use super::{CloneFields, Fields, fields::sealed};
use crate::reservation::ColumnLayouts;
use std::alloc::Layout;
use std::array;
use std::mem;
use std::ptr::NonNull;

pub(super) const MAX_COLUMNS: usize = 36;

/// Two [`Fields`] in sequence, for rows of more than twelve fields.
///
/// `#[derive(Row)]` uses it for structs of more than twelve fields. References and slices are pairs: of those of the
/// first half and those of the second. Nested, there are up to 36 columns; more fail to compile.
///
/// # Examples
///
/// ```
/// use stayput::columns::Concat;
/// use stayput::{Columns, Row};
///
/// struct Wide([u8; 12], u8);
///
/// impl Row for Wide {
///     type Fields = Concat<([u8; 12],), (u8,)>;
///     type Ref<'a> = (&'a [u8; 12], &'a u8);
///     type Mut<'a> = (&'a mut [u8; 12], &'a mut u8);
///     type Slices<'a> = (&'a [[u8; 12]], &'a [u8]);
///     type SlicesMut<'a> = (&'a mut [[u8; 12]], &'a mut [u8]);
///
///     fn into_fields(self) -> Self::Fields {
///         Concat((self.0,), (self.1,))
///     }
///     fn from_fields(Concat((first,), (second,)): Self::Fields) -> Self {
///         Self(first, second)
///     }
///     fn by_ref<'a>(((first,), (second,)): ((&'a [u8; 12],), (&'a u8,))) -> Self::Ref<'a>
///     where
///         Self: 'a,
///     {
///         (first, second)
///     }
///     # fn by_mut<'a>(((first,), (second,)): ((&'a mut [u8; 12],), (&'a mut u8,))) -> Self::Mut<'a>
///     # where
///     #     Self: 'a,
///     # {
///     #     (first, second)
///     # }
///     # fn by_slices<'a>(((first,), (second,)): ((&'a [[u8; 12]],), (&'a [u8],))) -> Self::Slices<'a>
///     # where
///     #     Self: 'a,
///     # {
///     #     (first, second)
///     # }
///     // …
///     # fn by_slices_mut<'a>(
///     #     ((first,), (second,)): ((&'a mut [[u8; 12]],), (&'a mut [u8],)),
///     # ) -> Self::SlicesMut<'a>
///     # where
///     #     Self: 'a,
///     # {
///     #     (first, second)
///     # }
/// }
///
/// let mut columns = Columns::<Wide>::new();
/// columns.push(Wide([1; 12], 2));
/// assert_eq!(columns.get(0), Some((&[1; 12], &2)));
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Concat<A, B>(pub A, pub B);

impl<A: Fields, B: Fields> Concat<A, B> {
    const LAYOUTS: &'static ([Layout; MAX_COLUMNS], usize) = &{
        let (first, second) = (*A::COLUMNS, *B::COLUMNS);
        let mut all = [Layout::new::<()>(); MAX_COLUMNS];
        let count = first.len() + second.len();
        assert!(count <= MAX_COLUMNS, "a row has at most 36 columns");
        let mut at = 0;
        while at < count {
            all[at] = if at < first.len() { first[at] } else { second[at - first.len()] };
            at += 1;
        }
        (all, count)
    };
    const SIZED: &'static [Layout] = Self::LAYOUTS.0.split_at(Self::LAYOUTS.1).0;
}

/// Rows whose values are dropped together with it: each column has `count` values from `from` on, which nothing else uses.
struct Rows<F: Fields> {
    starts: F::Starts,
    from: usize,
    count: usize,
}

impl<F: Fields> Drop for Rows<F> {
    fn drop(&mut self) {
        // SAFETY: each column has these values, and nothing else uses them, by the invariant of the type.
        unsafe { F::drop_rows(self.starts, self.from, self.count) }
    }
}

impl<A: Fields, B: Fields> sealed::Sealed for Concat<A, B> {}

/// Defines methods that call the one of both halves, each with its part of the first arguments and with all of the others.
macro_rules! both {
    ($(
        fn $method:ident$(<$a:lifetime>)?($($half:ident: $Half:ty),+; $($same:ident),+) -> $Both:ty {
            $first:pat, $second:pat => $both:expr
        }
    )+) => {
        $(
            #[inline]
            unsafe fn $method$(<$a>)?($($half: $Half,)+ $($same: usize),+) -> $Both
            $(
                where
                    Self: $a,
            )?
            {
                // SAFETY: the caller guarantees about all columns what the method requires, so it holds for those of the
                // first half (*halves*).
                let $first = unsafe { A::$method($($half.0,)+ $($same),+) };
                // SAFETY: it also holds for those of the second half. Columns do not overlap, so nor does what both
                // access or return.
                let $second = unsafe { B::$method($($half.1,)+ $($same),+) };
                $both
            }
        )+
    };
}

// *Halves*: `starts` are those of the columns of `A`, and those of `B`, so what a caller guarantees about all columns holds
// for those of each half. The methods of both halves have the contract of the method that calls them.
impl<A: Fields, B: Fields> Fields for Concat<A, B> {
    borrowed_types! {
        Refs = (A::Refs<'a>, B::Refs<'a>), Muts = (A::Muts<'a>, B::Muts<'a>),
        Slices = (A::Slices<'a>, B::Slices<'a>), SlicesMut = (A::SlicesMut<'a>, B::SlicesMut<'a>),
    }
    type Group<const N: usize> = (A::Group<N>, B::Group<N>);
    type Starts = (A::Starts, B::Starts);

    const ROW: Layout = {
        let (first, second) = (A::ROW, B::ROW);
        let align = if first.align() > second.align() { first.align() } else { second.align() };
        match Layout::from_size_align(first.size().saturating_add(second.size()), align) {
            Ok(row) => row,
            Err(_) => panic!("the fields of a row are larger than `isize::MAX` bytes"),
        }
    };
    const COLUMNS: ColumnLayouts = &Self::SIZED;

    #[inline]
    fn dangling() -> Self::Starts {
        (A::dangling(), B::dangling())
    }

    #[inline]
    fn starts(start_of: impl Fn(usize) -> NonNull<u8>) -> Self::Starts {
        (A::starts(&start_of), B::starts(|number| start_of(A::COLUMNS.len() + number)))
    }

    both! {
        fn write(fields: Self, starts: Self::Starts; index) -> () { (), () => () }
        fn read(starts: Self::Starts; index) -> Self { first, second => Self(first, second) }
        fn copy_rows(from: Self::Starts, to: Self::Starts; first, place, count) -> () { (), () => () }
        fn refs<'a>(starts: Self::Starts; index) -> Self::Refs<'a> { first, second => (first, second) }
        fn muts<'a>(starts: Self::Starts; index) -> Self::Muts<'a> { first, second => (first, second) }
        fn slices<'a>(starts: Self::Starts; from, len) -> Self::Slices<'a> {
            first, second => (first, second)
        }
        fn slices_mut<'a>(starts: Self::Starts; from, len) -> Self::SlicesMut<'a> {
            first, second => (first, second)
        }
    }

    unsafe fn drop_rows(starts: Self::Starts, from: usize, count: usize) {
        // If a drop in the first half panics, the second is dropped while unwinding.
        // Each column has these values, which are not used afterwards, as the caller guarantees (*halves*).
        let (first, second) = starts;
        drop((Rows::<A> { starts: first, from, count }, Rows::<B> { starts: second, from, count }));
    }

    fn group<const N: usize>(rows: [Self; N]) -> Self::Group<N> {
        let mut rows = rows.map(|row| (Some(row.0), Some(row.1)));
        let none = "each is taken once";
        (
            A::group(array::from_fn(|lane| rows[lane].0.take().expect(none))),
            B::group(array::from_fn(|lane| rows[lane].1.take().expect(none))),
        )
    }

    #[inline]
    fn swap(columns: Self::SlicesMut<'_>, a: usize, b: usize) {
        A::swap(columns.0, a, b);
        B::swap(columns.1, a, b);
    }

    #[inline]
    fn replace(self, over: Self::Muts<'_>) -> Self {
        Self(self.0.replace(over.0), self.1.replace(over.1))
    }

    #[inline]
    fn lane<const N: usize>(group: &Self::Group<N>, lane: usize) -> Self::Refs<'_> {
        (A::lane(&group.0, lane), B::lane(&group.1, lane))
    }

    #[inline]
    fn lane_mut<const N: usize>(group: &mut Self::Group<N>, lane: usize) -> Self::Muts<'_> {
        (A::lane_mut(&mut group.0, lane), B::lane_mut(&mut group.1, lane))
    }

    fn lanes_mut<const N: usize>(group: &mut Self::Group<N>) -> [Self::Muts<'_>; N] {
        let mut first = A::lanes_mut(&mut group.0).into_iter();
        let mut second = B::lanes_mut(&mut group.1).into_iter();
        let all = "there are N lanes";
        array::from_fn(|_| (first.next().expect(all), second.next().expect(all)))
    }
}

impl<A: CloneFields, B: CloneFields> CloneFields for Concat<A, B> {
    #[inline]
    fn cloned(fields: Self::Refs<'_>) -> Self {
        Self(A::cloned(fields.0), B::cloned(fields.1))
    }

    fn clone_over(to: Self::SlicesMut<'_>, from: Self::Slices<'_>) {
        A::clone_over(to.0, from.0);
        B::clone_over(to.1, from.1);
    }

    unsafe fn clone_to(from: Self::Slices<'_>, to: Self::Starts, place: usize, count: usize) {
        // SAFETY: the caller guarantees about all columns what this requires of those of the first half (*halves*).
        unsafe { A::clone_to(from.0, to.0, place, count) };
        // If a clone of the second half panics, those of the first, which are not rows yet, are dropped.
        let first = Rows::<A> { starts: to.0, from: place, count };
        // SAFETY: the caller guarantees about all columns what this requires of those of the second half (*halves*).
        unsafe { B::clone_to(from.1, to.1, place, count) };
        mem::forget(first);
    }
}
