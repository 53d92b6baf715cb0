//! Implementations of std's traits.

#![forbid(unsafe_code)]

use super::SharedVec;
use crate::error::{Error, unwrap_or_panic};
use crate::vec::{self, VmVec, as_slice_traits, equal_as_slices, from};
use std::cmp::Ordering;
use std::hash::{Hash, Hasher};
use std::io::{self, Write};
use std::ops::Index;
use std::slice::{self, SliceIndex};

default_by!([T] SharedVec<T>, new);

impl<T> From<VmVec<T>> for SharedVec<T> {
    /// Converts an array. O(1): no element moves.
    fn from(vec: VmVec<T>) -> Self {
        let mut shared = Self::new();
        *shared.as_mut_vec() = vec;
        shared
    }
}

from! {
    /// See [`SharedVec::into_inner`].
    [T] SharedVec<T> => VmVec<T>: |shared| shared.into_inner();
    /// Moves all elements to a `Vec`, as for a [`VmVec`].
    [T] SharedVec<T> => Vec<T>: |shared| shared.into_inner().into();
    [T] Vec<T> => SharedVec<T>: |vec| VmVec::from(vec).into();
    [T, const N: usize] [T; N] => SharedVec<T>: |array| VmVec::from(array).into();
    [T: Clone] &[T] => SharedVec<T>: |slice| VmVec::from(slice).into();
}

impl<T> FromIterator<T> for SharedVec<T> {
    #[track_caller]
    fn from_iter<I: IntoIterator<Item = T>>(iter: I) -> Self {
        VmVec::from_iter(iter).into()
    }
}

impl<T> Extend<T> for SharedVec<T> {
    /// Appends all elements, as [`VmVec`] does.
    #[track_caller]
    fn extend<I: IntoIterator<Item = T>>(&mut self, iter: I) {
        self.as_mut_vec().extend(iter);
    }
}

impl<T> Extend<T> for &SharedVec<T> {
    /// Appends all elements, as [`SharedVec::extend`] does.
    #[track_caller]
    fn extend<I: IntoIterator<Item = T>>(&mut self, iter: I) {
        SharedVec::extend(self, iter);
    }
}

impl<T> IntoIterator for SharedVec<T> {
    type Item = T;
    type IntoIter = vec::IntoIter<T>;

    fn into_iter(self) -> vec::IntoIter<T> {
        self.into_inner().into_iter()
    }
}

iterate_by_ref!([T] SharedVec<T>: &'a T => slice::Iter<'a, T>, &'a mut T => slice::IterMut<'a, T>);

// These compare, hash and print the prefix.
as_slice_traits!(SharedVec);

equal_as_slices! {
    [] SharedVec<T>, SharedVec<U>;
    [] SharedVec<T>, [U];
    [] SharedVec<T>, &[U];
    [const N: usize] SharedVec<T>, [U; N];
    [] SharedVec<T>, Vec<U>;
    [] SharedVec<T>, VmVec<U>;
}

impl<T, I: SliceIndex<[T]>> Index<I> for SharedVec<T> {
    type Output = I::Output;

    /// Indexes into the [prefix](SharedVec#the-prefix). [`get`](SharedVec::get) also finds elements after it.
    #[inline]
    #[track_caller]
    fn index(&self, index: I) -> &I::Output {
        &self.as_slice()[index]
    }
}

impl<T: Clone> SharedVec<T> {
    /// Returns a copy of [the prefix](Self#the-prefix) with default options, or the error.
    ///
    /// # Errors
    ///
    /// As for [`VmVec::try_reserve`].
    ///
    /// # Examples
    ///
    /// ```
    /// let log = stayput::SharedVec::from(["start"]);
    /// let copy = log.try_clone()?; // as of now
    /// log.push("stop");
    /// assert_eq!(copy, ["start"]);
    /// # Ok::<(), stayput::Error>(())
    /// ```
    pub fn try_clone(&self) -> Result<Self, Error> {
        let prefix = self.as_slice();
        let mut clone = VmVec::try_with_capacity(prefix.len())?;
        clone.try_extend_from_slice(prefix)?;
        Ok(clone.into())
    }
}

impl<T: Clone> Clone for SharedVec<T> {
    /// Returns a copy of [the prefix](SharedVec#the-prefix) with default options.
    ///
    /// # Panics
    ///
    /// If [`try_clone`](SharedVec::try_clone) returns an error.
    #[track_caller]
    fn clone(&self) -> Self {
        unwrap_or_panic(self.try_clone())
    }
}

impl Write for &SharedVec<u8> {
    /// Appends all bytes at consecutive indices. If memory is refused, the `io::Error` contains an [`Error`].
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.try_extend_from_slice(bytes)?;
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}
