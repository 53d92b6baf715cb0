//! Files on Windows.
//!
//! A file can be mapped only up to its length, and cannot be truncated while it is mapped. While an array has it open,
//! it is therefore sparse and has its maximum length, which takes no disk space.

#![expect(unsafe_code, reason = "calls the system")]

pub(in crate::file) use super::absent::{
    TELLS_WRITERS, advise, allocate, announce_writer, appends, data_in, file_id, folder_of,
    free_bytes, has_writer, populate, punch, size_limit, sync_name, withdraw_writer,
    write_in_place, zero,
};

use memmap2::MmapRaw;
use std::fs::{File, OpenOptions};
use std::hash::{BuildHasher, RandomState};
use std::io;
use std::ops::Range;
use std::os::windows::fs::{FileExt, OpenOptionsExt};
use std::os::windows::io::AsRawHandle;
use std::path::Path;
use std::ptr;
use windows_sys::Win32::Foundation::{
    ERROR_IO_PENDING, ERROR_LOCK_VIOLATION, ERROR_SUCCESS, ERROR_USER_MAPPED_FILE, HANDLE,
};
use windows_sys::Win32::Storage::FileSystem::{
    FILE_FLAG_DELETE_ON_CLOSE, LOCKFILE_EXCLUSIVE_LOCK, LOCKFILE_FAIL_IMMEDIATELY, LockFileEx,
    UnlockFileEx,
};
use windows_sys::Win32::System::IO::{DeviceIoControl, OVERLAPPED};
use windows_sys::Win32::System::Ioctl::FSCTL_SET_SPARSE;
use windows_sys::Win32::System::Registry::{
    HKEY, HKEY_CURRENT_USER, KEY_QUERY_VALUE, KEY_SET_VALUE, REG_BINARY, REG_CREATED_NEW_KEY,
    REG_OPTION_VOLATILE, RegCloseKey, RegCreateKeyExW, RegQueryValueExW, RegSetValueExW,
};

/// Whether a file can be mapped past its end, and grow into that range.
pub(in crate::file) const MAPS_BEHIND_END: bool = false;

/// The locked byte: past all that is read, because a lock prevents others from reading it.
const LOCKED_AT: u64 = 1 << 62;

fn handle(file: &File) -> HANDLE {
    file.as_raw_handle()
}

fn code(error: &io::Error) -> Option<u32> {
    error.raw_os_error().and_then(|code| u32::try_from(code).ok())
}

/// Extends a file to its maximum length.
pub(in crate::file) fn prepare_past_end(file: &File, bytes: u64) -> io::Result<()> {
    if file.metadata()?.len() >= bytes {
        return Ok(());
    }
    let (none, mut returned) = (ptr::null_mut(), 0);
    // SAFETY: the handle is open for synchronous calls, as std opens files, and as `from_file` requires of its caller.
    // So the last pointer may be null, and the call, which gets no buffers, writes only to `returned`.
    let is_sparse = unsafe {
        DeviceIoControl(
            handle(file),
            FSCTL_SET_SPARSE,
            ptr::null(),
            0,
            none,
            0,
            &raw mut returned,
            ptr::null_mut(),
        )
    };
    if is_sparse == 0 {
        return Err(io::Error::last_os_error());
    }
    file.set_len(bytes)
}

/// Truncates a file, unless it is mapped elsewhere: then the next call does.
pub(in crate::file) fn cut(file: &File, bytes: u64) -> io::Result<()> {
    match file.set_len(bytes) {
        Err(error) if code(&error) == Some(ERROR_USER_MAPPED_FILE) => Ok(()),
        result => result,
    }
}

/// Returns the options for creating a file that is deleted when it is closed.
pub(in crate::file) fn temporary_options() -> OpenOptions {
    let mut options = OpenOptions::new();
    options.share_mode(0).custom_flags(FILE_FLAG_DELETE_ON_CLOSE);
    options
}

/// Not needed; see above.
#[expect(clippy::unnecessary_wraps, reason = "the signature is that of systems where it can fail")]
pub(in crate::file) fn unlink(_: &Path) -> io::Result<()> {
    Ok(())
}

fn at_lock() -> OVERLAPPED {
    let mut at = OVERLAPPED::default();
    at.Anonymous.Anonymous.OffsetHigh = (LOCKED_AT >> 32) as u32;
    at
}

/// Locks the file for writing. Returns `false` if another writer has locked it.
pub(in crate::file) fn try_lock(file: &File) -> io::Result<bool> {
    let mut at = at_lock();
    let flags = LOCKFILE_EXCLUSIVE_LOCK | LOCKFILE_FAIL_IMMEDIATELY;
    // SAFETY: the handle is open for synchronous calls, as std opens files, and as `from_file` requires of its caller.
    // So the call is done with `at` when it returns.
    if unsafe { LockFileEx(handle(file), flags, 0, 1, 0, &raw mut at) } != 0 {
        return Ok(true);
    }
    let error = io::Error::last_os_error();
    match code(&error) {
        Some(ERROR_LOCK_VIOLATION | ERROR_IO_PENDING) => Ok(false),
        _ => Err(error),
    }
}

pub(in crate::file) fn unlock(file: &File) {
    let mut at = at_lock();
    // SAFETY: as for `LockFileEx` above.
    unsafe { UnlockFileEx(handle(file), 0, 1, 0, &raw mut at) };
}

pub(in crate::file) fn write_at(file: &File, mut bytes: &[u8], mut at: u64) -> io::Result<()> {
    while !bytes.is_empty() {
        let written = file.seek_write(bytes, at)?;
        if written == 0 {
            return Err(io::ErrorKind::WriteZero.into());
        }
        bytes = &bytes[written..];
        at += written as u64;
    }
    Ok(())
}

pub(in crate::file) fn read_at(file: &File, mut bytes: &mut [u8], mut at: u64) -> io::Result<()> {
    while !bytes.is_empty() {
        let read = file.seek_read(bytes, at)?;
        if read == 0 {
            return Err(io::ErrorKind::UnexpectedEof.into());
        }
        bytes = &mut bytes[read..];
        at += read as u64;
    }
    Ok(())
}

/// Whether mappings of a file see what `write_at` writes.
pub(in crate::file) const MAPS_SEE_WRITES: bool = true;

/// Makes a part of a mapped file durable, and the file's length.
pub(in crate::file) fn sync(file: &File, map: &MmapRaw, range: Range<usize>) -> io::Result<()> {
    if !range.is_empty() {
        map.flush_range(range.start, range.len())?;
    }
    file.sync_data()
}

/// Starts writing a part to the disk.
pub(in crate::file) fn begin_sync(_: &File, map: &MmapRaw, range: Range<usize>) -> io::Result<()> {
    if range.is_empty() { Ok(()) } else { map.flush_async_range(range.start, range.len()) }
}

/// Returns a number that identifies the boot. It is stored in a volatile key in the user's registry, which a restart
/// deletes, as does the end of the user's session. The process that creates the key chooses the number; until it is
/// stored, others get `None`, and no file names it.
pub(in crate::file) fn boot() -> io::Result<Option<[u8; 16]>> {
    let path: Vec<u16> = "Software\\stayput boot\0".encode_utf16().collect();
    let mut key: HKEY = ptr::null_mut();
    let mut made = 0;
    // SAFETY: the path ends with a zero, and both results can be written to.
    let result = unsafe {
        RegCreateKeyExW(
            HKEY_CURRENT_USER,
            path.as_ptr(),
            0,
            ptr::null(),
            REG_OPTION_VOLATILE,
            KEY_QUERY_VALUE | KEY_SET_VALUE,
            ptr::null(),
            &raw mut key,
            &raw mut made,
        )
    };
    if super::if_provided(check(result))?.is_none() {
        return Ok(None);
    }
    let number = if made == REG_CREATED_NEW_KEY { choose(key) } else { find(key) };
    // SAFETY: the key was opened above, and is closed once.
    unsafe { RegCloseKey(key) };
    number
}

/// Converts the result of a call for the registry, which is an error code.
fn check(result: u32) -> io::Result<()> {
    match result {
        ERROR_SUCCESS => Ok(()),
        code => Err(io::Error::from_raw_os_error(i32::try_from(code).unwrap_or(0))),
    }
}

fn choose(key: HKEY) -> io::Result<Option<[u8; 16]>> {
    let mut number = [0; 16];
    for (i, half) in number.chunks_exact_mut(8).enumerate() {
        // Each `RandomState` has random keys of its own.
        half.copy_from_slice(&RandomState::new().hash_one(i).to_ne_bytes());
    }
    // SAFETY: the key is open, the value has no name, and `number` has 16 bytes.
    let result = unsafe { RegSetValueExW(key, ptr::null(), 0, REG_BINARY, number.as_ptr(), 16) };
    Ok(super::if_provided(check(result))?.map(|()| number))
}

fn find(key: HKEY) -> io::Result<Option<[u8; 16]>> {
    let mut number = [0; 16];
    let mut bytes = 16;
    // SAFETY: the key is open, and the call writes at most 16 bytes to `number`, which has 16.
    let result = unsafe {
        RegQueryValueExW(
            key,
            ptr::null(),
            ptr::null(),
            ptr::null_mut(),
            number.as_mut_ptr(),
            &raw mut bytes,
        )
    };
    Ok(super::if_provided(check(result))?.filter(|()| bytes == 16).map(|()| number))
}
