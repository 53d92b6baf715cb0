//! Search indices.

#![forbid(unsafe_code)]

mod bucket;
mod buckets;
