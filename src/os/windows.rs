//! Windows.

use super::{Call, Code, Mapping, Pages, Priority, UnusedPages, touch};
use crate::error::ErrorKind;
use std::ffi::CStr;
use std::io;
use std::ptr::NonNull;
use std::sync::OnceLock;
use std::time::Instant;
use windows_sys::Win32::Foundation::{
    ERROR_COMMITMENT_LIMIT, ERROR_INVALID_ADDRESS, ERROR_INVALID_PARAMETER,
    ERROR_NOT_ENOUGH_MEMORY, ERROR_WORKING_SET_QUOTA,
};
use windows_sys::Win32::System::Environment::GetEnvironmentVariableA;
use windows_sys::Win32::System::Memory::{
    MEM_COMMIT, MEM_DECOMMIT, MEM_RELEASE, MEM_RESERVE, PAGE_NOACCESS, PAGE_READWRITE,
    VirtualAlloc, VirtualFree,
};
use windows_sys::Win32::System::ProcessStatus::{
    K32QueryWorkingSetEx, PSAPI_WORKING_SET_EX_INFORMATION,
};
use windows_sys::Win32::System::SystemInformation::{
    GetSystemInfo, GlobalMemoryStatusEx, MEMORYSTATUSEX, SYSTEM_INFO,
};
use windows_sys::Win32::System::Threading::{
    GetCurrentProcess, GetCurrentThread, SetThreadPriority, THREAD_PRIORITY_BELOW_NORMAL,
    THREAD_PRIORITY_IDLE,
};

pub(super) use super::absent::{advise, memory_limit, name_pages, offer};
pub(crate) use super::absent::{
    count_for_groups, forks, free_bytes, group_memory, locked_bytes, mapping_limit,
    with_signals_left_to_others,
};
pub(super) use super::by_region::{accessible, lock, page_bytes, unlock};

/// The code of a call that `fault` refuses.
#[cfg(test)]
pub(super) const NO_MEMORY: Code = ERROR_NOT_ENOUGH_MEMORY as Code;

fn check(result: i32) -> Result<(), Code> {
    if result == 0 { Err(last_code()) } else { Ok(()) }
}

fn last_code() -> Code {
    io::Error::last_os_error().raw_os_error().unwrap_or(0)
}

pub(super) fn huge_page_bytes() -> Option<usize> {
    // Large pages need a privilege and cannot be committed piece by piece.
    None
}

pub(super) fn address_space_bytes() -> usize {
    let mut info = SYSTEM_INFO::default();
    // SAFETY: the call writes one `SYSTEM_INFO`, to which the pointer is valid.
    unsafe { GetSystemInfo(&raw mut info) };
    info.lpMaximumApplicationAddress.addr()
}

pub(crate) fn address_limit() -> Option<(usize, Option<usize>)> {
    if usize::BITS >= 64 {
        return None;
    }
    let status = memory_status()?;
    let used = status.ullTotalVirtual.saturating_sub(status.ullAvailVirtual);
    Some((usize::try_from(status.ullTotalVirtual).ok()?, usize::try_from(used).ok()))
}

fn memory_status() -> Option<MEMORYSTATUSEX> {
    let mut status =
        MEMORYSTATUSEX { dwLength: size_of::<MEMORYSTATUSEX>() as u32, ..Default::default() };
    // SAFETY: the call writes one `MEMORYSTATUSEX`, to which the pointer is valid, and which contains its own size.
    check(unsafe { GlobalMemoryStatusEx(&raw mut status) }).ok()?;
    // Wine marks its cached copy as current before it fills it, so another thread may get zeros.
    (status.ullTotalPhys > 0).then_some(status)
}

pub(super) fn memory_bytes() -> Option<u64> {
    Some(memory_status()?.ullTotalPhys)
}

pub(crate) fn now_ms() -> u32 {
    // Not the time of day, which may be set back.
    static START: OnceLock<Instant> = OnceLock::new();
    let since = START.get_or_init(Instant::now).elapsed();
    super::low_ms(since.as_secs().wrapping_mul(1000), since.subsec_millis().into())
}

pub(crate) fn available_bytes() -> Option<u64> {
    Some(memory_status()?.ullAvailPhys)
}

pub(crate) fn variable_at_start<'v>(name: &CStr, value: &'v mut [u8]) -> Option<&'v [u8]> {
    let (at, most) = (value.as_mut_ptr(), u32::try_from(value.len()).ok()?);
    // SAFETY: the call reads the name up to the zero with which a `CStr` ends, and writes at most `most` bytes to
    // `value`, which has as many.
    let length = unsafe { GetEnvironmentVariableA(name.as_ptr().cast(), at, most) };
    // 0 if it is not set. If the value and a zero do not fit, the number of bytes that they need.
    value.get(..length as usize).filter(|value| !value.is_empty() && length < most)
}

pub(crate) fn lower_priority(priority: Priority) {
    let priority = match priority {
        Priority::Background => THREAD_PRIORITY_BELOW_NORMAL,
        Priority::Idle => THREAD_PRIORITY_IDLE,
    };
    // SAFETY: it has no preconditions, and returns a constant.
    let thread = unsafe { GetCurrentThread() };
    // If it is refused, the thread continues as before.
    // SAFETY: the handle is that of the calling thread, which need not be closed.
    let _ = unsafe { SetThreadPriority(thread, priority) };
}

pub(super) fn reserve(bytes: usize) -> Result<NonNull<u8>, Code> {
    // SAFETY: without an address the system chooses a range that is not in use.
    let start = unsafe { VirtualAlloc(std::ptr::null(), bytes, MEM_RESERVE, PAGE_NOACCESS) };
    NonNull::new(start.cast()).ok_or_else(last_code)
}

pub(super) fn commit(pages: Pages<'_>) -> Result<(), Code> {
    let (start, bytes) = pages.raw();
    // SAFETY: the pages are part of a mapping of this crate, so no other code relies on their being inaccessible.
    // Committed pages keep their contents.
    let at = unsafe { VirtualAlloc(start, bytes, MEM_COMMIT, PAGE_READWRITE) };
    if at.is_null() { Err(last_code()) } else { Ok(()) }
}

pub(super) fn decommit(pages: UnusedPages<'_>) -> Result<(), Code> {
    let (start, bytes) = pages.get().raw();
    // SAFETY: the pages are part of a mapping of this crate, and no code uses them. There is at least one, since
    // `Pages` makes no call without pages: a size of 0 would stand for the whole reservation.
    check(unsafe { VirtualFree(start, bytes, MEM_DECOMMIT) })
}

/// After `MEM_RESET` and `DiscardVirtualMemory` pages may hold anything; fresh pages are zero.
pub(super) fn discard(pages: UnusedPages<'_>) -> Result<(), Code> {
    decommit(pages)?;
    commit(pages.get())
}

pub(super) use decommit as abandon;

/// # Safety
///
/// - The conditions of [`Pages::prefault`].
pub(super) unsafe fn prefault(pages: Pages<'_>) -> Result<(), Code> {
    // `PrefetchVirtualMemory` reads pages from disk, but does not make fresh ones resident.
    // SAFETY: the caller promises that the pages are committed, and that other threads access them only if touching is
    // shared, which is what `PREFAULTING_IS_SHARED` stands for here.
    unsafe { touch::pages(pages, page_bytes()) }
    Ok(())
}

pub(super) fn release(mapping: Mapping) -> Result<(), Mapping> {
    // A size of 0 stands for all that one call reserved, which a `Mapping` is, since the system releases no parts.
    // SAFETY: `mapping` owned the range, and ends here unless the call is refused, which then has changed nothing.
    // Nothing borrows it, so no `Pages` of it are left.
    check(unsafe { VirtualFree(mapping.all().raw().0, 0, MEM_RELEASE) }).map_err(|_| mapping)
}

pub(super) fn resident_bytes(start: NonNull<u8>, bytes: usize) -> Result<usize, Code> {
    const PAGES: usize = 512;
    /// The bit that is set if the page is in the working set.
    const VALID: usize = 1;
    let page = page_bytes();
    let mut pages = [PSAPI_WORKING_SET_EX_INFORMATION::default(); PAGES];
    let mut resident = 0;
    for offset in (0..bytes).step_by(PAGES * page) {
        let count = ((bytes - offset) / page).min(PAGES);
        for (i, entry) in pages[..count].iter_mut().enumerate() {
            let address = start.addr().get() + offset + i * page;
            entry.VirtualAddress = std::ptr::without_provenance_mut(address);
        }
        let length = size_of_val(&pages[..count]) as u32;
        // SAFETY: it has no preconditions, and returns a constant.
        let process = unsafe { GetCurrentProcess() };
        // SAFETY: the call writes at most `length` bytes to the array, of which `count` entries have as many.
        check(unsafe { K32QueryWorkingSetEx(process, pages.as_mut_ptr().cast(), length) })?;
        for entry in &pages[..count] {
            // SAFETY: reading a field of a union requires that it is valid: any bytes are a valid word, and all of the
            // entry was zeroed or written.
            let flags = unsafe { entry.VirtualAttributes.Flags };
            resident += (flags & VALID) * page;
        }
    }
    Ok(resident)
}

/// Returns the limit that caused the error `code`, and its value.
pub(super) fn limit_reached(call: Call, _: usize, code: Code) -> Option<(ErrorKind, Option<u64>)> {
    let kind = match (call, code as u32) {
        (Call::Lock, ERROR_WORKING_SET_QUOTA) => ErrorKind::LockLimit,
        // A request for more than all addresses is an invalid parameter.
        (
            Call::Reserve,
            ERROR_NOT_ENOUGH_MEMORY | ERROR_INVALID_ADDRESS | ERROR_INVALID_PARAMETER,
        ) => ErrorKind::AddressSpace,
        (Call::Commit | Call::Discard | Call::Prefault, _)
        | (_, ERROR_COMMITMENT_LIMIT | ERROR_NOT_ENOUGH_MEMORY) => ErrorKind::Memory,
        _ => return None,
    };
    Some((kind, None))
}
