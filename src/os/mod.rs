//! The system calls of the crate. No other module knows an operating system.
//!
//! The sibling files have the same functions, and return the system's error codes. This file turns a code into an
//! [`Error`] and defines the contract, which `tests.rs` checks on each system.
//!
//! | call | memory | charge | contents afterwards |
//! |---|---|---|---|
//! | [`reserve`] | none | none | inaccessible |
//! | [`commit`] | none yet | added | zero where it was inaccessible, otherwise kept |
//! | [`prefault`] | resident | unchanged | kept |
//! | [`discard`] | returned | kept | zero |
//! | [`decommit`] | returned | returned | inaccessible |
//! | [`move_if_possible`] | kept | added for what is more | kept, at another address |
//! | [`release`] | returned | returned | no longer owned |
//!
//! All of them can be called from any thread, and none allocates; [`committed_bytes`] and [`resident_bytes`] may.
//!
//! Without virtual memory, a reservation is a block of the system's allocator. `heap.rs` describes what of the table
//! holds there.
//!
//! # Forks
//!
//! Nothing here holds a lock, nor do the modules built on this, except for the [service](crate::service), which a child
//! of a fork replaces. Values that are determined once are kept in atomics, and determined twice if threads race:
//! otherwise the child of a fork could wait for ever for a thread that was determining one in the parent. So in a
//! child, arrays may be created, grown, made resident, shrunk and dropped, whatever other threads did at the time of
//! the fork. In addition, this takes:
//!
//! - the allocator, for the [service](crate::service) and for what maps store on the heap: those of glibc, musl, macOS
//!   and the BSDs can be used in such a child.
//! - the environment, once: std acquires a read lock, which only waits for a thread that changes the environment, and
//!   that is not permitted in a program with several threads.
//!
//! # Locks of the system
//!
//! Calls that make pages accessible or inaccessible hold the process's only lock of mappings for a moment, and wait for
//! others that hold it. [`prefault`] and [`discard`] share this lock while they run, and Linux prefers a thread that
//! shares it again at once to waiting ones, for up to 4 ms: repeated calls block other threads from mapping. [`touch`]
//! does not: a page fault shares the lock only for a moment, or, since Linux 6.4, not at all.

#![expect(unsafe_code, reason = "passes raw ranges to the system")]

use crate::error::{Error, ErrorKind};
use crate::page::{PageBytes, PageSize};
#[cfg(all(feature = "memory-map", not(linux_kernel), not(no_vm)))]
use std::ops::Range;
use std::ptr::NonNull;
use std::sync::atomic::{AtomicUsize, Ordering};

#[cfg(not(linux_kernel))]
mod absent;
#[cfg(not(no_vm))]
mod by_region;
#[cfg(unix_vm)]
#[path = "unix.rs"]
mod sys;
#[cfg(windows_vm)]
#[path = "windows.rs"]
mod sys;
#[cfg(no_vm)]
#[path = "heap.rs"]
mod sys;
mod touch;

#[cfg(test)]
pub(crate) mod fault;
#[cfg(test)]
mod tests;

/// Whether there is virtual memory. If not, a reservation allocates all of its memory, so code that can do without
/// one does.
pub(crate) const IS_SUPPORTED: bool = cfg!(not(no_vm));

/// The calls that a system can refuse.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Call {
    Reserve,
    Commit,
    Decommit,
    Discard,
    Prefault,
    Lock,
    Move,
    Query,
    Release,
}

/// The error code of the system.
type Code = i32;

/// Makes a call, unless a test has it refused.
fn call_system<R>(call: Call, make: impl FnOnce() -> Result<R, Code>) -> Result<R, Code> {
    #[cfg(test)]
    if fault::should_fail(call) {
        return Err(sys::NO_MEMORY);
    }
    #[cfg(not(test))]
    let _ = call;
    make()
}

/// Makes a call, and turns a refusal into an error.
fn attempt<R>(
    call: Call,
    bytes: usize,
    make: impl FnOnce() -> Result<R, Code>,
) -> Result<R, Error> {
    call_system(call, make).map_err(|code| explain(call, bytes, code))
}

/// [`call_system`] for a range. Does nothing if the range is empty.
fn call_on_range(
    call: Call,
    bytes: PageBytes,
    make: impl FnOnce(usize) -> Result<(), Code>,
) -> Result<(), Refusal> {
    let bytes = bytes.get();
    if bytes == 0 {
        return Ok(());
    }
    call_system(call, || make(bytes)).map_err(|code| Refusal { call, bytes, code })
}

/// A refused call. The reason is determined only when this becomes an [`Error`], since many callers try a smaller
/// request, or continue without.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Refusal {
    call: Call,
    bytes: usize,
    code: Code,
}

impl From<Refusal> for Error {
    fn from(Refusal { call, bytes, code }: Refusal) -> Self {
        explain(call, bytes, code)
    }
}

/// Determines the limit that caused a refusal, which may take milliseconds.
#[cold]
fn explain(call: Call, bytes: usize, code: Code) -> Error {
    let error = match sys::limit_reached(call, bytes, code) {
        Some((kind, Some(limit))) => Error::new(kind, bytes).with_limit(limit),
        Some((kind, None)) => Error::new(kind, bytes),
        None => Error::new(ErrorKind::System, bytes),
    };
    error.with_code(code)
}

/// The error of a mapping that another module requested, and the system refused with this code.
#[cfg(feature = "file")]
pub(crate) fn mapping_refused(bytes: usize, code: i32) -> Error {
    explain(Call::Reserve, bytes, code)
}

#[inline(never)]
pub(crate) fn page_size() -> PageSize {
    PageSize::new(sys::page_bytes()).expect("systems have pages of a power of two bytes")
}

/// The size of a huge page that [`advise`] can provide, if any.
#[inline(never)]
pub(crate) fn huge_page_bytes() -> Option<usize> {
    /// 1 stands for none.
    static HUGE: AtomicUsize = AtomicUsize::new(0);
    let huge = once(&HUGE, || {
        let huge = sys::huge_page_bytes();
        huge.filter(|huge| huge.is_power_of_two() && *huge > page_size().get()).unwrap_or(1)
    });
    (huge > 1).then_some(huge)
}

/// Returns a number, not 0, that is determined once. Threads that race here determine the same number.
pub(crate) fn once(found: &AtomicUsize, find: impl FnOnce() -> usize) -> usize {
    match found.load(Ordering::Relaxed) {
        0 => {
            let number = find();
            found.store(number, Ordering::Relaxed);
            number
        }
        number => number,
    }
}

/// How many bytes of addresses a process on this system can have, approximately.
pub(crate) fn address_space_bytes() -> usize {
    sys::address_space_bytes()
}

/// How many bytes of addresses this process may use, if the limit is low enough to matter, and how many it uses, if
/// that is known.
pub(crate) use sys::address_limit;

/// How many mappings a process may have, if that is limited.
pub(crate) use sys::mapping_limit;

/// How many bytes the process has locked, if that is known. If all mappings are locked, addresses count, too.
pub(crate) use sys::locked_bytes;

/// The machine's memory in bytes, if that is known.
pub(crate) fn memory_bytes() -> Option<u64> {
    sys::memory_bytes()
}

/// What the control groups of the process let it have, in bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct GroupMemory {
    /// The lowest limit of a group.
    pub(crate) limit: u64,
    /// How many more bytes fit below each limit.
    pub(crate) available: u64,
    /// Whether threads of the groups, or of the machine, wait for memory a tenth of the time.
    pub(crate) is_pressed: bool,
}

impl GroupMemory {
    pub(crate) const UNLIMITED: Self =
        Self { limit: u64::MAX, available: u64::MAX, is_pressed: false };

    /// Whether little is available: less than a sixteenth, or threads wait for it.
    pub(crate) fn is_little(self) -> bool {
        self.is_pressed || self.available < self.limit / 16
    }
}

/// Returns what the control groups of the process let it have, as of at most a second ago, less what was counted since.
/// Reads several files for each group, which may take a millisecond.
pub(crate) use sys::group_memory;

/// Counts bytes that are about to be used, until the files of the groups are read again.
pub(crate) use sys::count_for_groups;

/// How much memory the process can have: the machine's, or less if control groups or `RLIMIT_DATA` limit it. The limit
/// of the groups may be an older one, so that files are only read once.
pub(crate) fn usable_memory_bytes() -> Option<u64> {
    memory_bytes().map(|bytes| bytes.min(sys::memory_limit()))
}

/// The number of this process. The child of a fork has another, unless it has a namespace of its own. 0 where processes
/// have no numbers.
pub(crate) fn process_id() -> usize {
    if IS_SUPPORTED { std::process::id() as usize } else { 0 }
}

/// Copies the value of an environment variable into `value`, and returns it: on Linux the value at the start of the
/// process, on Windows the current one. `None` if it is not set, or longer than `value`, and on other systems.
///
/// Does not allocate, and acquires no lock of std's, so that the global allocator can call it at any time.
pub(crate) use sys::variable_at_start;

/// The time in milliseconds, from a clock that is quick to read and may be a few behind. It wraps around every seven
/// weeks.
pub(crate) use sys::now_ms;

/// The lower half of the sum.
#[cfg(not(no_vm))]
#[expect(clippy::cast_possible_truncation, reason = "the lower half is wanted")]
const fn low_ms(whole: u64, rest: u64) -> u32 {
    whole.wrapping_add(rest) as u32
}

/// The decimal number at the start of a text, and the rest of the text.
#[inline(never)]
pub(crate) fn leading_number(text: &[u8]) -> Option<(u64, &[u8])> {
    let (mut number, mut rest) = (0_u64, text);
    while let [digit @ b'0'..=b'9', after @ ..] = rest {
        number = number.checked_mul(10)?.checked_add(u64::from(*digit - b'0'))?;
        rest = after;
    }
    (rest.len() < text.len()).then_some((number, rest))
}

/// Reserves an inaccessible range of addresses, aligned to a page.
pub(crate) fn reserve(bytes: PageBytes) -> Result<NonNull<u8>, Error> {
    attempt(Call::Reserve, bytes.get(), || sys::reserve(bytes.get()))
}

/// [`reserve`] without the reason for a refusal.
pub(crate) fn reserve_if_possible(bytes: PageBytes) -> Option<NonNull<u8>> {
    call_system(Call::Reserve, || sys::reserve(bytes.get())).ok()
}

/// Makes pages readable and writable, and reserves memory for them in the system's accounting.
///
/// `of` is the start of the reservation, which some systems need.
///
/// After a failure the contents are unchanged, and some of the pages may have become accessible.
///
/// # Safety
///
/// - `of` is the start of a range that [`reserve`] or [`move_if_possible`] returned, and that was not released.
/// - `start` is aligned to a page, and the range from there on lies inside that one.
pub(crate) unsafe fn commit(
    of: NonNull<u8>,
    start: NonNull<u8>,
    bytes: PageBytes,
) -> Result<(), Refusal> {
    call_on_range(Call::Commit, bytes, |bytes| {
        // SAFETY: the contract of this function is that of the call.
        unsafe { sys::commit(of, start, bytes) }
    })
}

/// Returns the memory and its charge; the pages become inaccessible.
///
/// After a failure the contents are unchanged.
///
/// # Safety
///
/// - The conditions of [`commit`].
/// - The range is not accessed until it is committed again.
pub(crate) unsafe fn decommit(
    of: NonNull<u8>,
    start: NonNull<u8>,
    bytes: PageBytes,
) -> Result<(), Refusal> {
    call_on_range(Call::Decommit, bytes, |bytes| {
        // SAFETY: the contract of this function is that of the call.
        unsafe { sys::decommit(of, start, bytes) }
    })
}

/// Returns the memory of committed pages and keeps them accessible. They read as zero.
///
/// After a failure the contents are unchanged; but a system that discards by decommitting leaves the range inaccessible
/// if it refuses to commit again.
///
/// # Safety
///
/// - The conditions of [`commit`], and the range is committed.
/// - Nothing in the range is referenced, and no value there is used again.
pub(crate) unsafe fn discard(start: NonNull<u8>, bytes: PageBytes) -> Result<(), Refusal> {
    call_on_range(Call::Discard, bytes, |bytes| {
        // SAFETY: the contract of this function is that of the call.
        unsafe { sys::discard(start, bytes) }
    })
}

/// Returns the memory of pages whose reservation is about to be released, in the way that blocks other threads least.
/// The contents are lost, and the pages may be inaccessible.
///
/// # Safety
///
/// - The conditions of [`decommit`].
pub(crate) unsafe fn abandon(start: NonNull<u8>, bytes: PageBytes) -> Result<(), Refusal> {
    call_on_range(Call::Discard, bytes, |bytes| {
        // SAFETY: the contract of this function is that of the call.
        unsafe { sys::abandon(start, bytes) }
    })
}

/// Makes committed pages resident, so that touching them takes no page fault. The contents are unchanged.
///
/// # Safety
///
/// - The conditions of [`commit`], and the range is committed.
/// - Unless [`PREFAULTING_IS_SHARED`], no other thread accesses it non-atomically meanwhile.
pub(crate) unsafe fn prefault(start: NonNull<u8>, bytes: PageBytes) -> Result<(), Refusal> {
    call_on_range(Call::Prefault, bytes, |bytes| {
        // SAFETY: the contract of this function is that of the call.
        unsafe { sys::prefault(start, bytes) }
    })
}

/// [`prefault`] by a page fault for each page. It takes somewhat longer, but holds no lock for longer than one page
/// fault.
///
/// # Safety
///
/// - The conditions of [`prefault`], except that other threads may access the range only if [`TOUCHING_IS_SHARED`].
pub(crate) unsafe fn touch(start: NonNull<u8>, bytes: PageBytes) -> Result<(), Error> {
    attempt(Call::Prefault, bytes.get(), || {
        // SAFETY: the contract of this function is that of the call.
        unsafe { touch::pages(start, bytes.get(), sys::page_bytes()) }
        Ok(())
    })
}

/// Whether [`release`] can release a part of a reservation, or several at once.
pub(crate) const RELEASES_PARTS: bool = cfg!(unix_vm);

/// Whether [`move_if_possible`] can succeed.
pub(crate) const MOVES: bool = cfg!(all(target_os = "linux", not(no_vm)));

/// Whether other threads may use pages while they are touched.
pub(crate) const TOUCHING_IS_SHARED: bool = touch::IS_SHARED;

/// Whether other threads may use pages while [`prefault`] makes them resident. Without virtual memory, it does nothing.
pub(crate) const PREFAULTING_IS_SHARED: bool = TOUCHING_IS_SHARED || cfg!(no_vm);

/// Moves committed pages, without copying, to a range of `new_bytes` at an address that the system chooses, all of it
/// committed. Additional bytes are zero; if it is smaller, the rest is lost. The old range must not be used again,
/// unless the pages have stayed there.
///
/// Not every system can do this, and none can for pages with different attributes. After a failure nothing has changed.
///
/// # Safety
///
/// - The conditions of [`commit`]. The range is committed and not empty.
/// - Memory of the range is not accessed through its old address again.
pub(crate) unsafe fn move_if_possible(
    start: NonNull<u8>,
    bytes: PageBytes,
    new_bytes: PageBytes,
) -> Option<NonNull<u8>> {
    call_system(Call::Move, || {
        // SAFETY: the contract of this function is that of the call.
        unsafe { sys::move_pages(start, bytes.get(), new_bytes.get()) }
    })
    .ok()
}

/// How many bytes of memory are available without taking them from other processes, if that is known.
pub(crate) use sys::available_bytes;

/// How many bytes of memory hold nothing, if that is known: most of the [available](available_bytes) ones, and quicker to
/// ask for. Some are kept for the system.
pub(crate) use sys::free_bytes;

#[cfg(all(linux_kernel, feature = "memory-map"))]
pub(crate) use sys::Mapping;

/// Calls a function that starts a thread, with all signals blocked, so that none is delivered to the thread, which
/// inherits the mask: handlers of the program may rely on running on its own threads.
pub(crate) use sys::with_signals_left_to_others;

/// How many times this process and its ancestors were forked since the first call.
pub(crate) use sys::forks;

/// The priority of a thread that must not hinder others, as far as the system supports it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Priority {
    /// It does not preempt running threads when it has something to do.
    Background,
    /// It runs only while no other thread can.
    Idle,
}

/// Sets the priority of the calling thread.
pub(crate) use sys::lower_priority;

/// Tells the system about the use of a range. The system may ignore it, and only speed depends on it, so a refusal is
/// ignored.
///
/// # Safety
///
/// - The conditions of [`commit`]. The contents of [expendable](Advice::Expendable) pages are not needed.
pub(crate) unsafe fn advise(start: NonNull<u8>, bytes: PageBytes, advice: Advice) {
    if bytes != PageBytes::ZERO {
        // SAFETY: the contract of this function is that of the call.
        unsafe { sys::advise(start, bytes.get(), advice) }
    }
}

/// Advice about a range.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Advice {
    /// Use huge pages.
    HugePages,
    /// Use no huge pages.
    SmallPages,
    /// Take pages away when there is little memory, until they are written to again. They read as zero then.
    Expendable,
}

/// Releases a reservation, and returns whether that succeeded. The reason for a refusal is not determined, since it
/// would be of no use.
///
/// # Safety
///
/// - The range is exactly one that [`reserve`] or [`move_if_possible`] returned, or what is left of one; if
///   [`RELEASES_PARTS`], also a part of one, or several adjacent ones. It is not used again.
pub(crate) unsafe fn release(start: NonNull<u8>, bytes: PageBytes) -> bool {
    call_system(Call::Release, || {
        // SAFETY: the contract of this function is that of the call.
        unsafe { sys::release(start, bytes.get()) }
    })
    .is_ok()
}

/// Sets the name that the system shows with pages in its list of mappings, if it can. `None` removes it.
///
/// # Safety
///
/// - The conditions of [`commit`].
pub(crate) unsafe fn name_pages(start: NonNull<u8>, bytes: PageBytes, name: Option<&str>) {
    // SAFETY: the contract of this function is that of the call.
    unsafe { sys::name_pages(start, bytes.get(), name) }
}

/// Returns how many bytes of the range are committed.
///
/// # Safety
///
/// - The conditions of [`commit`].
pub(crate) unsafe fn committed_bytes(
    of: NonNull<u8>,
    start: NonNull<u8>,
    bytes: PageBytes,
) -> Result<usize, Error> {
    let mut sum = 0;
    let visit = |_, part: PageBytes| {
        sum += part.get();
        Ok(())
    };
    // SAFETY: the contract of this function is that of the call.
    unsafe { for_each_committed(of, start, bytes, visit) }?;
    Ok(sum)
}

/// Returns how many bytes of the range are resident.
///
/// # Safety
///
/// - The conditions of [`commit`].
pub(crate) unsafe fn resident_bytes(
    of: NonNull<u8>,
    start: NonNull<u8>,
    bytes: PageBytes,
) -> Result<usize, Error> {
    let mut sum = 0;
    let visit = |start, part: PageBytes| {
        sum += attempt(Call::Query, part.get(), || sys::resident_bytes(start, part.get()))?;
        Ok(())
    };
    // A reservation may have billions of pages, of which only committed ones can be resident.
    // SAFETY: the contract of this function is that of the call.
    unsafe { for_each_committed(of, start, bytes, visit) }?;
    Ok(sum)
}

/// Returns how many bytes of the range are resident, if that is known. Makes one call for a few thousand pages.
pub(crate) fn resident_bytes_within(start: NonNull<u8>, bytes: PageBytes) -> Option<usize> {
    call_system(Call::Query, || sys::resident_bytes(start, bytes.get())).ok()
}

/// Calls `visit` with each part of a range that is readable and writable; other code may own it. Returns `false` if that
/// is unknown.
#[cfg(all(feature = "memory-map", not(linux_kernel), not(no_vm)))]
pub(crate) fn visit_accessible(range: Range<usize>, mut visit: impl FnMut(Range<usize>)) -> bool {
    let Some(start) = NonNull::new(std::ptr::without_provenance_mut(range.start)) else {
        return false;
    };
    // SAFETY: the range may be any.
    let Ok(mut parts) = (unsafe { sys::accessible(start, start, range.len()) }) else {
        return false;
    };
    parts.all(|part| {
        let part = part.map(|part| part.start.max(range.start)..part.end.min(range.end));
        part.map(&mut visit).is_ok()
    })
}

/// Calls `visit` with each committed part of the range, in address order.
///
/// # Safety
///
/// - The conditions of [`commit`].
unsafe fn for_each_committed(
    of: NonNull<u8>,
    start: NonNull<u8>,
    bytes: PageBytes,
    mut visit: impl FnMut(NonNull<u8>, PageBytes) -> Result<(), Error>,
) -> Result<(), Error> {
    if bytes == PageBytes::ZERO {
        return Ok(());
    }
    let first = start.addr().get();
    let end = first + bytes.get();
    let mut parts = attempt(Call::Query, bytes.get(), || {
        // SAFETY: the contract of this function is that of the call.
        unsafe { sys::accessible(of, start, bytes.get()) }
    })?;
    while let Some(part) = attempt(Call::Query, bytes.get(), || parts.next().transpose())? {
        let part_start = part.start.max(first);
        let part_end = part.end.min(end);
        let Some(length) = part_end.checked_sub(part_start) else { continue };
        let length = PageBytes::exact(length, page_size()).expect("mappings are whole pages");
        let address = start.map_addr(|_| {
            // At least `first`, the address of a `NonNull`.
            part_start.try_into().expect("above null")
        });
        visit(address, length)?;
    }
    Ok(())
}

/// Locks committed pages in memory until they are unlocked or released.
pub(crate) fn lock(start: NonNull<u8>, bytes: PageBytes) -> Result<(), Refusal> {
    call_on_range(Call::Lock, bytes, |bytes| sys::lock(start, bytes))
}

/// Undoes [`lock`]. Pages that are not locked are no error, since locks do not nest.
///
/// # Safety
///
/// - The conditions of [`commit`].
pub(crate) unsafe fn unlock(start: NonNull<u8>, bytes: PageBytes) {
    if bytes != PageBytes::ZERO {
        // SAFETY: the contract of this function is that of the call.
        unsafe { sys::unlock(start, bytes.get()) }
    }
}
