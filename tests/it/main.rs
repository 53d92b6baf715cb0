//! The public contract, a file a subject.

mod drops;
mod elements;
mod errors;
mod ledger;
mod max_len;
mod model;
mod op;
mod panics;
