//! [`GrowOnlyColumns`]: push through `&self`, while references to earlier rows are alive.
//!
//! # Why this is sound
//!
//! As in the scope of a [`VmVec`](crate::VmVec), the scope holds the only mutable borrow of the columns for `'c`, on
//! one thread. References to the fields of a row stay valid if during `'c` these are (1) not moved, (2) not dropped,
//! and (3) not accessed mutably:
//!
//! 1. Growth moves no column, and nothing else here moves a row.
//! 2. Nothing here removes a row. The columns cannot be dropped or moved while they are borrowed.
//! 3. No mutable reference to a field or to a slice of fields is made here. A push writes only after the last row,
//!    through a raw pointer, where no reference points yet.
//!
//! The columns' own state is mutably borrowed by one call at a time, as [`LendCell`] ensures. Nothing else here runs
//! user code during that borrow: rows are split into fields before it, and references are assembled after it.

#![expect(unsafe_code, reason = "changes the columns through a shared reference")]

use super::{Columns, Fields, Row};
use crate::error::{Error, Refused, unwrap_or_panic};
use crate::raw_vec::{Amount, Options, RawVec};
use crate::vec::lend_cell::{Lend, LendCell};
use std::fmt;

/// A scope in which [`Columns`] can only grow; created by [`Columns::grow_only`].
///
/// Its `push` takes `&self` and returns references that live as long as the scope's borrow of the columns, across any
/// number of further pushes. Rows can neither be removed nor changed inside the scope, and it stays on one thread. Code
/// that runs while the columns acquire memory cannot use the scope, as for [`GrowOnly`](crate::GrowOnly).
///
/// # Examples
///
/// ```
/// use stayput::Columns;
///
/// let mut words: Columns<(String, usize)> = Columns::new();
/// let scope = words.grow_only();
/// let (first, _) = scope.push(("first".to_string(), 5));
/// let (second, _) = scope.push((format!("after {first}"), 11)); // `first` stays valid
/// assert_eq!((first.as_str(), second.as_str()), ("first", "after first"));
/// assert_eq!(words.as_slices().1, [5, 11]);
/// ```
///
/// References end with the borrow:
///
/// ```compile_fail,E0499
/// let mut columns = stayput::Columns::from([(1, 'a')]);
/// let (two, _) = columns.grow_only().push((2, 'b'));
/// columns.clear();
/// println!("{two}");
/// ```
///
/// The scope cannot be sent to another thread:
///
/// ```compile_fail,E0277
/// let mut columns = stayput::Columns::from([(1, 'a')]);
/// let scope = columns.grow_only();
/// std::thread::scope(|threads| {
///     threads.spawn(|| _ = scope.push((2, 'b')));
/// });
/// ```
pub struct GrowOnlyColumns<'c, R: Row> {
    /// Also keeps the scope on one thread.
    columns: LendCell<'c, Columns<R>>,
}

impl<R: Row> Columns<R> {
    const FULL: &'static Options = &Options { columns: Self::OPTIONS.columns, ..Options::FULL };

    /// Opens a scope in which the columns can only grow, so that references to rows stay valid across pushes.
    ///
    /// # Examples
    ///
    /// ```
    /// let mut columns = stayput::Columns::from([(1, 'a')]);
    /// let scope = columns.grow_only();
    /// let one = scope.get(0).unwrap();
    /// let two = scope.push((2, 'b')); // `one` is still valid
    /// assert_eq!((one, two), ((&1, &'a'), (&2, &'b')));
    /// ```
    #[inline]
    pub fn grow_only(&mut self) -> GrowOnlyColumns<'_, R> {
        GrowOnlyColumns { columns: LendCell::new(self) }
    }
}

impl<R: Row> Lend for Columns<R> {
    fn placeholder() -> Self {
        Self::over(RawVec::new(Self::DANGLING, Self::ROW, Self::FULL))
    }

    #[inline]
    fn is_placeholder(&self) -> bool {
        self.raw.is_full()
    }
}

impl<'c, R: Row> GrowOnlyColumns<'c, R> {
    /// Appends a row, and returns references to its fields. O(1), nothing is moved; enters the kernel if the capacity
    /// is used up.
    ///
    /// # Panics
    ///
    /// If [`try_push`](Self::try_push) returns an error.
    #[inline]
    #[track_caller]
    pub fn push(&self, row: R) -> R::Ref<'c> {
        unwrap_or_panic(self.try_push(row))
    }

    /// Appends a row, or returns the error and the row.
    ///
    /// # Errors
    ///
    /// As for [`try_reserve`](Self::try_reserve).
    ///
    /// # Examples
    ///
    /// ```
    /// let mut scores = stayput::Columns::with_max_len(1);
    /// let scope = scores.grow_only();
    /// let ann = scope.try_push(("Ann", 7))?;
    /// let refused = scope.try_push(("Ben", 4)).unwrap_err();
    /// assert_eq!((ann, refused.value), ((&"Ann", &7), ("Ben", 4)));
    /// # Ok::<(), stayput::Error>(())
    /// ```
    #[inline]
    pub fn try_push(&self, row: R) -> Result<R::Ref<'c>, Refused<R>> {
        if let Err(error) = self.make_room_for_one() {
            return Err(Refused { error, value: row });
        }
        // This is user code, which may push, and then there may be no room any more.
        let fields = row.into_fields();
        if let Err(error) = self.make_room_for_one() {
            return Err(Refused { error, value: R::from_fields(fields) });
        }
        let store = |columns: &mut Columns<R>| {
            columns.put_last(fields);
            (columns.starts, columns.len - 1)
        };
        // SAFETY: `store` moves fields and a length, so it runs no user code and does not allocate. It does not panic,
        // since `make_room_for_one` has made the capacity exceed the length, and nothing ran since; there was room, so
        // the columns are seen, not the placeholder.
        let (starts, last) = unsafe { self.columns.lend_seen(store) };
        // SAFETY: the row was just written, and is neither moved, dropped nor accessed mutably during `'c`: (1) to (3)
        // of this module.
        Ok(R::by_ref(unsafe { R::Fields::refs(starts, last) }))
    }

    #[inline]
    fn make_room_for_one(&self) -> Result<(), Error> {
        // The placeholder for lent columns is full.
        // SAFETY: the closure compares two numbers, so it runs no user code, neither allocates nor panics.
        let has_room =
            unsafe { self.columns.lend_seen(|columns| columns.len < columns.capacity()) };
        if has_room { Ok(()) } else { self.grow_by_one() }
    }

    #[cold]
    #[inline(never)]
    fn grow_by_one(&self) -> Result<(), Error> {
        self.columns.lend(|columns| columns.grow(1, Amount::AtLeast))?
    }

    /// Reserves memory for `additional` more rows; see [`Columns::reserve`].
    ///
    /// # Panics
    ///
    /// If [`try_reserve`](Self::try_reserve) returns an error.
    ///
    /// # Examples
    ///
    /// ```
    /// let mut scores = stayput::Columns::new();
    /// let scope = scores.grow_only();
    /// let ann = scope.push(("Ann", 7));
    /// scope.reserve(1000); // `ann` stays valid
    /// assert_eq!(ann, (&"Ann", &7));
    /// assert!(scores.capacity() >= 1001);
    /// ```
    #[track_caller]
    pub fn reserve(&self, additional: usize) {
        unwrap_or_panic(self.try_reserve(additional));
    }

    /// Reserves memory as [`reserve`](Self::reserve) does, or returns the error.
    ///
    /// # Errors
    ///
    /// As for [`Columns::try_reserve`]; also [`Busy`](crate::ErrorKind::Busy) while the columns acquire memory.
    pub fn try_reserve(&self, additional: usize) -> Result<(), Error> {
        self.columns.lend(|columns| columns.try_reserve(additional))?
    }

    /// Returns references to the fields of the row at `index`; `None` if the index is out of bounds. O(1).
    #[inline]
    #[track_caller]
    pub fn get(&self, index: usize) -> Option<R::Ref<'c>> {
        let (starts, len) = self.starts_and_len();
        if index >= len {
            return None;
        }
        // SAFETY: `index < len`, so the row is initialized, and neither moved, dropped nor accessed mutably during
        // `'c`: (1) to (3) of this module.
        Some(R::by_ref(unsafe { R::Fields::refs(starts, index) }))
    }

    #[inline]
    #[track_caller]
    fn starts_and_len(&self) -> (<R::Fields as Fields>::Starts, usize) {
        // SAFETY: the closure copies a number and addresses, so it runs no user code, neither allocates nor panics.
        unsafe { self.columns.look(|columns| (columns.starts, columns.len)) }
    }

    /// Returns all columns, as slices of equal length that do not grow with the columns. O(1).
    ///
    /// # Examples
    ///
    /// ```
    /// let mut scores = stayput::Columns::from([("Ann", 7)]);
    /// let scope = scores.grow_only();
    /// let (names, points) = scope.as_slices();
    /// scope.push(("Ben", 4)); // `names` and `points` stay valid
    /// assert_eq!((names, points), (&["Ann"][..], &[7][..]));
    /// assert_eq!(scope.as_slices().0, ["Ann", "Ben"]);
    /// ```
    #[track_caller]
    pub fn as_slices(&self) -> R::Slices<'c> {
        let (starts, len) = self.starts_and_len();
        // SAFETY: the first `len` rows are initialized, and neither moved, dropped nor accessed mutably during `'c`:
        // (1) to (3) of this module.
        R::by_slices(unsafe { R::Fields::slices(starts, 0, len) })
    }

    /// Returns the number of rows. O(1).
    #[inline]
    #[track_caller]
    pub fn len(&self) -> usize {
        self.starts_and_len().1
    }

    /// Returns `true` if there are no rows. O(1).
    #[inline]
    #[track_caller]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }
}

impl<R: Row> fmt::Debug for GrowOnlyColumns<'_, R> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        // Rows are not shown, because their `Debug` could push more.
        f.debug_struct("GrowOnlyColumns").field("len", &self.len()).finish_non_exhaustive()
    }
}
