//! Search indices: what is found by what is in it.

#![forbid(unsafe_code)]

mod bucket;
mod buckets;
mod unique;

pub use unique::UniqueIndex;
