//! [`Lock`]: std's lock and condition, for what no panic leaves half-made, in a way that the thread
//! sanitizer can follow.

#![forbid(unsafe_code)]

use std::ops::{Deref, DerefMut};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError, TryLockError};

/// A value that one thread has at a time.
#[derive(Debug, Default)]
pub(super) struct Lock<T> {
    value: Mutex<T>,
    changed: Condvar,
    /// Stored by who lets go and loaded by who comes next. The lock itself orders what they do; but where
    /// they meet in it, it does so in code of std's that is not built for the sanitizer, which then takes
    /// all that they do for races. This says it again, where it can be seen.
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

    /// The same, if nobody has it just now.
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

    /// Wakes all who [wait](Guard::wait_while).
    pub(super) fn notify_all(&self) {
        self.changed.notify_all();
    }
}

impl<'l, T> Guard<'l, T> {
    /// Lets others have it as long as that is so; looks again whenever [told](Lock::notify_all).
    pub(super) fn wait_while(mut self, mut is_so: impl FnMut(&T) -> bool) -> Self {
        let lock = self.lock;
        while is_so(&self) {
            let Some(value) = self.let_go() else {
                unreachable!("it is let go of only at the end")
            };
            let value = lock.changed.wait(value).unwrap_or_else(PoisonError::into_inner);
            self = lock.guard(value);
        }
        self
    }

    fn let_go(&mut self) -> Option<MutexGuard<'l, T>> {
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
        drop(self.let_go());
    }
}
