//! [`Groups`]: rows in groups of, say, eight, with an array per field in each group.

#![forbid(unsafe_code)]

// In the order in which the documentation lists their methods.
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

/// A padding value, stored in the lanes of [`Groups`] after the last row.
///
/// It is implemented for numbers (zero), `bool` (`false`), `char` (`'\0'`), `Option` (`None`), and for arrays and
/// tuples of such types. Implement it for your own structs.
///
/// # Examples
///
/// ```
/// use stayput::Pad;
///
/// struct Mass(f32);
///
/// impl Pad for Mass {
///     const PAD: Self = Self(1.0); // safe to divide by
/// }
/// ```
#[diagnostic::on_unimplemented(
    message = "`{Self}` has no padding value",
    note = "implement `stayput::Pad`; a tuple has one if each of its fields does"
)]
pub trait Pad {
    /// The padding value.
    const PAD: Self;
}

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

/// `N` rows, with an array per field.
type Record<R, const N: usize> = <<R as Row>::Fields as Fields>::Group<N>;

/// A growable array of records, each of which stores N rows as one array of N values per field: an array of structures
/// of arrays.
///
/// A loop over records has N values of each field side by side, so that the compiler can vectorise it, and the fields
/// of one row are close together. It suits rows that are read whole, a few at a time. **In most cases
/// [`Columns`](super::Columns) are faster**: here a loop over some fields also passes over all others. (Measured by
/// `benches/columns`, with 1 M rows of 72 bytes and groups of 8: adding three fields to three others takes 3.9 ns per
/// row, 0.97 in columns; summing one field 0.96 and 0.18; pushing 19 and 5.8; but reading whole rows at random 57 and
/// 101.) The API is therefore small: the options are those of the [`VmVec`] of records that the groups are [created
/// over](Self::over), which is accessible [as a slice](Self::as_slice).
///
/// Lanes after the last row hold [`Pad::PAD`], so loops over records need not check where the rows end.
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
/// assert_eq!(bodies.as_slice()[12].0[4..], [0.0; 4]); // past the last row
/// ```
pub struct Groups<R: Row + Pad, const N: usize> {
    records: VmVec<Record<R, N>>,
    len: usize,
    rows: PhantomData<R>,
}

default_by!([R: Row + Pad, const N: usize] Groups<R, N>, new);

impl<R: Row + Pad, const N: usize> Extend<R> for Groups<R, N> {
    /// Appends all rows of an iterator.
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
    /// Returns a copy with the same options, or the error.
    ///
    /// # Errors
    ///
    /// As for [`try_reserve`](Self::try_reserve). Nothing has been cloned then.
    ///
    /// # Examples
    ///
    /// ```
    /// let mut draft: stayput::Groups<(u32, char), 4> = [(1, 'a')].into_iter().collect();
    /// let saved = draft.try_clone()?;
    /// draft.push((2, 'b'));
    /// assert_eq!((saved.len(), draft.len()), (1, 2));
    /// # Ok::<(), stayput::Error>(())
    /// ```
    pub fn try_clone(&self) -> Result<Self, Error> {
        Ok(Self { records: self.records.try_clone()?, ..*self })
    }
}

clone_by_try! {
    /// Returns a copy with the same options. Also clones the fields in lanes after the last row.
    ///
    /// # Panics
    ///
    /// If [`try_clone`](Groups::try_clone) returns an error.
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
    /// Compares the fields of all rows, but not lanes after the last row. The row's own `PartialEq` is not called.
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
    /// Formats the rows as a list.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_list().entries(self.iter()).finish()
    }
}
