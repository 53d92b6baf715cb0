//! [`Live`]: the length of an array, where all who follow it see it.

#![expect(unsafe_code, reason = "points into the header of a file that is mapped")]

use super::held::Held;
use super::map::count_removal;
use std::ptr::NonNull;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

/// Where the length lies in the header of a file, and the number of removals, and what keeps them mapped.
#[derive(Debug)]
pub(super) struct Live {
    len: NonNull<AtomicUsize>,
    removals: NonNull<AtomicUsize>,
    held: Arc<Held>,
}

// SAFETY: both pointers are to atomics, which any thread may share; `held` keeps them mapped.
unsafe impl Send for Live {}
// SAFETY: as above.
unsafe impl Sync for Live {}

impl Live {
    pub(super) fn new(held: Arc<Held>) -> Self {
        let (len, removals) = held.map().live();
        Self { len, removals, held }
    }

    pub(super) fn held(&self) -> &Held {
        &self.held
    }

    /// What keeps it mapped, without which it is gone.
    pub(super) fn into_held(self) -> Arc<Held> {
        self.held
    }

    /// Tells all who follow that there are so many elements, which are written.
    #[inline]
    pub(super) fn publish(&self, len: usize) {
        // SAFETY: mapped for as long as `held` has not ended, which it does when it is taken out of `self`.
        let published = unsafe { self.len.as_ref() };
        published.store(len, Ordering::Release);
    }

    /// Publishes a length that is less than before. Called before elements past it are overwritten.
    #[inline]
    pub(super) fn publish_removal(&self, len: usize) {
        self.publish(len);
        // SAFETY: mapped for as long as `held` is there, as above.
        count_removal(unsafe { self.removals.as_ref() });
    }
}
