//! Files on Unix.

#![expect(unsafe_code, reason = "calls the system")]

#[cfg(not(any(linux_kernel, target_os = "freebsd")))]
pub(in crate::file) use super::absent::allocate;
#[cfg(not(any(
    linux_kernel,
    target_os = "macos",
    target_os = "ios",
    target_os = "freebsd",
    target_os = "openbsd"
)))]
pub(in crate::file) use super::absent::boot;
#[cfg(not(target_os = "linux"))]
pub(in crate::file) use super::absent::{
    announce_writer, has_writer, withdraw_writer, write_in_place,
};
#[cfg(not(linux_kernel))]
pub(in crate::file) use super::absent::{data_in, punch, zero};

use super::retry;
// On Linux the one of these that also has the type of the file system.
#[cfg(target_os = "linux")]
use libc::{fstatfs, statfs};
#[cfg(not(target_os = "linux"))]
use libc::{fstatvfs as fstatfs, statvfs as statfs};
use memmap2::MmapRaw;
use std::fs::{File, OpenOptions};
use std::io;
use std::ops::Range;
use std::os::fd::AsRawFd;
use std::os::unix::fs::{FileExt, MetadataExt, OpenOptionsExt};
use std::path::Path;

/// Whether a file can be mapped past its end, and grow into that range.
pub(in crate::file) const MAPS_BEHIND_END: bool = true;

/// Prepares a file to be mapped past its end: not needed.
#[expect(clippy::unnecessary_wraps, reason = "the signature is that of systems where it can fail")]
pub(in crate::file) fn prepare_past_end(_: &File, _: u64) -> io::Result<()> {
    Ok(())
}

pub(in crate::file) fn cut(file: &File, bytes: u64) -> io::Result<()> {
    file.set_len(bytes)
}

/// Returns the options for creating a file that only this user can open.
pub(in crate::file) fn temporary_options() -> OpenOptions {
    let mut options = OpenOptions::new();
    options.mode(0o600);
    options
}

/// Removes the name of an open file.
pub(in crate::file) fn unlink(path: &Path) -> io::Result<()> {
    std::fs::remove_file(path)
}

/// Locks the file for writing. Returns `false` if another writer has locked it.
pub(in crate::file) fn try_lock(file: &File) -> io::Result<bool> {
    match retry(|| flock(file, libc::LOCK_EX | libc::LOCK_NB)) {
        Err(error) if error.kind() == io::ErrorKind::WouldBlock => Ok(false),
        result => result.map(|()| true),
    }
}

fn flock(file: &File, operation: libc::c_int) -> io::Result<()> {
    // SAFETY: the descriptor is open, and the call accesses no memory.
    check(unsafe { libc::flock(file.as_raw_fd(), operation) })
}

fn check(result: libc::c_int) -> io::Result<()> {
    if result == 0 { Ok(()) } else { Err(io::Error::last_os_error()) }
}

/// Returns the device and inode numbers, which identify a file while it is open.
pub(in crate::file) fn file_id(file: &File) -> io::Result<Option<(u64, u64)>> {
    let metadata = file.metadata()?;
    Ok(Some((metadata.dev(), metadata.ino())))
}

/// Unlocks the file. Not left to closing it, because a newly forked child may have it open for a while.
pub(in crate::file) fn unlock(file: &File) {
    let _ = flock(file, libc::LOCK_UN);
}

/// Whether [`has_writer`] sees every writer that announced itself.
pub(in crate::file) const TELLS_WRITERS: bool = cfg!(target_os = "linux");

/// Calls `fcntl` for a lock of the open file description, on one byte past all data. Unlike a lock of `flock`, it can
/// be tested without taking it. The command is one for such locks.
#[cfg(target_os = "linux")]
fn writer_lock(file: &File, command: libc::c_int, kind: libc::c_int) -> Option<libc::c_int> {
    // SAFETY: "the all-zero byte-pattern is valid", since a `flock64` consists of integers. Its offset counts from the
    // start of the file then.
    let mut lock: libc::flock64 = unsafe { std::mem::zeroed() };
    lock.l_type = libc::c_short::try_from(kind).ok()?;
    (lock.l_start, lock.l_len) = (off(1 << 62), 1);
    let descriptor = file.as_raw_fd();
    // SAFETY: the descriptor is open. For the commands that this file passes, the kernel accesses one `flock64`, and only
    // during the call; for others it would take the address for a number.
    #[cfg(target_pointer_width = "64")]
    let result = unsafe { libc::fcntl(descriptor, command, &raw mut lock) };
    // SAFETY: as for 64 bits. Here `fcntl` of glibc takes a structure with 32-bit offsets.
    #[cfg(target_pointer_width = "32")]
    let result = unsafe { libc::syscall(libc::SYS_fcntl64, descriptor, command, &raw mut lock) };
    (result == 0).then(|| lock.l_type.into())
}

/// Shows [`has_writer`] that this file description belongs to a writer. Has no effect if the file system has no such
/// locks.
#[cfg(target_os = "linux")]
pub(in crate::file) fn announce_writer(file: &File) {
    let _ = writer_lock(file, libc::F_OFD_SETLK, libc::F_WRLCK);
}

#[cfg(target_os = "linux")]
pub(in crate::file) fn withdraw_writer(file: &File) {
    let _ = writer_lock(file, libc::F_OFD_SETLK, libc::F_UNLCK);
}

/// Returns `true` if another file description belongs to a writer that announced itself.
#[cfg(target_os = "linux")]
pub(in crate::file) fn has_writer(file: &File) -> bool {
    writer_lock(file, libc::F_OFD_GETLK, libc::F_RDLCK) == Some(libc::F_WRLCK)
}

/// Returns the largest file that the process may have; `None` if unlimited.
pub(in crate::file) fn size_limit() -> Option<u64> {
    let mut limit = libc::rlimit { rlim_cur: 0, rlim_max: 0 };
    // SAFETY: the call writes only to `limit`.
    let result = unsafe { libc::getrlimit(libc::RLIMIT_FSIZE, &raw mut limit) };
    #[allow(clippy::useless_conversion, reason = "useful on some systems")]
    let limit_bytes = u64::try_from(limit.rlim_cur).ok()?;
    (result == 0 && limit.rlim_cur != libc::RLIM_INFINITY).then_some(limit_bytes)
}

/// Describes the file system of a file.
fn file_system(file: &File) -> io::Result<statfs> {
    let mut found = std::mem::MaybeUninit::zeroed();
    // SAFETY: the descriptor is open, and the call writes only to `found`, which has the size of the structure.
    retry(|| check(unsafe { fstatfs(file.as_raw_fd(), found.as_mut_ptr()) }))?;
    // SAFETY: "initialized": the structure consists of integers, for which any bytes are valid, and those that the call
    // has not written are zero.
    Ok(unsafe { found.assume_init() })
}

/// Returns the free space on the file's file system, if known.
pub(in crate::file) fn free_bytes(file: &File) -> Option<u64> {
    let found = file_system(file).ok()?;
    #[allow(
        clippy::useless_conversion,
        clippy::unnecessary_fallible_conversions,
        reason = "the types differ between systems"
    )]
    let (all, free, block) =
        (u64::from(found.f_blocks), u64::from(found.f_bfree), u64::try_from(found.f_frsize).ok()?);
    // A file system limited only by memory has no blocks.
    (all > 0).then(|| free.saturating_mul(block))
}

/// Converts an offset for the 64-bit calls of Linux.
#[cfg(linux_kernel)]
fn off(number: u64) -> libc::off64_t {
    libc::off64_t::try_from(number).unwrap_or(libc::off64_t::MAX)
}

/// Allocates disk space. Returns `false` if that is not supported.
#[cfg(linux_kernel)]
pub(in crate::file) fn allocate(file: &File, range: Range<u64>) -> io::Result<bool> {
    change(file, 0, range)
}

#[cfg(target_os = "freebsd")]
pub(in crate::file) fn allocate(file: &File, range: Range<u64>) -> io::Result<bool> {
    let off = |number| libc::off_t::try_from(number).unwrap_or(libc::off_t::MAX);
    super::in_pieces(range, |range| {
        let (at, bytes) = (off(range.start), off(range.end - range.start));
        // Returns the error number and does not set `errno`.
        // SAFETY: the descriptor is open, and the call accesses no memory.
        match unsafe { libc::posix_fallocate(file.as_raw_fd(), at, bytes) } {
            0 => Ok(true),
            libc::EINVAL | libc::EOPNOTSUPP => Ok(false),
            error => Err(io::Error::from_raw_os_error(error)),
        }
    })
}

/// Returns disk space; the range then reads as zero. Returns `false` if that is not supported.
#[cfg(linux_kernel)]
pub(in crate::file) fn punch(file: &File, range: Range<u64>) -> io::Result<bool> {
    change(file, libc::FALLOC_FL_PUNCH_HOLE | libc::FALLOC_FL_KEEP_SIZE, range)
}

/// Zeroes a range but keeps its space. Returns `false` if that is not supported.
#[cfg(linux_kernel)]
pub(in crate::file) fn zero(file: &File, range: Range<u64>) -> io::Result<bool> {
    change(file, libc::FALLOC_FL_ZERO_RANGE | libc::FALLOC_FL_KEEP_SIZE, range)
}

/// Returns `false` if the file system does not support the call.
#[cfg(linux_kernel)]
fn change(file: &File, mode: i32, range: Range<u64>) -> io::Result<bool> {
    super::in_pieces(range, |range| {
        let (at, bytes) = (off(range.start), off(range.end - range.start));
        // SAFETY: the descriptor is open, and the call is given no pointer. Mappings see what it changes: allocating
        // space changes no bytes below the end of the file, and callers of `punch` and `zero` pass ranges that are not
        // in use.
        match check(unsafe { libc::fallocate64(file.as_raw_fd(), mode, at, bytes) }) {
            Err(error) if matches!(error.raw_os_error(), Some(libc::EOPNOTSUPP | libc::ENOSYS)) => {
                Ok(false)
            }
            result => result.map(|()| true),
        }
    })
}

/// Returns the first part of a range that is not a hole, as far as the file system reports holes.
#[cfg(linux_kernel)]
pub(in crate::file) fn data_in(file: &File, range: Range<u64>) -> Option<Range<u64>> {
    let seek = |from: u64, whence| {
        // SAFETY: the descriptor is open, and the call accesses no memory. It moves the file position, on which nothing
        // relies.
        match unsafe { libc::lseek64(file.as_raw_fd(), off(from), whence) } {
            -1 => Err(io::Error::last_os_error()),
            at => Ok(u64::try_from(at).unwrap_or(range.end).min(range.end)),
        }
    };
    let (start, end) = match seek(range.start, libc::SEEK_DATA) {
        Ok(start) => (start, seek(start, libc::SEEK_HOLE).unwrap_or(range.end)),
        Err(error) if error.raw_os_error() == Some(libc::ENXIO) => return None,
        Err(_) => (range.start, range.end),
    };
    (start < end).then_some(start..end)
}

/// Disables copy-on-write for an empty file on Btrfs. Otherwise each write takes new blocks, and a store to a mapped
/// page raises `SIGBUS` on a full disk.
#[cfg(target_os = "linux")]
pub(in crate::file) fn write_in_place(file: &File) {
    const BTRFS: i128 = 0x9123_683E;
    const NO_COW: libc::c_int = 0x0080_0000;
    // The type of the field differs between architectures.
    if !file_system(file).is_ok_and(|found| i128::from(found.f_type) & 0xFFFF_FFFF == BTRFS) {
        return;
    }
    let mut flags: libc::c_int = 0;
    // If either is refused, the file stays copy-on-write.
    for (request, more) in [(libc::FS_IOC_GETFLAGS, 0), (libc::FS_IOC_SETFLAGS, NO_COW)] {
        flags |= more;
        // SAFETY: the descriptor is open, and both requests access one `int`, at the address that they are given.
        if unsafe { libc::ioctl(file.as_raw_fd(), request, &raw mut flags) } != 0 {
            return;
        }
    }
}

pub(in crate::file) fn read_at(file: &File, bytes: &mut [u8], at: u64) -> io::Result<()> {
    file.read_exact_at(bytes, at)
}

/// Whether mappings of a file see what `write_at` writes. (OpenBSD caches both separately.)
pub(in crate::file) const MAPS_SEE_WRITES: bool = !cfg!(target_os = "openbsd");

pub(in crate::file) fn write_at(file: &File, bytes: &[u8], at: u64) -> io::Result<()> {
    // The system would end the process, even if the file is longer.
    if size_limit().is_some_and(|limit| at.saturating_add(bytes.len() as u64) > limit) {
        return Err(io::ErrorKind::FileTooLarge.into());
    }
    file.write_all_at(bytes, at)
}

/// Returns `true` if the file is open for appending. Linux then ignores the offset of a write.
pub(in crate::file) fn appends(file: &File) -> bool {
    // SAFETY: the descriptor is open, and the call accesses no memory.
    let flags = unsafe { libc::fcntl(file.as_raw_fd(), libc::F_GETFL) };
    flags != -1 && flags & libc::O_APPEND != 0
}

/// Makes a part of a mapped file durable, and the file's length.
///
/// On Linux only that part is written: writing the header before the elements that it counts would leave a wrong length
/// on the disk if the disk refuses the elements.
pub(in crate::file) fn sync(file: &File, map: &MmapRaw, range: Range<usize>) -> io::Result<()> {
    if !range.is_empty() {
        retry(|| map.flush_range(range.start, range.len()))?;
    }
    // Elsewhere `msync` reaches the disk, but does not flush its cache.
    if cfg!(linux_kernel) { Ok(()) } else { file.sync_data() }
}

/// Starts writing a part to the disk.
#[cfg(target_os = "linux")]
pub(in crate::file) fn begin_sync(file: &File, _: &MmapRaw, range: Range<usize>) -> io::Result<()> {
    // The asynchronous `msync` of other systems does nothing on Linux.
    let (at, bytes) = (off(range.start as u64), off(range.len() as u64));
    let (file, flags) = (file.as_raw_fd(), libc::SYNC_FILE_RANGE_WRITE);
    // SAFETY: the descriptor is open, and the call accesses no memory.
    retry(|| check(unsafe { libc::sync_file_range(file, at, bytes, flags) }))
}

#[cfg(not(target_os = "linux"))]
pub(in crate::file) fn begin_sync(_: &File, map: &MmapRaw, range: Range<usize>) -> io::Result<()> {
    if range.is_empty() {
        return Ok(());
    }
    retry(|| map.flush_async_range(range.start, range.len()))
}

/// Opens the folder of a file. The handle stays valid if either is renamed.
pub(in crate::file) fn folder_of(path: &Path) -> Option<File> {
    // The target of a symbolic link is in its own folder.
    File::open(path.canonicalize().ok()?.parent()?).ok()
}

/// Makes the name of a file durable, given its folder if that could be opened.
pub(in crate::file) fn sync_name(file: &File, folder: Option<&File>) -> io::Result<()> {
    match folder.map(File::sync_all) {
        // Some file systems do not sync folders.
        Some(Err(error))
            if matches!(error.kind(), io::ErrorKind::InvalidInput | io::ErrorKind::Unsupported) => {
        }
        Some(result) => return result,
        None => {}
    }
    // SAFETY: the descriptor is open, and the call accesses no memory.
    #[cfg(target_os = "linux")]
    return retry(|| check(unsafe { libc::syncfs(file.as_raw_fd()) }));
    // Most file systems write the name of a new file with it.
    #[cfg(not(target_os = "linux"))]
    file.sync_all()
}

/// Makes part of a mapped file resident, if that is supported.
#[cfg(target_os = "linux")]
pub(in crate::file) fn populate(map: &MmapRaw, range: Range<usize>) -> io::Result<()> {
    match retry(|| map.advise_range(memmap2::Advice::PopulateWrite, range.start, range.len())) {
        // A kernel before 5.14.
        Err(error) if error.raw_os_error() == Some(libc::EINVAL) => Ok(()),
        result => result,
    }
}

#[cfg(not(target_os = "linux"))]
pub(in crate::file) fn populate(map: &MmapRaw, range: Range<usize>) -> io::Result<()> {
    map.advise_range(memmap2::Advice::WillNeed, range.start, range.len())
}

/// Advises how a part will be used.
pub(in crate::file) fn advise(
    map: &MmapRaw,
    advice: crate::file::Advice,
    range: Range<usize>,
) -> io::Result<()> {
    let advice = match advice {
        crate::file::Advice::Normal => memmap2::Advice::Normal,
        crate::file::Advice::Random => memmap2::Advice::Random,
        crate::file::Advice::Sequential => memmap2::Advice::Sequential,
        crate::file::Advice::WillNeed => memmap2::Advice::WillNeed,
    };
    map.advise_range(advice, range.start, range.len())
}

/// Returns a number that identifies the boot; `None` if the system does not provide it. Other refusals, such as the
/// limit of open files, are errors: they must not look like another boot.
#[cfg(linux_kernel)]
pub(in crate::file) fn boot() -> io::Result<Option<[u8; 16]>> {
    let text = std::fs::read_to_string("/proc/sys/kernel/random/boot_id");
    let Some(text) = super::if_provided(text)? else { return Ok(None) };
    let digits: String = text.trim().chars().filter(|c| *c != '-').collect();
    let number = u128::from_str_radix(&digits, 16).ok().filter(|number| *number != 0);
    Ok(number.map(u128::to_ne_bytes))
}

/// Returns the time of the boot; `None` if the system does not provide it.
#[cfg(any(target_os = "macos", target_os = "ios", target_os = "freebsd", target_os = "openbsd"))]
pub(in crate::file) fn boot() -> io::Result<Option<[u8; 16]>> {
    // It changes when the clock is set, which then looks like another boot: the safe side.
    let mut name = [libc::CTL_KERN, libc::KERN_BOOTTIME];
    let mut time = [0_u8; 16];
    let mut bytes = time.len();
    // SAFETY: the call writes at most `bytes` bytes to `time` and their number to `bytes`, and reads the two numbers of
    // `name`.
    let result = unsafe {
        libc::sysctl(
            name.as_mut_ptr(),
            2,
            time.as_mut_ptr().cast(),
            &raw mut bytes,
            std::ptr::null_mut(),
            0,
        )
    };
    let is_known = super::if_provided(check(result))?.is_some();
    Ok((is_known && time != [0; 16]).then_some(time))
}
