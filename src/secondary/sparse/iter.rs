//! Iterators over what is in a sparse map, in no order.

use super::{Parts, Slot, SparseSecondaryMap};
use crate::key::Key;
use crate::slots::key_tag::Mint;
use crate::slots::walk::iter::{only_key, only_value, pair};
use hashbrown::hash_table;
use std::iter::FusedIterator;
use std::mem;

/// Values on their way out of a table, which are dropped with it even if the drop of one panics. (An iterator of
/// `hashbrown` leaks the rest then.)
pub(super) struct Rest<I: Iterator>(pub(super) I);

impl<I: Iterator> Drop for Rest<I> {
    fn drop(&mut self) {
        /// Goes on if `for_each` panics.
        struct GoOn<'r, I: Iterator>(&'r mut I);

        impl<I: Iterator> Drop for GoOn<'_, I> {
            fn drop(&mut self) {
                self.0.by_ref().for_each(drop);
            }
        }

        if mem::needs_drop::<I::Item>() {
            let rest = GoOn(&mut self.0);
            rest.0.for_each(drop);
        }
    }
}

impl<I: Iterator> Iterator for Rest<I> {
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

impl<I: ExactSizeIterator> ExactSizeIterator for Rest<I> {}

/// The traits of an iterator over slots, which differ only in what they make of one.
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

/// An iterator by shared reference, which can be cloned.
macro_rules! shared {
    ($name:ident) => {
        impl<K: Key, V> Clone for $name<'_, K, V> {
            fn clone(&self) -> Self {
                Self::new(self.slots.clone(), self.mint)
            }
        }
    };
}

iterator! {
    /// Keys and values of a map, made by [`SparseSecondaryMap::iter`].
    Iter<'a, K, V>, hash_table::Iter<'a, Slot<V>> => (K, &'a V): pair
}

iterator! {
    /// Keys and values of a map, the values to be changed, made by
    /// [`SparseSecondaryMap::iter_mut`].
    IterMut<'a, K, V>, hash_table::IterMut<'a, Slot<V>> => (K, &'a mut V): pair
}

iterator! {
    /// Keys of a map, made by [`SparseSecondaryMap::keys`].
    Keys<'a, K, V>, hash_table::Iter<'a, Slot<V>> => K: only_key
}

iterator! {
    /// Values of a map, made by [`SparseSecondaryMap::values`].
    Values<'a, K, V>, hash_table::Iter<'a, Slot<V>> => &'a V: only_value
}

iterator! {
    /// Values of a map, to be changed, made by [`SparseSecondaryMap::values_mut`].
    ValuesMut<'a, K, V>, hash_table::IterMut<'a, Slot<V>> => &'a mut V: only_value
}

iterator! {
    /// Keys and values out of a map, made by `into_iter`.
    IntoIter<K, V>, Rest<hash_table::IntoIter<Slot<V>>> => (K, V): pair
}

iterator! {
    /// Keys out of a map, made by [`SparseSecondaryMap::into_keys`].
    IntoKeys<K, V>, Rest<hash_table::IntoIter<Slot<V>>> => K: only_key
}

iterator! {
    /// Values out of a map, made by [`SparseSecondaryMap::into_values`].
    IntoValues<K, V>, Rest<hash_table::IntoIter<Slot<V>>> => V: only_value
}

iterator! {
    /// Takes all values out of a map, made by [`SparseSecondaryMap::drain`].
    Drain<'a, K, V>, Rest<hash_table::Drain<'a, Slot<V>>> => (K, V): pair
}

shared!(Iter);
shared!(Keys);
shared!(Values);

impl<K: Key, V, S> IntoIterator for SparseSecondaryMap<K, V, S> {
    type Item = (K, V);
    type IntoIter = IntoIter<K, V>;

    fn into_iter(self) -> IntoIter<K, V> {
        let (rest, mint) = self.into_rest();
        IntoIter::new(rest, mint)
    }
}

impl<K: Key, V, S> Drop for SparseSecondaryMap<K, V, S> {
    fn drop(&mut self) {
        self.clear();
    }
}

impl<K: Key, V, S> SparseSecondaryMap<K, V, S> {
    fn into_rest(mut self) -> (Rest<hash_table::IntoIter<Slot<V>>>, Mint<K>) {
        (Rest(mem::take(&mut self.table).into_iter()), self.mint)
    }

    /// All keys; the values are dropped one by one, with the iterator at the latest.
    pub fn into_keys(self) -> IntoKeys<K, V> {
        let (rest, mint) = self.into_rest();
        IntoKeys::new(rest, mint)
    }

    /// All values, in no order.
    pub fn into_values(self) -> IntoValues<K, V> {
        let (rest, mint) = self.into_rest();
        IntoValues::new(rest, mint)
    }
}
