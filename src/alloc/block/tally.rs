//! How many blocks there are, and how much memory they have: for looking.
//!
//! Each number is exact, and counted where it changes. Together they are of one moment only as long as no other
//! thread changes them.

use std::sync::atomic::{AtomicUsize, Ordering};

/// Blocks in use.
static BLOCKS: AtomicUsize = AtomicUsize::new(0);
/// Bytes committed for them, with those of headers.
static BYTES: AtomicUsize = AtomicUsize::new(0);

/// How many blocks there are, and how many bytes they have.
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
    // Wraps where it is less, and so does the sum.
    BYTES.fetch_add(after.wrapping_sub(before), Ordering::Relaxed);
}
