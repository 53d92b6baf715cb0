//! The methods that all indices by hashes have in common: [`UniqueIndex`](super::UniqueIndex),
//! [`SetIndex`](super::SetIndex) and [`ListIndex`](super::ListIndex).

#![forbid(unsafe_code)]

/// Defines the methods of an index with a `hasher` by its other field and the type of that.
macro_rules! hashed_methods {
    ($index:ident, $field:ident: $slots:ident) => {
        impl $index {
            /// Creates an empty index, with a hasher that has a seed of its own. Takes no memory until the first slot.
            #[must_use]
            pub fn new() -> Self {
                Self::with_hasher(RandomState::new())
            }
        }

        impl<S> $index<S> {
            /// Creates an empty index with that hasher. Takes no memory until the first slot.
            #[must_use]
            pub const fn with_hasher(hasher: S) -> Self {
                Self { $field: $slots::new(), hasher }
            }

            /// Returns the number of slots. O(1).
            #[inline]
            pub const fn len(&self) -> usize {
                self.$field.len()
            }

            /// Returns whether the index is empty. O(1).
            #[inline]
            pub const fn is_empty(&self) -> bool {
                self.len() == 0
            }

            /// Returns whether a slot is in the index, whatever its value. O(1).
            #[inline]
            pub fn contains(&self, slot: u32) -> bool {
                self.$field.contains(slot)
            }

            /// Removes a slot, whatever value it has now, and returns whether it was in the index.
            ///
            /// O(1) if hashes are well distributed; neither hashes nor compares values. May enter the kernel; if the
            /// system refuses memory, the slot is removed all the same.
            pub fn remove(&mut self, slot: u32) -> bool {
                self.$field.remove(slot)
            }

            /// Removes all slots. Memory stays committed. Linear in the buckets of the hash table.
            pub fn clear(&mut self) {
                self.$field.clear();
            }

            $crate::index::memory::memory_methods!();
        }

        impl<S: Clone> $index<S> {
            /// [`clone`](Self::clone), or the error. Runs no user code but the `Clone` of the hasher.
            ///
            /// # Errors
            ///
            /// As for [`try_reserve`](Self::try_reserve).
            pub fn try_clone(&self) -> Result<Self, Error> {
                let hasher = self.hasher.clone();
                Ok(Self { $field: self.$field.try_clone()?, hasher })
            }
        }

        impl<S: Clone> Clone for $index<S> {
            /// Copies the index, with the same options and hashes. Linear in the slots up to the highest; enters the kernel
            /// for the memory.
            ///
            /// # Panics
            ///
            #[doc = concat!("Where [`try_clone`](", stringify!($index), "::try_clone) has an error.")]
            #[track_caller]
            fn clone(&self) -> Self {
                $crate::error::or_give_up(self.try_clone())
            }
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
