//! What the benches share.

#![expect(clippy::missing_errors_doc, reason = "a bench ends with any error, and prints it")]

pub mod allocator;
pub mod callgrind;
pub mod compare;
pub mod contenders;
pub mod cores;
pub mod harness;
pub mod jobs;
pub mod machine;
pub mod memory;
pub mod numbers;
#[cfg(feature = "plot")]
pub mod plot;
pub mod progress;
pub mod random;
pub mod small;
pub mod spread;
pub mod table;
pub mod target;
pub mod usage;
