//! What the `region` crate does well on every system it knows: page size, locks, queries.

use super::Code;
use std::mem;
use std::ops::Range;
use std::ptr::NonNull;

pub(super) use region::page::size as page_bytes;

/// The parts of a range that can be read and written; the first and last may reach beyond it.
///
/// # Safety
///
/// - None to keep: any range may be asked for.
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
    // The guard would panic where another one has unlocked its pages before.
    mem::forget(guard);
    Ok(())
}

/// # Safety
///
/// As for [`super::unlock`].
pub(super) unsafe fn unlock(start: NonNull<u8>, bytes: usize) {
    // SAFETY: the caller promises that the range is ours, so nobody else's lock is undone. The
    // one refusal to expect is that the pages are not locked.
    let _ = unsafe { region::unlock(start.as_ptr(), bytes) };
}

/// The system's own code, or 0 where it was not the system that refused.
fn code(error: &region::Error) -> Code {
    match *error {
        region::Error::SystemCall(code) | region::Error::MachCall(code) => code,
        _ => 0,
    }
}
