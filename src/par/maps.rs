//! Slot maps and secondary maps in parallel: split at the words of the hole bitmap.

#![forbid(unsafe_code)]

use crate::key::Key;
use crate::secondary::SecondaryMap;
use crate::slot_map::SlotMap;
use crate::slots::key_tag::Mint;
use crate::slots::walk::iter::{only_key, only_value, pair};
use crate::slots::walk::join::{EachOnce, Joined, Look};
use crate::slots::walk::{Walk, WalkMut, WalkOwned, WalkRef, WalkTake};
use rayon::iter::plumbing::{Folder, UnindexedConsumer, UnindexedProducer, bridge_unindexed};
use rayon::iter::{IntoParallelIterator, ParallelIterator};
use std::fmt;

/// A walk that can be shared out.
pub(super) trait Split: Walk {
    fn split(self) -> (Self, Option<Self>);
}

impl<V> Split for WalkRef<'_, V> {
    fn split(self) -> (Self, Option<Self>) {
        self.split()
    }
}

impl<V> Split for WalkMut<'_, V> {
    fn split(self) -> (Self, Option<Self>) {
        self.split()
    }
}

impl<V> Split for WalkTake<'_, V> {
    fn split(self) -> (Self, Option<Self>) {
        self.split()
    }
}

impl<W: EachOnce, L: Look> Split for Joined<W, L> {
    fn split(self) -> (Self, Option<Self>) {
        self.split()
    }
}

/// Gives what is made of each slot of a part of a map.
pub(super) struct Producer<W, F> {
    pub(super) walk: W,
    pub(super) make: F,
}

impl<W: Split + Send, T, F> UnindexedProducer for Producer<W, F>
where
    F: Fn((u32, u32, W::Value)) -> T + Copy + Send,
{
    type Item = T;

    fn split(self) -> (Self, Option<Self>) {
        let make = self.make;
        let (left, right) = self.walk.split();
        (Self { walk: left, make }, right.map(|walk| Self { walk, make }))
    }

    fn fold_with<Fold: Folder<T>>(mut self, mut folder: Fold) -> Fold {
        while !folder.full() {
            let Some(slot) = self.walk.step() else { break };
            folder = folder.consume((self.make)(slot));
        }
        folder
    }
}

/// A parallel iterator over a walk. They differ only in what they make of a slot.
macro_rules! iterator {
    (
        $(#[$doc:meta])*
        $name:ident, $walk:ident, $value_bound:ident $(, $key_bound:ident)? => $item:ty: $make:expr
    ) => {
        $(#[$doc])*
        #[must_use = "iterators are lazy"]
        pub struct $name<'a, K: Key, V> {
            walk: $walk<'a, V>,
            mint: Mint<K>,
        }

        impl<'a, K: Key, V> $name<'a, K, V> {
            const fn new(walk: $walk<'a, V>, mint: Mint<K>) -> Self {
                Self { walk, mint }
            }
        }

        impl<'a, K: Key $(+ $key_bound)?, V: $value_bound> ParallelIterator for $name<'a, K, V> {
            type Item = $item;

            fn drive_unindexed<C: UnindexedConsumer<Self::Item>>(self, consumer: C) -> C::Result {
                bridge_unindexed(Producer { walk: self.walk, make: $make(self.mint) }, consumer)
            }
        }

        impl<K: Key, V> fmt::Debug for $name<'_, K, V> {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.debug_struct(stringify!($name)).finish_non_exhaustive()
            }
        }
    };
}

/// An iterator by shared reference, which can be cloned.
macro_rules! shared {
    ($name:ident) => {
        impl<K: Key, V> Clone for $name<'_, K, V> {
            fn clone(&self) -> Self {
                Self::new(self.walk.clone(), self.mint)
            }
        }
    };
}

iterator! {
    /// Keys and values of a map in parallel, made by `par_iter`.
    ParIter, WalkRef, Sync, Send => (K, &'a V):
    pair
}

iterator! {
    /// Keys and values of a map in parallel, the values to be changed, made by `par_iter_mut`.
    ParIterMut, WalkMut, Send, Send => (K, &'a mut V):
    pair
}

iterator! {
    /// Keys of a map in parallel, made by `par_keys`.
    ParKeys, WalkRef, Sync, Send => K: only_key
}

iterator! {
    /// Values of a map in parallel, made by `par_values`.
    ParValues, WalkRef, Sync => &'a V: only_value
}

iterator! {
    /// Values of a map in parallel, to be changed, made by `par_values_mut`.
    ParValuesMut, WalkMut, Send => &'a mut V: only_value
}

shared!(ParIter);
shared!(ParKeys);
shared!(ParValues);

/// Keys and values of a map in parallel, by value; made by `into_par_iter`. What nobody takes is
/// dropped.
#[must_use = "iterators are lazy"]
pub struct ParIntoIter<K: Key, V> {
    walk: WalkOwned<V>,
    mint: Mint<K>,
}

impl<K: Key + Send, V: Send> ParallelIterator for ParIntoIter<K, V> {
    type Item = (K, V);

    fn drive_unindexed<C: UnindexedConsumer<Self::Item>>(mut self, consumer: C) -> C::Result {
        let make = pair(self.mint);
        bridge_unindexed(Producer { walk: self.walk.share(), make }, consumer)
    }
}

impl<K: Key, V> fmt::Debug for ParIntoIter<K, V> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ParIntoIter").finish_non_exhaustive()
    }
}

/// A map with `walk`, `walk_mut` and `into_walk`, in parallel.
macro_rules! parallel {
    ($map:ident: $(#[$example:meta])*) => {
        impl<'a, K: Key + Send, V: Sync> IntoParallelIterator for &'a $map<K, V> {
            type Iter = ParIter<'a, K, V>;
            type Item = (K, &'a V);

            /// Keys and values in parallel, in the order of addresses. Needs the feature `rayon`.
            ///
            /// # Examples
            ///
            $(#[$example])*
            fn into_par_iter(self) -> Self::Iter {
                ParIter::new(self.walk(), self.mint())
            }
        }

        impl<'a, K: Key + Send, V: Send> IntoParallelIterator for &'a mut $map<K, V> {
            type Iter = ParIterMut<'a, K, V>;
            type Item = (K, &'a mut V);

            /// Keys and values in parallel, the values to be changed. Needs the feature `rayon`.
            fn into_par_iter(self) -> Self::Iter {
                let mint = self.mint();
                ParIterMut::new(self.walk_mut(), mint)
            }
        }

        impl<K: Key + Send, V: Send> IntoParallelIterator for $map<K, V> {
            type Iter = ParIntoIter<K, V>;
            type Item = (K, V);

            /// Keys and values by value in parallel, in the order of addresses. Needs the feature
            /// `rayon`.
            fn into_par_iter(self) -> Self::Iter {
                let (walk, _, mint) = self.into_walk();
                ParIntoIter { walk, mint }
            }
        }

        impl<K: Key + Send, V: Sync> $map<K, V> {
            /// All keys in parallel, in the order of their indices. Needs the feature `rayon`.
            pub fn par_keys(&self) -> ParKeys<'_, K, V> {
                ParKeys::new(self.walk(), self.mint())
            }
        }

        impl<K: Key, V: Sync> $map<K, V> {
            /// All values in parallel, in the order of addresses. Needs the feature `rayon`.
            pub fn par_values(&self) -> ParValues<'_, K, V> {
                ParValues::new(self.walk(), self.mint())
            }
        }

        impl<K: Key, V: Send> $map<K, V> {
            /// All values in parallel, to be changed. Needs the feature `rayon`.
            pub fn par_values_mut(&mut self) -> ParValuesMut<'_, K, V> {
                let mint = self.mint();
                ParValuesMut::new(self.walk_mut(), mint)
            }
        }
    };
}

parallel! {
    SlotMap:
    /// ```
    /// use rayon::prelude::*;
    /// use stayput::{DefaultKey, SlotMap};
    ///
    /// let mut map: SlotMap<DefaultKey, u64> = (0..10_000).collect();
    /// assert_eq!(map.par_iter().map(|(_, n)| n).sum::<u64>(), 49_995_000);
    ///
    /// map.par_values_mut().for_each(|n| *n /= 2);
    /// let small: Vec<DefaultKey> = map.par_keys().filter(|key| map[*key] < 5).collect();
    /// assert!(small.iter().eq(map.keys().take(10).collect::<Vec<_>>().iter()));
    /// ```
}

parallel! {
    SecondaryMap:
    /// ```
    /// use rayon::prelude::*;
    /// use stayput::{DefaultKey, SecondaryMap, SlotMap};
    ///
    /// let map: SlotMap<DefaultKey, u64> = (0..10_000).collect();
    /// let mut second: SecondaryMap<_, u64> = map.iter().map(|(key, n)| (key, *n)).collect();
    /// second.par_iter_mut().for_each(|(key, n)| *n += map[key]);
    /// assert_eq!(second.par_values().sum::<u64>(), 99_990_000);
    /// ```
}
