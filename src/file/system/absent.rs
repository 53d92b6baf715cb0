//! What a system answers that lacks a call, or does not need it. Each system takes from here what it lacks.

#![forbid(unsafe_code)]
#![allow(dead_code, reason = "each system lacks others")]
#![allow(clippy::unnecessary_wraps, reason = "as where it may fail")]

use memmap2::MmapRaw;
use std::fs::File;
use std::io;
use std::ops::Range;
use std::path::Path;

/// Whether [`has_writer`] sees every writer that announced itself.
pub(in crate::file) const TELLS_WRITERS: bool = false;

/// There is no lock that can be asked for without taking it.
pub(in crate::file) fn announce_writer(_: &File) {}

/// As above.
pub(in crate::file) fn withdraw_writer(_: &File) {}

/// As above.
pub(in crate::file) fn has_writer(_: &File) -> bool {
    false
}

/// How much room there is where a file lies: not known.
pub(in crate::file) fn free_bytes(_: &File) -> Option<u64> {
    None
}

/// The largest file that the process may have: there is no such limit.
pub(in crate::file) fn size_limit() -> Option<u64> {
    None
}

/// Takes room on the disk, if there is a call for it: there is none.
pub(in crate::file) fn allocate(_: &File, _: Range<u64>) -> io::Result<bool> {
    Ok(false)
}

/// Gives room on the disk back, if there is a call for it: there is none (on Windows, while the file is mapped).
pub(in crate::file) fn punch(_: &File, _: Range<u64>) -> io::Result<bool> {
    Ok(false)
}

/// Makes a part read as zero, which keeps its room: as above.
pub(in crate::file) fn zero(_: &File, _: Range<u64>) -> io::Result<bool> {
    Ok(false)
}

/// Whether the file is open for appending: such a handle cannot be mapped.
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

/// Makes the names in a folder durable: they are so without.
pub(in crate::file) fn sync_folder(_: &Path) -> io::Result<()> {
    Ok(())
}

/// As above.
pub(in crate::file) fn folder_of(_: &Path) -> Option<File> {
    None
}

/// As above.
pub(in crate::file) fn sync_name(_: &File, _: Option<&File>) -> io::Result<()> {
    Ok(())
}

/// Makes part of a mapped file resident, if there is a call for it: there is none.
pub(in crate::file) fn populate(_: &MmapRaw, _: Range<usize>) -> io::Result<()> {
    Ok(())
}

/// What to expect of the use of a part: nobody wants to know.
pub(in crate::file) fn advise(
    _: &MmapRaw,
    _: crate::file::Advice,
    _: Range<usize>,
) -> io::Result<()> {
    Ok(())
}

/// A number that is the system's until it starts again: nobody tells.
pub(in crate::file) fn boot() -> Option<[u8; 16]> {
    None
}
