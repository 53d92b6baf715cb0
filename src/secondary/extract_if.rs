//! [`ExtractIf`]: removes the values that a predicate selects.

use super::SecondaryMap;

crate::slots::walk::extract_if::extract_if! {
    /// An iterator that removes the values of a [`SecondaryMap`] for which a predicate returns `true`, and returns them
    /// with their keys; created by [`SecondaryMap::extract_if`].
    ExtractIf of SecondaryMap
}
