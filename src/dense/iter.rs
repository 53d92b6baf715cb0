//! Iterators over a dense map.

use super::{DenseSlotMap, Rows};
use crate::key::Key;
use crate::vec::{self, VmVec};
use std::marker::PhantomData;
use std::slice;

/// An iterator over the key–value pairs of a [`DenseSlotMap`].
///
/// This struct is created by [`DenseSlotMap::iter`]. See its documentation for more.
pub struct Iter<'a, K: Key, V: 'a, S: Rows<Value = V> + 'a = VmVec<V>> {
    pub(super) keys: slice::Iter<'a, K>,
    pub(super) rows: S::Iter<'a>,
}

/// A mutable iterator over the key–value pairs of a [`DenseSlotMap`].
///
/// This struct is created by [`DenseSlotMap::iter_mut`]. See its documentation for more.
pub struct IterMut<'a, K: Key, V: 'a, S: Rows<Value = V> + 'a = VmVec<V>> {
    pub(super) keys: slice::Iter<'a, K>,
    pub(super) rows: S::IterMut<'a>,
}

/// An iterator that moves keys and values out of a [`DenseSlotMap`].
///
/// This struct is created by the `into_iter` method of [`DenseSlotMap`], provided by [`IntoIterator`].
///
/// # Examples
///
/// ```
/// # use stayput::DenseSlotMap;
/// let mut map = DenseSlotMap::new();
/// let [a, b] = ["x", "y"].map(|value| map.insert(value));
/// assert!(map.into_iter().eq([(a, "x"), (b, "y")]));
/// ```
pub struct IntoIter<K: Key, V, S: Rows<Value = V> = VmVec<V>> {
    keys: vec::IntoIter<K>,
    rows: S::IntoIter,
}

/// An iterator over the keys of a [`DenseSlotMap`].
///
/// This struct is created by [`DenseSlotMap::keys`]. See its documentation for more.
pub struct Keys<'a, K: Key, V> {
    pub(super) keys: slice::Iter<'a, K>,
    pub(super) values: PhantomData<fn() -> V>,
}

/// An iterator over the values of a [`DenseSlotMap`].
///
/// This struct is created by [`DenseSlotMap::values`]. See its documentation for more.
pub struct Values<'a, K: Key, V: 'a, S: Rows<Value = V> + 'a = VmVec<V>> {
    pub(super) rows: S::Iter<'a>,
    pub(super) keys: PhantomData<fn() -> K>,
}

/// A mutable iterator over the values of a [`DenseSlotMap`].
///
/// This struct is created by [`DenseSlotMap::values_mut`]. See its documentation for more.
pub struct ValuesMut<'a, K: Key, V: 'a, S: Rows<Value = V> + 'a = VmVec<V>> {
    pub(super) rows: S::IterMut<'a>,
    pub(super) keys: PhantomData<fn() -> K>,
}

/// An iterator that moves the keys out of a [`DenseSlotMap`].
///
/// This struct is created by [`DenseSlotMap::into_keys`]. See its documentation for more.
pub struct IntoKeys<K: Key, V> {
    keys: vec::IntoIter<K>,
    values: PhantomData<fn() -> V>,
}

/// An iterator that moves the values out of a [`DenseSlotMap`].
///
/// This struct is created by [`DenseSlotMap::into_values`]. See its documentation for more.
pub struct IntoValues<K: Key, V, S: Rows<Value = V> = VmVec<V>> {
    rows: S::IntoIter,
    keys: PhantomData<fn() -> K>,
}

impl<K: Key, V, S: Rows<Value = V>> DenseSlotMap<K, V, S> {
    /// Converts the map into an iterator over its keys, in row order. The values are dropped immediately.
    ///
    /// # Examples
    ///
    /// ```
    /// # use stayput::DenseSlotMap;
    /// let mut map = DenseSlotMap::new();
    /// let [a, b] = ["x", "y"].map(|value| map.insert(value));
    /// assert!(map.into_keys().eq([a, b]));
    /// ```
    pub fn into_keys(self) -> IntoKeys<K, V> {
        let Self { keys, rows, .. } = self;
        drop(rows);
        IntoKeys { keys: keys.into_iter(), values: PhantomData }
    }

    /// Converts the map into an iterator over its values, in row order.
    ///
    /// # Examples
    ///
    /// ```
    /// # use stayput::DenseSlotMap;
    /// let mut map = DenseSlotMap::new();
    /// map.extend(["x", "y"]);
    /// assert!(map.into_values().eq(["x", "y"]));
    /// ```
    pub fn into_values(self) -> IntoValues<K, V, S> {
        IntoValues { rows: self.rows.into_rows(), keys: PhantomData }
    }
}

iterate_by_value! {
    [K: Key, V, S: Rows<Value = V>] DenseSlotMap<K, V, S>: (K, V) => IntoIter<K, V, S>, |map|
    IntoIter { keys: map.keys.into_iter(), rows: map.rows.into_rows() }
}

iterate_by_ref! {
    [K: Key, V, S: Rows<Value = V>] DenseSlotMap<K, V, S>:
    (K, S::Ref<'a>) => Iter<'a, K, V, S>, (K, S::Mut<'a>) => IterMut<'a, K, V, S>
}

clone_fields!([K: Key, V, S: Rows<Value = V>] Iter<'_, K, V, S>: keys, rows);

clone_fields!([K: Key, V] Keys<'_, K, V>: keys, values);

clone_fields!([K: Key, V, S: Rows<Value = V>] Values<'_, K, V, S>: rows, keys);

clone_fields!([K: Key, V, S: Rows<Value = V, IntoIter: Clone>] IntoIter<K, V, S>: keys, rows);

clone_fields!([K: Key, V] IntoKeys<K, V>: keys, values);

clone_fields!([K: Key, V, S: Rows<Value = V, IntoIter: Clone>] IntoValues<K, V, S>: rows, keys);

/// Defines an iterator as double-ended, exact-size and fused. `$step` steps through the keys, the rows, or both.
macro_rules! iterator {
    (
        [$($generics:tt)*] $name:ty, $shown:literal => $item:ty, $left:ident,
        |$this:ident, $step:ident| $next:expr, |$all:ident| $each:expr
    ) => {
        exact_iterator! {
            [$($generics)*] $name => $item:
            |iter| iter.$left.len(),
            {
                let $this = iter;
                macro_rules! $step { ($from:expr) => { $from.next() } }
                $next
            },
            {
                let $this = iter;
                macro_rules! $step { ($from:expr) => { $from.next_back() } }
                $next
            },
            {
                #[inline]
                fn fold<B, F: FnMut(B, $item) -> B>(self, first: B, f: F) -> B {
                    let $all = self;
                    $each.fold(first, f)
                }
            }
        }

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
