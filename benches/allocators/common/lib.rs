//! The allocators that a process can run under, for the benches that compare them.

#![expect(missing_docs, reason = "the names say it, as in the benches themselves")]
#![expect(clippy::missing_errors_doc, reason = "a bench ends with any error, and prints it")]

pub mod allocator;
pub mod best;
pub mod contenders;
