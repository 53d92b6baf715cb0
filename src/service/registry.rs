//! [`Service`]: the arrays that asked for the background thread, and what it does next.

#![expect(unsafe_code, reason = "refers to a service that is leaked")]

use super::lock::{Guard, Lock};
use super::presence::Presence;
use super::shared::Shared;
use super::worker;
use super::{CommitAhead, LEAST_WINDOW_BYTES, ServiceStart, ServiceStats, UNIT_BYTES};
use crate::heap::try_boxed;
use crate::os;
use crate::region_cache::{self, Client, Region};
use crate::reservation::{HugePages, Reservation, page_size};
use std::mem;
use std::panic::{self, AssertUnwindSafe};
use std::process;
use std::ptr;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicPtr, AtomicU32, AtomicUsize, Ordering};
use std::thread::{self, Thread};
use std::time::{Duration, Instant};

/// How long an array must not have grown before the memory ahead of it is taken back.
const QUIET: Duration = Duration::from_secs(1);
/// How long the thread stays without work before it ends.
const LINGER: Duration = Duration::from_secs(1);
/// The reciprocal of the share of the [usable](os::usable_memory_bytes) memory that may wait to be released.
const WAITING_SHARE: u64 = 4;
/// The reciprocal of the share of a control group's limit that may be ahead of all arrays, and of the share that stays
/// ahead of those that do not grow: the program needs the rest, and a group refuses nothing.
const AHEAD_SHARE: u64 = 4;
const QUIET_AHEAD_SHARE: u64 = 8;
/// How long the thread waits when a control group is short of memory.
const SHORT_WAIT: Duration = Duration::from_secs(1);
/// The first window of an array that starts small.
const SMALL_WINDOW_BYTES: usize = 4 * UNIT_BYTES;
const STACK_BYTES: usize = 256 << 10;
/// How long after a refusal to start the thread for the region cache again.
const TRY_AGAIN_MS: u32 = 1000;

/// The registry and the thread of one process. A forked child creates its own.
#[derive(Debug)]
pub(crate) struct Service {
    process: Process,
    /// Never held while memory is mapped, unmapped or allocated, since the global allocator may be one that calls this
    /// module. The exception is starting the thread, which allocates a stack and some small blocks: meanwhile the thread
    /// that starts it is [marked](super::starting), and does not acquire the lock again.
    state: Lock<Registry>,
    pub(super) wakeups: AtomicUsize,
    presence: Presence,
    /// How often any array was late.
    late: AtomicUsize,
    /// How many threads are short of memory: meanwhile none is made ready.
    pressed: AtomicUsize,
    /// Whether the thread stays for the region cache, see [`attend_cache`](super::attend_cache).
    attends: AtomicBool,
    /// Whether the thread returns old regions of the cache.
    returns_old: AtomicBool,
    /// When it last could not be started for that.
    refused_ms: AtomicU32,
    /// How many bytes of memory were available at the last look; 0 before the first.
    available: AtomicUsize,
    /// The service of the process that this one was forked from, referred to for leak checkers.
    _parent: Option<&'static Service>,
}

/// What the memory of every array may ask of the service, even that of an array that did not ask for it. Only a service
/// sets this: if a program never creates one, the linker leaves out these functions, and the registry and the locks that
/// they use.
static CLIENT: Client = Client {
    is_attended: || {
        Service::of_any_process().is_some_and(|service| {
            service.attends_cache() && service.returns_old.load(Ordering::Relaxed)
        })
    },
    note_kept: || {
        // Finding out which process this is takes a system call, which is made only if the thread sleeps.
        if let Some(service) = Service::of_any_process() {
            service.presence.note_kept(|| !service.is_of_another_process());
        }
    },
    settle: || {
        if let Some(service) = Service::existing() {
            let _ = service.settle();
        }
    },
    reclaim: |again| Service::existing().is_some_and(|service| service.make_room(again)),
};

#[derive(Debug, Default)]
struct Registry {
    arrays: Vec<Registration>,
    thread: Option<Thread>,
    idle_since: Option<Instant>,
}

/// Distinguishes a process from its ancestors.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Process {
    /// Can equal the parent's in a namespace of its own, so forks are counted too.
    id: u32,
    forks: usize,
}

impl Process {
    pub(super) fn current() -> Self {
        Self { id: process::id(), forks: os::forks() }
    }

    /// Stands for the parent of this process.
    #[cfg(test)]
    pub(super) fn other() -> Self {
        Self { id: process::id(), forks: os::forks().wrapping_sub(1) }
    }
}

/// An array that the thread makes memory ready for.
#[derive(Debug)]
struct Registration {
    /// Keeps only a few bytes alive: the array itself ends its reservation.
    shared: Arc<Shared>,
    /// The array has asked, and not everything is done yet.
    is_active: bool,
    /// The state of its growth at the last change, and when that was.
    seen: (usize, usize, usize),
    since: Instant,
    /// When there was last no surplus ahead of it.
    fitting: Instant,
    /// Taking back was refused, and is not tried again until the array grows.
    is_stuck: bool,
}

impl Registration {
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

pub(super) enum Job {
    Prefault(Arc<Shared>),
    /// Down to this many bytes, or what is kept while the array does not grow.
    TakeBack(Arc<Shared>, usize),
    TakeSurplusBack(Arc<Shared>),
    Wait(Option<Duration>),
    End,
}

/// Null or leaked. Not a lock, since the child of a fork must be able to replace it. Stored by release and loaded by
/// acquire, so that a thread that sees it sees what it points to: memory of the heap, which loom knows nothing of.
static CURRENT: AtomicPtr<Service> = AtomicPtr::new(ptr::null_mut());

impl Service {
    fn new(process: Process, parent: Option<&'static Self>) -> Self {
        Self {
            process,
            state: Lock::default(),
            wakeups: AtomicUsize::new(0),
            presence: Presence::default(),
            late: AtomicUsize::new(0),
            pressed: AtomicUsize::new(0),
            attends: AtomicBool::new(false),
            returns_old: AtomicBool::new(false),
            refused_ms: AtomicU32::new(os::now_ms().wrapping_sub(TRY_AGAIN_MS)),
            available: AtomicUsize::new(0),
            _parent: parent,
        }
    }

    /// Returns the service of this process, or of one that it was forked from.
    pub(super) fn of_any_process() -> Option<&'static Self> {
        let current = CURRENT.load(Ordering::Acquire).cast_const();
        // SAFETY: the pointer is null, or `current` leaked the service it points to, which is never freed.
        unsafe { current.as_ref() }
    }

    /// Returns the service of this process, if there is one.
    pub(super) fn existing() -> Option<&'static Self> {
        Self::of_any_process().filter(|service| !service.is_of_another_process())
    }

    /// Returns the service of this process, and creates it if there is none. `None` without memory for it, or without
    /// virtual memory: then committed memory is always resident.
    pub(super) fn current() -> Option<&'static Self> {
        if !os::IS_SUPPORTED {
            return None;
        }
        loop {
            let at = CURRENT.load(Ordering::Acquire);
            // SAFETY: the pointer is null, or this function leaked the service it points to, which is never freed.
            let current: Option<&'static Self> = unsafe { at.cast_const().as_ref() };
            let process = Process::current();
            if current.is_some_and(|service| service.process == process) {
                return current;
            }
            region_cache::set_client(&CLIENT);
            let new = Box::into_raw(try_boxed(Self::new(process, current)).ok()?);
            if CURRENT.compare_exchange(at, new, Ordering::AcqRel, Ordering::Acquire).is_err() {
                // SAFETY: `new` was made by `Box::into_raw` above, and was not published.
                drop(unsafe { Box::from_raw(new) });
            }
        }
    }

    /// Called by the thread when it starts: whether it returns old regions of the cache.
    pub(super) fn set_returns_old(&self, returns_old: bool) {
        self.returns_old.store(returns_old, Ordering::Relaxed);
    }

    /// Whether the thread runs. Makes no system call.
    pub(super) fn is_running(&self) -> bool {
        self.presence.runs() && self.process.forks == os::forks()
    }

    /// Makes no system call.
    pub(super) fn attends_cache(&self) -> bool {
        self.attends.load(Ordering::Relaxed) && self.process.forks == os::forks()
    }

    /// Makes the thread stay for the region cache. Does nothing if it cannot be started.
    #[cold]
    pub(super) fn start_attending(&'static self) {
        if let Some(thread) = self.start_for_cache() {
            self.attends.store(true, Ordering::Relaxed);
            // It may be about to end.
            thread.unpark();
        }
    }

    /// Returns the thread, which looks after the region cache for two seconds at least. `None` if it cannot be started,
    /// which is tried once a second.
    #[cold]
    pub(super) fn start_for_cache(&'static self) -> Option<Thread> {
        let now = os::now_ms();
        if now.wrapping_sub(self.refused_ms.load(Ordering::Relaxed)) < TRY_AGAIN_MS {
            return None;
        }
        let thread = self.lock().start(self);
        if thread.is_none() {
            self.refused_ms.store(now, Ordering::Relaxed);
        }
        thread
    }

    /// Whether this process is a child of the one that has the thread.
    pub(super) fn is_of_another_process(&self) -> bool {
        self.process != Process::current()
    }

    fn lock(&self) -> Guard<'_, Registry> {
        self.state.lock()
    }

    /// Acquires the [lock](Self::lock), with room for one more array. `None` without memory for that.
    fn lock_with_room(&self) -> Option<Guard<'_, Registry>> {
        loop {
            let registry = self.lock();
            let (count, most) = (registry.arrays.len(), registry.arrays.capacity());
            if count < most {
                return Some(registry);
            }
            drop(registry);
            // The old allocation is moved here, and dropped after the lock is released.
            let mut larger = Vec::new();
            larger.try_reserve_exact((count * 2).max(16)).ok()?;
            let mut registry = self.lock();
            if larger.capacity() > registry.arrays.capacity() {
                larger.append(&mut registry.arrays);
                mem::swap(&mut larger, &mut registry.arrays);
            }
            drop(registry);
        }
    }

    /// Registers a reservation, and returns it if there can be no thread.
    pub(super) fn register(
        &'static self,
        reservation: Reservation,
        start: ServiceStart,
    ) -> Result<Arc<Shared>, Reservation> {
        let ServiceStart { committed, warm, ahead, is_small, kept } = start;
        if !Shared::fits(&reservation) || !is_memory_left() {
            return Err(reservation);
        }
        let mut shared = Arc::new(Shared::new(reservation, committed, ahead, kept, self));
        let registry = self.lock_with_room().and_then(|mut registry| {
            let thread = registry.start(self)?;
            let shared = Arc::get_mut(&mut shared)?;
            shared.begin_with(warm);
            match ahead {
                CommitAhead::Auto if is_small => shared.set_window(SMALL_WINDOW_BYTES),
                CommitAhead::Auto => {
                    self.find_available_once();
                    shared.set_window(self.first_window(registry.arrays.len()));
                }
                _ => {}
            }
            shared.be_served_by(thread);
            Some(registry)
        });
        let Some(mut registry) = registry else {
            let (reservation, _) =
                shared.end().expect("a reservation that was never served has not ended");
            return Err(reservation);
        };
        registry.add(&shared);
        drop(registry);
        // So that memory is ready before its first growth.
        shared.request_work();
        Ok(shared)
    }

    /// Finds out how much memory is available, unless that was done. Opens files, but does not allocate.
    fn find_available_once(&self) {
        if self.available.load(Ordering::Relaxed) > 0 {
            return;
        }
        if let Some(available) = os::available_bytes() {
            self.note_available(available.min(os::group_memory().available));
        }
    }

    pub(super) fn note_available(&self, bytes: u64) {
        let bytes = usize::try_from(bytes).unwrap_or(usize::MAX);
        self.available.store(bytes, Ordering::Relaxed);
    }

    /// Returns the first window of an array while there are `others`: a share of the available memory, within bounds.
    pub(super) fn first_window(&self, others: usize) -> usize {
        /// The reciprocal of the first array's share of the available memory. Later arrays get less.
        const PART: usize = 512;
        const MOST_BYTES: usize = 16 << 20;
        let available = self.available.load(Ordering::Relaxed);
        let window = (available / PART / (others + 1)).clamp(LEAST_WINDOW_BYTES, MOST_BYTES);
        window / UNIT_BYTES * UNIT_BYTES
    }

    /// Ends the service for an array that is dropped or about to be. Work in progress for it continues until the step
    /// ends.
    pub(super) fn unregister(&self, shared: &Shared) {
        if self.is_of_another_process() {
            // The lock may be held for ever, by a thread that this process does not have.
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
        // Otherwise the thread would sleep until another array wakes it.
        let thread = registry.thread.clone().filter(|_| registry.arrays.is_empty());
        drop(registry);
        drop(gone);
        thread.iter().for_each(Thread::unpark);
    }

    /// Leaves the release of a region to the thread, or releases it here if too much waits already, or there can be no thread.
    pub(super) fn release_later(&'static self, region: Region) {
        let most = os::usable_memory_bytes().unwrap_or(u64::MAX) / WAITING_SHARE;
        let waiting = region_cache::waiting_bytes().saturating_add(region.bytes());
        let is_too_much = waiting as u64 > most;
        if is_too_much || region_cache::wait(region).is_some() {
            return;
        }
        let thread = self.lock().start(self);
        match thread {
            Some(thread) => thread.unpark(),
            None => region_cache::drain(),
        }
    }

    pub(super) fn note_retiring(&self) {
        self.presence.note_retiring();
    }

    pub(super) fn note_retired(&self) {
        self.presence.note_retired();
    }

    /// Waits until the memory of dropped arrays is passed on: mostly for one step of the thread, and no longer than about
    /// a millisecond, since the thread may have no processor. Returns whether it is passed on.
    pub(super) fn settle(&self) -> bool {
        const SHORT_TRIES: u32 = 32;
        const MOST_TRIES: u32 = SHORT_TRIES + 10;
        for tries in 0..MOST_TRIES {
            if !self.presence.is_any_retiring() {
                return true;
            }
            if tries < SHORT_TRIES {
                thread::yield_now();
            } else {
                thread::sleep(Duration::from_micros(50));
            }
        }
        false
    }

    /// Takes back all memory ahead of arrays and releases all that waits, then calls `again`, and repeats this until
    /// `again` succeeds or nothing more was found. Meanwhile nothing is made ready.
    ///
    /// `again` is called at least once, even if nothing was found: another thread in this function may have found it
    /// all. It is repeated because other threads may drop arrays meanwhile, or create arrays from the memory that was
    /// freed here.
    pub(super) fn make_room(&self, mut again: impl FnMut() -> bool) -> bool {
        let mut ended = region_cache::releases_ended();
        let mut find = || {
            let any = region_cache::release_unused(ended) | self.take_back_all();
            ended = region_cache::releases_ended();
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

    /// Takes back all memory ahead of arrays, one after the other, without a list of them, for which there may be no
    /// memory. Returns whether there was any.
    fn take_back_all(&self) -> bool {
        if super::is_starting() {
            // This thread has the lock.
            return false;
        }
        let mut any = false;
        // From the last to the first: if one is removed meanwhile, the last, which was visited already, takes its
        // place.
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
            ahead_bytes: registry.ahead_bytes(),
            waiting_bytes: region_cache::waiting_bytes(),
            wakeups: self.wakeups.load(Ordering::Relaxed),
        }
    }

    /// Returns what to do next, the most urgent first.
    pub(super) fn next(&self) -> Job {
        // Before the lock, since this may read files.
        let group = os::group_memory();
        let mut registry = self.lock();
        let is_short =
            group.is_little() || registry.ahead_bytes() as u64 >= group.limit / AHEAD_SHARE;
        let urgent = registry.most_urgent();
        let short_wait = match urgent {
            Some(shared) if !is_short => return Job::Prefault(shared),
            urgent => urgent.map(|_| SHORT_WAIT),
        };
        let most_quiet = if is_short { 0 } else { group.limit / QUIET_AHEAD_SHARE };
        let now = Instant::now();
        let next = match registry.quiet(now, most_quiet) {
            Ok(job) => return job,
            Err(next) => next.into_iter().chain(short_wait).min(),
        };
        if self.attends.load(Ordering::Relaxed) || !registry.arrays.is_empty() {
            registry.idle_since = None;
            return Job::Wait(next);
        }
        // The thread that has something wait acquires the lock afterwards.
        if region_cache::are_any_waiting() || self.has_old_to_return() {
            registry.idle_since = None;
            // Other threads may take it before this one looks again, and do not wake it.
            return Job::Wait(Some(LINGER));
        }
        let since = *registry.idle_since.get_or_insert(now);
        let left = LINGER.saturating_sub(now.duration_since(since));
        if !left.is_zero() {
            return Job::Wait(Some(left));
        }
        if !self.presence.end_unless(|| self.has_old_to_return()) {
            return Job::Wait(Some(LINGER));
        }
        registry.thread = None;
        Job::End
    }

    /// Whether something is cached that the thread will return.
    fn has_old_to_return(&self) -> bool {
        self.returns_old.load(Ordering::Relaxed) && !region_cache::is_empty()
    }

    /// Sleeps until the thread is woken, or for at most `most`.
    pub(super) fn sleep(&self, most: Option<Duration>) {
        match most {
            Some(wait) if wait.is_zero() => return,
            Some(wait) => thread::park_timeout(wait),
            None => thread::park(),
        }
        self.wakeups.fetch_add(1, Ordering::Relaxed);
    }

    /// Sleeps like [`sleep`](Self::sleep), and also until something is cached. The region cache was empty just now.
    pub(super) fn sleep_until_kept(&self, most: Option<Duration>) {
        let sleep = |wait: Option<Duration>| self.sleep(wait.into_iter().chain(most).min());
        self.presence.sleep_until_kept(region_cache::release_aged, sleep);
    }

    /// Records that the last step possible for now was made.
    pub(super) fn rest(&self, shared: &Arc<Shared>) {
        self.with_entry(shared, |entry| entry.is_active = false);
    }

    /// Records that nothing more can be taken back until the array grows.
    pub(super) fn stop_taking_back(&self, shared: &Arc<Shared>) {
        self.with_entry(shared, |entry| entry.is_stuck = true);
    }

    /// Records that nothing could be taken back because work is in progress.
    pub(super) fn postpone(&self, shared: &Arc<Shared>) {
        self.with_entry(shared, |entry| entry.since = Instant::now());
    }

    fn with_entry(&self, shared: &Arc<Shared>, change: impl FnOnce(&mut Registration)) {
        let mut registry = self.lock();
        let place = shared.place.load(Ordering::Relaxed);
        // The array may have been unregistered meanwhile, and another have taken its place.
        let entry = registry.arrays.get_mut(place);
        if let Some(entry) = entry.filter(|entry| Arc::ptr_eq(&entry.shared, shared)) {
            change(entry);
        }
    }
}

impl Registry {
    /// Adds an array, for which there must be room.
    fn add(&mut self, shared: &Arc<Shared>) {
        shared.place.store(self.arrays.len(), Ordering::Relaxed);
        self.arrays.push(Registration::new(Arc::clone(shared)));
    }

    /// Returns the thread, and starts it if there is none. `None` if it cannot be started.
    fn start(&mut self, service: &'static Service) -> Option<Thread> {
        self.idle_since = None;
        if self.thread.is_none() {
            self.thread = Some(super::starting(|| start_thread(service))?);
            service.presence.begin();
        }
        self.thread.clone()
    }

    /// How many bytes are ready ahead of all arrays.
    fn ahead_bytes(&self) -> usize {
        self.arrays.iter().map(|entry| entry.shared.ahead_bytes()).sum()
    }

    /// Returns the array with the least of its window ready, among those that asked.
    fn most_urgent(&mut self) -> Option<Arc<Shared>> {
        let active = self.arrays.iter_mut().filter_map(|entry| {
            entry.is_active |= entry.shared.take_request();
            entry.is_active.then_some(&entry.shared)
        });
        active.min_by_key(|shared| shared.fill()).cloned()
    }

    /// Returns the job for an array that has not grown for long and has too much ahead of it, or has had a surplus for
    /// as long; otherwise when to look again. All that do not grow share `most` bytes.
    fn quiet(&mut self, now: Instant, most: u64) -> Result<Job, Option<Duration>> {
        let most = most / (self.arrays.len() as u64).max(1);
        let most = usize::try_from(most).unwrap_or(usize::MAX);
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
            if entry.is_stuck || !shared.has_too_much(most) {
                continue;
            }
            let (quiet, fitting) = (left(entry.since), left(entry.fitting));
            if quiet.is_zero() {
                // If it was refused more, it does not get that back.
                entry.is_active = false;
                return Ok(Job::TakeBack(Arc::clone(shared), most));
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

/// Called with the registry's lock.
fn start_thread(service: &'static Service) -> Option<Thread> {
    if !is_memory_left() || !is_there_room_for_a_thread() {
        return None;
    }
    let builder = thread::Builder::new().name("stayput".into()).stack_size(STACK_BYTES);
    // Std panics if some of its thread-local values have been destroyed, as they may be while a thread ends. The caller
    // may be a global allocator, which must not unwind.
    let spawn = AssertUnwindSafe(|| builder.spawn(move || worker::run(service)));
    let handle = os::with_signals_left_to_others(|| panic::catch_unwind(spawn)).ok()?;
    Some(handle.ok()?.thread().clone())
}

/// Whether there is memory for the small blocks that are allocated next. Without them arrays can do without the
/// service, but std has no fallible way to create a thread or an `Arc`: it aborts the process.
pub(super) fn is_memory_left() -> bool {
    const ENOUGH_BYTES: usize = 16 << 10;
    Vec::<u8>::new().try_reserve_exact(ENOUGH_BYTES).is_ok()
}

/// Whether there are mappings and memory for a thread. What a thread needs in addition to its stack (a signal stack, an
/// allocator's heap, what std allocates in it) aborts the process if it is not available.
fn is_there_room_for_a_thread() -> bool {
    /// Beside the stack. A heap of glibc starts with 132 KiB; a thread has failed for lack of 32 KiB.
    const OTHER_BYTES: usize = 512 << 10;
    /// The pages between them are mappings, too.
    const OTHER_MAPPINGS: usize = 4;
    let page = page_size();
    let small_bytes = 2 * OTHER_MAPPINGS * page;
    let bytes = (small_bytes + STACK_BYTES + OTHER_BYTES).next_multiple_of(page);
    let builder = Reservation::builder().bytes(bytes).huge_pages(HugePages::Never).bare();
    // Dropped at the end, so that the thread can use it.
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

    pub(super) fn lock_for_test(&self) -> impl Drop {
        self.lock()
    }

    /// Creates a service whose thread is the caller: for its arrays only the test does any work.
    pub(super) fn unattended(process: Process) -> &'static Self {
        /// Referred to for leak checkers.
        static ALL: std::sync::Mutex<Vec<&Service>> = std::sync::Mutex::new(Vec::new());
        let service: &'static Self = Box::leak(Box::new(Self::new(process, None)));
        service.lock().thread = Some(thread::current());
        ALL.lock().unwrap().push(service);
        service
    }
}
