//! Removing the values of a map for which a predicate returns `true`.

#![forbid(unsafe_code)]

/// Defines the iterator. The map has `slots`, `candidates`, the indices to visit except those in `hole_words`,
/// `take_at` for each of them, and `len`.
///
/// The predicate and the key type are user code, which runs while the map is consistent.
macro_rules! extract_if {
    ($(#[$doc:meta])* $name:ident of $map:ident) => {
        $(#[$doc])*
        ///
        /// Values that it has not reached when it is dropped or leaked stay in the map.
        #[must_use = "iterators are lazy and do nothing unless consumed"]
        pub struct $name<'m, K: $crate::Key, V, F> {
            map: &'m mut $map<K, V>,
            cursor: $crate::slots::cursor::Cursor,
            /// An upper bound of the values that it has not reached.
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

        debug_left! {
            [K: $crate::Key, V, F] $name<'_, K, V, F>, "ExtractIf", |extracted| extracted.left
        }
    };
}

pub(crate) use extract_if;
