//! Making columns, and looking at them.

#![expect(unsafe_code, reason = "makes references to what is initialised")]

use super::{Columns, ColumnsBuilder, ColumnsStats, Fields, Row};
use crate::container::{capacity_constructors, max_len_constructors};
use crate::error::{Error, Holder};
use crate::raw_vec::{Options, RawVec};
use crate::vec::{VecStats, check_range};
use std::alloc::Layout;
use std::marker::PhantomData;
use std::ops::RangeBounds;
use std::ptr::NonNull;

impl<R: Row> Columns<R> {
    pub(super) const ROW: Layout = <R::Fields as Fields>::ROW;

    pub(super) const OPTIONS: &'static Options = &Options {
        columns: Some(<R::Fields as Fields>::COLUMNS),
        holder: Holder::Columns,
        ..Options::DEFAULT
    };

    /// Of a row, without padding.
    pub(crate) const ROW_BYTES: usize = Self::ROW.size();

    /// Options that were said of no array in particular, for these columns.
    pub(crate) fn options(options: Options) -> Options {
        Options { columns: Self::OPTIONS.columns, ..options }
    }

    /// What the start of the reservation is where there is none. Nobody uses it.
    const DANGLING: NonNull<u8> = NonNull::dangling();

    /// Without rows. Reserves and allocates nothing, and does not enter the kernel, until the first push.
    /// How much is reserved then, [`VmVec::new`](crate::VmVec::new) says.
    ///
    /// # Examples
    ///
    /// ```
    /// let empty: stayput::Columns<(u8, u64)> = stayput::Columns::new();
    /// assert_eq!(empty.stats().reserved_bytes, 0);
    /// ```
    #[must_use]
    pub fn new() -> Self {
        Self::over(RawVec::new(Self::DANGLING, Self::ROW, Self::OPTIONS))
    }

    fn over(raw: RawVec) -> Self {
        Self { raw, len: 0, starts: R::Fields::dangling(), rows: PhantomData }
    }

    /// Without rows, with the same options; nothing is reserved.
    pub(super) fn try_fresh(&self) -> Result<Self, Error> {
        self.raw.try_fresh(Self::DANGLING, Self::ROW).map(Self::over)
    }

    /// Without rows; the addresses are reserved, if the options name a maximum.
    pub(crate) fn try_with_options(options: Options, capacity: usize) -> Result<Self, Error> {
        let mut columns = Self::over(RawVec::try_new(Self::DANGLING, Self::ROW, options)?);
        // As for `VmVec`.
        columns.try_reserve_exact(capacity)?;
        if options.max_len.is_some() || options.commit_ahead.is_on() {
            columns.raw.reserve_addresses(Self::ROW, 0)?;
            columns.find_starts();
        }
        Ok(columns)
    }

    /// Learns where the columns are, once there is memory.
    pub(super) fn find_starts(&mut self) {
        let raw = &self.raw;
        self.starts = match raw.column_start(0) {
            Some(_) => {
                R::Fields::starts(|number| raw.column_start(number).unwrap_or(Self::DANGLING))
            }
            None => R::Fields::dangling(),
        };
    }

    capacity_constructors!("array" of "rows");

    max_len_constructors! {
        "array" of "rows", "Reserves the addresses now.";
        /// # Examples
        ///
        /// ```
        /// let mut columns = stayput::Columns::with_max_len(1);
        /// columns.push((1, 'a'));
        /// assert_eq!(columns.try_push((2, 'b')).unwrap_err().value, (2, 'b'));
        /// ```
    }

    /// Options: the maximum, how to grow, huge pages, memory ahead of use.
    pub const fn builder() -> ColumnsBuilder<R> {
        ColumnsBuilder::new()
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
    #[inline]
    pub const fn capacity(&self) -> usize {
        self.raw.capacity()
    }

    /// How many rows there can ever be.
    pub fn max_len(&self) -> usize {
        self.raw.max_len(Self::ROW)
    }

    /// What it holds and takes up.
    ///
    /// Asks the system what is resident: linear in the committed pages, for looking, not for a hot path.
    pub fn stats(&self) -> ColumnsStats {
        let len = self.len;
        ColumnsStats { len, ..ColumnsStats::of(VecStats::of(&self.raw, Self::ROW, len)) }
    }

    /// All columns, whose slices have no names.
    #[inline]
    pub(super) fn slices_of_fields(&self) -> <R::Fields as Fields>::Slices<'_> {
        // SAFETY: so many are initialised; nobody writes to them while `self` is borrowed.
        unsafe { R::Fields::slices(self.starts, 0, self.len) }
    }

    /// The fields of each row, which have no names.
    pub(super) fn iter_fields(&self) -> impl Iterator<Item = <R::Fields as Fields>::Refs<'_>> {
        let refs = |index| {
            // SAFETY: within the length; nobody writes to it while `self` is borrowed.
            unsafe { R::Fields::refs(self.starts, index) }
        };
        (0..self.len).map(refs)
    }

    /// A row to look at, if there is one at `index`. O(1).
    #[inline]
    pub fn get(&self, index: usize) -> Option<R::Ref<'_>> {
        if index >= self.len {
            return None;
        }
        // SAFETY: within the length; nobody writes to it while `self` is borrowed.
        Some(R::by_ref(unsafe { R::Fields::refs(self.starts, index) }))
    }

    /// A row to change, if there is one at `index`. O(1).
    #[inline]
    pub fn get_mut(&mut self, index: usize) -> Option<R::Mut<'_>> {
        if index >= self.len {
            return None;
        }
        // SAFETY: within the length; `self` is borrowed mutably.
        Some(R::by_mut(unsafe { R::Fields::muts(self.starts, index) }))
    }

    /// The first row, if there is one.
    #[inline]
    pub fn first(&self) -> Option<R::Ref<'_>> {
        self.get(0)
    }

    /// The last row, if there is one.
    #[inline]
    pub fn last(&self) -> Option<R::Ref<'_>> {
        self.get(self.len.wrapping_sub(1))
    }

    /// The first row, to be changed, if there is one.
    #[inline]
    pub fn first_mut(&mut self) -> Option<R::Mut<'_>> {
        self.get_mut(0)
    }

    /// The last row, to be changed, if there is one.
    ///
    /// # Examples
    ///
    /// ```
    /// let mut columns = stayput::Columns::from([(1, 'a'), (2, 'b')]);
    /// *columns.last_mut().unwrap().1 = 'c';
    /// assert_eq!(columns.as_slices().1, ['a', 'c']);
    /// ```
    #[inline]
    pub fn last_mut(&mut self) -> Option<R::Mut<'_>> {
        self.get_mut(self.len.wrapping_sub(1))
    }

    /// All columns, as slices of the same length.
    ///
    /// # Examples
    ///
    /// ```
    /// let columns: stayput::Columns<(u32, char)> = [(1, 'a'), (2, 'b')].into_iter().collect();
    /// let (numbers, letters) = columns.as_slices();
    /// assert_eq!((numbers, letters), (&[1, 2][..], &['a', 'b'][..]));
    /// ```
    #[inline]
    pub fn as_slices(&self) -> R::Slices<'_> {
        R::by_slices(self.slices_of_fields())
    }

    /// All columns, as slices to be changed.
    #[inline]
    pub fn as_mut_slices(&mut self) -> R::SlicesMut<'_> {
        // SAFETY: so many are initialised; `self` is borrowed mutably.
        R::by_slices_mut(unsafe { R::Fields::slices_mut(self.starts, 0, self.len) })
    }

    /// Some rows of all columns, as slices of the same length. O(1).
    ///
    /// # Panics
    ///
    /// If the range ends before it starts, or beyond the length.
    ///
    /// # Examples
    ///
    /// ```
    /// let columns = stayput::Columns::from([(1, 'a'), (2, 'b'), (3, 'c')]);
    /// assert_eq!(columns.slices(1..), (&[2, 3][..], &['b', 'c'][..]));
    /// ```
    #[inline]
    #[track_caller]
    pub fn slices(&self, range: impl RangeBounds<usize>) -> R::Slices<'_> {
        let (start, end) = check_range(&range, self.len);
        // SAFETY: within the length; nobody writes to them while `self` is borrowed.
        R::by_slices(unsafe { R::Fields::slices(self.starts, start, end - start) })
    }

    /// Some rows of all columns, as slices to be changed. O(1).
    ///
    /// # Panics
    ///
    /// If the range ends before it starts, or beyond the length.
    #[inline]
    #[track_caller]
    pub fn slices_mut(&mut self, range: impl RangeBounds<usize>) -> R::SlicesMut<'_> {
        let (start, end) = check_range(&range, self.len);
        // SAFETY: within the length; `self` is borrowed mutably.
        R::by_slices_mut(unsafe { R::Fields::slices_mut(self.starts, start, end - start) })
    }
}
