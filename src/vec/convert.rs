//! Conversions from and to other containers. They copy the bytes of the elements once, since both sides use different
//! memory.

#![expect(unsafe_code, reason = "moves elements between containers")]

use super::{VmVec, handle_error, unwrap_or_panic};
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
    /// Moves the elements to a `Vec`, by copying their bytes once. O(n).
    ///
    /// # Panics
    ///
    /// If memory is refused.
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

    /// Moves the elements to a boxed slice, by copying their bytes once. O(n).
    ///
    /// # Panics
    ///
    /// If memory is refused.
    ///
    /// # Examples
    ///
    /// ```
    /// let frames = stayput::VmVec::from([16, 17, 16]);
    /// let frozen: Box<[u32]> = frames.into_boxed_slice();
    /// assert_eq!(*frozen, [16, 17, 16]);
    /// ```
    #[must_use]
    #[track_caller]
    pub fn into_boxed_slice(self) -> Box<[T]> {
        self.into_vec().into_boxed_slice()
    }
}

impl<T, const N: usize> VmVec<[T; N]> {
    /// Flattens an array of arrays. O(1): nothing moves. A maximum that was set for the arrays becomes `N` times as
    /// many elements.
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
        // SAFETY: a field of a reference is valid for reads, aligned and initialized. `vec` is never used or dropped
        // again, so `raw` is the only owner of the memory.
        let mut raw = unsafe { std::ptr::read(&raw const vec.raw) };
        raw.regroup(VmVec::<T>::ELEMENT, N);
        // These are `len` elements in the same places, within the same memory.
        VmVec { raw, len, elements: PhantomData }
    }
}

impl<T> From<Vec<T>> for VmVec<T> {
    #[track_caller]
    fn from(mut from: Vec<T>) -> Self {
        let mut vec = Self::new();
        unwrap_or_panic(vec.try_reserve_exact(from.len()));
        vec.append_vec(&mut from);
        vec
    }
}

impl<T> From<VmVec<T>> for Vec<T> {
    /// Moves the elements. Panics if memory is refused, where `Vec::with_capacity` would abort.
    #[track_caller]
    fn from(mut from: VmVec<T>) -> Self {
        let mut vec = Self::new();
        if vec.try_reserve_exact(from.len).is_err() {
            handle_error(Error::new(ErrorKind::Memory, from.len * size_of::<T>()));
        }
        // SAFETY: `vec` has capacity for `len` elements, as just reserved, in memory of its own; that many are
        // initialized in `from` (*elements*), which does not use them again: its length is set to 0 below.
        unsafe { std::ptr::copy_nonoverlapping(from.as_ptr(), vec.as_mut_ptr(), from.len) };
        // SAFETY: the capacity is at least `len`, and these elements were just initialized.
        unsafe { vec.set_len(from.len) };
        from.len = 0;
        // Not by the end of the function: if a backing panics then, the result leaks.
        drop(from);
        vec
    }
}

impl<T, const N: usize> From<[T; N]> for VmVec<T> {
    #[track_caller]
    fn from(from: [T; N]) -> Self {
        let mut vec = Self::new();
        unwrap_or_panic(vec.try_reserve_exact(N));
        let from = ManuallyDrop::new(from);
        // SAFETY: capacity for `N` elements was just reserved. They are initialized, in other memory, and neither used
        // nor dropped there, since they are in a `ManuallyDrop`.
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

    /// Returns the elements if there are exactly `N` of them, or else the array.
    fn try_from(mut from: VmVec<T>) -> Result<Self, VmVec<T>> {
        if from.len != N {
            return Err(from);
        }
        from.len = 0;
        let array = from.as_ptr().cast::<[T; N]>();
        // SAFETY: the `N` elements are initialized, in one aligned range (*elements*, *capacity*), and past the length
        // now, so they are not read again. An array has the layout of its elements in sequence, and their alignment.
        let array = unsafe { array.read() };
        // As above.
        drop(from);
        Ok(array)
    }
}

/// Implements `From`, one conversion per line.
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

/// Defines the conversions that go through a slice or a `Vec`, for an array that converts to and from those.
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

            /// Returns the elements if there are exactly `N` of them, or else the array.
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
