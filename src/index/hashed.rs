//! Methods common to all indices that hash: [`UniqueIndex`](super::UniqueIndex), [`SetIndex`](super::SetIndex) and
//! [`ListIndex`](super::ListIndex).

#![forbid(unsafe_code)]

/// Defines the methods of an index with a `hasher` and the field `$field`.
macro_rules! hashed_methods {
    ($index:ident, $field:ident: $slots:ident) => {
        impl $index {
            /// Creates an empty index with a randomly seeded hasher. Allocates nothing until the first insertion.
            #[must_use]
            pub fn new() -> Self {
                Self::with_hasher(RandomState::new())
            }
        }

        impl<S> $index<S> {
            /// Creates an empty index with the given hasher. Allocates nothing until the first insertion.
            ///
            /// # Examples
            ///
            /// ```
            #[doc = concat!("use stayput::index::", stringify!($index), ";")]
            /// use std::hash::{BuildHasherDefault, DefaultHasher};
            ///
            /// let hasher = BuildHasherDefault::<DefaultHasher>::default();
            #[doc = concat!("let mut index = ", stringify!($index), "::with_hasher(hasher);")]
            /// let _ = index.insert("ann", 0, |_| false);
            /// assert!(index.contains(0));
            /// ```
            #[must_use]
            pub const fn with_hasher(hasher: S) -> Self {
                Self { $field: $slots::new(), hasher }
            }

            /// Returns the number of slots. O(1).
            #[inline]
            pub const fn len(&self) -> usize {
                self.$field.len()
            }

            /// Returns `true` if the index has no slots. O(1).
            #[inline]
            pub const fn is_empty(&self) -> bool {
                self.len() == 0
            }

            /// Returns `true` if a slot is in the index, whatever its value. O(1).
            #[inline]
            pub fn contains(&self, slot: u32) -> bool {
                self.$field.contains(slot)
            }

            /// Removes a slot, whatever its value is now. Returns `true` if it was in the index.
            ///
            /// O(1) if hashes are well distributed; neither hashes nor compares values. May enter the kernel; succeeds
            /// even if the system refuses memory.
            ///
            /// # Examples
            ///
            /// ```
            #[doc = concat!("let mut index = stayput::index::", stringify!($index), "::new();")]
            /// let _ = index.insert("ann", 0, |_| false);
            /// assert!(index.remove(0));
            /// assert!(!index.remove(0));
            /// ```
            pub fn remove(&mut self, slot: u32) -> bool {
                self.$field.remove(slot)
            }

            /// Removes all slots. Memory stays committed. O(n) in the buckets of the hash table.
            pub fn clear(&mut self) {
                self.$field.clear();
            }

            $crate::index::memory::memory_methods!();
        }

        impl<S: Clone> $index<S> {
            /// Returns a copy as [`clone`](Self::clone) does, or the error. Runs no user code except the hasher's
            /// `Clone`.
            ///
            /// # Errors
            ///
            /// As for [`try_reserve`](Self::try_reserve).
            pub fn try_clone(&self) -> Result<Self, Error> {
                let hasher = self.hasher.clone();
                Ok(Self { $field: self.$field.try_clone()?, hasher })
            }
        }

        clone_by_try! {
            /// Returns a copy with the same options and hashes. O(n) in the slots up to the highest; enters the kernel
            /// for memory.
            ///
            /// # Panics
            ///
            #[doc = concat!("If [`try_clone`](", stringify!($index), "::try_clone) returns an error.")]
            ///
            /// # Examples
            ///
            /// ```
            #[doc = concat!("let mut index = stayput::index::", stringify!($index), "::new();")]
            /// let _ = index.insert("ann", 0, |_| false);
            /// let before = index.clone();
            /// index.remove(0);
            /// assert_eq!((before.len(), index.len()), (1, 0));
            /// ```
            [S: Clone] $index<S>
        }

        impl<S: Default> Default for $index<S> {
            /// Creates an empty index.
            fn default() -> Self {
                Self::with_hasher(S::default())
            }
        }

        $crate::index::memory::forward_arrays!([S] $index<S>, $field);
    };
}
pub(super) use hashed_methods;
