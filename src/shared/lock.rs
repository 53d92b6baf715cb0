//! [`GrowthLock`]: one thread at a time takes memory.
//!
//! In two cases a thread would wait for the lock forever: when it already holds the lock in a call further up its
//! stack, and in the child of a `fork`, if the lock was held by another thread, which the child does not have. Both are
//! refused. In the second case, methods that take `&mut self` [replace](GrowthLock::replace_if_held) the lock: they use
//! what it guards in any case, so refusing calls on `&self` afterwards would protect nothing.

#![forbid(unsafe_code)]

use crate::os;
use std::mem;
use std::ops::{Deref, DerefMut};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError, TryLockError};
use std::thread;

/// A mutex around what takes memory.
pub(super) struct GrowthLock<M> {
    memory: Mutex<M>,
    /// An address that belongs to the thread that holds the lock, or 0.
    holder: AtomicUsize,
    /// Whether the lock can be taken in this process; see [`is_usable`](Self::is_usable).
    state: AtomicUsize,
}

/// Why the lock cannot be acquired.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum LockError {
    /// This thread holds it, in a call further up its stack.
    Reentrant,
    /// A thread of the process that this one was forked from held it.
    Orphaned,
}

pub(super) struct Guard<'l, M> {
    memory: MutexGuard<'l, M>,
    lock: &'l GrowthLock<M>,
}

// The low bits of `state`. The others are the number of forks when it was set.

/// The lock is free, or held by a thread of this process.
const USABLE: usize = 0;
/// A thread is finding out whether the lock is usable.
const TESTED: usize = 1;
/// The lock is held by a thread that this process does not have.
const LOST: usize = 2;
const STATE_BITS: u32 = 2;

impl<M> GrowthLock<M> {
    pub(super) const fn new(memory: M) -> Self {
        let (holder, state) = (AtomicUsize::new(0), AtomicUsize::new(USABLE));
        Self { memory: Mutex::new(memory), holder, state }
    }

    pub(super) fn lock(&self) -> Result<Guard<'_, M>, LockError> {
        if self.is_held_here() {
            return Err(LockError::Reentrant);
        }
        if !self.is_usable() {
            return Err(LockError::Orphaned);
        }
        let memory = self.memory.lock().unwrap_or_else(PoisonError::into_inner);
        Ok(self.guard(memory))
    }

    /// Acquires the lock if no thread holds it.
    pub(super) fn try_lock(&self) -> Option<Guard<'_, M>> {
        if self.is_held_here() || !self.is_usable() {
            return None;
        }
        self.try_lock_memory().map(|memory| self.guard(memory))
    }

    fn try_lock_memory(&self) -> Option<MutexGuard<'_, M>> {
        match self.memory.try_lock() {
            Ok(memory) => Some(memory),
            Err(TryLockError::Poisoned(memory)) => Some(memory.into_inner()),
            Err(TryLockError::WouldBlock) => None,
        }
    }

    fn guard<'l>(&'l self, memory: MutexGuard<'l, M>) -> Guard<'l, M> {
        // Acquired from the last holder, also for a sanitizer, which does not see into std's lock.
        self.holder.swap(this_thread(), Ordering::Acquire);
        Guard { memory, lock: self }
    }

    fn is_held_here(&self) -> bool {
        self.holder.load(Ordering::Relaxed) == this_thread()
    }

    /// Whether every thread that may hold the lock exists in this process, so that waiting for it ends.
    ///
    /// The first thread that asks after a fork tries to take the lock. No other thread of this process takes it before
    /// the answer is known, as each asks first. So if the attempt fails, the lock has been held since before the fork.
    fn is_usable(&self) -> bool {
        let forks = os::forks() << STATE_BITS;
        loop {
            let state = self.state.load(Ordering::Relaxed);
            if state == forks | TESTED {
                // The other thread has an attempt and a store ahead of it.
                thread::yield_now();
            } else if state >> STATE_BITS == forks >> STATE_BITS {
                return state == forks | USABLE;
            } else if self.set_state(state, forks | TESTED) {
                let found = if self.try_lock_memory().is_some() { USABLE } else { LOST };
                // Unless the lock was released meanwhile, by a thread that held it and forked.
                self.set_state(forks | TESTED, forks | found);
            }
        }
    }

    fn set_state(&self, now: usize, new: usize) -> bool {
        let order = Ordering::Relaxed;
        self.state.compare_exchange(now, new, order, order).is_ok()
    }

    /// Replaces the lock if it is held, and returns whether it was. `placeholder` is dropped.
    ///
    /// `&mut self` proves that no thread of this process holds the lock. So if it is held, its holder was a thread of
    /// the process that this one was forked from, and may have been anywhere in a change of the value.
    pub(super) fn replace_if_held(&mut self, placeholder: impl FnOnce() -> M) -> bool {
        let is_lost = self.try_lock_memory().is_none();
        if is_lost {
            let lost = mem::replace(self, Self::new(placeholder()));
            *self = Self::new(lost.memory.into_inner().unwrap_or_else(PoisonError::into_inner));
        }
        is_lost
    }

    pub(super) fn get_mut(&mut self) -> &mut M {
        self.memory.get_mut().unwrap_or_else(PoisonError::into_inner)
    }
}

impl<M> Drop for Guard<'_, M> {
    fn drop(&mut self) {
        // If this thread forked while it held the lock, others of the child may have found it lost.
        self.lock.state.store(os::forks() << STATE_BITS | USABLE, Ordering::Relaxed);
        self.lock.holder.store(0, Ordering::Release);
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

/// Returns an address that no two threads have at a time.
fn this_thread() -> usize {
    thread_local! {
        static HERE: u8 = const { 0 };
    }
    HERE.with(|here| std::ptr::from_ref(here).addr())
}
