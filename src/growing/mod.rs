//! [`GrowingReservation`]: a reservation that is used from its front on.
//!
//! There is no element here and no length, only bytes: how far memory is usable, how to get more,
//! and how to give it back; by whoever uses it, or with the [service](crate::service)'s help. All
//! arrays stand on it.
//!
//! # What holds between calls
//!
//! - The first `usable` bytes are committed, and were so ever since they were handed out.
//! - What lies behind them, and behind what is [warm](GrowingReservation::warm_bytes), will read as zero when
//!   it is handed out, in a reservation that was fresh: it is not committed, or was never written to, since
//!   nobody was given it.
//! - What is warm holds what another array has left there. It is committed too, unless the service has taken
//!   some of it back, which reads as zero then.

#![expect(unsafe_code, reason = "hands back pages that it owns")]

mod budget;
mod elsewhere;
mod options;
mod policy;
mod recent;
#[cfg(test)]
mod tests;
mod warm;

pub use budget::Budget;
pub(crate) use budget::Purse;
use elsewhere::Elsewhere;
pub(crate) use elsewhere::Way;
pub(crate) use options::{Ended, Want, option_methods};
pub(crate) use policy::Amount;
pub use policy::Growth;
use policy::Step;
use recent::Recent;
use warm::Warmth;

use crate::backing::{Block, Foreign};
use crate::error::{Error, ErrorKind, SizedBy};
use crate::heap::Room;
use crate::keeper;
#[cfg(test)]
use crate::os::{Call, fault};
use crate::poison::unpoison;
use crate::reservation::{IS_SUPPORTED, Reservation, page_size};
use crate::service::{self, CommitAhead, Release, Served};
use std::mem;
use std::ops::Range;
use std::ptr::NonNull;
use std::time::Instant;

/// A [`Reservation`] that is used from its front on: it knows how far it is usable, grows by the same
/// policy as arrays do, and has the same help of the [background thread](crate::service).
///
/// # Examples
///
/// ```
/// use stayput::{CommitAhead, Reservation};
///
/// # fn main() -> Result<(), stayput::Error> {
/// let mut memory = Reservation::new(1 << 30)?.growing().commit_ahead(CommitAhead::Auto);
/// let usable = memory.grow_to(1000)?;
/// assert!(usable >= 1000);
/// // SAFETY: so many bytes are committed, and nobody else uses them.
/// unsafe { memory.as_ptr().add(usable - 1).write(7) };
/// # Ok(())
/// # }
/// ```
#[derive(Debug)]
pub struct GrowingReservation {
    /// `None` only while it is dropped.
    memory: Option<Memory>,
    front: Front,
    release: Release,
    /// To who releases it.
    way: &'static Way,
    /// Without the service: pages up to here were made resident ahead of their use.
    resident: usize,
    /// Where it goes to the keeper, and may be from there.
    warmth: Option<Warmth>,
}

/// Where a range is used from its front on.
#[derive(Debug)]
enum Memory {
    Alone(Reservation),
    /// Where others have a hand in it.
    Elsewhere(Box<dyn Elsewhere>),
}

/// How far a range is usable, and how it grows.
#[derive(Debug)]
struct Front {
    usable: usize,
    growth: Growth,
    /// How far the next growth reaches at least.
    step: Step,
    recent: Recent,
}

/// What [`prefault_ahead`](crate::VmVec::prefault_ahead) did.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Prefaulted {
    /// Bytes that were made resident by the call: none where there is no virtual memory (WebAssembly), since memory is
    /// written to there when it is committed. Pages that were so before, from earlier use, are passed
    /// over, and no budget of bytes is spent on them.
    ///
    /// (They are counted too where nobody tells which they are: OpenBSD, and in memory that a
    /// [`Backing`](crate::Backing) supplies.)
    pub bytes: usize,
    /// Bytes that are resident ahead of what is used.
    pub ahead_bytes: usize,
    /// Why there are not more, if the system refused.
    pub refused: Option<Error>,
}

/// What a call that gives memory back within a [`Budget`] did.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct GivenBack {
    /// Bytes that were given back by the call.
    pub bytes: usize,
    /// Whether there is nothing more to give back.
    pub is_done: bool,
}

impl Prefaulted {
    pub(crate) const fn refused(error: Error) -> Self {
        Self { bytes: 0, ahead_bytes: 0, refused: Some(error) }
    }

    /// The same of two arrays.
    pub(crate) fn and(self, other: Self) -> Self {
        Self {
            bytes: self.bytes + other.bytes,
            ahead_bytes: self.ahead_bytes + other.ahead_bytes,
            refused: self.refused.or(other.refused),
        }
    }
}

impl GivenBack {
    /// The same of two arrays.
    pub(crate) const fn and(self, other: Self) -> Self {
        Self { bytes: self.bytes + other.bytes, is_done: self.is_done && other.is_done }
    }
}

impl Reservation {
    /// Uses the reservation from its front on. Nothing of it counts as usable at first.
    ///
    /// Pages that were written to before keep what they hold, or are zero again, when they come to be
    /// usable; all others are zero.
    pub fn growing(self) -> GrowingReservation {
        GrowingReservation::alone(self, Growth::default(), Release::default(), Way::NONE)
    }
}

impl GrowingReservation {
    #[inline(never)]
    fn over(memory: Memory, growth: Growth, release: Release, way: &'static Way) -> Self {
        let front = Front { usable: 0, growth, step: Step::FIRST, recent: Recent::NONE };
        Self { memory: Some(memory), front, release, way, resident: 0, warmth: None }
    }

    /// Uses a reservation from its front on.
    pub(crate) fn alone(
        reservation: Reservation,
        growth: Growth,
        release: Release,
        way: &'static Way,
    ) -> Self {
        Self::over(Memory::Alone(reservation), growth, release, way)
    }

    /// Uses memory of the user's from its front on.
    pub(crate) fn over_foreign(foreign: Foreign, room: Room<Foreign>, growth: Growth) -> Self {
        let memory = Memory::Elsewhere(room.fill(foreign));
        Self::over(memory, growth, Release::default(), Way::NONE)
    }

    /// Uses a block of the heap of `bytes` bytes. All of it is usable, and zero.
    pub(crate) fn in_heap(bytes: usize, align: usize) -> Result<Self, Error> {
        // Tests refuse it as they refuse memory of the system.
        #[cfg(test)]
        if [Call::Reserve, Call::Commit].into_iter().any(fault::strikes) {
            return Err(Error::new(ErrorKind::Memory, bytes));
        }
        let block = Foreign::new(Block::try_new(bytes, align)?, align);
        let block = block.map_err(|refused| refused.error)?;
        let mut memory = Self::over_foreign(block, Room::try_new()?, Growth::default());
        memory.grow(bytes, Amount::Exact)?;
        Ok(memory)
    }

    /// The user's memory, with nothing of it committed, unless that is refused; nobody has written
    /// to it.
    pub(crate) fn into_foreign(mut self) -> Option<Foreign> {
        // What stays committed is zero, as it will be when it is committed anew.
        let _ = self.give_back(0, true, &mut |_| true);
        match self.memory.take() {
            Some(Memory::Elsewhere(memory)) => memory.into_foreign(),
            _ => None,
        }
    }

    /// Gives the memory up, which is never released then. What is on the heap is freed.
    pub(crate) fn leak(mut self) {
        if self.warm_bytes() > self.front.usable {
            // Nobody will ever use it. If it is refused, it is leaked too.
            let _ = self.give_back(self.front.usable, true, &mut |_| true);
        }
        match self.memory.take() {
            Some(Memory::Alone(reservation)) => mem::forget(reservation),
            Some(Memory::Elsewhere(memory)) => memory.leak(),
            None => {}
        }
    }

    /// How much to commit when it grows.
    #[must_use]
    pub fn growth(mut self, growth: Growth) -> Self {
        self.front.growth = growth;
        self
    }

    /// When to give the memory back after this is dropped.
    #[must_use]
    pub fn release(mut self, release: Release) -> Self {
        (self.release, self.way) = (release, Way::OPEN);
        self
    }

    /// How far ahead of its use memory is made ready. Starts the background thread, if it is not
    /// running; if it cannot be started, all goes on without it.
    #[must_use]
    pub fn commit_ahead(mut self, ahead: CommitAhead) -> Self {
        self.serve(ahead);
        self
    }

    /// Has memory be made ready ahead of it from now on.
    fn serve(&mut self, ahead: CommitAhead) {
        let Some(memory) = self.memory.take() else { return };
        self.memory = Some(match memory {
            Memory::Alone(mut reservation) if ahead.is_on() => {
                // It is shared from now on, and pages are committed by others.
                reservation.advise_up_to(usize::MAX);
                // Room first: once it is served, the thread is at work there.
                let served = match Room::try_new() {
                    Ok(room) => {
                        Served::new(reservation, self.front.usable, self.warm_bytes(), ahead).map(
                            |served| {
                                self.begin_ahead(&served);
                                Memory::Elsewhere(room.fill(served))
                            },
                        )
                    }
                    Err(_) => Err(reservation),
                };
                served.unwrap_or_else(Memory::Alone)
            }
            Memory::Elsewhere(memory) => {
                memory.set_ahead(ahead);
                Memory::Elsewhere(memory)
            }
            Memory::Alone(reservation) => Memory::Alone(reservation),
        });
    }

    /// Takes note that it is served.
    fn begin_ahead(&mut self, served: &Served) {
        self.front.recent = Recent::beginning(served.shared().window_bytes());
        self.warmth.iter_mut().for_each(Warmth::is_served);
    }

    /// The first byte of the range. It never changes, whatever is done to the range or to `self`.
    pub fn as_ptr(&self) -> *mut u8 {
        self.start().as_ptr()
    }

    #[inline(never)]
    pub(crate) fn start(&self) -> NonNull<u8> {
        self.reservation().map_or_else(Foreign::start, Reservation::start)
    }

    fn memory(&self) -> &Memory {
        self.memory.as_ref().expect("taken only by drop")
    }

    /// The reservation, or what the user supplied in its place.
    pub(crate) fn reservation(&self) -> Result<&Reservation, &Foreign> {
        match self.memory() {
            Memory::Alone(reservation) => Ok(reservation),
            Memory::Elsewhere(memory) => memory.reservation(),
        }
    }

    /// Where a column starts, where it is dealt out to columns.
    pub(crate) fn column_start(&self, number: usize) -> NonNull<u8> {
        self.reservation()
            .map_or_else(Foreign::start, |reservation| reservation.column_start(number))
    }

    /// The size of the range in bytes.
    #[inline(never)]
    pub fn reserved_bytes(&self) -> usize {
        self.reservation().map_or_else(Foreign::reserved_bytes, Reservation::reserved_bytes)
    }

    /// What sets its size; `supplied` if the caller supplies the memory.
    pub(crate) fn sized_by(&self, supplied: SizedBy) -> SizedBy {
        self.reservation().map_or(supplied, Reservation::sized_by)
    }

    /// How many bytes are in memory now, if the system tells.
    pub(crate) fn resident_bytes(&self) -> Option<usize> {
        self.reservation().ok()?.resident_bytes().ok()
    }

    /// In what units memory at `offset` is best committed and given back.
    pub(crate) fn run_bytes(&self, offset: usize) -> usize {
        self.reservation()
            .map_or_else(Foreign::run_bytes, |reservation| reservation.run_bytes(offset))
    }

    /// In what units memory is worth giving back where that splits huge pages.
    pub(crate) fn least_run_bytes(&self) -> usize {
        self.reservation().map_or_else(Foreign::run_bytes, |_| Reservation::least_run_bytes())
    }

    /// In what units memory can be committed and given back at all.
    pub(crate) fn unit_bytes(&self) -> usize {
        self.reservation().map_or_else(Foreign::run_bytes, |_| page_size())
    }

    /// How many bytes from the start may be read and written.
    pub const fn usable_bytes(&self) -> usize {
        self.front.usable
    }

    /// How many bytes are committed: those that are usable, and those ahead of them.
    pub fn committed_bytes(&self) -> usize {
        match self.memory() {
            Memory::Alone(_) => self.front.usable.max(self.warm_bytes()),
            Memory::Elsewhere(memory) => memory.committed_bytes().max(self.front.usable),
        }
    }

    /// Up to where it may hold what others have left there, wherever nothing was written since.
    pub(crate) fn warm_bytes(&self) -> usize {
        self.warmth.as_ref().map_or(0, |warmth| warmth.bytes)
    }

    /// From where on what comes to be usable reads as zero.
    pub(crate) fn zero_from(&self) -> usize {
        self.front.usable.max(self.warm_bytes())
    }

    /// How many bytes lie ready for use behind those that are usable: resident, so that touching
    /// them takes no page fault.
    pub fn ahead_bytes(&self) -> usize {
        match self.memory() {
            Memory::Alone(_) => self.warm_bytes().saturating_sub(self.front.usable),
            Memory::Elsewhere(memory) => memory.ahead_bytes().unwrap_or(0),
        }
    }

    /// How often growth needed more than lay ready, and took its page faults itself.
    pub fn late(&self) -> usize {
        match self.memory() {
            Memory::Alone(_) => 0,
            Memory::Elsewhere(memory) => memory.late(),
        }
    }

    /// Makes the first `bytes` usable, and more by the growth policy, and returns how many are.
    ///
    /// Enters the kernel if they are not, unless the background thread has made them ready.
    ///
    /// # Errors
    ///
    /// [`OutOfBounds`](ErrorKind::OutOfBounds) behind the end of the range, and as for
    /// [`Reservation::commit`]. Nothing has changed then.
    pub fn grow_to(&mut self, bytes: usize) -> Result<usize, Error> {
        self.grow(bytes, Amount::AtLeast)?;
        Ok(self.front.usable)
    }

    pub(crate) fn grow(&mut self, need: usize, amount: Amount) -> Result<(), Error> {
        let before = self.front.usable;
        if need <= before {
            return Ok(());
        }
        let grown = self.grow_behind(need, amount);
        // Who had it before may have left marks there.
        self.unpoison(before..self.front.usable);
        grown
    }

    fn grow_behind(&mut self, need: usize, amount: Amount) -> Result<(), Error> {
        let reserved = self.reserved_bytes();
        if need > reserved {
            return Err(Error::new(ErrorKind::OutOfBounds, need).with_limit(reserved as u64));
        }
        match self.memory.as_mut().expect("taken only by drop") {
            Memory::Alone(reservation) => {
                let needed = round_up(need, page_size());
                let Front { usable, growth, step, .. } = self.front;
                let by_policy = reservation.whole_runs(step.wish(usable, need, growth));
                let wished = amount.wished(needed, by_policy);
                let warm = self.warmth.as_ref().map_or(0, |warmth| warmth.bytes);
                let from = self.front.usable.max(warm);
                let committed = if wished <= from {
                    Ok(wished)
                } else {
                    commit(reservation, from..needed.max(from), wished)
                };
                let usable = *committed.as_ref().unwrap_or(&from);
                if usable < wished {
                    // A refused call may have committed the first of several mappings: hand that
                    // back, so that what is behind `usable` is not charged. If that is refused too
                    // it costs only the charge: nothing was written there.
                    let _ = reservation.decommit(usable..wished);
                }
                committed?;
                reservation.advise_up_to(usable);
                if amount != Amount::Exact {
                    self.front.step.advance(usable - self.front.usable, self.front.growth);
                }
                self.front.usable = usable;
                if let Some(warmth) = &mut self.warmth {
                    warmth.used_to(usable);
                }
                Ok(())
            }
            Memory::Elsewhere(memory) => memory.grow(&mut self.front, need, amount),
        }
    }

    /// Makes memory ahead of the first `used` bytes resident, as much as the busiest frames of late
    /// have used and twice that, and as the budget allows.
    ///
    /// For the idle time of a frame, where no thread is to do it. (Where one is, this helps it.)
    ///
    /// A refusal by the system is told, and harms nothing.
    pub fn prefault_ahead(&mut self, used: usize, budget: Budget) -> Prefaulted {
        self.prefault_ahead_within(used, usize::MAX, budget)
    }

    /// [`prefault_ahead`](Self::prefault_ahead), but of the first `most` bytes only, up to the end of their
    /// page.
    pub(crate) fn prefault_ahead_within(
        &mut self,
        used: usize,
        most: usize,
        budget: Budget,
    ) -> Prefaulted {
        if !IS_SUPPORTED {
            // There may be no clock to tell frames by, and what is not committed has nothing to be made resident.
            return Prefaulted { bytes: 0, ahead_bytes: 0, refused: None };
        }
        let used = used.min(self.front.usable);
        let window = self.front.recent.note(used, Instant::now()).min(most.saturating_sub(used));
        let mut purse = Purse::new(budget);
        let by_others = match self.memory() {
            Memory::Alone(_) => None,
            Memory::Elsewhere(memory) => memory.prefault_ahead(window, &mut purse),
        };
        let refused = match by_others {
            Some(result) => result.err(),
            None => self.prefault_alone(used, window, most, &mut purse).err(),
        };
        if refused.is_some() {
            purse.refund();
        }
        let by_others = match self.memory() {
            Memory::Alone(_) => None,
            Memory::Elsewhere(memory) => memory.ahead_bytes(),
        };
        let ahead_bytes = by_others.unwrap_or(self.resident.saturating_sub(used));
        Prefaulted { bytes: purse.spent(), ahead_bytes, refused }
    }

    fn prefault_alone(
        &mut self,
        used: usize,
        window: usize,
        most: usize,
        purse: &mut Purse,
    ) -> Result<(), Error> {
        /// Runs of a backing may be smaller.
        const LEAST_STEP_BYTES: usize = 64 << 10;
        let reserved = self.reserved_bytes();
        let last = if most < reserved { round_up(most, page_size()) } else { reserved };
        let end = used.saturating_add(window).min(last);
        let unit = self.unit_bytes();
        self.resident = self.resident.max(used / unit * unit);
        while self.resident < end {
            let from = self.resident;
            let step = self.run_bytes(from).max(LEAST_STEP_BYTES);
            let to = round_up(from + 1, step).min(last);
            // Asked for what is not known to be resident yet, which each page is only once. Who had the
            // reservation before may have used what is not usable yet, too.
            let resident = self.reservation();
            let resident = resident.map_or(0, |reservation| reservation.resident_within(from..to));
            if !purse.pay(to - from - resident) {
                break;
            }
            // Also where all are: a page that was only read takes a page fault yet.
            self.grow(to, Amount::Within(most))?;
            self.prefault(from..to)?;
            self.resident = to;
        }
        Ok(())
    }

    /// Gives what lies behind the first `keep` bytes back to the system, in whole runs, if two or
    /// more of them are spare, as [`VmVec::shrink_to_fit`](crate::VmVec::shrink_to_fit) does.
    ///
    /// # Errors
    ///
    /// If the system refuses ([`MappingLimit`](ErrorKind::MappingLimit)). What was given back before
    /// is.
    pub fn shrink_to(&mut self, keep: usize, budget: Budget) -> Result<GivenBack, Error> {
        budget.spend(|purse| self.shrink(keep, purse))
    }

    /// [`shrink_to`](Self::shrink_to) as far as there is money. Whether there is nothing more to give
    /// back.
    pub(crate) fn shrink(&mut self, keep: usize, purse: &mut Purse) -> Result<bool, Error> {
        let Some(keep) = self.shrinks_to(keep) else { return Ok(true) };
        let is_only_warm = keep >= self.front.usable && self.warm_bytes() > self.front.usable;
        if !is_only_warm {
            self.front.step = Step::FIRST;
        }
        self.give_back(keep, purse.is_unlimited(), &mut |bytes| purse.pay(bytes))
    }

    /// Up to where memory would stay committed if only the first `keep` bytes were kept, if any
    /// would go.
    ///
    /// Memory goes in whole runs, and only if two or more of them are spare: between that and the
    /// smallest step of growth there is room to go up and down without a call.
    pub(crate) fn shrinks_to(&self, keep: usize) -> Option<usize> {
        let (usable, warm) = (self.front.usable, self.warm_bytes());
        let keep = keep.min(usable);
        let spare = |keep: usize, run: usize, end: usize| {
            let keep = round_up(keep, run);
            (end.saturating_sub(keep) >= 2 * run).then_some(keep)
        };
        match self.memory() {
            // What is warm makes no capacity go that would stay without it.
            Memory::Alone(_) => spare(keep, self.run_bytes(keep), usable)
                .or_else(|| spare(usable, self.run_bytes(usable), warm)),
            Memory::Elsewhere(memory) => {
                let run = self.run_bytes(keep).max(memory.least_run_bytes());
                spare(keep, run, self.committed_bytes())
            }
        }
    }

    /// Decommits what lies behind `keep`, which is whole [units](Self::unit_bytes); all at once, or
    /// in pieces from the end, before each of which `goes_on` is asked. Whether all is gone.
    pub(crate) fn give_back(
        &mut self,
        keep: usize,
        at_once: bool,
        goes_on: &mut dyn FnMut(usize) -> bool,
    ) -> Result<bool, Error> {
        self.unpoison_foreign(keep..self.front.usable);
        let before = self.front.usable;
        // What is warm goes first.
        self.front.usable = self.zero_from();
        let usable = &mut self.front.usable;
        let result = match self.memory.as_mut().expect("taken only by drop") {
            Memory::Alone(reservation) => {
                let run = reservation.run_bytes(keep);
                let next = |left| service::last_piece(keep..left, run, at_once);
                let mut decommit = |piece| reservation.decommit(piece);
                give_pieces_back(usable, keep, next, goes_on, &mut decommit)
            }
            Memory::Elsewhere(memory) => memory.give_back(usable, keep, at_once, goes_on),
        };
        let left = self.front.usable;
        self.front.usable = left.min(before);
        if let Some(warmth) = &mut self.warmth {
            warmth.end_at(left, self.front.usable);
        }
        self.resident = self.resident.min(self.front.usable);
        result
    }

    /// Makes usable pages resident.
    pub(crate) fn prefault(&mut self, pages: Range<usize>) -> Result<(), Error> {
        assert!(pages.end <= self.front.usable, "what is not usable is not made resident");
        match self.memory.as_mut().expect("taken only by drop") {
            Memory::Alone(reservation) => reservation.prefault_committed(pages),
            Memory::Elsewhere(memory) => memory.prefault(pages),
        }
    }

    /// Hands the memory of usable pages back; they read as zero then. On an error they hold what they
    /// held, or zeroes.
    pub(crate) fn discard(&mut self, pages: Range<usize>) -> Result<(), Error> {
        assert!(pages.end <= self.front.usable, "what is not usable is not discarded");
        self.unpoison_foreign(pages.clone());
        match self.memory.as_mut().expect("taken only by drop") {
            // SAFETY: usable bytes are nobody's but the owner's, who has `&mut self`.
            Memory::Alone(reservation) => unsafe { discard(reservation, pages) },
            Memory::Elsewhere(memory) => memory.discard(pages),
        }
    }
}

/// What who stands on this has [poisoned](crate::poison).
impl GrowingReservation {
    fn unpoison(&self, bytes: Range<usize>) {
        unpoison(self.as_ptr().wrapping_add(bytes.start), bytes.len());
    }

    /// Where it is the user's: what is done there is his.
    fn unpoison_foreign(&self, bytes: Range<usize>) {
        let Some(Memory::Elsewhere(memory)) = &self.memory else { return };
        if memory.reservation().is_err() {
            self.unpoison(bytes);
        }
    }
}

/// For tests, which do the service's work themselves.
#[cfg(test)]
impl GrowingReservation {
    /// Has it served by nobody but who calls [`served`](Self::served).
    pub(crate) fn unattended(mut self, ahead: CommitAhead) -> Self {
        let Some(Memory::Alone(reservation)) = self.memory.take() else {
            unreachable!("served already");
        };
        let served = Served::unattended(reservation, ahead);
        self.memory = Some(Memory::Elsewhere(Box::new(served)));
        self
    }

    pub(crate) fn served(&self) -> &Served {
        let Memory::Elsewhere(memory) = self.memory() else { unreachable!("it is not served") };
        memory.served()
    }
}

impl Drop for GrowingReservation {
    fn drop(&mut self) {
        self.unpoison_foreign(0..self.front.usable);
        // Else the field is dropped next.
        match self.release {
            Release::Keep => self.keep(),
            Release::Background => (self.way.release)(self),
            Release::Now => {}
        }
    }
}

/// Commits what is missing, and up to `wished` if that can be had: near a limit there is less, but it
/// is worth more than a page. Returns up to where pages are committed then.
fn commit(reservation: &Reservation, missing: Range<usize>, wished: usize) -> Result<usize, Error> {
    let run = reservation.run_bytes(wished);
    let target = halve(&missing, wished, run, |range| reservation.commit_if_possible(range));
    if target == missing.end && !missing.is_empty() {
        let ended = keeper::releases_ended();
        if let Err(error) = reservation.commit(missing.clone()) {
            // What lies ready ahead of arrays, or waits to be released, is not worth that one of them
            // cannot grow.
            let again = || reservation.commit_if_possible(missing.clone());
            let has_room = || keeper::make_room(ended) && again();
            // Of what waits, some may just have gone to the keeper.
            if !has_room() && !service::make_room(missing.len(), again) && !has_room() {
                return Err(error);
            }
        }
    }
    Ok(target)
}

/// Commits what is missing and more, up to `wished` or half as much as was refused, in whole runs, which
/// are a power of two.
/// Returns up to where; at the end of what is missing, nothing was committed.
fn halve(
    missing: &Range<usize>,
    wished: usize,
    run: usize,
    mut commit: impl FnMut(Range<usize>) -> bool,
) -> usize {
    let mut target = wished.max(missing.end);
    while target > missing.end && !commit(missing.start..target) {
        target = missing.end.max(missing.start + (((target - missing.start) / 2) & !(run - 1)));
    }
    target
}

/// Hands the memory of committed pages back; they read as zero then. On an error they hold what they
/// held, or zeroes.
///
/// # Safety
///
/// - Nobody uses the pages, or counts on it that they keep what they hold.
unsafe fn discard(reservation: &Reservation, pages: Range<usize>) -> Result<(), Error> {
    // SAFETY: the caller's promise is the same.
    let discarded = unsafe { reservation.discard_unused(pages.clone()) };
    if discarded.is_err() && reservation.commit(pages).is_err() {
        // Windows takes pages away before it gives fresh ones, and another process may have
        // taken the memory in between. There is no going on without pages that are counted
        // as committed. Elsewhere they were never taken away, and this commit is no change.
        std::process::abort();
    }
    discarded
}

/// Decommits what lies behind `keep`, a piece after the other from the end, where `next` says it
/// begins, before each of which `goes_on` is asked. Whether all is gone.
fn give_pieces_back(
    usable: &mut usize,
    keep: usize,
    next: impl Fn(usize) -> usize,
    goes_on: &mut dyn FnMut(usize) -> bool,
    decommit: &mut dyn FnMut(Range<usize>) -> Result<(), Error>,
) -> Result<bool, Error> {
    while *usable > keep {
        let (start, end) = (next(*usable), *usable);
        if !goes_on(end - start) {
            return Ok(false);
        }
        // Before the call: should it unwind, nobody counts on what it was about.
        *usable = start;
        if let Err(error) = decommit(start..end) {
            *usable = end;
            return Err(error);
        }
    }
    Ok(true)
}

/// `bytes`, which is at most `isize::MAX`, rounded up to a multiple of a power of two that is
/// less.
pub(crate) fn round_up(bytes: usize, unit: usize) -> usize {
    debug_assert!(unit.is_power_of_two() && isize::try_from(bytes).is_ok());
    (bytes + (unit - 1)) & !(unit - 1)
}
