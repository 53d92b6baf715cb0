//! Systems that cannot map files: creating a map is refused, so except where noted the other functions are never
//! called.

#![forbid(unsafe_code)]

pub(in crate::file) use super::absent::{
    TELLS_WRITERS, advise, allocate, announce_writer, appends, boot, data_in, file_id, folder_of,
    free_bytes, has_writer, populate, punch, size_limit, sync_name, withdraw_writer,
    write_in_place, zero,
};

use memmap2::MmapRaw;
use std::fs::{File, OpenOptions};
use std::io;
use std::ops::Range;
use std::path::Path;

pub(in crate::file) const MAPS_BEHIND_END: bool = false;

pub(in crate::file) const MAPS_SEE_WRITES: bool = true;

fn unsupported<V>() -> io::Result<V> {
    Err(io::ErrorKind::Unsupported.into())
}

/// Called first for a file that is opened for writing.
pub(in crate::file) fn try_lock(_: &File) -> io::Result<bool> {
    unsupported()
}

pub(in crate::file) fn unlock(_: &File) {}

pub(in crate::file) fn prepare_past_end(_: &File, _: u64) -> io::Result<()> {
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

pub(in crate::file) fn read_at(_: &File, _: &mut [u8], _: u64) -> io::Result<()> {
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
