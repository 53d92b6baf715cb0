//! Search indices: what is found by what is in it.

mod bucket;
mod buckets;
pub mod grid;
pub mod list;
pub(crate) mod memory;
mod plan;
pub mod set;
mod tags;
#[cfg(test)]
mod tests;
mod unique;

#[doc(inline)]
pub use grid::{Grid, SortedGrid};
#[doc(inline)]
pub use list::ListIndex;
pub use memory::IndexStats;
pub(crate) use plan::Plan;
#[doc(inline)]
pub use set::SetIndex;
pub use unique::UniqueIndex;

use buckets::ABSENT;
use std::hash::{BuildHasher, Hash};

/// What is kept of a hash. It is never [`ABSENT`].
#[inline]
fn hash32<Q: Hash + ?Sized>(hasher: &impl BuildHasher, value: &Q) -> u32 {
    let hash = hasher.hash_one(value);
    // Hashers may have their best bits at either end.
    let folded = hash ^ hash >> 32;
    #[expect(clippy::cast_possible_truncation, reason = "both halves are in the lower one")]
    let folded = folded as u32;
    folded.min(ABSENT - 1)
}
