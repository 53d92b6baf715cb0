//! Counts blocks and their memory, for statistics.
//!
//! Each number is exact. Both are from the same moment only while no other thread changes them.

use std::sync::atomic::{AtomicUsize, Ordering};

static BLOCKS: AtomicUsize = AtomicUsize::new(0);
/// Committed bytes of the blocks in use, including headers.
static BYTES: AtomicUsize = AtomicUsize::new(0);

pub(in crate::alloc) fn now() -> (usize, usize) {
    (BLOCKS.load(Ordering::Relaxed), BYTES.load(Ordering::Relaxed))
}

pub(super) fn begun(bytes: usize) {
    BLOCKS.fetch_add(1, Ordering::Relaxed);
    BYTES.fetch_add(bytes, Ordering::Relaxed);
}

pub(super) fn ended(bytes: usize) {
    BLOCKS.fetch_sub(1, Ordering::Relaxed);
    BYTES.fetch_sub(bytes, Ordering::Relaxed);
}

pub(super) fn resized(before: usize, after: usize) {
    // Wraps if the block shrank, and so does the sum.
    BYTES.fetch_add(after.wrapping_sub(before), Ordering::Relaxed);
}
