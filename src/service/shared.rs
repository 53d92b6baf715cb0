//! [`Shared`]: a reservation that an array and the service both work on, and the operations of each.
//!
//! # Invariants
//!
//! The [`Ownership`] says which side may do what; `taken` and `ready` below are its marks, in bytes. There are two more
//! numbers, `committed` and `reach`. At every moment, also in the child of a fork:
//!
//! 1. **Pages below `committed` are accessible.** No page from `reach` on has been part of a commit of this module
//!    since `reach` was last lowered to it or below. Pages between the two are being committed or decommitted, or are
//!    left from refused calls; so `committed <= reach`. Pages that the user had committed before the reservation came
//!    here may be anywhere.
//! 2. **The array uses only what it was given**: at most `taken`, and at most what `committed` was at that time.
//!    [`take`](Shared::take) and [`take_unready`](Shared::take_unready) return the lower of the two.
//! 3. `ready` and `taken` may exceed `committed`, after a claim that got less than was desired. Pages in between have
//!    no owner, and the side that needs them commits them first.
//! 4. All four are whole pages: units are, and so is the reservation, and pages are committed and decommitted whole.
//!
//! These are preserved as follows:
//!
//! - Both numbers **rise** during [work](Work) or during a claim of the array, and at most one of each is in progress
//!   at a time. `reach` rises before a commit, which begins at or below the `committed` of that moment; `committed`
//!   rises after it. Both are set to the maximum of the old and the new value, so that neither side hides what the
//!   other has committed.
//! - Both **fall** only where one side has exclusive access: during [`Work::Exclusive`], at most down to `ready`, below
//!   which is all that the array has or can take meanwhile; or by the array itself under its lock, which waits for work
//!   in progress. `committed` falls before the call that decommits pages, `reach` after it.
//! - So pages that were found committed during work or a claim stay committed until it ends.
//!
//! Pages are made resident by touching them, because the system call for this would block other threads that map
//! memory, see [`os`]. Touching is [`Work::Shared`] where it is harmless to a thread that uses the page. Elsewhere it
//! is [`Work::Exclusive`], in short steps, past all that the array has.
//!
//! # End
//!
//! The reservation ends with the array's handle, not with the last reference: from then on no work begins, and the
//! reservation is moved out once none is in progress. Either the array [waits](Shared::end) for that, or it
//! [retires](Shared::retire), and the thread that ends the work ends the reservation, too. An
//! [`Arc`](std::sync::Arc) of `Shared` keeps only a few bytes alive.
//!
//! `loom/` runs the interleavings of this file.

#![expect(unsafe_code, reason = "decommits pages that are not in use")]

use super::ownership::{Busy, Marks, Ownership, Work};
use super::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use super::sync::thread::{self, Thread};
use super::{CommitAhead, Service, Use, bytes, release_later, units};
use crate::error::{Error, ErrorKind};
use crate::os;
use crate::reservation::{Reservation, page_size};
use std::mem::ManuallyDrop;
use std::ops::Range;
use std::ptr;
use std::time::Duration;

/// What the service touches in one step, before it looks again which array is most urgent. Where there are huge pages,
/// it is one of those.
const STEP_BYTES: usize = 512 << 10;
/// The most that the service commits at once: one change of mappings for many steps.
const COMMIT_BYTES: usize = 32 << 20;
/// What is taken back at once. An array that grows at that moment has to wait for it.
const PIECE_BYTES: usize = 1 << 20;
/// An array that takes more than this at once, before it is ready, may not need it soon.
const LARGE_BYTES: usize = 1 << 20;
/// A smaller surplus over twice the window stays until the array stops growing.
const LARGE_SURPLUS_BYTES: usize = 8 << 20;

/// See the [module](self).
#[derive(Debug)]
pub(crate) struct Shared {
    /// Moved out by [`end`](Self::end).
    reservation: ManuallyDrop<Reservation>,
    ownership: Ownership,
    /// See the [module](self), also for `reach`.
    committed: AtomicUsize,
    reach: AtomicUsize,
    has_ended: AtomicBool,
    /// How many bytes the service stays ahead, and whether that follows the growth of the array.
    window: AtomicUsize,
    is_auto: AtomicBool,
    /// How many bytes stay ready while the array does not grow.
    least: AtomicUsize,
    /// Whether the array was shrunk and has not grown since: then nothing is made ready.
    is_paused: AtomicBool,
    /// Set by the array when less than half of the window is ahead of it; cleared by the service.
    has_request: AtomicBool,
    /// How often the array needed memory that was not ready.
    late: AtomicUsize,
    /// The start of the first large piece that the array took before it was ready. It may not have touched the bytes
    /// past it.
    untouched: AtomicUsize,
    /// How often the array's owner has made memory ready.
    helped: AtomicUsize,
    /// The index in the service's registry, changed under the registry's lock.
    pub(super) place: AtomicUsize,
    pub(super) service: &'static Service,
    /// What the region cache may use the memory for when it has retired, and how many bytes of it at most.
    kept: Option<(Use, usize)>,
    /// The service's thread, set on registration. It lives for as long as this is registered.
    thread: Option<Thread>,
}

/// Why [`Shared::take_back`] took nothing although there is something.
#[derive(Clone, Copy, Debug)]
pub(crate) enum NotTaken {
    /// Work is in progress.
    Busy,
    /// The system refused the call.
    Refused,
}

impl Shared {
    /// Creates the state in which the first `committed` bytes belong to the array.
    pub(crate) fn new(
        reservation: Reservation,
        committed: usize,
        ahead: CommitAhead,
        kept: Option<(Use, usize)>,
        service: &'static Service,
    ) -> Self {
        Self {
            ownership: Ownership::new(units(committed)),
            committed: AtomicUsize::new(committed),
            reach: AtomicUsize::new(committed),
            window: AtomicUsize::new(ahead.least_bytes()),
            is_auto: AtomicBool::new(ahead.follows_growth()),
            least: AtomicUsize::new(ahead.first_least_bytes()),
            is_paused: AtomicBool::new(false),
            has_request: AtomicBool::new(false),
            late: AtomicUsize::new(0),
            untouched: AtomicUsize::new(usize::MAX),
            helped: AtomicUsize::new(0),
            place: AtomicUsize::new(usize::MAX),
            has_ended: AtomicBool::new(false),
            reservation: ManuallyDrop::new(reservation),
            service,
            kept,
            thread: None,
        }
    }

    /// Marks the first `warm` bytes as ready. They must be committed and resident.
    pub(super) fn begin_with(&mut self, warm: usize) {
        let taken = self.ownership.state().taken;
        self.ownership = Ownership::with_ready(taken, (warm / super::UNIT_BYTES).max(taken));
        self.committed.fetch_max(warm, Ordering::Relaxed);
        self.reach.fetch_max(warm, Ordering::Relaxed);
    }

    /// Sets the thread that [`request_work`](Self::request_work) wakes.
    pub(super) fn be_served_by(&mut self, thread: Thread) {
        self.thread = Some(thread);
    }

    /// Whether the marks can express every unit of the reservation.
    pub(super) fn fits(reservation: &Reservation) -> bool {
        reservation.reserved_bytes().div_ceil(super::UNIT_BYTES) <= Marks::MOST
    }

    pub(crate) fn reservation(&self) -> &Reservation {
        &self.reservation
    }

    /// Converts units to bytes. The reservation may end within the last unit.
    fn bytes(&self, units: usize) -> usize {
        bytes(units).min(self.reservation.reserved_bytes())
    }

    pub(crate) fn committed_bytes(&self) -> usize {
        self.committed.load(Ordering::Acquire)
    }

    #[cfg(test)]
    pub(crate) fn extent(&self) -> (usize, usize) {
        (self.committed.load(Ordering::Relaxed), self.reach.load(Ordering::Relaxed))
    }

    /// How many bytes are ready for the array to take.
    pub(crate) fn ahead_bytes(&self) -> usize {
        let state = self.ownership.state();
        self.bytes(state.ready) - self.bytes(state.taken)
    }

    pub(crate) fn late(&self) -> usize {
        self.late.load(Ordering::Relaxed)
    }

    /// How many bytes the service stays ahead.
    pub(crate) fn window_bytes(&self) -> usize {
        self.window.load(Ordering::Relaxed)
    }

    /// Sets the window. If it follows growth and did so before, it is unchanged.
    pub(crate) fn set_ahead(&self, ahead: CommitAhead) {
        let is_auto = ahead.follows_growth();
        let was_auto = self.is_auto.swap(is_auto, Ordering::Relaxed);
        self.least.store(ahead.least_bytes(), Ordering::Relaxed);
        self.is_paused.store(false, Ordering::Relaxed);
        if !(is_auto && was_auto) {
            self.window.store(ahead.least_bytes(), Ordering::Relaxed);
        }
        // Also if the window is smaller than before: there may be a surplus to take back.
        self.request_work();
    }

    /// Makes nothing more ready until the window is set.
    pub(crate) fn pause(&self) {
        self.is_paused.store(true, Ordering::Relaxed);
    }

    /// Sets the window, unless the user chose a number of bytes, and ends a [pause](Self::pause).
    pub(crate) fn set_window(&self, bytes: usize) {
        self.is_paused.store(false, Ordering::Relaxed);
        if self.is_auto.load(Ordering::Relaxed) {
            self.window.store(bytes, Ordering::Relaxed);
            self.least.store(super::LEAST_WINDOW_BYTES, Ordering::Relaxed);
        }
    }

    // Methods for the array, which has exclusive access to the only handle.

    /// Takes the bytes up to `need`, and up to `desired` as far as they are ready. Returns how many bytes from the
    /// start belong to the array then. `None` if not all up to `need` are ready.
    pub(crate) fn take(&self, need: usize, desired: usize) -> Option<usize> {
        let state = self.ownership.take(units(need), units(desired))?;
        // The last unit may be committed only in part.
        let usable = self.bytes(state.taken).min(self.committed_bytes());
        (usable >= need).then_some(usable)
    }

    /// Takes the bytes up to `need`, which are not ready, and as many up to `desired` as are committed. Returns how
    /// many bytes from the start belong to the array then.
    ///
    /// `commit` is called with the range that is missing, if any, and returns up to where it committed, at most
    /// `commit_wish`.
    pub(crate) fn take_unready(
        &self,
        need: usize,
        desired: usize,
        commit_wish: usize,
        commit: impl FnOnce(Range<usize>) -> Result<usize, Error>,
    ) -> Result<usize, Error> {
        // At most what the marks can express.
        let end = units(need.max(desired).min(self.reservation.reserved_bytes()));
        let before = self.wait_until(|| self.ownership.claim(end));
        let was_ready = self.bytes(before.ready);
        let unready = self.bytes(end).saturating_sub(was_ready);
        os::count_for_groups(unready);
        if unready > LARGE_BYTES {
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
                    self.ownership.unclaim(before);
                    return Err(error);
                }
            };
        }
        self.late.fetch_add(1, Ordering::Relaxed);
        self.service.note_late();
        self.ownership.disown();
        Ok(self.bytes(end).min(self.committed_bytes()))
    }

    /// Asks the service to look here if less than half of the window is ahead of the array.
    pub(crate) fn notice(&self) {
        let state = self.ownership.state();
        let (taken, ready) = (self.bytes(state.taken), self.bytes(state.ready));
        let is_low = ready - taken < self.window_bytes().div_ceil(2);
        if is_low && ready < self.reservation.reserved_bytes() {
            self.request_work();
        }
    }

    /// Wakes the service's thread, unless there is a request already.
    pub(super) fn request_work(&self) {
        // Release: if the flag was set already, the service's own exchange comes later, and sees what the array did
        // before this one. Nothing that the service did is read after it, so it need not acquire.
        if !self.has_request.swap(true, Ordering::Release) && !self.service.is_of_another_process()
        {
            self.thread.iter().for_each(Thread::unpark);
        }
    }

    /// Returns whether there was a request since the last call.
    pub(super) fn take_request(&self) -> bool {
        // Acquire: pairs with the release in `request_work`.
        self.has_request.swap(false, Ordering::Acquire)
    }

    /// Decommits what follows the first `keep` bytes, at once or in pieces from the end. `goes_on` is called before
    /// each piece. Returns the offset past which nothing is committed any more.
    pub(crate) fn give_back(
        &self,
        keep: usize,
        at_once: bool,
        goes_on: &mut dyn FnMut(usize) -> bool,
    ) -> (usize, Result<(), Error>) {
        let keep = self.bytes(units(keep));
        self.wait_until(|| self.ownership.lock());
        let result = self.decommit_down_to(keep, at_once, goes_on);
        let left = self.reach.load(Ordering::Relaxed);
        // If less is left than was ready, it is whole units.
        self.ownership.unlock(units(left));
        (left, result)
    }

    /// Records that the array is gone, and passes its memory to the region cache, or has it released. If work is in
    /// progress, the thread that ends the work does this. None of the array's methods may be called after this.
    pub(crate) fn retire(&self) {
        if self.service.is_of_another_process() {
            // The work of a thread that this process does not have will never end.
            self.ownership.abandon_work();
        }
        self.service.note_retiring();
        if self.ownership.retire() {
            self.put_down();
        }
    }

    pub(crate) fn has_retired(&self) -> bool {
        self.ownership.has_retired()
    }

    /// Ends work of the service, and the reservation if the array has retired meanwhile.
    fn finish(&self, work: Work, ready: usize) {
        if self.ownership.finish(work, ready) {
            self.put_down();
        }
    }

    /// Passes on the memory of an array that has retired. Called once no work is in progress.
    fn put_down(&self) {
        let (touched, taken) = (self.touched_bytes(), self.bytes(self.ownership.state().taken));
        if let Some((reservation, reach)) = self.take_out() {
            // Released here: otherwise the next array would grow in fresh memory before that of this one is free.
            if self.kept.is_some_and(|(_, most)| taken > most) {
                drop(reservation);
            } else {
                let whole = |(_, most)| most / self.unit(most) * self.unit(most);
                let touched = touched.min(self.kept.map_or(usize::MAX, whole));
                // SAFETY: `touched_bytes` returns whole pages (4), which are below `committed` and so accessible (1),
                // and whole units are whole pages. The array has retired, and no work is in progress, so no code uses
                // them.
                unsafe {
                    release_later(reservation, touched..reach, self.kept.map(|(used, _)| used));
                };
            }
        }
        self.service.note_retired();
    }

    /// Up to where pages are committed, and were made ready or seem to have been touched by the array.
    pub(crate) fn touched_bytes(&self) -> usize {
        let ready = self.bytes(self.ownership.state().ready).min(self.committed_bytes());
        let untouched = self.untouched.load(Ordering::Relaxed) / page_size() * page_size();
        if untouched >= ready || self.reservation.is_dense(untouched..ready) {
            ready
        } else {
            untouched
        }
    }

    /// Keeps new work from beginning, waits for work in progress, and returns the reservation and how much of it may be
    /// committed. `None` if this was done before.
    pub(crate) fn end(&self) -> Option<(Reservation, usize)> {
        self.wait_until(|| self.ownership.lock());
        self.take_out()
    }

    /// Moves the reservation out, and returns how much of it may be committed: in the child of a fork, a thread that is
    /// not there may have been about to decommit some of it. Called once no work is in progress, and none can begin.
    /// `None` if this was done before.
    fn take_out(&self) -> Option<(Reservation, usize)> {
        if self.has_ended.swap(true, Ordering::Relaxed) {
            return None;
        }
        // SAFETY: `has_ended` was false, so the value is moved out only once, and `reservation` is never dropped in
        // place. No work is in progress, and none can begin since the array's flag stays. The array is gone, and other
        // holders of an `Arc` read only sizes, which remain in place.
        let reservation = unsafe { ptr::read(&raw const *self.reservation) };
        Some((reservation, self.reach.load(Ordering::Relaxed)))
    }

    /// Calls `change` while no work is in progress.
    pub(crate) fn locked<R>(&self, change: impl FnOnce(&Reservation) -> R) -> R {
        self.wait_until(|| self.ownership.lock());
        let result = change(&self.reservation);
        self.ownership.disown();
        // Work that could not begin meanwhile was dropped.
        self.notice();
        result
    }

    /// [`prefault`](Self::prefault) on behalf of the array's owner. It counts as growth, so what it has made ready is
    /// kept for as long.
    pub(crate) fn help(&self, goes_on: &mut dyn FnMut(Range<usize>) -> bool) -> Result<(), Error> {
        if self.service.is_of_another_process() {
            // The work of a thread that this process does not have will never end.
            self.ownership.abandon_work();
        }
        let before = self.ownership.state().ready;
        let result = self.prefault(goes_on);
        let has_made = self.ownership.state().ready > before;
        if has_made {
            self.helped.fetch_add(1, Ordering::Relaxed);
        }
        if has_made && self.has_too_much(usize::MAX) {
            self.request_work();
        }
        // Work that could not begin meanwhile was dropped.
        self.notice();
        result
    }

    /// Makes memory ready up to the target, one piece at a time. `goes_on` is called before each.
    pub(crate) fn prefault(
        &self,
        goes_on: &mut dyn FnMut(Range<usize>) -> bool,
    ) -> Result<(), Error> {
        while self.step(goes_on)? {}
        Ok(())
    }

    /// Repeats `attempt` until it succeeds: at most for one step of the service.
    fn wait_until<R>(&self, mut attempt: impl FnMut() -> Result<R, Busy>) -> R {
        let mut tries = 0;
        loop {
            match attempt() {
                Ok(done) => return done,
                Err(Busy) => tries = self.wait_briefly(tries),
            }
        }
    }

    /// Waits briefly, depending on the number of tries, and returns that number plus one.
    fn wait_briefly(&self, tries: u32) -> u32 {
        /// After this many tries, sleep: the service may need the only processor.
        const SHORT_TRIES: u32 = 32;
        if tries < SHORT_TRIES {
            thread::yield_now();
        } else if self.service.is_of_another_process() {
            self.ownership.abandon_work();
        } else {
            thread::sleep(Duration::from_micros(50));
        }
        tries.saturating_add(1)
    }

    // Methods for the service, called by any thread.

    /// Up to where memory should be ready.
    fn target(&self, state: Marks) -> usize {
        let taken = self.bytes(state.taken);
        let window = if self.is_paused.load(Ordering::Relaxed) { 0 } else { self.window_bytes() };
        taken.saturating_add(window).min(self.reservation.reserved_bytes())
    }

    /// How much of the window is ready, in 256ths.
    pub(super) fn fill(&self) -> usize {
        let ahead = self.ahead_bytes().min(usize::MAX >> 8);
        (ahead << 8) / self.window_bytes().max(1)
    }

    /// Makes one more piece ready, if the target is not reached and `goes_on`, called with its range, returns `true`.
    /// Returns `false` if there was nothing to do, or other work is in progress.
    pub(crate) fn step(
        &self,
        goes_on: &mut dyn FnMut(Range<usize>) -> bool,
    ) -> Result<bool, Error> {
        self.step_by(if os::TOUCHING_IS_SHARED { Work::Shared } else { Work::Exclusive }, goes_on)
    }

    pub(crate) fn step_by(
        &self,
        work: Work,
        goes_on: &mut dyn FnMut(Range<usize>) -> bool,
    ) -> Result<bool, Error> {
        let Ok(state) = self.ownership.begin(work) else { return Ok(false) };
        let from = self.bytes(state.ready);
        let to = self.step_end(work, from, state);
        let is_done = from >= self.target(state) || self.service.is_pressed();
        if is_done || !goes_on(from..to) {
            self.finish(work, 0);
            return Ok(false);
        }
        os::count_for_groups(to - from);
        let made = self.commit_ahead(from, to).and_then(|()| {
            // SAFETY: the pages were just committed. They stay so: decommitting them is either work, of which only one
            // piece is in progress at a time, or needs the array's lock, which waits for this work. Only an array that
            // has claimed them can use them, which it cannot do during `Work::Exclusive`.
            unsafe { self.reservation.touch_committed(from..to) }
        });
        self.finish(work, if made.is_ok() { units(to) } else { 0 });
        made.map(|()| true)
    }

    /// The end of a step that begins at `from`: a multiple of the step, so that each huge page is requested once. If
    /// nothing is ready, the first step is small, since other arrays may be waiting, too.
    fn step_end(&self, work: Work, from: usize, state: Marks) -> usize {
        let is_first = state.ready == state.taken && self.window_bytes() > STEP_BYTES;
        let step = match work {
            Work::Shared if is_first => super::UNIT_BYTES.max(self.reservation.run_bytes(from)),
            Work::Shared => STEP_BYTES.max(self.reservation.run_bytes(from)),
            Work::Exclusive => super::UNIT_BYTES,
        };
        (from + 1).next_multiple_of(step).min(self.reservation.reserved_bytes())
    }

    /// Checks that `bytes` more can be committed without harm: memory ahead of use is not worth paging out other
    /// memory, or killing a process.
    fn check_memory(&self, bytes: usize) -> Result<(), Error> {
        /// The reciprocal of the share of the machine's memory that is left alone.
        const SHARE: u64 = 16;
        let (Some(available), Some(all)) = (os::available_bytes(), os::memory_bytes()) else {
            return Ok(());
        };
        self.service.note_available(available.min(os::group_memory().available));
        if available > (bytes as u64).saturating_add(all / SHARE) {
            return Ok(());
        }
        Err(Error::new(ErrorKind::Memory, bytes).with_limit(available))
    }

    /// Commits at least up to `to`, which is past all that is ready, and as much more as is worth one call.
    fn commit_ahead(&self, from: usize, to: usize) -> Result<(), Error> {
        let committed = self.committed_bytes();
        if to <= committed {
            return Ok(());
        }
        // At most as much as there is already, so that small arrays are charged little.
        let worth = from.max(self.window_bytes()).min(COMMIT_BYTES);
        let desired = from.saturating_add(worth).min(self.reservation.reserved_bytes());
        let desired = self.reservation.whole_runs(desired).max(to);
        self.check_memory(to - committed)?;
        self.reach.fetch_max(desired, Ordering::Relaxed);
        debug_assert!(self.reach.load(Ordering::Relaxed) >= desired);
        let reached = if self.reservation.commit_if_possible(committed..desired) {
            desired
        } else {
            self.reservation.commit(committed..to)?;
            to
        };
        self.committed.fetch_max(reached, Ordering::Release);
        Ok(())
    }

    /// What changes if the array grows, or if its owner has made memory ready.
    pub(super) fn taken_late_and_helped(&self) -> (usize, usize, usize) {
        (self.ownership.state().taken, self.late(), self.helped.load(Ordering::Relaxed))
    }

    /// Whether more is ahead of the array than is kept while it does not grow, or more than `most` bytes.
    pub(super) fn has_too_much(&self, most: usize) -> bool {
        let keep = self.keep(self.ownership.state(), self.least_up_to(most));
        self.reach.load(Ordering::Relaxed) > keep
    }

    /// Whether far more than the window is ready, even for a growing array: it was another array's, or the window has
    /// shrunk.
    pub(super) fn has_surplus(&self) -> bool {
        self.ahead_bytes()
            > self.usual_ahead().saturating_mul(2).saturating_add(LARGE_SURPLUS_BYTES)
    }

    /// Takes back a piece of the [surplus](Self::has_surplus), and returns its size.
    pub(super) fn take_surplus_back(&self) -> Result<usize, NotTaken> {
        self.take_back_to(self.usual_ahead())
    }

    fn usual_ahead(&self) -> usize {
        self.window_bytes().max(self.least.load(Ordering::Relaxed))
    }

    /// Takes back a piece of [what is too much](Self::has_too_much) ahead of an array that does not grow, and returns
    /// its size.
    pub(super) fn take_back(&self, most: usize) -> Result<usize, NotTaken> {
        self.take_back_to(self.least_up_to(most))
    }

    fn least_up_to(&self, most: usize) -> usize {
        let least = self.least.load(Ordering::Relaxed).min(most);
        let taken = self.bytes(self.ownership.state().taken);
        // In proportion to what the array uses, unless it waits for its first growth.
        if taken > 0 && self.is_auto.load(Ordering::Relaxed) { least.min(taken) } else { least }
    }

    /// Takes back all that is ahead of the array, because memory is needed now. Returns whether there was any. Leaves
    /// alone what the array is just claiming: that may be the request that needs the memory.
    pub(super) fn take_back_all(&self) -> bool {
        let mut any = false;
        let mut tries = 0;
        loop {
            match self.take_back_any() {
                Ok(1..) => (any, tries) = (true, 0),
                // Wait: a step of the service ends soon.
                Err(NotTaken::Busy) if !self.ownership.is_owned() => {
                    tries = self.wait_briefly(tries);
                }
                Ok(0) | Err(_) => return any,
            }
        }
    }

    /// Takes back a piece of what is ahead of the array, and returns its size.
    pub(crate) fn take_back_any(&self) -> Result<usize, NotTaken> {
        self.take_back_to(0)
    }

    /// The end of the memory that is kept if `ahead` bytes are to stay ready.
    fn keep(&self, state: Marks, ahead: usize) -> usize {
        let reserved = self.reservation.reserved_bytes();
        let keep = self.bytes(state.taken).saturating_add(ahead).min(reserved);
        keep.next_multiple_of(self.unit(keep)).min(reserved)
    }

    /// The unit in which pages at `offset` are taken back.
    fn unit(&self, offset: usize) -> usize {
        self.reservation.run_bytes(offset).max(super::UNIT_BYTES)
    }

    fn take_back_to(&self, ahead: usize) -> Result<usize, NotTaken> {
        let keep = self.keep(self.ownership.state(), ahead);
        let begun = self.ownership.begin_taking_back(units(keep));
        let state = begun.map_err(|Busy| NotTaken::Busy)?;
        // The array may have taken more in between.
        let keep = keep.max(self.bytes(state.ready));
        let before = self.reach.load(Ordering::Relaxed);
        let mut pieces = 0..1;
        let result = self.decommit_down_to(keep, false, &mut |_| pieces.next().is_some());
        let left = self.reach.load(Ordering::Relaxed);
        self.finish(Work::Exclusive, 0);
        result.map(|()| before - left).map_err(|_| NotTaken::Refused)
    }

    /// Decommits what follows `keep`, at once or in pieces from the end. `goes_on` is called before each piece.
    ///
    /// The caller must have exclusive access to that part.
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
            // What was never committed, or only in part, has no memory, however large it is.
            let unit = self.unit(keep);
            let had = self.committed_bytes().next_multiple_of(unit).max(keep);
            let start = if had < end { had } else { last_piece(keep..end, unit, at_once) };
            if !goes_on(if had < end { 0 } else { end - start }) {
                return Ok(());
            }
            let committed = self.committed.fetch_min(start, Ordering::Relaxed);
            debug_assert!(self.committed_bytes() <= start);
            // SAFETY: the pages past `keep` are not in use. The caller has begun `Work::Exclusive` past them, or it is
            // the array, which no longer uses them and has locked out all work.
            if let Err(error) = unsafe { self.reservation.decommit_unused(start..end) } {
                // Nothing has changed.
                self.committed.store(committed, Ordering::Relaxed);
                return Err(error);
            }
            self.reach.store(start, Ordering::Relaxed);
        }
    }
}

/// Returns where the last piece begins of a range that is decommitted in pieces. The first piece may be smaller.
pub(crate) fn last_piece(range: Range<usize>, unit: usize, at_once: bool) -> usize {
    if at_once {
        return range.start;
    }
    let piece = PIECE_BYTES.max(unit);
    ((range.end - 1) / piece * piece).max(range.start)
}
