//! Fallbacks for systems that lack a call or do not need it. Each system uses those that it needs.

#![forbid(unsafe_code)]
#![allow(dead_code, reason = "each system uses some of them")]
#![allow(clippy::unnecessary_wraps, reason = "the signature is that of systems where it can fail")]

use memmap2::MmapRaw;
use std::fs::File;
use std::io;
use std::ops::Range;
use std::path::Path;

/// Whether [`has_writer`] sees every writer that announced itself.
pub(in crate::file) const TELLS_WRITERS: bool = false;

/// No system here has a lock that can be tested without taking it.
pub(in crate::file) fn announce_writer(_: &File) {}

pub(in crate::file) fn withdraw_writer(_: &File) {}

pub(in crate::file) fn has_writer(_: &File) -> bool {
    false
}

/// Returns the free space on the file's file system: not known.
pub(in crate::file) fn free_bytes(_: &File) -> Option<u64> {
    None
}

/// Returns the largest file that the process may have: unlimited.
pub(in crate::file) fn size_limit() -> Option<u64> {
    None
}

/// Allocates disk space: not supported.
pub(in crate::file) fn allocate(_: &File, _: Range<u64>) -> io::Result<bool> {
    Ok(false)
}

/// Returns disk space: not supported (on Windows, while the file is mapped).
pub(in crate::file) fn punch(_: &File, _: Range<u64>) -> io::Result<bool> {
    Ok(false)
}

/// Zeroes a range but keeps its space: not supported.
pub(in crate::file) fn zero(_: &File, _: Range<u64>) -> io::Result<bool> {
    Ok(false)
}

/// Returns `true` if the file is open for appending: such a handle cannot be mapped.
pub(in crate::file) fn appends(_: &File) -> bool {
    false
}

/// Returns the first part of a range that is not a hole: all of it.
pub(in crate::file) fn data_in(_: &File, range: Range<u64>) -> Option<Range<u64>> {
    (!range.is_empty()).then_some(range)
}

/// Not needed: files are written in place.
pub(in crate::file) fn write_in_place(_: &File) {}

/// Not needed: duplicates of a handle are refused the lock as well.
pub(in crate::file) fn file_id(_: &File) -> io::Result<Option<(u64, u64)>> {
    Ok(None)
}

/// Makes names in a folder durable: not needed.
pub(in crate::file) fn folder_of(_: &Path) -> Option<File> {
    None
}

pub(in crate::file) fn sync_name(_: &File, _: Option<&File>) -> io::Result<()> {
    Ok(())
}

/// Makes part of a mapped file resident: not supported.
pub(in crate::file) fn populate(_: &MmapRaw, _: Range<usize>) -> io::Result<()> {
    Ok(())
}

/// Advises how a part will be used: not supported.
pub(in crate::file) fn advise(
    _: &MmapRaw,
    _: crate::file::Advice,
    _: Range<usize>,
) -> io::Result<()> {
    Ok(())
}

/// Returns a number that identifies the boot: not available.
pub(in crate::file) fn boot() -> io::Result<Option<[u8; 16]>> {
    Ok(None)
}
