//! [`MapId`]: the number by which a weak pointer recognizes its map.

#![forbid(unsafe_code)]

use std::num::NonZeroU32;
use std::sync::atomic::{AtomicU32, Ordering::Relaxed};

/// The number of a map that makes weak pointers; 0 until it makes the first one.
#[derive(Debug)]
pub(crate) struct MapId(AtomicU32);

impl MapId {
    pub(crate) const fn new() -> Self {
        Self(AtomicU32::new(0))
    }

    #[inline]
    pub(crate) fn is(&self, map: NonZeroU32) -> bool {
        self.0.load(Relaxed) == map.get()
    }

    /// Returns the number of this map, and sets it first if necessary. All threads get one and the same number, since
    /// only one of them sets it. No other memory depends on it, so relaxed accesses suffice.
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

    /// Returns a number that no map has had. Once all have been used, returns the last one.
    #[cold]
    pub(crate) fn fresh() -> NonZeroU32 {
        static LAST: AtomicU32 = AtomicU32::new(0);
        let spent = LAST.fetch_update(Relaxed, Relaxed, |last| last.checked_add(1));
        spent.map_or(NonZeroU32::MAX, |last| NonZeroU32::MIN.saturating_add(last))
    }
}
