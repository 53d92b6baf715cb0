//! [`GrowthLock`]: one thread at a time takes memory.
//!
//! It knows two cases in which somebody would wait for ever: a thread that comes again out of a call for which it
//! has the lock itself, and the child of a `fork`, in which the thread that has it does not exist.

#![forbid(unsafe_code)]

use crate::os;
use std::ops::{Deref, DerefMut};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError, TryLockError};
use std::thread;
use std::time::Duration;

/// A lock around what takes memory.
pub(super) struct GrowthLock<M> {
    memory: Mutex<M>,
    /// The thread that has it, as an address of its own, or 0.
    holder: AtomicUsize,
    /// How often there had been forks when it was last taken.
    forks: AtomicUsize,
}

/// Why it is not to be had.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Held {
    /// This thread has it, in a call further up.
    Here,
    /// The thread that had it is one of the process from which this one was forked.
    Elsewhere,
}

pub(super) struct Guard<'l, M> {
    memory: MutexGuard<'l, M>,
    holder: &'l AtomicUsize,
}

impl<M> GrowthLock<M> {
    pub(super) const fn new(memory: M) -> Self {
        Self { memory: Mutex::new(memory), holder: AtomicUsize::new(0), forks: AtomicUsize::new(0) }
    }

    pub(super) fn lock(&self) -> Result<Guard<'_, M>, Held> {
        /// As long as another thread of a child may have it for the first time there.
        const TRIES: usize = 500;
        if self.holder.load(Ordering::Relaxed) == this_thread() {
            return Err(Held::Here);
        }
        let forks = os::forks();
        for _ in 0..TRIES {
            if let Some(guard) = self.try_lock() {
                return Ok(guard);
            }
            if self.forks.load(Ordering::Relaxed) == forks {
                let memory = self.memory.lock().unwrap_or_else(PoisonError::into_inner);
                return Ok(self.guard(memory));
            }
            thread::sleep(Duration::from_millis(1));
        }
        Err(Held::Elsewhere)
    }

    /// The lock, if nobody has it.
    pub(super) fn try_lock(&self) -> Option<Guard<'_, M>> {
        match self.memory.try_lock() {
            Ok(memory) => Some(self.guard(memory)),
            Err(TryLockError::Poisoned(memory)) => Some(self.guard(memory.into_inner())),
            Err(TryLockError::WouldBlock) => None,
        }
    }

    fn guard<'l>(&'l self, memory: MutexGuard<'l, M>) -> Guard<'l, M> {
        // Acquired from who had it last, also for a sanitizer, which does not see into std's lock.
        self.holder.swap(this_thread(), Ordering::Acquire);
        self.forks.store(os::forks(), Ordering::Relaxed);
        Guard { memory, holder: &self.holder }
    }

    pub(super) fn get_mut(&mut self) -> &mut M {
        self.memory.get_mut().unwrap_or_else(PoisonError::into_inner)
    }
}

impl<M> Drop for Guard<'_, M> {
    fn drop(&mut self) {
        self.holder.store(0, Ordering::Release);
    }
}

impl<M> Deref for Guard<'_, M> {
    type Target = M;

    fn deref(&self) -> &M {
        &self.memory
    }
}

impl<M> DerefMut for Guard<'_, M> {
    fn deref_mut(&mut self) -> &mut M {
        &mut self.memory
    }
}

/// An address that no two threads have at a time.
fn this_thread() -> usize {
    thread_local! {
        static HERE: u8 = const { 0 };
    }
    HERE.with(|here| std::ptr::from_ref(here).addr())
}
