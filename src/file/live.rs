//! [`Live`]: the published length of an array, as followers of its file see it.

#![expect(unsafe_code, reason = "points into the header of a mapped file")]

use super::held::Held;
use super::map::count_removal;
use std::ptr::NonNull;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

/// Pointers to the length and the number of removals in the header of a file, which `held` keeps mapped.
#[derive(Debug)]
pub(super) struct Live {
    len: NonNull<AtomicUsize>,
    removals: NonNull<AtomicUsize>,
    held: Arc<Held>,
}

// SAFETY: both pointers are to atomics, which threads may share; `held` keeps them mapped.
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

    pub(super) fn into_held(self) -> Arc<Held> {
        self.held
    }

    /// Publishes the length to readers. All elements below it must have been written.
    #[inline]
    pub(super) fn publish(&self, len: usize) {
        // SAFETY: mapped until `held` is dropped, which `self` owns.
        let published = unsafe { self.len.as_ref() };
        published.store(len, Ordering::Release);
    }

    /// Publishes a shorter length. Called before elements past it are overwritten.
    #[inline]
    pub(super) fn publish_removal(&self, len: usize) {
        self.publish(len);
        // SAFETY: mapped until `held` is dropped, as above.
        count_removal(unsafe { self.removals.as_ref() });
    }
}
