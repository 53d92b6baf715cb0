//! [`Drain`]: removes all values of a map.

use super::SecondaryMap;

crate::slots::walk::drain::drain! {
    /// A draining iterator over the key–value pairs of a [`SecondaryMap`].
    ///
    /// This struct is created by [`SecondaryMap::drain`]. See its documentation for more.
    Drain<'a, K, V> of &'a mut SecondaryMap<K, V>
}
