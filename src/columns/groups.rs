//! [`Groups`]: rows by the eight or so, each field of which is an array.

#![forbid(unsafe_code)]

mod iter;
mod memory;
#[cfg(test)]
mod tests;

pub use iter::{IntoIter, Iter, IterMut};

use super::{Fields, Row};
use crate::error::{Error, Refused, or_give_up};
use crate::vec::{VecStats, VmVec};
use std::array;
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

impl<R: Row + Pad, const N: usize> Groups<R, N> {
    /// Without rows. Reserves and allocates nothing, and does not enter the kernel, until the first push.
    #[must_use]
    pub const fn new() -> Self {
        const { assert!(N > 0, "a group has rows") };
        Self { records: VmVec::new(), len: 0, rows: PhantomData }
    }

    /// Without rows, over an array with options of its own. What is in that is dropped.
    ///
    /// # Examples
    ///
    /// ```
    /// use stayput::{CommitAhead, Groups, VmVec};
    ///
    /// let records = VmVec::builder().max_len(1000).commit_ahead(CommitAhead::Auto).build();
    /// let rows: Groups<(f32, u32), 16> = Groups::over(records);
    /// assert_eq!(rows.max_len(), 16_000);
    /// ```
    #[must_use]
    pub fn over(mut records: VmVec<Record<R, N>>) -> Self {
        const { assert!(N > 0, "a group has rows") };
        records.clear();
        Self { records, len: 0, rows: PhantomData }
    }

    /// Without rows, with memory committed for `capacity` of them.
    ///
    /// # Panics
    ///
    /// Where [`try_with_capacity`](Self::try_with_capacity) has an error.
    #[must_use]
    #[track_caller]
    pub fn with_capacity(capacity: usize) -> Self {
        or_give_up(Self::try_with_capacity(capacity))
    }

    /// [`with_capacity`](Self::with_capacity), or the error.
    ///
    /// # Errors
    ///
    /// If the addresses or the memory cannot be had.
    pub fn try_with_capacity(capacity: usize) -> Result<Self, Error> {
        Ok(Self::over(VmVec::try_with_capacity(capacity.div_ceil(N))?))
    }

    /// How many rows there are.
    #[inline]
    pub const fn len(&self) -> usize {
        self.len
    }

    /// Whether there is none.
    #[inline]
    pub const fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// How many rows fit into committed memory.
    pub const fn capacity(&self) -> usize {
        self.records.capacity().saturating_mul(N)
    }

    /// How many rows there can ever be.
    pub fn max_len(&self) -> usize {
        self.records.max_len().saturating_mul(N)
    }

    /// What the array of records holds and takes up.
    pub fn stats(&self) -> VecStats {
        self.records.stats()
    }

    /// All records. In the last, lanes behind the last row hold [`Pad::PAD`], or what was written there.
    #[inline]
    pub const fn as_slice(&self) -> &[Record<R, N>] {
        self.records.as_slice()
    }

    /// All records, to be changed: also fields that a struct has for itself. What is written to a lane behind the last row is replaced when a row comes there.
    #[inline]
    pub const fn as_mut_slice(&mut self) -> &mut [Record<R, N>] {
        self.records.as_mut_slice()
    }

    /// A row to look at, if there is one at `index`. O(1).
    #[inline]
    pub fn get(&self, index: usize) -> Option<R::Ref<'_>> {
        let group = self.records.get(index / N).filter(|_| index < self.len)?;
        Some(R::by_ref(R::Fields::lane(group, index % N)))
    }

    /// A row to change, if there is one at `index`. O(1).
    #[inline]
    pub fn get_mut(&mut self, index: usize) -> Option<R::Mut<'_>> {
        let len = self.len;
        let group = self.records.get_mut(index / N).filter(|_| index < len)?;
        Some(R::by_mut(R::Fields::lane_mut(group, index % N)))
    }

    /// Appends a row. O(1), no copy; enters the kernel if capacity is used up.
    ///
    /// # Panics
    ///
    /// If there are `max_len` rows, or the system refuses memory.
    #[inline]
    #[track_caller]
    pub fn push(&mut self, row: R) {
        or_give_up(self.try_push(row));
    }

    /// [`push`](Self::push), or the error and the row.
    ///
    /// # Errors
    ///
    /// If there are `max_len` rows ([`MaxLen`](crate::ErrorKind::MaxLen)), or the system refuses memory.
    #[inline]
    pub fn try_push(&mut self, row: R) -> Result<(), Refused<R>> {
        if self.len / N == self.records.len() {
            if let Err(error) = self.begin_group() {
                return Err(Refused { error, value: row });
            }
        }
        let fields = row.into_fields();
        let len = self.len;
        self.len += 1;
        // What was there is dropped last, and is none of the rows.
        drop(self.put(len, fields));
        Ok(())
    }

    /// A record of nothing but lanes behind the last row.
    #[inline]
    fn begin_group(&mut self) -> Result<(), Error> {
        self.records.try_reserve(1)?;
        self.records.push(R::Fields::group(array::from_fn(|_| R::PAD.into_fields())));
        Ok(())
    }

    /// The fields of a row that is there.
    #[inline]
    fn fields(&self, index: usize) -> <R::Fields as Fields>::Refs<'_> {
        R::Fields::lane(&self.records[index / N], index % N)
    }

    /// Puts a row into a lane, and gives what was there.
    #[inline]
    fn put(&mut self, index: usize, fields: R::Fields) -> R::Fields {
        fields.put_into_lane(&mut self.records[index / N], index % N)
    }

    /// Takes the last row out, which is not put together yet. Its record stays, even if no other row is in it.
    fn pop_fields(&mut self) -> Option<R::Fields> {
        let last = self.len.checked_sub(1)?;
        let pad = R::PAD.into_fields();
        self.len = last;
        Some(self.put(last, pad))
    }

    /// Drops the last record if no row is in it: last of all, since the drop of a lane may panic.
    fn drop_padding(&mut self) {
        self.records.truncate(self.len.div_ceil(N));
    }

    /// Removes the last row and returns it, or `None` if there is none. O(1).
    pub fn pop(&mut self) -> Option<R> {
        let fields = self.pop_fields();
        self.drop_padding();
        fields.map(R::from_fields)
    }

    /// Removes the row at `index` and returns it. The last row takes its place. O(1).
    ///
    /// # Panics
    ///
    /// If `index` is not below the length.
    #[track_caller]
    pub fn swap_remove(&mut self, index: usize) -> R {
        let len = self.len;
        assert!(index < len, "swap_remove index (is {index}) should be < len (is {len})");
        let last = self.pop_fields();
        let taken = last.map(|last| if index + 1 < len { self.put(index, last) } else { last });
        self.drop_padding();
        R::from_fields(taken.expect("there is one at the index"))
    }

    /// Drops the rows from `len` on. The memory stays. O(number dropped).
    ///
    /// If the drop of a row panics, rows before it may remain, even from `len` on.
    pub fn truncate(&mut self, len: usize) {
        while self.len > len && self.len % N != 0 {
            drop(self.pop_fields());
        }
        if self.len > len {
            // The last one of them may be cut.
            self.len = len.next_multiple_of(N);
            self.records.truncate(len.div_ceil(N));
            while self.len > len {
                drop(self.pop_fields());
            }
        }
        self.drop_padding();
    }

    /// Drops all rows, as [`truncate`](Self::truncate) does. The memory stays. O(n).
    pub fn clear(&mut self) {
        self.truncate(0);
    }
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

impl<R: Row + Pad, const N: usize> Clone for Groups<R, N>
where
    Record<R, N>: Clone,
{
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
    #[track_caller]
    fn clone(&self) -> Self {
        or_give_up(self.try_clone())
    }
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
