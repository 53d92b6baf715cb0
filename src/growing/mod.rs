//! [`GrowingReservation`]: a reservation that is used from its front, the memory of all arrays.
//!
//! It has no element type and no length, only bytes: how far memory is usable, how to get more, and how to return it,
//! alone or with the help of the [service](crate::service).
//!
//! # Invariants between calls
//!
//! - The first `usable` bytes are committed, and have been since they were handed out.
//! - Bytes past those and past the [warm](GrowingReservation::warm_bytes) ones read as zero when they are handed out,
//!   if the reservation was fresh: they are not committed, or were never written to.
//! - Warm bytes hold what another array has left in them. They are committed, unless the service has taken some of them
//!   back; those read as zero.
//! - In a reservation, `usable` and the warm bytes are whole pages: it is grown and shrunk by these alone.

#![expect(unsafe_code, reason = "discards pages that it owns")]

mod budget;
mod cached;
mod external;
mod noted;
mod options;
mod policy;
mod recent;
mod served;
#[cfg(test)]
mod tests;

pub(crate) use budget::BudgetMeter;
pub use budget::{Budget, GivenBack, Prefaulted};
use cached::CachedPrefix;
use external::ExternalMemory;
pub(crate) use options::{MemoryRequest, option_methods};
pub(crate) use policy::Amount;
pub use policy::Growth;
use policy::Step;
use recent::Recent;

use crate::backing::{AnyBacking, Block};
use crate::error::{Error, ErrorKind, SizedBy};
use crate::heap::UninitBox;
#[cfg(test)]
use crate::os::{Call, fault};
use crate::poison::{self, unpoison};
use crate::region_cache;
use crate::reservation::{IS_SUPPORTED, Reservation, page_size};
#[cfg(test)]
use crate::service::Served;
use crate::service::{self, CommitAhead, Release};
use std::mem;
use std::ops::Range;
use std::ptr::NonNull;
use std::time::Instant;

/// A [`Reservation`] that is used from its front: it knows how far it is usable, grows by the policy of arrays, and can
/// use the [background thread](crate::service).
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
/// // SAFETY: `usable` bytes from the start are committed, and `memory` is not shared.
/// unsafe { memory.as_ptr().add(usable - 1).write(7) };
/// # Ok(())
/// # }
/// ```
#[derive(Debug)]
pub struct GrowingReservation {
    /// `None` only while this is dropped.
    memory: Option<Storage>,
    front: Front,
    release: Release,
    /// How many bytes must have been used for this to be [large](CommitAhead::Large), so that the service is to stay ahead
    /// once it grows. `usize::MAX` if it never is.
    large_from: usize,
    /// Without the service: up to where pages were made resident ahead of their use.
    resident: usize,
    /// Set if the memory goes to the region cache, and may have come from there.
    cached_prefix: Option<CachedPrefix>,
}

/// A range that is used from its front.
#[derive(Debug)]
enum Storage {
    Reserved(Reservation),
    /// Served by the background thread, or supplied by the user.
    External(Box<dyn ExternalMemory>),
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

impl Reservation {
    /// Uses the reservation from its front. No byte counts as usable at first.
    ///
    /// Pages that were written to before either keep their contents or read as zero when they become usable; all others
    /// read as zero.
    ///
    /// # Examples
    ///
    /// ```
    /// use stayput::Reservation;
    ///
    /// let mut memory = Reservation::new(1 << 30)?.growing();
    /// assert_eq!(memory.usable_bytes(), 0);
    /// memory.grow_to(100)?;
    /// assert!(memory.usable_bytes() >= 100);
    /// # Ok::<(), stayput::Error>(())
    /// ```
    pub fn growing(self) -> GrowingReservation {
        let storage = Storage::Reserved(self);
        let growing =
            GrowingReservation::from_storage(storage, Growth::default(), Release::default());
        growing.note_use();
        growing
    }
}

impl GrowingReservation {
    #[inline]
    fn from_storage(memory: Storage, growth: Growth, release: Release) -> Self {
        let front = Front { usable: 0, growth, step: Step::FIRST, recent: Recent::NONE };
        Self {
            memory: Some(memory),
            front,
            release,
            large_from: usize::MAX,
            resident: 0,
            cached_prefix: None,
        }
    }

    /// Uses memory that the user has supplied from its front.
    pub(crate) fn from_backing(
        backing: AnyBacking,
        uninit: UninitBox<AnyBacking>,
        growth: Growth,
    ) -> Self {
        let memory = Storage::External(uninit.fill(backing));
        Self::from_storage(memory, growth, Release::default())
    }

    /// Allocates a block of `bytes` bytes on the heap. All of it is usable, and zero.
    pub(crate) fn in_heap(bytes: usize, align: usize) -> Result<Self, Error> {
        // Fault injection covers the heap like memory of the system.
        #[cfg(test)]
        if [Call::Reserve, Call::Commit].into_iter().any(fault::should_fail) {
            return Err(Error::new(ErrorKind::Memory, bytes));
        }
        let block = AnyBacking::new(Block::try_new(bytes, align)?, align);
        let block = block.map_err(|refused| refused.error)?;
        let mut memory = Self::from_backing(block, UninitBox::try_new()?, Growth::default());
        memory.grow(bytes, Amount::Exact)?;
        Ok(memory)
    }

    /// Returns the memory that the user has supplied, and decommits all of it, unless that is refused. It must not have
    /// been written to.
    pub(crate) fn into_any_backing(mut self) -> Option<AnyBacking> {
        // Memory whose decommit is refused is zero, as it would be after the next commit.
        let _ = self.give_back(0, true, &mut |_| true);
        match self.memory.take() {
            Some(Storage::External(memory)) => memory.into_any_backing(),
            _ => None,
        }
    }

    /// Leaks the memory, which is never released then. What is on the heap is freed.
    pub(crate) fn leak(mut self) {
        self.serve(CommitAhead::Off);
        // Pages past these will never be used. If this is refused, they are leaked, too.
        let _ = self.give_back(self.front.usable, true, &mut |_| true);
        match self.memory.take() {
            Some(Storage::Reserved(reservation)) => mem::forget(reservation),
            Some(Storage::External(memory)) => memory.leak(),
            None => {}
        }
    }

    /// Sets how much to commit when it grows.
    ///
    /// # Examples
    ///
    /// ```
    /// use stayput::{Growth, Reservation};
    ///
    /// let steps = Growth::Fixed { step_bytes: 1 << 20 };
    /// let mut memory = Reservation::new(1 << 30)?.growing().growth(steps);
    /// assert_eq!(memory.grow_to(1)?, 1 << 20);
    /// # Ok::<(), stayput::Error>(())
    /// ```
    #[must_use]
    pub fn growth(mut self, growth: Growth) -> Self {
        self.front.growth = growth;
        self
    }

    /// Sets when the memory is returned after this is dropped. Defaults to [`Release::Keep`], with which
    /// nothing is cached here: the [region cache](crate::region_cache) takes memory of containers only.
    #[must_use]
    pub fn release(mut self, release: Release) -> Self {
        self.release = release;
        self
    }

    /// Sets how far ahead of its use memory is made ready, as in the [example](Self#examples) above. Defaults to
    /// [`CommitAhead::Off`], unlike containers.
    ///
    /// Starts the background thread if memory is to be made ready now; if that fails, growth works without it.
    #[must_use]
    pub fn commit_ahead(mut self, ahead: CommitAhead) -> Self {
        self.serve(ahead);
        self
    }

    /// Returns the first byte of the range. It never changes.
    pub fn as_ptr(&self) -> *mut u8 {
        self.start().as_ptr()
    }

    #[inline(never)]
    pub(crate) fn start(&self) -> NonNull<u8> {
        self.reservation().map_or_else(AnyBacking::start, Reservation::start)
    }

    fn memory(&self) -> &Storage {
        self.memory.as_ref().expect("taken only by drop")
    }

    /// Returns the reservation, or what the user has supplied in its place.
    pub(crate) fn reservation(&self) -> Result<&Reservation, &AnyBacking> {
        match self.memory() {
            Storage::Reserved(reservation) => Ok(reservation),
            Storage::External(memory) => memory.reservation(),
        }
    }

    /// Returns the start of a column, if the range is divided into columns, or else that of the range.
    pub(crate) fn column_start(&self, number: usize) -> NonNull<u8> {
        match self.reservation() {
            Ok(reservation) => reservation.column_start(number),
            Err(backing) => {
                assert_eq!(number, 0, "a backing has no columns");
                backing.start()
            }
        }
    }

    /// Returns the size of the range in bytes.
    ///
    /// # Examples
    ///
    /// ```
    /// let memory = stayput::Reservation::new(1 << 30)?.growing();
    /// assert_eq!(memory.reserved_bytes(), 1 << 30);
    /// # Ok::<(), stayput::Error>(())
    /// ```
    #[inline(never)]
    pub fn reserved_bytes(&self) -> usize {
        self.reservation().map_or_else(AnyBacking::reserved_bytes, Reservation::reserved_bytes)
    }

    /// Returns what sets the size of the range: `supplied` if the caller supplies the memory.
    pub(crate) fn sized_by(&self, supplied: SizedBy) -> SizedBy {
        self.reservation().map_or(supplied, Reservation::sized_by)
    }

    /// Returns how many bytes are resident. `None` if that is unknown.
    pub(crate) fn resident_bytes(&self) -> Option<usize> {
        self.reservation().ok()?.resident_bytes().ok()
    }

    /// Returns the unit in which memory at `offset` is best committed and decommitted.
    pub(crate) fn run_bytes(&self, offset: usize) -> usize {
        self.reservation()
            .map_or_else(AnyBacking::run_bytes, |reservation| reservation.run_bytes(offset))
    }

    /// Returns the unit in which decommitting is worthwhile even if it splits huge pages.
    pub(crate) fn least_run_bytes(&self) -> usize {
        self.reservation().map_or_else(AnyBacking::run_bytes, |_| Reservation::least_run_bytes())
    }

    /// Returns the smallest unit that can be committed and decommitted.
    pub(crate) fn unit_bytes(&self) -> usize {
        self.reservation().map_or_else(AnyBacking::run_bytes, |_| page_size())
    }

    /// Returns how many bytes from the start may be read and written; [`grow_to`](Self::grow_to) makes more usable.
    pub const fn usable_bytes(&self) -> usize {
        self.front.usable
    }

    /// Returns how many bytes are committed: the usable ones, and those that are or will be made ready
    /// [ahead](Self::ahead_bytes) of them.
    pub fn committed_bytes(&self) -> usize {
        match self.memory() {
            Storage::Reserved(_) => self.front.usable.max(self.warm_bytes()),
            Storage::External(memory) => memory.committed_bytes().max(self.front.usable),
        }
    }

    /// Up to where the range may hold what other arrays have left.
    pub(crate) fn warm_bytes(&self) -> usize {
        self.cached_prefix.as_ref().map_or(0, |cached_prefix| cached_prefix.bytes)
    }

    /// The offset from which bytes read as zero when they become usable.
    pub(crate) fn zero_from(&self) -> usize {
        self.front.usable.max(self.warm_bytes())
    }

    /// Returns how many bytes past the usable ones are ready: resident, so that using them takes no page faults.
    ///
    /// # Examples
    ///
    /// ```
    /// use stayput::{CommitAhead, Reservation};
    ///
    /// let ahead = CommitAhead::Bytes(8 << 20);
    /// let mut memory = Reservation::new(1 << 30)?.growing().commit_ahead(ahead);
    /// memory.grow_to(1 << 20)?;
    /// println!("{} bytes are ready, late {} times", memory.ahead_bytes(), memory.late());
    /// assert!(memory.committed_bytes() >= memory.usable_bytes());
    /// # Ok::<(), stayput::Error>(())
    /// ```
    pub fn ahead_bytes(&self) -> usize {
        match self.memory() {
            Storage::Reserved(_) => self.warm_bytes().saturating_sub(self.front.usable),
            Storage::External(memory) => memory.ahead_bytes().unwrap_or(0),
        }
    }

    /// Returns how many times growth needed more than was [ready](Self::ahead_bytes), and took page faults itself.
    pub fn late(&self) -> usize {
        match self.memory() {
            Storage::Reserved(_) => 0,
            Storage::External(memory) => memory.late(),
        }
    }

    /// Makes the first `bytes` usable, and more by the growth policy. Returns how many bytes are usable.
    ///
    /// Makes no system call if they are usable already, and hardly any if the background thread has made them ready: it
    /// may have to be woken.
    ///
    /// # Errors
    ///
    /// [`OutOfBounds`](ErrorKind::OutOfBounds) past the end of the range, and the errors of [`Reservation::commit`].
    /// After an error nothing has changed.
    ///
    /// # Examples
    ///
    /// ```
    /// use stayput::Reservation;
    ///
    /// let mut memory = Reservation::new(1 << 30)?.growing();
    /// let usable = memory.grow_to(1000)?;
    /// assert!(usable >= 1000 && usable == memory.usable_bytes());
    /// assert_eq!(memory.grow_to(500)?, usable); // makes no system call
    /// assert!(memory.grow_to(1 << 31).is_err()); // past the end
    /// # Ok::<(), stayput::Error>(())
    /// ```
    pub fn grow_to(&mut self, bytes: usize) -> Result<usize, Error> {
        self.grow(bytes, Amount::AtLeast)?;
        Ok(self.front.usable)
    }

    pub(crate) fn grow(&mut self, need: usize, amount: Amount) -> Result<(), Error> {
        let before = self.front.usable;
        if need <= before {
            return Ok(());
        }
        let ready = self.ready_bytes();
        let grown = self.grow_past(need, amount);
        if grown.is_ok() {
            self.note_growth(ready);
        }
        // The previous user of the memory may have poisoned it.
        self.unpoison(before..self.front.usable);
        if before >= self.large_from && grown.is_ok() {
            self.serve_if_dense(before);
        }
        grown
    }

    fn grow_past(&mut self, need: usize, amount: Amount) -> Result<(), Error> {
        let reserved = self.reserved_bytes();
        if need > reserved {
            return Err(Error::new(ErrorKind::OutOfBounds, need).with_limit(reserved as u64));
        }
        match self.memory.as_mut().expect("taken only by drop") {
            Storage::Reserved(reservation) => {
                let needed = round_up(need, page_size());
                let Front { usable, growth, step, .. } = self.front;
                let by_policy = reservation.whole_runs(step.desired(usable, need, growth));
                let preferred = amount.preferred(needed, by_policy);
                let warm =
                    self.cached_prefix.as_ref().map_or(0, |cached_prefix| cached_prefix.bytes);
                let from = self.front.usable.max(warm);
                let committed = if preferred <= from {
                    Ok(preferred)
                } else {
                    commit(reservation, from..needed.max(from), preferred)
                };
                let usable = *committed.as_ref().unwrap_or(&from);
                if usable < preferred {
                    // A refused call may have committed the first of several mappings. Decommit that, so that nothing
                    // past `usable` is charged. If this is refused, too, only the charge remains: nothing was written
                    // there.
                    let _ = reservation.decommit(usable..preferred);
                }
                committed?;
                reservation.advise_up_to(usable);
                if amount != Amount::Exact {
                    self.front.step.advance(usable - self.front.usable, self.front.growth);
                }
                self.front.usable = usable;
                if let Some(cached_prefix) = &mut self.cached_prefix {
                    cached_prefix.used_to(usable);
                }
                Ok(())
            }
            Storage::External(memory) => memory.grow(&mut self.front, need, amount),
        }
    }

    /// Makes memory past the first `used` bytes resident: twice what the busiest recent frames have used, within the
    /// budget.
    ///
    /// Intended for the idle time of a frame, without the background thread. If that thread serves this memory, the
    /// call helps it.
    ///
    /// If the system refuses, the result says so. More bytes may be usable nevertheless.
    ///
    /// On processors other than x86 and ARM64, no other thread may read or write the memory through
    /// [`as_ptr`](Self::as_ptr) meanwhile, except atomically.
    ///
    /// # Examples
    ///
    /// ```
    /// use stayput::{Budget, Reservation};
    ///
    /// let mut memory = Reservation::new(1 << 30)?.growing();
    /// for frame in 1..=3 {
    ///     let used = frame * 50_000;
    ///     memory.grow_to(used)?;
    ///     // The frame is done early: prepare memory for the next one.
    ///     let done = memory.prefault_ahead(used, Budget::bytes(1 << 20));
    ///     assert!(done.refused.is_none());
    /// }
    /// # Ok::<(), stayput::Error>(())
    /// ```
    pub fn prefault_ahead(&mut self, used: usize, budget: Budget) -> Prefaulted {
        self.prefault_ahead_within(used, usize::MAX, budget)
    }

    /// [`prefault_ahead`](Self::prefault_ahead), limited to the first `most` bytes, up to the end of their page.
    pub(crate) fn prefault_ahead_within(
        &mut self,
        used: usize,
        most: usize,
        budget: Budget,
    ) -> Prefaulted {
        if !IS_SUPPORTED {
            // There may be no clock to measure frames by, and pages that are not committed cannot be resident.
            return Prefaulted { bytes: 0, ahead_bytes: 0, refused: None };
        }
        // The user makes memory ready.
        self.large_from = usize::MAX;
        self.front.recent.bind_to_half(false);
        let used = used.min(self.front.usable);
        let window = self.front.recent.note(used, Instant::now()).min(most.saturating_sub(used));
        let mut meter = BudgetMeter::new(budget);
        let by_others = match self.memory() {
            Storage::Reserved(_) => None,
            Storage::External(memory) => memory.prefault_ahead(window, &mut meter),
        };
        let refused = match by_others {
            Some(result) => result.err(),
            None => self.prefault_alone(used, window, most, &mut meter).err(),
        };
        if refused.is_some() {
            meter.refund();
        }
        let by_others = match self.memory() {
            Storage::Reserved(_) => None,
            Storage::External(memory) => memory.ahead_bytes(),
        };
        let ahead_bytes = by_others.unwrap_or(self.resident.saturating_sub(used));
        Prefaulted { bytes: meter.spent(), ahead_bytes, refused }
    }

    fn prefault_alone(
        &mut self,
        used: usize,
        window: usize,
        most: usize,
        meter: &mut BudgetMeter,
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
            // Called only for pages that are not known to be resident, once for each. A previous user of the
            // reservation may have touched pages that are not usable yet.
            let resident = self.reservation();
            let resident = resident.map_or(0, |reservation| reservation.resident_within(from..to));
            if !meter.pay(to - from - resident) {
                break;
            }
            // Also if all pages are resident: a page that was only read still takes a fault when it is written.
            self.grow(to, Amount::Within(most))?;
            self.prefault(from..to)?;
            self.resident = to;
        }
        Ok(())
    }

    /// Returns memory past the first `keep` bytes to the system in whole runs, if two or more runs are spare, like
    /// [`VmVec::shrink_to_fit`](crate::VmVec::shrink_to_fit).
    ///
    /// # Errors
    ///
    /// If the system refuses ([`MappingLimit`](ErrorKind::MappingLimit)). What was returned before that stays returned.
    ///
    /// # Examples
    ///
    /// ```
    /// use stayput::{Budget, Reservation};
    ///
    /// let mut memory = Reservation::new(1 << 30)?.growing();
    /// memory.grow_to(4 << 20)?;
    /// memory.shrink_to(1000, Budget::UNLIMITED)?;
    /// assert!(memory.usable_bytes() < 1 << 20);
    /// # Ok::<(), stayput::Error>(())
    /// ```
    pub fn shrink_to(&mut self, keep: usize, budget: Budget) -> Result<GivenBack, Error> {
        budget.spend(|meter| self.shrink(keep, meter))
    }

    /// [`shrink_to`](Self::shrink_to) within the budget. Returns whether there is nothing more to return.
    pub(crate) fn shrink(&mut self, keep: usize, meter: &mut BudgetMeter) -> Result<bool, Error> {
        if meter.is_spent() {
            return Ok(self.shrinks_to(keep).is_none());
        }
        if let Storage::External(memory) = self.memory() {
            memory.pause();
        }
        let Some(keep) = self.shrinks_to(keep) else { return Ok(true) };
        if keep < self.front.usable {
            self.front.step = Step::FIRST;
        }
        self.give_back(keep, meter.is_unlimited(), &mut |bytes| meter.pay(bytes))
    }

    /// Up to where memory would stay committed if only the first `keep` bytes were kept. `None` if nothing would be
    /// returned.
    ///
    /// Memory is returned in whole runs, and only if two or more are spare. Together with the smallest step of growth
    /// this leaves room to grow and shrink without a system call.
    pub(crate) fn shrinks_to(&self, keep: usize) -> Option<usize> {
        let (usable, warm) = (self.front.usable, self.warm_bytes());
        let keep = keep.min(usable);
        let spare = |keep: usize, run: usize, end: usize| {
            let keep = round_up(keep, run);
            (end.saturating_sub(keep) >= 2 * run).then_some(keep)
        };
        match self.memory() {
            // Warm memory must not cause capacity to be returned that would stay without it.
            Storage::Reserved(_) => spare(keep, self.run_bytes(keep), usable)
                .or_else(|| spare(usable, self.run_bytes(usable), warm)),
            Storage::External(memory) => {
                let run = self.run_bytes(keep).max(memory.least_run_bytes());
                spare(keep, run, self.committed_bytes())
            }
        }
    }

    /// Decommits what follows `keep`, a multiple of the [unit](Self::unit_bytes), at once or in pieces from the end.
    /// `goes_on` is called before each piece. Returns whether all of it is decommitted.
    pub(crate) fn give_back(
        &mut self,
        keep: usize,
        at_once: bool,
        goes_on: &mut dyn FnMut(usize) -> bool,
    ) -> Result<bool, Error> {
        self.unpoison_backing(keep..self.front.usable);
        let before = self.front.usable;
        // Warm memory goes first.
        self.front.usable = self.zero_from();
        let usable = &mut self.front.usable;
        let result = match self.memory.as_mut().expect("taken only by drop") {
            Storage::Reserved(reservation) => {
                let run = reservation.run_bytes(keep);
                let next = |left| service::last_piece(keep..left, run, at_once);
                let mut decommit = |piece| reservation.decommit(piece);
                give_pieces_back(usable, keep, next, goes_on, &mut decommit)
            }
            // SAFETY: by the invariants the usable bytes are committed, and so are the warm ones that the service has
            // not taken back. They belong to the owner, which has `&mut self` and asks for those past `keep` to be
            // taken away.
            Storage::External(memory) => unsafe {
                memory.give_back(usable, keep, at_once, goes_on)
            },
        };
        let left = self.front.usable;
        self.front.usable = left.min(before);
        if let Some(cached_prefix) = &mut self.cached_prefix {
            cached_prefix.end_at(left, self.front.usable);
        }
        self.resident = self.resident.min(self.front.usable);
        self.note_use();
        result
    }

    pub(crate) fn prefault(&mut self, pages: Range<usize>) -> Result<(), Error> {
        assert!(pages.end <= self.front.usable, "prefault past the usable bytes");
        match self.memory.as_mut().expect("taken only by drop") {
            // SAFETY: usable bytes are committed, and stay so while `&mut self` is borrowed. Where it matters, no other
            // thread uses these: shared containers check `PREFAULTING_IS_SHARED` before they come here, others are
            // mutably borrowed or pass unused pages, and `prefault_ahead` requires it of users of the raw pointer.
            Storage::Reserved(reservation) => unsafe { reservation.prefault_committed(pages) },
            // SAFETY: as above.
            Storage::External(memory) => unsafe { memory.prefault(pages) },
        }
    }

    /// Discards usable pages, which read as zero then. After an error each page holds what it held, or zeros.
    pub(crate) fn discard(&mut self, pages: Range<usize>) -> Result<(), Error> {
        assert!(pages.end <= self.front.usable, "discard past the usable bytes");
        self.unpoison_backing(pages.clone());
        match self.memory.as_mut().expect("taken only by drop") {
            // SAFETY: usable bytes belong to the owner, which has `&mut self`, so no other code uses them, and asks for
            // these to be cleared, so it does not need their contents.
            Storage::Reserved(reservation) => unsafe { discard(reservation, pages) },
            // SAFETY: as above. Usable bytes are committed, and below what the service may decommit.
            Storage::External(memory) => unsafe { memory.discard(pages) },
        }
    }
}

/// [Poison](crate::poison) that users of the memory have set.
impl GrowingReservation {
    fn unpoison(&self, bytes: Range<usize>) {
        if poison::IS_ON {
            unpoison(self.as_ptr().wrapping_add(bytes.start), bytes.len());
        }
    }

    /// Unpoisons memory that the user has supplied, before it is returned.
    fn unpoison_backing(&self, bytes: Range<usize>) {
        let Some(Storage::External(memory)) = &self.memory else { return };
        if memory.reservation().is_err() {
            self.unpoison(bytes);
        }
    }
}

/// For tests, which do the work of the service themselves.
#[cfg(test)]
impl GrowingReservation {
    /// Makes the memory served, but only through calls on [`served`](Self::served).
    pub(crate) fn unattended(mut self, ahead: CommitAhead) -> Self {
        let Some(Storage::Reserved(reservation)) = self.memory.take() else {
            unreachable!("served already");
        };
        let served = Served::unattended(reservation, ahead);
        self.memory = Some(Storage::External(Box::new(served)));
        self
    }

    pub(crate) fn served(&self) -> &Served {
        let Storage::External(memory) = self.memory() else { unreachable!("it is not served") };
        memory.served()
    }
}

impl Drop for GrowingReservation {
    fn drop(&mut self) {
        self.unpoison_backing(0..self.front.usable);
        // Otherwise the field is dropped next.
        if self.release != Release::Now {
            self.pass_on();
        }
    }
}

/// Commits what is missing, and up to `preferred` if possible: near a limit there is less, but still more than a page.
/// Returns up to where pages are committed.
fn commit(
    reservation: &Reservation,
    missing: Range<usize>,
    preferred: usize,
) -> Result<usize, Error> {
    let run = reservation.run_bytes(preferred);
    let target = halve(&missing, preferred, run, |range| reservation.commit_if_possible(range));
    if target == missing.end && !missing.is_empty() {
        let ended = region_cache::releases_ended();
        if let Err(error) = reservation.commit(missing.clone()) {
            // Memory that is not in use is released before growth fails.
            let again = &mut || reservation.commit_if_possible(missing.clone());
            if !region_cache::reclaim(missing.len(), ended, again) {
                return Err(error);
            }
        }
    }
    Ok(target)
}

/// Commits what is missing and more: up to `preferred`, or half of what was refused, in whole runs, whose size is a
/// power of two. Returns up to where; if that is the end of `missing`, nothing was committed.
fn halve(
    missing: &Range<usize>,
    preferred: usize,
    run: usize,
    mut commit: impl FnMut(Range<usize>) -> bool,
) -> usize {
    let mut target = preferred.max(missing.end);
    while target > missing.end && !commit(missing.start..target) {
        target = missing.end.max(missing.start + (((target - missing.start) / 2) & !(run - 1)));
    }
    target
}

/// Discards committed pages, which read as zero then. After an error each page holds what it held, or zeros.
///
/// # Safety
///
/// - The pages are not in use, and their contents are not needed.
unsafe fn discard(reservation: &Reservation, pages: Range<usize>) -> Result<(), Error> {
    // SAFETY: the pages are not in use, and their contents are not needed, as the caller promises.
    let discarded = unsafe { reservation.discard_unused(pages.clone()) };
    if discarded.is_err() && reservation.commit(pages).is_err() {
        // On systems other than Linux, pages are decommitted before fresh ones are committed, and another process may
        // have taken the memory in between. Pages that count as committed must exist. On Linux they were never
        // decommitted, and this commit changes nothing.
        std::process::abort();
    }
    discarded
}

/// Decommits what follows `keep` in pieces from the end; `next` returns where the last piece begins. `goes_on` is
/// called before each piece. Returns whether all of it is decommitted.
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
        // Before the call, so that the piece does not count as usable if the call unwinds.
        *usable = start;
        if let Err(error) = decommit(start..end) {
            *usable = end;
            return Err(error);
        }
    }
    Ok(true)
}

/// Rounds `bytes`, at most `isize::MAX`, up to a multiple of `unit`, a smaller power of two.
pub(crate) fn round_up(bytes: usize, unit: usize) -> usize {
    debug_assert!(unit.is_power_of_two() && isize::try_from(bytes).is_ok());
    (bytes + (unit - 1)) & !(unit - 1)
}
