//! What all builders have in common, and how addresses are reserved for what they ask for.

#![forbid(unsafe_code)]

use crate::error::Error;
use crate::keeper;
use crate::reservation::{Reservation, ReservationBuilder, Space, whole_bytes};
use crate::service;

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

/// Reserves what was asked for, or nothing.
pub(crate) fn reserve_exactly(builder: ReservationBuilder) -> Result<Reservation, Error> {
    let ended = service::releases_ended();
    builder.reserve().or_else(|error| again(builder, ended).ok_or(error))
}

/// Reserves for somebody who named no maximum and needs `need` bytes at once: as much as there is to be
/// given, but no more than that and `most`. See [`Space`].
pub(crate) fn reserve_by_default(
    builder: ReservationBuilder,
    need: usize,
    most: usize,
) -> Result<Reservation, Error> {
    let mut space = Space::now();
    loop {
        let taken = space.take_for_array(need, most)?;
        let part = taken.bytes();
        let builder = builder.bytes(whole_bytes(need, part));
        let reserved = if part == 0 {
            Some(reserve_exactly(builder)?)
        } else {
            let ended = service::releases_ended();
            builder.reserve_if_possible().or_else(|| again(builder, ended))
        };
        if let Some(mut reservation) = reserved {
            reservation.count_as(taken);
            return Ok(reservation);
        }
        space = space.refusing(part);
    }
}

/// Reserves what was refused when so many releases had ended, if there are more addresses for it: what
/// is kept, or waits to be released, is not worth that an array has fewer.
fn again(builder: ReservationBuilder, ended: usize) -> Option<Reservation> {
    let made_room = keeper::make_room() | service::release_waiting(ended);
    if made_room { builder.reserve_if_possible() } else { None }
}
