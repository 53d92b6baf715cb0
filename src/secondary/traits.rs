//! The traits of std, for both maps where they are the same.

use super::waiting::Waiting;
use super::{IntoIter, IntoKeys, IntoValues, Iter, IterMut, SecondaryMap, or_give_up, sparse};
use crate::error::Error;
use crate::key::{Key, no_such_key};
use crate::slots::far_index::NEAR_BYTES;
use crate::slots::gapped_slots::GappedSlots;
use crate::slots::key_tag::Mint;
use crate::slots::walk::{Walk, WalkOwned};
use sparse::SparseSecondaryMap;
use std::fmt;
use std::hash::BuildHasher;
use std::mem;
use std::ops::{Index, IndexMut};

/// Traits of a map, which may have a hasher. It has `get`, `insert`, `iter` and the like.
macro_rules! traits {
    ($map:ident<K, V $(, $hasher:ident)?>, $iter:path, $iter_mut:path) => {
        impl<K: Key, V: fmt::Debug $(, $hasher)?> fmt::Debug for $map<K, V $(, $hasher)?> {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.debug_map().entries(self).finish()
            }
        }

        impl<K: Key, V $(, $hasher: BuildHasher)?> Index<K> for $map<K, V $(, $hasher)?> {
            type Output = V;

            /// # Panics
            ///
            /// If the key has no value here.
            #[inline]
            #[track_caller]
            fn index(&self, key: K) -> &V {
                match self.get(key) {
                    Some(value) => value,
                    None => no_such_key(key),
                }
            }
        }

        impl<K: Key, V $(, $hasher: BuildHasher)?> IndexMut<K> for $map<K, V $(, $hasher)?> {
            /// # Panics
            ///
            /// If the key has no value here.
            #[inline]
            #[track_caller]
            fn index_mut(&mut self, key: K) -> &mut V {
                match self.get_mut(key) {
                    Some(value) => value,
                    None => no_such_key(key),
                }
            }
        }

        impl<K: Key, V: PartialEq $(, $hasher: BuildHasher)?> PartialEq for $map<K, V $(, $hasher)?> {
            /// Whether both have the same keys, but for tags, with equal values.
            fn eq(&self, other: &Self) -> bool {
                self.len() == other.len()
                    && self.iter().all(|(key, value)| other.get(key).is_some_and(|v| value == v))
            }
        }

        impl<K: Key, V: Eq $(, $hasher: BuildHasher)?> Eq for $map<K, V $(, $hasher)?> {}

        impl<K: Key, V $(, $hasher: BuildHasher + Default)?> FromIterator<(K, V)>
            for $map<K, V $(, $hasher)?>
        {
            /// A map with these values; see [`extend`](Self::extend).
            ///
            /// # Panics
            ///
            #[doc = concat!("As for [`insert`](", stringify!($map), "::insert).")]
            #[track_caller]
            fn from_iter<I: IntoIterator<Item = (K, V)>>(items: I) -> Self {
                let mut map = Self::default();
                map.extend(items);
                map
            }
        }

        impl<K: Key, V $(, $hasher: BuildHasher)?> Extend<(K, V)> for $map<K, V $(, $hasher)?> {
            /// Puts all values in, but for those of stale keys, which are dropped.
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
            /// Puts copies of all values in, but for those of stale keys.
            ///
            /// # Panics
            ///
            #[doc = concat!("As for [`insert`](", stringify!($map), "::insert).")]
            #[track_caller]
            fn extend<I: IntoIterator<Item = (K, &'v V)>>(&mut self, items: I) {
                self.extend(items.into_iter().map(|(key, value)| (key, *value)));
            }
        }

        impl<'m, K: Key, V $(, $hasher)?> IntoIterator for &'m $map<K, V $(, $hasher)?> {
            type Item = (K, &'m V);
            type IntoIter = $iter;

            #[inline]
            fn into_iter(self) -> Self::IntoIter {
                self.iter()
            }
        }

        impl<'m, K: Key, V $(, $hasher)?> IntoIterator for &'m mut $map<K, V $(, $hasher)?> {
            type Item = (K, &'m mut V);
            type IntoIter = $iter_mut;

            #[inline]
            fn into_iter(self) -> Self::IntoIter {
                self.iter_mut()
            }
        }
    };
}

traits!(SecondaryMap<K, V>, Iter<'m, K, V>, IterMut<'m, K, V>);
traits!(SparseSecondaryMap<K, V, S>, sparse::Iter<'m, K, V>, sparse::IterMut<'m, K, V>);

impl<K: Key, V> SecondaryMap<K, V> {
    #[track_caller]
    fn put_all(&mut self, items: impl IntoIterator<Item = (K, V)>) {
        let mut waiting = Waiting::new(NEAR_BYTES);
        for (key, value) in items {
            if waiting.is_to_pass(self, key) {
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
        for (key, value) in or_give_up(pairs) {
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

impl<K: Key, V> Default for SecondaryMap<K, V> {
    /// An empty map; see [`SecondaryMap::new`].
    fn default() -> Self {
        Self::new()
    }
}

impl<K: Key, V: Clone> Clone for SecondaryMap<K, V> {
    /// A copy with the same options, the same keys, and values at other addresses. What was announced
    /// is not, in the copy; see [far indices](SecondaryMap#far-indices). Linear in the slots.
    ///
    /// # Panics
    ///
    /// Where [`try_clone`](SecondaryMap::try_clone) has an error.
    #[track_caller]
    fn clone(&self) -> Self {
        or_give_up(self.try_clone())
    }
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
        // Should the clone of a value panic, those that are there already are dropped with the map.
        let mut walk = self.walk();
        while let Some((index, generation, value)) = walk.step() {
            clone.slots.fill(index, generation, value.clone());
            clone.live += 1;
        }
        Ok(clone)
    }
}

impl<K: Key, V> IntoIterator for SecondaryMap<K, V> {
    type Item = (K, V);
    type IntoIter = IntoIter<K, V>;

    fn into_iter(self) -> IntoIter<K, V> {
        let (walk, left, mint) = self.into_walk();
        IntoIter::new(walk, left, mint)
    }
}

impl<K: Key, V> SecondaryMap<K, V> {
    /// All keys; the values are dropped one by one, with the iterator at the latest.
    pub fn into_keys(self) -> IntoKeys<K, V> {
        let (walk, left, mint) = self.into_walk();
        IntoKeys::new(walk, left, mint)
    }

    /// All values, in the order of addresses.
    pub fn into_values(self) -> IntoValues<K, V> {
        let (walk, left, mint) = self.into_walk();
        IntoValues::new(walk, left, mint)
    }

    pub(crate) fn into_walk(mut self) -> (WalkOwned<V>, usize, Mint<K>) {
        let slots = mem::replace(&mut self.slots, GappedSlots::new(Self::OPTIONS));
        (slots.into_walk(), self.live, self.mint)
    }
}
