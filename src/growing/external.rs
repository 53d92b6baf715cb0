//! [`ExternalMemory`]: memory that the array shares with the service or the user.

use super::policy::Amount;
use super::{BudgetMeter, Front, commit, discard, give_pieces_back, halve, round_up};
use crate::backing::AnyBacking;
use crate::error::Error;
use crate::reservation::{Reservation, page_size};
use crate::service::{self, CommitAhead, Served};
use std::fmt;
use std::mem;
use std::ops::Range;
use std::panic::{RefUnwindSafe, UnwindSafe};
use std::time::Instant;

/// Memory that the [service](crate::service) makes ready, or that the user has supplied.
pub(crate) trait ExternalMemory:
    fmt::Debug + Send + Sync + UnwindSafe + RefUnwindSafe
{
    /// Returns the reservation, or what the user has supplied in its place.
    fn reservation(&self) -> Result<&Reservation, &AnyBacking>;

    /// How many bytes are committed, if more than are usable.
    fn committed_bytes(&self) -> usize {
        0
    }

    /// How many bytes are ready. `None` if the array itself makes them ready.
    fn ahead_bytes(&self) -> Option<usize> {
        None
    }

    /// See [`GrowingReservation::late`](super::GrowingReservation::late).
    fn late(&self) -> usize {
        0
    }

    fn set_ahead(&self, _: CommitAhead) {}

    /// The smallest unit that is worth decommitting.
    fn least_run_bytes(&self) -> usize {
        1
    }

    /// Makes the first `need` bytes usable: more than now, and within the range.
    fn grow(&mut self, front: &mut Front, need: usize, amount: Amount) -> Result<(), Error>;

    /// Makes memory ready ahead of the array. `None` if the array does this itself.
    fn prefault_ahead(&self, _window: usize, _: &mut BudgetMeter) -> Option<Result<(), Error>> {
        None
    }

    /// Makes nothing more ready until this grows.
    fn pause(&self) {}

    /// See [`GrowingReservation::give_back`](super::GrowingReservation::give_back).
    ///
    /// # Safety
    ///
    /// - The first `usable` bytes are committed, except for what this memory has itself taken back. No code uses those
    ///   past `keep`.
    unsafe fn give_back(
        &mut self,
        usable: &mut usize,
        keep: usize,
        at_once: bool,
        goes_on: &mut dyn FnMut(usize) -> bool,
    ) -> Result<bool, Error>;

    /// Makes pages resident.
    ///
    /// # Safety
    ///
    /// - The pages are committed, and stay so meanwhile.
    /// - Unless [`os::PREFAULTING_IS_SHARED`](crate::os::PREFAULTING_IS_SHARED), no other thread uses them meanwhile.
    unsafe fn prefault(&mut self, pages: Range<usize>) -> Result<(), Error>;

    /// Clears pages.
    ///
    /// # Safety
    ///
    /// - The pages are usable, so they are committed, and the service does not decommit them. No code uses them or relies
    ///   on their contents.
    unsafe fn discard(&mut self, pages: Range<usize>) -> Result<(), Error>;

    /// Ends the memory: does not wait for work in progress, and caches what is left if that is intended.
    fn release(self: Box<Self>);

    fn leak(self: Box<Self>);

    /// Returns what the user has supplied, if this is that.
    fn into_any_backing(self: Box<Self>) -> Option<AnyBacking> {
        None
    }

    /// For tests, which do the work of the service themselves.
    #[cfg(test)]
    fn served(&self) -> &Served {
        unreachable!("it is not served")
    }
}

impl ExternalMemory for Served {
    fn reservation(&self) -> Result<&Reservation, &AnyBacking> {
        Ok(self.shared().reservation())
    }

    fn committed_bytes(&self) -> usize {
        self.shared().committed_bytes()
    }

    fn ahead_bytes(&self) -> Option<usize> {
        Some(self.shared().ahead_bytes())
    }

    fn late(&self) -> usize {
        self.shared().late()
    }

    fn set_ahead(&self, ahead: CommitAhead) {
        self.shared().set_ahead(ahead);
    }

    fn least_run_bytes(&self) -> usize {
        service::UNIT_BYTES
    }

    fn grow(&mut self, front: &mut Front, need: usize, amount: Amount) -> Result<(), Error> {
        let Front { growth, step, .. } = front;
        let shared = self.shared();
        let desired = match amount {
            Amount::AtLeast => need.saturating_add(service::UNIT_BYTES),
            Amount::Within(most) => need.saturating_add(service::UNIT_BYTES).min(most).max(need),
            Amount::Exact => need,
        };
        front.usable = if let Some(usable) = shared.take(need, desired) {
            usable
        } else {
            let reservation = shared.reservation();
            let committed = shared.committed_bytes();
            let by_policy = reservation.whole_runs(step.desired(committed, need, *growth));
            let preferred = amount.preferred(round_up(need, page_size()), by_policy);
            shared.take_unready(need, desired, preferred, |missing| {
                let start = missing.start;
                let to = commit(reservation, missing, preferred)?;
                if amount != Amount::Exact {
                    step.advance(to.saturating_sub(start), *growth);
                }
                Ok(to)
            })?
        };
        let window = front.recent.note(front.usable, Instant::now());
        shared.set_window(window);
        shared.notice();
        Ok(())
    }

    fn prefault_ahead(&self, window: usize, meter: &mut BudgetMeter) -> Option<Result<(), Error>> {
        let shared = self.shared();
        shared.set_window(window);
        let reservation = shared.reservation();
        let mut pay =
            |piece: Range<usize>| meter.pay(piece.len() - reservation.resident_within(piece));
        Some(shared.help(&mut pay))
    }

    fn pause(&self) {
        self.shared().pause();
    }

    unsafe fn give_back(
        &mut self,
        usable: &mut usize,
        keep: usize,
        at_once: bool,
        goes_on: &mut dyn FnMut(usize) -> bool,
    ) -> Result<bool, Error> {
        let (left, result) = self.shared().give_back(keep, at_once, goes_on);
        *usable = left.min(*usable);
        result.map(|()| left <= keep)
    }

    unsafe fn prefault(&mut self, pages: Range<usize>) -> Result<(), Error> {
        // SAFETY: the caller makes the same two promises.
        unsafe { self.shared().reservation().prefault_committed(pages) }
    }

    unsafe fn discard(&mut self, pages: Range<usize>) -> Result<(), Error> {
        // The service may still be at work on pages that were claimed just before.
        self.shared().locked(|reservation| {
            // SAFETY: no code uses the pages or needs their contents, as the caller promises, and the lock keeps the service
            // away.
            unsafe { discard(reservation, pages) }
        })
    }

    fn release(self: Box<Self>) {
        self.retire();
    }

    fn leak(self: Box<Self>) {
        if let Some((reservation, _)) = self.end() {
            mem::forget(reservation);
        }
    }

    #[cfg(test)]
    fn served(&self) -> &Served {
        self
    }
}

impl ExternalMemory for AnyBacking {
    fn reservation(&self) -> Result<&Reservation, &AnyBacking> {
        Err(self)
    }

    fn grow(&mut self, front: &mut Front, need: usize, amount: Amount) -> Result<(), Error> {
        let Front { usable, growth, step, .. } = front;
        let missing = *usable..self.whole_runs(need);
        let by_policy = self.whole_runs(step.desired(*usable, need, *growth));
        let preferred = amount.preferred(missing.end, by_policy);
        let run = self.run_bytes();
        // SAFETY: "not committed": only the first `usable` bytes are, since only this function commits, which moves
        // `usable` to their end, and `give_back` moves it to the end of what is left. What a refused call may have
        // committed counts as not committed.
        let mut commit = |range| unsafe { self.commit(range) };
        let target = halve(&missing, preferred, run, |range| commit(range).is_ok());
        if target == missing.end {
            commit(missing.clone())?;
        }
        if amount != Amount::Exact {
            step.advance(target - missing.start, *growth);
        }
        *usable = target;
        Ok(())
    }

    unsafe fn give_back(
        &mut self,
        usable: &mut usize,
        keep: usize,
        at_once: bool,
        goes_on: &mut dyn FnMut(usize) -> bool,
    ) -> Result<bool, Error> {
        let run = self.run_bytes();
        let next = |left| service::last_piece(keep..left, run, at_once);
        // SAFETY: "committed" and not in use: `give_pieces_back` passes pieces between `keep` and `usable`, each once, and
        // the caller promises this of those. Whole runs are committed, and `next` returns starts of runs.
        let mut decommit = |piece| unsafe { self.decommit(piece) };
        give_pieces_back(usable, keep, next, goes_on, &mut decommit)
    }

    unsafe fn prefault(&mut self, pages: Range<usize>) -> Result<(), Error> {
        // SAFETY: "inside the memory, and committed", as the caller promises.
        unsafe { self.prefault(pages) }
    }

    unsafe fn discard(&mut self, pages: Range<usize>) -> Result<(), Error> {
        // SAFETY: "committed", and "nothing uses it or relies on its contents", as the caller promises.
        unsafe { self.discard(pages) }
    }

    /// The service does not release what the user has supplied.
    fn release(self: Box<Self>) {}

    fn leak(self: Box<Self>) {
        mem::forget(*self);
    }

    fn into_any_backing(self: Box<Self>) -> Option<AnyBacking> {
        Some(*self)
    }
}
