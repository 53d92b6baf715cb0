//! Taking all values out of a map.

use super::SlotMap;

/// The iterator that takes all values out of a map, from both ends. The map has `candidates`, the
/// indices to visit but for `hole_words`, `take_at` for each of them, and `len`.
///
/// Keys are made last: a key type of the user's may panic, and is not asked when nobody wants
/// them.
macro_rules! drain {
    ($(#[$doc:meta])* $name:ident of $map:ident) => {
        $(#[$doc])*
        pub struct $name<'a, K: $crate::Key, V> {
            map: &'a mut $map<K, V>,
            cursor: $crate::slot_map::cursor::Cursor,
        }

        impl<'a, K: $crate::Key, V> $name<'a, K, V> {
            pub(super) fn new(map: &'a mut $map<K, V>) -> Self {
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

drain! {
    /// Takes all values out of a [`SlotMap`], made by [`SlotMap::drain`].
    Drain of SlotMap
}
