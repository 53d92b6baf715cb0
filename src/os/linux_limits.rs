//! Determines which limit of Linux caused a refusal. Called after refused calls, so it may be slow (milliseconds with
//! many mappings), but must not allocate. Also reads other files of `/proc`, in the same way.

use super::{Call, Code, Integers, check};
use crate::error::ErrorKind;
use crate::os::leading_number;
use std::cmp::Ordering::{Equal, Greater, Less};
use std::ffi::CStr;
use std::os::fd::{AsRawFd, FromRawFd, OwnedFd};

/// Returns the limit that `call` for `bytes` more bytes has reached, and its value, if the error was `code`.
pub(super) fn limit_reached(call: Call, bytes: usize, code: Code) -> Option<(ErrorKind, u64)> {
    let asked = bytes as u64;
    let lock_limit = || soft_limit(libc::RLIMIT_MEMLOCK).map(|limit| (ErrorKind::LockLimit, limit));
    let mapping_limit = || mapping_limit_if_reached().map(|limit| (ErrorKind::MappingLimit, limit));
    // If all mappings are to be locked (`mlockall`), what may not be locked may not be mapped either, accessible or
    // not. These calls return this code for no other reason.
    if code == libc::EAGAIN {
        return lock_limit();
    }
    let by_process = match call {
        Call::Reserve => passed(libc::RLIMIT_AS, StatmField::Size, asked)
            .map(|limit| (ErrorKind::AddressLimit, limit)),
        Call::Commit | Call::Prefault => passed(libc::RLIMIT_DATA, StatmField::Data, asked)
            .map(|limit| (ErrorKind::DataLimit, limit)),
        // Locking a part of a mapping splits it.
        Call::Lock if !passes_lock_limit(asked) => return mapping_limit().or_else(lock_limit),
        Call::Lock => return lock_limit(),
        Call::Decommit | Call::Discard | Call::Move | Call::Release | Call::Query => None,
    };
    by_process.or_else(mapping_limit)
}

/// Whether `asked` bytes in addition to the locked ones exceed the limit. (Processes without a limit are not refused
/// for it.)
fn passes_lock_limit(asked: u64) -> bool {
    // If the number of locked bytes is unknown, the limit is the likelier cause.
    let passes = |limit| locked_bytes().unwrap_or(limit).saturating_add(asked) > limit;
    soft_limit(libc::RLIMIT_MEMLOCK).is_some_and(passes)
}

/// How many bytes are locked, as `RLIMIT_MEMLOCK` counts them.
pub(crate) fn locked_bytes() -> Option<u64> {
    kib_in(c"/proc/self/status", "\nVmLck:")
}

// glibc has a type of its own for these numbers; other C libraries use `int`.
#[cfg(target_env = "gnu")]
type Resource = libc::__rlimit_resource_t;
#[cfg(not(target_env = "gnu"))]
type Resource = libc::c_int;

/// Returns the limit of a resource, if there is one.
pub(super) fn soft_limit(resource: Resource) -> Option<u64> {
    let mut limit = libc::rlimit { rlim_cur: 0, rlim_max: 0 };
    // SAFETY: the call writes one `rlimit`, to which the pointer is valid.
    let result = unsafe { libc::getrlimit(resource, &raw mut limit) };
    #[allow(clippy::useless_conversion, reason = "the type is narrower on some targets")]
    (result == 0 && limit.rlim_cur != libc::RLIM_INFINITY).then(|| limit.rlim_cur.into())
}

/// Returns the limit, if `asked` bytes in addition to the used ones exceed it.
fn passed(resource: Resource, used: StatmField, asked: u64) -> Option<u64> {
    let limit = soft_limit(resource)?;
    // If the use is unknown, a limit that is set is the likelier cause.
    let used = statm_bytes(used).unwrap_or(limit);
    (used.saturating_add(asked) > limit).then_some(limit)
}

/// A field of `/proc/self/statm`, by its position.
#[derive(Clone, Copy)]
enum StatmField {
    /// All mappings, which `RLIMIT_AS` limits.
    Size = 0,
    /// Private writable mappings and the stack, close to what `RLIMIT_DATA` limits.
    Data = 5,
}

/// How many bytes are mapped, as `RLIMIT_AS` counts them.
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

/// Returns `vm.max_map_count`, if the process has (nearly) that many mappings.
fn mapping_limit_if_reached() -> Option<u64> {
    // One call can need two more mappings, and some kinds are not listed.
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

/// Copies the value that a variable had when the process started. See [`super::super::variable_at_start`].
pub(crate) fn variable_at_start<'v>(name: &CStr, value: &'v mut [u8]) -> Option<&'v [u8]> {
    let name = name.to_bytes();
    let file = open(c"/proc/self/environ")?;
    let mut text = [0; TEXT_BYTES];
    // How many bytes of the entry, which is `NAME=VALUE`, were read; `None` if it has another name.
    let mut agreed = Some(0);
    loop {
        let part = read(&file, &mut text)?;
        if part.is_empty() {
            return None;
        }
        for byte in part {
            agreed = match agreed.map(|read| (read, read.cmp(&name.len()))) {
                Some((read, order)) if *byte == 0 && order.is_gt() => {
                    return value.get(..read - name.len() - 1);
                }
                _ if *byte == 0 => Some(0),
                Some((read, Less)) => (*byte == name[read]).then_some(read + 1),
                Some((read, Equal)) => (*byte == b'=').then_some(read + 1),
                Some((read, Greater)) => {
                    *value.get_mut(read - name.len() - 1)? = *byte;
                    Some(read + 1)
                }
                None => None,
            };
        }
    }
}

/// Returns the number in a file of `/proc` or `/sys`.
pub(super) fn read_number(path: &CStr) -> Option<u64> {
    number_in(path, 0)
}

/// Free memory, and caches that the kernel can drop.
pub(crate) fn available_bytes() -> Option<u64> {
    kib_in(c"/proc/meminfo", "\nMemAvailable:")
}

/// Memory that holds nothing, without caches. Asking for it takes a tenth of the time.
pub(crate) fn free_bytes() -> Option<u64> {
    let mut info = libc::sysinfo::zeroed();
    // SAFETY: the call writes one `sysinfo`, to which the pointer is valid.
    check(unsafe { libc::sysinfo(&raw mut info) }).ok()?;
    #[allow(clippy::useless_conversion, reason = "the type is narrower on some targets")]
    u64::from(info.freeram).checked_mul(info.mem_unit.into())
}

/// How much of a file is read at once. All numbers that are needed are in the first read.
pub(super) const TEXT_BYTES: usize = 4096;

/// Returns the number in a file that follows `others` other numbers.
///
/// Written by hand, since `str` and `fs::File` would make it four times the code in every program.
#[inline(never)]
fn number_in(path: &CStr, others: usize) -> Option<u64> {
    let mut text = [0; TEXT_BYTES];
    let mut rest = read(&open(path)?, &mut text)?;
    for _ in 0..others {
        rest = &rest[rest.iter().position(|byte| *byte == b' ')? + 1..];
    }
    Some(leading_number(rest)?.0)
}

/// Returns the number of KiB after a name in a file, in bytes.
fn kib_in(path: &CStr, name: &str) -> Option<u64> {
    let mut text = [0; TEXT_BYTES];
    number_after(name, read(&open(path)?, &mut text)?)?.checked_mul(1024)
}

/// Returns the number after a name in a text.
#[inline(never)]
pub(super) fn number_after(name: &str, text: &[u8]) -> Option<u64> {
    let at = (0..text.len()).find(|at| text[*at..].starts_with(name.as_bytes()))?;
    Some(leading_number(text[at + name.len()..].trim_ascii_start())?.0)
}

#[inline(never)]
pub(super) fn open(path: &CStr) -> Option<OwnedFd> {
    // SAFETY: the call reads the path up to the zero with which a `CStr` ends.
    let file = unsafe { libc::open(path.as_ptr(), libc::O_RDONLY | libc::O_CLOEXEC) };
    // SAFETY: "open", since the call has just returned it, so nothing else owns it; `close` ends it.
    (file >= 0).then(|| unsafe { OwnedFd::from_raw_fd(file) })
}

/// Reads the next part of a file; empty at its end.
pub(super) fn read<'t>(file: &OwnedFd, text: &'t mut [u8]) -> Option<&'t [u8]> {
    // SAFETY: the call writes at most `text.len()` bytes to `text`, which are borrowed mutably.
    let length = unsafe { libc::read(file.as_raw_fd(), text.as_mut_ptr().cast(), text.len()) };
    text.get(..usize::try_from(length).ok()?)
}
