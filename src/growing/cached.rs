//! [`CachedPrefix`]: memory that another array has used.

#![forbid(unsafe_code)]

use super::options::MemoryRequest;
use super::{GrowingReservation, Growth, ServiceHooks, Storage, round_up};
use crate::region_cache::{self, LentBytes, Region, Use};
use crate::reservation::{
    ColumnLayouts, HugePages, Reservation, page_size, usual_reservation_bytes,
};
use crate::service::{CommitAhead, Release};

/// What a reservation has from its previous user.
#[derive(Debug)]
pub(super) struct CachedPrefix {
    /// Pages up to here may hold anything. They were committed from the beginning on, and still are, unless the service
    /// has taken them back.
    pub(super) bytes: usize,
    /// The warm bytes that are not usable yet, if the service does not take them back.
    lent: LentBytes,
    /// The kind of use, for the region cache.
    pub(super) used: Use,
    /// How many bytes were needed at first. Any number, if the array is served.
    need_bytes: usize,
}

/// A request to the region cache.
#[derive(Clone, Copy, Debug)]
pub(super) struct CacheRequest {
    pub(super) used: Use,
    /// Exactly this many.
    pub(super) reserved_bytes: usize,
    /// How many bytes are needed immediately.
    pub(super) need_bytes: usize,
    pub(super) align: usize,
    pub(super) huge_pages: HugePages,
    pub(super) columns: Option<ColumnLayouts>,
    /// The background thread takes back what the array does not use.
    pub(super) is_served: bool,
}

/// The smallest step in which arrays commit.
const RUN_BYTES: usize = 64 << 10;

impl CachedPrefix {
    /// Records that the service holds what is not used yet, and takes it back in time.
    pub(super) fn is_served(&mut self) {
        self.lent.reduce_to(0);
        self.need_bytes = usize::MAX;
    }

    /// Whether an array that is requested as this one was could have `bytes` bytes of memory from the cache. Large
    /// memory that no such array can have stays unused, while the next one grows in fresh memory.
    fn is_fit(&self, bytes: usize) -> bool {
        region_cache::is_fit(bytes, self.need_bytes, usize::MAX)
    }

    /// Records that `usable` bytes are usable.
    pub(super) fn used_to(&mut self, usable: usize) {
        self.lent.reduce_to(self.bytes.saturating_sub(usable));
    }

    /// Records that memory past `end` was decommitted, and `usable` bytes are usable.
    pub(super) fn end_at(&mut self, end: usize, usable: usize) {
        self.bytes = self.bytes.min(end);
        self.used_to(usable);
    }
}

impl CacheRequest {
    /// Returns the part of a request that the cache can meet. `None` if its memory does not come from the cache.
    pub(super) fn of(request: &MemoryRequest) -> Option<Self> {
        let MemoryRequest { align, huge_pages, columns, commit_ahead, .. } = *request;
        let is_kept = match commit_ahead {
            CommitAhead::Auto => request.release != Release::Now,
            // The user set how much is to be ready.
            CommitAhead::Bytes(1..) => false,
            CommitAhead::Off | CommitAhead::Bytes(_) => request.release == Release::Keep,
        };
        // The cache writes to the first page, which must lie in the first row. It also counts the bytes of rows, which
        // is far too few if each column has huge pages from the first row on.
        let is_not_kept = |columns: ColumnLayouts| {
            !region_cache::has_page_in_first_row(columns) || huge_pages == HugePages::Always
        };
        if !is_kept || columns.is_some_and(is_not_kept) {
            return None;
        }
        let need_bytes = request.need_bytes.max(1);
        let (used, reserved_bytes) = match request.exact_bytes {
            Some(exact) => (Use::Exact, exact.checked_next_multiple_of(page_size())?),
            None => (Use::Array, usual_reservation_bytes(need_bytes, request.most_bytes)),
        };
        let is_served = commit_ahead == CommitAhead::Auto;
        Some(Self { used, reserved_bytes, need_bytes, align, huge_pages, columns, is_served })
    }

    /// Whether memory of which the first `bytes` may hold anything suits the request.
    pub(super) fn suits(&self, memory: &Reservation, bytes: usize) -> bool {
        memory.reserved_bytes() == self.reserved_bytes
            && memory.start().addr().get() & (self.align - 1) == 0
            && memory.huge_pages() == self.huge_pages
            && memory.columns() == self.columns
            && (self.is_served || {
                // At most `reserved_bytes`, so it can be rounded.
                let need = self.need_bytes.min(self.reserved_bytes);
                region_cache::is_fit(bytes, need, round_up(need, memory.run_bytes(need)))
            })
    }
}

impl GrowingReservation {
    /// Puts suitable memory from the cache into `slot`, if there is some. Nothing of it is usable yet.
    pub(super) fn from_cache(slot: &mut Option<Self>, cache_request: CacheRequest, growth: Growth) {
        // Nothing is lent to an array that is served. Else as much as would be committed anyway, in whole runs.
        let whole = if cache_request.is_served {
            usize::MAX
        } else {
            round_up(cache_request.need_bytes, page_size().max(RUN_BYTES))
        };
        if cache_request.is_served {
            region_cache::settle();
        }
        let suits = &mut |region: &Region| cache_request.suits(&region.memory, region.pages.end);
        let (used, need) = (cache_request.used, cache_request.need_bytes..whole);
        let Some((region, lent)) = region_cache::take(used, need, suits) else { return };
        let Region { mut memory, pages, .. } = region;
        let mut bytes = pages.end;
        let lent = lent.unwrap_or_else(|| {
            if whole < bytes && memory.decommit_if_possible(whole..bytes) {
                bytes = whole;
            }
            LentBytes::NONE
        });
        let growing = Self::from_reservation(memory, growth, Release::Keep, ServiceHooks::NONE);
        let need_bytes = cache_request.need_bytes;
        slot.insert(growing).cached_prefix = Some(CachedPrefix { bytes, lent, used, need_bytes });
    }

    /// Makes the memory go to the cache on drop, if it is as large as requested.
    pub(super) fn kept_for(mut self, cache_request: Option<CacheRequest>) -> Self {
        let reserved_bytes = self.reserved_bytes();
        let request = cache_request.filter(|request| request.reserved_bytes == reserved_bytes);
        self.cached_prefix = request.map(|CacheRequest { used, need_bytes, .. }| CachedPrefix {
            bytes: 0,
            lent: LentBytes::NONE,
            used,
            need_bytes,
        });
        self
    }

    /// Moves the memory to the cache, if it is intended for that and the cache accepts it.
    pub(super) fn keep(&mut self) {
        let committed = self.zero_from();
        let cached_prefix = self.cached_prefix.as_ref();
        let Some(used) =
            cached_prefix.filter(|prefix| prefix.is_fit(committed)).map(|prefix| prefix.used)
        else {
            return;
        };
        let ended = match self.memory.take() {
            Some(Storage::Reserved(memory)) => Some((memory, committed)),
            Some(Storage::External(memory)) => memory.end(),
            None => None,
        };
        let Some((memory, committed)) = ended.filter(|(_, committed)| *committed > 0) else {
            return;
        };
        // Before the call, to return what was lent.
        self.cached_prefix = None;
        drop::<Option<Region>>(region_cache::put(used, Region::new(memory, 0..committed)));
    }
}
