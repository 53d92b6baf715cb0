//! [`CachedPrefix`]: memory that another array has used.

#![expect(unsafe_code, reason = "promises that nothing uses the memory")]

use super::options::MemoryRequest;
use super::{GrowingReservation, Growth, Storage, round_up};
use crate::region_cache::{self, LentBytes, Region, Use};
use crate::reservation::{ColumnLayouts, HugePages, page_size, usual_reservation_bytes};
use crate::service::{self, CommitAhead, Release};

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
    /// How many bytes were needed at first.
    need_bytes: usize,
    is_any_fit: bool,
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
    /// Memory of any size suits: the background thread takes back what the array does not use.
    pub(super) is_any_fit: bool,
}

/// The smallest step in which arrays commit.
const RUN_BYTES: usize = 64 << 10;

impl CachedPrefix {
    /// Records that the service holds what is not used yet, and takes it back in time.
    pub(super) fn is_served(&mut self) {
        self.lent.reduce_to(0);
    }

    /// For what use the memory is cached, and how many bytes of it at most: as many as an array that is requested as this
    /// one was could have. Otherwise the memory would stay unused in the cache, while the next such array grows in fresh
    /// memory.
    pub(super) fn kept(&self) -> (Use, usize) {
        let most =
            if self.is_any_fit { usize::MAX } else { region_cache::largest_fit(self.need_bytes) };
        (self.used, most)
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
            CommitAhead::Large | CommitAhead::Off | CommitAhead::Bytes(_) => {
                request.release == Release::Keep
            }
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
        let is_any_fit = commit_ahead == CommitAhead::Auto;
        Some(Self { used, reserved_bytes, need_bytes, align, huge_pages, columns, is_any_fit })
    }

    /// What an array that was requested so has without memory from the cache.
    fn prefix(&self) -> CachedPrefix {
        let Self { used, need_bytes, is_any_fit, .. } = *self;
        CachedPrefix { bytes: 0, lent: LentBytes::NONE, used, need_bytes, is_any_fit }
    }

    /// Whether a region suits the request.
    fn suits(&self, region: &Region) -> bool {
        let memory = region.memory();
        memory.reserved_bytes() == self.reserved_bytes
            && memory.start().addr().get() & (self.align - 1) == 0
            && memory.huge_pages() == self.huge_pages
            && memory.columns() == self.columns
            && (self.is_any_fit || {
                // At most `reserved_bytes`, so it can be rounded.
                let need = self.need_bytes.min(self.reserved_bytes);
                let whole = round_up(need, memory.run_bytes(need));
                region_cache::is_fit(region.pages().end, need, whole)
            })
    }
}

impl GrowingReservation {
    /// Puts suitable memory from the cache into `slot`, if there is some. Nothing of it is usable yet.
    pub(super) fn from_cache(slot: &mut Option<Self>, cache_request: CacheRequest, growth: Growth) {
        // Nothing is lent to an array that is served. Else as much as would be committed anyway, in whole runs.
        let whole = if cache_request.is_any_fit {
            usize::MAX
        } else {
            round_up(cache_request.need_bytes, page_size().max(RUN_BYTES))
        };
        if cache_request.is_any_fit {
            region_cache::settle();
        }
        let suits = &mut |region: &Region| cache_request.suits(region);
        let (used, need) = (cache_request.used, cache_request.need_bytes..whole);
        let Some((region, lent)) = region_cache::take(used, need, suits) else { return };
        let (mut memory, pages) = region.into_parts();
        let mut bytes = pages.end;
        let lent = lent.unwrap_or_else(|| {
            if whole < bytes && memory.decommit_if_possible(whole..bytes) {
                bytes = whole;
            }
            LentBytes::NONE
        });
        let storage = Storage::Reserved(memory);
        let growing = slot.insert(Self::from_storage(storage, growth, Release::Keep));
        growing.cached_prefix = Some(CachedPrefix { bytes, lent, ..cache_request.prefix() });
    }

    /// Makes the memory go to the cache on drop, if it is as large as requested.
    pub(super) fn kept_for(mut self, cache_request: Option<CacheRequest>) -> Self {
        let reserved_bytes = self.reserved_bytes();
        let request = cache_request.filter(|request| request.reserved_bytes == reserved_bytes);
        self.cached_prefix = request.map(|request| request.prefix());
        self
    }

    /// Moves the memory to the cache if it is intended for that and accepted, or has it released in the background if the
    /// options say so. Otherwise drops it.
    pub(super) fn pass_on(&mut self) {
        // Warm memory counts as in use here.
        let committed = self.zero_from();
        // Taken before the calls, to return what was lent.
        let cached_prefix = self.cached_prefix.take();
        let kept = cached_prefix.as_ref().map(CachedPrefix::kept);
        drop(cached_prefix);
        let used = kept.filter(|(_, most)| committed <= *most).map(|(used, _)| used);
        match self.memory.take() {
            Some(Storage::Reserved(memory)) if self.release == Release::Background => {
                // SAFETY: the usable and the warm bytes are whole pages and committed, by the invariants: the service,
                // which could have taken some back, does not have this memory. The owner that used them ends here.
                unsafe { service::release_later(memory, committed..committed, used) };
            }
            Some(Storage::Reserved(memory)) if committed > 0 => {
                // SAFETY: as above, these are whole committed pages that no code uses; and at least one, since there
                // are some bytes.
                let region = unsafe { Region::new(memory, 0..committed) };
                drop(used.and_then(|used| service::cache(used, region)));
            }
            Some(Storage::External(memory)) => {
                if let Ok(reservation) = memory.reservation() {
                    reservation.registration().note_dropped();
                }
                memory.release();
            }
            Some(Storage::Reserved(_)) | None => {}
        }
    }
}
