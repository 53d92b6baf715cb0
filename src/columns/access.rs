//! Constructors, and access to rows and columns.

#![expect(unsafe_code, reason = "makes references to initialized values")]

use super::{Columns, ColumnsBuilder, ColumnsStats, Fields, Row};
use crate::container::constructors;
use crate::error::{Error, Holder};
use crate::raw_vec::{Element, Options, RawVec};
use crate::vec::{VecStats, check_range};
use std::marker::PhantomData;
use std::ops::RangeBounds;
use std::ptr::NonNull;

impl<R: Row> Columns<R> {
    pub(super) const ROW: Element = Element::with_layout::<R>(<R::Fields as Fields>::ROW);

    pub(super) const OPTIONS: &'static Options = &Options {
        columns: Some(<R::Fields as Fields>::COLUMNS),
        holder: Holder::Columns,
        ..Options::DEFAULT
    };

    /// The bytes of a row, without padding.
    pub(crate) const ROW_BYTES: usize = Self::ROW.size();

    /// Sets the columns in options that are not for a particular container.
    pub(crate) fn options(options: Options) -> Options {
        Options { columns: Self::OPTIONS.columns, ..options }
    }

    /// The start of the reservation while there is none; never accessed.
    pub(super) const DANGLING: NonNull<u8> = NonNull::dangling();

    /// Creates empty columns. Reserves and allocates nothing, and does not enter the kernel, until the first push;
    /// [`VmVec::new`](crate::VmVec::new) describes how much is reserved then.
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

    pub(super) fn over(raw: RawVec) -> Self {
        Self { raw, len: 0, starts: R::Fields::dangling(), rows: PhantomData }
    }

    /// Creates empty columns with the same options, without reserving memory.
    pub(super) fn try_fresh(&self) -> Result<Self, Error> {
        self.raw.try_fresh(Self::DANGLING, Self::ROW).map(Self::over)
    }

    /// Creates empty columns. Reserves the addresses now if the options set a maximum.
    #[cfg_attr(debug_assertions, track_caller)]
    pub(crate) fn try_with_options(options: Options, capacity: usize) -> Result<Self, Error> {
        let mut columns = Self::over(RawVec::try_new(Self::DANGLING, Self::ROW, options)?);
        // As `VmVec` does.
        columns.try_reserve_exact(capacity)?;
        if options.max_len.is_some() || options.commit_ahead.is_on() {
            columns.raw.reserve_addresses(Self::ROW, 0)?;
            columns.find_starts();
        }
        Ok(columns)
    }

    /// Updates the starts of the columns after memory may have been reserved.
    pub(super) fn find_starts(&mut self) {
        let raw = &self.raw;
        self.starts = match raw.column_start(0) {
            Some(_) => {
                R::Fields::starts(|number| raw.column_start(number).unwrap_or(Self::DANGLING))
            }
            None => R::Fields::dangling(),
        };
    }

    constructors! {
        /// Creates empty columns with memory committed for `capacity` rows.
        with_capacity, try_with_capacity, capacity;
        /// # Examples
        ///
        /// ```
        /// let mut scores = stayput::Columns::with_capacity(1000);
        /// assert!(scores.capacity() >= 1000);
        /// scores.push(("Ann", 7));
        /// ```
    }

    constructors! {
        /// Creates empty columns that can hold at most `max_len` rows. Reserves the addresses immediately.
        with_max_len, try_with_max_len, max_len;
        /// # Examples
        ///
        /// ```
        /// let mut columns = stayput::Columns::with_max_len(1);
        /// columns.push((1, 'a'));
        /// assert_eq!(columns.try_push((2, 'b')).unwrap_err().value, (2, 'b'));
        /// ```
    }

    /// Returns the options for new columns: the maximum, growth, huge pages, memory committed ahead.
    pub const fn builder() -> ColumnsBuilder<R> {
        ColumnsBuilder::new()
    }

    /// Returns the number of rows.
    #[inline]
    pub const fn len(&self) -> usize {
        self.len
    }

    /// Returns `true` if there are no rows.
    #[inline]
    pub const fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// Returns the number of rows that fit into committed memory.
    #[inline]
    pub const fn capacity(&self) -> usize {
        self.raw.capacity()
    }

    /// Returns the greatest number of rows that there can ever be.
    pub fn max_len(&self) -> usize {
        self.raw.max_len(Self::ROW)
    }

    /// Returns statistics of the contents and memory.
    ///
    /// Asks the system which pages are resident, in time linear in the committed pages. Meant for monitoring, not for
    /// hot paths.
    ///
    /// # Examples
    ///
    /// ```
    /// let columns = stayput::Columns::<(u64, u8)>::with_max_len(1000);
    /// let stats = columns.stats();
    /// assert_eq!((stats.len, stats.max_len, stats.committed_bytes), (0, 1000, 0));
    /// assert!(stats.reserved_bytes >= 9 * 1000);
    /// ```
    pub fn stats(&self) -> ColumnsStats {
        ColumnsStats { len: self.len, ..ColumnsStats::of(self.memory()) }
    }

    /// Returns the [`stats`](Self::stats) as those of an array.
    pub(crate) fn memory(&self) -> VecStats {
        VecStats::of(&self.raw, Self::ROW, self.len)
    }

    /// Returns a range of rows of all columns as a tuple of slices.
    ///
    /// # Panics
    ///
    /// If the range ends before it starts, or past the length.
    #[inline]
    #[track_caller]
    pub(super) fn fields(
        &self,
        range: impl RangeBounds<usize>,
    ) -> <R::Fields as Fields>::Slices<'_> {
        let (start, end) = check_range(&range, self.len);
        // SAFETY: the range was checked to lie within the length, so each column has these values (*rows*), and the
        // borrow of `self` prevents writes.
        unsafe { R::Fields::slices(self.starts, start, end - start) }
    }

    /// As [`fields`](Self::fields), mutably.
    #[inline]
    #[track_caller]
    pub(super) fn fields_mut(
        &mut self,
        range: impl RangeBounds<usize>,
    ) -> <R::Fields as Fields>::SlicesMut<'_> {
        let (start, end) = check_range(&range, self.len);
        // SAFETY: the range was checked to lie within the length, so each column has these values (*rows*), and `&mut
        // self` guarantees exclusive access.
        unsafe { R::Fields::slices_mut(self.starts, start, end - start) }
    }

    /// Returns references to the fields of a row.
    #[inline]
    fn row(&self, index: usize) -> Option<<R::Fields as Fields>::Refs<'_>> {
        if index >= self.len {
            return None;
        }
        // SAFETY: `index < self.len` was checked, so each column has a value there (*rows*), and the borrow of `self`
        // prevents writes.
        Some(unsafe { R::Fields::refs(self.starts, index) })
    }

    /// Returns mutable references to the fields of a row.
    #[inline]
    pub(super) fn row_mut(&mut self, index: usize) -> Option<<R::Fields as Fields>::Muts<'_>> {
        if index >= self.len {
            return None;
        }
        // SAFETY: `index < self.len` was checked, so each column has a value there (*rows*), and `&mut self` guarantees
        // exclusive access.
        Some(unsafe { R::Fields::muts(self.starts, index) })
    }

    /// An iterator over the fields of each row, as tuples.
    pub(super) fn iter_fields(
        &self,
    ) -> impl ExactSizeIterator<Item = <R::Fields as Fields>::Refs<'_>> {
        (0..self.len).map(|index| self.row(index).expect("the index is below the length"))
    }

    /// Returns references to the fields of the row at `index`; `None` if the index is out of bounds. O(1).
    ///
    /// # Examples
    ///
    /// ```
    /// let columns = stayput::Columns::from([(1, 'a'), (2, 'b')]);
    /// assert_eq!(columns.get(1), Some((&2, &'b')));
    /// assert_eq!(columns.get(2), None);
    /// ```
    #[inline]
    pub fn get(&self, index: usize) -> Option<R::Ref<'_>> {
        self.row(index).map(R::by_ref)
    }

    /// Returns mutable references to the fields of the row at `index`; `None` if the index is out of bounds. O(1).
    ///
    /// # Examples
    ///
    /// ```
    /// let mut columns = stayput::Columns::from([(1, 'a'), (2, 'b')]);
    /// if let Some((number, _)) = columns.get_mut(1) {
    ///     *number = 7;
    /// }
    /// assert_eq!(columns.as_slices().0, [1, 7]);
    /// ```
    #[inline]
    pub fn get_mut(&mut self, index: usize) -> Option<R::Mut<'_>> {
        self.row_mut(index).map(R::by_mut)
    }

    /// Returns the first row; `None` if there are no rows.
    #[inline]
    pub fn first(&self) -> Option<R::Ref<'_>> {
        self.get(0)
    }

    /// Returns the last row; `None` if there are no rows.
    #[inline]
    pub fn last(&self) -> Option<R::Ref<'_>> {
        self.get(self.len.wrapping_sub(1))
    }

    /// Returns the first row mutably; `None` if there are no rows.
    #[inline]
    pub fn first_mut(&mut self) -> Option<R::Mut<'_>> {
        self.get_mut(0)
    }

    /// Returns the last row mutably; `None` if there are no rows.
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

    /// Returns all columns, as slices of equal length.
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
        R::by_slices(self.fields(..))
    }

    /// Returns all columns as mutable slices.
    ///
    /// # Examples
    ///
    /// ```
    /// let mut columns = stayput::Columns::from([(1.0, 0.5), (4.0, 0.25)]); // position, speed
    /// let (positions, speeds) = columns.as_mut_slices();
    /// for (position, speed) in positions.iter_mut().zip(speeds) {
    ///     *position += *speed;
    /// }
    /// assert_eq!(columns.as_slices().0, [1.5, 4.25]);
    /// ```
    #[inline]
    pub fn as_mut_slices(&mut self) -> R::SlicesMut<'_> {
        R::by_slices_mut(self.fields_mut(..))
    }

    /// Returns a range of rows of all columns, as slices of equal length. O(1).
    ///
    /// # Panics
    ///
    /// If the range ends before it starts, or past the length.
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
        R::by_slices(self.fields(range))
    }

    /// Returns a range of rows of all columns, as mutable slices. O(1).
    ///
    /// # Panics
    ///
    /// If the range ends before it starts, or past the length.
    ///
    /// # Examples
    ///
    /// ```
    /// let mut columns = stayput::Columns::from([(1, 'a'), (2, 'b'), (3, 'c')]);
    /// let (numbers, letters) = columns.slices_mut(1..);
    /// numbers.fill(0);
    /// letters.reverse();
    /// assert_eq!(columns.as_slices(), (&[1, 0, 0][..], &['a', 'c', 'b'][..]));
    /// ```
    #[inline]
    #[track_caller]
    pub fn slices_mut(&mut self, range: impl RangeBounds<usize>) -> R::SlicesMut<'_> {
        R::by_slices_mut(self.fields_mut(range))
    }
}
