//! Maps in parallel, by `rayon`: split at the words of the hole bitmap.

#![forbid(unsafe_code)]

use crate::key::Key;
use crate::secondary::SecondaryMap;
use crate::slot_map::SlotMap;
use crate::slot_map::iter::{Walk, WalkMut, WalkRef, key_of};
use rayon::iter::plumbing::{Folder, UnindexedConsumer, UnindexedProducer, bridge_unindexed};
use rayon::iter::{IntoParallelIterator, ParallelIterator};
use std::fmt;
use std::marker::PhantomData;

/// A walk that can be shared out.
trait Split: Walk {
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

/// Gives keys and values of a part of a map.
struct Producer<K, W> {
    walk: W,
    key: PhantomData<fn() -> K>,
}

impl<K: Key, W: Split + Send> UnindexedProducer for Producer<K, W> {
    type Item = (K, W::Value);

    fn split(self) -> (Self, Option<Self>) {
        let (left, right) = self.walk.split();
        let part = |walk| Self { walk, key: PhantomData };
        (part(left), right.map(part))
    }

    fn fold_with<F: Folder<Self::Item>>(mut self, mut folder: F) -> F {
        while !folder.full() {
            let Some((index, generation, value)) = self.walk.step() else { break };
            folder = folder.consume((key_of(index, generation), value));
        }
        folder
    }
}

/// Keys and values of a map in parallel, made by `par_iter`.
pub struct ParIter<'a, K: Key, V> {
    walk: WalkRef<'a, V>,
    key: PhantomData<fn() -> K>,
}

/// Keys and values of a map in parallel, the values to be changed, made by `par_iter_mut`.
pub struct ParIterMut<'a, K: Key, V> {
    walk: WalkMut<'a, V>,
    key: PhantomData<fn() -> K>,
}

impl<'a, K: Key + Send, V: Sync> ParallelIterator for ParIter<'a, K, V> {
    type Item = (K, &'a V);

    fn drive_unindexed<C: UnindexedConsumer<Self::Item>>(self, consumer: C) -> C::Result {
        bridge_unindexed(Producer { walk: self.walk, key: PhantomData }, consumer)
    }
}

impl<'a, K: Key + Send, V: Send> ParallelIterator for ParIterMut<'a, K, V> {
    type Item = (K, &'a mut V);

    fn drive_unindexed<C: UnindexedConsumer<Self::Item>>(self, consumer: C) -> C::Result {
        bridge_unindexed(Producer { walk: self.walk, key: PhantomData }, consumer)
    }
}

/// A map with `walk` and `walk_mut`, in parallel.
macro_rules! parallel {
    ($map:ident: $(#[$example:meta])*) => {
        impl<'a, K: Key + Send, V: Sync> IntoParallelIterator for &'a $map<K, V> {
            type Iter = ParIter<'a, K, V>;
            type Item = (K, &'a V);

            /// Keys and values in parallel. Needs the feature `rayon`.
            ///
            /// # Examples
            ///
            $(#[$example])*
            fn into_par_iter(self) -> Self::Iter {
                ParIter { walk: self.walk(), key: PhantomData }
            }
        }

        impl<'a, K: Key + Send, V: Send> IntoParallelIterator for &'a mut $map<K, V> {
            type Iter = ParIterMut<'a, K, V>;
            type Item = (K, &'a mut V);

            /// Keys and values in parallel, the values to be changed. Needs the feature `rayon`.
            fn into_par_iter(self) -> Self::Iter {
                ParIterMut { walk: self.walk_mut(), key: PhantomData }
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
    /// let map: SlotMap<DefaultKey, u64> = (0..10_000).collect();
    /// assert_eq!(map.par_iter().map(|(_, n)| n).sum::<u64>(), 49_995_000);
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
    /// assert_eq!(second.par_iter().map(|(_, n)| n).sum::<u64>(), 99_990_000);
    /// ```
}

impl<K: Key, V> fmt::Debug for ParIter<'_, K, V> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ParIter").finish_non_exhaustive()
    }
}

impl<K: Key, V> fmt::Debug for ParIterMut<'_, K, V> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ParIterMut").finish_non_exhaustive()
    }
}

impl<K: Key, V> Clone for ParIter<'_, K, V> {
    fn clone(&self) -> Self {
        Self { walk: self.walk.clone(), key: PhantomData }
    }
}
