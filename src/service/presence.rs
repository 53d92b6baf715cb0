//! [`Presence`]: whether the background thread runs or sleeps, as threads that cache something see it.
//!
//! Both sides write one thing and then look at the other: the thread says that it sleeps or ends and then looks at the
//! cache, and the others cache something and then look here. The fences between make sure that at least one of them
//! sees what the other wrote. `loom/` runs the interleavings of this file.

#![forbid(unsafe_code)]

use super::lock::Lock;
use super::sync::atomic::{AtomicBool, AtomicUsize, Ordering, fence};
use super::sync::thread::{self, Thread};

#[derive(Debug, Default)]
pub(super) struct Presence {
    /// Whether the thread runs, and will look at the region cache before it ends.
    runs: AtomicBool,
    /// Whether the thread sleeps without a timeout because the region cache was empty. `sleeper` is that thread.
    sleeps: AtomicBool,
    sleeper: Lock<Option<Thread>>,
    /// How many arrays are being dropped, or were dropped while the thread was at work for them.
    retiring: AtomicUsize,
}

impl Presence {
    pub(super) fn runs(&self) -> bool {
        self.runs.load(Ordering::Relaxed)
    }

    pub(super) fn begin(&self) {
        self.runs.store(true, Ordering::Relaxed);
    }

    /// Records that the thread ends, unless `is_needed` returns `true`. Returns whether it ends.
    pub(super) fn end_unless(&self, is_needed: impl FnOnce() -> bool) -> bool {
        self.runs.store(false, Ordering::Relaxed);
        // A thread that caches something after this fence sees that no thread runs; `is_needed` sees what was cached
        // before it.
        fence(Ordering::SeqCst);
        let is_needed = is_needed();
        if is_needed {
            self.begin();
        }
        !is_needed
    }

    /// Calls `look` and then `sleep`, which [`note_kept`](Self::note_kept) ends. `look` sees what was cached without waking
    /// the thread.
    pub(super) fn sleep_until_kept<R>(&self, look: impl FnOnce() -> R, sleep: impl FnOnce(R)) {
        *self.sleeper.lock() = Some(thread::current());
        // Not a store: loom does not order one with another thread's exchange.
        self.sleeps.swap(true, Ordering::Relaxed);
        // A thread that caches something after this fence sees the flag; `look` sees what was cached before it.
        fence(Ordering::SeqCst);
        sleep(look());
        self.sleeps.store(false, Ordering::Relaxed);
    }

    /// Called after something was cached: wakes the thread if it sleeps, and `is_here` says that it is one of this process.
    pub(super) fn note_kept(&self, is_here: impl FnOnce() -> bool) {
        fence(Ordering::SeqCst);
        // Of several threads that see the flag, one wakes the thread, which then looks at all that was cached.
        let is_first =
            self.sleeps.load(Ordering::Relaxed) && self.sleeps.swap(false, Ordering::Relaxed);
        if !is_first || !is_here() {
            return;
        }
        // If the lock is held, the thread itself holds it and is awake, or another thread is waking it.
        if let Some(sleeper) = self.sleeper.try_lock() {
            sleeper.iter().for_each(Thread::unpark);
        }
    }

    /// Records that an array is dropped, and its memory may be passed on later.
    pub(super) fn note_retiring(&self) {
        self.retiring.fetch_add(1, Ordering::Relaxed);
    }

    /// Records that the memory of such an array was passed on.
    pub(super) fn note_retired(&self) {
        // Release: a thread that waited for it sees it in the cache.
        self.retiring.fetch_sub(1, Ordering::Release);
    }

    pub(super) fn is_any_retiring(&self) -> bool {
        self.retiring.load(Ordering::Acquire) > 0
    }
}
