//! Linux, Android, macOS, iOS, FreeBSD, OpenBSD, illumos.

#[cfg(linux_kernel)]
use super::{Advice, Priority, once};
use super::{Call, Code, touch};
use crate::error::ErrorKind;
use std::ffi::c_int;
use std::io;
use std::mem::MaybeUninit;
#[cfg(linux_kernel)]
use std::ops::Range;
use std::ptr::NonNull;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

#[cfg(not(linux_kernel))]
pub(crate) use super::absent::{
    address_limit, available_bytes, count_for_groups, free_bytes, group_memory, locked_bytes,
    lower_priority, mapping_limit, variable_at_start,
};
#[cfg(not(linux_kernel))]
pub(super) use super::absent::{advise, huge_page_bytes, memory_limit, name_pages};
#[cfg(not(linux_kernel))]
pub(super) use super::by_region::accessible;
pub(super) use super::by_region::{lock, page_bytes, unlock};
#[cfg(linux_kernel)]
pub(crate) use groups::{count_for_groups, group_memory};
#[cfg(linux_kernel)]
pub(crate) use limits::{available_bytes, free_bytes, locked_bytes, variable_at_start};
#[cfg(all(linux_kernel, feature = "memory-map"))]
pub(crate) use mappings::Mapping;

/// The code of a call that `fault` refuses.
#[cfg(test)]
pub(super) const NO_MEMORY: Code = libc::ENOMEM;

// Without `MAP_NORESERVE`: inaccessible pages are not charged anyway, and with it a commit that cannot be backed would
// succeed and end in the OOM killer.
const MAP_FLAGS: c_int = libc::MAP_PRIVATE | libc::MAP_ANON;

const READ_WRITE: c_int = libc::PROT_READ | libc::PROT_WRITE;

fn check(result: c_int) -> Result<(), Code> {
    if result == 0 { Ok(()) } else { Err(last_code()) }
}

fn last_code() -> Code {
    io::Error::last_os_error().raw_os_error().unwrap_or(0)
}

#[cfg(linux_kernel)]
#[path = "linux_groups.rs"]
mod groups;
#[cfg(linux_kernel)]
#[path = "linux_limits.rs"]
mod limits;
#[cfg(linux_kernel)]
#[path = "linux_mappings.rs"]
mod mappings;

/// Returns the parts of a range that are readable and writable. The first and the last may extend beyond the range.
///
/// # Safety
///
/// - None: the range may be any.
#[cfg(linux_kernel)]
pub(super) unsafe fn accessible(
    _: NonNull<u8>,
    start: NonNull<u8>,
    bytes: usize,
) -> Result<impl Iterator<Item = Result<Range<usize>, Code>>, Code> {
    let start = start.addr().get();
    let parts = mappings::accessible(start..start.saturating_add(bytes))?;
    Ok(parts.into_iter().map(Ok))
}

#[cfg(linux_kernel)]
pub(super) fn huge_page_bytes() -> Option<usize> {
    let bytes = limits::read_number(c"/sys/kernel/mm/transparent_hugepage/hpage_pmd_size")?;
    usize::try_from(bytes).ok()
}

/// The first stack of the process is at the upper end of the addresses, which some processors and kernels limit to 38
/// or 39 bits. (Stacks of threads and coroutines can be anywhere.)
#[cfg(linux_kernel)]
pub(super) fn address_space_bytes() -> usize {
    static BYTES: AtomicUsize = AtomicUsize::new(0);
    once(&BYTES, || {
        // SAFETY: it reads a value that the kernel gave to the process: here, an address in that stack.
        let random = unsafe { libc::getauxval(libc::AT_RANDOM) };
        let here = 0_u8;
        let random = usize::try_from(random).ok().filter(|address| *address > 0);
        addresses_up_to(random.unwrap_or((&raw const here).addr()))
    })
}

/// Returns how many addresses there are if the first stack contains this one. Kernels keep a quarter, five sixteenths
/// or a half of 32 bits of addresses.
#[cfg(linux_kernel)]
pub(super) fn addresses_up_to(stack: usize) -> usize {
    let end = if usize::BITS < 64 {
        stack.checked_next_multiple_of(256 << 20)
    } else {
        stack.checked_next_power_of_two()
    };
    end.unwrap_or(usize::MAX)
}

/// 47 bits, except for small devices.
#[cfg(not(linux_kernel))]
pub(super) fn address_space_bytes() -> usize {
    let bits = if cfg!(target_os = "ios") { 36 } else { 47 };
    1_usize.checked_shl(bits).unwrap_or(usize::MAX)
}

#[cfg(linux_kernel)]
pub(crate) fn address_limit() -> Option<(usize, Option<usize>)> {
    let limit = limits::soft_limit(libc::RLIMIT_AS).and_then(|limit| usize::try_from(limit).ok());
    let limit = match limit {
        Some(limit) => limit.min(address_space_bytes()),
        None if usize::BITS < 64 => address_space_bytes(),
        None => return None,
    };
    Some((limit, limits::mapped_bytes().and_then(|used| usize::try_from(used).ok())))
}

#[cfg(linux_kernel)]
pub(crate) fn mapping_limit() -> Option<usize> {
    /// The usual limit, for when it cannot be read, for example without `/proc` or with too many open files.
    const USUAL: u64 = 65_530;
    usize::try_from(limits::mapping_limit().unwrap_or(USUAL)).ok()
}

/// The lowest limit on the memory of the process.
#[cfg(linux_kernel)]
pub(super) fn memory_limit() -> u64 {
    groups::group_limit().min(limits::soft_limit(libc::RLIMIT_DATA).unwrap_or(u64::MAX))
}

pub(super) fn memory_bytes() -> Option<u64> {
    // SAFETY: `sysconf` does not access memory of the program.
    let pages = unsafe { libc::sysconf(libc::_SC_PHYS_PAGES) };
    u64::try_from(pages).ok()?.checked_mul(page_bytes() as u64)
}

/// This clock only reads what the last tick has written.
#[cfg(linux_kernel)]
const CLOCK: libc::clockid_t = libc::CLOCK_MONOTONIC_COARSE;
#[cfg(not(linux_kernel))]
const CLOCK: libc::clockid_t = libc::CLOCK_MONOTONIC;

pub(crate) fn now_ms() -> u32 {
    let mut time = MaybeUninit::<libc::timespec>::uninit();
    // SAFETY: the call writes one `timespec`, for which there is room.
    if unsafe { libc::clock_gettime(CLOCK, time.as_mut_ptr()) } != 0 {
        return 0;
    }
    // SAFETY: the call succeeded, so it has written the value.
    let libc::timespec { tv_sec, tv_nsec, .. } = unsafe { time.assume_init() };
    let seconds = u64::try_from(tv_sec).unwrap_or(0);
    super::low_ms(seconds.wrapping_mul(1000), u64::try_from(tv_nsec / 1_000_000).unwrap_or(0))
}

pub(crate) fn with_signals_left_to_others<R>(start: impl FnOnce() -> R) -> R {
    let mut all = MaybeUninit::<libc::sigset_t>::uninit();
    // SAFETY: `sigfillset` writes a set, which outlives the call.
    unsafe { libc::sigfillset(all.as_mut_ptr()) };
    let mut before = MaybeUninit::<libc::sigset_t>::uninit();
    // SAFETY: the call above, which cannot fail, wrote `all`; this call writes `before`, which outlives it. Signals are
    // pending meanwhile.
    let masked =
        unsafe { libc::pthread_sigmask(libc::SIG_SETMASK, all.as_ptr(), before.as_mut_ptr()) };
    let result = start();
    if masked == 0 {
        // SAFETY: the call above wrote `before`. The old mask is not requested.
        unsafe { libc::pthread_sigmask(libc::SIG_SETMASK, before.as_ptr(), std::ptr::null_mut()) };
    }
    result
}

pub(crate) fn forks() -> usize {
    static FORKS: AtomicUsize = AtomicUsize::new(0);
    static IS_WATCHED: AtomicBool = AtomicBool::new(false);

    extern "C" fn forked() {
        FORKS.fetch_add(1, Ordering::Relaxed);
    }

    // Threads that race here all register the handler. Then a fork counts several times, which does no harm: each fork
    // after the first call changes the number, and that is all that matters.
    if !IS_WATCHED.load(Ordering::Acquire) {
        // SAFETY: the function adds to an atomic, which is permitted after a fork. If it cannot be registered (without
        // memory), the process id still tells processes apart.
        let _ = unsafe { libc::pthread_atfork(None, None, Some(forked)) };
        IS_WATCHED.store(true, Ordering::Release);
    }
    FORKS.load(Ordering::Relaxed)
}

#[cfg(linux_kernel)]
pub(crate) fn lower_priority(priority: Priority) {
    let policy = match priority {
        Priority::Background => libc::SCHED_BATCH,
        Priority::Idle => libc::SCHED_IDLE,
    };
    // SAFETY: all zeros are a valid value of a structure of integers.
    let lowest: libc::sched_param = unsafe { std::mem::zeroed() };
    // SAFETY: it reads one `sched_param`. 0 stands for the calling thread. If it is refused, the thread continues as
    // before.
    unsafe { libc::sched_setscheduler(0, policy, &raw const lowest) };
}

pub(super) fn reserve(bytes: usize) -> Result<NonNull<u8>, Code> {
    // SAFETY: without `MAP_FIXED` the kernel chooses a range that is not in use.
    let start =
        unsafe { libc::mmap(std::ptr::null_mut(), bytes, libc::PROT_NONE, MAP_FLAGS, -1, 0) };
    if start == libc::MAP_FAILED {
        return Err(last_code());
    }
    // Address 0 is only returned on request.
    NonNull::new(start.cast()).ok_or(libc::ENOMEM)
}

/// # Safety
///
/// As for [`super::commit`].
pub(super) unsafe fn commit(_: NonNull<u8>, start: NonNull<u8>, bytes: usize) -> Result<(), Code> {
    // SAFETY: the caller promises that it owns the range. More access harms no other code.
    check(unsafe { libc::mprotect(start.as_ptr().cast(), bytes, READ_WRITE) })
}

/// # Safety
///
/// As for [`super::decommit`].
pub(super) unsafe fn decommit(
    _: NonNull<u8>,
    start: NonNull<u8>,
    bytes: usize,
) -> Result<(), Code> {
    // `mprotect` without access would keep the charge. A fresh inaccessible mapping in place of the old one drops it
    // with the memory, and merges with inaccessible neighbours.
    // SAFETY: the caller promises that it owns the range, and that nothing in it is in use.
    unsafe { map_over(start, bytes, libc::PROT_NONE) }
}

/// # Safety
///
/// As for [`super::discard`].
#[cfg(linux_kernel)]
pub(super) unsafe fn discard(start: NonNull<u8>, bytes: usize) -> Result<(), Code> {
    let advise = |advice| {
        // SAFETY: the caller promises that it owns the range, and that nothing in it is in use. Linux guarantees for
        // both kinds of advice that private anonymous memory reads as zero afterwards.
        check(unsafe { libc::madvise(start.as_ptr().cast(), bytes, advice) })
    };
    match advise(libc::MADV_DONTNEED) {
        // Not possible for locked pages (`mlockall`, a forgotten guard).
        Err(libc::EINVAL) => match advise(MADV_DONTNEED_LOCKED) {
            // SAFETY: the contract of this function is that of the call.
            Err(libc::EINVAL) => unsafe { discard_locked(start, bytes) },
            result => result,
        },
        result => result,
    }
}

/// Discards locked pages and keeps them locked. Since Linux 5.18.
#[cfg(linux_kernel)]
const MADV_DONTNEED_LOCKED: c_int = 24;

/// Discards locked pages for older kernels, which discard only unlocked ones. Pages are locked again when they are
/// touched: locking them now would make them resident.
///
/// # Safety
///
/// As for [`super::discard`].
#[cfg(linux_kernel)]
pub(super) unsafe fn discard_locked(start: NonNull<u8>, bytes: usize) -> Result<(), Code> {
    const MLOCK_ONFAULT: libc::c_uint = 1;
    // SAFETY: the caller promises that it owns the range.
    check(unsafe { libc::munlock(start.as_ptr().cast(), bytes) })?;
    // SAFETY: as in `discard`.
    let discarded =
        check(unsafe { libc::madvise(start.as_ptr().cast(), bytes, libc::MADV_DONTNEED) });
    // Called by number, since not every C library has it. A refusal does not change the result.
    // SAFETY: it does not access memory of the program.
    unsafe { libc::syscall(libc::SYS_mlock2, start.as_ptr(), bytes, MLOCK_ONFAULT) };
    discarded
}

/// # Safety
///
/// As for [`super::discard`].
#[cfg(not(linux_kernel))]
pub(super) unsafe fn discard(start: NonNull<u8>, bytes: usize) -> Result<(), Code> {
    // On other systems the old contents may still be readable after `MADV_DONTNEED` and `MADV_FREE`.
    // SAFETY: the caller promises that it owns the range, and that nothing in it is in use.
    unsafe { map_over(start, bytes, READ_WRITE) }
}

/// # Safety
///
/// As for [`super::abandon`].
#[cfg(linux_kernel)]
pub(super) unsafe fn abandon(start: NonNull<u8>, bytes: usize) -> Result<(), Code> {
    // Mapping over the pages, or unmapping them, would block all other changes of mappings while pages are freed.
    // SAFETY: the contract of this function is that of the call.
    unsafe { discard(start, bytes) }
}

/// # Safety
///
/// As for [`super::abandon`].
#[cfg(not(linux_kernel))]
pub(super) unsafe fn abandon(start: NonNull<u8>, bytes: usize) -> Result<(), Code> {
    // SAFETY: the contract of this function is that of the call.
    unsafe { decommit(start, start, bytes) }
}

/// Replaces a range by a fresh one. After a failure the old one remains.
///
/// POSIX would permit that a failed call has removed it. Linux checks its limits before it changes the old range, so
/// that only happens if the kernel has no memory for its own records, and newer kernels restore the range even then. No
/// other call returns the charge.
///
/// # Safety
///
/// - The caller owns the range, which is aligned to a page, and nothing in it is used again.
unsafe fn map_over(start: NonNull<u8>, bytes: usize, access: c_int) -> Result<(), Code> {
    let flags = MAP_FLAGS | libc::MAP_FIXED;
    // SAFETY: `MAP_FIXED` replaces the range, which the caller owns and does not use, as it promises.
    let at = unsafe { libc::mmap(start.as_ptr().cast(), bytes, access, flags, -1, 0) };
    if at == libc::MAP_FAILED { Err(last_code()) } else { Ok(()) }
}

/// # Safety
///
/// As for [`super::move_if_possible`].
#[cfg(target_os = "linux")]
pub(super) unsafe fn move_pages(
    start: NonNull<u8>,
    bytes: usize,
    new_bytes: usize,
) -> Result<NonNull<u8>, Code> {
    // Without `MREMAP_FIXED`, which would unmap the new range before it checks whether the old one can be moved.
    // SAFETY: the caller promises that it owns the range, and no longer uses it through its address.
    let at = unsafe { libc::mremap(start.as_ptr().cast(), bytes, new_bytes, libc::MREMAP_MAYMOVE) };
    if at == libc::MAP_FAILED {
        return Err(last_code());
    }
    NonNull::new(at.cast()).ok_or(libc::ENOMEM)
}

/// # Safety
///
/// As for [`super::move_if_possible`]. (Android could do it, but `libc` does not define the call there.)
#[cfg(not(target_os = "linux"))]
pub(super) unsafe fn move_pages(_: NonNull<u8>, _: usize, _: usize) -> Result<NonNull<u8>, Code> {
    Err(libc::ENOSYS)
}

/// # Safety
///
/// As for [`super::prefault`].
pub(super) unsafe fn prefault(start: NonNull<u8>, bytes: usize) -> Result<(), Code> {
    #[cfg(linux_kernel)]
    if populate::is_known() {
        // SAFETY: the caller owns the range. Populating private writable pages does not change their contents.
        return unsafe { populate::write(start, bytes) };
    }
    // SAFETY: the contract of this function is that of the call.
    unsafe { touch::pages(start, bytes, page_bytes()) }
    Ok(())
}

/// `MADV_POPULATE_WRITE`, since Linux 5.14.
#[cfg(linux_kernel)]
mod populate {
    use super::{AtomicUsize, Code, NonNull, c_int, check, last_code, once, page_bytes};

    const MADV_POPULATE_WRITE: c_int = 23;

    pub(super) fn is_known() -> bool {
        const NO: usize = 1;
        const YES: usize = 2;
        static KNOWN: AtomicUsize = AtomicUsize::new(0);

        let known = once(&KNOWN, || {
            // Advice for an empty range fails only if it is unknown. Emulators that ignore advice (qemu's user mode)
            // accept even numbers that no kernel knows.
            let is_known =
                advise_nothing(MADV_POPULATE_WRITE).is_ok() && advise_nothing(c_int::MAX).is_err();
            if is_known { YES } else { NO }
        });
        known == YES
    }

    fn advise_nothing(advice: c_int) -> Result<(), Code> {
        let anywhere = std::ptr::without_provenance_mut(page_bytes());
        // SAFETY: an empty range is not accessed.
        check(unsafe { libc::madvise(anywhere, 0, advice) })
    }

    /// # Safety
    ///
    /// - The caller owns the range, and it is committed.
    pub(super) unsafe fn write(start: NonNull<u8>, bytes: usize) -> Result<(), Code> {
        loop {
            // SAFETY: the caller promises that it owns the range.
            match unsafe { libc::madvise(start.as_ptr().cast(), bytes, MADV_POPULATE_WRITE) } {
                0 => return Ok(()),
                // Pages that were made resident stay resident, so the next call continues after them.
                _ if matches!(last_code(), libc::EINTR | libc::EAGAIN) => {}
                _ => return Err(last_code()),
            }
        }
    }
}

/// # Safety
///
/// As for [`super::advise`].
#[cfg(linux_kernel)]
pub(super) unsafe fn advise(start: NonNull<u8>, bytes: usize, advice: Advice) {
    let advice = match advice {
        Advice::HugePages => libc::MADV_HUGEPAGE,
        Advice::SmallPages => libc::MADV_NOHUGEPAGE,
        Advice::Expendable => libc::MADV_FREE,
    };
    // SAFETY: the caller owns the range, and does not need its contents if they are expendable. A kernel that does not
    // know the advice refuses, which does no harm.
    let _ = unsafe { libc::madvise(start.as_ptr().cast(), bytes, advice) };
}

/// # Safety
///
/// As for [`super::name_pages`].
#[cfg(linux_kernel)]
pub(super) unsafe fn name_pages(start: NonNull<u8>, bytes: usize, name: Option<&str>) {
    const PR_SET_VMA: c_int = 0x5356_4d41;
    const PR_SET_VMA_ANON_NAME: libc::c_ulong = 0;
    // With the zero at the end. The kernel refuses other bytes than these.
    let mut text = [0_u8; 80];
    for (to, byte) in text[..79].iter_mut().zip(name.unwrap_or_default().bytes()) {
        let is_permitted = matches!(byte, b' '..=b'~') && !b"\\`$[]".contains(&byte);
        *to = if is_permitted { byte } else { b'?' };
    }
    let text = name.map_or(std::ptr::null(), |_| text.as_ptr());
    // A refusal, as by kernels that know no names, changes nothing else.
    // SAFETY: the call reads a text up to its zero. It changes what the kernel shows of the range, which the caller owns.
    unsafe { libc::prctl(PR_SET_VMA, PR_SET_VMA_ANON_NAME, start.as_ptr(), bytes, text) };
}

/// # Safety
///
/// As for [`super::release`].
pub(super) unsafe fn release(start: NonNull<u8>, bytes: usize) -> Result<(), Code> {
    // SAFETY: the caller promises that it owns the range, and that it is not in use.
    check(unsafe { libc::munmap(start.as_ptr().cast(), bytes) })
}

/// OpenBSD does not report which pages are resident: it removed `mincore` in 6.5.
#[cfg(target_os = "openbsd")]
pub(super) fn resident_bytes(_: NonNull<u8>, _: usize) -> Result<usize, Code> {
    Err(libc::ENOTSUP)
}

#[cfg(not(target_os = "openbsd"))]
pub(super) fn resident_bytes(start: NonNull<u8>, bytes: usize) -> Result<usize, Code> {
    const PAGES: usize = 4096;
    // The pointer that `mincore` takes is signed on some systems.
    let mut pages = [0; PAGES];
    let page = page_bytes();
    let mut resident = 0;
    for offset in (0..bytes).step_by(PAGES * page) {
        let length = (bytes - offset).min(PAGES * page);
        let address = start.addr().get() + offset;
        // SAFETY: `mincore` writes one byte per page, at most `PAGES`, and does not access the pages.
        check(unsafe {
            libc::mincore(std::ptr::without_provenance_mut(address), length, pages.as_mut_ptr())
        })?;
        let count = length.div_ceil(page);
        resident += pages[..count].iter().filter(|page| **page & 1 == 1).count() * page;
    }
    Ok(resident)
}

/// Returns the limit that caused the error `code`, and its value.
pub(super) fn limit_reached(
    call: Call,
    bytes: usize,
    code: Code,
) -> Option<(ErrorKind, Option<u64>)> {
    // Locking too much fails with `EPERM` or, on Linux, `EAGAIN` and `ENOMEM`.
    if !matches!(code, libc::ENOMEM | libc::EAGAIN | libc::EPERM) {
        return None;
    }
    #[cfg(linux_kernel)]
    if let Some((kind, limit)) = limits::limit_reached(call, bytes, code) {
        return Some((kind, Some(limit)));
    }
    #[cfg(not(linux_kernel))]
    let _ = bytes;
    let kind = match call {
        Call::Reserve => ErrorKind::AddressSpace,
        Call::Lock => ErrorKind::LockLimit,
        Call::Commit | Call::Decommit | Call::Discard | Call::Prefault => ErrorKind::Memory,
        Call::Move | Call::Query | Call::Release => return None,
    };
    Some((kind, None))
}
