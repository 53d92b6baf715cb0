//! Iterators over a dense map.

use super::{DenseSlotMap, Rows};
use crate::key::Key;
use crate::vec::{self, VmVec};
use std::iter::FusedIterator;
use std::marker::PhantomData;
use std::slice;

/// Goes over keys and values, made by [`DenseSlotMap::iter`].
pub struct Iter<'a, K: Key, V: 'a, S: Rows<Value = V> + 'a = VmVec<V>> {
    keys: slice::Iter<'a, K>,
    rows: S::Iter<'a>,
}

/// Goes over keys and values, which may be changed; made by [`DenseSlotMap::iter_mut`].
pub struct IterMut<'a, K: Key, V: 'a, S: Rows<Value = V> + 'a = VmVec<V>> {
    keys: slice::Iter<'a, K>,
    rows: S::IterMut<'a>,
}

/// Takes keys and values out.
pub struct IntoIter<K: Key, V, S: Rows<Value = V> = VmVec<V>> {
    keys: vec::IntoIter<K>,
    rows: S::IntoIter,
}

/// Goes over keys, made by [`DenseSlotMap::keys`].
pub struct Keys<'a, K: Key, V> {
    keys: slice::Iter<'a, K>,
    values: PhantomData<fn() -> V>,
}

/// Goes over values, made by [`DenseSlotMap::values`].
pub struct Values<'a, K: Key, V: 'a, S: Rows<Value = V> + 'a = VmVec<V>> {
    rows: S::Iter<'a>,
    keys: PhantomData<fn() -> K>,
}

/// Goes over values, which may be changed; made by [`DenseSlotMap::values_mut`].
pub struct ValuesMut<'a, K: Key, V: 'a, S: Rows<Value = V> + 'a = VmVec<V>> {
    rows: S::IterMut<'a>,
    keys: PhantomData<fn() -> K>,
}

/// Takes keys out, made by [`DenseSlotMap::into_keys`].
pub struct IntoKeys<K: Key, V> {
    keys: vec::IntoIter<K>,
    values: PhantomData<fn() -> V>,
}

/// Takes values out, made by [`DenseSlotMap::into_values`].
pub struct IntoValues<K: Key, V, S: Rows<Value = V> = VmVec<V>> {
    rows: S::IntoIter,
    keys: PhantomData<fn() -> K>,
}

impl<'a, K: Key, V, S: Rows<Value = V>> Iter<'a, K, V, S> {
    pub(super) fn new(keys: &'a [K], rows: S::Iter<'a>) -> Self {
        Self { keys: keys.iter(), rows }
    }
}

impl<'a, K: Key, V, S: Rows<Value = V>> IterMut<'a, K, V, S> {
    pub(super) fn new(keys: &'a [K], rows: S::IterMut<'a>) -> Self {
        Self { keys: keys.iter(), rows }
    }
}

impl<'a, K: Key, V> Keys<'a, K, V> {
    pub(super) fn new(keys: &'a [K]) -> Self {
        Self { keys: keys.iter(), values: PhantomData }
    }
}

impl<'a, K: Key, V, S: Rows<Value = V>> Values<'a, K, V, S> {
    pub(super) const fn new(rows: S::Iter<'a>) -> Self {
        Self { rows, keys: PhantomData }
    }
}

impl<'a, K: Key, V, S: Rows<Value = V>> ValuesMut<'a, K, V, S> {
    pub(super) const fn new(rows: S::IterMut<'a>) -> Self {
        Self { rows, keys: PhantomData }
    }
}

impl<K: Key, V, S: Rows<Value = V>> DenseSlotMap<K, V, S> {
    /// All keys, in the order of rows. The values are dropped at once.
    pub fn into_keys(self) -> IntoKeys<K, V> {
        let Self { keys, rows, .. } = self;
        drop(rows);
        IntoKeys { keys: keys.into_iter(), values: PhantomData }
    }

    /// All values, in the order of rows.
    pub fn into_values(self) -> IntoValues<K, V, S> {
        IntoValues { rows: self.rows.into_rows(), keys: PhantomData }
    }
}

impl<K: Key, V, S: Rows<Value = V>> IntoIterator for DenseSlotMap<K, V, S> {
    type Item = (K, V);
    type IntoIter = IntoIter<K, V, S>;

    fn into_iter(self) -> IntoIter<K, V, S> {
        let Self { keys, rows, .. } = self;
        IntoIter { keys: keys.into_iter(), rows: rows.into_rows() }
    }
}

iterate_by_ref! {
    [K: Key, V, S: Rows<Value = V>] DenseSlotMap<K, V, S>:
    (K, S::Ref<'a>) => Iter<'a, K, V, S>, (K, S::Mut<'a>) => IterMut<'a, K, V, S>
}

impl<K: Key, V, S: Rows<Value = V>> Clone for Iter<'_, K, V, S> {
    fn clone(&self) -> Self {
        Self { keys: self.keys.clone(), rows: self.rows.clone() }
    }
}

impl<K: Key, V> Clone for Keys<'_, K, V> {
    fn clone(&self) -> Self {
        Self { keys: self.keys.clone(), values: PhantomData }
    }
}

impl<K: Key, V, S: Rows<Value = V>> Clone for Values<'_, K, V, S> {
    fn clone(&self) -> Self {
        Self::new(self.rows.clone())
    }
}

impl<K: Key, V, S: Rows<Value = V>> Clone for IntoIter<K, V, S>
where
    S::IntoIter: Clone,
{
    fn clone(&self) -> Self {
        Self { keys: self.keys.clone(), rows: self.rows.clone() }
    }
}

impl<K: Key, V> Clone for IntoKeys<K, V> {
    fn clone(&self) -> Self {
        Self { keys: self.keys.clone(), values: PhantomData }
    }
}

impl<K: Key, V, S: Rows<Value = V>> Clone for IntoValues<K, V, S>
where
    S::IntoIter: Clone,
{
    fn clone(&self) -> Self {
        Self { rows: self.rows.clone(), keys: PhantomData }
    }
}

/// What all of these are: from both ends, of known length, and fused. Some are asked for keys and rows, others for
/// one of them.
macro_rules! iterator {
    (
        [$($generics:tt)*] $name:ty, $shown:literal => $item:ty, $left:ident,
        |$this:ident, $step:ident| $next:expr, |$all:ident| $each:expr
    ) => {
        impl<$($generics)*> Iterator for $name {
            type Item = $item;

            #[inline]
            fn next(&mut self) -> Option<$item> {
                let $this = self;
                macro_rules! $step { ($from:expr) => { $from.next() } }
                $next
            }

            #[inline]
            fn size_hint(&self) -> (usize, Option<usize>) {
                self.$left.size_hint()
            }

            #[inline]
            fn fold<B, F: FnMut(B, $item) -> B>(self, first: B, f: F) -> B {
                let $all = self;
                $each.fold(first, f)
            }
        }

        impl<$($generics)*> DoubleEndedIterator for $name {
            #[inline]
            fn next_back(&mut self) -> Option<$item> {
                let $this = self;
                macro_rules! $step { ($from:expr) => { $from.next_back() } }
                $next
            }
        }

        impl<$($generics)*> ExactSizeIterator for $name {}

        impl<$($generics)*> FusedIterator for $name {}

        debug_left!([$($generics)*] $name, $shown, |iter| iter.$left.len());
    };
}

iterator! {
    ['a, K: Key, V, S: Rows<Value = V>] Iter<'a, K, V, S>, "Iter" => (K, S::Ref<'a>), rows,
    |this, step| Some((*step!(this.keys)?, step!(this.rows)?)),
    |all| all.keys.copied().zip(all.rows)
}

iterator! {
    ['a, K: Key, V, S: Rows<Value = V>] IterMut<'a, K, V, S>, "IterMut" => (K, S::Mut<'a>), rows,
    |this, step| Some((*step!(this.keys)?, step!(this.rows)?)),
    |all| all.keys.copied().zip(all.rows)
}

iterator! {
    [K: Key, V, S: Rows<Value = V>] IntoIter<K, V, S>, "IntoIter" => (K, V), rows,
    |this, step| Some((step!(this.keys)?, step!(this.rows)?)),
    |all| all.keys.zip(all.rows)
}

iterator! {
    ['a, K: Key, V] Keys<'a, K, V>, "Keys" => K, keys,
    |this, step| step!(this.keys).copied(),
    |all| all.keys.copied()
}

iterator! {
    ['a, K: Key, V, S: Rows<Value = V>] Values<'a, K, V, S>, "Values" => S::Ref<'a>, rows,
    |this, step| step!(this.rows),
    |all| all.rows
}

iterator! {
    ['a, K: Key, V, S: Rows<Value = V>] ValuesMut<'a, K, V, S>, "ValuesMut" => S::Mut<'a>, rows,
    |this, step| step!(this.rows),
    |all| all.rows
}

iterator! {
    [K: Key, V] IntoKeys<K, V>, "IntoKeys" => K, keys,
    |this, step| step!(this.keys),
    |all| all.keys
}

iterator! {
    [K: Key, V, S: Rows<Value = V>] IntoValues<K, V, S>, "IntoValues" => V, rows,
    |this, step| step!(this.rows),
    |all| all.rows
}
