//! Unchecked look-ups in secondary and dense maps and in arrays of blocks. They are in a file of their own, since the
//! modules of these types contain no unsafe code, or all of it in one file.
//!
//! Each calls the safe look-up and tells the compiler that it finds a value, so that the comparisons for that are
//! removed.

#![expect(unsafe_code, reason = "contains unchecked look-ups")]

#[cfg(feature = "block-vec")]
use crate::block_vec::BlockVec;
use crate::dense::DenseSlotMap;
use crate::key::Key;
use crate::secondary::{SecondaryMap, SparseSecondaryMap};
use std::hash::BuildHasher;

/// Defines the unchecked look-ups of a map by the safe ones. `$new` is documentation that makes a map `scores` with the
/// values 1 and 2 for the keys `ann` and `ben`.
macro_rules! unchecked {
    ($map:ident<K, V $(, $hasher:ident)?>, $(#[$new:meta])+) => {
        impl<K: Key, V $(, $hasher: BuildHasher)?> $map<K, V $(, $hasher)?> {
            /// Returns the value of a key without checking that it has one in this map. O(1).
            ///
            /// # Safety
            ///
            /// - [`get`](Self::get) with this key, in place of this call, would find a value. For key types declared by
            ///   [`new_key_type!`](crate::new_key_type), and hashers that always return the same, it suffices that
            ///   [`contains_key`](Self::contains_key) returns `true`.
            ///
            /// # Examples
            ///
            /// ```
            $(#[$new])+
            /// // SAFETY: its value was inserted above.
            /// assert_eq!(unsafe { scores.get_unchecked(ann) }, &1);
            /// ```
            #[inline]
            pub unsafe fn get_unchecked(&self, key: K) -> &V {
                let found = self.get(key);
                debug_assert!(found.is_some(), "the key has no value here");
                // SAFETY: the look-up with this key finds a value, by the caller's guarantee, so this is not `None`.
                unsafe { found.unwrap_unchecked() }
            }

            /// Returns a mutable reference to the value of a key without checking that it has one in this map. O(1).
            ///
            /// # Safety
            ///
            /// - As for [`get_unchecked`](Self::get_unchecked).
            ///
            /// # Examples
            ///
            /// ```
            $(#[$new])+
            /// // SAFETY: its value was inserted above.
            /// unsafe { *scores.get_unchecked_mut(ann) += 6 };
            /// assert_eq!(scores[ann], 7);
            /// ```
            #[inline]
            pub unsafe fn get_unchecked_mut(&mut self, key: K) -> &mut V {
                let found = self.get_mut(key);
                debug_assert!(found.is_some(), "the key has no value here");
                // SAFETY: the look-up with this key finds a value, by the caller's guarantee, so this is not `None`.
                unsafe { found.unwrap_unchecked() }
            }

            /// Returns mutable references to the values of several keys without checking them.
            ///
            /// # Safety
            ///
            /// - [`get_disjoint_mut`](Self::get_disjoint_mut) with these keys, in place of this call, would find
            ///   values: as for [`get_unchecked`](Self::get_unchecked), for each key, and no two keys have the same
            ///   slot.
            ///
            /// # Examples
            ///
            /// ```
            $(#[$new])+
            /// // SAFETY: their values were inserted above, and the keys differ.
            /// let [first, second] = unsafe { scores.get_disjoint_unchecked_mut([ann, ben]) };
            /// std::mem::swap(first, second);
            /// assert_eq!((scores[ann], scores[ben]), (2, 1));
            /// ```
            #[inline]
            pub unsafe fn get_disjoint_unchecked_mut<const N: usize>(
                &mut self,
                keys: [K; N],
            ) -> [&mut V; N] {
                let found = self.get_disjoint_mut(keys);
                debug_assert!(found.is_some(), "a key has no value here, or occurs twice");
                // SAFETY: the look-up with these keys finds values, by the caller's guarantee, so this is not `None`.
                unsafe { found.unwrap_unchecked() }
            }
        }
    };
}

unchecked! {
    SecondaryMap<K, V>,
    /// # use stayput::{SecondaryMap, SlotMap};
    /// let mut names = SlotMap::new();
    /// let (ann, ben) = (names.insert("Ann"), names.insert("Ben"));
    /// let mut scores = SecondaryMap::from_iter([(ann, 1), (ben, 2)]);
}

unchecked! {
    SparseSecondaryMap<K, V, S>,
    /// # use stayput::{SlotMap, SparseSecondaryMap};
    /// let mut names = SlotMap::new();
    /// let (ann, ben) = (names.insert("Ann"), names.insert("Ben"));
    /// let mut scores: SparseSecondaryMap<_, _> = [(ann, 1), (ben, 2)].into_iter().collect();
}

unchecked! {
    DenseSlotMap<K, V>,
    /// # use stayput::DenseSlotMap;
    /// let mut scores = DenseSlotMap::new();
    /// let (ann, ben) = (scores.insert(1), scores.insert(2));
}

#[cfg(feature = "block-vec")]
impl<T> BlockVec<T> {
    /// Returns the element at an index without checking that it is below the length. O(1).
    ///
    /// # Safety
    ///
    /// - `index` is below [`len`](Self::len).
    ///
    /// # Examples
    ///
    /// ```
    /// let words = stayput::BlockVec::from(["to", "be"]);
    /// // SAFETY: there are two elements.
    /// assert_eq!(unsafe { words.get_unchecked(1) }, &"be");
    /// ```
    #[inline]
    pub unsafe fn get_unchecked(&self, index: usize) -> &T {
        let found = self.get(index);
        debug_assert!(found.is_some(), "the index is out of bounds");
        // SAFETY: the index is below the length, by the caller's guarantee, so `get` finds an element: not `None`.
        unsafe { found.unwrap_unchecked() }
    }

    /// Returns a mutable reference to the element at an index without checking that it is below the length. O(1).
    ///
    /// # Safety
    ///
    /// - As for [`get_unchecked`](Self::get_unchecked).
    ///
    /// # Examples
    ///
    /// ```
    /// let mut words = stayput::BlockVec::from(["to", "be"]);
    /// // SAFETY: there are two elements.
    /// unsafe { *words.get_unchecked_mut(1) = "do" };
    /// assert_eq!(words, ["to", "do"]);
    /// ```
    #[inline]
    pub unsafe fn get_unchecked_mut(&mut self, index: usize) -> &mut T {
        let found = self.get_mut(index);
        debug_assert!(found.is_some(), "the index is out of bounds");
        // SAFETY: the index is below the length, by the caller's guarantee, so `get` finds an element: not `None`.
        unsafe { found.unwrap_unchecked() }
    }
}
