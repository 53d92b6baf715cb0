//! [`Shared`]: a reservation that an array and the service work on, and what either does there.
//!
//! # What holds
//!
//! The [`Handover`] says who may do what: `taken` and `ready` below are its marks, in bytes. Beside
//! them stand two numbers, `committed` and `reach`. At any moment, also for the child of a fork:
//!
//! 1. **Pages below `committed` are accessible.** No page from `reach` on was part of a commit from here
//!    since `reach` was last lowered to it, or below. Between the two lie what is just being committed or
//!    taken away, and what refused calls may have left; so `committed <= reach`. (What the user had
//!    committed before the reservation came here may lie anywhere.)
//! 2. **The array uses nothing but what it was given**: no more than `taken`, and no more than
//!    `committed` was then. (What [`take`](Shared::take) and [`take_unready`](Shared::take_unready)
//!    return is the least of both.)
//! 3. `ready` may lie above `committed`, as may `taken`: after a claim for which there was not as much
//!    as was wished. What lies between is nobody's, and whoever wants it commits it first.
//!
//! They are kept so:
//!
//! - Both numbers **rise** under [work](Work) or the array's claim, of which one each may be under way at
//!   once: `reach` before a commit, which begins at what `committed` was on, or below; `committed` after
//!   it. Both to the larger of what they are and should be, so that none hides what the other has
//!   committed.
//! - Both **fall** where only one can be at it: under [`Work::Alone`], down to `ready` at least, below
//!   which is all that the array has or can take meanwhile; or by the array itself under its lock,
//!   which waits until nobody is at work. `committed` before the call that takes pages away, `reach`
//!   after.
//! - So whoever is at work, or has a claim, knows that what it found committed stays so until it is done.
//!
//! Pages are made resident by touching them: the system's own call for it would keep others from
//! mapping anything, see [`os`]. That is [`Work::Shared`] where a touch is harmless to whoever uses the
//! page; elsewhere it is [`Work::Alone`], in short steps, behind all that the array has.
//!
//! # Another array
//!
//! When an array is gone, the next may have all of this as it is: [`restart`](Shared::restart) sets `taken` to
//! nothing, and what had been taken is ready again, with what is in it. It waits for nobody: who is at work
//! then works behind all that was ready when he began, and goes on as if nothing had been taken since. That
//! the pages are not zero is for the array to know, which is told by who was there before.
//!
//! # The end of it
//!
//! The array's handle [ends](Shared::end) the reservation, not the last who knows of it: nobody
//! begins anything from then on, who is at work ends first, and then the reservation is taken out. To
//! hold an [`Arc`](std::sync::Arc) of this is to hold some bytes.
//!
//! `loom/` runs the interleavings of this file.

#![expect(unsafe_code, reason = "hands pages back that nobody has")]

use super::handover::{Busy, Handover, State, Work};
use super::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use super::sync::thread::{self, Thread, ThreadId};
use super::{CommitAhead, Service, bytes, units};
use crate::error::{Error, ErrorKind};
use crate::os;
use crate::reservation::{Reservation, page_size};
use std::mem::ManuallyDrop;
use std::ops::Range;
use std::ptr;
use std::time::Duration;

/// What the service touches at once before it looks who needs it most; where there are huge pages,
/// one of them.
const STEP_BYTES: usize = 512 << 10;
/// What the service commits at once, at most: one change of mappings for many prefaults.
const COMMIT_BYTES: usize = 32 << 20;
/// What is taken away at once, since an array that grows just then has to wait.
const PIECE_BYTES: usize = 1 << 20;
/// Who takes more at once, without having it ready, may not need it soon.
const LARGE_BYTES: usize = 1 << 20;
/// Less beyond twice the window stays there until the array does not grow.
const LARGE_SURPLUS_BYTES: usize = 8 << 20;

/// See the [module](self).
#[derive(Debug)]
pub(crate) struct Shared {
    /// Taken out by [`end`](Self::end).
    reservation: ManuallyDrop<Reservation>,
    handover: Handover,
    /// See the [module](self).
    committed: AtomicUsize,
    reach: AtomicUsize,
    /// Whether [`end`](Self::end) was called.
    has_ended: AtomicBool,
    /// How many bytes the service is to stay ahead, and whether growth says how many.
    window: AtomicUsize,
    is_auto: AtomicBool,
    /// How many stay when nothing grows.
    least: AtomicUsize,
    /// Whether the array has noticed that there is less than half of the window ahead of it, and
    /// nobody has looked since.
    hungry: AtomicBool,
    /// How often the array needed what was not ready.
    late: AtomicUsize,
    /// The first bytes that the array has taken in large pieces before they were ready: it may never have
    /// touched these.
    untouched: AtomicUsize,
    /// How often the array's owner has made something ready.
    helped: AtomicUsize,
    /// Where the service's registry has it. Changed under the registry's lock.
    pub(super) place: AtomicUsize,
    pub(super) service: &'static Service,
    /// The service's thread, which lives as long as this is registered; none before.
    thread: Option<Thread>,
}

/// Why [`Shared::take_back`] took nothing although there is something.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Kept {
    /// Somebody is at work there.
    Busy,
    /// The system refused.
    Refused,
}

impl Shared {
    /// With the first `committed` bytes of the reservation being the array's.
    pub(crate) fn new(
        reservation: Reservation,
        committed: usize,
        ahead: CommitAhead,
        service: &'static Service,
    ) -> Self {
        Self {
            handover: Handover::new(units(committed)),
            committed: AtomicUsize::new(committed),
            reach: AtomicUsize::new(committed),
            window: AtomicUsize::new(ahead.least_bytes()),
            is_auto: AtomicBool::new(ahead == CommitAhead::Auto),
            least: AtomicUsize::new(ahead.least_bytes()),
            hungry: AtomicBool::new(false),
            late: AtomicUsize::new(0),
            untouched: AtomicUsize::new(usize::MAX),
            helped: AtomicUsize::new(0),
            place: AtomicUsize::new(usize::MAX),
            has_ended: AtomicBool::new(false),
            reservation: ManuallyDrop::new(reservation),
            service,
            thread: None,
        }
    }

    /// Has the first `warm` bytes be ready, which are committed, and resident.
    pub(super) fn begin_with(&mut self, warm: usize) {
        let taken = self.handover.state().taken;
        self.handover = Handover::with_ready(taken, (warm / super::UNIT_BYTES).max(taken));
        self.committed.fetch_max(warm, Ordering::Relaxed);
        self.reach.fetch_max(warm, Ordering::Relaxed);
    }

    /// Has it ask that thread.
    pub(super) fn be_served_by(&mut self, thread: Thread) {
        self.thread = Some(thread);
    }

    /// Whether it asks that thread.
    pub(super) fn is_served_by(&self, thread: ThreadId) -> bool {
        self.thread.as_ref().is_some_and(|served_by| served_by.id() == thread)
    }

    /// Whether marks can tell every unit of a reservation.
    pub(super) fn fits(reservation: &Reservation) -> bool {
        reservation.reserved_bytes().div_ceil(super::UNIT_BYTES) <= State::MOST
    }

    pub(crate) fn reservation(&self) -> &Reservation {
        &self.reservation
    }

    /// So many units, in bytes; the reservation may end within the last.
    fn bytes(&self, units: usize) -> usize {
        bytes(units).min(self.reservation.reserved_bytes())
    }

    /// Bytes that are committed, whoever has them.
    pub(crate) fn committed_bytes(&self) -> usize {
        self.committed.load(Ordering::Acquire)
    }

    /// `committed` and `reach`, for those who check them.
    #[cfg(test)]
    pub(crate) fn extent(&self) -> (usize, usize) {
        (self.committed.load(Ordering::Relaxed), self.reach.load(Ordering::Relaxed))
    }

    /// Bytes that lie ready for the array.
    pub(crate) fn ahead_bytes(&self) -> usize {
        let state = self.handover.state();
        self.bytes(state.ready) - self.bytes(state.taken)
    }

    pub(crate) fn late(&self) -> usize {
        self.late.load(Ordering::Relaxed)
    }

    /// How many bytes the service is to stay ahead.
    pub(crate) fn window_bytes(&self) -> usize {
        self.window.load(Ordering::Relaxed)
    }

    /// Changes how far ahead to be. Where growth says that, and did before, it is as far as it was.
    pub(crate) fn set_ahead(&self, ahead: CommitAhead) {
        let is_auto = ahead == CommitAhead::Auto;
        let was_auto = self.is_auto.swap(is_auto, Ordering::Relaxed);
        self.least.store(ahead.least_bytes(), Ordering::Relaxed);
        if !(is_auto && was_auto) {
            self.window.store(ahead.least_bytes(), Ordering::Relaxed);
        }
        // Also if it is less than it was: then there may be too much.
        self.ask();
    }

    /// How many bytes to be ahead, unless the user named a number.
    pub(crate) fn set_window(&self, bytes: usize) {
        if self.is_auto.load(Ordering::Relaxed) {
            self.window.store(bytes, Ordering::Relaxed);
        }
    }

    // The array's part. It has `&mut` to the one handle that leads here.

    /// Takes `need` bytes from the start at least, and up to `wish`, if they are ready; returns how
    /// many are the array's then.
    pub(crate) fn take(&self, need: usize, wish: usize) -> Option<usize> {
        let state = self.handover.take(units(need), units(wish))?;
        // Of a unit that was hard to get, only a part may be.
        let usable = self.bytes(state.taken).min(self.committed_bytes());
        (usable >= need).then_some(usable)
    }

    /// Takes at least `need` bytes that are not ready, and up to `wish`. Returns how many are the
    /// array's then.
    ///
    /// What of them is not committed is, by `commit`: it is given what is missing, and answers how
    /// far it is committed then, `commit_wish` at most.
    pub(crate) fn take_unready(
        &self,
        need: usize,
        wish: usize,
        commit_wish: usize,
        commit: impl FnOnce(Range<usize>) -> Result<usize, Error>,
    ) -> Result<usize, Error> {
        self.late.fetch_add(1, Ordering::Relaxed);
        self.service.note_late();
        // No further than the marks can tell.
        let end = units(need.max(wish).min(self.reservation.reserved_bytes()));
        let before = self.wait_until(|| self.handover.claim(end));
        let was_ready = self.bytes(before.ready);
        if self.bytes(end).saturating_sub(was_ready) > LARGE_BYTES {
            self.untouched.fetch_min(was_ready, Ordering::Relaxed);
        }
        let committed = self.committed_bytes();
        if need > committed {
            let need = need.next_multiple_of(page_size());
            self.reach.fetch_max(commit_wish.max(need), Ordering::Relaxed);
            debug_assert!(self.reach.load(Ordering::Relaxed) >= need);
            match commit(committed..need) {
                Ok(reached) => self.committed.fetch_max(reached, Ordering::Release),
                Err(error) => {
                    self.handover.unclaim(before);
                    return Err(error);
                }
            };
        }
        self.handover.disown();
        Ok(self.bytes(end).min(self.committed_bytes()))
    }

    /// Tells the service if there is less than half of the window ahead of the array.
    pub(crate) fn notice(&self) {
        let state = self.handover.state();
        let (taken, ready) = (self.bytes(state.taken), self.bytes(state.ready));
        let is_low = ready - taken < self.window_bytes().div_ceil(2);
        if is_low && ready < self.reservation.reserved_bytes() {
            self.ask();
        }
    }

    /// Has the service look here, if it has not been asked to already.
    pub(super) fn ask(&self) {
        // Acquire and release: if it was set already, the service's own exchange comes later, and
        // sees what the array did before this one.
        if !self.hungry.swap(true, Ordering::AcqRel) && !self.service.is_of_another_process() {
            self.thread.iter().for_each(Thread::unpark);
        }
    }

    /// Whether the array has asked since the last call.
    pub(super) fn was_asked(&self) -> bool {
        self.hungry.swap(false, Ordering::AcqRel)
    }

    /// Hands what lies behind the first `keep` bytes back, at once or in pieces from the end, before
    /// each of which `goes_on` is asked. Returns behind what nothing is committed any more.
    pub(crate) fn give_back(
        &self,
        keep: usize,
        at_once: bool,
        goes_on: &mut dyn FnMut(usize) -> bool,
    ) -> (usize, Result<(), Error>) {
        let keep = self.bytes(units(keep));
        self.wait_until(|| self.handover.lock());
        let taken = self.handover.state().taken;
        let result = self.decommit_down_to(keep, at_once, goes_on);
        let left = self.reach.load(Ordering::Relaxed);
        // If less is left than the array had, it is whole units.
        self.handover.unlock(taken.min(units(left)));
        (left, result)
    }

    /// Has nobody begin anything any more. The array's methods are not to be called again, but
    /// [`end`](Self::end).
    pub(crate) fn retire(&self) {
        // Who is at work yet, does not matter.
        let _ = self.handover.lock();
    }

    /// Begins anew for another array, after it was [retired](Self::retire) by the one before, and if nobody
    /// has ended it. What that one had, as far as it seems to have touched it, lies ready, with what is in it.
    /// Waits for nobody.
    pub(crate) fn restart(&self) {
        debug_assert!(!self.has_ended.load(Ordering::Relaxed));
        self.late.store(0, Ordering::Relaxed);
        self.helped.store(0, Ordering::Relaxed);
        let touched = self.untouched.swap(usize::MAX, Ordering::Relaxed);
        self.handover.restart(touched / super::UNIT_BYTES);
        // What the one before asked for, and nobody has looked at, woke somebody who found nothing here.
        self.hungry.store(false, Ordering::Relaxed);
        self.ask();
    }

    /// Up to where pages are committed, and were made ready or seem to have been touched by the array.
    pub(crate) fn touched_bytes(&self) -> usize {
        let ready = self.bytes(self.handover.state().ready);
        let touched = ready.min(self.untouched.load(Ordering::Relaxed) / page_size() * page_size());
        touched.min(self.committed_bytes())
    }

    /// [Retires](Self::retire) it, waits until nobody is at work, and takes the reservation out, with
    /// how much of it is committed. None if that was done before.
    pub(crate) fn end(&self) -> Option<(Reservation, usize)> {
        if self.has_ended.swap(true, Ordering::Relaxed) {
            return None;
        }
        self.wait_until(|| self.handover.lock());
        // SAFETY: once only. Nobody is at work, nor will be, since the lock stays; and the array is not
        // there any more. Those who still know of this look at no more than sizes, which stay.
        let reservation = unsafe { ptr::read(&raw const *self.reservation) };
        Some((reservation, self.committed_bytes()))
    }

    /// Runs `change` while nobody is at work.
    pub(crate) fn locked<R>(&self, change: impl FnOnce(&Reservation) -> R) -> R {
        self.wait_until(|| self.handover.lock());
        let result = change(&self.reservation);
        self.handover.disown();
        // Who came meanwhile to make more ready has gone again.
        self.notice();
        result
    }

    /// [`prefault`](Self::prefault) by the array's owner, which counts as if it had grown: what it has made
    /// ready stays for as long. The service looks at it then.
    pub(crate) fn help(&self, goes_on: &mut dyn FnMut(Range<usize>) -> bool) -> Result<(), Error> {
        if self.service.is_of_another_process() {
            // What was begun there is ended by nobody here.
            self.handover.abandon_work();
        }
        let before = self.handover.state().ready;
        let result = self.prefault(goes_on);
        let has_made = self.handover.state().ready > before;
        if has_made {
            self.helped.fetch_add(1, Ordering::Relaxed);
        }
        if has_made && self.has_too_much() {
            self.ask();
        }
        // Who came meanwhile to make more ready has gone again.
        self.notice();
        result
    }

    /// Makes as much ready as should be, a piece at a time; `goes_on` is asked before each.
    pub(crate) fn prefault(
        &self,
        goes_on: &mut dyn FnMut(Range<usize>) -> bool,
    ) -> Result<(), Error> {
        while self.step(goes_on)? {}
        Ok(())
    }

    /// Tries until nobody keeps the array from it: for as long as a step of the service's takes.
    fn wait_until<R>(&self, mut attempt: impl FnMut() -> Result<R, Busy>) -> R {
        let mut tries = 0;
        loop {
            match attempt() {
                Ok(done) => return done,
                Err(Busy) => tries = self.pause(tries),
            }
        }
    }

    /// Waits a moment after so many tries, and counts one more.
    fn pause(&self, tries: u32) -> u32 {
        /// Longer waits leave the processor to the service, which may have but this one.
        const SHORT_TRIES: u32 = 32;
        if tries < SHORT_TRIES {
            thread::yield_now();
        } else if self.service.is_of_another_process() {
            self.handover.abandon_work();
        } else {
            thread::sleep(Duration::from_micros(50));
        }
        tries.saturating_add(1)
    }

    // The service's part, by any thread.

    /// How far it should be ready.
    fn target(&self, state: State) -> usize {
        let taken = self.bytes(state.taken);
        taken.saturating_add(self.window_bytes()).min(self.reservation.reserved_bytes())
    }

    /// Of the window, how much is ready, in 256ths.
    pub(super) fn fill(&self) -> usize {
        let ahead = self.ahead_bytes().min(usize::MAX >> 8);
        (ahead << 8) / self.window_bytes().max(1)
    }

    /// Makes a piece more ready, if there should be more, and `goes_on`, asked with its place, says so.
    /// Whether it did: not if nothing is to be done, or somebody else is at it.
    pub(crate) fn step(
        &self,
        goes_on: &mut dyn FnMut(Range<usize>) -> bool,
    ) -> Result<bool, Error> {
        self.step_by(if os::TOUCHING_IS_SHARED { Work::Shared } else { Work::Alone }, goes_on)
    }

    pub(crate) fn step_by(
        &self,
        work: Work,
        goes_on: &mut dyn FnMut(Range<usize>) -> bool,
    ) -> Result<bool, Error> {
        let Ok(state) = self.handover.begin(work) else { return Ok(false) };
        let from = self.bytes(state.ready);
        let to = self.step_end(work, from, state);
        let is_done = from >= self.target(state) || self.service.is_pressed();
        if is_done || !goes_on(from..to) {
            self.handover.finish(work, 0);
            return Ok(false);
        }
        let made = self.commit_ahead(from, to).and_then(|()| {
            // SAFETY: just committed, and nobody takes them away: that is either work, of which there
            // is one at a time, or done under the array's lock, which waits for it. Nobody uses them
            // but an array that has claimed them, which it cannot from `Work::Alone`.
            unsafe { self.reservation.touch_committed(from..to) }
        });
        self.handover.finish(work, if made.is_ok() { units(to) } else { 0 });
        made.map(|()| true)
    }

    /// Where a step from there on ends: at an edge of whole ones, so that each huge page is asked for
    /// once. The first of several for who has nothing ahead of him is small: others may have nothing either,
    /// and wait for theirs.
    fn step_end(&self, work: Work, from: usize, state: State) -> usize {
        let is_first = state.ready == state.taken && self.window_bytes() > STEP_BYTES;
        let step = match work {
            Work::Shared if is_first => super::UNIT_BYTES.max(self.reservation.run_bytes(from)),
            Work::Shared => STEP_BYTES.max(self.reservation.run_bytes(from)),
            Work::Alone => super::UNIT_BYTES,
        };
        (from + 1).next_multiple_of(step).min(self.reservation.reserved_bytes())
    }

    /// Whether so much more can be had without anybody suffering for it: what is made ready ahead of
    /// use is not worth that others' memory is paged out, or that somebody is killed for it.
    fn check_memory(&self, bytes: usize) -> Result<(), Error> {
        /// Of the machine's memory, what is left alone.
        const SHARE: u64 = 16;
        let (Some(available), Some(all)) = (os::available_bytes(), os::memory_bytes()) else {
            return Ok(());
        };
        self.service.note_available(available);
        if available > (bytes as u64).saturating_add(all / SHARE) {
            return Ok(());
        }
        Err(Error::new(ErrorKind::Memory, bytes).with_limit(available))
    }

    /// Commits up to `to` at least, which lies behind all that is ready, and as much more as is
    /// worth a call.
    fn commit_ahead(&self, from: usize, to: usize) -> Result<(), Error> {
        let committed = self.committed_bytes();
        if to <= committed {
            return Ok(());
        }
        // As much as there is already, so that small arrays are charged little.
        let worth = from.max(self.window_bytes()).min(COMMIT_BYTES);
        let wish = from.saturating_add(worth).min(self.reservation.reserved_bytes());
        let wish = self.reservation.whole_runs(wish).max(to);
        self.check_memory(to - committed)?;
        self.reach.fetch_max(wish, Ordering::Relaxed);
        debug_assert!(self.reach.load(Ordering::Relaxed) >= wish);
        let reached = if self.reservation.commit_if_possible(committed..wish) {
            wish
        } else {
            self.reservation.commit(committed..to)?;
            to
        };
        self.committed.fetch_max(reached, Ordering::Release);
        Ok(())
    }

    /// What to look at to see whether the array grows, or its owner has made something ready.
    pub(super) fn taken_late_and_helped(&self) -> (usize, usize, usize) {
        (self.handover.state().taken, self.late(), self.helped.load(Ordering::Relaxed))
    }

    /// Whether there is more ahead of the array than shall stay when it does not grow.
    pub(super) fn has_too_much(&self) -> bool {
        let keep = self.keep(self.handover.state(), self.least.load(Ordering::Relaxed));
        self.reach.load(Ordering::Relaxed) > keep
    }

    /// Whether far more lies ready than its window, even where it grows: it was another's, or the window was
    /// larger.
    pub(super) fn has_surplus(&self) -> bool {
        self.ahead_bytes()
            > self.usual_ahead().saturating_mul(2).saturating_add(LARGE_SURPLUS_BYTES)
    }

    /// Takes away a piece of that, and returns how much.
    pub(super) fn take_surplus_back(&self) -> Result<usize, Kept> {
        self.take_back_to(self.usual_ahead())
    }

    fn usual_ahead(&self) -> usize {
        self.window_bytes().max(self.least.load(Ordering::Relaxed))
    }

    /// Takes away a piece of what an array that does not grow has too much ahead of it, and returns
    /// how much.
    pub(super) fn take_back(&self) -> Result<usize, Kept> {
        self.take_back_to(self.least.load(Ordering::Relaxed))
    }

    /// Takes away all that lies ahead of the array, since somebody needs memory now; whether there was
    /// any. Not what an array is just claiming, which may be who needs it.
    pub(super) fn take_back_all(&self) -> bool {
        let mut any = false;
        let mut tries = 0;
        loop {
            match self.take_back_any() {
                Ok(1..) => (any, tries) = (true, 0),
                // A step, which ends.
                Err(Kept::Busy) if !self.handover.is_owned() => tries = self.pause(tries),
                Ok(0) | Err(_) => return any,
            }
        }
    }

    /// Takes away a piece of what lies ahead of the array, and returns how much.
    pub(crate) fn take_back_any(&self) -> Result<usize, Kept> {
        self.take_back_to(0)
    }

    /// The end of what is kept if that many bytes are to stay ahead.
    fn keep(&self, state: State, ahead: usize) -> usize {
        let reserved = self.reservation.reserved_bytes();
        let keep = self.bytes(state.taken).saturating_add(ahead).min(reserved);
        keep.next_multiple_of(self.unit(keep)).min(reserved)
    }

    /// In what units pages at an offset are taken away.
    fn unit(&self, offset: usize) -> usize {
        self.reservation.run_bytes(offset).max(super::UNIT_BYTES)
    }

    fn take_back_to(&self, ahead: usize) -> Result<usize, Kept> {
        let keep = self.keep(self.handover.state(), ahead);
        let begun = self.handover.begin_taking_back(units(keep));
        let state = begun.map_err(|Busy| Kept::Busy)?;
        // The array may have taken more in between.
        let keep = keep.max(self.bytes(state.ready));
        let before = self.reach.load(Ordering::Relaxed);
        let mut pieces = 0..1;
        let result = self.decommit_down_to(keep, false, &mut |_| pieces.next().is_some());
        let left = self.reach.load(Ordering::Relaxed);
        self.handover.finish(Work::Alone, 0);
        result.map(|()| before - left).map_err(|_| Kept::Refused)
    }

    /// Decommits what lies behind `keep`, at once or in pieces from the end, before each of which
    /// `goes_on` is asked.
    ///
    /// The caller keeps all others from there.
    fn decommit_down_to(
        &self,
        keep: usize,
        at_once: bool,
        goes_on: &mut dyn FnMut(usize) -> bool,
    ) -> Result<(), Error> {
        loop {
            let end = self.reach.load(Ordering::Relaxed);
            if end <= keep {
                return Ok(());
            }
            // What was never committed, or only in part, has no memory, however much it is.
            let unit = self.unit(keep);
            let had = self.committed_bytes().next_multiple_of(unit).max(keep);
            let start = if had < end { had } else { last_piece(keep..end, unit, at_once) };
            if !goes_on(end - start) {
                return Ok(());
            }
            let committed = self.committed.fetch_min(start, Ordering::Relaxed);
            debug_assert!(self.committed_bytes() <= start);
            // SAFETY: nobody has what lies behind `keep`: the caller has begun `Work::Alone`, or is
            // the array, which gives it up and has locked others out.
            if let Err(error) = unsafe { self.reservation.decommit_unused(start..end) } {
                // It is all as it was.
                self.committed.store(committed, Ordering::Relaxed);
                return Err(error);
            }
            self.reach.store(start, Ordering::Relaxed);
        }
    }
}

/// Where the last piece of a range begins that is given back by and by; its first may be smaller.
pub(crate) fn last_piece(range: Range<usize>, unit: usize, at_once: bool) -> usize {
    if at_once {
        return range.start;
    }
    let piece = PIECE_BYTES.max(unit);
    ((range.end - 1) / piece * piece).max(range.start)
}
