//! What the crate asks of the system, and nothing more: the only module that knows one.
//!
//! The sibling files have the same functions, and answer a refusal with the system's own code;
//! this file turns the code into an [`Error`] and gives the contract, which `tests.rs` runs
//! against whichever of them was built.
//!
//! | call | memory | charge | contents after |
//! |---|---|---|---|
//! | [`reserve`] | none | none | inaccessible |
//! | [`commit`] | none yet | taken | zero where it was inaccessible, else kept |
//! | [`prefault`] | resident | as it was | kept |
//! | [`discard`] | handed back | kept | zero |
//! | [`decommit`] | handed back | handed back | inaccessible |
//! | [`move_if_possible`] | stays | taken for what is more | kept, elsewhere |
//! | [`release`] | handed back | handed back | not ours any more |
//!
//! All of them may be called from any thread, and none of them allocates; [`committed_bytes`] and
//! [`resident_bytes`] may.
//!
//! Where there is no virtual memory, a reservation is a block of the system's allocator. `heap.rs` says what of the
//! table holds there.
//!
//! # Forks
//!
//! Nothing here is locked while it is done, nor in the modules that stand on this but for the
//! [service](crate::service), which a child of a fork replaces. What is found out once is kept in atomics,
//! and found out twice where threads race: the child of a fork would wait for ever for another thread
//! that was in the midst of it in the parent. So in a child, arrays may be made, grown, made resident,
//! shrunk and dropped, whatever other threads were doing to theirs when the process forked. What else it takes:
//!
//! - the allocator, in the [service](crate::service) and for what maps keep beside their memory: those of
//!   glibc, musl, macOS and the BSDs may be used in such a child.
//! - the environment, once: std locks it for reading, which waits for nobody but who changes it, and that
//!   a program with several threads may not do.
//!
//! # Locks of the system
//!
//! Those that make pages accessible, or change it, take the process' one lock of mappings for a
//! moment, and wait for whoever has it. [`prefault`] and [`discard`] share it for as long as they
//! take, and Linux lets whoever shares it again at once go before whoever waits, for up to 4 ms:
//! done over and over they keep others from mapping. [`touch`] does not: a page fault holds it for
//! a moment, or, in Linux since 6.4, not at all.

#![expect(unsafe_code, reason = "passes on the callers' promises about raw ranges")]

use crate::error::{Error, ErrorKind};
use crate::page::{PageBytes, PageSize};
use std::ptr::NonNull;
use std::sync::atomic::{AtomicUsize, Ordering};

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

/// Whether there is virtual memory. If not, a reservation takes memory from the allocator, and whoever can do without
/// does.
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

/// The code a system gives when it refuses.
type Code = i32;

/// Makes a call, unless a test wants it refused.
fn ask<R>(call: Call, make: impl FnOnce() -> Result<R, Code>) -> Result<R, Code> {
    #[cfg(test)]
    if fault::strikes(call) {
        return Err(sys::NO_MEMORY);
    }
    #[cfg(not(test))]
    let _ = call;
    make()
}

/// Makes a call, and explains a refusal.
fn attempt<R>(
    call: Call,
    bytes: usize,
    make: impl FnOnce() -> Result<R, Code>,
) -> Result<R, Error> {
    ask(call, make).map_err(|code| explain(call, bytes, code))
}

/// [`attempt`] on a range, unless it is empty.
fn attempt_on(
    call: Call,
    bytes: PageBytes,
    make: impl FnOnce(usize) -> Result<(), Code>,
) -> Result<(), Error> {
    if bytes == PageBytes::ZERO {
        return Ok(());
    }
    attempt(call, bytes.get(), || make(bytes.get()))
}

/// [`ask`] on a range, unless it is empty; whether it was not refused.
fn ask_on(call: Call, bytes: PageBytes, make: impl FnOnce(usize) -> Result<(), Code>) -> bool {
    bytes == PageBytes::ZERO || ask(call, || make(bytes.get())).is_ok()
}

/// Which limit stands behind a refusal. Finding out may take milliseconds.
#[cold]
fn explain(call: Call, bytes: usize, code: Code) -> Error {
    let error = match sys::limit_behind(call, bytes, code) {
        Some((kind, Some(limit))) => Error::new(kind, bytes).with_limit(limit),
        Some((kind, None)) => Error::new(kind, bytes),
        None => Error::new(ErrorKind::System, bytes),
    };
    error.with_code(code)
}

/// The error of a mapping that others asked for, and that the system refused with this code.
#[cfg(feature = "file")]
pub(crate) fn mapping_refused(bytes: usize, code: i32) -> Error {
    explain(Call::Reserve, bytes, code)
}

/// The size of a page.
#[inline(never)]
pub(crate) fn page_size() -> PageSize {
    PageSize::new(sys::page_bytes()).expect("systems have pages of a power of two bytes")
}

/// The size of a huge page that [`advise_huge`] can bring, where there is one.
#[inline(never)]
pub(crate) fn huge_page_bytes() -> Option<usize> {
    // 0: not asked yet. 1: there is none.
    static CACHED: AtomicUsize = AtomicUsize::new(0);
    match CACHED.load(Ordering::Relaxed) {
        0 => {
            let huge = sys::huge_page_bytes()
                .filter(|huge| huge.is_power_of_two() && *huge > page_size().get());
            // Threads that race here store the same answer.
            CACHED.store(huge.unwrap_or(1), Ordering::Relaxed);
            huge
        }
        1 => None,
        huge => Some(huge),
    }
}

/// How many bytes of addresses a process on this system can have, about.
pub(crate) fn address_space_bytes() -> usize {
    sys::address_space_bytes()
}

/// How many bytes of addresses this process may use in all, if they are so few that it is worth asking;
/// and how many it uses, if the system tells.
pub(crate) fn address_limit() -> Option<(usize, Option<usize>)> {
    sys::address_limit()
}

/// How many mappings a process may have, if that is limited.
pub(crate) fn mapping_limit() -> Option<usize> {
    sys::mapping_limit()
}

/// How many bytes the process has locked, if the system tells. Where all that is mapped is locked, addresses count too.
pub(crate) fn locked_bytes() -> Option<u64> {
    sys::locked_bytes()
}

/// The machine's memory in bytes, where the system tells.
pub(crate) fn memory_bytes() -> Option<u64> {
    sys::memory_bytes()
}

/// Milliseconds, by a clock that takes little time to read and may be some behind. It starts anew every seven
/// weeks.
pub(crate) fn now_ms() -> u32 {
    sys::now_ms()
}

/// The lower half of a sum.
#[cfg(not(no_vm))]
#[expect(clippy::cast_possible_truncation, reason = "it is the lower half")]
const fn low_ms(whole: u64, rest: u64) -> u32 {
    whole.wrapping_add(rest) as u32
}

/// The number in decimal digits that a text begins with, and what is behind it.
#[inline(never)]
pub(crate) fn leading_number(text: &[u8]) -> Option<(u64, &[u8])> {
    let (mut number, mut rest) = (0_u64, text);
    while let [digit @ b'0'..=b'9', behind @ ..] = rest {
        number = number.checked_mul(10)?.checked_add(u64::from(*digit - b'0'))?;
        rest = behind;
    }
    (rest.len() < text.len()).then_some((number, rest))
}

/// Reserves a range of addresses, inaccessible, at a page boundary.
pub(crate) fn reserve(bytes: PageBytes) -> Result<NonNull<u8>, Error> {
    attempt(Call::Reserve, bytes.get(), || sys::reserve(bytes.get()))
}

/// [`reserve`], for those who will ask for less where it is refused, and need no reason.
pub(crate) fn reserve_if_possible(bytes: PageBytes) -> Option<NonNull<u8>> {
    ask(Call::Reserve, || sys::reserve(bytes.get())).ok()
}

/// Makes pages readable and writable, and has the system promise memory for them.
///
/// (All that change pages are told of which reservation they are: not every system knows.)
///
/// On failure the pages hold what they held, and some may have become accessible.
///
/// # Safety
///
/// - `of` is where a range begins that [`reserve`] or [`move_if_possible`] gave, and that was not released.
/// - `start` is a page boundary, and the range from there on lies inside that one.
pub(crate) unsafe fn commit(
    of: NonNull<u8>,
    start: NonNull<u8>,
    bytes: PageBytes,
) -> Result<(), Error> {
    attempt_on(Call::Commit, bytes, |bytes| {
        // SAFETY: the caller's promise is the same.
        unsafe { sys::commit(of, start, bytes) }
    })
}

/// [`commit`], for those who will ask for less where it is refused, and need no reason.
///
/// # Safety
///
/// - As for [`commit`].
pub(crate) unsafe fn commit_if_possible(
    of: NonNull<u8>,
    start: NonNull<u8>,
    bytes: PageBytes,
) -> bool {
    ask_on(Call::Commit, bytes, |bytes| {
        // SAFETY: the caller's promise is the same.
        unsafe { sys::commit(of, start, bytes) }
    })
}

/// Hands back the memory and the promise of it; the pages are inaccessible again.
///
/// On failure the range keeps what it held.
///
/// # Safety
///
/// - As for [`commit`].
/// - Nothing is read from or written to the range until it is committed again.
pub(crate) unsafe fn decommit(
    of: NonNull<u8>,
    start: NonNull<u8>,
    bytes: PageBytes,
) -> Result<(), Error> {
    attempt_on(Call::Decommit, bytes, |bytes| {
        // SAFETY: the caller's promise is the same.
        unsafe { sys::decommit(of, start, bytes) }
    })
}

/// [`decommit`], for those who need no reason where it is refused. Whether it was not.
///
/// # Safety
///
/// - As for [`decommit`].
pub(crate) unsafe fn decommit_if_possible(
    of: NonNull<u8>,
    start: NonNull<u8>,
    bytes: PageBytes,
) -> bool {
    ask_on(Call::Decommit, bytes, |bytes| {
        // SAFETY: the caller's promise is the same.
        unsafe { sys::decommit(of, start, bytes) }
    })
}

/// Hands back the memory of committed pages and keeps them accessible, reading as zero.
///
/// On failure the range holds what it held, or is inaccessible where the system can only discard
/// by decommitting and was then refused the commit.
///
/// # Safety
///
/// - As for [`commit`], and the range is committed.
/// - Nothing in the range is referenced, and no value there is used again.
pub(crate) unsafe fn discard(start: NonNull<u8>, bytes: PageBytes) -> Result<(), Error> {
    attempt_on(Call::Discard, bytes, |bytes| {
        // SAFETY: the caller's promise is the same.
        unsafe { sys::discard(start, bytes) }
    })
}

/// Hands back the memory of pages whose reservation is about to be released, as others hinder
/// least; whether it could. What they hold then, and whether they are accessible, is not said.
///
/// # Safety
///
/// - As for [`decommit`].
pub(crate) unsafe fn abandon(start: NonNull<u8>, bytes: PageBytes) -> bool {
    ask_on(Call::Discard, bytes, |bytes| {
        // SAFETY: the caller's promise is the same.
        unsafe { sys::abandon(start, bytes) }
    })
}

/// Makes committed pages resident, so that touching them takes no page fault. What they hold
/// stays.
///
/// # Safety
///
/// - As for [`commit`], and the range is committed.
/// - Unless [`PREFAULTING_IS_SHARED`], no other thread accesses it non-atomically meanwhile.
pub(crate) unsafe fn prefault(start: NonNull<u8>, bytes: PageBytes) -> Result<(), Error> {
    attempt_on(Call::Prefault, bytes, |bytes| {
        // SAFETY: the caller's promise is the same.
        unsafe { sys::prefault(start, bytes) }
    })
}

/// [`prefault`], by a page fault for each page. It takes somewhat longer, but no lock for longer than
/// one of them.
///
/// # Safety
///
/// - As for [`prefault`], but other threads may access it only if [`TOUCHING_IS_SHARED`].
pub(crate) unsafe fn touch(start: NonNull<u8>, bytes: PageBytes) -> Result<(), Error> {
    attempt(Call::Prefault, bytes.get(), || {
        // SAFETY: the caller's promise is the same.
        unsafe { touch::pages(start, bytes.get(), sys::page_bytes()) }
        Ok(())
    })
}

/// Whether [`release`] can end a part of a reservation, or several at once.
pub(crate) const RELEASES_PARTS: bool = cfg!(unix_vm);

/// Whether [`move_if_possible`] ever can.
pub(crate) const MOVES: bool = cfg!(all(target_os = "linux", not(no_vm)));

/// Whether others may use pages while they are touched.
pub(crate) const TOUCHING_IS_SHARED: bool = touch::IS_SHARED;

/// Whether other threads may use pages while [`prefault`] makes them resident. Without virtual memory, it does nothing.
pub(crate) const PREFAULTING_IS_SHARED: bool = TOUCHING_IS_SHARED || cfg!(no_vm);

/// Makes committed pages a range of `new_bytes`, all committed, at a place that the system finds for
/// it, without copying: their memory moves. What is more than there was is zero, what is less is gone.
/// Nothing is ours at the old place then, unless it is the new one.
///
/// Not every system can, and none that can does it for pages that it treats differently. Then nothing
/// has changed.
///
/// # Safety
///
/// - As for [`commit`], the range is not empty, and committed.
/// - Nothing uses it by its old address again.
pub(crate) unsafe fn move_if_possible(
    start: NonNull<u8>,
    bytes: PageBytes,
    new_bytes: PageBytes,
) -> Option<NonNull<u8>> {
    ask(Call::Move, || {
        // SAFETY: the caller's promise is the same.
        unsafe { sys::move_pages(start, bytes.get(), new_bytes.get()) }
    })
    .ok()
}

/// How much memory could be had without taking it from anybody, where the system tells.
pub(crate) fn available_bytes() -> Option<u64> {
    sys::available_bytes()
}

/// Starts a thread that no signal is delivered to: it is not the user's, whose handlers may count on
/// being run by theirs. (A thread has the mask of the one that starts it.)
pub(crate) fn with_signals_left_to_others<R>(start: impl FnOnce() -> R) -> R {
    sys::with_signals_left_to_others(start)
}

/// How often this process, and those that it comes from, were forked since the first call.
pub(crate) fn forks() -> usize {
    sys::forks()
}

/// How little the calling thread shall get in the way of others, where the system can do that.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Priority {
    /// It does not interrupt whoever runs when it has something to do.
    Background,
    /// It runs only when no other wants to.
    Idle,
}

/// Has the calling thread be one of that priority.
pub(crate) fn lower_priority(priority: Priority) {
    sys::lower_priority(priority);
}

/// Asks for huge pages in a range, or for none. Only advice: the system may not follow it, and
/// nothing but speed depends on it, so a refusal is not told.
///
/// # Safety
///
/// - As for [`commit`].
pub(crate) unsafe fn advise_huge(start: NonNull<u8>, bytes: PageBytes, wanted: HugeAdvice) {
    if bytes != PageBytes::ZERO {
        // SAFETY: the caller's promise is the same.
        unsafe { sys::advise_huge(start, bytes.get(), wanted) }
    }
}

/// What to tell the system about huge pages in a range.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum HugeAdvice {
    Wanted,
    Unwanted,
}

/// Ends a reservation; whether it could. (Nobody who ends one could do anything about a refusal, so its
/// reason is not looked for.)
///
/// # Safety
///
/// - The range is exactly one that [`reserve`] or [`move_if_possible`] gave, or what is left of one; or
///   a part of it, or several that lie side by side, if [`RELEASES_PARTS`]. Nothing uses it any more.
pub(crate) unsafe fn release(start: NonNull<u8>, bytes: PageBytes) -> bool {
    ask(Call::Release, || {
        // SAFETY: the caller's promise is the same.
        unsafe { sys::release(start, bytes.get()) }
    })
    .is_ok()
}

/// How many bytes of the range are committed.
///
/// # Safety
///
/// - As for [`commit`].
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
    // SAFETY: the caller's promise is the same.
    unsafe { for_each_committed(of, start, bytes, visit) }?;
    Ok(sum)
}

/// How many bytes of the range are resident.
///
/// # Safety
///
/// - As for [`commit`].
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
    // A reservation may have billions of pages; only those that are committed can be resident.
    // SAFETY: the caller's promise is the same.
    unsafe { for_each_committed(of, start, bytes, visit) }?;
    Ok(sum)
}

/// How many bytes of the range are resident, if the system tells. One call for some thousand pages.
pub(crate) fn resident_bytes_within(start: NonNull<u8>, bytes: PageBytes) -> Option<usize> {
    ask(Call::Query, || sys::resident_bytes(start, bytes.get())).ok()
}

/// Calls `visit` with each committed part of the range, in address order.
///
/// # Safety
///
/// - As for [`commit`].
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
        // SAFETY: the caller's promise is the same.
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

/// Keeps committed pages in memory until they are unlocked or released.
pub(crate) fn lock(start: NonNull<u8>, bytes: PageBytes) -> Result<(), Error> {
    attempt_on(Call::Lock, bytes, |bytes| sys::lock(start, bytes))
}

/// Undoes [`lock`]. Pages that were unlocked already are no error: locks do not nest.
///
/// # Safety
///
/// - As for [`commit`].
pub(crate) unsafe fn unlock(start: NonNull<u8>, bytes: PageBytes) {
    if bytes != PageBytes::ZERO {
        // SAFETY: the caller's promise is the same.
        unsafe { sys::unlock(start, bytes.get()) }
    }
}
