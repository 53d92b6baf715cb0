//! Linux, Android, macOS, iOS, FreeBSD, OpenBSD, illumos.

use super::{Call, Code, HugeAdvice, Priority, touch};
use crate::error::ErrorKind;
use std::ffi::c_int;
use std::io;
use std::mem::MaybeUninit;
use std::ptr::NonNull;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

pub(super) use super::by_region::{accessible, lock, page_bytes, unlock};

/// What a call that `fault` refuses answers.
#[cfg(test)]
pub(super) const NO_MEMORY: Code = libc::ENOMEM;

// `MAP_NORESERVE` is left out on purpose: inaccessible pages are not charged anyway, and without
// it a commit that cannot be backed is refused instead of ending in the OOM killer.
const MAP_FLAGS: c_int = libc::MAP_PRIVATE | libc::MAP_ANON;

const READ_WRITE: c_int = libc::PROT_READ | libc::PROT_WRITE;

fn check(result: c_int) -> Result<(), Code> {
    if result == 0 { Ok(()) } else { Err(last_code()) }
}

fn last_code() -> Code {
    io::Error::last_os_error().raw_os_error().unwrap_or(0)
}

#[cfg(linux_kernel)]
#[path = "linux_limits.rs"]
mod limits;

#[cfg(linux_kernel)]
pub(super) fn huge_page_bytes() -> Option<usize> {
    let bytes = limits::read_number(c"/sys/kernel/mm/transparent_hugepage/hpage_pmd_size")?;
    usize::try_from(bytes).ok()
}

#[cfg(not(linux_kernel))]
pub(super) fn huge_page_bytes() -> Option<usize> {
    None
}

/// The stack that a process begins with lies at the upper end: some processors, and kernels, have 38 or 39
/// bits of addresses. (Those of threads and coroutines lie where their makers wanted them.)
#[cfg(linux_kernel)]
pub(super) fn address_space_bytes() -> usize {
    /// 0: not asked yet. Threads that race here store the same answer.
    static BYTES: AtomicUsize = AtomicUsize::new(0);
    match BYTES.load(Ordering::Relaxed) {
        0 => {
            // SAFETY: it looks a word up that the kernel gave the process: here, an address in that stack.
            let told = unsafe { libc::getauxval(libc::AT_RANDOM) };
            let here = 0_u8;
            let told = usize::try_from(told).ok().filter(|address| *address > 0);
            let bytes = addresses_up_to(told.unwrap_or((&raw const here).addr()));
            BYTES.store(bytes, Ordering::Relaxed);
            bytes
        }
        bytes => bytes,
    }
}

/// How many addresses there are where the first stack is at one of them. Of 32 bits kernels keep a quarter
/// or a half for themselves, or five sixteenths.
#[cfg(linux_kernel)]
pub(super) fn addresses_up_to(stack: usize) -> usize {
    let end = if usize::BITS < 64 {
        stack.checked_next_multiple_of(256 << 20)
    } else {
        stack.checked_next_power_of_two()
    };
    end.unwrap_or(usize::MAX)
}

/// 47 bits, but for small devices.
#[cfg(not(linux_kernel))]
pub(super) fn address_space_bytes() -> usize {
    let bits = if cfg!(target_os = "ios") { 36 } else { 47 };
    1_usize.checked_shl(bits).unwrap_or(usize::MAX)
}

#[cfg(linux_kernel)]
pub(super) fn address_limit() -> Option<(usize, Option<usize>)> {
    let limit = limits::soft_limit(libc::RLIMIT_AS).and_then(|limit| usize::try_from(limit).ok());
    let limit = match limit {
        Some(limit) => limit.min(address_space_bytes()),
        None if usize::BITS < 64 => address_space_bytes(),
        None => return None,
    };
    Some((limit, limits::mapped_bytes().and_then(|used| usize::try_from(used).ok())))
}

#[cfg(not(linux_kernel))]
pub(super) fn address_limit() -> Option<(usize, Option<usize>)> {
    None
}

#[cfg(linux_kernel)]
pub(super) fn mapping_limit() -> Option<usize> {
    /// Where it cannot be read (no `/proc`, no more files may be opened), it is what it nearly always is.
    const USUAL: u64 = 65_530;
    usize::try_from(limits::mapping_limit().unwrap_or(USUAL)).ok()
}

#[cfg(not(linux_kernel))]
pub(super) fn mapping_limit() -> Option<usize> {
    None
}

#[cfg(linux_kernel)]
pub(super) fn locked_bytes() -> Option<u64> {
    limits::locked_bytes()
}

#[cfg(not(linux_kernel))]
pub(super) fn locked_bytes() -> Option<u64> {
    None
}

pub(super) fn memory_bytes() -> Option<u64> {
    // SAFETY: `sysconf` reads no memory of ours.
    let pages = unsafe { libc::sysconf(libc::_SC_PHYS_PAGES) };
    u64::try_from(pages).ok()?.checked_mul(page_bytes() as u64)
}

/// The one that only reads what the last tick has written.
#[cfg(linux_kernel)]
const CLOCK: libc::clockid_t = libc::CLOCK_MONOTONIC_COARSE;
#[cfg(not(linux_kernel))]
const CLOCK: libc::clockid_t = libc::CLOCK_MONOTONIC;

pub(super) fn now_ms() -> u32 {
    let mut time = MaybeUninit::<libc::timespec>::uninit();
    // SAFETY: there is room for what is written.
    if unsafe { libc::clock_gettime(CLOCK, time.as_mut_ptr()) } != 0 {
        return 0;
    }
    // SAFETY: written, since the call was not refused.
    let libc::timespec { tv_sec, tv_nsec, .. } = unsafe { time.assume_init() };
    let seconds = u64::try_from(tv_sec).unwrap_or(0);
    super::low_ms(seconds.wrapping_mul(1000), u64::try_from(tv_nsec / 1_000_000).unwrap_or(0))
}

#[cfg(linux_kernel)]
pub(super) fn available_bytes() -> Option<u64> {
    limits::available_bytes()
}

#[cfg(not(linux_kernel))]
pub(super) fn available_bytes() -> Option<u64> {
    None
}

pub(super) fn with_signals_left_to_others<R>(start: impl FnOnce() -> R) -> R {
    let mut all = MaybeUninit::<libc::sigset_t>::uninit();
    // SAFETY: `sigfillset` writes a set, which outlives the call.
    unsafe { libc::sigfillset(all.as_mut_ptr()) };
    let mut before = MaybeUninit::<libc::sigset_t>::uninit();
    // SAFETY: `all` was written by the call above, which knows no error; `before` is to be written,
    // and outlives the call. Signals wait meanwhile.
    let masked =
        unsafe { libc::pthread_sigmask(libc::SIG_SETMASK, all.as_ptr(), before.as_mut_ptr()) };
    let result = start();
    if masked == 0 {
        // SAFETY: written by the call above. The old mask is not asked for.
        unsafe { libc::pthread_sigmask(libc::SIG_SETMASK, before.as_ptr(), std::ptr::null_mut()) };
    }
    result
}

pub(super) fn forks() -> usize {
    static FORKS: AtomicUsize = AtomicUsize::new(0);
    static IS_WATCHED: AtomicBool = AtomicBool::new(false);

    extern "C" fn forked() {
        FORKS.fetch_add(1, Ordering::Relaxed);
    }

    // Threads that race here register it each. Then a fork counts as several, which is as good: every
    // fork after the first call changes the number, and nobody asks by how much.
    if !IS_WATCHED.load(Ordering::Acquire) {
        // SAFETY: the function adds to a number, which may be done after a fork. If it cannot be
        // registered (for want of memory), there is still the number of the process.
        let _ = unsafe { libc::pthread_atfork(None, None, Some(forked)) };
        IS_WATCHED.store(true, Ordering::Release);
    }
    FORKS.load(Ordering::Relaxed)
}

#[cfg(linux_kernel)]
pub(super) fn lower_priority(priority: Priority) {
    let policy = match priority {
        Priority::Background => libc::SCHED_BATCH,
        Priority::Idle => libc::SCHED_IDLE,
    };
    // SAFETY: all zero is a valid value of a structure of integers.
    let lowest: libc::sched_param = unsafe { std::mem::zeroed() };
    // SAFETY: it reads one `sched_param`. 0 stands for the calling thread; if it is refused the
    // thread goes on as it was.
    unsafe { libc::sched_setscheduler(0, policy, &raw const lowest) };
}

/// Elsewhere a thread cannot do this for itself alone, or not without a privilege.
#[cfg(not(linux_kernel))]
pub(super) fn lower_priority(_: Priority) {}

pub(super) fn reserve(bytes: usize) -> Result<NonNull<u8>, Code> {
    // SAFETY: without `MAP_FIXED` the kernel takes a range that nothing uses.
    let start =
        unsafe { libc::mmap(std::ptr::null_mut(), bytes, libc::PROT_NONE, MAP_FLAGS, -1, 0) };
    if start == libc::MAP_FAILED {
        return Err(last_code());
    }
    // Address 0 is given only to those who ask for it.
    NonNull::new(start.cast()).ok_or(libc::ENOMEM)
}

/// # Safety
///
/// As for [`super::commit`].
pub(super) unsafe fn commit(_: NonNull<u8>, start: NonNull<u8>, bytes: usize) -> Result<(), Code> {
    // SAFETY: the range is ours by the caller's promise; more access harms no one.
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
    // Taking the access away by `mprotect` would keep the charge; a fresh inaccessible mapping
    // over the old one drops both, and merges with inaccessible neighbours.
    // SAFETY: the caller promises that the range is ours and nothing in it is used.
    unsafe { map_over(start, bytes, libc::PROT_NONE) }
}

/// # Safety
///
/// As for [`super::discard`].
#[cfg(linux_kernel)]
pub(super) unsafe fn discard(start: NonNull<u8>, bytes: usize) -> Result<(), Code> {
    let advise = |advice| {
        // SAFETY: the caller promises that the range is ours and nothing in it is used; on Linux both kinds of
        // advice are a promise for private anonymous memory: it reads as zero afterwards.
        check(unsafe { libc::madvise(start.as_ptr().cast(), bytes, advice) })
    };
    match advise(libc::MADV_DONTNEED) {
        // Locked pages (`mlockall`, a forgotten guard) do not take this advice.
        Err(libc::EINVAL) => match advise(MADV_DONTNEED_LOCKED) {
            // SAFETY: the caller's promise is the same.
            Err(libc::EINVAL) => unsafe { discard_locked(start, bytes) },
            result => result,
        },
        result => result,
    }
}

/// Discards locked pages and keeps them locked. Since Linux 5.18.
#[cfg(linux_kernel)]
const MADV_DONTNEED_LOCKED: c_int = 24;

/// The same for older kernels, which discard only unlocked pages. Pages are locked again when they are touched: to lock
/// them now would bring them back.
///
/// # Safety
///
/// As for [`super::discard`].
#[cfg(linux_kernel)]
pub(super) unsafe fn discard_locked(start: NonNull<u8>, bytes: usize) -> Result<(), Code> {
    const MLOCK_ONFAULT: libc::c_uint = 1;
    // SAFETY: the range is ours by the caller's promise.
    check(unsafe { libc::munlock(start.as_ptr().cast(), bytes) })?;
    // SAFETY: as in `discard`.
    let discarded =
        check(unsafe { libc::madvise(start.as_ptr().cast(), bytes, libc::MADV_DONTNEED) });
    // By number, since not every C library has it. Its refusal does not change the result.
    // SAFETY: it reads and writes no memory.
    unsafe { libc::syscall(libc::SYS_mlock2, start.as_ptr(), bytes, MLOCK_ONFAULT) };
    discarded
}

/// # Safety
///
/// As for [`super::discard`].
#[cfg(not(linux_kernel))]
pub(super) unsafe fn discard(start: NonNull<u8>, bytes: usize) -> Result<(), Code> {
    // Elsewhere `MADV_DONTNEED` and `MADV_FREE` may leave the old contents to be read.
    // SAFETY: the caller promises that the range is ours and nothing in it is used.
    unsafe { map_over(start, bytes, READ_WRITE) }
}

/// # Safety
///
/// As for [`super::abandon`].
#[cfg(linux_kernel)]
pub(super) unsafe fn abandon(start: NonNull<u8>, bytes: usize) -> Result<(), Code> {
    // To map over them, or to unmap, would have all who change mappings wait while pages are freed.
    // SAFETY: the caller's promise is the same.
    unsafe { discard(start, bytes) }
}

/// # Safety
///
/// As for [`super::abandon`].
#[cfg(not(linux_kernel))]
pub(super) unsafe fn abandon(start: NonNull<u8>, bytes: usize) -> Result<(), Code> {
    // SAFETY: the caller's promise is the same.
    unsafe { decommit(start, start, bytes) }
}

/// Replaces a range by a fresh one. On failure the old one stands.
///
/// POSIX would let a failed call have removed it. Linux checks its limits before it touches the
/// old range, so what is left is a kernel without memory for its own records (and newer ones put
/// the range back even then). No other call hands the charge back.
///
/// # Safety
///
/// - The range is ours, at a page boundary, and nothing in it is used again.
unsafe fn map_over(start: NonNull<u8>, bytes: usize, access: c_int) -> Result<(), Code> {
    let flags = MAP_FLAGS | libc::MAP_FIXED;
    // SAFETY: `MAP_FIXED` replaces the range, which is ours and unused by the caller's promise.
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
    // Without `MREMAP_FIXED`: that unmaps what is at the new place before it looks whether the old
    // one can be moved.
    // SAFETY: the range is ours, and nothing uses it by its address any more, by the caller's promise.
    let at = unsafe { libc::mremap(start.as_ptr().cast(), bytes, new_bytes, libc::MREMAP_MAYMOVE) };
    if at == libc::MAP_FAILED {
        return Err(last_code());
    }
    NonNull::new(at.cast()).ok_or(libc::ENOMEM)
}

/// # Safety
///
/// As for [`super::move_if_possible`]. (Android could, but `libc` has no name for it there.)
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
        // SAFETY: populating private writable pages of ours changes nothing that they hold.
        return unsafe { populate::write(start, bytes) };
    }
    // SAFETY: the caller's promise is the same.
    unsafe { touch::pages(start, bytes, page_bytes()) }
    Ok(())
}

/// `MADV_POPULATE_WRITE`, which Linux has since 5.14.
#[cfg(linux_kernel)]
mod populate {
    use super::{Code, NonNull, c_int, check, last_code, page_bytes};
    use std::sync::atomic::{AtomicU8, Ordering};

    const MADV_POPULATE_WRITE: c_int = 23;

    pub(super) fn is_known() -> bool {
        const NOT_ASKED: u8 = 0;
        const NO: u8 = 1;
        const YES: u8 = 2;
        static KNOWN: AtomicU8 = AtomicU8::new(NOT_ASKED);

        let mut known = KNOWN.load(Ordering::Relaxed);
        if known == NOT_ASKED {
            // Advice for nothing is refused only if it is not known. Emulators that ignore advice
            // (qemu's user mode) do not refuse even what nobody can know.
            let is_known =
                advise_nothing(MADV_POPULATE_WRITE).is_ok() && advise_nothing(c_int::MAX).is_err();
            known = if is_known { YES } else { NO };
            // Threads that race here store the same answer.
            KNOWN.store(known, Ordering::Relaxed);
        }
        known == YES
    }

    fn advise_nothing(advice: c_int) -> Result<(), Code> {
        let anywhere = std::ptr::without_provenance_mut(page_bytes());
        // SAFETY: an empty range is not looked at.
        check(unsafe { libc::madvise(anywhere, 0, advice) })
    }

    /// # Safety
    ///
    /// - The range is ours, and committed.
    pub(super) unsafe fn write(start: NonNull<u8>, bytes: usize) -> Result<(), Code> {
        loop {
            // SAFETY: the range is ours by the caller's promise.
            match unsafe { libc::madvise(start.as_ptr().cast(), bytes, MADV_POPULATE_WRITE) } {
                0 => return Ok(()),
                // What was made resident stays so: the next try goes on behind it.
                _ if matches!(last_code(), libc::EINTR | libc::EAGAIN) => {}
                _ => return Err(last_code()),
            }
        }
    }
}

/// # Safety
///
/// As for [`super::advise_huge`].
#[cfg(linux_kernel)]
pub(super) unsafe fn advise_huge(start: NonNull<u8>, bytes: usize, advice: HugeAdvice) {
    let advice = match advice {
        HugeAdvice::Wanted => libc::MADV_HUGEPAGE,
        HugeAdvice::Unwanted => libc::MADV_NOHUGEPAGE,
    };
    // SAFETY: the range is ours by the caller's promise. A kernel without huge pages refuses,
    // and nothing is lost by it.
    let _ = unsafe { libc::madvise(start.as_ptr().cast(), bytes, advice) };
}

/// # Safety
///
/// As for [`super::advise_huge`].
#[cfg(not(linux_kernel))]
pub(super) unsafe fn advise_huge(_: NonNull<u8>, _: usize, _: HugeAdvice) {}

/// # Safety
///
/// As for [`super::release`].
pub(super) unsafe fn release(start: NonNull<u8>, bytes: usize) -> Result<(), Code> {
    // SAFETY: the caller promises that the range is ours and nothing uses it.
    check(unsafe { libc::munmap(start.as_ptr().cast(), bytes) })
}

/// OpenBSD tells nobody which pages are resident: it removed `mincore` in 6.5.
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
        // SAFETY: `mincore` writes one byte a page, at most `PAGES`, and reads no page.
        check(unsafe {
            libc::mincore(std::ptr::without_provenance_mut(address), length, pages.as_mut_ptr())
        })?;
        let count = length.div_ceil(page);
        resident += pages[..count].iter().filter(|page| **page & 1 == 1).count() * page;
    }
    Ok(resident)
}

/// Which limit made the system answer `code`, and its value.
pub(super) fn limit_behind(
    call: Call,
    bytes: usize,
    code: Code,
) -> Option<(ErrorKind, Option<u64>)> {
    // Locking more than one may answers `EPERM` or, on Linux, `EAGAIN` and `ENOMEM`.
    if !matches!(code, libc::ENOMEM | libc::EAGAIN | libc::EPERM) {
        return None;
    }
    #[cfg(linux_kernel)]
    if let Some((kind, limit)) = limits::behind(call, bytes, code) {
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
