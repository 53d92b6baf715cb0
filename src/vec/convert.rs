//! Conversions from and to other containers.
//!
//! Elements move by one copy of their bytes, since the memory of the two sides is not of one kind.

#![expect(unsafe_code, reason = "moves elements between containers")]

use super::{VmVec, give_up, or_give_up};
use crate::error::{Error, ErrorKind};
use std::borrow::Cow;
use std::collections::{BinaryHeap, VecDeque};
use std::ffi::CString;
use std::marker::PhantomData;
use std::mem::ManuallyDrop;
use std::num::NonZero;
use std::rc::Rc;
use std::sync::Arc;

impl<T> VmVec<T> {
    /// The elements in a `Vec`. They move, by one copy of their bytes: the memory is another. O(n).
    ///
    /// # Panics
    ///
    /// If the memory cannot be had.
    ///
    /// # Examples
    ///
    /// ```
    /// let text = stayput::VmVec::from("stay put");
    /// assert_eq!(String::from_utf8(text.into_vec()), Ok("stay put".to_owned()));
    /// ```
    #[must_use]
    #[track_caller]
    pub fn into_vec(self) -> Vec<T> {
        self.into()
    }

    /// The elements in a box. They move: the memory is another.
    ///
    /// # Panics
    ///
    /// If the memory cannot be had.
    #[must_use]
    #[track_caller]
    pub fn into_boxed_slice(self) -> Box<[T]> {
        self.into_vec().into_boxed_slice()
    }
}

impl<T, const N: usize> VmVec<[T; N]> {
    /// The same elements, not grouped into arrays. O(1): nothing moves. A maximum that was named
    /// for groups is `N` times as many elements.
    ///
    /// # Panics
    ///
    /// If `T` has size zero and the length overflows `usize`.
    ///
    /// # Examples
    ///
    /// ```
    /// let pairs = stayput::VmVec::from([[1, 2], [3, 4]]);
    /// assert_eq!(pairs.into_flattened(), [1, 2, 3, 4]);
    /// ```
    #[must_use]
    #[track_caller]
    pub fn into_flattened(self) -> VmVec<T> {
        let len = self.len.checked_mul(N).expect("vec len overflow");
        let vec = ManuallyDrop::new(self);
        // SAFETY: `vec` is never used again, so there is one owner still.
        let mut raw = unsafe { std::ptr::read(&raw const vec.raw) };
        raw.regroup(VmVec::<T>::ELEMENT, N);
        // `len` groups of `N` are as many elements, in the same places, within the same memory.
        VmVec { raw, len, elements: PhantomData }
    }
}

impl<T> From<Vec<T>> for VmVec<T> {
    #[track_caller]
    fn from(mut from: Vec<T>) -> Self {
        let mut vec = Self::new();
        or_give_up(vec.try_reserve_exact(from.len()));
        vec.append_vec(&mut from);
        vec
    }
}

impl<T> From<VmVec<T>> for Vec<T> {
    /// Panics if the memory cannot be had, where `Vec::with_capacity` would abort.
    #[track_caller]
    fn from(mut from: VmVec<T>) -> Self {
        let mut vec = Self::new();
        if vec.try_reserve_exact(from.len).is_err() {
            give_up(Error::new(ErrorKind::Memory, from.len * size_of::<T>()));
        }
        // SAFETY: the first `len` elements are initialised, there is room for as many, and the two
        // do not overlap.
        unsafe { std::ptr::copy_nonoverlapping(from.as_ptr(), vec.as_mut_ptr(), from.len) };
        // SAFETY: just initialised.
        unsafe { vec.set_len(from.len) };
        from.len = 0;
        vec
    }
}

impl<T, const N: usize> From<[T; N]> for VmVec<T> {
    #[track_caller]
    fn from(from: [T; N]) -> Self {
        let mut vec = Self::new();
        or_give_up(vec.try_reserve_exact(N));
        let from = ManuallyDrop::new(from);
        // SAFETY: room for `N` was made; they are initialised, elsewhere, and never dropped there.
        unsafe { vec.append_from(from.as_ptr(), N) };
        vec
    }
}

impl<T: Clone> From<&[T]> for VmVec<T> {
    #[track_caller]
    fn from(from: &[T]) -> Self {
        let mut vec = Self::with_capacity(from.len());
        vec.extend_from_slice(from);
        vec
    }
}

impl<'v, T: Clone> From<&'v VmVec<T>> for Cow<'v, [T]> {
    fn from(from: &'v VmVec<T>) -> Self {
        Cow::Borrowed(from)
    }
}

impl<T, const N: usize> TryFrom<VmVec<T>> for [T; N] {
    type Error = VmVec<T>;

    /// The elements, if there are exactly `N`; else the array comes back.
    fn try_from(mut from: VmVec<T>) -> Result<Self, VmVec<T>> {
        if from.len != N {
            return Err(from);
        }
        from.len = 0;
        let array = from.as_ptr().cast::<[T; N]>();
        // SAFETY: `N` elements are initialised there, and behind the length now, so nobody reads
        // them again. An array is aligned as its elements are.
        Ok(unsafe { array.read() })
    }
}

/// Implements `From`, a conversion a line.
macro_rules! from {
    ($($(#[$about:meta])* [$($generics:tt)*] $from:ty => $to:ty: |$value:ident| $made:expr;)+) => {$(
        impl<$($generics)*> From<$from> for $to {
            $(#[$about])*
            #[track_caller]
            fn from($value: $from) -> Self {
                $made
            }
        }
    )+};
}
pub(crate) use from;

/// The conversions of `Vec` that go by way of slices or of a `Vec`, for an array that has those.
macro_rules! conversions {
    ($array:ident) => {
        $crate::vec::from! {
            [T: Clone] &mut [T] => $array<T>: |slice| Self::from(&*slice);
            [T: Clone, const N: usize] &[T; N] => $array<T>: |array| Self::from(array.as_slice());
            [T: Clone, const N: usize] &mut [T; N] => $array<T>: |array| Self::from(array.as_slice());
            [T] Box<[T]> => $array<T>: |boxed| Self::from(boxed.into_vec());
            [T] VecDeque<T> => $array<T>: |deque| Self::from(Vec::from(deque));
            [T] BinaryHeap<T> => $array<T>: |heap| Self::from(heap.into_vec());
            [T: Clone] Cow<'_, [T]> => $array<T>: |cow| match cow {
                Cow::Borrowed(slice) => Self::from(slice),
                Cow::Owned(vec) => Self::from(vec),
            };
            [] &str => $array<u8>: |text| Self::from(text.as_bytes());
            [] String => $array<u8>: |text| Self::from(text.into_bytes());
            [] CString => $array<u8>: |text| Self::from(text.into_bytes());
            [T] $array<T> => Box<[T]>: |array| Vec::from(array).into_boxed_slice();
            [T] $array<T> => Rc<[T]>: |array| Vec::from(array).into();
            [T] $array<T> => Arc<[T]>: |array| Vec::from(array).into();
            [T] $array<T> => VecDeque<T>: |array| Vec::from(array).into();
            [T: Ord] $array<T> => BinaryHeap<T>: |array| Vec::from(array).into();
            [T: Clone] $array<T> => Cow<'_, [T]>: |array| Cow::Owned(array.into());
            [] $array<NonZero<u8>> => CString: |array| Vec::from(array).into();
        }

        impl<T, const N: usize> TryFrom<$array<T>> for Box<[T; N]> {
            type Error = $array<T>;

            /// The elements, if there are exactly `N`; else the array comes back.
            fn try_from(from: $array<T>) -> Result<Self, $array<T>> {
                if from.len() != N {
                    return Err(from);
                }
                match Self::try_from(Vec::from(from)) {
                    Ok(array) => Ok(array),
                    Err(_) => unreachable!("the length was compared"),
                }
            }
        }

        impl TryFrom<$array<u8>> for String {
            type Error = std::string::FromUtf8Error;

            fn try_from(from: $array<u8>) -> Result<Self, Self::Error> {
                Self::from_utf8(from.into())
            }
        }
    };
}
pub(crate) use conversions;

conversions!(VmVec);
