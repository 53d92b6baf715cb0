//! [`Drain`]: taking all values out of a map.

use super::SecondaryMap;

crate::slots::walk::drain::drain! {
    /// Takes all values out of a [`SecondaryMap`], made by [`SecondaryMap::drain`].
    Drain<'a, K, V> of &'a mut SecondaryMap<K, V>
}
