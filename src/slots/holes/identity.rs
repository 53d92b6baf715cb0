//! [`Identity`]: the number by which a weak pointer knows its map.

#![forbid(unsafe_code)]

use std::num::NonZeroU32;
use std::sync::atomic::{AtomicU32, Ordering::Relaxed};

/// The number of a map that gives out weak pointers; 0 as long as it has given none.
#[derive(Debug)]
pub(crate) struct Identity(AtomicU32);

impl Identity {
    pub(crate) const fn new() -> Self {
        Self(AtomicU32::new(0))
    }

    #[inline]
    pub(crate) fn is(&self, map: NonZeroU32) -> bool {
        self.0.load(Relaxed) == map.get()
    }

    /// The number of this map. All threads that ask get the same, since one of them sets it; no
    /// other memory depends on it.
    pub(crate) fn get(&self) -> NonZeroU32 {
        if let Some(map) = NonZeroU32::new(self.0.load(Relaxed)) {
            return map;
        }
        let fresh = Self::fresh();
        match self.0.compare_exchange(0, fresh.get(), Relaxed, Relaxed) {
            Ok(_) => fresh,
            Err(theirs) => NonZeroU32::new(theirs).unwrap_or(fresh),
        }
    }

    /// A number that no map has had; the last one over and over when they are spent.
    #[cold]
    pub(crate) fn fresh() -> NonZeroU32 {
        static LAST: AtomicU32 = AtomicU32::new(0);
        let spent = LAST.fetch_update(Relaxed, Relaxed, |last| last.checked_add(1));
        spent.map_or(NonZeroU32::MAX, |last| NonZeroU32::MIN.saturating_add(last))
    }
}
