//! Files as Unix has them.

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
use memmap2::MmapRaw;
use std::fs::{File, OpenOptions};
use std::io;
use std::ops::Range;
use std::os::fd::AsRawFd;
use std::os::unix::fs::{FileExt, MetadataExt, OpenOptionsExt};
use std::path::Path;

/// Whether a file can be mapped behind its end, and grow into that.
pub(in crate::file) const MAPS_BEHIND_END: bool = true;

/// Nothing is to be done before a file is mapped behind its end.
#[expect(clippy::unnecessary_wraps, reason = "as where there is")]
pub(in crate::file) fn stretch(_: &File, _: u64) -> io::Result<()> {
    Ok(())
}

/// Makes a file shorter.
pub(in crate::file) fn cut(file: &File, bytes: u64) -> io::Result<()> {
    file.set_len(bytes)
}

/// Options of a file without others that could open it.
pub(in crate::file) fn temporary_options() -> OpenOptions {
    let mut options = OpenOptions::new();
    options.mode(0o600);
    options
}

/// Takes the name away of a file that is open.
pub(in crate::file) fn unlink(path: &Path) -> io::Result<()> {
    std::fs::remove_file(path)
}

/// The only one who writes; false if there is another.
pub(in crate::file) fn try_lock(file: &File) -> io::Result<bool> {
    // SAFETY: the file is open; no memory is involved.
    let lock = || check(unsafe { libc::flock(file.as_raw_fd(), libc::LOCK_EX | libc::LOCK_NB) });
    match retry(lock) {
        Err(error) if error.kind() == io::ErrorKind::WouldBlock => Ok(false),
        result => result.map(|()| true),
    }
}

fn check(result: libc::c_int) -> io::Result<()> {
    if result == 0 { Ok(()) } else { Err(io::Error::last_os_error()) }
}

/// Returns the device and inode numbers, which identify a file while it is open.
pub(in crate::file) fn file_id(file: &File) -> io::Result<Option<(u64, u64)>> {
    let metadata = file.metadata()?;
    Ok(Some((metadata.dev(), metadata.ino())))
}

/// Ends that. Not left to the end of the file: a child that was just made may have it open for a while.
pub(in crate::file) fn unlock(file: &File) {
    // SAFETY: as above.
    unsafe { libc::flock(file.as_raw_fd(), libc::LOCK_UN) };
}

/// Whether [`has_writer`] sees every writer that announced itself.
pub(in crate::file) const TELLS_WRITERS: bool = cfg!(target_os = "linux");

/// Calls `fcntl` for a lock of the open file description, on one byte past all data. Readers can ask for it without
/// taking it, which `flock` does not offer.
#[cfg(target_os = "linux")]
fn writer_lock(file: &File, command: libc::c_int, kind: libc::c_int) -> Option<libc::c_int> {
    // SAFETY: all zeros are a valid `flock64`, whose offset counts from the start of the file.
    let mut lock: libc::flock64 = unsafe { std::mem::zeroed() };
    lock.l_type = libc::c_short::try_from(kind).ok()?;
    (lock.l_start, lock.l_len) = (off(1 << 62), 1);
    let descriptor = file.as_raw_fd();
    // SAFETY: the file is open, and the kernel reads and writes the structure during the call only.
    #[cfg(target_pointer_width = "64")]
    let result = unsafe { libc::fcntl(descriptor, command, &raw mut lock) };
    // SAFETY: as above. `fcntl` of glibc takes a structure with offsets of 32 bits here.
    #[cfg(target_pointer_width = "32")]
    let result = unsafe { libc::syscall(libc::SYS_fcntl64, descriptor, command, &raw mut lock) };
    (result == 0).then(|| lock.l_type.into())
}

/// Shows [`has_writer`] that this file description belongs to a writer. Where the file system has no such locks,
/// readers go without.
#[cfg(target_os = "linux")]
pub(in crate::file) fn announce_writer(file: &File) {
    let _ = writer_lock(file, libc::F_OFD_SETLK, libc::F_WRLCK);
}

/// Ends that.
#[cfg(target_os = "linux")]
pub(in crate::file) fn withdraw_writer(file: &File) {
    let _ = writer_lock(file, libc::F_OFD_SETLK, libc::F_UNLCK);
}

/// Returns `true` if another file description belongs to a writer that announced itself.
#[cfg(target_os = "linux")]
pub(in crate::file) fn has_writer(file: &File) -> bool {
    writer_lock(file, libc::F_OFD_GETLK, libc::F_RDLCK) == Some(libc::F_WRLCK)
}

/// The largest file that the process may have.
pub(in crate::file) fn size_limit() -> Option<u64> {
    let mut limit = libc::rlimit { rlim_cur: 0, rlim_max: 0 };
    // SAFETY: it writes to what is there.
    let result = unsafe { libc::getrlimit(libc::RLIMIT_FSIZE, &raw mut limit) };
    #[allow(clippy::useless_conversion, reason = "not on all systems")]
    let limit_bytes = u64::try_from(limit.rlim_cur).ok()?;
    (result == 0 && limit.rlim_cur != libc::RLIM_INFINITY).then_some(limit_bytes)
}

/// How much room there is where a file lies, if that is known.
pub(in crate::file) fn free_bytes(file: &File) -> Option<u64> {
    let mut found = std::mem::MaybeUninit::<libc::statvfs>::uninit();
    // SAFETY: the file is open, and what is written to is there.
    retry(|| check(unsafe { libc::fstatvfs(file.as_raw_fd(), found.as_mut_ptr()) })).ok()?;
    // SAFETY: it was written.
    let found = unsafe { found.assume_init() };
    #[allow(clippy::useless_conversion, reason = "not on all systems")]
    let (all, free, block) =
        (u64::from(found.f_blocks), u64::from(found.f_bfree), u64::from(found.f_frsize));
    // Where only memory is the limit, there are no blocks.
    (all > 0).then(|| free.saturating_mul(block))
}

/// An offset as the calls of Linux have it, also where its usual ones have 32 bits.
#[cfg(linux_kernel)]
fn off(number: u64) -> libc::off64_t {
    libc::off64_t::try_from(number).unwrap_or(libc::off64_t::MAX)
}

/// Takes room on the disk, if there is a call for it.
#[cfg(linux_kernel)]
pub(in crate::file) fn allocate(file: &File, range: Range<u64>) -> io::Result<bool> {
    change(file, 0, range)
}

/// As above.
#[cfg(target_os = "freebsd")]
pub(in crate::file) fn allocate(file: &File, range: Range<u64>) -> io::Result<bool> {
    let off = |number| libc::off_t::try_from(number).unwrap_or(libc::off_t::MAX);
    super::in_pieces(range, |range| {
        let (at, bytes) = (off(range.start), off(range.end - range.start));
        // Returns the error number and does not set `errno`.
        // SAFETY: the file is open; no memory is involved.
        match unsafe { libc::posix_fallocate(file.as_raw_fd(), at, bytes) } {
            0 => Ok(true),
            libc::EINVAL | libc::EOPNOTSUPP => Ok(false),
            error => Err(io::Error::from_raw_os_error(error)),
        }
    })
}

/// Gives room on the disk back, if there is a call for it; what was there reads as zero.
#[cfg(linux_kernel)]
pub(in crate::file) fn punch(file: &File, range: Range<u64>) -> io::Result<bool> {
    change(file, libc::FALLOC_FL_PUNCH_HOLE | libc::FALLOC_FL_KEEP_SIZE, range)
}

/// Makes a part read as zero, which keeps its room, if there is a call for it.
#[cfg(linux_kernel)]
pub(in crate::file) fn zero(file: &File, range: Range<u64>) -> io::Result<bool> {
    change(file, libc::FALLOC_FL_ZERO_RANGE | libc::FALLOC_FL_KEEP_SIZE, range)
}

/// False if the file system has no such call.
#[cfg(linux_kernel)]
fn change(file: &File, mode: i32, range: Range<u64>) -> io::Result<bool> {
    super::in_pieces(range, |range| {
        let (at, bytes) = (off(range.start), off(range.end - range.start));
        // SAFETY: the file is open; mappings of it see the change, which is about bytes that nobody uses.
        match check(unsafe { libc::fallocate64(file.as_raw_fd(), mode, at, bytes) }) {
            Err(error) if matches!(error.raw_os_error(), Some(libc::EOPNOTSUPP | libc::ENOSYS)) => {
                Ok(false)
            }
            result => result.map(|()| true),
        }
    })
}

/// Returns the first part of a range that is not a hole, as far as the file system tells.
#[cfg(linux_kernel)]
pub(in crate::file) fn data_in(file: &File, range: Range<u64>) -> Option<Range<u64>> {
    let seek = |from: u64, whence| {
        // SAFETY: the file is open; no memory is involved. Nothing relies on the file position, which moves.
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

/// Disables copy-on-write for an empty file on Btrfs. Otherwise each write takes new blocks, and a store to a mapped page
/// raises `SIGBUS` on a full disk.
#[cfg(target_os = "linux")]
pub(in crate::file) fn write_in_place(file: &File) {
    const BTRFS: i128 = 0x9123_683E;
    const NO_COW: libc::c_int = 0x0080_0000;
    let mut found = std::mem::MaybeUninit::<libc::statfs>::uninit();
    // SAFETY: the file is open, and what is written to is there.
    if unsafe { libc::fstatfs(file.as_raw_fd(), found.as_mut_ptr()) } != 0 {
        return;
    }
    // SAFETY: it was written, since the call succeeded.
    let found = unsafe { found.assume_init() };
    // The type of the field differs between architectures.
    if i128::from(found.f_type) & 0xFFFF_FFFF != BTRFS {
        return;
    }
    let mut flags: libc::c_int = 0;
    // SAFETY: the file is open, and it writes one `int`.
    if unsafe { libc::ioctl(file.as_raw_fd(), libc::FS_IOC_GETFLAGS, &raw mut flags) } != 0 {
        return;
    }
    flags |= NO_COW;
    // If that is refused, the file stays copy-on-write.
    // SAFETY: as above; it reads one `int`.
    let _ = unsafe { libc::ioctl(file.as_raw_fd(), libc::FS_IOC_SETFLAGS, &raw const flags) };
}

/// Reads at an offset.
pub(in crate::file) fn read_at(file: &File, bytes: &mut [u8], at: u64) -> io::Result<()> {
    file.read_exact_at(bytes, at)
}

/// Whether mappings of a file see what `write_at` writes. (OpenBSD caches both separately.)
pub(in crate::file) const MAPS_SEE_WRITES: bool = !cfg!(target_os = "openbsd");

/// Writes at an offset.
pub(in crate::file) fn write_at(file: &File, bytes: &[u8], at: u64) -> io::Result<()> {
    // The system would end the process, even if the file is longer.
    if size_limit().is_some_and(|limit| at.saturating_add(bytes.len() as u64) > limit) {
        return Err(io::ErrorKind::FileTooLarge.into());
    }
    file.write_all_at(bytes, at)
}

/// Whether the file is open for appending. Linux then ignores the offset of a write.
pub(in crate::file) fn appends(file: &File) -> bool {
    // SAFETY: the file is open; no memory is involved.
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

/// Begins to write a part.
#[cfg(target_os = "linux")]
pub(in crate::file) fn begin_sync(file: &File, _: &MmapRaw, range: Range<usize>) -> io::Result<()> {
    // What others call asynchronous does nothing here.
    let (at, bytes) = (off(range.start as u64), off(range.len() as u64));
    let (file, flags) = (file.as_raw_fd(), libc::SYNC_FILE_RANGE_WRITE);
    // SAFETY: the file is open; no memory is involved.
    retry(|| check(unsafe { libc::sync_file_range(file, at, bytes, flags) }))
}

/// As above.
#[cfg(not(target_os = "linux"))]
pub(in crate::file) fn begin_sync(_: &File, map: &MmapRaw, range: Range<usize>) -> io::Result<()> {
    if range.is_empty() {
        return Ok(());
    }
    retry(|| map.flush_async_range(range.start, range.len()))
}

/// Makes the names in a folder durable.
pub(in crate::file) fn sync_folder(folder: &Path) -> io::Result<()> {
    File::open(folder)?.sync_all()
}

/// Opens the folder that a file is in, which stays valid if either is renamed.
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
    // SAFETY: the file is open; no memory is involved.
    #[cfg(target_os = "linux")]
    return retry(|| check(unsafe { libc::syncfs(file.as_raw_fd()) }));
    // Most file systems write the name of a new file with it.
    #[cfg(not(target_os = "linux"))]
    file.sync_all()
}

/// Makes part of a mapped file resident, if there is a call for it.
#[cfg(target_os = "linux")]
pub(in crate::file) fn populate(map: &MmapRaw, range: Range<usize>) -> io::Result<()> {
    match retry(|| map.advise_range(memmap2::Advice::PopulateWrite, range.start, range.len())) {
        // A kernel before 5.14.
        Err(error) if error.raw_os_error() == Some(libc::EINVAL) => Ok(()),
        result => result,
    }
}

/// As above.
#[cfg(not(target_os = "linux"))]
pub(in crate::file) fn populate(map: &MmapRaw, range: Range<usize>) -> io::Result<()> {
    map.advise_range(memmap2::Advice::WillNeed, range.start, range.len())
}

/// What to expect of the use of a part.
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

/// A number that is the system's until it starts again, if it tells.
#[cfg(linux_kernel)]
pub(in crate::file) fn boot() -> Option<[u8; 16]> {
    let text = std::fs::read_to_string("/proc/sys/kernel/random/boot_id").ok()?;
    let digits: String = text.trim().chars().filter(|c| *c != '-').collect();
    let number = u128::from_str_radix(&digits, 16).ok().filter(|number| *number != 0)?;
    Some(number.to_ne_bytes())
}

/// As above: when it started.
#[cfg(any(target_os = "macos", target_os = "ios", target_os = "freebsd", target_os = "openbsd"))]
pub(in crate::file) fn boot() -> Option<[u8; 16]> {
    // Where the clock is set, that changes. Then it seems to be another, which is what is careful.
    let mut name = [libc::CTL_KERN, libc::KERN_BOOTTIME];
    let mut time = [0_u8; 16];
    let mut bytes = time.len();
    // SAFETY: it writes as many bytes as are there, and reads two numbers.
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
    (result == 0 && time != [0; 16]).then_some(time)
}
