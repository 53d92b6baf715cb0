//! Iterators over a sparse map, in arbitrary order.

use super::{Parts, SparseSecondaryMap, SparseSlot};
use crate::key::Key;
use crate::slots::array::until_done;
use crate::slots::key_tag::Mint;
use crate::slots::walk::iter::{only_key, only_value, pair};
use hashbrown::hash_table;
use std::iter::FusedIterator;
use std::mem;

/// Values that are being moved out of a table. The rest are dropped with this even if dropping one of them panics; an
/// iterator of `hashbrown` leaks them then.
pub(super) struct DropGuard<I: Iterator>(pub(super) I);

impl<I: Iterator> Drop for DropGuard<I> {
    fn drop(&mut self) {
        if mem::needs_drop::<I::Item>() {
            until_done(|| self.0.next().map(drop).is_some());
        }
    }
}

impl<I: Iterator> Iterator for DropGuard<I> {
    type Item = I::Item;

    #[inline]
    fn next(&mut self) -> Option<I::Item> {
        self.0.next()
    }

    #[inline]
    fn size_hint(&self) -> (usize, Option<usize>) {
        self.0.size_hint()
    }
}

impl<I: ExactSizeIterator> ExactSizeIterator for DropGuard<I> {}

/// Defines an iterator over slots, by what it makes of one.
macro_rules! iterator {
    (
        $(#[$doc:meta])*
        $name:ident<$($lifetime:lifetime,)? K, V>, $slots:ty => $item:ty: $make:expr
    ) => {
        $(#[$doc])*
        #[must_use = "iterators are lazy"]
        pub struct $name<$($lifetime,)? K: Key, V> {
            slots: $slots,
            mint: Mint<K>,
        }

        impl<$($lifetime,)? K: Key, V> $name<$($lifetime,)? K, V> {
            #[inline]
            pub(super) fn new(slots: $slots, mint: Mint<K>) -> Self {
                Self { slots, mint }
            }
        }

        impl<$($lifetime,)? K: Key, V> Iterator for $name<$($lifetime,)? K, V> {
            type Item = $item;

            #[inline]
            fn next(&mut self) -> Option<Self::Item> {
                self.slots.next().map(|slot| $make(self.mint)(slot.parts()))
            }

            #[inline]
            fn size_hint(&self) -> (usize, Option<usize>) {
                self.slots.size_hint()
            }

            #[inline]
            fn fold<B, F: FnMut(B, Self::Item) -> B>(self, init: B, mut add: F) -> B {
                let make = $make(self.mint);
                self.slots.fold(init, |sum, slot| add(sum, make(slot.parts())))
            }
        }

        impl<$($lifetime,)? K: Key, V> ExactSizeIterator for $name<$($lifetime,)? K, V> {}

        impl<$($lifetime,)? K: Key, V> FusedIterator for $name<$($lifetime,)? K, V> {}

        debug_left!([$($lifetime,)? K: Key, V] $name<$($lifetime,)? K, V>, stringify!($name), |iter| iter.slots.len());
    };
}

iterator! {
    /// An iterator over the key–value pairs of a map.
    ///
    /// This struct is created by [`SparseSecondaryMap::iter`]. See its documentation for more.
    Iter<'a, K, V>, hash_table::Iter<'a, SparseSlot<V>> => (K, &'a V): pair
}

iterator! {
    /// An iterator over the key–value pairs of a map, with mutable references to the values.
    ///
    /// This struct is created by [`SparseSecondaryMap::iter_mut`]. See its documentation for more.
    IterMut<'a, K, V>, hash_table::IterMut<'a, SparseSlot<V>> => (K, &'a mut V): pair
}

iterator! {
    /// An iterator over the keys of a map.
    ///
    /// This struct is created by [`SparseSecondaryMap::keys`]. See its documentation for more.
    Keys<'a, K, V>, hash_table::Iter<'a, SparseSlot<V>> => K: only_key
}

iterator! {
    /// An iterator over the values of a map.
    ///
    /// This struct is created by [`SparseSecondaryMap::values`]. See its documentation for more.
    Values<'a, K, V>, hash_table::Iter<'a, SparseSlot<V>> => &'a V: only_value
}

iterator! {
    /// An iterator over mutable references to the values of a map.
    ///
    /// This struct is created by [`SparseSecondaryMap::values_mut`]. See its documentation for more.
    ValuesMut<'a, K, V>, hash_table::IterMut<'a, SparseSlot<V>> => &'a mut V: only_value
}

iterator! {
    /// An iterator that moves the key–value pairs out of a map.
    ///
    /// This struct is created by the `into_iter` method of [`SparseSecondaryMap`], provided by [`IntoIterator`].
    ///
    /// # Examples
    ///
    /// ```
    /// # use stayput::{SlotMap, SparseSecondaryMap};
    /// let mut map = SlotMap::new();
    /// let key = map.insert("foo");
    /// let mut second = SparseSecondaryMap::new();
    /// second.insert(key, "bar");
    /// assert!(second.into_iter().eq([(key, "bar")]));
    /// ```
    IntoIter<K, V>, DropGuard<hash_table::IntoIter<SparseSlot<V>>> => (K, V): pair
}

iterator! {
    /// An iterator over the keys of a map, which drops the values.
    ///
    /// This struct is created by [`SparseSecondaryMap::into_keys`]. See its documentation for more.
    IntoKeys<K, V>, DropGuard<hash_table::IntoIter<SparseSlot<V>>> => K: only_key
}

iterator! {
    /// An iterator that moves the values out of a map.
    ///
    /// This struct is created by [`SparseSecondaryMap::into_values`]. See its documentation for more.
    IntoValues<K, V>, DropGuard<hash_table::IntoIter<SparseSlot<V>>> => V: only_value
}

iterator! {
    /// An iterator that removes all values of a map.
    ///
    /// This struct is created by [`SparseSecondaryMap::drain`]. See its documentation for more.
    Drain<'a, K, V>, DropGuard<hash_table::Drain<'a, SparseSlot<V>>> => (K, V): pair
}

clone_fields!([K: Key, V] Iter<'_, K, V>: slots, mint);
clone_fields!([K: Key, V] Keys<'_, K, V>: slots, mint);
clone_fields!([K: Key, V] Values<'_, K, V>: slots, mint);

iterate_by_value! {
    [K: Key, V, S] SparseSecondaryMap<K, V, S>: (K, V) => IntoIter<K, V>, |map|
    {
        let (rest, mint) = map.into_rest();
        IntoIter::new(rest, mint)
    }
}

impl<K: Key, V, S> Drop for SparseSecondaryMap<K, V, S> {
    fn drop(&mut self) {
        self.clear();
    }
}

impl<K: Key, V, S> SparseSecondaryMap<K, V, S> {
    fn into_rest(mut self) -> (DropGuard<hash_table::IntoIter<SparseSlot<V>>>, Mint<K>) {
        (DropGuard(mem::take(&mut self.table).into_iter()), self.mint)
    }

    /// Converts the map into an iterator over its keys. Each value is dropped when its key is returned, or with the
    /// iterator.
    ///
    /// # Examples
    ///
    /// ```
    /// # use stayput::{DefaultKey, SlotMap, SparseSecondaryMap};
    /// let map: SlotMap<DefaultKey, u32> = (0..3).collect();
    /// let second: SparseSecondaryMap<_, u32> = map.iter().map(|(key, n)| (key, n * 10)).collect();
    /// let mut keys: Vec<DefaultKey> = second.into_keys().collect();
    /// keys.sort();
    /// assert!(map.keys().eq(keys));
    /// ```
    pub fn into_keys(self) -> IntoKeys<K, V> {
        let (rest, mint) = self.into_rest();
        IntoKeys::new(rest, mint)
    }

    /// Converts the map into an iterator over its values, in arbitrary order.
    ///
    /// # Examples
    ///
    /// ```
    /// # use stayput::{DefaultKey, SlotMap, SparseSecondaryMap};
    /// let map: SlotMap<DefaultKey, u32> = (0..3).collect();
    /// let second: SparseSecondaryMap<_, u32> = map.iter().map(|(key, n)| (key, n * 10)).collect();
    /// assert_eq!(second.into_values().sum::<u32>(), 30);
    /// ```
    pub fn into_values(self) -> IntoValues<K, V> {
        let (rest, mint) = self.into_rest();
        IntoValues::new(rest, mint)
    }
}
