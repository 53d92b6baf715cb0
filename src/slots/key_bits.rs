//! How many slots the index in a key can number.

#![forbid(unsafe_code)]

use crate::error::{Error, ErrorKind};
use crate::key::{Key, Layout};

/// As many slots as the index in a key can number.
pub(crate) const fn most_slots<K: Key>() -> usize {
    (<K::Layout as Layout>::MAX_INDEX as usize).saturating_add(1)
}

/// Says it if it is the keys that set the limit, of as many slots as they can number.
pub(crate) fn explain(error: Error, most_slots: usize) -> Error {
    let most = most_slots as u64;
    if error.kind() == ErrorKind::MaxLen && error.limit() == Some(most) {
        return error.into_kind(ErrorKind::KeyBits, most);
    }
    error
}
