//! Iterators over the keys and values of a map, made of a walk and a mint of keys.

#![forbid(unsafe_code)]

use super::{Walk, WalkMut, WalkOwned, WalkRef};
use crate::error::unwrap_or_panic;
use crate::key::Key;
use crate::slots::key_tag::Mint;

/// Returns what makes the key and value of an item.
#[inline]
pub(crate) fn pair<K: Key, V>(mint: Mint<K>) -> impl Fn((u32, u32, V)) -> (K, V) + Copy + Send {
    move |(index, generation, value)| (mint.key(index, generation), value)
}

/// Returns what makes the key of an item.
#[inline]
pub(crate) fn only_key<K: Key, V>(mint: Mint<K>) -> impl Fn((u32, u32, V)) -> K + Copy + Send {
    move |(index, generation, _)| mint.key(index, generation)
}

/// Returns what makes the value of an item.
#[inline]
pub(crate) fn only_value<K: Key, V>(_: Mint<K>) -> impl Fn((u32, u32, V)) -> V + Copy + Send {
    |(_, _, value)| value
}

/// Defines an iterator over a walk, by what it makes of an item and a mint of keys.
macro_rules! iterator {
    (
        $(#[$doc:meta])*
        $name:ident<$($lifetime:lifetime,)? K, V>, $walk:ty => $item:ty: $make:expr
    ) => {
        $(#[$doc])*
        #[must_use = "iterators are lazy"]
        pub struct $name<$($lifetime,)? K: Key, V> {
            walk: $walk,
            left: usize,
            mint: Mint<K>,
        }

        impl<$($lifetime,)? K: Key, V> $name<$($lifetime,)? K, V> {
            /// `left` is how many values the walk visits.
            #[inline]
            pub(crate) fn new(walk: $walk, left: usize, mint: Mint<K>) -> Self {
                Self { walk, left, mint }
            }
        }

        exact_iterator! {
            [$($lifetime,)? K: Key, V] $name<$($lifetime,)? K, V> => $item:
            |iter| iter.left,
            {
                let item = iter.walk.step()?;
                iter.left = iter.left.wrapping_sub(1);
                Some($make(iter.mint)(item))
            },
            {
                let item = iter.walk.step_back()?;
                iter.left = iter.left.wrapping_sub(1);
                Some($make(iter.mint)(item))
            },
            {
                #[inline]
                fn fold<B, F: FnMut(B, $item) -> B>(self, init: B, mut add: F) -> B {
                    let make = $make(self.mint);
                    self.walk.fold(init, |sum, item| add(sum, make(item)))
                }
            }
        }

        debug_left!([$($lifetime,)? K: Key, V] $name<$($lifetime,)? K, V>, stringify!($name), |iter| iter.left);
    };
}

iterator! {
    /// An iterator over the key–value pairs of a map; created by `iter`.
    Iter<'a, K, V>, WalkRef<'a, V> => (K, &'a V):
    pair
}

iterator! {
    /// An iterator over the key–value pairs of a map, with mutable references to the values; created by `iter_mut`.
    IterMut<'a, K, V>, WalkMut<'a, V> => (K, &'a mut V):
    pair
}

iterator! {
    /// An iterator over the keys of a map; created by `keys`.
    Keys<'a, K, V>, WalkRef<'a, V> => K:
    only_key
}

iterator! {
    /// An iterator over the values of a map; created by `values`.
    Values<'a, K, V>, WalkRef<'a, V> => &'a V: only_value
}

iterator! {
    /// An iterator over mutable references to the values of a map; created by `values_mut`.
    ValuesMut<'a, K, V>, WalkMut<'a, V> => &'a mut V: only_value
}

iterator! {
    /// An iterator that moves the key–value pairs out of a map; created by `into_iter`.
    IntoIter<K, V>, WalkOwned<V> => (K, V):
    pair
}

iterator! {
    /// An iterator over the keys of a map, which drops the values; created by `into_keys`.
    IntoKeys<K, V>, WalkOwned<V> => K: only_key
}

iterator! {
    /// An iterator that moves the values out of a map; created by `into_values`.
    IntoValues<K, V>, WalkOwned<V> => V: only_value
}

impl<K: Key, V: Clone> Clone for IntoIter<K, V> {
    /// Returns an iterator over copies of the remaining items, at other addresses. O(n) in the slots.
    ///
    /// # Panics
    ///
    /// If the system refuses addresses or memory.
    #[track_caller]
    fn clone(&self) -> Self {
        Self::new(unwrap_or_panic(self.walk.try_clone()), self.left, self.mint)
    }
}

clone_fields!([K: Key, V] Iter<'_, K, V>: walk, left, mint);

clone_fields!([K: Key, V] Keys<'_, K, V>: walk, left, mint);

clone_fields!([K: Key, V] Values<'_, K, V>: walk, left, mint);
