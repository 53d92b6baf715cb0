//! Functions of systems that lack a feature. Each system imports those that it needs.

#![allow(dead_code, reason = "each system uses some of them")]

use super::{Advice, GroupMemory, Pages, Priority, UnusedPages};
use std::ffi::CStr;

pub(super) fn huge_page_bytes() -> Option<usize> {
    None
}

pub(crate) fn address_limit() -> Option<(usize, Option<usize>)> {
    None
}

pub(crate) fn mapping_limit() -> Option<usize> {
    None
}

pub(crate) fn locked_bytes() -> Option<u64> {
    None
}

pub(crate) fn available_bytes() -> Option<u64> {
    None
}

/// There are no control groups.
pub(crate) fn group_memory() -> GroupMemory {
    GroupMemory::UNLIMITED
}

pub(super) fn memory_limit() -> u64 {
    u64::MAX
}

pub(crate) fn count_for_groups(_: usize) {}

pub(crate) fn free_bytes() -> Option<u64> {
    None
}

/// The C function that reads the environment must not be called while another thread changes it, and that of std
/// allocates.
pub(crate) fn variable_at_start<'v>(_: &CStr, _: &'v mut [u8]) -> Option<&'v [u8]> {
    None
}

/// There are no signals.
pub(crate) fn with_signals_left_to_others<R>(start: impl FnOnce() -> R) -> R {
    start()
}

/// There is no `fork`.
pub(crate) fn forks() -> usize {
    0
}

/// A thread cannot do this for itself alone, or needs a privilege for it.
pub(crate) fn lower_priority(_: Priority) {}

/// Mappings have no names.
pub(super) fn name_pages(_: Pages<'_>, _: Option<&str>) {}

/// There are no huge pages.
pub(super) fn advise(_: Pages<'_>, _: Advice) {}

/// Without huge pages, it takes longer than it saves.
pub(super) fn offer(_: UnusedPages<'_>) {}
