//! What all builders have in common, and how addresses are reserved for what they ask for.

#![forbid(unsafe_code)]

use super::policy::FLOOR_BYTES;
use crate::error::Error;
use crate::reservation::{Reservation, ReservationBuilder};
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
            self
        }

        /// When memory is given back after a drop. Before the drop returns, if not said.
        pub const fn release(mut self, release: $crate::service::Release) -> Self {
            self.options.release = release;
            self
        }
    };
}
pub(crate) use option_methods;

/// Reserves what was asked for, or nothing.
pub(crate) fn reserve_exactly(builder: ReservationBuilder) -> Result<Reservation, Error> {
    builder.reserve().or_else(|error| again(builder).ok_or(error))
}

/// Reserves `wished` bytes, which are a guess: half as many as long as the system refuses, down to
/// `least` or [`FLOOR_BYTES`].
pub(crate) fn reserve_up_to(
    builder: ReservationBuilder,
    mut wished: usize,
    least: usize,
) -> Result<Reservation, Error> {
    let least = least.max(FLOOR_BYTES);
    while wished > least {
        let builder = builder.bytes(wished);
        let reservation = builder.reserve_if_possible();
        if let Some(reservation) = reservation.or_else(|| again(builder)) {
            return Ok(reservation);
        }
        wished /= 2;
    }
    builder.bytes(least).reserve()
}

/// Reserves what was refused, if there are more addresses for it: what waits to be released is not
/// worth that an array has fewer.
fn again(builder: ReservationBuilder) -> Option<Reservation> {
    if service::release_waiting() { builder.reserve_if_possible() } else { None }
}
