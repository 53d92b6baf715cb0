//! One background thread, which makes memory ready ahead of arrays that grow, and releases what
//! large ones leave behind.
//!
//! Nobody needs to start it. The first array with [`CommitAhead`] or [`Release::Background`] does;
//! a second after the last one is gone it ends, or two, if something is [kept](crate::keeper). A process in
//! which nobody asks for either has no such thread, and a program in which no builder is told to has not the code
//! that starts it.
//!
//! # What it does
//!
//! - It stays a window ahead of each array that asked for it: pages are committed and resident
//!   before they are used, so that growing takes no page fault. Large steps are committed, small ones
//!   made resident, the most urgent array first.
//! - When an array has not grown for a second, it takes back what lies further ahead than
//!   [`CommitAhead`] says is kept; and what has been far too far ahead for a second, also where it grows.
//! - What the [keeper](crate::keeper) has had for long enough it releases, a piece at a time, when it has nothing else to
//!   do; not where there is but one processor.
//! - It releases reservations, a piece at a time, so that nobody waits long who wants to change
//!   mappings meanwhile. What an array with [`CommitAhead::Auto`] has left waits 50 ms for the next one,
//!   which goes on in it, and waits for nobody: when a level ends and the next begins, no page is fresh.
//!
//! # What it promises
//!
//! - **A push never waits for it.** Where it is late, the array commits memory and takes page faults
//!   for itself, and counts that (`late` in the statistics). The one thing that a growing array may
//!   wait for is a piece of at most 1 MiB (or a huge page) that is being taken back from it at that
//!   very moment, after a second in which it did not grow; and, on processors other than x86 and
//!   ARM64, 128 KiB that are being touched for it.
//! - **It keeps nobody from mapping.** Memory is touched rather than populated by a call, so the lock
//!   of the process' mappings is held for a page fault at a time (in Linux since 6.4 not at all).
//! - **It never takes memory that a push could have.** It stops where less than a sixteenth of the
//!   machine's memory is available, or a commit is refused; and before an array's own commit is
//!   refused, all that lies ahead of all arrays is taken back, and all that waits is released. (It does
//!   not know the limits of control groups: there, choose windows with care.)
//! - **It is quiet** when nothing grows, and nothing is kept that grows old: no wake-ups, no timers. No signal is
//!   delivered to it.
//! - **Nothing needs it.** Where no thread can be started, and in a child after `fork`, arrays work as
//!   without it. (A child that makes new arrays has a service of its own, by the number of the process and
//!   of its forks: it never takes the lock of its parent's, which may be held for ever. What waited to be
//!   released, or was just being released, when it was forked stays mapped there.)
//!
//! It gets in nobody's way: on Linux and Windows its priority is low, and on one processor it works
//! only while the program sleeps.

mod sync {
    //! What [`handover`](super::handover) and [`shared`](super::shared) are made of; `loom/` has its
    //! own.
    pub(super) use std::sync::atomic;
    pub(super) use std::thread;
}
mod handover;
mod lock;
mod registry;
mod releases;
mod shared;
#[cfg(test)]
mod tests;
mod worker;

#[cfg(test)]
use registry::Process;
use registry::Service;
#[cfg(test)]
use shared::Kept;
use shared::Shared;
pub(crate) use shared::last_piece;

#[cfg(test)]
use crate::error::Error;
use crate::keeper::{Use, Warm};
use crate::os;
use crate::reservation::Reservation;
use std::panic::{RefUnwindSafe, UnwindSafe};
use std::sync::Arc;

/// How far ahead of its use memory is made ready, by the [background thread](crate::service).
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
    /// Not at all: pages are committed when they are needed, and each takes a page fault when it
    /// is first touched.
    #[default]
    Off,
    /// Twice as much as was used in any sixtieth of a second of late, and between 4 MiB and
    /// 256 MiB. When the array has not grown for a second, 4 MiB stay. (Memory comes and goes in
    /// pieces of 512 KiB, or huge pages, so it may be as much more.)
    ///
    /// Before anything is known of how the array grows, that is a share of the memory that is available:
    /// 1/512 of it for the first array, for the n-th that there is then an n-th of that, and between 4 MiB and
    /// 16 MiB.
    ///
    /// Unless memory is released [at once](Release::Now), an array that is made within 50 ms after one of
    /// the same kind (the same maximum, alignment and huge pages) was dropped begins with all that one had, and
    /// as far ahead as that was; or else with what the [keeper](crate::keeper) has, 32 MiB at most. It lies ready
    /// at once. Where it is more than 8 MiB beyond twice of what should lie ahead, and stays so for a second, the
    /// rest goes back.
    Auto,
    /// So many bytes of fresh memory, as far as the reservation goes; they stay also while the array does not grow
    /// (but not if it is told to shrink: then the thread is ahead again when it has grown). 0 is
    /// [`Off`](Self::Off).
    Bytes(usize),
}

/// When the memory of an array is given back to the system after the array is dropped.
///
/// Elements are dropped at once in any case, by whoever drops the array.
///
/// # Examples
///
/// ```
/// use stayput::{Release, VmVec, service};
///
/// let mut level = VmVec::builder().release(Release::Background).build();
/// level.resize(100_000, [0_u64; 8]);
/// drop(level); // some microseconds
/// service::drain(); // for those who want to know that it is done
/// assert_eq!(service::stats().waiting_bytes, 0);
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Release {
    /// It is kept warm for a second for those who want some, as far as the [keeper](crate::keeper) has room for
    /// it; what is beyond goes back before the drop returns. Who gives memory to the keeper also takes it
    /// from there.
    #[default]
    Keep,
    /// Before the drop returns. That takes some 60 ms a gigabyte, 3 in huge pages. And all memory is fresh from
    /// the system, but for that of the holes of a map, a bit a slot, which is kept all the same.
    Now,
    /// By the [background thread](crate::service), if there is 1 MiB of it or more. At most a quarter of the
    /// machine's memory waits to be released; what would be more is released at once.
    ///
    /// Of arrays with [`CommitAhead::Auto`], up to 1/32 of the machine's memory waits for 50 ms, since the next
    /// such array may have it; then all but 32 MiB is released, which go to the [keeper](crate::keeper), as far as
    /// it has room. Not where the keeper is off, or somebody is refused memory, or [drains](drain).
    Background,
}

/// What the [background thread](crate::service) has to do, given by [`stats`].
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct ServiceStats {
    /// Whether there is a thread.
    pub running: bool,
    /// Arrays that are served.
    pub arrays: usize,
    /// Bytes that lie ready, ahead of them all.
    pub ahead_bytes: usize,
    /// Bytes that wait to be released.
    pub waiting_bytes: usize,
    /// How often the thread was woken, or woke by itself.
    pub wakeups: usize,
}

impl CommitAhead {
    /// Whether anything is to be made ready.
    pub(crate) fn is_on(self) -> bool {
        self.least_bytes() > 0
    }

    /// How many bytes are ready ahead of an array also while it does not grow.
    fn least_bytes(self) -> usize {
        match self {
            Self::Off => 0,
            Self::Auto => LEAST_WINDOW_BYTES,
            Self::Bytes(bytes) => bytes,
        }
    }
}

/// What becomes of memory that waits to be released: the next array may have it as it is.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Legacy {
    /// Up to here it may hold anything. What is behind reads as zero when it comes to be usable.
    pub(crate) written: usize,
    /// Where nobody has taken it: keeps it, of which so many bytes are committed, or gives it back to be
    /// released.
    pub(crate) keep: fn(Reservation, usize) -> Option<Reservation>,
}

/// Takes memory that waits to be released, if some suits; served as before, if it was. Waits for nobody at work.
pub(crate) fn take_waiting(
    suits: &mut dyn FnMut(&Reservation, usize) -> bool,
) -> Option<(Memory, Legacy)> {
    Service::existing()?.take_waiting(suits)
}

/// Gives what is committed behind `keep` back; whether that could be.
pub(crate) fn decommit_behind(
    reservation: &mut Reservation,
    keep: usize,
    committed: usize,
) -> bool {
    keep >= committed || reservation.decommit_if_possible(keep..committed)
}

/// Keeps memory for the next who wants some, or gives it back to be released, see the [keeper](crate::keeper). The
/// thread releases it when it is old, if there is one.
pub(crate) fn keep(used: Use, warm: Warm) -> Option<Warm> {
    registry::keep(used, warm)
}

/// Waits until nothing is waiting to be released by the background thread, not even what others
/// hand over meanwhile, and releases it with it. (What went to the [keeper](crate::keeper) before does not wait.)
///
/// Returns at once if there is nothing, and in a forked child, where nothing can be.
pub fn drain() {
    if let Some(service) = Service::existing() {
        service.drain();
    }
}

/// What the background thread has to do. For looking, not for a hot path: it takes a lock, and is
/// linear in the arrays.
pub fn stats() -> ServiceStats {
    Service::existing().map(Service::stats).unwrap_or_default()
}

/// Takes back all that lies ahead of arrays, and releases all that waits for it, for `bytes` that the
/// system refused; and tries again, if there is anybody who may have had some. Whether that succeeded.
///
/// Does not allocate.
pub(crate) fn make_room(bytes: usize, mut again: impl FnMut() -> bool) -> bool {
    // What the machine has not got is not made room for.
    bytes as u64 <= os::memory_bytes().unwrap_or(u64::MAX) && registry::make_room(&mut again)
}

/// How many releases have ended: for [`release_waiting`], before what may be refused is tried.
pub(crate) fn releases_ended() -> usize {
    registry::releases_ended()
}

/// Releases all that waits for it, and waits for what is being released, since addresses are wanted.
/// Whether there was anything, or a release has ended since so many had: then it is worth another try.
pub(crate) fn release_waiting(ended: usize) -> bool {
    registry::release_waiting(ended)
}

/// Releases memory of which the first `committed` bytes are in use: in the background, if it is
/// worth it and not too much waits already.
pub(crate) fn release_later(memory: Memory, committed: usize, legacy: Option<Legacy>) {
    let bytes = match &memory {
        Memory::Alone(_) => committed,
        Memory::Served(served) => served.retire(),
    };
    let service = if bytes >= WORTH_WAITING_BYTES { Service::current() } else { None };
    let left = match service {
        Some(service) => service.hand_over(memory, bytes, legacy).err(),
        None => Some(memory),
    };
    // What is not taken is kept, or released here and now.
    if let Some((memory, legacy)) = left.zip(legacy) {
        let touched = memory.touched_bytes(bytes);
        if let Some((mut reservation, committed)) = memory.into_reservation(bytes) {
            if touched > 0 && decommit_behind(&mut reservation, touched, committed) {
                drop((legacy.keep)(reservation, touched));
            }
        }
    }
}

/// The unit that marks are counted in: small enough that little is handed out for nothing, and
/// large enough that growing by it seldom takes time.
pub(crate) const UNIT_BYTES: usize = 128 << 10;

/// The least that is worth being ahead, and what an array has ahead of it that has not grown yet.
pub(crate) const LEAST_WINDOW_BYTES: usize = 4 << 20;

/// What is released at once.
const RELEASE_BYTES: usize = 4 << 20;

/// Less is released as quickly as it is handed over.
const WORTH_WAITING_BYTES: usize = 1 << 20;

/// So much of what was to be released is kept, at most, where the next array may have it.
const KEPT_BYTES: usize = 32 << 20;

/// Bytes, in units; a last one may be used in part.
const fn units(bytes: usize) -> usize {
    bytes.div_ceil(UNIT_BYTES)
}

const fn bytes(units: usize) -> usize {
    units * UNIT_BYTES
}

/// The memory of an array: a reservation, served or not.
#[derive(Debug)]
pub(crate) enum Memory {
    Alone(Reservation),
    Served(Served),
}

impl Memory {
    /// How many bytes from the start are resident, as far as is known, of those that are committed.
    fn touched_bytes(&self, committed: usize) -> usize {
        match self {
            Self::Alone(_) => committed,
            Self::Served(served) => served.shared().touched_bytes(),
        }
    }

    /// The reservation and how much of it may be committed, when nobody is at work there any more; none
    /// if there was none.
    fn into_reservation(self, committed: usize) -> Option<(Reservation, usize)> {
        match self {
            Self::Alone(reservation) => Some((reservation, committed)),
            Self::Served(served) => served.end(),
        }
    }
}

/// The one handle by which an array reaches what it shares with the service. The reservation ends
/// with it, whoever else still knows of what is shared.
#[derive(Debug)]
pub(crate) struct Served(Arc<Shared>);

// What is shared with the thread is changed by atomics, which no panic leaves half-way. It says so itself: on
// some systems the handle of a thread, in there, is not unwind safe.
impl UnwindSafe for Served {}
impl RefUnwindSafe for Served {}

impl Served {
    /// Has a reservation served, of which the first `committed` bytes are in use, and those up to `warm` are
    /// committed and resident; gives it back where there can be no service.
    pub(crate) fn new(
        reservation: Reservation,
        committed: usize,
        warm: usize,
        ahead: CommitAhead,
    ) -> Result<Self, Reservation> {
        match Service::current() {
            Some(service) => service.register(reservation, committed, warm, ahead).map(Self),
            None => Err(reservation),
        }
    }

    pub(crate) fn shared(&self) -> &Shared {
        &self.0
    }

    /// Has nobody begin anything there any more, and returns how much of it may be committed. Waits for
    /// nobody.
    fn retire(&self) -> usize {
        self.0.retire();
        self.0.service.unregister(&self.0);
        self.0.committed_bytes()
    }

    /// Retires it, waits until nobody is at work there, and takes the reservation out, with how much of it
    /// may be committed. None if that was done before.
    pub(crate) fn end(&self) -> Option<(Reservation, usize)> {
        self.retire();
        self.0.end()
    }
}

/// For tests, which do the service's work themselves.
#[cfg(test)]
impl Served {
    /// Has a reservation served by nobody but who calls the methods below.
    pub(crate) fn unattended(reservation: Reservation, ahead: CommitAhead) -> Self {
        let service = Service::unattended(Process::current());
        Self(service.register(reservation, 0, 0, ahead).expect("marks can tell its units"))
    }

    /// Does what the thread does while arrays grow.
    pub(crate) fn work(&self) -> Result<(), Error> {
        self.0.prefault(&mut |_| true)
    }

    /// Does what the thread does when the array has not grown for long.
    pub(crate) fn rest(&self) -> Result<(), Kept> {
        while self.0.has_too_much() && self.0.take_back()? > 0 {}
        Ok(())
    }
}

impl Drop for Served {
    fn drop(&mut self) {
        drop(self.end());
    }
}
