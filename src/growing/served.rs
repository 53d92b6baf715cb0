//! How a reservation comes to be served by the background thread.

#![forbid(unsafe_code)]

use super::cached::CachedPrefix;
use super::recent::Recent;
use super::{GrowingReservation, Storage};
use crate::heap::UninitBox;
use crate::service::{self, CommitAhead, Served, ServiceStart};

/// The first value of [`GrowingReservation::large_from`].
pub(super) fn large_from(ahead: CommitAhead) -> usize {
    if ahead == CommitAhead::Large { service::LARGE_ARRAY_BYTES } else { usize::MAX }
}

impl GrowingReservation {
    /// Makes the service stay ahead of this from now on.
    pub(crate) fn serve(&mut self, ahead: CommitAhead) {
        self.large_from = large_from(ahead);
        match &self.memory {
            Some(Storage::External(memory)) => {
                memory.set_ahead(ahead);
                self.front.recent.bind_to_half(ahead == CommitAhead::Large);
            }
            Some(Storage::Reserved(_)) if ahead.is_on() => self.begin_service(ahead),
            Some(Storage::Reserved(_)) | None => {}
        }
    }

    /// Keeps the service from beginning to stay ahead once this is large.
    pub(crate) fn stay_unserved(&mut self) {
        self.large_from = usize::MAX;
    }

    /// Makes the service stay ahead from now on, if that is possible.
    fn begin_service(&mut self, ahead: CommitAhead) {
        // Allocated first: once the memory is served, the thread works on it.
        let Ok(uninit) = UninitBox::try_new() else { return self.return_unserved(ahead) };
        let Some(Storage::Reserved(mut reservation)) =
            self.memory.take_if(|memory| matches!(memory, Storage::Reserved(_)))
        else {
            return;
        };
        // The reservation is shared from now on, and the thread commits pages.
        reservation.advise_up_to(usize::MAX);
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
            Err(reservation) => {
                self.memory = Some(Storage::Reserved(reservation));
                return self.return_unserved(ahead);
            }
        });
    }

    /// Returns cached memory that the array does not use, and that no thread will take back.
    fn return_unserved(&mut self, ahead: CommitAhead) {
        let unused = self.shrinks_to(self.front.usable);
        if let Some(keep) = unused.filter(|_| ahead != CommitAhead::Large) {
            // If this is refused, a later call returns it.
            let _ = self.give_back(keep, true, &mut |_| true);
        }
    }

    /// Whether the service, or a backing, provides the memory.
    #[cfg(feature = "alloc")]
    pub(crate) fn is_external(&self) -> bool {
        matches!(self.memory, Some(Storage::External(_)))
    }

    /// Makes the service stay ahead if the first `before` bytes were used, and the next are huge pages: what is sparse
    /// does not touch what is ahead.
    pub(super) fn serve_if_dense(&mut self, before: usize) {
        if !service::is_automatic() {
            return;
        }
        let Some(Storage::Reserved(reservation)) = &mut self.memory else { return };
        self.large_from = usize::MAX;
        if !reservation.may_have_huge_pages() {
            return;
        }
        if !reservation.is_dense(0..before) {
            // Not at the next step, which may be small.
            self.large_from = 2 * before;
        } else if reservation.advise_ahead() {
            self.begin_service(CommitAhead::Large);
        }
    }
}
