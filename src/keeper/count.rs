//! How much is kept, and how much was lent.

#![forbid(unsafe_code)]

use std::sync::atomic::{AtomicUsize, Ordering};

const ORDER: Ordering = Ordering::Relaxed;

static LENT_BYTES: AtomicUsize = AtomicUsize::new(0);

/// What is kept and what is lent, in one number: so that there is a bound to it whoever comes at once. What is
/// being taken may count twice for a moment, but not for nothing.
static TOGETHER_BYTES: AtomicUsize = AtomicUsize::new(0);

/// How many bytes are kept.
pub(super) fn kept_bytes() -> usize {
    TOGETHER_BYTES.load(ORDER).saturating_sub(lent_bytes())
}

/// Counts memory that is to be kept, if no more than so many bytes are kept and lent with it.
pub(super) fn put(bytes: usize, most: usize) -> bool {
    let more = |all: usize| all.checked_add(bytes).filter(|all| *all <= most);
    TOGETHER_BYTES.fetch_update(ORDER, ORDER, more).is_ok()
}

/// Counts that memory is not kept any more: what of it is lent has been counted before.
pub(super) fn taken(bytes: usize) {
    TOGETHER_BYTES.fetch_sub(bytes, ORDER);
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
        TOGETHER_BYTES.fetch_add(bytes, ORDER);
        Some(Self(bytes))
    }

    /// Some are in use now, or went back to the system: so many are not, at most.
    pub(crate) fn reduce_to(&mut self, bytes: usize) {
        if bytes < self.0 {
            TOGETHER_BYTES.fetch_sub(self.0 - bytes, ORDER);
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
