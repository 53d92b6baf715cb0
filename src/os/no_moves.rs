//! Systems that cannot move memory to other addresses.

use super::{Code, Mapping, Pages, UnusedPages};
use std::ptr::NonNull;

pub(crate) const MOVES: bool = false;

const UNSUPPORTED: Code = 0;

/// # Safety
///
/// - None.
pub(super) unsafe fn move_pages(_: Pages<'_>, _: usize) -> Result<NonNull<u8>, Code> {
    Err(UNSUPPORTED)
}

pub(crate) const fn moves_onto() -> bool {
    MOVES
}

pub(super) fn move_onto(_: UnusedPages<'_>, _: Mapping) -> Result<Mapping, Code> {
    Err(UNSUPPORTED)
}
