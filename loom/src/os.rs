//! What `shared.rs` and the keeper ask of `os`.

use std::cell::Cell;

pub(crate) const TOUCHING_IS_SHARED: bool = true;

/// Not told, so nothing is held back.
pub(crate) fn available_bytes() -> Option<u64> {
    None
}

pub(crate) fn memory_bytes() -> Option<u64> {
    None
}

thread_local! {
    // All threads of a model are this one.
    static CLOCK_MS: Cell<u32> = const { Cell::new(0) };
}

pub(crate) fn now_ms() -> u32 {
    CLOCK_MS.get()
}

pub(crate) fn set_clock_ms(now: u32) {
    CLOCK_MS.set(now);
}
