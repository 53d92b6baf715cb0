//! How many slots the index of a key can distinguish.

#![forbid(unsafe_code)]

use crate::error::{Error, ErrorKind};
use crate::key::{Key, Layout};

/// Returns how many slots the index of a key can distinguish.
pub(crate) const fn most_slots<K: Key>() -> usize {
    (<K::Layout as Layout>::MAX_INDEX as usize).saturating_add(1)
}

/// Changes the kind of an error to [`KeyBits`](ErrorKind::KeyBits) if the limit that it names is `most_slots`, that of
/// the keys.
pub(crate) fn explain(error: Error, most_slots: usize) -> Error {
    let most = most_slots as u64;
    if error.kind() == ErrorKind::MaxLen && error.limit() == Some(most) {
        return error.into_kind(ErrorKind::KeyBits, most);
    }
    error
}
