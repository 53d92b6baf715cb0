//! Search indices over the caller's own storage: they find slot numbers by value.
//!
//! # Far slots
//!
//! Each index keeps a few bytes for every slot up to the highest, so a wrong or forged slot number could take
//! gigabytes. A slot past the end is therefore refused with [`FarIndex`](crate::ErrorKind::FarIndex) if it is *far*, as
//! a [`SecondaryMap`](crate::SecondaryMap#far-indices) refuses keys. A slot is not far if it is below
//!
//! - the number of slots that take 64 MiB, plus 16 for each slot in the index, including the new one; or
//! - the number of slots for which memory was reserved by `reserve` or `prefault`.
//!
//! To insert slots in descending order, reserve first. A [`Table`](crate::Table) numbers its slots itself, and its
//! indices accept all of them.

mod bucket;
mod buckets;
pub mod grid;
mod hashed;
pub mod list;
pub(crate) mod memory;
mod plan;
pub mod set;
mod sets;
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

/// Returns the 32 bits of a hash that are stored, never [`ABSENT`].
#[inline]
fn hash32<Q: Hash + ?Sized>(hasher: &impl BuildHasher, value: &Q) -> u32 {
    let hash = hasher.hash_one(value);
    // Folded, because a hasher may put its best bits at either end.
    let folded = hash ^ hash >> 32;
    #[expect(clippy::cast_possible_truncation, reason = "the upper half is folded into the lower")]
    let folded = folded as u32;
    folded.min(ABSENT - 1)
}
