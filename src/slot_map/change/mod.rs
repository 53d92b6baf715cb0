//! Changing a map: putting values in, taking them out, and giving them other keys.

pub(super) mod entry;
mod insert;
mod insert_at;
mod rekey;
mod remove;
