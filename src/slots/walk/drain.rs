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
            cursor: $crate::slots::cursor::Cursor,
        }

        impl<$lifetime, K: $crate::Key, V> $name<$lifetime, K, V> {
            pub(super) fn new(map: $map) -> Self {
                let cursor = map.candidates();
                Self { map, cursor }
            }

            #[inline]
            fn take_next(
                &mut self,
                next: impl Fn(&mut $crate::slots::cursor::Cursor, $crate::slots::cursor::HoleBits<'_>) -> Option<u32>,
            ) -> Option<(K, V)> {
                loop {
                    let index = next(&mut self.cursor, self.map.hole_words())?;
                    if let Some((generation, value)) = self.map.take_at(index) {
                        return Some((self.map.mint().key(index, generation), value));
                    }
                }
            }
        }

        exact_iterator! {
            [$lifetime, K: $crate::Key, V] $name<$lifetime, K, V> => (K, V):
            |drain| drain.map.len(),
            drain.take_next($crate::slots::cursor::Cursor::next),
            drain.take_next($crate::slots::cursor::Cursor::next_back)
        }

        impl<K: $crate::Key, V> Drop for $name<'_, K, V> {
            fn drop(&mut self) {
                let Self { map, cursor } = self;
                $crate::slots::array::until_done(|| {
                    let Some(index) = cursor.next(map.hole_words()) else { return false };
                    drop(map.take_at(index));
                    true
                });
            }
        }

        debug_left!([K: $crate::Key, V] $name<'_, K, V>, "Drain", |drain| drain.map.len());
    };
}

pub(crate) use drain;
