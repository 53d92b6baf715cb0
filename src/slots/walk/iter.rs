//! Iterators over the keys and values of a map, made of a walk and of what makes the keys.

#![forbid(unsafe_code)]

use super::{Walk, WalkMut, WalkOwned, WalkRef};
use crate::error::or_give_up;
use crate::key::Key;
use crate::slots::key_tag::Mint;
use std::fmt;
use std::iter::FusedIterator;

/// A walk of which is known how many values it will give.
#[derive(Clone)]
struct Counted<W> {
    walk: W,
    left: usize,
}

impl<W: Walk> Counted<W> {
    #[inline]
    fn next(&mut self) -> Option<(u32, u32, W::Value)> {
        let item = self.walk.step()?;
        self.left = self.left.wrapping_sub(1);
        Some(item)
    }

    #[inline]
    fn next_back(&mut self) -> Option<(u32, u32, W::Value)> {
        let item = self.walk.step_back()?;
        self.left = self.left.wrapping_sub(1);
        Some(item)
    }
}

/// Makes key and value of an item.
#[inline]
pub(crate) fn pair<K: Key, V>(mint: Mint<K>) -> impl Fn((u32, u32, V)) -> (K, V) + Copy + Send {
    move |(index, generation, value)| (mint.key(index, generation), value)
}

/// Makes the key of an item.
#[inline]
pub(crate) fn only_key<K: Key, V>(mint: Mint<K>) -> impl Fn((u32, u32, V)) -> K + Copy + Send {
    move |(index, generation, _)| mint.key(index, generation)
}

/// Makes the value of an item.
#[inline]
pub(crate) fn only_value<K: Key, V>(_: Mint<K>) -> impl Fn((u32, u32, V)) -> V + Copy + Send {
    |(_, _, value)| value
}

/// The traits of an iterator over a walk, which differ only in what they make of an item, and of a mint of
/// keys.
macro_rules! iterator {
    (
        $(#[$doc:meta])*
        $name:ident<$($lifetime:lifetime,)? K, V>, $walk:ty => $item:ty: $make:expr
    ) => {
        $(#[$doc])*
        #[must_use = "iterators are lazy"]
        pub struct $name<$($lifetime,)? K: Key, V> {
            items: Counted<$walk>,
            mint: Mint<K>,
        }

        impl<$($lifetime,)? K: Key, V> $name<$($lifetime,)? K, V> {
            /// `left` is how many values the walk will give.
            #[inline]
            pub(crate) fn new(walk: $walk, left: usize, mint: Mint<K>) -> Self {
                Self { items: Counted { walk, left }, mint }
            }
        }

        impl<$($lifetime,)? K: Key, V> Iterator for $name<$($lifetime,)? K, V> {
            type Item = $item;

            #[inline]
            fn next(&mut self) -> Option<Self::Item> {
                self.items.next().map($make(self.mint))
            }

            #[inline]
            fn size_hint(&self) -> (usize, Option<usize>) {
                (self.items.left, Some(self.items.left))
            }

            #[inline]
            fn fold<B, F: FnMut(B, Self::Item) -> B>(self, init: B, mut add: F) -> B {
                let make = $make(self.mint);
                self.items.walk.fold(init, |sum, item| add(sum, make(item)))
            }
        }

        impl<$($lifetime,)? K: Key, V> DoubleEndedIterator for $name<$($lifetime,)? K, V> {
            #[inline]
            fn next_back(&mut self) -> Option<Self::Item> {
                self.items.next_back().map($make(self.mint))
            }
        }

        impl<$($lifetime,)? K: Key, V> ExactSizeIterator for $name<$($lifetime,)? K, V> {}

        impl<$($lifetime,)? K: Key, V> FusedIterator for $name<$($lifetime,)? K, V> {}

        impl<$($lifetime,)? K: Key, V> fmt::Debug for $name<$($lifetime,)? K, V> {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.debug_struct(stringify!($name))
                    .field("left", &self.items.left)
                    .finish_non_exhaustive()
            }
        }
    };
}

iterator! {
    /// Keys and values of a map, made by `iter`.
    Iter<'a, K, V>, WalkRef<'a, V> => (K, &'a V):
    pair
}

iterator! {
    /// Keys and values of a map, the values to be changed, made by `iter_mut`.
    IterMut<'a, K, V>, WalkMut<'a, V> => (K, &'a mut V):
    pair
}

iterator! {
    /// Keys of a map, made by `keys`.
    Keys<'a, K, V>, WalkRef<'a, V> => K:
    only_key
}

iterator! {
    /// Values of a map, made by `values`.
    Values<'a, K, V>, WalkRef<'a, V> => &'a V: only_value
}

iterator! {
    /// Values of a map, to be changed, made by `values_mut`.
    ValuesMut<'a, K, V>, WalkMut<'a, V> => &'a mut V: only_value
}

iterator! {
    /// Keys and values out of a map, made by `into_iter`.
    IntoIter<K, V>, WalkOwned<V> => (K, V):
    pair
}

iterator! {
    /// Keys out of a map, made by `into_keys`.
    IntoKeys<K, V>, WalkOwned<V> => K: only_key
}

iterator! {
    /// Values out of a map, made by `into_values`.
    IntoValues<K, V>, WalkOwned<V> => V: only_value
}

impl<K: Key, V: Clone> Clone for IntoIter<K, V> {
    /// An iterator over copies of what is left, at other addresses. Linear in the slots.
    ///
    /// # Panics
    ///
    /// If the system refuses addresses or memory.
    #[track_caller]
    fn clone(&self) -> Self {
        let Counted { walk, left } = &self.items;
        Self::new(or_give_up(walk.try_clone()), *left, self.mint)
    }
}

impl<K: Key, V> Clone for Iter<'_, K, V> {
    fn clone(&self) -> Self {
        Self { items: self.items.clone(), mint: self.mint }
    }
}

impl<K: Key, V> Clone for Keys<'_, K, V> {
    fn clone(&self) -> Self {
        Self { items: self.items.clone(), mint: self.mint }
    }
}

impl<K: Key, V> Clone for Values<'_, K, V> {
    fn clone(&self) -> Self {
        Self { items: self.items.clone(), mint: self.mint }
    }
}
