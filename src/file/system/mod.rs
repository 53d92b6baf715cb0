//! Files as each system provides them, behind the same functions.

#[cfg(any(no_vm, not(target_os = "linux")))]
mod absent;
#[cfg(unix_vm)]
mod unix;
#[cfg(windows_vm)]
mod windows;
#[cfg(no_vm)]
mod without;

#[cfg(unix_vm)]
pub(super) use unix::*;
#[cfg(windows_vm)]
pub(super) use windows::*;
#[cfg(no_vm)]
pub(super) use without::*;

// Files are not supported without virtual memory.
#[cfg(all(test, not(no_vm)))]
mod tests;

use crate::error::{Error, ErrorKind};
use std::fs::File;
use std::io;
use std::ops::Range;

/// Converts the error of a call for a file of `bytes` to that of a memory request.
#[cold]
pub(super) fn refused(error: &io::Error, bytes: u64) -> Error {
    let kind = match error.kind() {
        io::ErrorKind::StorageFull => ErrorKind::Disk,
        io::ErrorKind::QuotaExceeded => ErrorKind::Quota,
        io::ErrorKind::FileTooLarge => ErrorKind::FileLimit,
        io::ErrorKind::OutOfMemory => ErrorKind::Memory,
        io::ErrorKind::Unsupported => ErrorKind::Unsupported,
        _ => ErrorKind::System,
    };
    let bytes = usize::try_from(bytes).unwrap_or(usize::MAX);
    Error::new(kind, bytes).with_code(error.raw_os_error().unwrap_or(0))
}

/// Returns `None` if a call was refused because the system does not provide what it asks for, or not to this process, or
/// in another form. Other refusals may be over the next time.
#[cfg(not(any(no_vm, target_os = "illumos")))]
fn if_provided<V>(result: io::Result<V>) -> io::Result<Option<V>> {
    match result {
        Err(error) if is_permanent(&error) => Ok(None),
        result => result.map(Some),
    }
}

#[cfg(not(any(no_vm, target_os = "illumos")))]
fn is_permanent(error: &io::Error) -> bool {
    /// Of Windows: more data, a key that is invalid or marked for deletion. They have no kind.
    const CODES: [i32; 3] = [234, 1010, 1018];
    matches!(
        error.kind(),
        io::ErrorKind::NotFound
            | io::ErrorKind::PermissionDenied
            | io::ErrorKind::NotADirectory
            | io::ErrorKind::IsADirectory
            | io::ErrorKind::InvalidData
            | io::ErrorKind::Unsupported
    ) || cfg!(windows) && error.raw_os_error().is_some_and(|code| CODES.contains(&code))
}

/// Repeats a call for as long as signals interrupt it.
#[cfg(unix_vm)]
fn retry<R>(mut call: impl FnMut() -> io::Result<R>) -> io::Result<R> {
    loop {
        match call() {
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            result => return result,
        }
    }
}

/// Makes a call for a range, in pieces if signals interrupt it: an interrupted call may have undone its work (tmpfs did
/// until Linux 6.17), so each interruption halves the piece and each success doubles it. Returns `false` as soon as the
/// call does.
#[cfg(any(linux_kernel, all(target_os = "freebsd", unix_vm), all(test, not(no_vm))))]
fn in_pieces(
    range: Range<u64>,
    mut call: impl FnMut(Range<u64>) -> io::Result<bool>,
) -> io::Result<bool> {
    const LEAST_BYTES: u64 = 4 << 10;
    let (mut at, mut most) = (range.start, u64::MAX);
    while at < range.end {
        let piece = at..at.saturating_add(most).min(range.end);
        let bytes = piece.end - piece.start;
        match call(piece) {
            Ok(true) => {
                at += bytes;
                most = most.saturating_mul(2);
            }
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {
                most = (bytes / 2).next_multiple_of(LEAST_BYTES).max(LEAST_BYTES);
            }
            result => return result,
        }
    }
    Ok(true)
}

/// Returns an error for a file of `bytes` that exceeds this process's limit: the system would end the process by a
/// signal.
pub(super) fn check_limit(bytes: u64) -> Result<(), Error> {
    match size_limit() {
        Some(limit) if bytes > limit => {
            let bytes = usize::try_from(bytes).unwrap_or(usize::MAX);
            Err(Error::new(ErrorKind::FileLimit, bytes).with_limit(limit))
        }
        _ => Ok(()),
    }
}

/// Returns an error if `more` bytes do not fit on the disk. (Attempting to allocate them would fill the disk
/// temporarily, and take as long.)
pub(super) fn check_room(file: &File, more: u64, bytes: u64) -> Result<(), Error> {
    match free_bytes(file) {
        Some(free) if more > free => {
            let bytes = usize::try_from(bytes).unwrap_or(usize::MAX);
            Err(Error::new(ErrorKind::Disk, bytes))
        }
        _ => Ok(()),
    }
}

/// Allocates disk space for a range that is not in use, and extends the file to its end. What lay past the end of the
/// file reads as zero.
pub(super) fn take_room(file: &File, range: Range<u64>) -> io::Result<()> {
    if allocate(file, range.clone())? {
        return Ok(());
    }
    // Space is allocated by writing. Beyond the process's limit, the system would end the process.
    if size_limit().is_some_and(|limit| range.end > limit) {
        return Err(io::ErrorKind::FileTooLarge.into());
    }
    write_zeros(file, range)
}

/// Writes the bytes of a range to the file again, which marks them as modified.
pub(super) fn rewrite(file: &File, range: Range<u64>) -> io::Result<()> {
    let mut bytes = [0; 16 << 10];
    let mut at = range.start;
    while at < range.end {
        let count = usize::try_from(range.end - at).unwrap_or(bytes.len()).min(bytes.len());
        let bytes = &mut bytes[..count];
        read_at(file, bytes, at)?;
        write_at(file, bytes, at)?;
        at += count as u64;
    }
    Ok(())
}

/// Writes zeros to a range, which allocates its blocks.
pub(super) fn write_zeros(file: &File, range: Range<u64>) -> io::Result<()> {
    static ZEROS: [u8; 64 << 10] = [0; 64 << 10];
    let mut at = range.start;
    while at < range.end {
        let bytes = usize::try_from(range.end - at).unwrap_or(ZEROS.len()).min(ZEROS.len());
        write_at(file, &ZEROS[..bytes], at)?;
        at += bytes as u64;
    }
    Ok(())
}
