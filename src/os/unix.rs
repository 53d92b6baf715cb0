//! Linux, Android, macOS, iOS, FreeBSD, OpenBSD, illumos.

#[cfg(linux_kernel)]
use super::{Advice, Priority, once};
use super::{Call, Code, Mapping, Pages, UnusedPages, touch};
use crate::error::ErrorKind;
use std::ffi::c_int;
use std::io;
use std::mem;
#[cfg(linux_kernel)]
use std::ops::Range;
use std::ptr::{self, NonNull};
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

#[cfg(not(linux_kernel))]
pub(crate) use super::absent::{
    address_limit, available_bytes, count_for_groups, free_bytes, group_memory, locked_bytes,
    lower_priority, mapping_limit, variable_at_start,
};
#[cfg(not(linux_kernel))]
pub(super) use super::absent::{advise, huge_page_bytes, memory_limit, name_pages, offer};
#[cfg(not(linux_kernel))]
pub(super) use super::by_region::accessible;
pub(super) use super::by_region::{lock, page_bytes, unlock};
#[cfg(linux_kernel)]
pub(crate) use groups::{count_for_groups, group_memory};
#[cfg(linux_kernel)]
pub(crate) use limits::{available_bytes, free_bytes, locked_bytes, variable_at_start};
#[cfg(all(linux_kernel, feature = "memory-map"))]
pub(crate) use mappings::ListedMapping;

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

pub(in crate::os) fn last_code() -> Code {
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

/// Returns the parts of the pages that are readable and writable. The first and the last may extend beyond them.
#[cfg(linux_kernel)]
pub(super) fn accessible(
    pages: Pages<'_>,
) -> Result<impl Iterator<Item = Result<Range<usize>, Code>> + use<>, Code> {
    Ok(mappings::accessible(pages.addresses())?.into_iter().map(Ok))
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
        // SAFETY: it has no preconditions: it reads a number that the kernel gave to the process, here an address in that
        // stack.
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
    // SAFETY: it has no preconditions, and returns a number.
    let pages = unsafe { libc::sysconf(libc::_SC_PHYS_PAGES) };
    u64::try_from(pages).ok()?.checked_mul(page_bytes() as u64)
}

/// This clock only reads what the last tick has written.
#[cfg(linux_kernel)]
const CLOCK: libc::clockid_t = libc::CLOCK_MONOTONIC_COARSE;
#[cfg(not(linux_kernel))]
const CLOCK: libc::clockid_t = libc::CLOCK_MONOTONIC;

/// A structure of the system that consists of integers.
///
/// # Safety
///
/// - All zeros are a valid value.
unsafe trait Integers: Sized {
    fn zeroed() -> Self {
        // SAFETY: "the all-zero byte-pattern is valid", as the trait promises.
        unsafe { mem::zeroed() }
    }
}

// SAFETY: two integers, and on some systems one for padding.
unsafe impl Integers for libc::timespec {}
// SAFETY: an integer, or an array of them.
unsafe impl Integers for libc::sigset_t {}
// SAFETY: an integer, and with some C libraries more of them, also in structures.
#[cfg(linux_kernel)]
unsafe impl Integers for libc::sched_param {}
// SAFETY: integers, and arrays of them.
#[cfg(linux_kernel)]
unsafe impl Integers for libc::sysinfo {}

pub(crate) fn now_ms() -> u32 {
    let mut time = libc::timespec::zeroed();
    // SAFETY: the call writes one `timespec`, to which the pointer is valid. If it is refused, the time is 0.
    let _ = unsafe { libc::clock_gettime(CLOCK, &raw mut time) };
    let seconds = u64::try_from(time.tv_sec).unwrap_or(0);
    super::low_ms(seconds.wrapping_mul(1000), u64::try_from(time.tv_nsec / 1_000_000).unwrap_or(0))
}

pub(crate) fn with_signals_left_to_others<R>(start: impl FnOnce() -> R) -> R {
    let mut all = libc::sigset_t::zeroed();
    // SAFETY: the call writes one `sigset_t`, to which the pointer is valid.
    unsafe { libc::sigfillset(&raw mut all) };
    let before = replace_signal_mask(&all);
    let result = start();
    if let Some(before) = before {
        replace_signal_mask(&before);
    }
    result
}

/// Sets which signals are pending rather than delivered to this thread, and returns which were before.
fn replace_signal_mask(mask: &libc::sigset_t) -> Option<libc::sigset_t> {
    let mut before = libc::sigset_t::zeroed();
    // SAFETY: the call reads one `sigset_t` and writes another, and both references are valid for that.
    let refused = unsafe { libc::pthread_sigmask(libc::SIG_SETMASK, mask, &raw mut before) };
    (refused == 0).then_some(before)
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
        // SAFETY: a handler in the child may call only async-signal-safe functions: this one adds to an atomic.
        let result = unsafe { libc::pthread_atfork(None, None, Some(forked)) };
        // If it cannot be registered (without memory), the next call tries again.
        IS_WATCHED.store(result == 0, Ordering::Release);
    }
    FORKS.load(Ordering::Relaxed)
}

#[cfg(linux_kernel)]
pub(crate) fn lower_priority(priority: Priority) {
    let policy = match priority {
        Priority::Background => libc::SCHED_BATCH,
        Priority::Idle => libc::SCHED_IDLE,
    };
    let lowest = libc::sched_param::zeroed();
    // 0 stands for the calling thread. If it is refused, the thread continues as before.
    // SAFETY: the call reads one `sched_param`, to which the pointer is valid.
    unsafe { libc::sched_setscheduler(0, policy, &raw const lowest) };
}

/// Maps fresh inaccessible pages: in place of others, or where the kernel chooses. After a failure the old ones remain.
///
/// POSIX would permit that a failed call has removed them, which leaves a hole that another thread may map. Linux checks
/// its limits before it changes the old range, so that only happens if the kernel has no memory for its own records, and
/// newer kernels restore the range even then. Other kernels remove the old pages first, and may then refuse to charge
/// for accessible ones (illumos, FreeBSD), but inaccessible ones have no charge. No other call returns that of the old
/// pages.
fn map(over: Option<UnusedPages<'_>>, bytes: usize) -> Result<NonNull<u8>, Code> {
    let (at, bytes, fixed) = match &over {
        Some(pages) => (pages.get().raw().0, pages.get().raw().1, libc::MAP_FIXED),
        None => (ptr::null_mut(), bytes, 0),
    };
    // SAFETY: without `MAP_FIXED` the kernel chooses a range that is not in use; with it, it replaces pages that no code
    // uses. The file is -1, so it maps no memory that others know.
    let start = unsafe { libc::mmap(at, bytes, libc::PROT_NONE, MAP_FLAGS | fixed, -1, 0) };
    if start == libc::MAP_FAILED {
        return Err(last_code());
    }
    // Address 0 is only returned on request.
    NonNull::new(start.cast()).ok_or(libc::ENOMEM)
}

pub(super) fn reserve(bytes: usize) -> Result<NonNull<u8>, Code> {
    map(None, bytes)
}

pub(super) fn commit(pages: Pages<'_>) -> Result<(), Code> {
    let (start, bytes) = pages.raw();
    // SAFETY: the pages are part of a mapping of this crate, so no other code relies on their being inaccessible.
    check(unsafe { libc::mprotect(start, bytes, READ_WRITE) })
}

pub(super) fn decommit(pages: UnusedPages<'_>) -> Result<(), Code> {
    // `mprotect` without access would keep the charge. A fresh inaccessible mapping in place of the old one drops it
    // with the memory, and merges with inaccessible neighbours.
    map(Some(pages), 0).map(drop)
}

/// Advice by which the contents of pages are lost. Linux guarantees that private anonymous memory reads as zero
/// afterwards, or with the last one, once the kernel has taken the pages.
#[cfg(linux_kernel)]
#[derive(Clone, Copy)]
#[repr(i32)]
enum LosingAdvice {
    DontNeed = libc::MADV_DONTNEED,
    /// Keeps locked pages locked. Since Linux 5.18.
    DontNeedLocked = 24,
    Free = libc::MADV_FREE,
}

#[cfg(linux_kernel)]
fn lose(pages: UnusedPages<'_>, advice: LosingAdvice) -> Result<(), Code> {
    let (start, bytes) = pages.get().raw();
    // SAFETY: the pages are part of a mapping of this crate, and no code uses what is in them.
    check(unsafe { libc::madvise(start, bytes, advice as c_int) })
}

#[cfg(linux_kernel)]
pub(super) fn discard(pages: UnusedPages<'_>) -> Result<(), Code> {
    match lose(pages, LosingAdvice::DontNeed) {
        // Not possible for locked pages (`mlockall`, a forgotten guard).
        Err(libc::EINVAL) => match lose(pages, LosingAdvice::DontNeedLocked) {
            Err(libc::EINVAL) => discard_locked(pages),
            result => result,
        },
        result => result,
    }
}

/// Discards locked pages for older kernels, which discard only unlocked ones. Pages are locked again when they are
/// touched: locking them now would make them resident.
#[cfg(linux_kernel)]
pub(super) fn discard_locked(pages: UnusedPages<'_>) -> Result<(), Code> {
    const MLOCK_ONFAULT: libc::c_uint = 1;
    unlock(pages.get())?;
    let discarded = lose(pages, LosingAdvice::DontNeed);
    let (start, bytes) = pages.get().raw();
    // Called by number, since not every C library has it. A refusal does not change the result.
    // SAFETY: the arguments are those of `mlock2`, which changes no contents.
    unsafe { libc::syscall(libc::SYS_mlock2, start, bytes, MLOCK_ONFAULT) };
    discarded
}

/// On other systems the old contents may still be readable after `MADV_DONTNEED` and `MADV_FREE`.
#[cfg(not(linux_kernel))]
pub(super) fn discard(pages: UnusedPages<'_>) -> Result<(), Code> {
    // In two steps: see `map`.
    decommit(pages)?;
    commit(pages.get())
}

/// Mapping over the pages, or unmapping them, would block all other changes of mappings while pages are freed.
#[cfg(linux_kernel)]
pub(super) use discard as abandon;

#[cfg(not(linux_kernel))]
pub(super) use decommit as abandon;

/// # Safety
///
/// - The conditions of [`Pages::prefault`].
pub(super) unsafe fn prefault(pages: Pages<'_>) -> Result<(), Code> {
    #[cfg(linux_kernel)]
    if populate::is_known() {
        return populate::write(pages);
    }
    // SAFETY: the caller promises that the pages are committed, and that other threads access them only if touching is
    // shared, which is what `PREFAULTING_IS_SHARED` stands for here.
    unsafe { touch::pages(pages, page_bytes()) }
    Ok(())
}

/// Advice that does not change contents.
#[cfg(linux_kernel)]
#[derive(Clone, Copy)]
#[repr(i32)]
enum KeepingAdvice {
    HugePages = libc::MADV_HUGEPAGE,
    SmallPages = libc::MADV_NOHUGEPAGE,
    /// `MADV_POPULATE_WRITE`, since Linux 5.14.
    Populate = 23,
}

#[cfg(linux_kernel)]
fn keep(pages: Pages<'_>, advice: KeepingAdvice) -> Result<(), Code> {
    let (start, bytes) = pages.raw();
    // SAFETY: the pages are part of a mapping of this crate, and the advice changes neither contents nor access.
    check(unsafe { libc::madvise(start, bytes, advice as c_int) })
}

#[cfg(target_os = "linux")]
pub(in crate::os) use populate::is_known as knows_populate;

#[cfg(linux_kernel)]
mod populate {
    use super::{
        AtomicUsize, Code, KeepingAdvice, Pages, c_int, check, keep, once, page_bytes, ptr,
    };

    pub(in crate::os) fn is_known() -> bool {
        const NO: usize = 1;
        const YES: usize = 2;
        static KNOWN: AtomicUsize = AtomicUsize::new(0);

        let known = once(&KNOWN, || {
            // Advice for an empty range fails only if it is unknown. Emulators that ignore advice (qemu's user mode)
            // accept even numbers that no kernel knows.
            let is_known = advise_nothing(KeepingAdvice::Populate as c_int).is_ok()
                && advise_nothing(c_int::MAX).is_err();
            if is_known { YES } else { NO }
        });
        known == YES
    }

    fn advise_nothing(advice: c_int) -> Result<(), Code> {
        // SAFETY: it applies to the pages of an empty range, of which there are none.
        check(unsafe { libc::madvise(ptr::without_provenance_mut(page_bytes()), 0, advice) })
    }

    pub(super) fn write(pages: Pages<'_>) -> Result<(), Code> {
        loop {
            match keep(pages, KeepingAdvice::Populate) {
                // Pages that were made resident stay resident, so the next call continues after them.
                Err(libc::EINTR | libc::EAGAIN) => {}
                result => return result,
            }
        }
    }
}

/// A kernel that does not know the advice refuses, which does no harm.
#[cfg(linux_kernel)]
pub(super) fn advise(pages: Pages<'_>, advice: Advice) {
    let _ = match advice {
        Advice::HugePages => keep(pages, KeepingAdvice::HugePages),
        Advice::SmallPages => keep(pages, KeepingAdvice::SmallPages),
    };
}

#[cfg(linux_kernel)]
pub(super) fn offer(pages: UnusedPages<'_>) {
    let _ = lose(pages, LosingAdvice::Free);
}

#[cfg(linux_kernel)]
pub(super) fn name_pages(pages: Pages<'_>, name: Option<&str>) {
    const PR_SET_VMA: c_int = 0x5356_4d41;
    const PR_SET_VMA_ANON_NAME: libc::c_ulong = 0;
    // With the zero at the end. The kernel refuses other bytes than these.
    let mut text = [0_u8; 80];
    for (to, byte) in text[..79].iter_mut().zip(name.unwrap_or_default().bytes()) {
        let is_permitted = matches!(byte, b' '..=b'~') && !b"\\`$[]".contains(&byte);
        *to = if is_permitted { byte } else { b'?' };
    }
    let text = name.map_or(ptr::null(), |_| text.as_ptr());
    let (start, bytes) = pages.raw();
    // A refusal, as by kernels that know no names, changes nothing else.
    // SAFETY: the call reads a text up to its zero, which is at the end of the array, or nothing if `text` is null. It
    // changes what the kernel shows of pages that are part of a mapping of this crate.
    unsafe { libc::prctl(PR_SET_VMA, PR_SET_VMA_ANON_NAME, start, bytes, text) };
}

pub(super) fn release(mapping: Mapping) -> Result<(), Mapping> {
    let (start, bytes) = mapping.all().raw();
    // SAFETY: `mapping` owned the range, and ends here unless the kernel refuses, which then has changed nothing. Nothing
    // borrows it, so no `Pages` of it are left.
    check(unsafe { libc::munmap(start, bytes) }).map_err(|_| mapping)
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
        // SAFETY: `mincore` writes one byte for each of at most `PAGES` pages, as many as the array has, and does not
        // access the pages.
        check(unsafe {
            libc::mincore(ptr::without_provenance_mut(address), length, pages.as_mut_ptr())
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
