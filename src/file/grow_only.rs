//! [`GrowOnlyFile`]: push through `&self`, while references to earlier elements are alive.

#![forbid(unsafe_code)]

use super::live::Live;
use crate::error::{Error, Refused, unwrap_or_panic};
use crate::vec::GrowOnly;
use bytemuck::Pod;
use std::ops::Deref;

/// A scope in which a [`FileVec`](crate::FileVec) can only grow; created by
/// [`FileVec::grow_only`](crate::FileVec::grow_only). It is to a `FileVec` what [`GrowOnly`] is to a `VmVec`.
///
/// # Examples
///
/// ```
/// use stayput::FileVec;
///
/// # fn main() -> Result<(), Box<dyn std::error::Error>> {
/// let mut numbers: FileVec<u64> = FileVec::temporary_in(std::env::temp_dir())?;
/// let scope = numbers.grow_only();
/// let first = scope.push(1);
/// for n in 2..100_000 {
///     scope.push(n); // `first` stays valid
/// }
/// assert_eq!((*first, scope.len()), (1, 99_999));
/// # Ok(())
/// # }
/// ```
#[derive(Debug)]
pub struct GrowOnlyFile<'v, T: Pod> {
    scope: GrowOnly<'v, T>,
    live: &'v Live,
}

impl<'v, T: Pod> GrowOnlyFile<'v, T> {
    pub(super) fn new(scope: GrowOnly<'v, T>, live: &'v Live) -> Self {
        Self { scope, live }
    }

    /// Appends an element and returns a reference to it.
    ///
    /// # Panics
    ///
    /// If [`try_push`](Self::try_push) returns an error.
    ///
    /// # Examples
    ///
    /// ```
    /// use stayput::FileVec;
    ///
    /// let mut samples: FileVec<f64> = FileVec::temporary_in(std::env::temp_dir())?;
    /// let scope = samples.grow_only();
    /// let first = scope.push(1.5);
    /// scope.push(first * 2.0);
    /// assert_eq!((*first, scope.as_slice()), (1.5, &[1.5, 3.0][..]));
    /// # Ok::<(), stayput::file::FileError>(())
    /// ```
    #[inline]
    #[track_caller]
    pub fn push(&self, value: T) -> &'v T {
        unwrap_or_panic(self.try_push(value))
    }

    /// Appends an element as [`push`](Self::push) does, or returns the error and the value.
    ///
    /// # Errors
    ///
    /// As for [`FileVec::try_push`](crate::FileVec::try_push) and [`GrowOnly::try_push`].
    ///
    /// # Examples
    ///
    /// ```
    /// use stayput::FileVec;
    ///
    /// let mut queue: FileVec<u32> =
    ///     FileVec::builder().max_len(1).temporary_in(std::env::temp_dir())?;
    /// let scope = queue.grow_only();
    /// assert_eq!(scope.try_push(1), Ok(&1));
    /// assert_eq!(scope.try_push(2).unwrap_err().value, 2);
    /// # Ok::<(), stayput::file::FileError>(())
    /// ```
    #[inline]
    pub fn try_push(&self, value: T) -> Result<&'v T, Refused<T>> {
        let pushed = self.scope.try_push(value)?;
        self.live.publish(self.scope.len());
        Ok(pushed)
    }

    /// Reserves space for `additional` more elements; see [`FileVec::reserve`](crate::FileVec::reserve).
    ///
    /// # Panics
    ///
    /// If [`try_reserve`](Self::try_reserve) returns an error.
    ///
    /// # Examples
    ///
    /// ```
    /// use stayput::FileVec;
    ///
    /// let mut samples: FileVec<f64> = FileVec::temporary_in(std::env::temp_dir())?;
    /// let scope = samples.grow_only();
    /// scope.reserve(1000); // the file grows once, and not during the pushes
    /// (0..1000).for_each(|n| _ = scope.push(f64::from(n)));
    /// assert_eq!(scope.len(), 1000);
    /// # Ok::<(), stayput::file::FileError>(())
    /// ```
    #[track_caller]
    pub fn reserve(&self, additional: usize) {
        unwrap_or_panic(self.try_reserve(additional));
    }

    /// Reserves space as [`reserve`](Self::reserve) does, or returns the error.
    ///
    /// # Errors
    ///
    /// As for [`try_push`](Self::try_push).
    pub fn try_reserve(&self, additional: usize) -> Result<(), Error> {
        self.scope.try_reserve(additional)
    }

    /// Returns the present elements.
    #[inline]
    pub fn as_slice(&self) -> &'v [T] {
        self.scope.as_slice()
    }

    /// Returns the number of elements.
    #[inline]
    pub fn len(&self) -> usize {
        self.scope.len()
    }

    /// Returns `true` if there are no elements.
    #[inline]
    pub fn is_empty(&self) -> bool {
        self.scope.is_empty()
    }
}

impl<T: Pod> Deref for GrowOnlyFile<'_, T> {
    type Target = [T];

    #[inline]
    fn deref(&self) -> &[T] {
        self.as_slice()
    }
}
