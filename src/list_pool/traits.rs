//! Traits of std.

#![forbid(unsafe_code)]

/// Implements traits for a pool of lists. `$new` makes an empty one.
macro_rules! lists_traits {
    ($Lists:ty, $new:expr) => {
        impl<T, K: Key> std::ops::Index<K> for $Lists {
            type Output = [T];

            /// Returns the elements of a list.
            ///
            /// # Panics
            ///
            /// If the key is stale.
            #[inline]
            #[track_caller]
            fn index(&self, key: K) -> &[T] {
                self.elements.get(&self.lists[key])
            }
        }

        impl<T, K: Key> std::ops::IndexMut<K> for $Lists {
            #[inline]
            #[track_caller]
            fn index_mut(&mut self, key: K) -> &mut [T] {
                self.elements.get_mut(&mut self.lists[key])
            }
        }

        impl<T: Clone, K: Key> $Lists {
            /// Returns a [`clone`](Self::clone) with the same keys and default options, or the error.
            ///
            /// # Errors
            ///
            /// If the system refuses memory.
            pub fn try_clone(&self) -> Result<Self, $crate::error::Error> {
                let mut clone = $new;
                clone.lists = self.lists.try_clone()?;
                for (key, elements) in self {
                    if let Some(mut list) = clone.get_mut(key) {
                        list.try_extend_from_slice(elements)?;
                    }
                }
                Ok(clone)
            }
        }

        impl<T: Clone, K: Key> Clone for $Lists {
            fn clone(&self) -> Self {
                $crate::error::unwrap_or_panic(self.try_clone())
            }
        }

        impl<T, K: Key> Default for $Lists {
            fn default() -> Self {
                $new
            }
        }

        impl<T: std::fmt::Debug, K: Key> std::fmt::Debug for $Lists {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                f.debug_map().entries(self).finish()
            }
        }

        impl<T, K: Key> Drop for $Lists {
            fn drop(&mut self) {
                self.drop_elements();
            }
        }

        impl<'p, T, K: Key> IntoIterator for &'p $Lists {
            type Item = (K, &'p [T]);
            type IntoIter = Iter<'p, K, T>;

            fn into_iter(self) -> Iter<'p, K, T> {
                self.iter()
            }
        }

        impl<'p, T, K: Key> IntoIterator for &'p mut $Lists {
            type Item = (K, &'p mut [T]);
            type IntoIter = IterMut<'p, K, T>;

            fn into_iter(self) -> IterMut<'p, K, T> {
                self.iter_mut()
            }
        }
    };
}
pub(super) use lists_traits;
