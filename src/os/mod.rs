//! The system calls of the crate. No other module knows an operating system.
//!
//! The sibling files have the same functions, and return the system's error codes. This file turns a code into an
//! [`Error`] and defines the contract, which `tests.rs` checks on each system.
//!
//! | call | memory | charge | contents afterwards |
//! |---|---|---|---|
//! | [`Mapping::reserve`] | none | none | inaccessible |
//! | [`Pages::commit`] | none yet | added | zero where it was inaccessible, otherwise kept |
//! | [`Pages::prefault`] | resident | unchanged | kept |
//! | [`UnusedPages::discard`] | returned | kept | zero |
//! | [`UnusedPages::decommit`] | returned | returned | inaccessible |
//! | [`Mapping::move_if_possible`] | kept | added for what is more | kept, at another address |
//! | [`Mapping::filled_from`] | moved from other pages | unchanged | those of the other pages, which are zero then |
//! | [`Mapping::release`] | returned | returned | no longer owned |
//!
//! All of them can be called from any thread, and none allocates; [`Pages::committed_bytes`] and
//! [`Pages::resident_bytes`] may.
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
//! others that hold it. [`Pages::prefault`] and [`UnusedPages::discard`] share this lock while they run, and Linux
//! prefers a thread that shares it again at once to waiting ones, for up to 4 ms: repeated calls block other threads from
//! mapping. [`Pages::touch`] does not: a page fault shares the lock only for a moment, or, since Linux 6.4, not at all.

#![expect(unsafe_code, reason = "calls the system")]

use crate::error::{Error, ErrorKind};
use crate::page::{PageBytes, PageSize};
pub(crate) use mapping::{Mapping, Pages, UnusedPages};
pub(crate) use moves::{MOVES, moves_onto};
#[cfg(all(feature = "memory-map", not(linux_kernel), not(no_vm)))]
use std::ops::Range;
use std::ptr::NonNull;
use std::sync::atomic::{AtomicUsize, Ordering};

#[cfg(not(linux_kernel))]
mod absent;
#[cfg(not(no_vm))]
mod by_region;
mod mapping;
#[cfg(all(target_os = "linux", not(no_vm)))]
#[path = "linux_moves.rs"]
mod moves;
/// Android could move memory, but `libc` does not define the call there.
#[cfg(any(not(target_os = "linux"), no_vm))]
#[path = "no_moves.rs"]
mod moves;
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

/// Whether [`Mapping::release`] can release a part of a reservation, or several at once.
pub(crate) const RELEASES_PARTS: bool = cfg!(unix_vm);

/// Whether other threads may use pages while they are touched.
pub(crate) const TOUCHING_IS_SHARED: bool = touch::IS_SHARED;

/// Whether other threads may use pages while [`Pages::prefault`] makes them resident. Without virtual memory, it does nothing.
pub(crate) const PREFAULTING_IS_SHARED: bool = TOUCHING_IS_SHARED || cfg!(no_vm);

/// How many bytes of memory are available without taking them from other processes, if that is known.
pub(crate) use sys::available_bytes;

/// How many bytes of memory hold nothing, if that is known: most of the [available](available_bytes) ones, and quicker to
/// ask for. Some are kept for the system.
pub(crate) use sys::free_bytes;

#[cfg(all(linux_kernel, feature = "memory-map"))]
pub(crate) use sys::ListedMapping;

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

/// Advice about a range.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Advice {
    /// Use huge pages.
    HugePages,
    /// Use no huge pages.
    SmallPages,
}

/// Returns how many bytes of the range are resident, if that is known. Makes one call for a few thousand pages.
pub(crate) fn resident_bytes_within(start: NonNull<u8>, bytes: PageBytes) -> Option<usize> {
    call_system(Call::Query, || sys::resident_bytes(start, bytes.get())).ok()
}

/// Calls `visit` with each part of a range that is readable and writable; other code may own it. Returns `false` if that
/// is unknown.
#[cfg(all(feature = "memory-map", not(linux_kernel), not(no_vm)))]
pub(crate) fn visit_accessible(range: Range<usize>, mut visit: impl FnMut(Range<usize>)) -> bool {
    let Ok(mut parts) = by_region::accessible_in(range.clone()) else { return false };
    parts.all(|part| {
        let part = part.map(|part| part.start.max(range.start)..part.end.min(range.end));
        part.map(&mut visit).is_ok()
    })
}
