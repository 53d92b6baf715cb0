//! Systems on which no file can be mapped: making a map is refused, so the rest is never called but where it says so.

#![forbid(unsafe_code)]

use memmap2::MmapRaw;
use std::fs::{File, OpenOptions};
use std::io;
use std::ops::Range;
use std::path::Path;

pub(in crate::file) const MAPS_BEHIND_END: bool = false;

fn unsupported<V>() -> io::Result<V> {
    Err(io::ErrorKind::Unsupported.into())
}

/// Called first of all for a file that is to be written.
pub(in crate::file) fn try_lock(_: &File) -> io::Result<bool> {
    unsupported()
}

pub(in crate::file) fn file_id(_: &File) -> io::Result<Option<(u64, u64)>> {
    unsupported()
}

pub(in crate::file) fn appends(_: &File) -> bool {
    false
}

pub(in crate::file) const MAPS_SEE_WRITES: bool = true;

pub(in crate::file) fn read_at(_: &File, _: &mut [u8], _: u64) -> io::Result<()> {
    unsupported()
}

pub(in crate::file) fn data_in(_: &File, _: Range<u64>) -> Option<Range<u64>> {
    None
}

pub(in crate::file) fn write_in_place(_: &File) {}

pub(in crate::file) fn folder_of(_: &Path) -> Option<File> {
    None
}

pub(in crate::file) fn sync_name(_: &File, _: Option<&File>) -> io::Result<()> {
    unsupported()
}

pub(in crate::file) fn unlock(_: &File) {}

/// Whether [`has_writer`] sees every writer that announced itself.
pub(in crate::file) const TELLS_WRITERS: bool = false;

pub(in crate::file) fn announce_writer(_: &File) {}

pub(in crate::file) fn withdraw_writer(_: &File) {}

pub(in crate::file) fn has_writer(_: &File) -> bool {
    false
}

pub(in crate::file) fn stretch(_: &File, _: u64) -> io::Result<()> {
    unsupported()
}

pub(in crate::file) fn cut(_: &File, _: u64) -> io::Result<()> {
    unsupported()
}

pub(in crate::file) fn temporary_options() -> OpenOptions {
    OpenOptions::new()
}

pub(in crate::file) fn unlink(path: &Path) -> io::Result<()> {
    std::fs::remove_file(path)
}

/// How much room there is where a file lies: not known.
pub(in crate::file) fn free_bytes(_: &File) -> Option<u64> {
    None
}

pub(in crate::file) fn size_limit() -> Option<u64> {
    None
}

pub(in crate::file) fn allocate(_: &File, _: Range<u64>) -> io::Result<bool> {
    unsupported()
}

pub(in crate::file) fn punch(_: &File, _: Range<u64>) -> io::Result<bool> {
    unsupported()
}

pub(in crate::file) fn zero(_: &File, _: Range<u64>) -> io::Result<bool> {
    unsupported()
}

pub(in crate::file) fn write_at(_: &File, _: &[u8], _: u64) -> io::Result<()> {
    unsupported()
}

pub(in crate::file) fn sync(_: &File, _: &MmapRaw, _: Range<usize>) -> io::Result<()> {
    unsupported()
}

pub(in crate::file) fn begin_sync(_: &File, _: &MmapRaw, _: Range<usize>) -> io::Result<()> {
    unsupported()
}

/// It is as it is.
#[expect(clippy::unnecessary_wraps, reason = "as where it may fail")]
pub(in crate::file) fn sync_folder(_: &Path) -> io::Result<()> {
    Ok(())
}

pub(in crate::file) fn populate(_: &MmapRaw, _: Range<usize>) -> io::Result<()> {
    unsupported()
}

pub(in crate::file) fn advise(
    _: &MmapRaw,
    _: crate::file::Advice,
    _: Range<usize>,
) -> io::Result<()> {
    unsupported()
}

pub(in crate::file) fn boot() -> Option<[u8; 16]> {
    None
}
