//! The background thread, which commits and touches memory ahead of growing arrays, and releases the memory of dropped
//! ones.
//!
//! It is started by the first array that
//!
//! - has used 4 MiB and grows (see [`CommitAhead::Large`]), unless this is disabled by [`set_automatic`];
//! - is dropped and brings the memory in the [region cache](crate::region_cache) to 32 MiB or more, unless this is
//!   disabled in the same way;
//! - has [`CommitAhead::Auto`] or [`CommitAhead::Bytes`]; or
//! - is dropped, has [`Release::Background`], and leaves 1 MiB or more to the thread.
//!
//! It ends a second after it has nothing left to do: no array is served, no memory waits, and the region cache is empty.
//! An [allocator](crate::alloc) with [`Release::Background`] starts it, too; then it stays until the process ends.
//!
//! # What it does
//!
//! - It stays a window ahead of each array that it serves: pages are committed and resident before they are used, so
//!   growth takes no page faults. (An array that became [large](CommitAhead::Large) still touches by itself what was
//!   committed until then, usually up to 8 MiB.) It commits in large steps and touches in small ones, the most urgent
//!   array first.
//! - If an array has not grown for a second, it takes back the memory ahead of it that exceeds what [`CommitAhead`]
//!   keeps. It also takes back memory that has exceeded the window by far for a second, even if the array grows.
//! - If an array is shrunk, nothing is made ready ahead of it until it grows again.
//! - It releases regions that have been in the region cache for long enough, in pieces, when it has nothing else to do;
//!   not on machines with a single processor.
//! - It releases memory in pieces, so that no thread waits long to change mappings. Memory of a dropped array with
//!   [`CommitAhead::Auto`] goes to the region cache first, and all of it is ready for the next such array: when one
//!   level of a game ends and the next begins, no page is fresh.
//!
//! # Guarantees
//!
//! - **A push never waits for it.** If the thread is late, the array commits memory and takes page faults itself, and
//!   counts that (`late` in the statistics). There are a few exceptions: after a second without growth, an array may wait
//!   for one piece of at most 1 MiB (or a huge page) that is just being taken back from it; and on processors other
//!   than x86 and ARM64, for 128 KiB that are just being touched for it. When an array becomes large, or is created with
//!   [`CommitAhead::Auto`], it may wait until the thread has looked through the list of its arrays. If the thread is just
//!   at work for an array that was dropped, the next array with [`CommitAhead::Auto`] waits for that when it is created:
//!   usually for less than a millisecond, and longer if the processors are busy.
//! - **It does not block changes of mappings.** Memory is touched rather than populated by a system call, so the lock
//!   of the process's mappings is held for one page fault at a time (on Linux 6.4 and later not at all).
//! - **It never takes memory that a push could have.** It stops if less than a sixteenth of the machine's memory is
//!   available, or if a commit is refused. Before an array's own commit fails, all memory ahead of all arrays is taken
//!   back, and all waiting memory is released, unless the array asks for more than the machine has.
//! - **It respects control groups** on Linux, which refuse nothing but end a process that takes too much. Where the
//!   machine's memory is mentioned here, their lowest limit counts if that is less. At most a quarter of that limit is
//!   ready ahead of all arrays, and at most an eighth ahead of those that have not grown for a second.
//! - **It is quiet** while nothing grows and no cached region grows old: no wake-ups, no timers. (If a control group
//!   is short of memory, it wakes once per second to try again.) No signal is delivered to it.
//! - **It is optional.** If no thread can be started, and in a child after `fork`, arrays work without it. On machines
//!   with a single processor no array uses it by default. A child that creates new arrays has a service of its own, and
//!   never acquires the lock of its parent's, which may be held for ever. Memory that waited for its release at the fork
//!   also waits in the child, until [`drain`] is called there or a request for memory fails; what the thread was at work
//!   on stays mapped.
//!
//! On Linux and Windows the thread runs at low priority. With a single processor it works only while the program
//! sleeps.

#![expect(unsafe_code, reason = "promises that nothing uses the memory")]

mod sync {
    //! What [`ownership`](super::ownership), [`presence`](super::presence) and [`shared`](super::shared) are built on.
    //! `loom/` replaces it.
    pub(super) use std::sync::atomic;
    pub(super) use std::sync::{Mutex, MutexGuard};
    pub(super) use std::thread;
}
mod automatic;
mod lock;
mod ownership;
mod presence;
mod registry;
mod shared;
#[cfg(test)]
mod tests;
mod worker;

pub(crate) use automatic::is_automatic;
pub use automatic::set_automatic;
#[cfg(test)]
use registry::Process;
use registry::Service;
#[cfg(test)]
use shared::NotTaken;
use shared::Shared;
pub(crate) use shared::last_piece;

#[cfg(test)]
use crate::error::Error;
use crate::region_cache::{self, Region, Use};
use crate::reservation::Reservation;
use std::cell::Cell;
use std::ops::Range;
use std::panic::{RefUnwindSafe, UnwindSafe};
use std::sync::Arc;

/// How far ahead of its use the [background thread](crate::service) makes memory ready.
///
/// # Examples
///
/// ```
/// use stayput::{CommitAhead, VmVec};
///
/// let mut particles = VmVec::builder().commit_ahead(CommitAhead::Auto).build();
/// for frame in 0..10 {
///     particles.extend((0..1000).map(|n| [frame as f32, n as f32, 0.0, 0.0]));
/// }
/// assert_eq!(particles.len(), 10_000);
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum CommitAhead {
    /// Nothing is ready ahead of the array until it has used 4 MiB and grows. From then on, as much is ready as with
    /// [`Auto`](Self::Auto), but at most half as much as the array uses, or 4 MiB if that is more; and nothing if the
    /// array does not grow within a second after that. The default.
    ///
    /// This applies to arrays that use [huge pages](crate::HugePages), the first touch of which may take milliseconds:
    /// today only on Linux and Android. It does not apply on machines with a single processor, to arrays most of whose
    /// memory has not been touched, to those that grew while threads shared them as a [`SharedVec`](crate::SharedVec) or a
    /// [`SharedSlotMap`](crate::SharedSlotMap), or once [`prefault_ahead`](crate::VmVec::prefault_ahead) was called for
    /// the array. [`set_automatic`] disables it for all arrays, [`Off`](Self::Off) for one.
    #[default]
    Large,
    /// Disabled: pages are committed when they are needed, and each takes a page fault when it is first touched.
    Off,
    /// Twice as much as was used in the busiest recent 1/60 s, and at most 256 MiB. At least as much as the array uses,
    /// or 4 MiB if that is less; after a second without growth, this is what is kept, or
    /// [less](crate::service#guarantees) in a control group. Memory is added and removed in pieces of 512 KiB, or huge
    /// pages, so the amount can be one piece larger.
    ///
    /// Until the growth of the array is known, the window is a share of the available memory: 1/512 for the first
    /// array, 1/512 divided by *n* for the *n*-th array, at least 4 MiB and at most 16 MiB. The rows of a
    /// [`Table`](crate::Table) start with 512 KiB, and each array of its indices once it exceeds 64 KiB.
    ///
    /// Unless memory is released [immediately](Release::Now), the array starts with memory from the [region
    /// cache](crate::region_cache), if an array of the same kind (the same maximum, alignment and huge pages) was
    /// dropped recently. All of that memory is ready. If it exceeds twice the window by more than 8 MiB for a second,
    /// the rest is returned.
    Auto,
    /// This many bytes of fresh memory, as far as the reservation reaches. They are kept while the array does not grow. 0
    /// is [`Off`](Self::Off).
    ///
    /// In a control group with a memory limit there may be [less](crate::service#guarantees).
    Bytes(usize),
}

/// When the memory of an array is returned to the system after the array is dropped.
///
/// The elements are always dropped by the thread that drops the array, before the drop returns.
///
/// # Examples
///
/// ```
/// use stayput::{Release, VmVec, service};
///
/// let mut level = VmVec::builder().release(Release::Background).build();
/// level.resize(100_000, [0_u64; 8]);
/// drop(level); // a few microseconds
/// service::drain(); // waits until the memory is released
/// assert_eq!(service::stats().waiting_bytes, 0);
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Release {
    /// The memory is cached for reuse for some seconds, as far as the [region cache](crate::region_cache) has room; the
    /// rest is released before the drop returns, or by the [background thread](crate::service) if that serves the
    /// array. Arrays with this option also take their memory from the cache. The default.
    #[default]
    Keep,
    /// The memory is released before the drop returns. This takes about 60 ms per gigabyte, 3 ms with huge pages. An
    /// array with this option starts with fresh memory. The bitmap of the holes of a map, one bit per slot, is cached
    /// nevertheless.
    Now,
    /// The memory is released by the [background thread](crate::service). If it is less than 1 MiB, or if more than a
    /// quarter of the machine's memory would wait, it is released before the drop returns.
    ///
    /// Memory of arrays with [`CommitAhead::Auto`] is cached for some seconds first, as with [`Keep`](Self::Keep).
    Background,
}

/// The current work of the [background thread](crate::service), returned by [`stats`].
///
/// # Examples
///
/// ```
/// use stayput::{CommitAhead, VmVec, service};
///
/// let mut log = VmVec::builder().commit_ahead(CommitAhead::Auto).build();
/// log.push("start");
/// let stats = service::stats();
/// if stats.running {
///     assert_eq!(stats.arrays, 1);
///     println!("{} KiB are ready ahead of the log", stats.ahead_bytes >> 10);
/// }
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct ServiceStats {
    /// Whether the thread is running.
    pub running: bool,
    /// The number of arrays that the thread makes memory ready for.
    pub arrays: usize,
    /// The number of bytes that are ready ahead of all arrays.
    pub ahead_bytes: usize,
    /// The number of bytes that wait to be released.
    pub waiting_bytes: usize,
    /// How often the thread has woken up.
    pub wakeups: usize,
}

impl CommitAhead {
    /// Whether any memory is to be made ready from the beginning on.
    pub(crate) const fn is_on(self) -> bool {
        matches!(self, Self::Auto | Self::Bytes(1..))
    }

    /// Whether the amount follows the growth of the array.
    const fn follows_growth(self) -> bool {
        matches!(self, Self::Large | Self::Auto)
    }

    /// How many bytes stay ready before the array grows: an array that just became large may not grow any more.
    fn first_least_bytes(self) -> usize {
        if self == Self::Large { 0 } else { self.least_bytes() }
    }

    /// How many bytes stay ready while the array does not grow.
    fn least_bytes(self) -> usize {
        match self {
            Self::Off => 0,
            Self::Large | Self::Auto => LEAST_WINDOW_BYTES,
            Self::Bytes(bytes) => bytes,
        }
    }
}

/// Makes the background thread return cached memory that is old, until the process ends. Starts the thread if it does
/// not run.
pub(crate) fn attend_cache() {
    if Service::of_any_process().is_some_and(Service::attends_cache) || is_starting() {
        return;
    }
    // This may allocate.
    if let Some(service) = starting(Service::current) {
        service.start_attending();
    }
}

/// Puts memory of an array into the region cache, or returns it. If much is cached then, starts the thread, so that this
/// is returned in time even if no array uses the thread.
pub(crate) fn cache(used: Use, region: Region) -> Option<Region> {
    const MUCH_BYTES: usize = 32 << 20;
    let left = region_cache::put(used, region);
    if left.is_some() || region_cache::kept_bytes() < MUCH_BYTES {
        return left;
    }
    let is_running = Service::of_any_process().is_some_and(Service::is_running);
    if !is_running && !is_starting() && is_automatic() {
        // This may allocate.
        if let Some(service) = starting(Service::current) {
            service.start_for_cache();
        }
    }
    None
}

thread_local! {
    /// Whether this thread starts the background thread, or finds out whether to. It may have the registry's lock.
    static IS_STARTING: Cell<bool> = const { Cell::new(false) };
}

/// Calls a function that uses the global allocator, which may be one that calls this module, perhaps with the registry's
/// lock. Meanwhile this thread does not acquire the lock to release memory, or for another array, nor starts the thread.
fn starting<R>(call: impl FnOnce() -> R) -> R {
    let set = |to| IS_STARTING.try_with(|is_starting| is_starting.replace(to));
    // A flag that is not available counts as set.
    let before = set(true).unwrap_or(true);
    let result = call();
    let _ = set(before);
    result
}

fn is_starting() -> bool {
    // On some systems the flag is not available while a thread ends.
    IS_STARTING.try_with(Cell::get).unwrap_or(true)
}

/// Waits until no memory waits to be released by the background thread, including memory that other threads hand over
/// meanwhile, and helps to release it. The region cache is not affected.
///
/// Returns immediately if nothing waits.
///
/// # Examples
///
/// ```
/// use stayput::{Release, VmVec, service};
///
/// let mut level = VmVec::builder().release(Release::Background).build();
/// level.resize(1 << 20, 0_u64);
/// drop(level); // does not wait
/// service::drain(); // waits, before the next level takes memory
/// assert_eq!(service::stats().waiting_bytes, 0);
/// ```
pub fn drain() {
    region_cache::drain();
}

/// Returns what the background thread is doing. For diagnostics, not for hot paths: it acquires a lock and is linear in
/// the number of arrays.
///
/// Where the thread is being started, as in a global allocator that is asked for its memory, all figures are 0.
pub fn stats() -> ServiceStats {
    let service = Service::existing().filter(|_| !is_starting());
    service.map(Service::stats).unwrap_or_default()
}

/// Decommits the committed bytes past `keep`. Returns whether that succeeded.
pub(crate) fn decommit_past(reservation: &mut Reservation, keep: usize, committed: usize) -> bool {
    keep >= committed || reservation.decommit_if_possible(keep..committed)
}

/// Ends the use of memory that is resident up to `touched.start`, and may be committed up to `touched.end`: caches it, has the
/// thread release it, or releases it here if it is little or there can be no thread.
///
/// # Safety
///
/// - `touched.start` is a multiple of the page size. The bytes up to there are committed, and no code uses them.
pub(crate) unsafe fn release_later(
    mut memory: Reservation,
    touched: Range<usize>,
    used: Option<Use>,
) {
    let keep = touched.start;
    if keep == 0 || !decommit_past(&mut memory, keep, touched.end) {
        return;
    }
    // SAFETY: `keep` is not 0, as checked above, and what the caller promises of it are the other invariants.
    end_use(unsafe { Region::new(memory, 0..keep) }, used);
}

/// [`release_later`] for a region.
pub(crate) fn end_use(region: Region, used: Option<Use>) {
    let left = match used {
        Some(used) => cache(used, region),
        None => Some(region),
    };
    let is_worth_it = |region: &Region| {
        region.bytes() >= WORTH_WAITING_BYTES && region.can_wait() && !is_starting()
    };
    let Some(region) = left.filter(is_worth_it) else { return };
    if let Some(service) = Service::current() {
        service.release_later(region);
    }
}

/// The unit of the marks: small enough that little memory is handed out without need, and large enough that growing by
/// it is rare.
pub(crate) const UNIT_BYTES: usize = 128 << 10;

/// An array that has used this many bytes and grows is [large](CommitAhead::Large): memory is ready when it reaches
/// [`AUTO_FROM_BYTES`](crate::HugePages::AUTO_FROM_BYTES). With each step twice the last, an array has this much before
/// 4 MiB.
pub(crate) const LARGE_ARRAY_BYTES: usize = (4 << 20) - (64 << 10);

/// The smallest window, and the window of an array that has not grown yet.
pub(crate) const LEAST_WINDOW_BYTES: usize = 4 << 20;

/// Releasing less takes no longer than handing it over.
const WORTH_WAITING_BYTES: usize = 1 << 20;

/// Returns the number of units that cover `bytes`.
const fn units(bytes: usize) -> usize {
    bytes.div_ceil(UNIT_BYTES)
}

const fn bytes(units: usize) -> usize {
    units * UNIT_BYTES
}

/// How a reservation begins to be served.
#[derive(Clone, Copy, Debug)]
pub(crate) struct ServiceStart {
    /// How many bytes of it are in use.
    pub(crate) committed: usize,
    /// How many bytes of it are committed and resident.
    pub(crate) warm: usize,
    pub(crate) ahead: CommitAhead,
    /// Whether little is to be ready before any is used.
    pub(crate) is_small: bool,
    /// See [`Shared`].
    pub(crate) kept: Option<(Use, usize)>,
}

/// The only handle through which an array reaches what it shares with the service. Dropping it ends the reservation,
/// even if other references to the shared part remain.
#[derive(Debug)]
pub(crate) struct Served(Arc<Shared>);

// The shared state is changed by atomic operations, which a panic cannot leave half-done. The traits are implemented
// here because on some systems the handle of a thread, a part of the state, is not unwind safe.
impl UnwindSafe for Served {}
impl RefUnwindSafe for Served {}

impl Served {
    /// Registers a reservation, and returns it if it cannot be served.
    pub(crate) fn new(reservation: Reservation, start: ServiceStart) -> Result<Self, Reservation> {
        // A global allocator may use arrays while the thread is started.
        match Service::current().filter(|_| !is_starting()) {
            Some(service) => service.register(reservation, start).map(Self),
            None => Err(reservation),
        }
    }

    pub(crate) fn shared(&self) -> &Shared {
        &self.0
    }

    /// Passes the memory to the region cache, or has it released. Does not wait: if work is in progress, the thread that
    /// ends it does this.
    pub(crate) fn retire(self) {
        self.stop();
        self.0.retire();
    }

    /// Makes the thread forget the array. Work in progress continues until the step ends.
    fn stop(&self) {
        self.0.service.unregister(&self.0);
    }

    /// Waits for work in progress, and returns the reservation and how much of it may be committed. `None` if this was
    /// done before.
    pub(crate) fn end(&self) -> Option<(Reservation, usize)> {
        self.stop();
        self.0.end()
    }
}

#[cfg(test)]
impl ServiceStart {
    /// Nothing is in use, and nothing is cached later.
    pub(crate) fn of(ahead: CommitAhead) -> Self {
        Self { committed: 0, warm: 0, ahead, is_small: false, kept: None }
    }
}

/// For tests, which do the work of the service themselves.
#[cfg(test)]
impl Served {
    /// Creates the handle for a reservation that only the methods below work on.
    pub(crate) fn unattended(reservation: Reservation, ahead: CommitAhead) -> Self {
        let service = Service::unattended(Process::current());
        let served = service.register(reservation, ServiceStart::of(ahead));
        Self(served.expect("the marks can express its units"))
    }

    /// Does what the thread does while arrays grow.
    pub(crate) fn work(&self) -> Result<(), Error> {
        self.0.prefault(&mut |_| true)
    }

    /// Does what the thread does once the array has stopped growing.
    pub(crate) fn rest(&self) -> Result<(), NotTaken> {
        while self.0.has_too_much(usize::MAX) && self.0.take_back(usize::MAX)? > 0 {}
        Ok(())
    }
}

impl Drop for Served {
    fn drop(&mut self) {
        if !self.0.has_retired() {
            drop(self.end());
        }
    }
}
