//! Search indices over storage of one's own: slots, found by what is in them.
//!
//! # Far slots
//!
//! Each index keeps a few bytes for every slot up to the highest, so a slot number that is wrong or forged could take
//! gigabytes. A slot past the end is therefore refused with
//! [`FarIndex`](crate::ErrorKind::FarIndex) if it is *far*, as keys are by a
//! [`SecondaryMap`](crate::SecondaryMap#far-indices). No slot is far below
//!
//! - as many slots as take 64 MiB, and 16 more for each slot in the index, the new one included; or
//! - what memory was reserved for, by `reserve` or `prefault`.
//!
//! Reserve before slots are inserted from the highest down. A [`Table`](crate::Table) numbers its slots itself, and its
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
