//! [`Elsewhere`]: memory in which others than the array have a hand, and the [`Way`] to the service.
//!
//! All of it is reached by a table of functions. So a program in which no array has such memory refers to
//! none of them, and the linker leaves them out, and with them what starts the background thread.

use super::policy::Amount;
use super::recent::Recent;
use super::warm::{Warmth, Wish};
use super::{
    Front, GrowingReservation, Purse, Want, commit, discard, give_pieces_back, halve, round_up,
};
use crate::backing::Foreign;
use crate::error::Error;
use crate::heap::Room;
use crate::keeper;
use crate::reservation::{Reservation, page_size};
use crate::service::{self, CommitAhead, Legacy, Memory, Served};
use std::fmt;
use std::mem;
use std::ops::Range;
use std::panic::{RefUnwindSafe, UnwindSafe};
use std::time::Instant;

/// Memory that the [service](crate::service) makes ready, or that the user has supplied.
pub(crate) trait Elsewhere: fmt::Debug + Send + Sync + UnwindSafe + RefUnwindSafe {
    /// The reservation, or what the user supplied in its place.
    fn reservation(&self) -> Result<&Reservation, &Foreign>;

    /// Bytes that are committed, if there are more than are usable.
    fn committed_bytes(&self) -> usize {
        0
    }

    /// Bytes that lie ready, where others than the array see to that.
    fn ahead_bytes(&self) -> Option<usize> {
        None
    }

    /// See [`GrowingReservation::late`](super::GrowingReservation::late).
    fn late(&self) -> usize {
        0
    }

    fn set_ahead(&self, _: CommitAhead) {}

    /// In what units it is given back at least.
    fn least_run_bytes(&self) -> usize {
        1
    }

    /// Makes the first `need` bytes usable, which are there, and more than are now.
    fn grow(&mut self, front: &mut Front, need: usize, amount: Amount) -> Result<(), Error>;

    /// Makes memory ready ahead of the array, where others than the array see to that.
    fn prefault_ahead(&self, _window: usize, _: &mut Purse) -> Option<Result<(), Error>> {
        None
    }

    /// See [`GrowingReservation::give_back`](super::GrowingReservation::give_back).
    fn give_back(
        &mut self,
        usable: &mut usize,
        keep: usize,
        at_once: bool,
        goes_on: &mut dyn FnMut(usize) -> bool,
    ) -> Result<bool, Error>;

    /// Makes usable pages resident.
    fn prefault(&mut self, pages: Range<usize>) -> Result<(), Error>;

    /// Hands the memory of usable pages back.
    fn discard(&mut self, pages: Range<usize>) -> Result<(), Error>;

    /// Ends it, of which so many bytes are usable, in the background if that can be, or leaves it to the next.
    fn release(self: Box<Self>, usable: usize, legacy: Option<Legacy>);

    /// Gives it up: it is never released.
    fn leak(self: Box<Self>);

    /// The reservation, where nobody is at work any more, and how much of it is committed: no more than was
    /// used, or lay ready. None if it is not one.
    fn end(self: Box<Self>) -> Option<(Reservation, usize)> {
        None
    }

    /// What the user supplied, if that is what it is.
    fn into_foreign(self: Box<Self>) -> Option<Foreign> {
        None
    }

    /// For tests, which do the service's work themselves.
    #[cfg(test)]
    fn served(&self) -> &Served {
        unreachable!("it is not served")
    }
}

impl Elsewhere for Served {
    fn reservation(&self) -> Result<&Reservation, &Foreign> {
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
        let wish = match amount {
            Amount::AtLeast => need.saturating_add(service::UNIT_BYTES),
            Amount::Within(most) => need.saturating_add(service::UNIT_BYTES).min(most).max(need),
            Amount::Exact => need,
        };
        front.usable = if let Some(usable) = shared.take(need, wish) {
            usable
        } else {
            let reservation = shared.reservation();
            let committed = shared.committed_bytes();
            let by_policy = reservation.whole_runs(step.wish(committed, need, *growth));
            let wished = amount.wished(round_up(need, page_size()), by_policy);
            shared.take_unready(need, wish, wished, |missing| {
                step.advance(wished.saturating_sub(missing.start), *growth);
                commit(reservation, missing, wished)
            })?
        };
        let window = front.recent.note(front.usable, Instant::now());
        shared.set_window(window);
        shared.notice();
        Ok(())
    }

    fn prefault_ahead(&self, window: usize, purse: &mut Purse) -> Option<Result<(), Error>> {
        let shared = self.shared();
        shared.set_window(window);
        let reservation = shared.reservation();
        let mut pay =
            |piece: Range<usize>| purse.pay(piece.len() - reservation.resident_within(piece));
        Some(shared.help(&mut pay))
    }

    fn give_back(
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

    fn prefault(&mut self, pages: Range<usize>) -> Result<(), Error> {
        self.shared().reservation().prefault_committed(pages)
    }

    fn discard(&mut self, pages: Range<usize>) -> Result<(), Error> {
        // Somebody may still be at work on what was claimed just before.
        self.shared().locked(|reservation| {
            // SAFETY: usable bytes are nobody's but the owner's, who has `&mut self`.
            unsafe { discard(reservation, pages) }
        })
    }

    fn release(self: Box<Self>, usable: usize, legacy: Option<Legacy>) {
        service::release_later(Memory::Served(*self), usable, legacy);
    }

    fn leak(self: Box<Self>) {
        mem::forget(*self);
    }

    fn end(self: Box<Self>) -> Option<(Reservation, usize)> {
        let touched = self.shared().touched_bytes();
        let (mut reservation, committed) = Served::end(&self)?;
        service::decommit_behind(&mut reservation, touched, committed)
            .then_some((reservation, touched))
    }

    #[cfg(test)]
    fn served(&self) -> &Served {
        self
    }
}

impl Elsewhere for Foreign {
    fn reservation(&self) -> Result<&Reservation, &Foreign> {
        Err(self)
    }

    fn grow(&mut self, front: &mut Front, need: usize, amount: Amount) -> Result<(), Error> {
        let Front { usable, growth, step, .. } = front;
        let missing = *usable..self.whole_runs(need);
        let by_policy = self.whole_runs(step.wish(*usable, need, *growth));
        let wished = amount.wished(missing.end, by_policy);
        let run = self.run_bytes();
        let target = halve(&missing, wished, run, |range| self.commit(range).is_ok());
        if target == missing.end {
            self.commit(missing.clone())?;
        }
        if amount != Amount::Exact {
            step.advance(target - missing.start, *growth);
        }
        *usable = target;
        Ok(())
    }

    fn give_back(
        &mut self,
        usable: &mut usize,
        keep: usize,
        at_once: bool,
        goes_on: &mut dyn FnMut(usize) -> bool,
    ) -> Result<bool, Error> {
        let run = self.run_bytes();
        let next = |left| service::last_piece(keep..left, run, at_once);
        // SAFETY: usable bytes were committed, and are nobody's but the owner's, who has
        // `&mut self`. They are not usable any more, unless they stay committed.
        let mut decommit = |piece| unsafe { self.decommit(piece) };
        give_pieces_back(usable, keep, next, goes_on, &mut decommit)
    }

    fn prefault(&mut self, pages: Range<usize>) -> Result<(), Error> {
        // SAFETY: usable, so committed.
        unsafe { self.prefault(pages) }
    }

    fn discard(&mut self, pages: Range<usize>) -> Result<(), Error> {
        // SAFETY: usable, so committed, and nobody's but the owner's, who has `&mut self`.
        unsafe { self.discard(pages) }
    }

    /// What the user supplied is not released by the service.
    fn release(self: Box<Self>, _: usize, _: Option<Legacy>) {}

    fn leak(self: Box<Self>) {
        mem::forget(*self);
    }

    fn into_foreign(self: Box<Self>) -> Option<Foreign> {
        Some(*self)
    }
}

/// How to come to the service. An array for which nobody asked for it has no way there: so in a program
/// where nobody does, nothing refers to what starts the thread.
pub(crate) struct Way {
    /// Has memory be made ready ahead of it.
    pub(crate) serve: fn(&mut GrowingReservation, CommitAhead),
    /// Takes its memory, to be released in the background, if that can be. Or else leaves it.
    pub(super) release: fn(&mut GrowingReservation),
    /// What another array has left just now that was served, if it suits.
    pub(super) take_left: fn(Wish, &Want) -> Option<GrowingReservation>,
}

impl Way {
    pub(crate) const NONE: &'static Self =
        &Self { serve: |_, _| (), release: |_| (), take_left: |_, _| None };
    pub(crate) const OPEN: &'static Self =
        &Self { serve: GrowingReservation::serve, release: release_later, take_left };
}

fn release_later(growing: &mut GrowingReservation) {
    // What is warm is in use, for this.
    let (usable, legacy) = (growing.zero_from(), growing.legacy());
    match growing.memory.take() {
        Some(super::Memory::Alone(reservation)) => {
            service::release_later(Memory::Alone(reservation), usable, legacy);
        }
        Some(super::Memory::Elsewhere(memory)) => memory.release(usable, legacy),
        None => {}
    }
}

fn take_left(wish: Wish, want: &Want) -> Option<GrowingReservation> {
    if want.commit_ahead != CommitAhead::Auto || !keeper::is_on(wish.used) {
        return None;
    }
    // First: what was taken would go back at once.
    let room = Room::try_new().ok()?;
    let suits = &mut |memory: &Reservation, written| wish.suits(memory, written);
    let (memory, Legacy { written, .. }) = service::take_waiting(suits)?;
    let left = |memory| GrowingReservation::over(memory, want.growth, want.release, want.service);
    let mut growing = match memory {
        Memory::Alone(reservation) => left(super::Memory::Alone(reservation)),
        Memory::Served(served) => {
            let window = served.shared().window_bytes();
            let mut growing = left(super::Memory::Elsewhere(room.fill(served)));
            growing.front.recent = Recent::beginning(window);
            growing
        }
    };
    growing.warmth = Some(Warmth::left(written, wish.used));
    Some(growing)
}

debug_as!([] Way, "Way");
