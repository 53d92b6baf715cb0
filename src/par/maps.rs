//! Parallel iterators over slot maps and secondary maps, split at the words of the hole bitmap.

#![forbid(unsafe_code)]

use crate::key::Key;
use crate::secondary::SecondaryMap;
use crate::slot_map::SlotMap;
use crate::slots::key_tag::Mint;
use crate::slots::walk::iter::{only_key, only_value, pair};
use crate::slots::walk::join::EachOnce;
use crate::slots::walk::{Walk, WalkMut, WalkOwned, WalkRef};
use rayon::iter::plumbing::{Folder, UnindexedConsumer, UnindexedProducer, bridge_unindexed};
use rayon::iter::{IntoParallelIterator, ParallelIterator};

/// Yields what `make` makes of each slot in a part of a map.
pub(super) struct Producer<W, F> {
    pub(super) walk: W,
    pub(super) make: F,
}

impl<W: EachOnce + Send, T, F> UnindexedProducer for Producer<W, F>
where
    F: Fn((u32, u32, W::Value)) -> T + Copy + Send,
{
    type Item = T;

    fn split(self) -> (Self, Option<Self>) {
        let make = self.make;
        let (left, right) = self.walk.split();
        (Self { walk: left, make }, right.map(|walk| Self { walk, make }))
    }

    fn fold_with<Fold: Folder<T>>(self, folder: Fold) -> Fold {
        folder.consume_iter(self)
    }
}

impl<W: Walk, T, F: Fn((u32, u32, W::Value)) -> T> Iterator for Producer<W, F> {
    type Item = T;

    #[inline]
    fn next(&mut self) -> Option<T> {
        self.walk.step().map(&self.make)
    }

    #[inline]
    fn fold<B, A: FnMut(B, T) -> B>(self, init: B, mut add: A) -> B {
        self.walk.fold(init, |sum, slot| add(sum, (self.make)(slot)))
    }
}

/// Drives a consumer with what `make` makes of each slot of a walk.
fn drive<W: EachOnce + Send, T, C: UnindexedConsumer<T>>(
    walk: W,
    make: impl Fn((u32, u32, W::Value)) -> T + Copy + Send,
    consumer: C,
) -> C::Result {
    bridge_unindexed(Producer { walk, make }, consumer)
}

/// Drives a consumer as [`drive`] does, with values that are moved out. Values not consumed are dropped.
fn drive_owned<V: Send, T, C: UnindexedConsumer<T>>(
    mut walk: WalkOwned<V>,
    make: impl Fn((u32, u32, V)) -> T + Copy + Send,
    consumer: C,
) -> C::Result {
    drive(walk.share(), make, consumer)
}

/// Defines a parallel iterator over the slots of a map. `$make` makes an item of a slot, and `$drive` walks the slots.
macro_rules! iterator {
    (
        $(#[$doc:meta])*
        $name:ident<$($lifetime:lifetime,)? K $(: $key_bound:ident)?, V: $value_bound:ident>,
        $slots:ty, $drive:ident => $item:ty: $make:expr
    ) => {
        $(#[$doc])*
        #[must_use = "iterators are lazy"]
        pub struct $name<$($lifetime,)? K: Key, V> {
            slots: $slots,
            mint: Mint<K>,
        }

        impl<$($lifetime,)? K: Key $(+ $key_bound)?, V: $value_bound> ParallelIterator
            for $name<$($lifetime,)? K, V>
        {
            type Item = $item;

            fn drive_unindexed<C: UnindexedConsumer<Self::Item>>(self, consumer: C) -> C::Result {
                $drive(self.slots, $make(self.mint), consumer)
            }
        }

        debug_as!([$($lifetime,)? K: Key, V] $name<$($lifetime,)? K, V>, stringify!($name));
    };
    // An iterator by shared reference, which is `Clone`.
    (Clone: $(#[$doc:meta])* $name:ident $($rest:tt)*) => {
        $crate::par::maps::iterator! { $(#[$doc])* $name $($rest)* }

        clone_fields!([K: Key, V] $name<'_, K, V>: slots, mint);
    };
}
pub(super) use iterator;

/// Defines the parallel iterators of a kind of map by the types of its slots and the functions that walk them. `$page`
/// is a map whose methods create them, and `$new` is code of examples that makes one of the numbers from 0 to 999.
macro_rules! iterators {
    (
        $map:literal, $page:ident, $new:literal,
        $shared:ty, $mutable:ty, $drive:ident, $owned:ty, $drive_owned:ident
    ) => {
        $crate::par::maps::iterator! {
            Clone:
            #[doc = concat!("A parallel iterator over the key–value pairs of ", $map, ".")]
            ///
            /// This struct is created by
            #[doc = concat!("[`par_iter`](crate::", stringify!($page), "::into_par_iter).")]
            /// See its documentation for more.
            ParIter<'a, K: Send, V: Sync>, $shared, $drive => (K, &'a V): pair
        }

        $crate::par::maps::iterator! {
            #[doc = concat!("A mutable parallel iterator over the key–value pairs of ", $map, ".")]
            ///
            /// This struct is created by `par_iter_mut`.
            ///
            /// # Examples
            ///
            /// ```
            /// use rayon::prelude::*;
            #[doc = concat!("use stayput::{DefaultKey, ", stringify!($page), "};")]
            ///
            #[doc = concat!("let mut map: ", stringify!($page), "<DefaultKey, u32> = ", $new, ";")]
            /// map.par_iter_mut().for_each(|(_, n)| *n += 1);
            /// assert_eq!(map.values().sum::<u32>(), 500_500);
            /// ```
            ParIterMut<'a, K: Send, V: Send>, $mutable, $drive => (K, &'a mut V): pair
        }

        $crate::par::maps::iterator! {
            Clone:
            #[doc = concat!("A parallel iterator over the keys of ", $map, ".")]
            ///
            /// This struct is created by
            #[doc = concat!("[`par_keys`](crate::", stringify!($page), "::par_keys).")]
            /// See its documentation for more.
            ParKeys<'a, K: Send, V: Sync>, $shared, $drive => K: only_key
        }

        $crate::par::maps::iterator! {
            Clone:
            #[doc = concat!("A parallel iterator over the values of ", $map, ".")]
            ///
            /// This struct is created by
            #[doc = concat!("[`par_values`](crate::", stringify!($page), "::par_values).")]
            /// See its documentation for more.
            ParValues<'a, K, V: Sync>, $shared, $drive => &'a V: only_value
        }

        $crate::par::maps::iterator! {
            #[doc = concat!("A mutable parallel iterator over the values of ", $map, ".")]
            ///
            /// This struct is created by
            #[doc = concat!("[`par_values_mut`](crate::", stringify!($page), "::par_values_mut).")]
            /// See its documentation for more.
            ParValuesMut<'a, K, V: Send>, $mutable, $drive => &'a mut V: only_value
        }

        $crate::par::maps::iterator! {
            #[doc = concat!("A parallel iterator that moves keys and values out of ", $map, ".")]
            ///
            /// This struct is created by `into_par_iter`. Values that are not consumed are dropped.
            ///
            /// # Examples
            ///
            /// ```
            /// use rayon::prelude::*;
            #[doc = concat!("use stayput::{DefaultKey, ", stringify!($page), "};")]
            ///
            #[doc = concat!("let map: ", stringify!($page), "<DefaultKey, u32> = ", $new, ";")]
            /// let odd: Vec<u32> =
            ///     map.into_par_iter().map(|(_, n)| n).filter(|n| n % 2 == 1).collect();
            /// assert_eq!(odd.len(), 500);
            /// ```
            ParIntoIter<K: Send, V: Send>, $owned, $drive_owned => (K, V): pair
        }
    };
}
pub(super) use iterators;

iterators!(
    "a map",
    SlotMap,
    "(0..1000).collect()",
    WalkRef<'a, V>,
    WalkMut<'a, V>,
    drive,
    WalkOwned<V>,
    drive_owned
);

/// Implements parallel iteration for a map by the walks over its slots: shared, mutable, and by value. `$new` is code
/// of examples that makes a map `map` of the numbers from 0 to 999.
macro_rules! parallel {
    (
        $map:ident<K, V $(, $hasher:ident)?>, $order:literal,
        |$this:ident| $shared:expr, $mutable:expr, $owned:expr,
        $new:literal,
        $(#[$example:meta])*
    ) => {
        impl<'a, K: Key + Send, V: Sync $(, $hasher)?> IntoParallelIterator
            for &'a $map<K, V $(, $hasher)?>
        {
            type Iter = ParIter<'a, K, V>;
            type Item = (K, &'a V);

            #[doc = concat!("Returns a parallel iterator over the key–value pairs, ", $order, ".")]
            /// Needs the feature `rayon`.
            ///
            /// # Examples
            ///
            $(#[$example])*
            fn into_par_iter(self) -> Self::Iter {
                let (mint, $this) = (self.mint(), self);
                ParIter { slots: $shared, mint }
            }
        }

        impl<'a, K: Key + Send, V: Send $(, $hasher)?> IntoParallelIterator
            for &'a mut $map<K, V $(, $hasher)?>
        {
            type Iter = ParIterMut<'a, K, V>;
            type Item = (K, &'a mut V);

            /// Returns a mutable parallel iterator over the key–value pairs. Needs the feature `rayon`.
            fn into_par_iter(self) -> Self::Iter {
                let (mint, $this) = (self.mint(), self);
                ParIterMut { slots: $mutable, mint }
            }
        }

        impl<K: Key + Send, V: Send $(, $hasher)?> IntoParallelIterator
            for $map<K, V $(, $hasher)?>
        {
            type Iter = ParIntoIter<K, V>;
            type Item = (K, V);

            #[doc = concat!("Returns a parallel iterator that moves keys and values out, ", $order, ".")]
            /// Needs the feature `rayon`.
            fn into_par_iter(self) -> Self::Iter {
                let (mint, $this) = (self.mint(), self);
                ParIntoIter { slots: $owned, mint }
            }
        }

        impl<K: Key + Send, V: Sync $(, $hasher)?> $map<K, V $(, $hasher)?> {
            #[doc = concat!("Returns a parallel iterator over the keys, ", $order, ". Needs the feature `rayon`.")]
            ///
            /// # Examples
            ///
            /// ```
            /// use rayon::prelude::*;
            #[doc = concat!("use stayput::{DefaultKey, ", stringify!($map), "};")]
            ///
            #[doc = concat!("let map: ", stringify!($map), "<DefaultKey, u32> = ", $new, ";")]
            /// assert_eq!(map.par_keys().filter(|key| map[*key] < 10).count(), 10);
            /// ```
            pub fn par_keys(&self) -> ParKeys<'_, K, V> {
                let (mint, $this) = (self.mint(), self);
                ParKeys { slots: $shared, mint }
            }
        }

        impl<K: Key, V: Sync $(, $hasher)?> $map<K, V $(, $hasher)?> {
            #[doc = concat!("Returns a parallel iterator over the values, ", $order, ". Needs the feature `rayon`.")]
            ///
            /// # Examples
            ///
            /// ```
            /// use rayon::prelude::*;
            #[doc = concat!("use stayput::{DefaultKey, ", stringify!($map), "};")]
            ///
            #[doc = concat!("let map: ", stringify!($map), "<DefaultKey, u32> = ", $new, ";")]
            /// assert_eq!(map.par_values().sum::<u32>(), 499_500);
            /// ```
            pub fn par_values(&self) -> ParValues<'_, K, V> {
                let (mint, $this) = (self.mint(), self);
                ParValues { slots: $shared, mint }
            }
        }

        impl<K: Key, V: Send $(, $hasher)?> $map<K, V $(, $hasher)?> {
            /// Returns a mutable parallel iterator over the values. Needs the feature `rayon`.
            ///
            /// # Examples
            ///
            /// ```
            /// use rayon::prelude::*;
            #[doc = concat!("use stayput::{DefaultKey, ", stringify!($map), "};")]
            ///
            #[doc = concat!("let mut map: ", stringify!($map), "<DefaultKey, u32> = ", $new, ";")]
            /// map.par_values_mut().for_each(|n| *n += 1);
            /// assert_eq!(map.values().sum::<u32>(), 500_500);
            /// ```
            pub fn par_values_mut(&mut self) -> ParValuesMut<'_, K, V> {
                let (mint, $this) = (self.mint(), self);
                ParValuesMut { slots: $mutable, mint }
            }
        }
    };
}
pub(super) use parallel;

parallel! {
    SlotMap<K, V>, "in the order of addresses",
    |map| map.walk(), map.walk_mut(), map.into_walk().0,
    "(0..1000).collect()",
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
    SecondaryMap<K, V>, "in the order of addresses",
    |map| map.walk(), map.walk_mut(), map.into_walk().0,
    "\n    stayput::SlotMap::from_iter(0..1000).into_iter().collect()",
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
