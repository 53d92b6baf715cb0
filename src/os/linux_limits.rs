//! Which of Linux' limits stands behind a refusal. Read when a call was refused, so this may be
//! slow (some milliseconds with many mappings), but must not allocate.

use super::{Call, Code};
use crate::error::ErrorKind;
use crate::os::leading_number;
use std::ffi::CStr;
use std::os::fd::{AsRawFd, FromRawFd, OwnedFd};

/// The limit that `call` for `bytes` more has hit, and its value, where the answer was `code`.
pub(super) fn behind(call: Call, bytes: usize, code: Code) -> Option<(ErrorKind, u64)> {
    let asked = bytes as u64;
    let lock_limit = || soft_limit(libc::RLIMIT_MEMLOCK).map(|limit| (ErrorKind::LockLimit, limit));
    let mapping_limit = || mapping_limit_if_reached().map(|limit| (ErrorKind::MappingLimit, limit));
    // Where all that is mapped is to be locked (`mlockall`), what may not be locked may not be mapped
    // either, accessible or not. These calls have this answer for nothing else.
    if code == libc::EAGAIN {
        return lock_limit();
    }
    let by_process = match call {
        Call::Reserve => passed(libc::RLIMIT_AS, StatmField::Size, asked)
            .map(|limit| (ErrorKind::AddressLimit, limit)),
        Call::Commit | Call::Prefault => passed(libc::RLIMIT_DATA, StatmField::Data, asked)
            .map(|limit| (ErrorKind::DataLimit, limit)),
        // To lock a part of a mapping splits it.
        Call::Lock if !passes_lock_limit(asked) => return mapping_limit().or_else(lock_limit),
        Call::Lock => return lock_limit(),
        Call::Decommit | Call::Discard | Call::Move | Call::Release | Call::Query => None,
    };
    by_process.or_else(mapping_limit)
}

/// Whether so many bytes more than are locked are more than may be. (Who may lock any number is refused
/// none for it.)
fn passes_lock_limit(asked: u64) -> bool {
    // Where what is locked cannot be read, the limit is the likelier cause.
    let passes = |limit| locked_bytes().unwrap_or(limit).saturating_add(asked) > limit;
    soft_limit(libc::RLIMIT_MEMLOCK).is_some_and(passes)
}

/// All that is locked, as `RLIMIT_MEMLOCK` counts it.
pub(super) fn locked_bytes() -> Option<u64> {
    kib_in(c"/proc/self/status", "\nVmLck:")
}

// glibc has a type of its own for these numbers; other C libraries use `int`.
#[cfg(target_env = "gnu")]
type Resource = libc::__rlimit_resource_t;
#[cfg(not(target_env = "gnu"))]
type Resource = libc::c_int;

/// The limit of a resource, if there is one.
pub(super) fn soft_limit(resource: Resource) -> Option<u64> {
    let mut limit = libc::rlimit { rlim_cur: 0, rlim_max: 0 };
    // SAFETY: `getrlimit` writes one `rlimit`, which outlives the call.
    let result = unsafe { libc::getrlimit(resource, &raw mut limit) };
    #[allow(clippy::useless_conversion, reason = "the type is narrower on some targets")]
    (result == 0 && limit.rlim_cur != libc::RLIM_INFINITY).then(|| limit.rlim_cur.into())
}

/// The limit, if `asked` bytes more than the process has are beyond it.
fn passed(resource: Resource, used: StatmField, asked: u64) -> Option<u64> {
    let limit = soft_limit(resource)?;
    // Where the use cannot be read, a limit that is set is the likelier cause.
    let used = statm_bytes(used).unwrap_or(limit);
    (used.saturating_add(asked) > limit).then_some(limit)
}

/// A field of `/proc/self/statm`, by its place there.
#[derive(Clone, Copy)]
enum StatmField {
    /// All mappings: what `RLIMIT_AS` bounds.
    Size = 0,
    /// Private writable mappings and the stack: close to what `RLIMIT_DATA` bounds.
    Data = 5,
}

/// All that is mapped, as `RLIMIT_AS` counts it.
pub(super) fn mapped_bytes() -> Option<u64> {
    statm_bytes(StatmField::Size)
}

fn statm_bytes(field: StatmField) -> Option<u64> {
    number_in(c"/proc/self/statm", field as usize)?.checked_mul(super::page_bytes() as u64)
}

/// `vm.max_map_count`.
pub(super) fn mapping_limit() -> Option<u64> {
    read_number(c"/proc/sys/vm/max_map_count")
}

/// The same, if the process has (nearly) that many mappings.
fn mapping_limit_if_reached() -> Option<u64> {
    // One call can need two more mappings than there are, and some kinds are not listed.
    const MARGIN: u64 = 4;
    let limit = mapping_limit()?;
    let maps = open(c"/proc/self/maps")?;
    let mut text = [0; TEXT_BYTES];
    let mut left = limit.saturating_sub(MARGIN);
    loop {
        let lines = read(&maps, &mut text)?;
        if lines.is_empty() {
            return None;
        }
        for byte in lines {
            left = left.saturating_sub(u64::from(*byte == b'\n'));
            if left == 0 {
                return Some(limit);
            }
        }
    }
}

/// The number that a file of `/proc` or `/sys` holds.
pub(super) fn read_number(path: &CStr) -> Option<u64> {
    number_in(path, 0)
}

/// Free memory, and what the kernel could drop of its caches.
pub(super) fn available_bytes() -> Option<u64> {
    kib_in(c"/proc/meminfo", "\nMemAvailable:")
}

/// So much of a file is read at once; the numbers that are looked for stand there.
const TEXT_BYTES: usize = 4096;

/// The number that a file has behind so many others.
///
/// By hand, for `str` and `fs::File` would be four times the code, in every program.
#[inline(never)]
fn number_in(path: &CStr, others: usize) -> Option<u64> {
    let mut text = [0; TEXT_BYTES];
    let mut rest = read(&open(path)?, &mut text)?;
    for _ in 0..others {
        rest = &rest[rest.iter().position(|byte| *byte == b' ')? + 1..];
    }
    Some(leading_number(rest)?.0)
}

/// The number of KiB that a file has under a name, in bytes.
fn kib_in(path: &CStr, name: &str) -> Option<u64> {
    let mut text = [0; TEXT_BYTES];
    let text = read(&open(path)?, &mut text)?;
    let at = (0..text.len()).find(|at| text[*at..].starts_with(name.as_bytes()))?;
    let behind = text[at + name.len()..].trim_ascii_start();
    leading_number(behind)?.0.checked_mul(1024)
}

#[inline(never)]
fn open(path: &CStr) -> Option<OwnedFd> {
    // SAFETY: the path ends with a zero, and outlives the call.
    let file = unsafe { libc::open(path.as_ptr(), libc::O_RDONLY | libc::O_CLOEXEC) };
    // SAFETY: it was opened just now, so nobody else has it.
    (file >= 0).then(|| unsafe { OwnedFd::from_raw_fd(file) })
}

/// The next that stands in a file; nothing at its end.
fn read<'t>(file: &OwnedFd, text: &'t mut [u8]) -> Option<&'t [u8]> {
    // SAFETY: it writes into `text`, so many bytes at most.
    let length = unsafe { libc::read(file.as_raw_fd(), text.as_mut_ptr().cast(), text.len()) };
    text.get(..usize::try_from(length).ok()?)
}
