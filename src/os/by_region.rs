//! Page size, locks and queries by the crate `region`, for all systems that it supports.

use super::Code;
use std::mem;
#[cfg(not(linux_kernel))]
use std::ops::Range;
use std::ptr::NonNull;

pub(super) use region::page::size as page_bytes;

/// Returns the parts of a range that are readable and writable. The first and the last may extend beyond the range.
///
/// # Safety
///
/// - None: the range may be any.
#[cfg(not(linux_kernel))]
pub(super) unsafe fn accessible(
    _: NonNull<u8>,
    start: NonNull<u8>,
    bytes: usize,
) -> Result<impl Iterator<Item = Result<Range<usize>, Code>>, Code> {
    let parts = region::query_range(start.as_ptr(), bytes).map_err(|error| code(&error))?;
    Ok(parts.filter_map(|part| match part {
        Ok(part) => (part.is_readable() && part.is_writable()).then(|| Ok(part.as_range())),
        Err(error) => Some(Err(code(&error))),
    }))
}

pub(super) fn lock(start: NonNull<u8>, bytes: usize) -> Result<(), Code> {
    let guard = region::lock(start.as_ptr(), bytes).map_err(|error| code(&error))?;
    // Dropping the guard would panic if its pages had been unlocked by another guard before.
    mem::forget(guard);
    Ok(())
}

/// # Safety
///
/// As for [`super::unlock`].
pub(super) unsafe fn unlock(start: NonNull<u8>, bytes: usize) {
    // SAFETY: the caller guarantees that it owns the range, so this undoes no lock of another owner. The one error to
    // expect is that the pages are not locked.
    let _ = unsafe { region::unlock(start.as_ptr(), bytes) };
}

/// Returns the system's error code, or 0 if the error does not come from the system.
fn code(error: &region::Error) -> Code {
    match *error {
        region::Error::SystemCall(code) | region::Error::MachCall(code) => code,
        _ => 0,
    }
}
