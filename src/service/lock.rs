//! [`Lock`]: std's mutex and condition variable, for data that a panic never leaves inconsistent, in a form that
//! `ThreadSanitizer` can follow.

#![forbid(unsafe_code)]

use std::ops::{Deref, DerefMut};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError, TryLockError};

/// A value that one thread at a time can access.
#[derive(Debug, Default)]
pub(super) struct Lock<T> {
    value: Mutex<T>,
    changed: Condvar,
    /// Stored before the lock is released, and loaded after it is acquired. The lock itself orders the threads, but
    /// partly in code of std that is not built for the sanitizer, which would report all their accesses as races. This
    /// repeats the order in code that is.
    order: AtomicBool,
}

/// See [`Lock::lock`].
#[derive(Debug)]
pub(super) struct Guard<'l, T> {
    value: Option<MutexGuard<'l, T>>,
    lock: &'l Lock<T>,
}

impl<T> Lock<T> {
    pub(super) fn lock(&self) -> Guard<'_, T> {
        self.guard(self.value.lock().unwrap_or_else(PoisonError::into_inner))
    }

    /// Acquires the lock if no thread holds it.
    pub(super) fn try_lock(&self) -> Option<Guard<'_, T>> {
        match self.value.try_lock() {
            Ok(value) => Some(self.guard(value)),
            Err(TryLockError::Poisoned(poisoned)) => Some(self.guard(poisoned.into_inner())),
            Err(TryLockError::WouldBlock) => None,
        }
    }

    fn guard<'l>(&'l self, value: MutexGuard<'l, T>) -> Guard<'l, T> {
        self.order.load(Ordering::Acquire);
        Guard { value: Some(value), lock: self }
    }

    /// Wakes all threads that [wait](Guard::wait_while).
    pub(super) fn notify_all(&self) {
        self.changed.notify_all();
    }
}

impl<'l, T> Guard<'l, T> {
    /// Releases the lock for as long as `is_so` returns `true`, which is called again after each
    /// [`notify_all`](Lock::notify_all).
    pub(super) fn wait_while(mut self, mut is_so: impl FnMut(&T) -> bool) -> Self {
        let lock = self.lock;
        while is_so(&self) {
            let Some(value) = self.unlock() else {
                unreachable!("it is let go of only at the end")
            };
            let value = lock.changed.wait(value).unwrap_or_else(PoisonError::into_inner);
            self = lock.guard(value);
        }
        self
    }

    fn unlock(&mut self) -> Option<MutexGuard<'l, T>> {
        self.lock.order.store(true, Ordering::Release);
        self.value.take()
    }
}

impl<T> Deref for Guard<'_, T> {
    type Target = T;

    fn deref(&self) -> &T {
        self.value.as_deref().expect("it is let go of only at the end")
    }
}

impl<T> DerefMut for Guard<'_, T> {
    fn deref_mut(&mut self) -> &mut T {
        self.value.as_deref_mut().expect("it is let go of only at the end")
    }
}

impl<T> Drop for Guard<'_, T> {
    fn drop(&mut self) {
        drop(self.unlock());
    }
}
