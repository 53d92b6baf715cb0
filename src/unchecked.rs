//! Look-ups in secondary and dense maps, and in arrays of blocks, that the caller vouches for: apart from those, which
//! hold no unsafe code, or have all of it in one place.
//!
//! Each is the safe look-up, of which the compiler is told that it finds something, so that it leaves
//! out the compares on which that depends.

#![expect(unsafe_code, reason = "has the look-ups that the caller vouches for")]

#[cfg(feature = "block-vec")]
use crate::block_vec::BlockVec;
use crate::dense::DenseSlotMap;
use crate::key::Key;
use crate::secondary::{SecondaryMap, SparseSecondaryMap};
use std::hash::BuildHasher;

/// The look-ups of a map that has the safe ones.
macro_rules! unchecked {
    ($map:ident<K, V $(, $hasher:ident)?>, $(#[$example:meta])*) => {
        impl<K: Key, V $(, $hasher: BuildHasher)?> $map<K, V $(, $hasher)?> {
            /// The value of a key that is known to have one here. O(1).
            ///
            /// # Safety
            ///
            /// - [`get`](Self::get) with this key, in place of this call, would find a value. (For key
            ///   types made by [`new_key_type!`](crate::new_key_type), and hashers that give the same
            ///   each time, it is enough that [`contains_key`](Self::contains_key) is true.)
            ///
            /// # Examples
            ///
            $(#[$example])*
            #[inline]
            pub unsafe fn get_unchecked(&self, key: K) -> &V {
                let found = self.get(key);
                debug_assert!(found.is_some(), "the key has no value here");
                // SAFETY: the caller's promise.
                unsafe { found.unwrap_unchecked() }
            }

            /// The value of a key that is known to have one here, to be changed. O(1).
            ///
            /// # Safety
            ///
            /// - As for [`get_unchecked`](Self::get_unchecked).
            #[inline]
            pub unsafe fn get_unchecked_mut(&mut self, key: K) -> &mut V {
                let found = self.get_mut(key);
                debug_assert!(found.is_some(), "the key has no value here");
                // SAFETY: the caller's promise.
                unsafe { found.unwrap_unchecked() }
            }

            /// The values of several keys that are known to be different, and to have one each here,
            /// to be changed.
            ///
            /// # Safety
            ///
            /// - [`get_disjoint_mut`](Self::get_disjoint_mut) with these keys, in place of this call,
            ///   would find values: as for [`get_unchecked`](Self::get_unchecked), for each key, and no
            ///   two name the same slot.
            #[inline]
            pub unsafe fn get_disjoint_unchecked_mut<const N: usize>(
                &mut self,
                keys: [K; N],
            ) -> [&mut V; N] {
                let found = self.get_disjoint_mut(keys);
                debug_assert!(found.is_some(), "a key has no value here, or occurs twice");
                // SAFETY: the caller's promise.
                unsafe { found.unwrap_unchecked() }
            }
        }
    };
}

unchecked! {
    SecondaryMap<K, V>,
    /// ```
    /// # use stayput::{SecondaryMap, SlotMap};
    /// let mut map = SlotMap::new();
    /// let key = map.insert("foo");
    /// let mut second = SecondaryMap::new();
    /// second.insert(key, 7);
    /// // SAFETY: it was just put in.
    /// assert_eq!(unsafe { second.get_unchecked(key) }, &7);
    /// ```
}

unchecked! {
    SparseSecondaryMap<K, V, S>,
    /// ```
    /// # use stayput::{SlotMap, SparseSecondaryMap};
    /// let mut map = SlotMap::new();
    /// let key = map.insert("foo");
    /// let mut second = SparseSecondaryMap::new();
    /// second.insert(key, 7);
    /// // SAFETY: it was just put in.
    /// assert_eq!(unsafe { second.get_unchecked(key) }, &7);
    /// ```
}

unchecked! {
    DenseSlotMap<K, V>,
    /// ```
    /// # use stayput::DenseSlotMap;
    /// let mut map = DenseSlotMap::new();
    /// let key = map.insert(7);
    /// // SAFETY: it was just put in.
    /// assert_eq!(unsafe { map.get_unchecked(key) }, &7);
    /// ```
}

#[cfg(feature = "block-vec")]
impl<T> BlockVec<T> {
    /// The element at an index that is known to be within the length. O(1).
    ///
    /// # Safety
    ///
    /// - `index` is below [`len`](Self::len).
    ///
    /// # Examples
    ///
    /// ```
    /// let words = stayput::BlockVec::from(["to", "be"]);
    /// // SAFETY: there are two.
    /// assert_eq!(unsafe { words.get_unchecked(1) }, &"be");
    /// ```
    #[inline]
    pub unsafe fn get_unchecked(&self, index: usize) -> &T {
        let found = self.get(index);
        debug_assert!(found.is_some(), "the index is out of bounds");
        // SAFETY: the caller's promise.
        unsafe { found.unwrap_unchecked() }
    }

    /// The element at an index that is known to be within the length, to be changed. O(1).
    ///
    /// # Safety
    ///
    /// - As for [`get_unchecked`](Self::get_unchecked).
    #[inline]
    pub unsafe fn get_unchecked_mut(&mut self, index: usize) -> &mut T {
        let found = self.get_mut(index);
        debug_assert!(found.is_some(), "the index is out of bounds");
        // SAFETY: the caller's promise.
        unsafe { found.unwrap_unchecked() }
    }
}
