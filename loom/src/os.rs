//! The functions of `os` that the service, the region cache and reservations use.

pub(crate) use crate::mapping::Mapping;
use crate::mapping::PAGE;
use crate::page::PageSize;
use std::cell::Cell;

pub(crate) const RELEASES_PARTS: bool = true;
pub(crate) const TOUCHING_IS_SHARED: bool = true;

pub(crate) const fn page_size() -> PageSize {
    PAGE
}

pub(crate) fn count_for_groups(_: usize) {}

pub(crate) fn group_memory() -> GroupMemory {
    GroupMemory { available: u64::MAX }
}

pub(crate) struct GroupMemory {
    pub(crate) available: u64,
}

/// Unknown, so nothing is held back.
pub(crate) fn available_bytes() -> Option<u64> {
    None
}

/// No process is forked.
pub(crate) const fn process_id() -> usize {
    0
}

pub(crate) fn memory_bytes() -> Option<u64> {
    None
}

thread_local! {
    // The threads of a model all run on this one.
    static CLOCK_MS: Cell<u32> = const { Cell::new(0) };
}

pub(crate) fn now_ms() -> u32 {
    CLOCK_MS.get()
}

pub(crate) fn set_clock_ms(now: u32) {
    CLOCK_MS.set(now);
}
