//! How many bytes the region cache keeps, and how many it has lent.

#![forbid(unsafe_code)]

use super::sync::atomic::{AtomicUsize, Ordering};

const ORDER: Ordering = Ordering::Relaxed;

static KEPT_BYTES: AtomicUsize = AtomicUsize::new(0);
static LENT_BYTES: AtomicUsize = AtomicUsize::new(0);

/// Returns how many bytes are kept, including regions that a thread is inspecting or taking. A caller that reads 0 sees
/// what the threads that took the last regions did before that.
pub(crate) fn kept_bytes() -> usize {
    KEPT_BYTES.load(Ordering::Acquire)
}

/// Counts `bytes` as kept, unless more than `most` would then be kept and lent together. Returns whether it did.
//
// However many threads call this at once, the sum of kept and lent bytes is bounded once they have returned. Only this
// function raises it: lent bytes were kept, and are counted as kept until they are counted as lent. Consider the last
// call, in the modification order of `KEPT_BYTES`, that returned `true`. What other threads took before it in that
// order was counted as lent when it looked, since `taken` releases; what they took after it was counted as kept when it
// looked, which is as much or more.
pub(super) fn put(bytes: usize, most: usize) -> bool {
    let is_within = |kept: usize| kept.saturating_add(lent_bytes()) <= most;
    // Checked before counting, since other threads find no room while bytes are counted in vain. (Two threads that find
    // room for one may both be refused, which costs them no more than fresh pages.)
    if !is_within(kept_bytes().saturating_add(bytes)) {
        return false;
    }
    let is_counted = is_within(KEPT_BYTES.fetch_add(bytes, Ordering::Acquire) + bytes);
    if !is_counted {
        taken(bytes);
    }
    is_counted
}

/// Counts `bytes` as no longer kept. What of them is lent must have been counted as lent before.
pub(super) fn taken(bytes: usize) {
    KEPT_BYTES.fetch_sub(bytes, Ordering::Release);
}

/// How many bytes are lent with `bytes` more, unless that is too much.
fn with_more_lent(lent: usize, bytes: usize, most: usize) -> Option<usize> {
    lent.checked_add(bytes).filter(|all| *all <= most / 4 * 3)
}

/// Whether [`LentBytes::of`] would lend `bytes` now.
#[cfg(feature = "alloc")]
pub(super) fn may_lend(bytes: usize, most: usize) -> bool {
    with_more_lent(lent_bytes(), bytes, most).is_some()
}

/// Bytes that a container received in excess of its request, because they are resident and it may grow. They are
/// counted as lent for as long as this lives.
#[derive(Debug)]
pub(crate) struct LentBytes(usize);

impl LentBytes {
    pub(crate) const NONE: Self = Self(0);

    /// Counts `bytes` as lent; `None` if more than three quarters of `most` would then be lent, so that some can be
    /// kept even if the containers that hold lent bytes never grow.
    pub(super) fn of(bytes: usize, most: usize) -> Option<Self> {
        if bytes == 0 {
            return Some(Self::NONE);
        }
        let more = |lent: usize| with_more_lent(lent, bytes, most);
        LENT_BYTES.fetch_update(ORDER, ORDER, more).ok()?;
        Some(Self(bytes))
    }

    #[cfg(feature = "alloc")]
    pub(crate) const fn bytes(&self) -> usize {
        self.0
    }

    /// Lowers the count to `bytes`, if it is higher: the other bytes are now in use, or were returned to the system.
    pub(crate) fn reduce_to(&mut self, bytes: usize) {
        if bytes < self.0 {
            LENT_BYTES.fetch_sub(self.0 - bytes, ORDER);
            self.0 = bytes;
        }
    }
}

impl Drop for LentBytes {
    fn drop(&mut self) {
        self.reduce_to(0);
    }
}

pub(super) fn lent_bytes() -> usize {
    LENT_BYTES.load(ORDER)
}
