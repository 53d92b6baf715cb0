//! How much is kept, and how much was lent.

#![forbid(unsafe_code)]

use super::sync::atomic::{AtomicUsize, Ordering};

const ORDER: Ordering = Ordering::Relaxed;

static KEPT_BYTES: AtomicUsize = AtomicUsize::new(0);
static LENT_BYTES: AtomicUsize = AtomicUsize::new(0);

/// How many bytes are kept, with those that somebody looks at, or is taking. Who sees none by this sees what
/// those did before who took the last.
pub(super) fn kept_bytes() -> usize {
    KEPT_BYTES.load(Ordering::Acquire)
}

/// Counts memory that is to be kept, if no more than so many bytes are kept and lent with it.
//
// Whoever comes at once, there is a bound to both together when they are gone. It is only here that they become
// more: what is lent was kept, and is counted there until it is counted here. Take the last, in the order of
// `KEPT_BYTES`, who was not refused. What others took before him, in that order, is counted as lent when he looks,
// as [`taken`] releases; and what they took after him was kept when he looked, which is as much or more.
pub(super) fn put(bytes: usize, most: usize) -> bool {
    let is_within = |kept: usize| kept.saturating_add(lent_bytes()) <= most;
    // First, since others find no room while it is counted in vain. (So two who come at once where there is room
    // for one may both be refused, which costs them no more than fresh pages.)
    if !is_within(kept_bytes().saturating_add(bytes)) {
        return false;
    }
    let is_counted = is_within(KEPT_BYTES.fetch_add(bytes, Ordering::Acquire) + bytes);
    if !is_counted {
        taken(bytes);
    }
    is_counted
}

/// Counts that memory is not kept any more: what of it is lent has been counted before.
pub(super) fn taken(bytes: usize) {
    KEPT_BYTES.fetch_sub(bytes, Ordering::Release);
}

/// Bytes that somebody has got beyond what he asked for, since they were warm, and he may grow; counted for
/// as long as this lives.
#[derive(Debug)]
pub(crate) struct Lent(usize);

impl Lent {
    pub(crate) const NONE: Self = Self(0);

    /// Lends so many, if all together are no more than three quarters of `most`: so something is left to keep,
    /// also where those who have them never grow.
    pub(super) fn of(bytes: usize, most: usize) -> Option<Self> {
        if bytes == 0 {
            return Some(Self::NONE);
        }
        let more = |lent: usize| lent.checked_add(bytes).filter(|all| *all <= most / 4 * 3);
        LENT_BYTES.fetch_update(ORDER, ORDER, more).ok()?;
        Some(Self(bytes))
    }

    /// Some are in use now, or went back to the system: so many are not, at most.
    pub(crate) fn reduce_to(&mut self, bytes: usize) {
        if bytes < self.0 {
            LENT_BYTES.fetch_sub(self.0 - bytes, ORDER);
            self.0 = bytes;
        }
    }
}

impl Drop for Lent {
    fn drop(&mut self) {
        self.reduce_to(0);
    }
}

/// How many bytes are lent.
pub(super) fn lent_bytes() -> usize {
    LENT_BYTES.load(ORDER)
}
