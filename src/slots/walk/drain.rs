//! Taking all values out of a map.

#![forbid(unsafe_code)]

/// Defines an iterator that takes all values out of a map, from both ends. `$map` is a mutable reference
/// to the map, or a guard that dereferences to it. The map has `candidates`, the indices to visit except those
/// in `hole_words`, `take_at` for each of them, and `len`.
///
/// Each access goes through `$map`. An iterator with a reference of its own beside a guard would break the
/// aliasing rules when it is dropped in a function that takes it by value: references in arguments are
/// protected until the function returns, and the guard's drop makes another one to the same map.
///
/// Keys are made last: the user's key type may panic, and is not asked for keys of values that are dropped.
macro_rules! drain {
    ($(#[$doc:meta])* $name:ident<$lifetime:lifetime, K, V> of $map:ty) => {
        $(#[$doc])*
        pub struct $name<$lifetime, K: $crate::Key, V> {
            map: $map,
            cursor: $crate::slots::cursor::Cursor,
        }

        impl<$lifetime, K: $crate::Key, V> $name<$lifetime, K, V> {
            pub(super) fn new(map: $map) -> Self {
                let cursor = map.candidates();
                Self { map, cursor }
            }
        }

        impl<K: $crate::Key, V> Iterator for $name<'_, K, V> {
            type Item = (K, V);

            #[inline]
            fn next(&mut self) -> Option<(K, V)> {
                loop {
                    let index = self.cursor.next(self.map.hole_words())?;
                    if let Some((generation, value)) = self.map.take_at(index) {
                        return Some((self.map.mint().key(index, generation), value));
                    }
                }
            }

            fn size_hint(&self) -> (usize, Option<usize>) {
                (self.map.len(), Some(self.map.len()))
            }
        }

        impl<K: $crate::Key, V> DoubleEndedIterator for $name<'_, K, V> {
            #[inline]
            fn next_back(&mut self) -> Option<(K, V)> {
                loop {
                    let index = self.cursor.next_back(self.map.hole_words())?;
                    if let Some((generation, value)) = self.map.take_at(index) {
                        return Some((self.map.mint().key(index, generation), value));
                    }
                }
            }
        }

        impl<K: $crate::Key, V> ExactSizeIterator for $name<'_, K, V> {}

        impl<K: $crate::Key, V> std::iter::FusedIterator for $name<'_, K, V> {}

        impl<K: $crate::Key, V> Drop for $name<'_, K, V> {
            fn drop(&mut self) {
                /// Goes on where the drop of a value panicked.
                struct Rest<'d, 'a, K: $crate::Key, V>(&'d mut $name<'a, K, V>);

                impl<K: $crate::Key, V> Rest<'_, '_, K, V> {
                    fn drop_all(&mut self) {
                        let $name { map, cursor } = &mut *self.0;
                        while let Some(index) = cursor.next(map.hole_words()) {
                            drop(map.take_at(index));
                        }
                    }
                }

                impl<K: $crate::Key, V> Drop for Rest<'_, '_, K, V> {
                    fn drop(&mut self) {
                        self.drop_all();
                    }
                }

                Rest(self).drop_all();
            }
        }

        impl<K: $crate::Key, V> std::fmt::Debug for $name<'_, K, V> {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                f.debug_struct("Drain").field("left", &self.map.len()).finish_non_exhaustive()
            }
        }
    };
}

pub(crate) use drain;
