//! Taking out of a map the values that a predicate names.

#![forbid(unsafe_code)]

/// The call that makes the iterator, and that. The map has `slots`, `candidates`, the indices to visit
/// but for `hole_words`, `take_at` for each of them, and `len`.
///
/// The predicate, and the key type, are a user's: they are asked while the map is whole.
macro_rules! extract_if {
    ($(#[$doc:meta])* $name:ident of $map:ident) => {
        $(#[$doc])*
        ///
        /// What it has not come to when it is dropped, or forgotten, stays in the map.
        #[must_use = "iterators are lazy and do nothing unless consumed"]
        pub struct $name<'m, K: $crate::Key, V, F> {
            map: &'m mut $map<K, V>,
            cursor: $crate::slots::cursor::Cursor,
            /// How many values it has not come to.
            left: usize,
            predicate: F,
        }

        impl<'m, K: $crate::Key, V, F: FnMut(K, &mut V) -> bool> $name<'m, K, V, F> {
            pub(super) fn new(map: &'m mut $map<K, V>, predicate: F) -> Self {
                let (cursor, left) = (map.candidates(), map.len());
                Self { map, cursor, left, predicate }
            }
        }

        impl<K: $crate::Key, V, F: FnMut(K, &mut V) -> bool> Iterator for $name<'_, K, V, F> {
            type Item = (K, V);

            fn next(&mut self) -> Option<(K, V)> {
                loop {
                    let index = self.cursor.next(self.map.hole_words())?;
                    let state = self.map.slots.state(index);
                    let Some(generation) = state.live_generation() else { continue };
                    let key = self.map.mint().key(index, generation);
                    let Some(value) = self.map.slots.get_mut(index, generation) else { continue };
                    self.left = self.left.saturating_sub(1);
                    if (self.predicate)(key, value) {
                        return self.map.take_at(index).map(|(_, value)| (key, value));
                    }
                }
            }

            fn size_hint(&self) -> (usize, Option<usize>) {
                (0, Some(self.left))
            }
        }

        impl<K: $crate::Key, V, F: FnMut(K, &mut V) -> bool> std::iter::FusedIterator
            for $name<'_, K, V, F>
        {
        }

        impl<K: $crate::Key, V, F> std::fmt::Debug for $name<'_, K, V, F> {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                f.debug_struct("ExtractIf").field("left", &self.left).finish_non_exhaustive()
            }
        }
    };
}

pub(crate) use extract_if;
