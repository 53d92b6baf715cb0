//! What all builders have in common, and how addresses are reserved for what they ask for.

#![forbid(unsafe_code)]

use super::warm::Wish;
use super::{GrowingReservation, Growth, Way};
use crate::error::Error;
use crate::keeper;
use crate::reservation::{
    ColumnLayouts, HugePages, Reservation, ReservationBuilder, Space, column_count, usual_bytes,
    whole_bytes,
};
use crate::service::{self, CommitAhead, Release};

/// The methods that all builders have in common: each has `options`, and this within an `impl` of
/// its own.
macro_rules! option_methods {
    () => {
        /// How much to commit when more is needed.
        pub const fn growth(mut self, growth: $crate::growing::Growth) -> Self {
            self.options.growth = growth;
            self
        }

        /// Whether to ask for huge pages.
        pub const fn huge_pages(mut self, huge_pages: $crate::reservation::HugePages) -> Self {
            self.options.huge_pages = huge_pages;
            self
        }

        /// How far ahead of its use memory is made ready, by the
        /// [background thread](crate::service). Not at all, if not said.
        ///
        /// Addresses are reserved at once then, and the first memory is made ready.
        pub const fn commit_ahead(mut self, ahead: $crate::service::CommitAhead) -> Self {
            self.options.commit_ahead = ahead;
            self.options.service = $crate::growing::Way::OPEN;
            self
        }

        /// When memory is given back after a drop. Before the drop returns, if not said.
        pub const fn release(mut self, release: $crate::service::Release) -> Self {
            self.options.release = release;
            self.options.service = $crate::growing::Way::OPEN;
            self
        }
    };
}
pub(crate) use option_methods;

/// What is wanted of memory that is to be used from its front on.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Want {
    /// How many bytes to reserve, if somebody has said so.
    pub(crate) exact_bytes: Option<usize>,
    /// How many are needed at once.
    pub(crate) need_bytes: usize,
    /// How many can ever be used.
    pub(crate) most_bytes: usize,
    pub(crate) align: usize,
    /// To which columns it is dealt out; all bytes are those of rows then.
    pub(crate) columns: Option<ColumnLayouts>,
    pub(crate) huge_pages: HugePages,
    pub(crate) growth: Growth,
    pub(crate) commit_ahead: CommitAhead,
    pub(crate) release: Release,
    /// To who does either.
    pub(crate) service: &'static Way,
}

impl GrowingReservation {
    /// Memory as it is wanted, of which nothing is usable yet: fresh, or such as another had before. It is not
    /// served yet.
    pub(crate) fn reserve(want: &Want) -> Result<Self, Error> {
        let wish = Wish::of(want);
        if let Some(wish) = wish {
            let left = (want.service.take_left)(wish, want);
            if let Some(mut warm) = left.or_else(|| Self::warm(wish, want.growth)) {
                (warm.release, warm.way) = (want.release, want.service);
                return Ok(warm);
            }
        }
        let builder = Reservation::builder().align(want.align).huge_pages(want.huge_pages);
        let builder = builder.columns(want.columns).advised_as_used();
        let reservation = match want.exact_bytes {
            Some(bytes) => reserve_exactly(builder.bytes(bytes)).map_err(Error::of_option)?,
            None => reserve_by_default(builder, want)?,
        };
        let fresh = Self::alone(reservation, want.growth, want.release, want.service);
        Ok(fresh.kept_for(wish))
    }
}

/// Reserves what was asked for, or nothing.
#[inline(never)]
fn reserve_exactly(builder: ReservationBuilder) -> Result<Reservation, Error> {
    let ended = Ended::now();
    builder.reserve().or_else(|error| again(builder, ended).ok_or(error))
}

/// Reserves for somebody who named no maximum and needs so many bytes at once: as much as there is to be
/// given, but no more than he can ever use. See [`Space`].
fn reserve_by_default(builder: ReservationBuilder, want: &Want) -> Result<Reservation, Error> {
    let (need, most, columns) = (want.need_bytes, want.most_bytes, column_count(want.columns));
    let mut space = Space::now();
    let mut has_room = false;
    loop {
        let taken = space.take_for_array(need, most, columns);
        let is_all = taken.as_ref().is_ok_and(|taken| taken.bytes() >= usual_bytes().min(most));
        if !is_all && !has_room {
            // What is kept is counted, too.
            has_room = true;
            if keeper::make_room_to_reserve() {
                space = Space::now();
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

/// Reserves what was refused when so many releases had ended, if there are more addresses for it: what
/// is kept, or waits to be released, is not worth that an array has fewer.
fn again(builder: ReservationBuilder, ended: Ended) -> Option<Reservation> {
    // In this order: of what waits, some may just be going to the keeper.
    let made_room = service::release_waiting(ended.waiting) | keeper::make_room(ended.kept);
    if made_room { builder.reserve_if_possible() } else { None }
}

/// How many releases had ended before something was tried that may be refused: of what was kept, and of what
/// waited.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Ended {
    pub(crate) kept: usize,
    pub(crate) waiting: usize,
}

impl Ended {
    pub(crate) fn now() -> Self {
        Self { kept: keeper::releases_ended(), waiting: service::releases_ended() }
    }
}
