//! [`Service`]: who asked for the background thread, and what it is to do next.

#![expect(unsafe_code, reason = "refers to a service that is never dropped")]

use super::shared::Shared;
use super::worker;
use super::{CommitAhead, Leaving};
use crate::os;
use crate::reservation::Reservation;
use std::collections::VecDeque;
use std::process;
use std::ptr;
use std::sync::atomic::{AtomicPtr, AtomicUsize, Ordering};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError, Weak};
use std::thread::{self, Thread};
use std::time::{Duration, Instant};

/// How long an array must not have grown for what lies ahead of it to be taken back.
const QUIET: Duration = Duration::from_secs(1);
/// How long the thread waits for somebody to use it before it ends.
const LINGER: Duration = Duration::from_secs(1);
/// Of the machine's memory, how much may wait to be released.
const WAITING_SHARE: u64 = 4;
/// More than this many reservations are not kept waiting.
const WAITING_MOST: usize = 1 << 16;

/// The registry, the queue and the thread of one process. (A forked child makes another.)
#[derive(Debug)]
pub(crate) struct Service {
    process: Process,
    /// Never held while the system is called, or user code runs; but for starting the thread.
    state: Mutex<Registry>,
    /// Told when a release ends.
    released: Condvar,
    /// How often the thread woke up.
    pub(super) wakeups: AtomicUsize,
    /// How often any array was late.
    late: AtomicUsize,
    /// How many are without memory just now: nothing is made ready meanwhile.
    pressed: AtomicUsize,
    /// Of the process that this one was forked from: to be found by leak checkers.
    _parent: Option<&'static Service>,
}

#[derive(Debug, Default)]
struct Registry {
    arrays: Vec<Entry>,
    releases: VecDeque<Waiting>,
    /// Of those that wait, and of the one that is being released.
    waiting_bytes: usize,
    waiting: usize,
    /// How many the thread has begun to release, and whether it is done with the last.
    begun: usize,
    is_releasing: bool,
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
    /// Weak, so that an array that is dropped takes its memory along at once; and so that in a
    /// forked child, where this is never looked at again, it does too.
    shared: Weak<Shared>,
    /// Asked for, and not yet all done.
    is_active: bool,
    /// What it had committed in all when last looked at, and since when.
    seen: (usize, usize),
    since: Instant,
    /// Taking back was refused; not tried again until the array grows.
    is_stuck: bool,
}

#[derive(Debug)]
struct Waiting {
    memory: Leaving,
    bytes: usize,
}

/// What the thread is to do.
pub(super) enum Job {
    Prefault(Arc<Shared>),
    TakeBack(Arc<Shared>),
    Release(Leaving, usize),
    Wait(Option<Duration>),
    End,
}

/// Null, or leaked. Not a lock, since the child of a fork must be able to replace it.
static CURRENT: AtomicPtr<Service> = AtomicPtr::new(ptr::null_mut());

impl Service {
    fn new(process: Process, parent: Option<&'static Self>) -> Self {
        Self {
            process,
            state: Mutex::default(),
            released: Condvar::new(),
            wakeups: AtomicUsize::new(0),
            late: AtomicUsize::new(0),
            pressed: AtomicUsize::new(0),
            _parent: parent,
        }
    }

    /// That of this process, if anybody has ever asked for it.
    pub(super) fn existing() -> Option<&'static Self> {
        let current = CURRENT.load(Ordering::Acquire);
        // SAFETY: null, or leaked by `current`, so it lives for ever.
        let current: Option<&'static Self> = unsafe { current.cast_const().as_ref() };
        current.filter(|service| !service.is_of_another_process())
    }

    /// That of this process.
    pub(super) fn current() -> &'static Self {
        loop {
            let at = CURRENT.load(Ordering::Acquire);
            // SAFETY: null, or leaked below, so it lives for ever.
            let current: Option<&'static Self> = unsafe { at.cast_const().as_ref() };
            let process = Process::current();
            if let Some(current) = current.filter(|service| service.process == process) {
                return current;
            }
            let new = Box::into_raw(Box::new(Self::new(process, current)));
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

    fn lock(&self) -> MutexGuard<'_, Registry> {
        // Nothing panics under the lock; and whatever did has left no half-made state.
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Has a reservation served, of which the array has the first `committed` bytes; gives it back
    /// if there can be no thread.
    pub(super) fn register(
        &'static self,
        reservation: Reservation,
        committed: usize,
        ahead: CommitAhead,
    ) -> Result<Arc<Shared>, Reservation> {
        if !Shared::fits(&reservation) {
            return Err(reservation);
        }
        let mut registry = self.lock();
        let Some(thread) = registry.start(self) else { return Err(reservation) };
        let shared = Arc::new(Shared::new(reservation, committed, ahead, self, thread));
        shared.place.store(registry.arrays.len(), Ordering::Relaxed);
        registry.arrays.push(Entry {
            shared: Arc::downgrade(&shared),
            is_active: false,
            seen: (0, 0),
            since: Instant::now(),
            is_stuck: false,
        });
        drop(registry);
        // So that there is something ahead of its first growth.
        shared.ask();
        Ok(shared)
    }

    /// The array is gone. Whoever is at work for it goes on until the step ends.
    pub(super) fn unregister(&self, shared: &Shared) {
        if self.is_of_another_process() {
            // The lock may be held for ever, by a thread that is not here.
            return;
        }
        let mut registry = self.lock();
        let place = shared.place.load(Ordering::Relaxed);
        registry.arrays.swap_remove(place);
        if let Some(moved) = registry.arrays.get(place).and_then(|entry| entry.shared.upgrade()) {
            moved.place.store(place, Ordering::Relaxed);
            // It may have been dropped meanwhile, and this be the last that holds it: its memory is
            // not released under the lock.
            drop(registry);
        } else if registry.arrays.is_empty() {
            // Or else it would sleep until somebody needs it again.
            let thread = registry.thread.clone();
            drop(registry);
            thread.iter().for_each(Thread::unpark);
        }
    }

    /// Releases memory in the background, or gives it back if too much waits already.
    pub(super) fn release(&'static self, memory: Leaving, bytes: usize) -> Result<(), Leaving> {
        let most = os::memory_bytes().unwrap_or(u64::MAX) / WAITING_SHARE;
        let mut registry = self.lock();
        let waiting_bytes = registry.waiting_bytes.saturating_add(bytes);
        if waiting_bytes as u64 > most || registry.waiting >= WAITING_MOST {
            return Err(memory);
        }
        let Some(thread) = registry.start(self) else { return Err(memory) };
        registry.waiting_bytes = waiting_bytes;
        registry.waiting += 1;
        registry.releases.push_back(Waiting { memory, bytes });
        drop(registry);
        thread.unpark();
        Ok(())
    }

    /// Counts a release that ended.
    pub(super) fn note_released(&self, bytes: usize) {
        let mut registry = self.lock();
        registry.waiting_bytes -= bytes;
        registry.waiting -= 1;
        drop(registry);
        self.released.notify_all();
    }

    /// Counts one that the thread has made.
    pub(super) fn end_release(&self, bytes: usize) {
        self.lock().is_releasing = false;
        self.note_released(bytes);
    }

    /// Waits until nothing waits to be released.
    pub(super) fn drain(&self) {
        let registry = self.lock();
        let wait = self.released.wait_while(registry, |registry| registry.waiting > 0);
        drop(wait.unwrap_or_else(PoisonError::into_inner));
    }

    /// Releases, here and now, all that waits for it, and waits for what is being released. Whether
    /// there was anything.
    pub(super) fn release_waiting(&self) -> bool {
        let mut any = false;
        let registry = loop {
            let mut registry = self.lock();
            let Some(Waiting { memory, bytes }) = registry.releases.pop_front() else {
                break registry;
            };
            drop(registry);
            drop(memory);
            self.note_released(bytes);
            any = true;
        };
        // Not for what others hand over meanwhile.
        let (begun, is_releasing) = (registry.begun, registry.is_releasing);
        let is_same = |registry: &mut Registry| registry.is_releasing && registry.begun == begun;
        drop(self.released.wait_while(registry, is_same).unwrap_or_else(PoisonError::into_inner));
        any || is_releasing
    }

    /// Takes back all that lies ahead of arrays, and releases all that waits, and then does what was
    /// refused, if there was anything; nothing is made ready before that is done.
    pub(super) fn make_room<R>(&self, again: impl FnOnce() -> R) -> Option<R> {
        self.pressed.fetch_add(1, Ordering::Relaxed);
        let mut any = self.release_waiting();
        for shared in self.arrays() {
            any |= shared.take_back_all();
        }
        let result = any.then(again);
        self.pressed.fetch_sub(1, Ordering::Relaxed);
        result
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

    /// All that are served now.
    pub(super) fn arrays(&self) -> Vec<Arc<Shared>> {
        self.lock().arrays.iter().filter_map(|entry| entry.shared.upgrade()).collect()
    }

    /// Whether there is a thread, and how many bytes wait to be released.
    pub(super) fn status(&self) -> (bool, usize) {
        let registry = self.lock();
        (registry.thread.is_some(), registry.waiting_bytes)
    }

    /// What is to be done next, the most urgent first.
    pub(super) fn next(&self, releasing: bool) -> Job {
        let mut registry = self.lock();
        // Only begun here: it is gone on with when there is nothing more urgent, and now and then.
        if !releasing {
            if let Some(Waiting { memory, bytes }) = registry.releases.pop_front() {
                registry.begun += 1;
                registry.is_releasing = true;
                return Job::Release(memory, bytes);
            }
        }
        if let Some(shared) = registry.most_urgent() {
            return Job::Prefault(shared);
        }
        let now = Instant::now();
        let (quiet, next) = registry.quiet(now);
        if let Some(shared) = quiet {
            return Job::TakeBack(shared);
        }
        if releasing || !registry.arrays.is_empty() {
            registry.idle_since = None;
            return Job::Wait(next);
        }
        let since = *registry.idle_since.get_or_insert(now);
        let left = LINGER.saturating_sub(now.duration_since(since));
        if !left.is_zero() {
            return Job::Wait(Some(left));
        }
        registry.thread = None;
        Job::End
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
        if let Some(entry) = entry.filter(|entry| entry.shared.as_ptr() == Arc::as_ptr(shared)) {
            change(entry);
        }
    }
}

impl Registry {
    /// The thread, started if there is none.
    fn start(&mut self, service: &'static Service) -> Option<Thread> {
        /// It calls nothing deep.
        const STACK_BYTES: usize = 256 << 10;
        self.idle_since = None;
        if self.thread.is_none() {
            let builder = thread::Builder::new().name("stayput".into()).stack_size(STACK_BYTES);
            let handle =
                os::with_signals_left_to_others(|| builder.spawn(move || worker::run(service)));
            self.thread = Some(handle.ok()?.thread().clone());
        }
        self.thread.clone()
    }

    /// Of those that asked, the one with the least of its window ahead.
    fn most_urgent(&mut self) -> Option<Arc<Shared>> {
        let mut most: Option<(usize, Arc<Shared>)> = None;
        for entry in &mut self.arrays {
            let Some(shared) = entry.shared.upgrade() else { continue };
            entry.is_active |= shared.was_asked();
            if entry.is_active {
                let fill = shared.fill();
                if most.as_ref().is_none_or(|(least, _)| fill < *least) {
                    most = Some((fill, shared));
                }
            }
        }
        most.map(|(_, shared)| shared)
    }

    /// An array that has not grown for long and has more ahead of it than it should keep; or when to
    /// look again.
    fn quiet(&mut self, now: Instant) -> (Option<Arc<Shared>>, Option<Duration>) {
        let mut next: Option<Duration> = None;
        for entry in &mut self.arrays {
            let Some(shared) = entry.shared.upgrade() else { continue };
            let seen = shared.taken_and_late();
            if entry.seen != seen {
                (entry.seen, entry.since, entry.is_stuck) = (seen, now, false);
            }
            if entry.is_stuck || !shared.has_too_much() {
                continue;
            }
            match QUIET.checked_sub(now.duration_since(entry.since)) {
                Some(left) if !left.is_zero() => {
                    next = Some(next.map_or(left, |next| next.min(left)));
                }
                _ => return (Some(shared), None),
            }
        }
        (None, next)
    }
}

/// For tests, which do its work themselves.
#[cfg(test)]
impl Service {
    /// One without a thread but the caller's: nothing is done for its arrays but what a test does.
    pub(super) fn unattended(process: Process) -> &'static Self {
        /// To be found by leak checkers.
        static ALL: Mutex<Vec<&Service>> = Mutex::new(Vec::new());
        let service: &'static Self = Box::leak(Box::new(Self::new(process, None)));
        service.lock().thread = Some(thread::current());
        ALL.lock().unwrap_or_else(PoisonError::into_inner).push(service);
        service
    }
}
