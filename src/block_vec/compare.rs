//! Comparison, hashing and `Debug`.

#![forbid(unsafe_code)]

use super::BlockVec;
use crate::vec::VmVec;
use std::cmp::Ordering;
use std::collections::VecDeque;
use std::fmt;
use std::hash::{Hash, Hasher};

impl<T> BlockVec<T> {
    /// Compares the array with a slice, block by block.
    fn is<U>(&self, other: &[U], equal: impl Fn(&[T], &[U]) -> bool) -> bool {
        let mut rest = other;
        self.len() == other.len()
            && self.blocks().all(|block| {
                let (here, later) = rest.split_at(block.len());
                rest = later;
                equal(block, here)
            })
    }
}

debug_items!([T: fmt::Debug] BlockVec<T>, debug_list, |items| items);

impl<T: Hash> Hash for BlockVec<T> {
    /// Hashes the length and the elements, so that equal arrays have equal hashes whatever their blocks.
    fn hash<H: Hasher>(&self, state: &mut H) {
        state.write_usize(self.len());
        self.iter().for_each(|element| element.hash(state));
    }
}

impl<T: PartialEq<U>, U> PartialEq<BlockVec<U>> for BlockVec<T> {
    fn eq(&self, other: &BlockVec<U>) -> bool {
        // The blocks of `other` may have different sizes.
        let mut index = 0;
        self.len() == other.len()
            && self.blocks().all(|block| {
                let there = other.range(index..index + block.len());
                index += block.len();
                block.iter().eq(there)
            })
    }
}

impl<T: Eq> Eq for BlockVec<T> {}

impl<T: PartialOrd> PartialOrd for BlockVec<T> {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        self.iter().partial_cmp(other)
    }
}

impl<T: Ord> Ord for BlockVec<T> {
    fn cmp(&self, other: &Self) -> Ordering {
        self.iter().cmp(other)
    }
}

/// Implements equality with types that can be borrowed as one slice.
macro_rules! equal_to_slices {
    ($([$($generics:tt)*] $slice:ty;)*) => {$(
        impl<T: PartialEq<U>, U, $($generics)*> PartialEq<$slice> for BlockVec<T> {
            fn eq(&self, other: &$slice) -> bool {
                self.is(&other[..], |block, here| block == here)
            }
        }
    )*};
}

equal_to_slices! {
    [] [U];
    [] &[U];
    [] &mut [U];
    [const N: usize] [U; N];
    [const N: usize] &[U; N];
    [] Vec<U>;
    [] VmVec<U>;
}

/// Implements the same comparisons with the sides exchanged.
macro_rules! slices_equal {
    ($($slice:ty;)*) => {$(
        impl<T: PartialEq<U>, U> PartialEq<BlockVec<U>> for $slice {
            fn eq(&self, other: &BlockVec<U>) -> bool {
                other.is(&self[..], |block, here| here == block)
            }
        }
    )*};
}

slices_equal! {
    [T];
    &[T];
    Vec<T>;
    VmVec<T>;
}

impl<T: PartialEq<U>, U> PartialEq<VecDeque<U>> for BlockVec<T> {
    fn eq(&self, other: &VecDeque<U>) -> bool {
        self.len() == other.len() && self.iter().zip(other).all(|(a, b)| a == b)
    }
}
