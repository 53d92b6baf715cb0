//! Search indices: what is found by what is in it.

#![forbid(unsafe_code)]

mod bucket;
mod buckets;
mod grid;
mod unique;

pub use grid::{Grid, InBox, Near, SortedGrid, SortedInBox, SortedWithin, Within};
pub use unique::UniqueIndex;

use std::hash::{BuildHasher, Hash};

/// What is kept of a hash.
#[inline]
fn hash32<Q: Hash + ?Sized>(hasher: &impl BuildHasher, value: &Q) -> u32 {
    let hash = hasher.hash_one(value);
    // Hashers may have their best bits at either end.
    let [a, b, c, d, e, f, g, h] = hash.to_le_bytes();
    u32::from_le_bytes([a, b, c, d]) ^ u32::from_le_bytes([e, f, g, h])
}
