//! [`ExtractIf`]: removes the values that a predicate selects.

use super::SecondaryMap;

crate::slots::walk::extract_if::extract_if! {
    /// An iterator that removes the values of a [`SecondaryMap`] for which a predicate returns `true`, and returns them
    /// with their keys.
    ///
    /// This struct is created by [`SecondaryMap::extract_if`]. See its documentation for more.
    ExtractIf of SecondaryMap
}
