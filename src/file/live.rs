//! [`Live`]: the published length of an array, as followers of its file see it.

#![expect(unsafe_code, reason = "points into the header of a mapped file")]

use super::map::{LEN_AT, REMOVALS_AT, Words, begin_removal, end_removal, low_word, word};
use super::mapped_file::MappedFile;
use std::ptr::NonNull;
use std::sync::Arc;
use std::sync::atomic::Ordering;

/// The header of a writable file, in which the length and the number of removals are.
///
/// Its invariant, *mapped*: `header` points to words in a writable mapping that `mapped` keeps; all code in this process
/// accesses them as atomics.
#[derive(Debug)]
pub(super) struct Live {
    header: NonNull<Words>,
    mapped: Arc<MappedFile>,
}

// SAFETY: the pointer only gives access to atomics, which threads may share; `mapped` is `Send`, and the mapping that it
// keeps stays at its address when it is moved.
unsafe impl Send for Live {}
// SAFETY: `&self` only gives access to atomics, and to `mapped`, which is `Sync`.
unsafe impl Sync for Live {}

impl Live {
    pub(super) fn new(mapped: Arc<MappedFile>) -> Self {
        Self { header: NonNull::from(mapped.map().words()), mapped }
    }

    pub(super) fn mapped(&self) -> &MappedFile {
        &self.mapped
    }

    pub(super) fn into_mapped(self) -> Arc<MappedFile> {
        self.mapped
    }

    #[inline]
    fn words(&self) -> &Words {
        // SAFETY: the pointer was made from a reference, so it is aligned, and to a valid value. That stays mapped while
        // `self` is borrowed, and is only accessed as atomics, which may change meanwhile (*mapped*).
        unsafe { self.header.as_ref() }
    }

    /// Publishes the length to readers. All elements below it must have been written.
    #[inline]
    pub(super) fn publish(&self, len: usize) {
        word(self.words(), LEN_AT).store(len, Ordering::Release);
    }

    /// Publishes a shorter length. Called before elements past it are overwritten.
    #[inline]
    pub(super) fn publish_removal(&self, len: usize) {
        let removals = word(self.words(), low_word(REMOVALS_AT));
        begin_removal(removals);
        self.publish(len);
        #[cfg(all(test, not(no_vm)))]
        super::tests::loss::may_end_removal();
        end_removal(removals);
    }
}
