//! Systems without virtual memory that we know: every request is refused with
//! [`ErrorKind::Unsupported`].

use super::{Call, Code, HugeAdvice, Priority};
use crate::error::ErrorKind;
use std::ops::Range;
use std::ptr::NonNull;

/// Any code will do: [`limit_behind`] explains them all.
const REFUSED: Code = 0;

/// What a call that `fault` refuses answers.
#[cfg(test)]
pub(super) const NO_MEMORY: Code = REFUSED;

pub(super) fn page_bytes() -> usize {
    4096
}

pub(super) fn huge_page_bytes() -> Option<usize> {
    None
}

pub(super) fn address_space_bytes() -> usize {
    usize::MAX
}

pub(super) fn address_limit() -> Option<(usize, Option<usize>)> {
    None
}

pub(super) fn mapping_limit() -> Option<usize> {
    None
}

pub(super) fn memory_bytes() -> Option<u64> {
    None
}

pub(super) fn now_ms() -> u32 {
    0
}

pub(super) fn reserve(_: usize) -> Result<NonNull<u8>, Code> {
    Err(REFUSED)
}

pub(super) fn available_bytes() -> Option<u64> {
    None
}

/// There are none.
pub(super) fn with_signals_left_to_others<R>(start: impl FnOnce() -> R) -> R {
    start()
}

/// Processes are not forked.
pub(super) fn forks() -> usize {
    0
}

pub(super) fn lower_priority(_: Priority) {}

/// # Safety
///
/// None to keep: nothing can have been reserved. So it is for all below.
pub(super) unsafe fn commit(_: NonNull<u8>, _: usize) -> Result<(), Code> {
    Err(REFUSED)
}

/// # Safety
///
/// None to keep.
pub(super) unsafe fn decommit(_: NonNull<u8>, _: usize) -> Result<(), Code> {
    Err(REFUSED)
}

/// # Safety
///
/// None to keep.
pub(super) unsafe fn discard(_: NonNull<u8>, _: usize) -> Result<(), Code> {
    Err(REFUSED)
}

/// # Safety
///
/// None to keep.
pub(super) unsafe fn abandon(_: NonNull<u8>, _: usize) -> Result<(), Code> {
    Err(REFUSED)
}

/// # Safety
///
/// None to keep.
pub(super) unsafe fn prefault(_: NonNull<u8>, _: usize) -> Result<(), Code> {
    Err(REFUSED)
}

/// # Safety
///
/// None to keep.
pub(super) unsafe fn move_pages(_: NonNull<u8>, _: usize, _: usize) -> Result<NonNull<u8>, Code> {
    Err(REFUSED)
}

/// # Safety
///
/// None to keep.
pub(super) unsafe fn advise_huge(_: NonNull<u8>, _: usize, _: HugeAdvice) {}

/// # Safety
///
/// None to keep.
pub(super) unsafe fn release(_: NonNull<u8>, _: usize) -> Result<(), Code> {
    Err(REFUSED)
}

pub(super) fn accessible(
    _: NonNull<u8>,
    _: usize,
) -> Result<impl Iterator<Item = Result<Range<usize>, Code>>, Code> {
    Ok(std::iter::empty())
}

pub(super) fn resident_bytes(_: NonNull<u8>, _: usize) -> Result<usize, Code> {
    Err(REFUSED)
}

pub(super) fn lock(_: NonNull<u8>, _: usize) -> Result<(), Code> {
    Err(REFUSED)
}

/// # Safety
///
/// None to keep.
pub(super) unsafe fn unlock(_: NonNull<u8>, _: usize) {}

pub(super) fn limit_behind(_: Call, _: usize, _: Code) -> Option<(ErrorKind, Option<u64>)> {
    Some((ErrorKind::Unsupported, None))
}
