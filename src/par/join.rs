//! Parallel joins of maps.

#![forbid(unsafe_code)]

use super::maps::Producer;
use crate::key::Key;
use crate::secondary::{Column, SecondaryMap};
use crate::slot_map::SlotMap;
use crate::slots::key_tag::Mint;
use crate::slots::walk::join::Joined;
use crate::slots::walk::{WalkMut, WalkRef};
use rayon::iter::ParallelIterator;
use rayon::iter::plumbing::{UnindexedConsumer, bridge_unindexed};

/// Defines a parallel iterator over a join.
macro_rules! iterator {
    ($(#[$doc:meta])* $name:ident, $walk:ident, $value_bound:ident => $value:ty) => {
        $(#[$doc])*
        #[must_use = "iterators are lazy"]
        pub struct $name<'a, K: Key, V, C: Column<K>> {
            walk: Joined<$walk<'a, V>, C::Look>,
            mint: Mint<K>,
        }

        impl<'a, K, V, C> ParallelIterator for $name<'a, K, V, C>
        where
            K: Key + Send,
            V: $value_bound,
            C: Column<K, Item: Send, Look: Send>,
        {
            type Item = (K, $value, C::Item);

            fn drive_unindexed<D: UnindexedConsumer<Self::Item>>(self, consumer: D) -> D::Result {
                let mint = self.mint;
                let make = move |(index, generation, (value, beside))| {
                    (mint.key(index, generation), value, beside)
                };
                bridge_unindexed(Producer { walk: self.walk, make }, consumer)
            }
        }

        debug_as!([K: Key, V, C: Column<K>] $name<'_, K, V, C>, stringify!($name));
    };
}

iterator! {
    /// A parallel iterator over the values of a map, and what a [`Column`] has for the same keys.
    ///
    /// This struct is created by [`SlotMap::par_join`] and [`SecondaryMap::par_join`]. See their documentation for
    /// more.
    ParJoin, WalkRef, Sync => &'a V
}

iterator! {
    /// A parallel iterator over mutable references to the values of a map, and what a [`Column`] has for the same keys.
    ///
    /// This struct is created by [`SlotMap::par_join_mut`] and [`SecondaryMap::par_join_mut`]. See their documentation
    /// for more.
    ParJoinMut, WalkMut, Send => &'a mut V
}

clone_fields!([K: Key, V, C: Column<K, Look: Clone>] ParJoin<'_, K, V, C>: walk, mint);

/// Implements `par_join` and `par_join_mut` for a map.
macro_rules! join {
    ($map:ident: $(#[$shared:meta])* / $(#[$mutable:meta])*) => {
        impl<K: Key, V> $map<K, V> {
            /// Returns a parallel iterator over a join; see [`join`](Self::join). Needs the feature `rayon`.
            ///
            /// # Examples
            ///
            $(#[$shared])*
            pub fn par_join<C: Column<K>>(&self, column: C) -> ParJoin<'_, K, V, C> {
                let (walk, mint) = self.join(column).into_walk();
                ParJoin { walk, mint }
            }

            /// Returns a mutable parallel iterator over a join; see [`join_mut`](Self::join_mut). Needs the feature
            /// `rayon`.
            ///
            /// # Examples
            ///
            $(#[$mutable])*
            pub fn par_join_mut<C: Column<K>>(&mut self, column: C) -> ParJoinMut<'_, K, V, C> {
                let (walk, mint) = self.join_mut(column).into_walk();
                ParJoinMut { walk, mint }
            }
        }
    };
}

join! {
    SlotMap:
    /// ```
    /// use rayon::prelude::*;
    /// use stayput::{DefaultKey, SecondaryMap, SlotMap};
    ///
    /// let map: SlotMap<DefaultKey, u64> = (0..10_000).collect();
    /// let weights: SecondaryMap<_, u64> = map.keys().take(100).map(|key| (key, 2)).collect();
    /// assert_eq!(map.par_join(&weights).map(|(_, n, weight)| n * weight).sum::<u64>(), 9900);
    /// ```
    /
    /// ```
    /// use rayon::prelude::*;
    /// use stayput::{SecondaryMap, SlotMap};
    ///
    /// let (mut names, mut ages) = (SlotMap::new(), SecondaryMap::new());
    /// let [ann, ben] = ["Ann", "Ben"].map(|name| names.insert(name.to_owned()));
    /// ages.insert(ann, 30);
    /// names.par_join_mut(&mut ages).for_each(|(_, name, age)| {
    ///     *age += 1;
    ///     name.push_str(" (aged)");
    /// });
    /// assert_eq!((names[ann].as_str(), names[ben].as_str(), ages[ann]), ("Ann (aged)", "Ben", 31));
    /// ```
}

join! {
    SecondaryMap:
    /// ```
    /// # use rayon::prelude::*;
    /// # use stayput::{DefaultKey, SecondaryMap, SlotMap};
    /// let map: SlotMap<DefaultKey, u64> = (0..1000).collect();
    /// let few: SecondaryMap<_, u64> = map.keys().step_by(10).map(|key| (key, 1)).collect();
    /// assert_eq!(few.par_join(&map).map(|(_, one, n)| one + n).sum::<u64>(), 49_600);
    /// ```
    /
    /// ```
    /// # use rayon::prelude::*;
    /// # use stayput::{DefaultKey, SecondaryMap, SlotMap};
    /// let map: SlotMap<DefaultKey, u64> = (0..1000).collect();
    /// let mut one: SecondaryMap<_, u64> = map.iter().map(|(key, n)| (key, *n)).collect();
    /// let mut other = one.clone();
    /// one.par_join_mut(&mut other).for_each(|(_, a, b)| std::mem::swap(a, b));
    /// ```
}
