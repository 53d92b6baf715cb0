//! [`Version`]: a sequence lock. A reader gets what one change has written, or nothing.
//!
//! `records.rs` relies on it for memory safety. The data are atomics beside it, which one owner writes and any thread
//! reads, both relaxed: the version alone orders them. Nothing here depends on the rest of the crate: `loom/` runs the
//! interleavings of this file.

#![forbid(unsafe_code)]

use super::sync::atomic::{AtomicUsize, Ordering, fence};

/// Odd if the data are consistent; even while the owner writes, and without an owner.
#[derive(Debug)]
pub(super) struct Version(AtomicUsize);

impl Version {
    pub(super) const fn new() -> Self {
        Self(AtomicUsize::new(0))
    }

    /// Calls `write` while the version is even. Only the owner may call this.
    pub(super) fn change(&self, write: impl FnOnce()) {
        let before = self.make_even();
        // Orders the even version before the writes below: a reader that sees one of them sees that the version changed.
        fence(Ordering::Release);
        write();
        // Release: a reader that sees the odd version sees the writes before it. The version is a new one.
        self.0.store(before.wrapping_add(3), Ordering::Release);
    }

    /// Makes the version even, and returns it. Only the owner may call this.
    fn make_even(&self) -> usize {
        let version = self.0.load(Ordering::Relaxed) & !1;
        self.0.store(version, Ordering::Relaxed);
        version
    }

    /// Keeps others from reading until the next [change](Self::change). Only the owner may call this.
    pub(super) fn hide(&self) {
        self.make_even();
        // Orders the store before what the owner does next.
        fence(Ordering::SeqCst);
    }

    /// Returns what `read` returns, or `None` if the data have no owner or changed meanwhile. Until then `read` may have
    /// loaded parts of several changes, so it must only copy numbers and addresses.
    pub(super) fn read<R>(&self, read: impl FnOnce() -> R) -> Option<R> {
        let version = self.0.load(Ordering::Acquire);
        if version & 1 == 0 {
            return None;
        }
        let found = read();
        // Orders the loads of `read` before the second load of the version.
        fence(Ordering::Acquire);
        (self.0.load(Ordering::Relaxed) == version).then_some(found)
    }
}
