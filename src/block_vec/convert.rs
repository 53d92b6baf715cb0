//! Conversions from and to other containers. They copy the bytes of the elements once, since both sides use different
//! memory.

#![forbid(unsafe_code)]

use super::BlockVec;
use crate::error::{Holder, handle_error};
use crate::heap;
use crate::vec::{VmVec, conversions};
use std::borrow::Cow;
use std::collections::{BinaryHeap, VecDeque};
use std::ffi::CString;
use std::num::NonZero;
use std::rc::Rc;
use std::sync::Arc;

impl<T> BlockVec<T> {
    /// Moves the elements to a `Vec`, by copying their bytes once. O(n).
    ///
    /// # Panics
    ///
    /// If memory is refused.
    ///
    /// # Examples
    ///
    /// ```
    /// let mut numbers = stayput::BlockVec::from([3, 1, 2]);
    /// let mut sorted = numbers.into_vec();
    /// sorted.sort();
    /// numbers = sorted.into();
    /// assert_eq!(numbers, [1, 2, 3]);
    /// ```
    #[must_use]
    #[track_caller]
    pub fn into_vec(mut self) -> Vec<T> {
        let mut vec = Vec::new();
        if let Err(error) = heap::try_reserve_exact(&mut vec, self.len()) {
            handle_error(error.of(Holder::BlockVec));
        }
        self.raw.move_to(&mut vec);
        vec
    }

    /// Moves the elements to a boxed slice, like [`into_vec`](Self::into_vec). O(n).
    ///
    /// # Panics
    ///
    /// If memory is refused.
    ///
    /// # Examples
    ///
    /// ```
    /// let frames = stayput::BlockVec::from([16, 17, 16]);
    /// let frozen: Box<[u32]> = frames.into_boxed_slice();
    /// assert_eq!(*frozen, [16, 17, 16]);
    /// ```
    #[must_use]
    #[track_caller]
    pub fn into_boxed_slice(self) -> Box<[T]> {
        self.into_vec().into_boxed_slice()
    }
}

impl<T> From<Vec<T>> for BlockVec<T> {
    #[track_caller]
    fn from(mut from: Vec<T>) -> Self {
        let mut vec = Self::new();
        vec.append_vec(&mut from);
        vec
    }
}

impl<T> From<BlockVec<T>> for Vec<T> {
    #[track_caller]
    fn from(from: BlockVec<T>) -> Self {
        from.into_vec()
    }
}

impl<T> From<VmVec<T>> for BlockVec<T> {
    #[track_caller]
    fn from(from: VmVec<T>) -> Self {
        let mut vec = Self::new();
        vec.reserve(from.len());
        vec.extend(from);
        vec
    }
}

impl<T> From<BlockVec<T>> for VmVec<T> {
    #[track_caller]
    fn from(from: BlockVec<T>) -> Self {
        let mut vec = Self::new();
        vec.reserve_exact(from.len());
        vec.extend(from);
        vec
    }
}

impl<T, const N: usize> From<[T; N]> for BlockVec<T> {
    #[track_caller]
    fn from(from: [T; N]) -> Self {
        let mut vec = Self::with_capacity(N);
        vec.extend(from);
        vec
    }
}

impl<T: Clone> From<&[T]> for BlockVec<T> {
    #[track_caller]
    fn from(from: &[T]) -> Self {
        let mut vec = Self::new();
        vec.extend_from_slice(from);
        vec
    }
}

impl<T, const N: usize> TryFrom<BlockVec<T>> for [T; N] {
    type Error = BlockVec<T>;

    /// Returns the elements if there are exactly `N`, and otherwise the `BlockVec`.
    fn try_from(from: BlockVec<T>) -> Result<Self, BlockVec<T>> {
        Box::<[T; N]>::try_from(from).map(|array| *array)
    }
}

conversions!(BlockVec);
