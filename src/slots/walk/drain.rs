//! Removing all values of a map.

#![forbid(unsafe_code)]

/// Defines an iterator that removes all values of a map, from both ends. `$map` is a mutable reference to the map, or a
/// guard that dereferences to it. The map has `candidates`, the indices to visit except those in `hole_words`,
/// `take_at` for each of them, and `len`.
///
/// Each access goes through `$map`. If the iterator had a reference of its own next to a guard, dropping it in a
/// function that takes it by value would violate the aliasing rules: references in arguments are protected until the
/// function returns, and the guard's drop makes another one to the same map.
///
/// Keys are made last: the user's key type may panic, and is not asked for keys of values that are dropped.
macro_rules! drain {
    ($(#[$doc:meta])* $name:ident<$lifetime:lifetime, K, V> of $map:ty) => {
        $(#[$doc])*
        pub struct $name<$lifetime, K: $crate::Key, V> {
            map: $map,
            /// What is left of the word at the front.
            front: $crate::slots::cursor::Word,
            cursor: $crate::slots::cursor::Cursor,
        }

        impl<$lifetime, K: $crate::Key, V> $name<$lifetime, K, V> {
            pub(super) fn new(map: $map) -> Self {
                let cursor = map.candidates();
                Self { map, front: $crate::slots::cursor::Word::NONE, cursor }
            }

            #[inline]
            fn next_index(&mut self) -> Option<u32> {
                loop {
                    if let Some(index) = self.front.pop_front() {
                        return Some($crate::slots::cursor::low_half(index));
                    }
                    self.front = self.next_word()?;
                }
            }

            #[cold]
            #[inline(never)]
            fn next_word(&mut self) -> Option<$crate::slots::cursor::Word> {
                self.cursor.next_word(self.map.hole_words())
            }

            #[inline]
            fn next_index_back(&mut self) -> Option<u32> {
                self.cursor
                    .next_back(self.map.hole_words())
                    .or_else(|| self.front.pop_back().map($crate::slots::cursor::low_half))
            }

            // Otherwise it returns values through memory.
            #[inline(always)]
            fn take_next(
                &mut self,
                next: impl Fn(&mut Self) -> Option<u32>,
            ) -> Option<(K, V)> {
                loop {
                    let index = next(self)?;
                    if let Some((generation, value)) = self.map.take_at(index) {
                        return Some((self.map.mint().key(index, generation), value));
                    }
                }
            }
        }

        exact_iterator! {
            [$lifetime, K: $crate::Key, V] $name<$lifetime, K, V> => (K, V):
            |drain| drain.map.len(),
            drain.take_next(Self::next_index),
            drain.take_next(Self::next_index_back)
        }

        impl<K: $crate::Key, V> Drop for $name<'_, K, V> {
            fn drop(&mut self) {
                $crate::slots::array::until_done(|| {
                    let Some(index) = self.next_index() else { return false };
                    drop(self.map.take_at(index));
                    true
                });
            }
        }

        debug_left!([K: $crate::Key, V] $name<'_, K, V>, "Drain", |drain| drain.map.len());
    };
}

pub(crate) use drain;
