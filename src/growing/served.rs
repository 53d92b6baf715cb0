//! How a reservation comes to be served by the background thread.

#![forbid(unsafe_code)]

use super::cached::{CachedPrefix, RUN_BYTES};
use super::recent::Recent;
use super::{GrowingReservation, Storage};
use crate::heap::UninitBox;
use crate::service::{self, CommitAhead, Served, ServiceStart};

impl GrowingReservation {
    /// Makes the service stay ahead of this from now on.
    pub(crate) fn serve(&mut self, ahead: CommitAhead) {
        self.is_served_when_large = ahead == CommitAhead::Large;
        match &self.memory {
            Some(Storage::External(memory)) => memory.set_ahead(ahead),
            Some(Storage::Reserved(_)) if ahead.is_on() => self.begin_service(ahead),
            Some(Storage::Reserved(_)) | None => {}
        }
    }

    /// Keeps the service from beginning to stay ahead once this is large.
    pub(crate) fn stay_unserved(&mut self) {
        self.is_served_when_large = false;
    }

    /// Makes the service stay ahead from now on, if that is possible.
    fn begin_service(&mut self, ahead: CommitAhead) {
        // Allocated first: once the memory is served, the thread works on it.
        let Ok(uninit) = UninitBox::try_new() else { return };
        let Some(Storage::Reserved(mut reservation)) =
            self.memory.take_if(|memory| matches!(memory, Storage::Reserved(_)))
        else {
            return;
        };
        // The reservation is shared from now on, and the thread commits pages.
        reservation.advise_up_to(usize::MAX);
        if ahead == CommitAhead::Auto {
            self.cached_prefix.iter_mut().for_each(CachedPrefix::suits_any);
        }
        let start = ServiceStart {
            committed: self.front.usable,
            warm: self.warm_bytes(),
            ahead,
            is_small: self.front.recent.starts_small(),
            kept: self.cached_prefix.as_ref().map(CachedPrefix::kept),
        };
        self.memory = Some(match Served::new(reservation, start) {
            Ok(served) => {
                if ahead == CommitAhead::Large {
                    self.front.recent = Recent::WITHIN_HALF;
                } else {
                    self.front.recent.begin_with(served.shared().window_bytes());
                }
                self.cached_prefix.iter_mut().for_each(CachedPrefix::is_served);
                Storage::External(uninit.fill(served))
            }
            Err(reservation) => Storage::Reserved(reservation),
        });
    }

    /// Makes the service stay ahead if this is large and has used the first `before` bytes. What was requested at once
    /// may be all that is ever needed, and what is sparse does not touch what is ahead.
    pub(super) fn serve_if_large(&mut self, before: usize) {
        if before < RUN_BYTES
            || self.front.usable < service::LARGE_ARRAY_BYTES
            || !service::is_automatic()
        {
            return;
        }
        let Some(Storage::Reserved(reservation)) = &mut self.memory else { return };
        if reservation.is_dense(0..before) && reservation.advise_ahead() {
            self.is_served_when_large = false;
            self.begin_service(CommitAhead::Large);
        }
    }
}
