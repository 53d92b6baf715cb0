//! [`ExtractIf`]: taking out of a map the values that a predicate names.

use super::SecondaryMap;

crate::slots::walk::extract_if::extract_if! {
    /// Takes out of a [`SecondaryMap`] the values that a predicate names, made by
    /// [`SecondaryMap::extract_if`].
    ExtractIf of SecondaryMap
}
