//! The options of all builders, and how their memory is reserved.

#![forbid(unsafe_code)]

use super::cached::CacheRequest;
use super::recent::Recent;
use super::{GrowingReservation, Growth, Storage, served};
use crate::error::Error;
use crate::region_cache;
use crate::register::Label;
use crate::reservation::{
    AddressSpace, ColumnLayouts, HugePages, Reservation, ReservationBuilder, column_count,
    usual_bytes, whole_bytes,
};
use crate::service::{CommitAhead, Release};

/// The methods that all builders have in common, for an `impl` of a builder with a field `options`.
macro_rules! option_methods {
    () => {
        /// Sets how much to commit when more is needed, as [`Growth`](crate::Growth) describes.
        pub const fn growth(mut self, growth: $crate::growing::Growth) -> Self {
            self.options.growth = growth;
            self
        }

        /// Sets whether to request huge pages, as [`HugePages`](crate::HugePages) describes.
        pub const fn huge_pages(mut self, huge_pages: $crate::reservation::HugePages) -> Self {
            self.options.huge_pages = huge_pages;
            self
        }

        /// Sets how far ahead of its use the [background thread](crate::service) makes memory ready. Defaults to
        /// [`CommitAhead::Large`](crate::CommitAhead::Large): not before the array is large.
        ///
        /// With [`Auto`](crate::CommitAhead::Auto) or [`Bytes`](crate::CommitAhead::Bytes), addresses are reserved at
        /// once, and the first memory is made ready.
        pub const fn commit_ahead(mut self, ahead: $crate::service::CommitAhead) -> Self {
            self.options.commit_ahead = ahead;
            self
        }

        /// Sets when memory is returned after a drop. Defaults to [`Release::Keep`](crate::Release::Keep).
        pub const fn release(mut self, release: $crate::service::Release) -> Self {
            self.options.release = release;
            self
        }

        /// Sets the name shown by [`memory_map`](crate::memory_map()). Names need not be unique.
        ///
        /// On Linux, if the kernel is built with `CONFIG_ANON_VMA_NAME`, the name also appears in `/proc/PID/maps` and in
        /// tools that read it, such as `pmap -X`. There it is truncated to 79 bytes, and characters that the kernel does not
        /// allow are replaced with `?`. A named container makes an additional system call when it reserves or returns
        /// memory.
        ///
        /// # Examples
        ///
        /// ```
        /// use stayput::VmVec;
        ///
        /// let mut sparks = VmVec::builder().name("sparks").build();
        /// sparks.push([0.0_f32; 4]);
        /// let map = stayput::memory_map();
        /// assert!(map.entries.iter().any(|entry| entry.name == Some("sparks")));
        /// ```
        #[cfg(feature = "memory-map")]
        pub const fn name(mut self, name: &'static str) -> Self {
            self.options.name = $crate::register::Name::new(name);
            self
        }
    };
}
pub(crate) use option_methods;

/// A request for memory that is used from its front.
#[derive(Clone, Copy, Debug)]
pub(crate) struct MemoryRequest {
    /// How many bytes to reserve, if the user has set that.
    pub(crate) exact_bytes: Option<usize>,
    /// How many bytes are needed immediately.
    pub(crate) need_bytes: usize,
    /// How many bytes can be used at most.
    pub(crate) most_bytes: usize,
    pub(crate) align: usize,
    /// The columns that the range is divided into. All numbers of bytes are those of rows then.
    pub(crate) columns: Option<ColumnLayouts>,
    pub(crate) huge_pages: HugePages,
    pub(crate) growth: Growth,
    pub(crate) commit_ahead: CommitAhead,
    pub(crate) release: Release,
    /// Whether little is to be ready before anything is used.
    pub(crate) starts_small: bool,
    /// What the memory is for.
    pub(crate) label: Label,
}

impl GrowingReservation {
    /// Puts memory for the request into `slot`, which must be empty. Nothing of the memory is usable yet; it is fresh,
    /// or from another array. The service does not stay ahead of fresh memory yet.
    ///
    /// The value is made where it stays, because moving it takes longer than the rest if memory comes from the cache.
    pub(crate) fn reserve(slot: &mut Option<Self>, request: &MemoryRequest) -> Result<(), Error> {
        debug_assert!(slot.is_none());
        let cache_request = CacheRequest::of(request);
        if let Some(cache_request) = cache_request {
            Self::from_cache(slot, cache_request, request.growth);
        }
        if slot.is_none() {
            let storage = Storage::Reserved(Self::fresh(request)?);
            let growing = Self::from_storage(storage, request.growth, Release::Keep);
            *slot = Some(growing.kept_for(cache_request));
        }
        if let Some(growing) = slot {
            growing.release = request.release;
            if request.starts_small {
                growing.front.recent = Recent::SMALL_START;
            }
            growing.large_from = served::large_from(request.commit_ahead);
            growing.set_label(request.label);
        }
        Ok(())
    }

    /// Reserves addresses for the request.
    fn fresh(request: &MemoryRequest) -> Result<Reservation, Error> {
        let builder = Reservation::builder().align(request.align).huge_pages(request.huge_pages);
        let builder = builder.columns(request.columns).advised_as_used();
        match request.exact_bytes {
            Some(bytes) => reserve_exactly(builder.bytes(bytes)).map_err(Error::of_option),
            None => reserve_by_default(builder, request),
        }
    }
}

/// Reserves exactly what the builder says.
#[inline(never)]
fn reserve_exactly(builder: ReservationBuilder) -> Result<Reservation, Error> {
    let ended = region_cache::releases_ended();
    builder.reserve().or_else(|error| {
        let again = || builder.reserve_if_possible();
        let reserved = if region_cache::release_unused(ended) { again() } else { None };
        reserved.ok_or(error)
    })
}

/// Reserves for an array without a maximum: as much as its share of the addresses, but at most what it can ever use.
/// See [`AddressSpace`].
fn reserve_by_default(
    builder: ReservationBuilder,
    request: &MemoryRequest,
) -> Result<Reservation, Error> {
    let (need, most, columns) =
        (request.need_bytes, request.most_bytes, column_count(request.columns));
    let mut space = AddressSpace::now();
    let mut has_room = false;
    loop {
        let taken = space.take_for_array(need, most, columns);
        let is_all = taken.as_ref().is_ok_and(|taken| taken.bytes() >= usual_bytes().min(most));
        if !is_all && !has_room {
            // Cached regions count, too.
            has_room = true;
            if region_cache::release_arrays() {
                space = AddressSpace::now();
                continue;
            }
        }
        let taken = taken?;
        let part = taken.bytes();
        let builder = builder.bytes(whole_bytes(need, part));
        match reserve_exactly(builder) {
            Ok(mut reservation) => {
                reservation.count_as(taken);
                return Ok(reservation);
            }
            Err(error) if part == 0 => return Err(error),
            Err(error) => space = space.refusing(part, &error),
        }
    }
}
