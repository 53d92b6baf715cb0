//! Access and comparison as a slice.

use super::VmVec;
use std::borrow::{Borrow, BorrowMut, Cow};
use std::cmp::Ordering;
use std::collections::VecDeque;
use std::hash::{Hash, Hasher};
use std::ops::{Deref, DerefMut, Index, IndexMut};
use std::slice::SliceIndex;

impl<T> Deref for VmVec<T> {
    type Target = [T];

    #[inline]
    fn deref(&self) -> &[T] {
        self.as_slice()
    }
}

impl<T> DerefMut for VmVec<T> {
    #[inline]
    fn deref_mut(&mut self) -> &mut [T] {
        self.as_mut_slice()
    }
}

impl<T> AsMut<[T]> for VmVec<T> {
    fn as_mut(&mut self) -> &mut [T] {
        self
    }
}

impl<T> AsRef<Self> for VmVec<T> {
    fn as_ref(&self) -> &Self {
        self
    }
}

impl<T> AsMut<Self> for VmVec<T> {
    fn as_mut(&mut self) -> &mut Self {
        self
    }
}

impl<T> Borrow<[T]> for VmVec<T> {
    fn borrow(&self) -> &[T] {
        self
    }
}

impl<T> BorrowMut<[T]> for VmVec<T> {
    fn borrow_mut(&mut self) -> &mut [T] {
        self
    }
}

impl<T, I: SliceIndex<[T]>> Index<I> for VmVec<T> {
    type Output = I::Output;

    #[inline]
    fn index(&self, index: I) -> &I::Output {
        &self.as_slice()[index]
    }
}

impl<T, I: SliceIndex<[T]>> IndexMut<I> for VmVec<T> {
    #[inline]
    fn index_mut(&mut self, index: I) -> &mut I::Output {
        &mut self.as_mut_slice()[index]
    }
}

impl<T: PartialOrd> PartialOrd<Vec<T>> for VmVec<T> {
    fn partial_cmp(&self, other: &Vec<T>) -> Option<Ordering> {
        self.as_slice().partial_cmp(other.as_slice())
    }
}

impl<T: PartialOrd> PartialOrd<VmVec<T>> for Vec<T> {
    fn partial_cmp(&self, other: &VmVec<T>) -> Option<Ordering> {
        self.as_slice().partial_cmp(other.as_slice())
    }
}

/// The traits by which an array is shown, hashed and compared as its slice is.
macro_rules! as_slice_traits {
    ($array:ident) => {
        impl<T> AsRef<[T]> for $array<T> {
            fn as_ref(&self) -> &[T] {
                self.as_slice()
            }
        }

        impl<T: std::fmt::Debug> std::fmt::Debug for $array<T> {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                self.as_slice().fmt(f)
            }
        }

        impl<T: Hash> Hash for $array<T> {
            /// As the slice does, so that it can be looked up by one.
            fn hash<H: Hasher>(&self, state: &mut H) {
                self.as_slice().hash(state);
            }
        }

        impl<T: Eq> Eq for $array<T> {}

        impl<T: PartialOrd> PartialOrd for $array<T> {
            fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
                self.as_slice().partial_cmp(other.as_slice())
            }
        }

        impl<T: Ord> Ord for $array<T> {
            fn cmp(&self, other: &Self) -> Ordering {
                self.as_slice().cmp(other.as_slice())
            }
        }
    };
}
pub(crate) use as_slice_traits;

as_slice_traits!(VmVec);

/// Equality between two types that both can be sliced whole, as std has it for `Vec`.
macro_rules! equal_as_slices {
    ($([$($generics:tt)*] $left:ty, $right:ty;)*) => {$(
        impl<T: PartialEq<U>, U, $($generics)*> PartialEq<$right> for $left {
            #[inline]
            fn eq(&self, other: &$right) -> bool {
                self[..] == other[..]
            }
        }
    )*};
}
pub(crate) use equal_as_slices;

equal_as_slices! {
    [] VmVec<T>, VmVec<U>;
    [] VmVec<T>, Vec<U>;
    [] VmVec<T>, [U];
    [] VmVec<T>, &[U];
    [] VmVec<T>, &mut [U];
    [const N: usize] VmVec<T>, [U; N];
    [const N: usize] VmVec<T>, &[U; N];
    [] Vec<T>, VmVec<U>;
    [] [T], VmVec<U>;
    [] &[T], VmVec<U>;
    [] &mut [T], VmVec<U>;
}

impl<T: PartialEq<U> + Clone, U> PartialEq<VmVec<U>> for Cow<'_, [T]> {
    fn eq(&self, other: &VmVec<U>) -> bool {
        self[..] == other[..]
    }
}

impl<T: PartialEq<U>, U> PartialEq<VmVec<U>> for VecDeque<T> {
    fn eq(&self, other: &VmVec<U>) -> bool {
        self.len() == other.len() && self.iter().zip(other).all(|(a, b)| a == b)
    }
}
