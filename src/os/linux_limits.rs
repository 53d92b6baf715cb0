//! Which of Linux' limits stands behind a refusal. Read when a call was refused, so this may be
//! slow (some milliseconds with many mappings), but must not allocate.

use super::{Call, Code};
use crate::error::ErrorKind;
use std::fs::File;
use std::io::Read;

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
fn locked_bytes() -> Option<u64> {
    kib_in("/proc/self/status", "VmLck:", &mut [0; 4096])
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
    let mut text = [0; 128];
    let pages = read_text("/proc/self/statm", &mut text)?.split(' ').nth(field as usize)?;
    pages.trim().parse::<u64>().ok()?.checked_mul(super::page_bytes() as u64)
}

/// `vm.max_map_count`.
pub(super) fn mapping_limit() -> Option<u64> {
    read_number("/proc/sys/vm/max_map_count")
}

/// The same, if the process has (nearly) that many mappings.
#[expect(clippy::naive_bytecount, reason = "not worth a dependency where calls are refused")]
fn mapping_limit_if_reached() -> Option<u64> {
    // One call can need two more mappings than there are, and some kinds are not listed.
    const MARGIN: u64 = 4;
    let limit = mapping_limit()?;
    let mut maps = File::open("/proc/self/maps").ok()?;
    let mut text = [0; 4096];
    let mut count = 0;
    loop {
        match maps.read(&mut text) {
            Ok(0) => break,
            Ok(n) => count += text[..n].iter().filter(|byte| **byte == b'\n').count() as u64,
            Err(_) => return None,
        }
    }
    (count + MARGIN >= limit).then_some(limit)
}

/// The number that a file of `/proc` or `/sys` holds.
pub(super) fn read_number(path: &str) -> Option<u64> {
    read_text(path, &mut [0; 32])?.trim().parse().ok()
}

/// Free memory, and what the kernel could drop of its caches.
pub(super) fn available_bytes() -> Option<u64> {
    kib_in("/proc/meminfo", "MemAvailable:", &mut [0; 256])
}

/// The number of KiB that a file of `/proc` has under a name, in bytes.
fn kib_in(path: &str, name: &str, text: &mut [u8]) -> Option<u64> {
    let line = read_text(path, text)?.lines().find_map(|line| line.strip_prefix(name))?;
    line.trim().strip_suffix(" kB")?.trim_end().parse::<u64>().ok()?.checked_mul(1024)
}

fn read_text<'a>(path: &str, text: &'a mut [u8]) -> Option<&'a str> {
    let length = File::open(path).ok()?.read(text).ok()?;
    std::str::from_utf8(&text[..length]).ok()
}
