//! [`GrowOnlyColumns`]: push through `&self`, while references to earlier rows live.
//!
//! # Why this is sound
//!
//! As in the scope of a [`VmVec`](crate::VmVec): the scope holds the one mutable borrow of the columns for `'c`, on one
//! thread. References to the fields of a row stay good if during `'c` these (1) are not moved, (2) are not dropped, and
//! (3) are not reached mutably:
//!
//! 1. Growing moves no column. Nothing else here moves any row.
//! 2. There is no removal here. The columns cannot be dropped, or taken away, while they are borrowed.
//! 3. No mutable reference to a field, and no slice of them, is made here. Pushing writes only behind the last row, by raw
//!    pointer, where no reference points yet.
//!
//! The columns' own fields are borrowed mutably one at a time, for which [`Lent`] answers. All else here runs no code of
//! users meanwhile: rows are taken apart before, and references put together after.

#![expect(unsafe_code, reason = "changes the columns through a shared reference")]

use super::{Columns, Fields, Row};
use crate::error::{Error, Refused, or_give_up};
use crate::raw_vec::{Amount, Options, RawVec};
use crate::vec::lent::{Lend, Lent};
use std::fmt;

/// A scope in which [`Columns`] can only grow, made by [`Columns::grow_only`].
///
/// Its `push` takes `&self` and returns references that live as long as the scope's borrow of the columns: across any
/// number of further pushes. Rows can neither be removed nor changed inside the scope, and it stays on one thread. What
/// runs while the columns take memory cannot use it, as for a [`GrowOnly`](crate::GrowOnly).
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
/// No other thread can have the scope:
///
/// ```compile_fail,E0277
/// let mut columns = stayput::Columns::from([(1, 'a')]);
/// let scope = columns.grow_only();
/// std::thread::scope(|threads| {
///     threads.spawn(|| _ = scope.push((2, 'b')));
/// });
/// ```
pub struct GrowOnlyColumns<'c, R: Row> {
    /// It keeps the scope on one thread, too.
    columns: Lent<'c, Columns<R>>,
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
        GrowOnlyColumns { columns: Lent::new(self) }
    }
}

impl<R: Row> Lend for Columns<R> {
    fn in_place() -> Self {
        Self::over(RawVec::new(Self::DANGLING, Self::ROW, Self::FULL))
    }

    #[inline]
    fn is_in_place(&self) -> bool {
        self.raw.is_full()
    }
}

impl<'c, R: Row> GrowOnlyColumns<'c, R> {
    /// Appends a row, and returns references to its fields where they lie for good. O(1), no copy; enters the kernel if
    /// capacity is used up.
    ///
    /// # Panics
    ///
    /// If [`try_push`](Self::try_push) returns an error.
    #[inline]
    #[track_caller]
    pub fn push(&self, row: R) -> R::Ref<'c> {
        or_give_up(self.try_push(row))
    }

    /// [`push`](Self::push), or the error and the row.
    ///
    /// # Errors
    ///
    /// As for [`try_reserve`](Self::try_reserve).
    #[inline]
    pub fn try_push(&self, row: R) -> Result<R::Ref<'c>, Refused<R>> {
        // Before there is room, since it is user code, which may push.
        let fields = row.into_fields();
        if let Err(error) = self.make_room_for_one() {
            return Err(Refused { error, value: R::from_fields(fields) });
        }
        let store = |columns: &mut Columns<R>| {
            let (starts, last) = (columns.starts, columns.len);
            // SAFETY: there is room for one more behind the `len` rows.
            unsafe { fields.write(starts, last) };
            columns.len = last + 1;
            (starts, last)
        };
        // SAFETY: it moves fields, and counts them. What is seen has room, so it is the columns.
        let (starts, last) = unsafe { self.columns.lend_seen(store) };
        // SAFETY: just written, and it stays where and what it is for `'c`: see above.
        Ok(R::by_ref(unsafe { R::Fields::refs(starts, last) }))
    }

    #[inline]
    fn make_room_for_one(&self) -> Result<(), Error> {
        // What is in the columns' place while these are lent is full.
        // SAFETY: it compares numbers.
        let has_room =
            unsafe { self.columns.lend_seen(|columns| columns.len < columns.capacity()) };
        if has_room { Ok(()) } else { self.grow_by_one() }
    }

    #[cold]
    #[inline(never)]
    fn grow_by_one(&self) -> Result<(), Error> {
        self.columns.lend(|columns| columns.grow(1, Amount::AtLeast))?
    }

    /// Makes room for `additional` more rows; see [`Columns::reserve`].
    ///
    /// # Panics
    ///
    /// If [`try_reserve`](Self::try_reserve) returns an error.
    #[track_caller]
    pub fn reserve(&self, additional: usize) {
        or_give_up(self.try_reserve(additional));
    }

    /// [`reserve`](Self::reserve), or the error.
    ///
    /// # Errors
    ///
    /// As for [`Columns::try_reserve`]; [`Busy`](crate::ErrorKind::Busy) while the columns take memory.
    pub fn try_reserve(&self, additional: usize) -> Result<(), Error> {
        self.columns.lend(|columns| columns.try_reserve(additional))?
    }

    /// Returns references to the fields of a row, or `None` if the index is out of bounds. O(1).
    #[inline]
    #[track_caller]
    pub fn get(&self, index: usize) -> Option<R::Ref<'c>> {
        let (starts, len) = self.starts_and_len();
        if index >= len {
            return None;
        }
        // SAFETY: within the length, and it stays where and what it is for `'c`: see above.
        Some(R::by_ref(unsafe { R::Fields::refs(starts, index) }))
    }

    #[inline]
    #[track_caller]
    fn starts_and_len(&self) -> (<R::Fields as Fields>::Starts, usize) {
        // SAFETY: it reads numbers and addresses.
        unsafe { self.columns.look(|columns| (columns.starts, columns.len)) }
    }

    /// All columns, as slices of the same length, which do not grow with the columns. O(1).
    #[track_caller]
    pub fn as_slices(&self) -> R::Slices<'c> {
        let (starts, len) = self.starts_and_len();
        // SAFETY: `len` rows, which stay where and what they are for `'c`: see above.
        R::by_slices(unsafe { R::Fields::slices(starts, 0, len) })
    }

    /// The number of rows. O(1).
    #[inline]
    #[track_caller]
    pub fn len(&self) -> usize {
        self.starts_and_len().1
    }

    /// Whether there are no rows. O(1).
    #[inline]
    #[track_caller]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }
}

impl<R: Row> fmt::Debug for GrowOnlyColumns<'_, R> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        // The rows are not shown: to do so could push more.
        f.debug_struct("GrowOnlyColumns").field("len", &self.len()).finish_non_exhaustive()
    }
}
