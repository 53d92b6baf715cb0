//! What `shared.rs` asks of `os`.

pub(crate) const TOUCHING_IS_SHARED: bool = true;

/// Not told, so nothing is held back.
pub(crate) fn available_bytes() -> Option<u64> {
    None
}

pub(crate) fn memory_bytes() -> Option<u64> {
    None
}
