//! Constructors, and insertion, access and removal of rows.

#![forbid(unsafe_code)]

use super::{Groups, Pad, Record};
use crate::columns::{Fields, Row};
use crate::error::{Error, ErrorKind, Refused, unwrap_or_panic};
use crate::vec::{VecStats, VmVec};
use std::array;
use std::marker::PhantomData;

impl<R: Row + Pad, const N: usize> Groups<R, N> {
    /// Creates empty groups. Reserves and allocates nothing, and does not enter the kernel, until the first push.
    #[must_use]
    pub const fn new() -> Self {
        const { assert!(N > 0, "a group needs at least one row") };
        Self { records: VmVec::new(), len: 0, rows: PhantomData }
    }

    /// Creates empty groups over an array with its own options. The contents of the array are dropped.
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
        const { assert!(N > 0, "a group needs at least one row") };
        records.clear();
        Self { records, len: 0, rows: PhantomData }
    }

    /// Creates empty groups with memory committed for `capacity` rows.
    ///
    /// # Panics
    ///
    /// If [`try_with_capacity`](Self::try_with_capacity) returns an error.
    ///
    /// # Examples
    ///
    /// ```
    /// let mut bodies = stayput::Groups::<(f32, f32), 8>::with_capacity(100);
    /// assert!(bodies.capacity() >= 100);
    /// bodies.push((1.0, 0.5));
    /// ```
    #[must_use]
    #[track_caller]
    pub fn with_capacity(capacity: usize) -> Self {
        unwrap_or_panic(Self::try_with_capacity(capacity))
    }

    /// Creates empty groups as [`with_capacity`](Self::with_capacity) does, or returns the error.
    ///
    /// # Errors
    ///
    /// If addresses or memory are refused.
    pub fn try_with_capacity(capacity: usize) -> Result<Self, Error> {
        Self::new().check_count(capacity)?;
        Ok(Self::over(VmVec::try_with_capacity(capacity.div_ceil(N))?))
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

    /// The rows of as many records as can be counted.
    const MOST: usize = usize::MAX / N * N;

    const fn rows_in(records: usize) -> usize {
        if records > usize::MAX / N { Self::MOST } else { records * N }
    }

    /// Returns the number of rows that fit into committed memory.
    pub const fn capacity(&self) -> usize {
        Self::rows_in(self.records.capacity())
    }

    /// Returns the greatest number of rows that there can ever be.
    pub fn max_len(&self) -> usize {
        Self::rows_in(self.records.max_len())
    }

    /// Returns statistics of the array of records.
    pub fn stats(&self) -> VecStats {
        self.records.stats()
    }

    /// Returns all records. The lanes of the last record after the last row hold [`Pad::PAD`], or what was written
    /// there.
    ///
    /// # Examples
    ///
    /// ```
    /// let rows: stayput::Groups<(u32, char), 2> =
    ///     [(1, 'a'), (2, 'b'), (3, 'c')].into_iter().collect();
    /// assert_eq!(*rows.as_slice(), [([1, 2], ['a', 'b']), ([3, 0], ['c', '\0'])]);
    /// ```
    #[inline]
    pub const fn as_slice(&self) -> &[Record<R, N>] {
        self.records.as_slice()
    }

    /// Returns all records as a mutable slice. Values written to lanes after the last row are overwritten by later
    /// rows.
    ///
    /// # Examples
    ///
    /// ```
    /// let mut bodies: stayput::Groups<(f32, f32), 4> =
    ///     [(1.0, 0.5), (2.0, 0.25)].into_iter().collect();
    /// for (positions, speeds) in bodies.as_mut_slice() {
    ///     for lane in 0..4 {
    ///         positions[lane] += speeds[lane];
    ///     }
    /// }
    /// assert!(bodies.iter().map(|(position, _)| *position).eq([1.5, 2.25]));
    /// ```
    #[inline]
    pub const fn as_mut_slice(&mut self) -> &mut [Record<R, N>] {
        self.records.as_mut_slice()
    }

    /// Returns references to the fields of the row at `index`; `None` if the index is out of bounds. O(1).
    ///
    /// # Examples
    ///
    /// ```
    /// let rows: stayput::Groups<(u32, char), 4> = [(1, 'a'), (2, 'b')].into_iter().collect();
    /// assert_eq!(rows.get(1), Some((&2, &'b')));
    /// assert_eq!(rows.get(2), None); // not padding
    /// ```
    #[inline]
    pub fn get(&self, index: usize) -> Option<R::Ref<'_>> {
        let group = self.records.get(index / N).filter(|_| index < self.len)?;
        Some(R::by_ref(R::Fields::lane(group, index % N)))
    }

    /// Returns mutable references to the fields of the row at `index`; `None` if the index is out of bounds. O(1).
    #[inline]
    pub fn get_mut(&mut self, index: usize) -> Option<R::Mut<'_>> {
        let len = self.len;
        let group = self.records.get_mut(index / N).filter(|_| index < len)?;
        Some(R::by_mut(R::Fields::lane_mut(group, index % N)))
    }

    /// Appends a row. O(1), nothing is moved; enters the kernel if the capacity is used up.
    ///
    /// # Panics
    ///
    /// If there are `max_len` rows, or memory is refused.
    #[inline]
    #[track_caller]
    pub fn push(&mut self, row: R) {
        unwrap_or_panic(self.try_push(row));
    }

    /// Appends a row, or returns the error and the row.
    ///
    /// # Errors
    ///
    /// If there are `max_len` rows ([`MaxLen`](crate::ErrorKind::MaxLen), or
    /// [`CapacityOverflow`](crate::ErrorKind::CapacityOverflow) if they have no size), or memory is refused.
    ///
    /// # Examples
    ///
    /// ```
    /// use stayput::{Groups, VmVec};
    ///
    /// let mut seats: Groups<(u32, char), 2> = Groups::over(VmVec::with_max_len(1));
    /// seats.extend([(1, 'a'), (2, 'b')]);
    /// let refused = seats.try_push((3, 'c')).unwrap_err();
    /// assert_eq!(refused.value, (3, 'c'));
    /// ```
    #[inline]
    pub fn try_push(&mut self, row: R) -> Result<(), Refused<R>> {
        let is_first = self.len / N == self.records.len();
        if is_first {
            if let Err(error) = self.reserve_group() {
                return Err(Refused { error, value: row });
            }
        }
        let fields = row.into_fields();
        if is_first {
            // A record of padding, whose first row it becomes.
            self.records.push(R::Fields::group(array::from_fn(|_| R::PAD.into_fields())));
        }
        let len = self.len;
        self.len += 1;
        // The old value of the lane is padding; its drop, which may panic, comes last.
        drop(self.put(len, fields));
        Ok(())
    }

    /// Reserves memory for one more record.
    #[inline]
    fn reserve_group(&mut self) -> Result<(), Error> {
        self.check_count(1)?;
        self.records.try_reserve(1)
    }

    /// Returns an error if `additional` more rows would be too many. Records without a size are as many as `usize` counts,
    /// but their rows must be countable, too.
    pub(super) fn check_count(&self, additional: usize) -> Result<(), Error> {
        if size_of::<Record<R, N>>() > 0 || additional <= Self::MOST - self.len {
            return Ok(());
        }
        Err(Error::new(ErrorKind::CapacityOverflow, usize::MAX).with_limit(Self::MOST as u64))
    }

    #[inline]
    pub(super) fn fields(&self, index: usize) -> <R::Fields as Fields>::Refs<'_> {
        R::Fields::lane(&self.records[index / N], index % N)
    }

    /// Replaces the fields of a row, and returns the old ones.
    #[inline]
    pub(super) fn put(&mut self, index: usize, fields: R::Fields) -> R::Fields {
        fields.replace(R::Fields::lane_mut(&mut self.records[index / N], index % N))
    }

    /// Removes the fields of the last row. Its record stays, even without rows.
    fn pop_fields(&mut self) -> Option<R::Fields> {
        let last = self.len.checked_sub(1)?;
        let pad = R::PAD.into_fields();
        self.len = last;
        Some(self.put(last, pad))
    }

    /// Drops the last record if it has no row. Called last, because the drop of a lane may panic.
    fn drop_padding(&mut self) {
        self.records.truncate(self.len.div_ceil(N));
    }

    /// Removes the last row and returns it; `None` if there are no rows. O(1).
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
    ///
    /// # Examples
    ///
    /// ```
    /// let mut rows: stayput::Groups<(u32, char), 4> =
    ///     [(1, 'a'), (2, 'b'), (3, 'c')].into_iter().collect();
    /// assert_eq!(rows.swap_remove(0), (1, 'a'));
    /// assert!(rows.iter().eq([(&3, &'c'), (&2, &'b')]));
    /// ```
    #[track_caller]
    pub fn swap_remove(&mut self, index: usize) -> R {
        let len = self.len;
        assert!(index < len, "swap_remove index (is {index}) should be < len (is {len})");
        let last = self.pop_fields();
        let taken = last.map(|last| if index + 1 < len { self.put(index, last) } else { last });
        self.drop_padding();
        R::from_fields(taken.expect("the index was checked"))
    }

    /// Drops the rows from `len` on. Memory stays committed. O(n) in the rows dropped.
    ///
    /// If the drop of a row panics, rows before it may remain, even from `len` on.
    pub fn truncate(&mut self, len: usize) {
        while self.len > len && self.len % N != 0 {
            drop(self.pop_fields());
        }
        if self.len > len {
            // The last record kept may be shared by rows that stay and rows that go.
            self.len = len.next_multiple_of(N);
            self.records.truncate(len.div_ceil(N));
            while self.len > len {
                drop(self.pop_fields());
            }
        }
        self.drop_padding();
    }

    /// Drops all rows, as [`truncate`](Self::truncate) does. Memory stays committed. O(n).
    pub fn clear(&mut self) {
        self.truncate(0);
    }
}
