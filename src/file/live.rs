//! [`Live`]: the published length of an array, as followers of its file see it.

#![expect(unsafe_code, reason = "points into the header of a mapped file")]

use super::map::count_removal;
use super::mapped_file::MappedFile;
use std::ptr::NonNull;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

/// Pointers to the length and the number of removals in the header of a file, which `mapped` keeps mapped.
#[derive(Debug)]
pub(super) struct Live {
    len: NonNull<AtomicUsize>,
    removals: NonNull<AtomicUsize>,
    mapped: Arc<MappedFile>,
}

// SAFETY: both pointers are to atomics, which threads may share; `mapped` keeps them mapped.
unsafe impl Send for Live {}
// SAFETY: as above.
unsafe impl Sync for Live {}

impl Live {
    pub(super) fn new(mapped: Arc<MappedFile>) -> Self {
        let (len, removals) = mapped.map().live();
        Self { len, removals, mapped }
    }

    pub(super) fn mapped(&self) -> &MappedFile {
        &self.mapped
    }

    pub(super) fn into_mapped(self) -> Arc<MappedFile> {
        self.mapped
    }

    /// Publishes the length to readers. All elements below it must have been written.
    #[inline]
    pub(super) fn publish(&self, len: usize) {
        // SAFETY: mapped until `mapped` is dropped, which `self` owns.
        let published = unsafe { self.len.as_ref() };
        published.store(len, Ordering::Release);
    }

    /// Publishes a shorter length. Called before elements past it are overwritten.
    #[inline]
    pub(super) fn publish_removal(&self, len: usize) {
        self.publish(len);
        // SAFETY: mapped until `mapped` is dropped, as above.
        count_removal(unsafe { self.removals.as_ref() });
    }
}
