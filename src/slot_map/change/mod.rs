//! Changes to a map: insertion, removal, and new keys for values.

pub(super) mod entry;
mod insert;
mod insert_at;
mod rekey;
mod remove;
