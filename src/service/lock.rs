//! [`Lock`]: std's mutex, for data that a panic never leaves inconsistent, in a form that `ThreadSanitizer` can follow.

#![forbid(unsafe_code)]

use super::sync::atomic::{AtomicBool, Ordering};
use super::sync::{Mutex, MutexGuard};
use std::ops::{Deref, DerefMut};
use std::sync::{PoisonError, TryLockError};

/// A value that one thread at a time can access.
#[derive(Debug, Default)]
pub(super) struct Lock<T> {
    value: Mutex<T>,
    /// Stored before the lock is released, and loaded after it is acquired. The lock itself orders the threads, but
    /// partly in code of std that is not built for the sanitizer, which would report all their accesses as races. This
    /// repeats the order in code that is. (So no model of loom needs it.)
    order: AtomicBool,
}

/// See [`Lock::lock`].
#[derive(Debug)]
pub(super) struct Guard<'l, T> {
    value: MutexGuard<'l, T>,
    order: &'l AtomicBool,
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
        Guard { value, order: &self.order }
    }
}

impl<T> Deref for Guard<'_, T> {
    type Target = T;

    fn deref(&self) -> &T {
        &self.value
    }
}

impl<T> DerefMut for Guard<'_, T> {
    fn deref_mut(&mut self) -> &mut T {
        &mut self.value
    }
}

impl<T> Drop for Guard<'_, T> {
    fn drop(&mut self) {
        // The lock is released after this, when the field is dropped.
        self.order.store(true, Ordering::Release);
    }
}
