//! [`Drain`]: removes all values of a map.

use super::SecondaryMap;

crate::slots::walk::drain::drain! {
    /// A draining iterator over the key–value pairs of a [`SecondaryMap`]; created by [`SecondaryMap::drain`].
    Drain<'a, K, V> of &'a mut SecondaryMap<K, V>
}
