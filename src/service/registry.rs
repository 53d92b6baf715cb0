//! [`Service`]: who asked for the background thread, and what it is to do next.

#![expect(unsafe_code, reason = "refers to a service that is never dropped")]

use super::lock::{Guard, Lock};
use super::releases::{Begun, Releases, Room};
use super::shared::Shared;
use super::worker::{self, Releasing};
use super::{CommitAhead, LEAST_WINDOW_BYTES, Legacy, Memory, ServiceStats, UNIT_BYTES};
use crate::heap::try_boxed;
use crate::keeper::{self, Use, Warm};
use crate::os;
use crate::reservation::{HugePages, Reservation, page_size};
use std::mem;
use std::process;
use std::ptr;
use std::sync::Arc;
use std::sync::atomic::{self, AtomicBool, AtomicPtr, AtomicUsize, Ordering};
use std::thread::{self, Thread};
use std::time::{Duration, Instant};

/// How long an array must not have grown for what lies ahead of it to be taken back.
const QUIET: Duration = Duration::from_secs(1);
/// How long the thread waits for somebody to use it before it ends.
const LINGER: Duration = Duration::from_secs(1);
/// Of the machine's memory, how much may wait to be released.
const WAITING_SHARE: u64 = 4;
/// Of it, how much may wait for arrays that can use it.
const LEFT_SHARE: u64 = 32;
/// More than this many reservations are not kept waiting.
const WAITING_MOST: usize = 1 << 16;
/// Of the thread, which calls nothing deep.
const STACK_BYTES: usize = 256 << 10;

/// The registry, the queue and the thread of one process. (A forked child makes another.)
#[derive(Debug)]
pub(crate) struct Service {
    process: Process,
    /// Never held while memory is mapped, unmapped or allocated, since the allocator may be one that
    /// comes here; but for starting the thread, which takes a stack and some small blocks.
    state: Lock<Registry>,
    /// How often the thread woke up.
    pub(super) wakeups: AtomicUsize,
    /// Whether the thread sleeps without a time, since nothing was kept; and it, then.
    sleeps: AtomicBool,
    sleeper: Lock<Option<Thread>>,
    /// How often any array was late.
    late: AtomicUsize,
    /// How many are without memory just now: nothing is made ready meanwhile.
    pressed: AtomicUsize,
    /// How many releases have ended, for those who are refused: see [`releases_ended`].
    ended: AtomicUsize,
    /// How much memory was available when last looked; 0 if nobody has.
    available: AtomicUsize,
    /// Of the process that this one was forked from: to be found by leak checkers.
    _parent: Option<&'static Service>,
    calls: Calls,
}

/// What every array may ask of a service, also one that never asked for it. It is called by this table, which only a
/// service holds: a program that never makes one refers to none of these functions, and the linker leaves them out, with
/// the queue and the locks that they work on.
#[derive(Debug)]
struct Calls {
    release_waiting: fn(&Service, usize) -> bool,
    make_room: fn(&Service, &mut dyn FnMut() -> bool) -> bool,
    note_kept: fn(&Service),
}

#[derive(Debug, Default)]
struct Registry {
    arrays: Vec<Entry>,
    releases: Releases,
    thread: Option<Thread>,
    idle_since: Option<Instant>,
}

/// Tells a process from those that it was forked from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Process {
    /// The same as its parent's in namespaces of its own; so forks are counted too.
    id: u32,
    forks: usize,
}

impl Process {
    pub(super) fn current() -> Self {
        Self { id: process::id(), forks: os::forks() }
    }

    /// The parent of this one, as it were.
    #[cfg(test)]
    pub(super) fn other() -> Self {
        Self { id: process::id(), forks: os::forks().wrapping_sub(1) }
    }
}

/// An array that is served.
#[derive(Debug)]
struct Entry {
    /// To hold it keeps no memory of the array's: the array itself ends its reservation.
    shared: Arc<Shared>,
    /// Asked for, and not yet all done.
    is_active: bool,
    /// How it had grown when last looked at, and since when.
    seen: (usize, usize, usize),
    since: Instant,
    /// When there was last no more ahead of it than there should be.
    fitting: Instant,
    /// Taking back was refused; not tried again until the array grows.
    is_stuck: bool,
}

impl Entry {
    fn new(shared: Arc<Shared>) -> Self {
        let now = Instant::now();
        Self {
            shared,
            is_active: false,
            seen: (0, 0, 0),
            since: now,
            fitting: now,
            is_stuck: false,
        }
    }
}

/// What the thread is to do.
pub(super) enum Job {
    Prefault(Arc<Shared>),
    TakeBack(Arc<Shared>),
    TakeSurplusBack(Arc<Shared>),
    Release(Begun, Memory, usize),
    Wait(Option<Duration>),
    End,
}

/// Null, or leaked. Not a lock, since the child of a fork must be able to replace it.
static CURRENT: AtomicPtr<Service> = AtomicPtr::new(ptr::null_mut());

/// How many releases have ended, of this process or those it was forked from: for who tries something
/// and has to know, if it is refused, whether any has ended meanwhile.
pub(super) fn releases_ended() -> usize {
    Service::of_any_process().map_or(0, |service| service.ended.load(Ordering::Relaxed))
}

/// See [`release_waiting`](super::release_waiting).
pub(super) fn release_waiting(ended: usize) -> bool {
    Service::of_any_process().is_some_and(|service| (service.calls.release_waiting)(service, ended))
}

/// See [`make_room`](super::make_room).
pub(super) fn make_room(again: &mut dyn FnMut() -> bool) -> bool {
    Service::of_any_process().is_some_and(|service| (service.calls.make_room)(service, again))
}

/// Keeps memory, or gives it back to be released, see [`keeper::put`]; and has the thread know, if there is one.
pub(super) fn keep(used: Use, warm: Warm) -> Option<Warm> {
    let left = keeper::put(used, warm);
    if let Some(service) = Service::of_any_process().filter(|_| left.is_none()) {
        (service.calls.note_kept)(service);
    }
    left
}

impl Service {
    fn new(process: Process, parent: Option<&'static Self>) -> Self {
        Self {
            process,
            state: Lock::default(),
            wakeups: AtomicUsize::new(0),
            sleeps: AtomicBool::new(false),
            sleeper: Lock::default(),
            late: AtomicUsize::new(0),
            pressed: AtomicUsize::new(0),
            ended: AtomicUsize::new(0),
            available: AtomicUsize::new(0),
            _parent: parent,
            calls: Calls {
                release_waiting: |service, ended| {
                    !service.is_of_another_process() && service.release_waiting(ended)
                },
                make_room: |service, again| {
                    !service.is_of_another_process() && service.make_room(again)
                },
                note_kept: Self::note_kept,
            },
        }
    }

    /// That of this process, or of one that it was forked from.
    fn of_any_process() -> Option<&'static Self> {
        let current = CURRENT.load(Ordering::Acquire).cast_const();
        // SAFETY: null, or leaked by `current`, so it lives for ever.
        unsafe { current.as_ref() }
    }

    /// That of this process, if anybody has ever asked for it.
    pub(super) fn existing() -> Option<&'static Self> {
        Self::of_any_process().filter(|service| !service.is_of_another_process())
    }

    /// That of this process; none if there is no memory for it, nor where memory is not virtual: what would be made
    /// ready there is so once it is committed.
    pub(super) fn current() -> Option<&'static Self> {
        if !os::IS_SUPPORTED {
            return None;
        }
        loop {
            let at = CURRENT.load(Ordering::Acquire);
            // SAFETY: null, or leaked below, so it lives for ever.
            let current: Option<&'static Self> = unsafe { at.cast_const().as_ref() };
            let process = Process::current();
            if current.is_some_and(|service| service.process == process) {
                return current;
            }
            let new = Box::into_raw(try_boxed(Self::new(process, current)).ok()?);
            if CURRENT.compare_exchange(at, new, Ordering::AcqRel, Ordering::Acquire).is_err() {
                // SAFETY: made above, and nobody else has seen it.
                drop(unsafe { Box::from_raw(new) });
            }
        }
    }

    /// Whether its thread is not here: this process is a child of the one that had it.
    pub(super) fn is_of_another_process(&self) -> bool {
        self.process != Process::current()
    }

    fn lock(&self) -> Guard<'_, Registry> {
        self.state.lock()
    }

    /// [`lock`](Self::lock), with room for one more array and one more release; nothing if there is no
    /// memory for that.
    fn lock_with_room(&self) -> Option<Guard<'_, Registry>> {
        loop {
            let registry = self.lock();
            let (wanted, arrays) = (registry.releases.has_room(), &registry.arrays);
            let more = (arrays.len() == arrays.capacity()).then(|| (arrays.len() * 2).max(16));
            if wanted.is_ok() && more.is_none() {
                return Some(registry);
            }
            drop(registry);
            // What is left behind by moving is dropped at the end, where nothing is locked.
            let mut more_arrays = Vec::new();
            let mut more_releases = Room::new();
            more_arrays.try_reserve_exact(more.unwrap_or(0)).ok()?;
            more_releases.try_reserve_exact(wanted.err().unwrap_or(0)).ok()?;
            let mut registry = self.lock();
            registry.releases.move_to(&mut more_releases);
            if more_arrays.capacity() > registry.arrays.capacity() {
                more_arrays.append(&mut registry.arrays);
                mem::swap(&mut more_arrays, &mut registry.arrays);
            }
            drop(registry);
        }
    }

    /// Has a reservation served, of which the array has the first `committed` bytes, and those up to `warm`
    /// are committed and resident; gives it back if there can be no thread.
    pub(super) fn register(
        &'static self,
        reservation: Reservation,
        committed: usize,
        warm: usize,
        ahead: CommitAhead,
    ) -> Result<Arc<Shared>, Reservation> {
        if !Shared::fits(&reservation) || !is_memory_left() {
            return Err(reservation);
        }
        let mut shared = Arc::new(Shared::new(reservation, committed, ahead, self));
        let registry = self.lock_with_room().and_then(|mut registry| {
            let thread = registry.start(self)?;
            let first_window = self.first_window(registry.arrays.len());
            let shared = Arc::get_mut(&mut shared)?;
            shared.begin_with(warm);
            shared.set_window(first_window);
            shared.be_served_by(thread);
            Some(registry)
        });
        let Some(mut registry) = registry else {
            let (reservation, _) = shared.end().expect("it has not ended before");
            return Err(reservation);
        };
        registry.add(&shared);
        drop(registry);
        // So that there is something ahead of its first growth.
        shared.ask();
        Ok(shared)
    }

    /// Takes note of how much memory there is for what is made ready.
    pub(super) fn note_available(&self, bytes: u64) {
        let bytes = usize::try_from(bytes).unwrap_or(usize::MAX);
        self.available.store(bytes, Ordering::Relaxed);
    }

    /// How far ahead to be of an array of which nothing is known yet, with so many others: a share of what
    /// memory there is, within bounds.
    pub(super) fn first_window(&self, others: usize) -> usize {
        /// Of what is available, a part for the first, and less for each that comes then.
        const PART: usize = 512;
        const MOST_BYTES: usize = 16 << 20;
        let available = self.available.load(Ordering::Relaxed);
        let window = (available / PART / (others + 1)).clamp(LEAST_WINDOW_BYTES, MOST_BYTES);
        window / UNIT_BYTES * UNIT_BYTES
    }

    /// See [`take_waiting`](super::take_waiting).
    pub(super) fn take_waiting(
        &self,
        suits: &mut dyn FnMut(&Reservation, usize) -> bool,
    ) -> Option<(Memory, Legacy)> {
        let mut registry = self.lock_with_room()?;
        // It ends when nothing waits, and another begins: who asks that one is not heard.
        let thread = registry.thread.as_ref()?.id();
        let mut suits = |memory: &Memory, legacy: Legacy| match memory {
            Memory::Alone(reservation) => suits(reservation, legacy.written),
            Memory::Served(served) => {
                let shared = served.shared();
                shared.is_served_by(thread) && suits(shared.reservation(), legacy.written)
            }
        };
        let taken = registry.releases.take(&mut suits);
        let served = match &taken {
            Some((Memory::Served(served), _)) => Some(Arc::clone(&served.0)),
            _ => None,
        };
        if let Some(shared) = &served {
            // It asks the thread, which finds it in its place when it comes here: to make more ready, or to see
            // that not too much stays there.
            shared.restart();
            registry.add(shared);
        }
        drop(registry);
        if taken.is_some() {
            // Somebody may wait until it has gone.
            self.state.notify_all();
        }
        taken
    }

    /// The array goes, or is gone: it is not served any more. Whoever is at work for it goes on until
    /// the step ends.
    pub(super) fn unregister(&self, shared: &Shared) {
        if self.is_of_another_process() {
            // The lock may be held for ever, by a thread that is not here.
            return;
        }
        let mut registry = self.lock();
        let place = shared.place.swap(usize::MAX, Ordering::Relaxed);
        if place == usize::MAX {
            return;
        }
        let gone = registry.arrays.swap_remove(place);
        if let Some(moved) = registry.arrays.get(place) {
            moved.shared.place.store(place, Ordering::Relaxed);
        }
        // Or else it would sleep until somebody needs it again.
        let thread = registry.thread.clone().filter(|_| registry.arrays.is_empty());
        drop(registry);
        drop(gone);
        thread.iter().for_each(Thread::unpark);
    }

    /// Releases memory in the background, or gives it back if too much waits already. Another array may have it
    /// before, if it is said what becomes of it.
    pub(super) fn hand_over(
        &'static self,
        memory: Memory,
        bytes: usize,
        legacy: Option<Legacy>,
    ) -> Result<(), Memory> {
        let most = os::memory_bytes().unwrap_or(u64::MAX) / WAITING_SHARE;
        let Some(mut registry) = self.lock_with_room() else { return Err(memory) };
        let waiting_bytes = registry.releases.bytes().checked_add(bytes);
        let is_too_much = waiting_bytes.is_none_or(|bytes| bytes as u64 > most);
        if is_too_much || registry.releases.len() >= WAITING_MOST {
            return Err(memory);
        }
        let Some(thread) = registry.start(self) else { return Err(memory) };
        registry.releases.push(memory, bytes, legacy);
        drop(registry);
        thread.unpark();
        Ok(())
    }

    /// Counts a release whose memory is gone.
    pub(super) fn end_release(&self, begun: Begun) {
        let mut registry = self.lock();
        registry.releases.end(begun);
        self.ended.fetch_add(1, Ordering::Relaxed);
        drop(registry);
        self.state.notify_all();
    }

    /// Waits until nothing waits to be released, and helps.
    ///
    /// Who only waited would do so for ever where the thread cannot begin: one that is started in the
    /// child of a fork may wait for a lock of std's that is held by a thread of the parent's.
    pub(super) fn drain(&self) {
        let mut registry = self.lock();
        while registry.releases.len() > 0 {
            registry = if let Some((begun, memory, bytes)) = registry.releases.begin() {
                drop(registry);
                let mut releasing = Some(Releasing::new(begun, memory, bytes).keeping_nothing());
                while let Some(left) = releasing {
                    releasing = left.go_on(self);
                }
                self.lock()
            } else {
                registry.wait_while(|registry| registry.releases.have_all_begun())
            };
        }
    }

    /// Releases, here and now, all that waits for it, and waits for what others are just releasing.
    /// Whether there was anything, or a release has ended since so many had.
    pub(super) fn release_waiting(&self, ended: usize) -> bool {
        let mut registry = self.lock();
        // Not for what others hand over meanwhile.
        let count = registry.releases.handed_over();
        let any = !registry.releases.have_ended(count);
        while let Some((begun, memory, _)) = registry.releases.begin() {
            drop(registry);
            drop(memory);
            self.end_release(begun);
            registry = self.lock();
        }
        let registry = registry.wait_while(|registry| !registry.releases.have_ended(count));
        let now = self.ended.load(Ordering::Relaxed);
        drop(registry);
        any || now != ended
    }

    /// Takes back all that lies ahead of arrays, and releases all that waits, and then does what was
    /// refused, until that succeeds or there was nothing more after it; nothing is made ready
    /// meanwhile.
    ///
    /// So it is done again whatever was found: who looks at the same time may be the one that finds all.
    /// And others may drop arrays meanwhile, and make new ones of what was found here.
    pub(super) fn make_room(&self, mut again: impl FnMut() -> bool) -> bool {
        let mut ended = self.ended.load(Ordering::Relaxed);
        let mut find = || {
            let any = self.release_waiting(ended) | self.take_back_all();
            ended = self.ended.load(Ordering::Relaxed);
            any
        };
        self.pressed.fetch_add(1, Ordering::Relaxed);
        find();
        let is_done = loop {
            if again() {
                break true;
            }
            if !find() {
                break false;
            }
        };
        self.pressed.fetch_sub(1, Ordering::Relaxed);
        is_done
    }

    /// Takes back all that lies ahead of arrays, one after the other: there may be no memory for a list
    /// of them. Whether there was any.
    fn take_back_all(&self) -> bool {
        let mut any = false;
        // From the last on: what takes the place of one that goes meanwhile is the last, at which this
        // has looked before.
        let mut places = self.lock().arrays.len();
        while let Some(place) = places.checked_sub(1) {
            places = place;
            let shared = self.lock().arrays.get(place).map(|entry| Arc::clone(&entry.shared));
            any |= shared.is_some_and(|shared| shared.take_back_all());
        }
        any
    }

    pub(super) fn late(&self) -> usize {
        self.late.load(Ordering::Relaxed)
    }

    pub(super) fn note_late(&self) {
        self.late.fetch_add(1, Ordering::Relaxed);
    }

    pub(super) fn is_pressed(&self) -> bool {
        self.pressed.load(Ordering::Relaxed) > 0
    }

    pub(super) fn stats(&self) -> ServiceStats {
        let registry = self.lock();
        ServiceStats {
            running: registry.thread.is_some(),
            arrays: registry.arrays.len(),
            ahead_bytes: registry.arrays.iter().map(|entry| entry.shared.ahead_bytes()).sum(),
            waiting_bytes: registry.releases.bytes(),
            wakeups: self.wakeups.load(Ordering::Relaxed),
        }
    }

    /// What is to be done next, the most urgent first.
    pub(super) fn next(&self, releasing: bool) -> Job {
        let mut registry = self.lock();
        let wait = if releasing { None } else { registry.releases.wait_left(most_left_bytes) };
        // Only begun here: it is gone on with when there is nothing more urgent, and now and then.
        if wait.is_some_and(|wait| wait.is_zero()) {
            if let Some((begun, memory, bytes)) = registry.releases.begin() {
                return Job::Release(begun, memory, bytes);
            }
        }
        if let Some(shared) = registry.most_urgent() {
            return Job::Prefault(shared);
        }
        let now = Instant::now();
        let next = match registry.quiet(now) {
            Ok(job) => return job,
            Err(next) => next,
        };
        if releasing || wait.is_some() || !registry.arrays.is_empty() {
            registry.idle_since = None;
            return Job::Wait(next.into_iter().chain(wait).min());
        }
        let since = *registry.idle_since.get_or_insert(now);
        // What the last array has left grows old meanwhile.
        let linger = if keeper::is_empty() { LINGER } else { 2 * LINGER };
        let left = linger.saturating_sub(now.duration_since(since));
        if !left.is_zero() {
            return Job::Wait(Some(left));
        }
        registry.thread = None;
        Job::End
    }

    /// Has the thread sleep until it is woken, or for so long at most.
    pub(super) fn sleep(&self, most: Option<Duration>) {
        match most {
            Some(wait) if wait.is_zero() => return,
            Some(wait) => thread::park_timeout(wait),
            None => thread::park(),
        }
        self.wakeups.fetch_add(1, Ordering::Relaxed);
    }

    /// The same, where nothing was kept just now: also until something is.
    pub(super) fn sleep_until_kept(&self, most: Option<Duration>) {
        *self.sleeper.lock() = Some(thread::current());
        self.sleeps.store(true, Ordering::SeqCst);
        // Who keeps something after this sees that; who did before is seen.
        atomic::fence(Ordering::SeqCst);
        let wait = keeper::age();
        self.sleep(wait.into_iter().chain(most).min());
        self.sleeps.store(false, Ordering::Relaxed);
    }

    /// Wakes the thread if it does not know that something is kept.
    fn note_kept(&self) {
        atomic::fence(Ordering::SeqCst);
        // Of those who see it one wakes it: it looks at what all have kept.
        let is_first =
            self.sleeps.load(Ordering::Relaxed) && self.sleeps.swap(false, Ordering::Relaxed);
        if !is_first || self.is_of_another_process() {
            return;
        }
        // Else the thread has it, which is awake, or another who wakes it.
        if let Some(sleeper) = self.sleeper.try_lock() {
            sleeper.iter().for_each(Thread::unpark);
        }
    }

    /// A step was the last that can be made for now.
    pub(super) fn rest(&self, shared: &Arc<Shared>) {
        self.with_entry(shared, |entry| entry.is_active = false);
    }

    /// Nothing more can be taken back until the array grows.
    pub(super) fn give_up(&self, shared: &Arc<Shared>) {
        self.with_entry(shared, |entry| entry.is_stuck = true);
    }

    /// Nothing can be taken back while somebody is at work there.
    pub(super) fn postpone(&self, shared: &Arc<Shared>) {
        self.with_entry(shared, |entry| entry.since = Instant::now());
    }

    fn with_entry(&self, shared: &Arc<Shared>, change: impl FnOnce(&mut Entry)) {
        let mut registry = self.lock();
        let place = shared.place.load(Ordering::Relaxed);
        // It may have been unregistered meanwhile, and another be there.
        let entry = registry.arrays.get_mut(place);
        if let Some(entry) = entry.filter(|entry| Arc::ptr_eq(&entry.shared, shared)) {
            change(entry);
        }
    }
}

impl Registry {
    /// Has an array be served. There is room for it.
    fn add(&mut self, shared: &Arc<Shared>) {
        shared.place.store(self.arrays.len(), Ordering::Relaxed);
        self.arrays.push(Entry::new(Arc::clone(shared)));
    }

    /// The thread, started if there is none.
    fn start(&mut self, service: &'static Service) -> Option<Thread> {
        self.idle_since = None;
        if self.thread.is_none() {
            if !is_memory_left() || !is_there_room_for_a_thread() {
                return None;
            }
            if let Some(available) = os::available_bytes() {
                service.note_available(available);
            }
            let builder = thread::Builder::new().name("stayput".into()).stack_size(STACK_BYTES);
            let handle =
                os::with_signals_left_to_others(|| builder.spawn(move || worker::run(service)));
            self.thread = Some(handle.ok()?.thread().clone());
        }
        self.thread.clone()
    }

    /// Of those that asked, the one with the least of its window ahead.
    fn most_urgent(&mut self) -> Option<Arc<Shared>> {
        let active = self.arrays.iter_mut().filter_map(|entry| {
            entry.is_active |= entry.shared.was_asked();
            entry.is_active.then_some(&entry.shared)
        });
        active.min_by_key(|shared| shared.fill()).cloned()
    }

    /// An array that has not grown for long and has more ahead of it than it should keep, or has had far more
    /// than its window for as long; or when to look again.
    fn quiet(&mut self, now: Instant) -> Result<Job, Option<Duration>> {
        let mut next: Option<Duration> = None;
        let left = |since: Instant| QUIET.saturating_sub(now.duration_since(since));
        for entry in &mut self.arrays {
            let shared = &entry.shared;
            let seen = shared.taken_late_and_helped();
            if entry.seen != seen {
                (entry.seen, entry.since, entry.is_stuck) = (seen, now, false);
            }
            if !shared.has_surplus() {
                entry.fitting = now;
            }
            if entry.is_stuck || !shared.has_too_much() {
                continue;
            }
            let (quiet, fitting) = (left(entry.since), left(entry.fitting));
            if quiet.is_zero() {
                return Ok(Job::TakeBack(Arc::clone(shared)));
            }
            if fitting.is_zero() {
                return Ok(Job::TakeSurplusBack(Arc::clone(shared)));
            }
            let first = quiet.min(fitting);
            next = Some(next.map_or(first, |next| next.min(first)));
        }
        Err(next)
    }
}

/// How much may wait for arrays that can use it.
fn most_left_bytes() -> usize {
    let most = os::memory_bytes().unwrap_or(u64::MAX) / LEFT_SHARE;
    usize::try_from(most).unwrap_or(usize::MAX)
}

/// Whether there is memory for the small blocks that are about to be allocated: who cannot have them
/// can do without the service, but std has no way to ask for a thread, or an `Arc`, that does not end
/// the process instead.
fn is_memory_left() -> bool {
    const ENOUGH_BYTES: usize = 16 << 10;
    Vec::<u8>::new().try_reserve_exact(ENOUGH_BYTES).is_ok()
}

/// Whether there are mappings and memory for a thread: what it needs beside its stack (a stack for
/// signals, an allocator's heap, what std allocates in it) ends the process where it cannot be had.
fn is_there_room_for_a_thread() -> bool {
    /// Beside the stack. A heap of glibc's begins with 132 KiB; 32 were seen to be missed.
    const OTHER_BYTES: usize = 512 << 10;
    /// The pages between them are mappings too.
    const OTHER_MAPPINGS: usize = 4;
    let page = page_size();
    let small_bytes = 2 * OTHER_MAPPINGS * page;
    let bytes = (small_bytes + STACK_BYTES + OTHER_BYTES).next_multiple_of(page);
    let builder = Reservation::builder().bytes(bytes).huge_pages(HugePages::Never).bare();
    // Released again at the end, for the thread to take it.
    builder.reserve_if_possible().is_some_and(|room| {
        let mut small = (0..OTHER_MAPPINGS).map(|n| 2 * n * page..(2 * n + 1) * page);
        small.all(|range| room.commit_if_possible(range))
            && room.commit_if_possible(small_bytes..bytes)
    })
}

/// For tests, which do its work themselves.
#[cfg(test)]
impl Service {
    pub(super) fn arrays(&self) -> Vec<Arc<Shared>> {
        self.lock().arrays.iter().map(|entry| Arc::clone(&entry.shared)).collect()
    }

    /// One without a thread but the caller's: nothing is done for its arrays but what a test does.
    pub(super) fn unattended(process: Process) -> &'static Self {
        /// To be found by leak checkers.
        static ALL: std::sync::Mutex<Vec<&Service>> = std::sync::Mutex::new(Vec::new());
        let service: &'static Self = Box::leak(Box::new(Self::new(process, None)));
        service.lock().thread = Some(thread::current());
        ALL.lock().unwrap().push(service);
        service
    }
}
