//! What a system answers that lacks something. Each system takes from here what it lacks.

#![allow(dead_code, reason = "each system lacks others")]

use super::{HugeAdvice, Priority};
use std::ptr::NonNull;

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

/// There are none.
pub(crate) fn with_signals_left_to_others<R>(start: impl FnOnce() -> R) -> R {
    start()
}

/// Processes are not forked.
pub(crate) fn forks() -> usize {
    0
}

/// A thread cannot do this for itself alone, or not without a privilege.
pub(crate) fn lower_priority(_: Priority) {}

/// There are none.
///
/// # Safety
///
/// As for [`super::advise_huge`].
pub(super) unsafe fn advise_huge(_: NonNull<u8>, _: usize, _: HugeAdvice) {}
