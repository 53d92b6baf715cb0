//! Implementations of std's traits, for both maps if they are alike.

use super::deferred::DeferredPairs;
use super::{IntoIter, IntoKeys, IntoValues, Iter, IterMut, SecondaryMap, sparse, unwrap_or_panic};
use crate::container::into_walk_methods;
use crate::error::Error;
use crate::key::Key;
use crate::slots::far_index::NEAR_BYTES;
use crate::slots::gapped_slots::GappedSlots;
use crate::slots::key_tag::Mint;
use crate::slots::walk::{Walk, WalkOwned};
use sparse::SparseSecondaryMap;
use std::fmt;
use std::hash::BuildHasher;
use std::mem;

/// Implements the traits of a map, which may have a hasher. It must have `get`, `insert`, `iter` and similar methods.
macro_rules! traits {
    ($map:ident<K, V $(, $hasher:ident)?>, $iter:ty, $iter_mut:ty) => {
        debug_items!([K: Key, V: fmt::Debug $(, $hasher)?] $map<K, V $(, $hasher)?>, debug_map, |map| map);

        index_by_key!([K: Key, V $(, $hasher: BuildHasher)?] $map<K, V $(, $hasher)?> => mut V);

        iterate_by_ref! {
            [K: Key, V $(, $hasher)?] $map<K, V $(, $hasher)?>:
            (K, &'a V) => $iter, (K, &'a mut V) => $iter_mut
        }

        impl<K: Key, V: PartialEq $(, $hasher: BuildHasher)?> PartialEq for $map<K, V $(, $hasher)?> {
            /// Returns `true` if both maps have the same keys, ignoring tags, with equal values.
            fn eq(&self, other: &Self) -> bool {
                self.len() == other.len()
                    && self.iter().all(|(key, value)| other.get(key).is_some_and(|v| value == v))
            }
        }

        impl<K: Key, V: Eq $(, $hasher: BuildHasher)?> Eq for $map<K, V $(, $hasher)?> {}

        collect_by_extend! {
            /// Creates a map of these values; see [`extend`](Self::extend).
            ///
            /// # Panics
            ///
            #[doc = concat!("As for [`insert`](", stringify!($map), "::insert).")]
            [K: Key, V $(, $hasher: BuildHasher + Default)?] $map<K, V $(, $hasher)?>: (K, V)
        }

        impl<K: Key, V $(, $hasher: BuildHasher)?> Extend<(K, V)> for $map<K, V $(, $hasher)?> {
            /// Inserts all values, except those of stale keys, which are dropped.
            ///
            /// # Panics
            ///
            #[doc = concat!("As for [`insert`](", stringify!($map), "::insert).")]
            #[track_caller]
            fn extend<I: IntoIterator<Item = (K, V)>>(&mut self, items: I) {
                self.put_all(items);
            }
        }

        impl<'v, K: Key, V: Copy $(, $hasher: BuildHasher)?> Extend<(K, &'v V)>
            for $map<K, V $(, $hasher)?>
        {
            /// Inserts copies of all values, except those of stale keys.
            ///
            /// # Panics
            ///
            #[doc = concat!("As for [`insert`](", stringify!($map), "::insert).")]
            #[track_caller]
            fn extend<I: IntoIterator<Item = (K, &'v V)>>(&mut self, items: I) {
                self.extend(items.into_iter().map(|(key, value)| (key, *value)));
            }
        }
    };
}

traits!(SecondaryMap<K, V>, Iter<'a, K, V>, IterMut<'a, K, V>);
traits!(SparseSecondaryMap<K, V, S>, sparse::Iter<'a, K, V>, sparse::IterMut<'a, K, V>);

impl<K: Key, V> SecondaryMap<K, V> {
    #[track_caller]
    fn put_all(&mut self, items: impl IntoIterator<Item = (K, V)>) {
        let mut waiting = DeferredPairs::new(NEAR_BYTES);
        for (key, value) in items {
            if waiting.must_insert_now(self, key) {
                drop(self.insert(key, value));
            } else {
                let pairs = waiting.wait(self, key, value);
                self.put_pairs(pairs);
            }
        }
        let pairs = waiting.finish(self);
        self.put_pairs(pairs);
    }

    #[cold]
    #[inline(never)]
    #[track_caller]
    fn put_pairs(&mut self, pairs: Result<Vec<(K, V)>, Error>) {
        for (key, value) in unwrap_or_panic(pairs) {
            drop(self.insert(key, value));
        }
    }
}

impl<K: Key, V, S: BuildHasher> SparseSecondaryMap<K, V, S> {
    #[track_caller]
    fn put_all(&mut self, items: impl IntoIterator<Item = (K, V)>) {
        for (key, value) in items {
            drop(self.insert(key, value));
        }
    }
}

default_by!([K: Key, V] SecondaryMap<K, V>, new);

clone_by_try! {
    /// Returns a copy with the same options and keys. Values have other addresses, and indices that were announced for
    /// the original are not announced for the copy; see [far indices](SecondaryMap#far-indices). O(n) in the slots.
    ///
    /// # Panics
    ///
    /// If [`try_clone`](SecondaryMap::try_clone) returns an error.
    ///
    /// # Examples
    ///
    /// ```
    /// # use stayput::{SecondaryMap, SlotMap};
    /// let mut players = SlotMap::new();
    /// let ann = players.insert("Ann");
    /// let mut health = SecondaryMap::from_iter([(ann, 100)]);
    /// let before = health.clone();
    /// health[ann] -= 30;
    /// assert_eq!((before[ann], health[ann]), (100, 70));
    /// ```
    [K: Key, V: Clone] SecondaryMap<K, V>
}

impl<K: Key, V: Clone> SecondaryMap<K, V> {
    /// [`clone`](Self::clone), or the error.
    ///
    /// # Errors
    ///
    /// If the system refuses addresses or memory.
    pub fn try_clone(&self) -> Result<Self, Error> {
        let mut clone = Self::with_slots(GappedSlots::try_new(self.slots.options(), 0)?);
        clone.mint = self.mint;
        clone.slots.try_reserve_exact(self.slots.len())?;
        clone.slots.extend_vacant(self.slots.len())?;
        // If cloning a value panics, the map drops the values that were cloned before.
        let mut walk = self.walk();
        while let Some((index, generation, value)) = walk.step() {
            clone.slots.fill(index, generation, value.clone());
            clone.live += 1;
        }
        Ok(clone)
    }
}

into_walk_methods!(SecondaryMap);

impl<K: Key, V> SecondaryMap<K, V> {
    pub(crate) fn into_walk(mut self) -> (WalkOwned<V>, usize, Mint<K>) {
        let slots = mem::replace(&mut self.slots, GappedSlots::new(Self::OPTIONS));
        (slots.into_walk(), self.live, self.mint)
    }
}
