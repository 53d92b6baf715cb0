//! Page size, locks and queries by the crate `region`, for all systems that it supports.

use super::{Code, Pages};
use std::mem;
#[cfg(not(linux_kernel))]
use std::ops::Range;
#[cfg(not(linux_kernel))]
use std::ptr;

pub(super) use region::page::size as page_bytes;

/// Returns the parts of the pages that are readable and writable. The first and the last may extend beyond them.
#[cfg(not(linux_kernel))]
pub(super) fn accessible(
    pages: Pages<'_>,
) -> Result<impl Iterator<Item = Result<Range<usize>, Code>> + use<>, Code> {
    accessible_in(pages.addresses())
}

/// [`accessible`] for any addresses.
#[cfg(not(linux_kernel))]
pub(super) fn accessible_in(
    range: Range<usize>,
) -> Result<impl Iterator<Item = Result<Range<usize>, Code>> + use<>, Code> {
    let start = ptr::without_provenance::<u8>(range.start);
    let parts = region::query_range(start, range.len()).map_err(|error| code(&error))?;
    Ok(parts.filter_map(|part| match part {
        Ok(part) => (part.is_readable() && part.is_writable()).then(|| Ok(part.as_range())),
        Err(error) => Some(Err(code(&error))),
    }))
}

pub(super) fn lock(pages: Pages<'_>) -> Result<(), Code> {
    let (start, bytes) = pages.raw();
    let guard = region::lock(start.cast::<u8>(), bytes).map_err(|error| code(&error))?;
    // Dropping the guard would panic if its pages had been unlocked by another guard before.
    mem::forget(guard);
    Ok(())
}

pub(super) fn unlock(pages: Pages<'_>) -> Result<(), Code> {
    let (start, bytes) = pages.raw();
    // SAFETY: `region` requires that no other code relies on the lock. All locks of these pages are this crate's, since
    // they belong to a `Mapping`, and no code relies on them for memory safety.
    unsafe { region::unlock(start.cast::<u8>(), bytes) }.map_err(|error| code(&error))
}

/// Returns the system's error code, or 0 if the error does not come from the system.
fn code(error: &region::Error) -> Code {
    match *error {
        region::Error::SystemCall(code) | region::Error::MachCall(code) => code,
        _ => 0,
    }
}
