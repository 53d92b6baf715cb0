//! [`Groups`]: rows by the eight or so, each field of which is an array.

#![forbid(unsafe_code)]

// In the order in which the docs list their methods.
mod rows;

mod iter;
mod memory;
#[cfg(test)]
mod tests;

pub use iter::{IntoIter, Iter, IterMut};

use super::{Fields, Row};
use crate::error::Error;
use crate::vec::VmVec;
use std::fmt;
use std::marker::PhantomData;

/// A value that stands where there is none: in the lanes behind the last row of [`Groups`].
///
/// It is there for numbers (zero), `bool` (`false`), `char` (`'\0'`), references' absence (`None`), arrays and tuples of
/// such. For a struct, say which.
///
/// # Examples
///
/// ```
/// use stayput::Pad;
///
/// struct Mass(f32);
///
/// impl Pad for Mass {
///     const PAD: Self = Self(1.0); // who divides by it shall not divide by zero
/// }
/// ```
pub trait Pad {
    /// The value.
    const PAD: Self;
}

/// Types, and their value.
macro_rules! pad {
    ($($type:ty: $value:expr),+ $(,)?) => {
        $(impl Pad for $type {
            const PAD: Self = $value;
        })+
    };
}

pad! {
    u8: 0, u16: 0, u32: 0, u64: 0, u128: 0, usize: 0,
    i8: 0, i16: 0, i32: 0, i64: 0, i128: 0, isize: 0,
    f32: 0.0, f64: 0.0, bool: false, char: '\0', (): (),
}

impl<T> Pad for Option<T> {
    const PAD: Self = None;
}

impl<T: Pad, const N: usize> Pad for [T; N] {
    const PAD: Self = [const { T::PAD }; N];
}

/// `N` rows, each field of which is an array.
type Record<R, const N: usize> = <<R as Row>::Fields as Fields>::Group<N>;

/// A growable array of rows, N of which are one record, and each field of that an array of N: what is called an array of
/// structures of arrays.
///
/// A loop over records has N values of each field side by side, which the compiler works on at once, and a row is
/// near all of itself. For rows that are used whole, a few at a time. **Mostly [`Columns`](super::Columns) are
/// faster**: a loop over some fields passes over all others here. (Measured by `benches/columns`, 72 bytes a row, 1 M
/// of them, groups of 8: adding three fields to three others takes 3.9 ns a row, 0.97 in columns; the sum of one
/// 0.96 and 0.18; pushing 19 and 5.8; but reading whole rows at random 57 and 101.) So it is small: options are those of the [`VmVec`] that it is
/// [made over](Self::over), which it [is](Self::as_slice).
///
/// Lanes behind the last row hold [`Pad::PAD`], so that loops need not look where rows end.
///
/// # Examples
///
/// ```
/// use stayput::Groups;
///
/// let mut bodies: Groups<(f32, f32), 8> = (0..100).map(|n| (n as f32, 0.5)).collect();
/// for (positions, speeds) in bodies.as_mut_slice() {
///     for lane in 0..8 {
///         positions[lane] += speeds[lane];
///     }
/// }
/// assert_eq!(bodies.get(10), Some((&10.5, &0.5)));
/// assert_eq!(bodies.as_slice()[12].0[4..], [0.0; 4]); // behind the last row
/// ```
pub struct Groups<R: Row + Pad, const N: usize> {
    records: VmVec<Record<R, N>>,
    len: usize,
    /// It owns rows.
    rows: PhantomData<R>,
}

default_by!([R: Row + Pad, const N: usize] Groups<R, N>, new);

impl<R: Row + Pad, const N: usize> Extend<R> for Groups<R, N> {
    /// Appends all rows.
    ///
    /// # Panics
    ///
    /// As for [`push`](Groups::push).
    #[track_caller]
    fn extend<I: IntoIterator<Item = R>>(&mut self, rows: I) {
        for row in rows {
            self.push(row);
        }
    }
}

collect_by_extend!([R: Row + Pad, const N: usize] Groups<R, N>: R);

impl<R: Row + Pad, const N: usize> Groups<R, N>
where
    Record<R, N>: Clone,
{
    /// A copy with the same options, or the error.
    ///
    /// # Errors
    ///
    /// As for [`try_reserve`](Self::try_reserve). Nothing was cloned then.
    pub fn try_clone(&self) -> Result<Self, Error> {
        Ok(Self { records: self.records.try_clone()?, ..*self })
    }
}

clone_by_try! {
    /// A copy with the same options. Clones the fields, also in lanes past the last row.
    ///
    /// # Panics
    ///
    /// Panics where [`try_clone`](Groups::try_clone) returns an error.
    ///
    /// # Examples
    ///
    /// ```
    /// let mut rows: stayput::Groups<(u32, char), 4> = [(1, 'a'), (2, 'b')].into_iter().collect();
    /// let clone = rows.clone();
    /// assert_eq!(rows, clone);
    /// *rows.get_mut(1).unwrap().1 = 'c';
    /// assert_ne!(rows, clone);
    /// ```
    [R: Row + Pad, const N: usize] Groups<R, N> where Record<R, N>: Clone
}

impl<R: Row + Pad, const N: usize> PartialEq for Groups<R, N>
where
    for<'a> <R::Fields as Fields>::Refs<'a>: PartialEq,
{
    /// Compares the fields of all rows, but not lanes past the last row. The row's own `PartialEq` is not called.
    fn eq(&self, other: &Self) -> bool {
        self.len == other.len && (0..self.len).all(|at| self.fields(at) == other.fields(at))
    }
}

impl<R: Row + Pad, const N: usize> Eq for Groups<R, N> where
    for<'a> <R::Fields as Fields>::Refs<'a>: Eq
{
}

impl<R: Row + Pad, const N: usize> fmt::Debug for Groups<R, N>
where
    for<'a> R::Ref<'a>: fmt::Debug,
{
    /// A list of the rows.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_list().entries(self.iter()).finish()
    }
}
